//! The N5 block header: what a stored block says of itself before its payload; parse and write.
//!
//! Layout, all numbers big-endian: mode (u16), then
//! - mode 0 `default`: ndim (u16), ndim extents (u32);
//! - mode 1 `varlength`: ndim (u16), ndim extents (u32), element count (u32);
//! - mode 2 `object`: element count (u32) and no dimensions, which is what Java writes.

#![deny(clippy::arithmetic_side_effects)]

use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, byte_count};

/// The block modes of N5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An array of the extents in the header.
    Default,
    /// A number of elements that the extents do not tell.
    Varlength,
    /// Serialised objects.
    Object,
}

impl Mode {
    /// The number in the header.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::Default => 0,
            Self::Varlength => 1,
            Self::Object => 2,
        }
    }

    fn from_number(number: u16) -> Result<Self> {
        match number {
            0 => Ok(Self::Default),
            1 => Ok(Self::Varlength),
            2 => Ok(Self::Object),
            _ => Err(Error::new(
                ErrorKind::UnsupportedBlockMode,
                format!("block mode {number} is none that N5 defines (0 default, 1 varlength, 2 object); is this an N5 block?"),
            )
            .at(0)),
        }
    }

    /// The name in the N5 specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Varlength => "varlength",
            Self::Object => "object",
        }
    }
}

/// A parsed header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    mode: Mode,
    extents: &'a [[u8; 4]],
    count: Option<u32>,
    len: usize,
}

impl Header<'_> {
    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The rank; 0 in mode `object`, which has no dimensions.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.extents.len()
    }

    /// The stored extents, first axis first.
    #[must_use]
    pub fn extents(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.extents.iter().map(|extent| u64::from(u32::from_be_bytes(*extent)))
    }

    /// The element count that modes `varlength` and `object` state; in mode `default` the product of the extents.
    ///
    /// # Errors
    /// `LimitExceeded` where the product exceeds 2^64 - 1.
    pub fn element_count(&self) -> Result<u64> {
        match self.count {
            Some(count) => Ok(u64::from(count)),
            None => byte_count(self.extents(), 1).ok_or_else(|| {
                Error::new(
                    ErrorKind::LimitExceeded,
                    "the product of the extents in the block header exceeds 2^64 - 1; the block is damaged",
                )
                .at(EXTENTS_OFFSET)
            }),
        }
    }

    /// Bytes before the payload.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never true: the shortest header has four bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// The largest extent that a header holds.
pub const MAX_EXTENT: u64 = u32::MAX as u64;

/// Where the extents begin in modes `default` and `varlength`.
pub const EXTENTS_OFFSET: u64 = 4;

/// Bytes of the header of a `default` block of this rank.
#[must_use]
pub fn header_len(ndim: usize) -> usize {
    ndim.saturating_mul(4).saturating_add(4)
}

/// Reads the header at the start of `src`, whatever follows it.
///
/// # Errors
/// `EmptyBlock`, `TruncatedBlock`, `UnsupportedBlockMode`.
pub fn parse(src: &[u8]) -> Result<Header<'_>> {
    let (mode, rest) = parse_mode(src)?;
    if mode == Mode::Object {
        let (count, _) = split::<4>(src, rest, "the element count of an object block")?;
        return Ok(Header { mode, extents: &[], count: Some(u32::from_be_bytes(*count)), len: 6 });
    }
    let (ndim, rest) = split::<2>(src, rest, "the number of dimensions")?;
    let ndim = usize::from(u16::from_be_bytes(*ndim));
    let len = header_len(ndim);
    let Some((extents, rest)) = rest.split_at_checked(len.saturating_sub(4)) else {
        return Err(truncated(src, &format!("the {ndim} extents that its header announces")));
    };
    let (extents, _) = extents.as_chunks::<4>();
    if mode == Mode::Default {
        return Ok(Header { mode, extents, count: None, len });
    }
    let (count, _) = split::<4>(src, rest, "the element count of a varlength block")?;
    Ok(Header { mode, extents, count: Some(u32::from_be_bytes(*count)), len: len.saturating_add(4) })
}

