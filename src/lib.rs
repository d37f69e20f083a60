//! zn5 reads and writes N5 blocks (the Zarr v3 codec `n5_default`) and `fixed_length_utf32` strings.
//!
//! Its product is the C library that `include/zn5.h` describes; the Rust items here are the engine behind it and carry no
//! promise of stability.

#[doc(hidden)]
pub mod array;
#[doc(hidden)]
pub mod block;
#[doc(hidden)]
pub mod codec;
#[doc(hidden)]
pub mod compress;
#[doc(hidden)]
pub mod dataset;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod ffi;
#[doc(hidden)]
pub mod metadata;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod store;
