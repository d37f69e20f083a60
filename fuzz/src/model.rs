//! Arrays one element at a time: the model that zn5's copies are compared with.
//!
//! Slow and obvious: positions are sums over all axes, in 128 bits.

/// The number of elements.
pub fn count(extents: &[u64]) -> u64 {
    extents.iter().try_fold(1_u64, |count, &extent| count.checked_mul(extent)).unwrap_or(u64::MAX)
}

/// All index tuples, the last axis fastest.
pub fn indices(extents: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![];
    if extents.contains(&0) {
        return all;
    }
    let mut index = vec![0; extents.len()];
    loop {
        all.push(index.clone());
        let Some(axis) = (0..extents.len()).rev().find(|&axis| index[axis] + 1 < extents[axis]) else {
            return all;
        };
        index[axis] += 1;
        index[axis + 1..].fill(0);
    }
}

/// Which element of a gap-free array this is.
pub fn number(index: &[u64], extents: &[u64], f_order: bool) -> usize {
    let step = |number: u64, (&index, &extent): (&u64, &u64)| number * extent + index;
    let axes = index.iter().zip(extents);
    usize::try_from(if f_order { axes.rev().fold(0, step) } else { axes.fold(0, step) }).unwrap()
}

/// The byte where an element begins.
pub fn position(index: &[u64], origin: usize, strides: &[isize]) -> i128 {
    index.iter().zip(strides).fold(origin as i128, |at, (&index, &stride)| at + i128::from(index) * stride as i128)
}

/// One element of a gap-free array.
pub fn element<'a>(array: &'a [u8], index: &[u64], extents: &[u64], f_order: bool, size: usize) -> &'a [u8] {
    &array[number(index, extents, f_order) * size..][..size]
}

/// Strides with `gap` bytes between elements and rows, axes in `flips` backwards; the origin and the image's length come along.
pub fn spread(extents: &[u64], size: usize, f_order: bool, gap: usize, flips: u32) -> (Vec<isize>, usize, usize) {
    let mut strides = vec![0; extents.len()];
    let mut step = size + gap;
    let mut origin = 0;
    let axes: Vec<usize> = if f_order { (0..extents.len()).collect() } else { (0..extents.len()).rev().collect() };
    for axis in axes {
        let extent = usize::try_from(extents[axis]).unwrap();
        strides[axis] = isize::try_from(step).unwrap();
        if flips >> axis & 1 == 1 {
            strides[axis] = -strides[axis];
            origin += step * extent.saturating_sub(1);
        }
        step = step * extent.max(1) + gap;
    }
    (strides, origin, step)
}
