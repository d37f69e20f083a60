//! Hands what libFuzzer makes up to the target `round_trip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("round_trip", data));
