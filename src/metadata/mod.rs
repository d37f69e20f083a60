//! Metadata documents: attributes.json and zarr.json to and from the engine's settings.
//!
//! JSON lives here and nowhere below. Only the members of N5 and Zarr are parsed, never a user's attributes.

mod chain;
mod codecs;
mod document;
mod extension;
mod fill;
mod grid;
mod keys;
mod n5;
mod number;
mod zarr;

pub use keys::block_key;
pub use n5::array_from_n5;
pub use zarr::{array_from_zarr, codec_from_object, codec_to_json};
