//! Hands what libFuzzer makes up to the target `utf32`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("utf32", data));
