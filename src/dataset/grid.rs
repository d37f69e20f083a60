//! The grid of an array: how many blocks it has, where each lies, and how far it reaches.
//!
//! Extents go up to 2^64 - 1, and nobody may enumerate such a grid: everything here follows from one position at a time.

use crate::error::{Error, ErrorKind, Result};
use crate::model::Extents;

/// A regular grid over an array.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    shape: Extents,
    chunk: Extents,
}

impl Grid {
    /// The grid of chunks of `chunk` over an array of `shape`; both have the same rank, and no chunk extent is 0.
    pub(super) fn new(shape: &[u64], chunk: &[u64]) -> Result<Self> {
        if shape.len() != chunk.len() || chunk.contains(&0) {
            return Err(Error::new(ErrorKind::Internal, format!("a grid of {chunk:?} over {shape:?}; please report this")));
        }
        Ok(Self { shape: copied(shape)?, chunk: copied(chunk)? })
    }

    pub(super) fn shape(&self) -> &[u64] {
        &self.shape
    }

    pub(super) fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// Blocks along each axis.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.shape.iter().zip(&self.chunk).map(|(&extent, &chunk)| extent.div_ceil(chunk))
    }

    /// Whether a block of this position belongs to the array.
    pub(super) fn contains(&self, position: &[u64]) -> bool {
        position.len() == self.shape.len() && position.iter().zip(self.counts()).all(|(&index, count)| index < count)
    }

    /// The extents of the part of the chunk that lies inside the array.
    pub(super) fn inside(&self, position: &[u64]) -> Result<Extents> {
        let mut extents = copied(&self.chunk)?;
        for ((extent, &index), &whole) in extents.iter_mut().zip(position).zip(&self.shape) {
            *extent = whole.saturating_sub(index.saturating_mul(*extent)).min(*extent);
        }
        Ok(extents)
    }

    /// Refuses a region that does not lie inside the array.
    pub(super) fn check_region(&self, offset: &[u64], extents: &[u64]) -> Result<()> {
        let ndim = self.shape.len();
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidArgument, message));
        if offset.len() != ndim || extents.len() != ndim {
            return invalid(format!(
                "the region has an offset of {} numbers and {} extents; the array has {ndim} dimensions",
                offset.len(),
                extents.len()
            ));
        }
        for (axis, ((&offset, &extent), &whole)) in offset.iter().zip(extents).zip(&self.shape).enumerate() {
            if offset.checked_add(extent).is_none_or(|end| end > whole) {
                return invalid(format!(
                    "the region of axis {axis}, offset {offset} and extent {extent}, leaves the array, whose extent is {whole}"
                ));
            }
        }
        Ok(())
    }
}

/// A copy whose allocation may fail.
pub(super) fn copied(extents: &[u64]) -> Result<Extents> {
    let mut copy = Extents::new();
    copy.try_reserve_exact(extents.len()).map_err(|_| Error::out_of_memory())?;
    copy.extend_from_slice(extents);
    Ok(copy)
}

/// As many zeros as an array of rank `ndim` needs.
pub(super) fn zeros(ndim: usize) -> Result<Extents> {
    let mut zeros = Extents::new();
    zeros.try_reserve_exact(ndim).map_err(|_| Error::out_of_memory())?;
    zeros.resize(ndim, 0);
    Ok(zeros)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_cut_and_counts_rounded_up() {
        let grid = Grid::new(&[7, 8, 0], &[4, 4, 4]).unwrap();
        assert_eq!(grid.counts().collect::<Vec<_>>(), [2, 2, 0]);
        assert_eq!(grid.inside(&[1, 1, 0]).unwrap()[..], [3, 4, 0]);
        assert!(!grid.contains(&[0, 0, 0]));
        let grid = Grid::new(&[7, 8], &[4, 9]).unwrap();
        assert!(grid.contains(&[1, 0]) && !grid.contains(&[2, 0]) && !grid.contains(&[0, 1]) && !grid.contains(&[0]));
        assert!(Grid::new(&[], &[]).unwrap().contains(&[]));
    }

    #[test]
    fn the_largest_array_is_no_trouble() {
        let grid = Grid::new(&[u64::MAX, i64::MAX.unsigned_abs()], &[1, 1 << 31]).unwrap();
        assert_eq!(grid.counts().collect::<Vec<_>>(), [u64::MAX, 1 << 32]);
        assert!(grid.contains(&[u64::MAX - 1, (1 << 32) - 1]) && !grid.contains(&[u64::MAX, 0]));
        assert_eq!(grid.inside(&[u64::MAX - 1, (1 << 32) - 1]).unwrap()[..], [1, (1 << 31) - 1]);
        assert!(grid.check_region(&[u64::MAX - 1, 5], &[1, 0]).is_ok());
        for (offset, extents, axis) in [([u64::MAX, 0], [1, 1], "axis 0"), ([0, u64::MAX], [1, u64::MAX], "axis 1")] {
            let error = grid.check_region(&offset, &extents).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains(axis), "{error}");
        }
        assert!(grid.check_region(&[0], &[1]).is_err());
    }
}
