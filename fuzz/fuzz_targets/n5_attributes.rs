//! Hands what libFuzzer makes up to the target `n5_attributes`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("n5_attributes", data));
