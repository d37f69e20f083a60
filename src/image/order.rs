//! The order of axes: which go right and down in a picture, and in which order NumPy counts them.
//!
//! Names decide. Where there are none, the axis that varies fastest in storage goes right.

use super::axes::{Axes, AxisKind};
use crate::metadata::Language;

/// The axes that a picture shows. An array of one axis has no second one, an array of none neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The axis that goes right.
    pub right: Option<usize>,
    /// The axis that goes down.
    pub down: Option<usize>,
}

impl Axes {
    /// The axes to show by themselves: x right and y down, as far as the names tell; of the others
    /// those of space before those of time and channels, the fastest first.
    #[must_use]
    pub fn plane(&self) -> Plane {
        self.plane_without(None)
    }

    /// As [`Self::plane`], where `colour` is an axis that becomes colours and no direction.
    #[must_use]
    pub fn plane_without(&self, colour: Option<usize>) -> Plane {
        let mut order: Vec<usize> = (0..self.axes.len()).filter(|&axis| Some(axis) != colour).collect();
        if !self.first_is_fastest {
            order.reverse();
        }
        order.sort_by_key(|&axis| self.rank(axis));
        Plane { right: order.first().copied(), down: order.get(1).copied() }
    }

    /// The axis of channels; `None` where no source names one.
    #[must_use]
    pub fn channels(&self) -> Option<usize> {
        self.axes.iter().position(|axis| axis.kind == Some(AxisKind::Channel))
    }

    /// Whether a source tells a name or a kind for any axis.
    #[must_use]
    pub fn are_named(&self) -> bool {
        self.axes.iter().any(|axis| axis.name.is_some() || axis.kind.is_some())
    }

    /// How early an axis is taken for a picture; equal ones keep their order.
    fn rank(&self, axis: usize) -> (u8, u8) {
        let Some(axis) = self.axes.get(axis) else { return (u8::MAX, 0) };
        let kind = match axis.kind {
            Some(AxisKind::Space) => 0,
            None => 1,
            Some(AxisKind::Other) => 2,
            Some(AxisKind::Time) => 3,
            Some(AxisKind::Channel) => 4,
        };
        let name = match axis.name.as_deref() {
            Some("x" | "X") => 0,
            Some("y" | "Y") => 1,
            Some("z" | "Z") => 2,
            _ => 3,
        };
        (kind, name)
    }
}

/// Extents or positions in the order in which Python's programs count the axes of such an array.
///
/// A Zarr array has the same shape in NumPy. N5's `dimensions` are reversed by z5py and by
/// zarr-python 2, for the first axis varies fastest in N5's blocks and the last one in NumPy's arrays.
#[must_use]
pub fn numpy_order<T: Clone>(language: Language, values: &[T]) -> Vec<T> {
    match language {
        Language::N5 => values.iter().rev().cloned().collect(),
        Language::Zarr => values.to_vec(),
    }
}
