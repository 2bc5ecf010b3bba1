//! Hands what the fuzzer makes to the property `sse`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_tests::props::sse(data));
