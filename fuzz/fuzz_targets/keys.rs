//! Hands what libFuzzer makes up to the target `keys`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("keys", data));
