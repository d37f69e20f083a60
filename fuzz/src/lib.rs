//! What the fuzz targets do with their input: each is a function that panics where zn5 breaks a promise.
//!
//! `fuzz_targets/` hands them what libFuzzer makes up; `tests/fuzz_regressions.rs` of zn5 hands them `regressions/`.

mod block;
mod capi;
mod dataset;
mod header;
mod keys;
mod metadata;
mod model;
mod region;
mod round_trip;
mod utf32;

/// One target: a name, which is that of its file in `fuzz_targets/` and of its folders of inputs, and what it does.
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Takes one input.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 19] = [
    Target { name: "block_raw", run: block::raw },
    Target { name: "block_gzip", run: block::gzip },
    Target { name: "block_bzip2", run: block::bzip2 },
    Target { name: "block_xz", run: block::xz },
    Target { name: "block_lz4", run: block::lz4 },
    Target { name: "block_blosc", run: block::blosc },
    Target { name: "block_zstd", run: block::zstd },
    Target { name: "chain", run: block::plain_chain },
    Target { name: "header", run: header::run },
    Target { name: "n5_attributes", run: metadata::n5_attributes },
    Target { name: "zarr_metadata", run: metadata::zarr_metadata },
    Target { name: "codec_object", run: metadata::codec_object },
    Target { name: "convert", run: metadata::convert },
    Target { name: "utf32", run: utf32::elements },
    Target { name: "utf32_names", run: utf32::names },
    Target { name: "round_trip", run: round_trip::run },
    Target { name: "region", run: region::run },
    Target { name: "keys", run: keys::run },
    Target { name: "dataset", run: dataset::run },
];

/// Runs the target of this name.
///
/// # Panics
/// Where zn5 breaks a promise.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    (target.run)(data);
}
