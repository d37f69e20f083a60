//! Hands what libFuzzer makes up to the target `block_lz4`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("block_lz4", data));
