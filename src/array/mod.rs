//! Arrays in memory: strides, boxes of elements, and the one pass that brings a stored chunk into the caller's memory or back.
//!
//! [`Destination`] and [`Source`] are boxes of elements with checked bounds. [`place()`] swaps bytes, transposes axes, crops and pads
//! in one pass; [`gather`] is its counterpart for encoding. [`Tiles`] lets threads fill one destination. The loops that move bytes are in `kernel`.

mod boxes;
mod kernel;
mod place;
mod strides;
#[cfg(test)]
mod test_memory;
#[cfg(test)]
mod tests;
mod tiles;
mod view;

pub use boxes::{all_equal, copy};
pub use place::{Element, Stored, fill, gather, gather_behind, gather_to, place, swap_in_place, touched_bytes};
pub use strides::contiguous_strides;
pub use tiles::{Cuts, Tile, Tiles};
pub use view::{Destination, Source};