/// Reads the header of a `default` block of rank `ndim` and gives its extents and its payload.
///
/// # Errors
/// `EmptyBlock`, `TruncatedBlock`, `UnsupportedBlockMode`, `DimensionMismatch`, `OutOfMemory`.
pub fn parse_default(src: &[u8], ndim: usize) -> Result<(Extents, &[u8])> {
    let (mode, rest) = parse_mode(src)?;
    if mode != Mode::Default {
        return Err(Error::new(
            ErrorKind::UnsupportedBlockMode,
            format!(
                "the block has mode {} ({}); zn5 decodes mode 0 (default): read such a dataset with the program that wrote it",
                mode.number(),
                mode.name()
            ),
        )
        .at(0));
    }
    let (stored_ndim, _) = split::<2>(src, rest, "the number of dimensions")?;
    let stored_ndim = u16::from_be_bytes(*stored_ndim);
    if usize::from(stored_ndim) != ndim {
        return Err(Error::new(
            ErrorKind::DimensionMismatch,
            format!(
                "the block header has {stored_ndim} dimensions and the array has {ndim}; the block belongs to another array or is damaged"
            ),
        )
        .at(2));
    }
    let header = parse(src)?;
    let mut extents = Extents::new();
    extents.try_reserve_exact(ndim).map_err(|_| Error::out_of_memory())?;
    extents.extend(header.extents());
    Ok((extents, src.get(header.len..).unwrap_or_default()))
}

/// Writes the header of a `default` block at the start of `dst` and gives what follows it.
///
/// # Errors
/// `InvalidArgument` where an extent or the rank does not fit the header, `BufferTooSmall`.
pub fn write<'a>(shape: &[u64], dst: &'a mut [MaybeUninit<u8>]) -> Result<&'a mut [MaybeUninit<u8>]> {
    let dst_len = dst.len();
    let Some((header, payload)) = dst.split_at_mut_checked(header_len(shape.len())) else {
        return Err(Error::new(
            ErrorKind::BufferTooSmall,
            format!("the block header has {} bytes and the output buffer {dst_len}", header_len(shape.len())),
        ));
    };
    for (slot, byte) in header.iter_mut().zip(bytes(shape)?) {
        slot.write(byte);
    }
    Ok(payload)
}

/// Appends the header of a `default` block to `block`.
///
/// # Errors
/// `InvalidArgument` as [`write()`]; `OutOfMemory`.
pub fn append(shape: &[u64], block: &mut Vec<u8>) -> Result<()> {
    block.try_reserve(header_len(shape.len())).map_err(|_| Error::out_of_memory())?;
    block.extend(bytes(shape)?);
    Ok(())
}

/// The bytes of the header of a `default` block.
fn bytes(shape: &[u64]) -> Result<impl Iterator<Item = u8> + '_> {
    let ndim = u16::try_from(shape.len()).map_err(|_| {
        Error::new(ErrorKind::InvalidArgument, format!("the shape has {} dimensions; an N5 block holds at most 65535", shape.len()))
    })?;
    if let Some((axis, extent)) = shape.iter().enumerate().find(|&(_, &extent)| u32::try_from(extent).is_err()) {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "the extent {extent} of axis {axis} exceeds {MAX_EXTENT}, the most that the 32 bits of a block header hold; write smaller blocks"
            ),
        ));
    }
    let fixed = Mode::Default.number().to_be_bytes().into_iter().chain(ndim.to_be_bytes());
    Ok(fixed.chain(shape.iter().flat_map(|&extent| u32::try_from(extent).unwrap_or(u32::MAX).to_be_bytes())))
}

fn parse_mode(src: &[u8]) -> Result<(Mode, &[u8])> {
    if src.is_empty() {
        return Err(Error::new(
            ErrorKind::EmptyBlock,
            "the block has 0 bytes: its writer was interrupted, or is still writing; a missing block reads as fill value, an empty one does not",
        )
        .at(0));
    }
    let (number, rest) = split::<2>(src, src, "the block mode")?;
    Ok((Mode::from_number(u16::from_be_bytes(*number))?, rest))
}

fn split<'a, const N: usize>(src: &[u8], rest: &'a [u8], what: &str) -> Result<(&'a [u8; N], &'a [u8])> {
    rest.split_first_chunk::<N>().ok_or_else(|| truncated(src, what))
}

