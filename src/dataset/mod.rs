//! Arrays in a store: open, create, read and write regions, verify; and the nodes around them: listing, groups, attributes.
//!
//! A region is cut by the grid of blocks. Each block is decoded straight into its part of the destination, or encoded from its part of
//! the source, by as many threads as the call asks for; a thread keeps no more than a few blocks in memory.

#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects)]

mod blocks;
mod cells;
mod document;
mod grid;
mod hierarchy;
mod locks;
mod nodes;
mod parts;
mod read;
mod stored;
mod verify;
mod workers;
mod write;

use std::sync::Arc;

use crate::codec::{Codec, Pool};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{self, ArrayNode, KeyEncoding, Language, Node};
use crate::model::{Chain, CodecOptions, Extents};
use crate::store::{self, Store};

use document::{Document, Found, named, printable, shown};
use grid::Grid;
use locks::Locks;

pub use blocks::Surveyed;
pub use cells::{Cells, first_missing};
pub use hierarchy::ensure_n5_version;
pub use nodes::{NodeKind, create_group, get_attributes, get_attributes_as_json, list_names, list_nodes, node_language, set_attributes};
pub use parts::{Part, Region};
pub use stored::Stored;
pub use verify::{Problem, Subject};
pub use workers::Progress;

/// How regions are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoOptions {
    /// Threads of the call, the calling one among them; 0 is as many as cores.
    pub threads: usize,
    /// Whether a block of 0 bytes is taken for a missing one.
    pub empty_as_missing: bool,
    /// Whether blocks that hold nothing but the fill value are stored like others.
    pub write_fill: bool,
    /// Whether blocks at the array's edge are stored with the extents of a whole chunk.
    pub pad_edges: bool,
    /// Whether a region of many blocks is read by what the store lists, so that missing blocks cost
    /// no more than filling them. A block that is stored meanwhile may then be missed, and so may
    /// one that the medium does not list yet.
    pub by_listing: bool,
}

/// One array in a store; used by any number of threads at once.
pub struct Dataset {
    store: Arc<dyn Store>,
    path: String,
    metadata: String,
    language: Language,
    codec: Arc<Codec>,
    /// The codec with the fill value of the metadata, whatever the caller's is: what is stored never depends on that.
    storing: Arc<Codec>,
    grid: Grid,
    keys: KeyEncoding,
    bounded_edges: bool,
    scratches: Pool<workers::Scratch>,
    locks: Locks,
}

impl Dataset {
    /// The array at `path`: of attributes.json if that describes an array, else of zarr.json.
    ///
    /// # Errors
    /// `NotFound`; `NotAnArray` for a group; those of the metadata, whose messages begin with the
    /// key; `UnsupportedCodec` for an array of Zarr's version 2; those of the store;
    /// `InvalidArgument` for the path and the options.
    pub fn open(store: Arc<dyn Store>, path: &str, options: CodecOptions) -> Result<Self> {
        let path = store::normalise_path(path)?;
        let place = shown(&path);
        let group = |what: &str| Error::new(ErrorKind::NotAnArray, format!("{what}; open one of the arrays below {place}"));
        match document::find(&*store, &path)? {
            Found::Document(Document { key, language, text, node }) => match node? {
                Node::Array(array) => Self::new(store, path, (&key, text), language, *array, options),
                Node::Group => Err(group(&format!("{} describes a group", printable(&key)))),
            },
            Found::Version2(found) if found.is_array => Err(found.unsupported()),
            Found::Version2(found) => Err(group(&format!("{} describes a group of Zarr version 2", printable(&found.key)))),
            Found::Nothing if document::is_folder(&*store, &path)? => {
                Err(group(&format!("{place} has neither attributes.json nor zarr.json, so it is a group")))
            }
            Found::Nothing => {
                Err(Error::new(ErrorKind::NotFound, format!("nothing is stored at {place}; check the path and the store's root")))
            }
        }
    }

