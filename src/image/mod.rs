//! What is known of an image: its axes, the levels of its pyramid, and what it holds.
//!
//! Many programs write such things into attributes, each in a dialect of its own. They are read here
//! and nowhere else; what no dialect tells stays unknown, and what two of them tell differently is kept.

#![forbid(unsafe_code)]

mod axes;
mod content;
mod dialects;
mod merge;
mod order;
mod pyramid;
mod units;
mod values;

pub use axes::{Axes, Axis, AxisKind, Disagreement, Property, Statement};
pub use content::{content, holds_labels};
pub use dialects::{Dialect, Layout, Place, axes_of};
pub use order::{Plane, numpy_order};
pub use pyramid::{Child, Level, Pyramid, pyramid_of};
