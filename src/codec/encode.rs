//! From a box of the caller's memory to a stored block: one pass into payload order, then compression behind the header.
//!
//! The result never depends on the length of the output buffer: below the worst case, the block is made elsewhere and copied.

use std::mem::MaybeUninit;

use super::pool::Workspace;
use super::{Codec, DEFAULT_MAX_DECODED_BYTES};
use crate::array::{self, Element, Source};
use crate::block;
use crate::compress;
use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{Chain, byte_count};

impl Codec {
    /// The most bytes that a block of `shape` encodes to.
    ///
    /// # Errors
    /// `InvalidArgument` where an N5 block cannot have the shape or its compressor cannot take as much, `LimitExceeded`.
    pub fn encode_bound(&self, shape: &[u64]) -> Result<u64> {
        self.bound(shape).map(|(_, bound)| bound as u64)
    }

    /// Encodes `source`, whose extents are the block's, at the start of `dst` and tells how many bytes that took.
    ///
    /// # Errors
    /// Those of [`Self::encode_bound`]; `BufferTooSmall`, naming the size it takes; `OutOfMemory`.
    pub fn encode(&self, source: &Source<'_>, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
        let (len, bound) = self.bound(source.extents())?;
        if let Some(dst) = dst.get_mut(..bound) {
            return self.pool.with(|workspace| self.encode_into(source, len, dst, workspace));
        }
        self.pool.with(|workspace| {
            let mut block = std::mem::take(&mut workspace.staging);
            let result = self.encode_aside(source, (len, bound), dst, &mut block, workspace);
            workspace.staging = block;
            result
        })
    }

    /// Encodes `source`, whose extents are the block's, into `block`, whose content it replaces. The bytes are those of [`Self::encode`].
    ///
    /// # Errors
    /// As [`Self::encode`], but for `BufferTooSmall`.
    pub fn encode_to(&self, source: &Source<'_>, block: &mut Vec<u8>) -> Result<()> {
        self.bound(source.extents())?;
        block.clear();
        if matches!(self.settings.chain, Chain::N5 { .. }) {
            block::append(source.extents(), block)?;
        }
        self.pool.with(|workspace| self.append_payload(source, block, workspace))
    }

    /// Appends the payload of `source` to `block`.
    fn append_payload(&self, source: &Source<'_>, block: &mut Vec<u8>, workspace: &mut Workspace) -> Result<()> {
        let (endian, order) = self.stored();
        let element = Element::new(self.settings.data_type, endian);
        let Some((&outermost, inner)) = self.compressors().split_last() else {
            return array::gather_behind(source, block, order, element);
        };
        let Workspace { compress: contexts, payload, staging } = workspace;
        let mut bytes = match source.as_contiguous(order) {
            Some(bytes) if !element.swaps() => bytes,
            _ => {
                array::gather_to(source, payload, order, element)?;
                &*payload
            }
        };
        // Only plain chains have a second compressor.
        let mut between = Vec::new();
        for &compressor in inner {
            compress::encode_to(compressor, bytes, self.element_size(), staging, contexts)?;
            std::mem::swap(&mut between, staging);
            bytes = &between;
        }
        compress::encode_behind(outermost, bytes, self.element_size(), block, contexts)?;
        if !inner.is_empty() {
            // For the next block.
            *staging = between;
        }
        Ok(())
    }

    fn encode_aside(
        &self,
        source: &Source<'_>,
        (len, bound): (usize, usize),
        dst: &mut [MaybeUninit<u8>],
        block: &mut Vec<u8>,
        workspace: &mut Workspace,
    ) -> Result<usize> {
        let too_small = |needed: usize, dst_len: usize| {
            Error::new(
                ErrorKind::BufferTooSmall,
                format!("the encoded block has {needed} bytes and the output buffer {dst_len}; zn5_codec_encode_bound bytes always do"),
            )
        };
        if self.compressors().is_empty() {
            return Err(too_small(bound, dst.len()));
        }
        block.clear();
        block.try_reserve_exact(bound).map_err(|_| Error::out_of_memory())?;
        let room = block.spare_capacity_mut();
        let written = self.encode_into(source, len, room, workspace)?;
        let dst_len = dst.len();
        let Some(dst) = dst.get_mut(..written) else { return Err(too_small(written, dst_len)) };
        let room = block.spare_capacity_mut();
        if let Some(encoded) = room.get(..written) {
            dst.copy_from_slice(encoded);
        }
        Ok(written)
    }