    /// Stores the metadata of a new array, attributes.json or zarr.json, and opens it. The document
    /// is stored as it is given, but that an attributes.json at the root is given the version of N5
    /// if it has none. What reading forgives in it, as a slip in the parameters of the compression,
    /// is refused.
    ///
    /// An array of N5 gives the root a version beside its other attributes if that has none. For
    /// one of Zarr the groups above are made that are missing. Both only where the container is of
    /// that language, or of none yet.
    ///
    /// # Errors
    /// `AlreadyExists` if there is a document at `path`; `ReadOnly`; `NotAnArray` and others of the metadata; those of the store.
    pub fn create(store: Arc<dyn Store>, path: &str, metadata_json: &[u8], options: CodecOptions) -> Result<Self> {
        let path = store::normalise_path(path)?;
        let (language, array) = metadata::new_array(metadata_json).map_err(|error| error.about("metadata_json"))?;
        let with_version = match language {
            Language::N5 if path.is_empty() => metadata::with_n5_version(metadata_json, None)?,
            _ => None,
        };
        let text = if let Some(text) = with_version {
            text.into_bytes()
        } else {
            let mut text = crate::model::try_vec(metadata_json.len())?;
            text.extend_from_slice(metadata_json);
            text
        };
        let key = document::key(&path, language);
        let dataset = Self::new(store, path, (&key, text), language, array, options)?;
        if let Some(existing) = document::find(&*dataset.store, &dataset.path)?.key()
            && dataset.store.holds(existing)?
        {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!("{} exists; choose another path, or remove what is there", printable(existing)),
            ));
        }
        hierarchy::prepare(&*dataset.store, &dataset.path, language)?;
        dataset.store.set(&key, dataset.metadata.as_bytes())?;
        Ok(dataset)
    }

    fn new(
        store: Arc<dyn Store>,
        path: String,
        (key, text): (&str, Vec<u8>),
        language: Language,
        array: ArrayNode,
        mut options: CodecOptions,
    ) -> Result<Self> {
        let ArrayNode { settings, keys, bounded_edges } = array;
        let metadata =
            String::from_utf8(text).map_err(|_| Error::new(ErrorKind::InvalidJson, format!("{} is not UTF-8", printable(key))))?;
        let shape = settings.array_shape.as_deref().ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("{} describes an array without its shape; please report this with the document", printable(key)),
            )
        })?;
        let grid = Grid::new(shape, &settings.chunk_shape)?;
        let other_fill = options.fill_value.as_ref().is_some_and(|fill_value| *fill_value != settings.fill_value);
        let (codec, storing) = if other_fill {
            let codec = Codec::new(settings.clone(), options.clone())?;
            options.fill_value = None;
            (Arc::new(codec), Arc::new(Codec::new(settings, options)?))
        } else {
            let codec = Arc::new(Codec::new(settings, options)?);
            (Arc::clone(&codec), codec)
        };
        let (scratches, locks) = (Pool::new(), Locks::new()?);
        Ok(Self { store, path, metadata, language, codec, storing, grid, keys, bounded_edges, scratches, locks })
    }

    /// The codec of the blocks; its fill value is the caller's where one was given.
    #[must_use]
    pub fn codec(&self) -> &Arc<Codec> {
        &self.codec
    }

    /// The shape of the array.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.grid.shape()
    }

    /// The metadata document as it was stored when the dataset was opened.
    #[must_use]
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The language of [`Self::metadata`].
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Zarr's `dimension_names`, one an axis; empty where the document has none.
    #[must_use]
    pub fn dimension_names(&self) -> Vec<Option<String>> {
        match self.language {
            Language::N5 => Vec::new(),
            // Opening has read the document already, and refuses names that are none.
            Language::Zarr => metadata::dimension_names(self.metadata.as_bytes()).unwrap_or_default(),
        }
    }

    /// The path in the store, without '/' before and behind.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Blocks along each axis, edge blocks included.
    #[must_use]
    pub fn block_grid(&self) -> Vec<u64> {
        self.grid.counts().collect()
    }

    /// The key of the block at this position.
    #[must_use]
    pub fn block_key(&self, position: &[u64]) -> String {
        store::join(&self.path, &self.keys.key(position))
    }

    fn is_plain(&self) -> bool {
        matches!(self.codec.settings().chain, Chain::Plain { .. })
    }

    /// The extents of what a plain chain stores at this position; N5 blocks tell their own.
    fn stored_extents(&self, position: &[u64]) -> Result<Extents> {
        if self.is_plain() && self.bounded_edges { self.grid.inside(position) } else { grid::copied(self.grid.chunk()) }
    }

    /// The error of one block.
    fn of_block(key: &str, error: &Error) -> Error {
        named(key, error)
    }
}