fn truncated(src: &[u8], what: &str) -> Error {
    Error::new(ErrorKind::TruncatedBlock, format!("the block ends after {} bytes, inside {what}", src.len())).at(src.len() as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
        result.unwrap_err().kind()
    }

    #[test]
    fn a_default_header_is_read() {
        let src = [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 9, 9];
        let header = parse(&src).unwrap();
        assert_eq!((header.mode(), header.ndim(), header.len()), (Mode::Default, 2, 12));
        assert_eq!(header.extents().collect::<Vec<_>>(), [3, 2]);
        assert_eq!(header.element_count().unwrap(), 6);
        let (extents, payload) = parse_default(&src, 2).unwrap();
        assert_eq!((&extents[..], payload), (&[3, 2][..], &[9, 9][..]));
    }

    #[test]
    fn policy_13_other_modes_are_recognised_and_not_decoded() {
        let varlength = [0, 1, 0, 1, 0, 0, 0, 6, 0, 0, 0, 6, 1];
        let header = parse(&varlength).unwrap();
        assert_eq!((header.mode(), header.ndim(), header.len()), (Mode::Varlength, 1, 12));
        assert_eq!(header.element_count().unwrap(), 6);
        assert_eq!(kind(parse_default(&varlength, 1)), ErrorKind::UnsupportedBlockMode);

        let object = [0, 2, 0, 0, 0, 62, 0xac];
        let header = parse(&object).unwrap();
        assert_eq!((header.mode(), header.ndim(), header.len()), (Mode::Object, 0, 6));
        assert_eq!(header.element_count().unwrap(), 62);
        let error = parse_default(&object, 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedBlockMode);
        assert!(error.message().contains("mode 2 (object)"), "{error}");

        assert_eq!(kind(parse(&[0, 7, 0, 0])), ErrorKind::UnsupportedBlockMode);
        assert_eq!(kind(parse_default(&[0xff, 0xff, 0, 0], 0)), ErrorKind::UnsupportedBlockMode);
    }

    #[test]
    fn policy_14_another_rank_is_refused_before_the_extents_are_read() {
        let src = [0, 0, 0xff, 0xff, 0, 0];
        let error = parse_default(&src, 2).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::DimensionMismatch, Some(2)));
        assert_eq!(kind(parse(&src)), ErrorKind::TruncatedBlock);
    }

    #[test]
    fn policy_02_and_05_short_blocks_have_their_codes() {
        let src = [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2];
        assert_eq!(kind(parse(&[])), ErrorKind::EmptyBlock);
        for len in 1..src.len() {
            let error = parse(&src[..len]).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::TruncatedBlock, Some(len as u64)));
            assert_eq!(kind(parse_default(&src[..len], 2)), ErrorKind::TruncatedBlock);
        }
        for len in 1..6 {
            assert_eq!(kind(parse(&[0, 2, 0, 0, 0, 1][..len])), ErrorKind::TruncatedBlock);
        }
    }

    #[test]
    fn element_counts_do_not_wrap() {
        let mut src = vec![0, 0, 0, 3];
        src.extend([0xff; 12]);
        assert_eq!(kind(parse(&src).unwrap().element_count()), ErrorKind::LimitExceeded);
        src[4..8].fill(0);
        assert_eq!(parse(&src).unwrap().element_count().unwrap(), 0);
    }

    #[test]
    fn what_is_written_is_read() {
        let header: Vec<u8> = bytes(&[3, 0x0102_0304]).unwrap().collect();
        assert_eq!(header, [0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4]);
        assert_eq!(parse(&header).unwrap().extents().collect::<Vec<_>>(), [3, 0x0102_0304]);
        let mut block = vec![7];
        append(&[3, 0x0102_0304], &mut block).unwrap();
        assert_eq!(block[1..], header);

        let mut dst = [MaybeUninit::new(0); 13];
        assert_eq!(write(&[3, 2], &mut dst).unwrap().len(), 1);
        assert_eq!(kind(write(&[1, 1 << 32], &mut dst)), ErrorKind::InvalidArgument);
        assert_eq!(kind(write(&[1, 1, 1], &mut dst)), ErrorKind::BufferTooSmall);
        assert_eq!(kind(bytes(&vec![1; 65536]).map(Iterator::count)), ErrorKind::InvalidArgument);
    }
}