    /// Encodes into `dst`, which has room for the worst case.
    fn encode_into(&self, source: &Source<'_>, len: usize, dst: &mut [MaybeUninit<u8>], workspace: &mut Workspace) -> Result<usize> {
        let (endian, order) = self.stored();
        let element = Element::new(self.settings.data_type, endian);
        let element_size = self.element_size();
        let (header_len, room) = match &self.settings.chain {
            Chain::N5 { .. } => (block::header_len(self.ndim()), block::write(source.extents(), dst)?),
            Chain::Plain { .. } => (0, dst),
        };
        let Workspace { compress: contexts, payload, staging } = workspace;
        let compressors = self.compressors();
        let Some((&innermost, outer)) = compressors.split_first() else {
            let room = room.get_mut(..len).ok_or_else(internal_bound)?;
            array::gather(source, room, order, element)?;
            return Ok(header_len.saturating_add(len));
        };
        let gathered = match source.as_contiguous(order) {
            Some(bytes) if !element.swaps() => bytes,
            _ => {
                array::gather_to(source, payload, order, element)?;
                payload
            }
        };
        if outer.is_empty() {
            let written = compress::encode(innermost, gathered, element_size, room, contexts)?;
            return Ok(header_len.saturating_add(written));
        }
        // Only plain chains have a second compressor; its input is made in `staging`, and so on in turn.
        let mut current = Vec::new();
        compress::encode_to(innermost, gathered, element_size, &mut current, contexts)?;
        for &compressor in outer {
            compress::encode_to(compressor, &current, element_size, staging, contexts)?;
            std::mem::swap(&mut current, staging);
        }
        let room = room.get_mut(..current.len()).ok_or_else(internal_bound)?;
        for (slot, &byte) in room.iter_mut().zip(&current) {
            slot.write(byte);
        }
        Ok(header_len.saturating_add(current.len()))
    }

    /// Decoded bytes and the most encoded bytes of a block of `shape`.
    fn bound(&self, shape: &[u64]) -> Result<(usize, usize)> {
        let is_n5 = matches!(self.settings.chain, Chain::N5 { .. });
        let largest = if is_n5 { block::MAX_EXTENT } else { u64::MAX };
        if let Some((axis, extent)) = shape.iter().enumerate().find(|&(_, &extent)| extent == 0 || extent > largest) {
            let format = if is_n5 { "the header of an N5 block holds" } else { "chunks have" };
            let message = format!("the extent of axis {axis} is {extent}; {format} extents from 1 to {largest}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if self.options.strict
            && let Some(axis) = self.exceeds_chunk(shape)
        {
            return Err(Error::new(
                ErrorKind::InvalidBlockShape,
                format!(
                    "the block would have extents {} and the chunk shape is {}: axis {axis} is larger, which the strict flag forbids",
                    listed(shape),
                    listed(&self.settings.chunk_shape)
                ),
            ));
        }
        let header_len = if is_n5 { block::header_len(self.ndim()) } else { 0 };
        // Java holds a block of N5 in one array. Who sets a limit says what else is to read it.
        let (limit, java) = match self.options.max_decoded_bytes {
            Some(limit) => (limit, ""),
            None if is_n5 => (DEFAULT_MAX_DECODED_BYTES.saturating_sub(header_len as u64), ", which is what Java can read"),
            None => (DEFAULT_MAX_DECODED_BYTES, ""),
        };
        let len = byte_count(shape.iter().copied(), self.element_size());
        let len = len.filter(|&len| len <= limit).ok_or_else(|| {
            Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "a block of shape {} and {} bytes an element exceeds the limit of {limit} bytes{java}; write smaller blocks, or \
                     raise max_decoded_bytes",
                    listed(shape),
                    self.element_size()
                ),
            )
        })?;
        let len = usize::try_from(len).map_err(|_| Error::out_of_memory())?;
        let mut bound = len;
        for &compressor in self.compressors() {
            bound = compress::encode_bound(compressor, bound).ok_or_else(|| compress::too_large(compressor, bound))?;
        }
        let bound = header_len.checked_add(bound).ok_or_else(Error::out_of_memory)?;
        Ok((len, bound))
    }
}

/// A compressor that writes more than the worst case it announced is a fault of zn5.
fn internal_bound() -> Error {
    Error::new(ErrorKind::Internal, "an encoded payload exceeds its own bound; please report this with the array's metadata")
}
