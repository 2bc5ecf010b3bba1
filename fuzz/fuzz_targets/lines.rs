//! Hands what the fuzzer makes to the property `lines`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_tests::props::lines(data));
