//! Hands what libFuzzer makes up to the target `utf32_names`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("utf32_names", data));
