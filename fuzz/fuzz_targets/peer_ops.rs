//! Hands what the fuzzer makes to the property `peer_ops`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_tests::props::peer_ops(data));
