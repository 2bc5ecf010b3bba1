//! Hands what the fuzzer makes to the property `header_values`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_tests::props::header_values(data));
