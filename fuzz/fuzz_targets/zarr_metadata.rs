//! Hands what libFuzzer makes up to the target `zarr_metadata`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| zn5_fuzz::run("zarr_metadata", data));
