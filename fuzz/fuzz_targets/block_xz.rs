//! Hands what libFuzzer makes up to the target `block_xz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("block_xz", data));
