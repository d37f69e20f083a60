//! zn5 reads and writes N5 blocks (the Zarr v3 codec `n5_default`) and `fixed_length_utf32` strings.
//!
//! Its product is the C library that `include/zn5.h` describes; the Rust items here are the engine behind it and carry no
//! promise of stability.

#[cfg_attr(not(doc), doc(hidden))]
pub mod array;
#[cfg_attr(not(doc), doc(hidden))]
pub mod block;
#[cfg_attr(not(doc), doc(hidden))]
pub mod codec;
#[cfg_attr(not(doc), doc(hidden))]
pub mod compress;
#[cfg_attr(not(doc), doc(hidden))]
pub mod dataset;
#[cfg_attr(not(doc), doc(hidden))]
pub mod error;
#[cfg_attr(not(doc), doc(hidden))]
pub mod ffi;
#[cfg_attr(not(doc), doc(hidden))]
pub mod image;
mod json;
#[cfg_attr(not(doc), doc(hidden))]
pub mod metadata;
#[cfg_attr(not(doc), doc(hidden))]
pub mod model;
#[cfg_attr(not(doc), doc(hidden))]
pub mod store;
#[cfg_attr(not(doc), doc(hidden))]
pub mod utf32;
