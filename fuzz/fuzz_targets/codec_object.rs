//! Hands what libFuzzer makes up to the target `codec_object`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("codec_object", data));
