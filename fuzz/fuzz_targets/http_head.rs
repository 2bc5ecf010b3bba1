//! Hands what the fuzzer makes to the property `http_head`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_tests::props::http_head(data));
