//! From a path on the command line to a container or a dataset, and reading regions of it.
//!
//! The folder that the user names is the root; whatever lies above it is only looked at for inherited attributes and for advice.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use zn5::array::Destination;
use zn5::dataset::{self, Cells, Dataset, IoOptions, NodeKind};
use zn5::error::{Error, ErrorKind};
use zn5::image::Axes;
use zn5::model::{CodecOptions, Order, byte_count, try_vec};
use zn5::store::{Directory, Options, Store};

use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::progress::Progress;
use crate::regions::{Joined, Region};
use crate::spatial;
use crate::values::Elements;

/// How far above a folder attributes are inherited from.
const ANCESTORS: usize = 4;

/// Folders that are looked into for advice, which is no reason to read a whole disk.
const ADVISED_FOLDERS: usize = 1000;

/// A folder that is open.
pub(crate) struct Container {
    /// Its content.
    pub(crate) store: Arc<dyn Store>,
    /// Where it is.
    pub(crate) root: PathBuf,
    /// As the user wrote it.
    pub(crate) shown: String,
    /// Attributes of the groups above it, nearest first.
    pub(crate) above: Vec<Value>,
    /// Names from the outermost of these groups down to the folder.
    pub(crate) names: String,
}

impl Container {
    /// Opens a folder for reading.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::with(path, Options { write: false, create: false })
    }

    /// Opens a folder for writing.
    pub(crate) fn writable(path: &Path, create: bool) -> Result<Self> {
        Self::with(path, Options { write: true, create })
    }

    fn with(path: &Path, options: Options) -> Result<Self> {
        let path = &*local(path)?;
        if path.is_file() {
            let advice = if path.file_name().is_some_and(|name| name == "attributes.json" || name == "zarr.json") {
                "give the folder that holds it"
            } else {
                "give a folder; `zn5 block` explains one block file"
            };
            return Err(Failure::usage(format!("{}: is a file; {advice}", path.display())));
        }
        let directory = Directory::open(path, options).map_err(|error| {
            let text = format!("{}: {}", path.display(), error.message());
            if error.kind() == ErrorKind::NotFound {
                Failure::Message {
                    exit: crate::failure::Exit::Io,
                    message: format!("{}: there is no such folder; check the path", path.display()),
                }
            } else {
                Failure::Message { exit: crate::failure::Exit::of(error.kind()), message: text }
            }
        })?;
        let (above, names) = if options.create { (Vec::new(), String::new()) } else { surroundings(path) };
        let root = directory.root().to_owned();
        Ok(Self { store: Arc::new(directory), root, shown: shown(path), above, names })
    }

    /// Whether the folder lies in one that N5 describes, so that it is no container's root.
    pub(crate) fn is_inside_n5(&self) -> bool {
        let folder = self.root.canonicalize().ok();
        folder.is_some_and(|folder| folder.parent().is_some_and(|parent| parent.join("attributes.json").is_file()))
    }

    /// A path below the folder as the user would write it.
    pub(crate) fn place(&self, path: &str) -> String {
        if path.is_empty() {
            self.shown.clone()
        } else if self.shown.ends_with('/') {
            format!("{}{path}", self.shown)
        } else {
            format!("{}/{path}", self.shown)
        }
    }

    /// A path below the folder from the outermost known group on.
    pub(crate) fn full_path(&self, path: &str) -> String {
        [self.names.as_str(), path].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// The user's attributes at a path; empty where they cannot be read, which opening the node reports.
    pub(crate) fn attributes(&self, path: &str) -> Value {
        attributes_of(&self.store, path).unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }

    /// Attributes of the groups around the node at a path, the nearest first.
    pub(crate) fn groups(&self, path: &str) -> Vec<Value> {
        let mut groups = Vec::new();
        let mut path = path;
        while !path.is_empty() {
            path = path.rsplit_once('/').map_or("", |(group, _)| group);
            groups.push(self.attributes(path));
        }
        groups.extend(self.above.iter().cloned());
        groups
    }

    /// What is known of the axes of the array at a path.
    pub(crate) fn axes(&self, path: &str, dataset: &Dataset) -> Axes {
        let (attributes, groups) = (self.attributes(path), self.groups(path));
        let groups: Vec<&Value> = groups.iter().collect();
        spatial::axes(dataset, &self.full_path(path), &attributes, &groups)
    }

    /// The array at a path.
    pub(crate) fn dataset(&self, path: &str) -> std::result::Result<Dataset, Error> {
        Dataset::open(Arc::clone(&self.store), path, CodecOptions::default())
    }

    /// The array that the folder is, or advice what to give instead.
    pub(crate) fn array(&self) -> Result<Dataset> {
        self.dataset("").map_err(|error| match error.kind() {
            ErrorKind::NotAnArray | ErrorKind::NotFound => self.no_array(),
            _ => Failure::at(&self.shown, &error),
        })
    }

    fn no_array(&self) -> Failure {
        if let Some(array) = self.array_around() {
            return Failure::usage(format!("{}: is a folder of blocks inside the array {}; give that", self.shown, array.display()));
        }
        let mut found = Vec::new();
        let mut folders = ADVISED_FOLDERS;
        self.find_arrays("", 4, &mut folders, &mut found);
        let advice = match found.as_slice() {
            [] => "no array lies below it".to_owned(),
            [one] => format!("give its array: {}", self.place(one)),
            [first, second, rest @ ..] => {
                let more = match rest.len() {
                    0 => String::new(),
                    _ if folders == 0 => " and more; `zn5 ls -r` lists them".to_owned(),
                    count => format!(" and {count} more; `zn5 ls -r` lists them"),
                };
                format!("give one of its arrays: {}, {}{more}", self.place(first), self.place(second))
            }
        };
        Failure::usage(format!("{}: is a group, not an array; {advice}", self.shown))
    }

    fn find_arrays(&self, path: &str, depth: usize, folders: &mut usize, found: &mut Vec<String>) {
        if *folders == 0 || interrupt::requested() {
            return;
        }
        *folders -= 1;
        let mut groups = Vec::new();
        // What cannot be listed has nothing to advise.
        let _ = dataset::list_nodes(&self.store, path, &mut |name, kind| {
            let below = zn5::store::join(path, name);
            match kind {
                NodeKind::Array => found.push(below),
                NodeKind::Group => groups.push(below),
                NodeKind::Unsupported => {}
            }
            Ok(())
        });
        if depth > 0 {
            for group in groups {
                self.find_arrays(&group, depth - 1, folders, found);
            }
        }
    }

    /// The array whose block folder this folder is.
    fn array_around(&self) -> Option<PathBuf> {
        let folder = Path::new(&self.shown).canonicalize().ok()?;
        let inside = |folder: &Path| {
            folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name == "c" || name.parse::<u64>().is_ok())
        };
        let mut here = folder.as_path();
        while inside(here) {
            here = here.parent()?;
            let directory = Directory::open(here, Options::default()).ok()?;
            if Dataset::open(Arc::new(directory), "", CodecOptions::default()).is_ok() {
                return Some(here.to_owned());
            }
        }
        None
    }
}

/// The path that the user means, who may write an address, as file:///data.
pub(crate) fn local(path: &Path) -> Result<Cow<'_, Path>> {
    zn5::store::local_path(path).map_err(|error| Failure::usage(error.message()))
}

/// The user's attributes as JSON; `None` where they cannot be read.
fn attributes_of(store: &Arc<dyn Store>, path: &str) -> Option<Value> {
    let text = dataset::get_attributes_as_json(store, path).ok()?;
    serde_json::from_str(&text).ok().or_else(|| member_by_member(&text))
}

/// An object one of whose members holds what no value here can, such as 1e999: that member is told as
/// its text, and hides no other.
fn member_by_member(text: &str) -> Option<Value> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()));
    Some(Value::Object(members.into_iter().map(|(name, raw)| (name, value(raw))).collect()))
}

/// A path for messages, without the slash at its end.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    match text.trim_end_matches('/') {
        "" => text,
        trimmed => trimmed.to_owned(),
    }
}

/// Attributes of the folders above that have some, nearest first, and the names from there down.
fn surroundings(path: &Path) -> (Vec<Value>, String) {
    let Ok(path) = path.canonicalize() else { return (Vec::new(), String::new()) };
    let mut above = Vec::new();
    let mut names = Vec::new();
    let mut here = path.as_path();
    for _ in 0..ANCESTORS {
        let (Some(parent), Some(name)) = (here.parent(), here.file_name().and_then(|name| name.to_str())) else { break };
        if !["attributes.json", "zarr.json"].iter().any(|file| parent.join(file).is_file()) {
            break;
        }
        let Ok(directory) = Directory::open(parent, Options::default()) else { break };
        let store: Arc<dyn Store> = Arc::new(directory);
        above.push(attributes_of(&store, "").unwrap_or(Value::Null));
        names.push(name.to_owned());
        here = parent;
    }
    names.reverse();
    (above, names.join("/"))
}

/// An array with what reading it takes.
pub(crate) struct Reader<'a> {
    /// The array.
    pub(crate) dataset: &'a Dataset,
    /// What messages call it.
    pub(crate) place: String,
    /// Threads.
    pub(crate) jobs: usize,
}

impl Reader<'_> {
    /// Bytes of one element.
    pub(crate) fn element_size(&self) -> usize {
        self.dataset.codec().element_size()
    }

    /// Reads a region.
    pub(crate) fn read(&self, region: &Region, progress: &mut Progress) -> Result<Elements> {
        let failed = |error: &Error| Failure::at(&self.place, error);
        let size = self.element_size();
        let bytes = byte_count(region.extent.iter().copied(), size).and_then(|bytes| usize::try_from(bytes).ok());
        let Some(bytes) = bytes else {
            return Err(Failure::usage(format!(
                "{}: the region {} is larger than memory can be; choose a smaller one with --region",
                self.place,
                region.text()
            )));
        };
        let mut elements = try_vec(bytes).map_err(|error| failed(&error))?;
        elements.resize(bytes, 0);
        let destination = Destination::over(&mut elements, &region.extent, size, Order::F).map_err(|error| failed(&error))?;
        let read = self.dataset.read(&region.offset, destination, &self.io(), Some(&mut |done, total| progress.engine(done, total)));
        progress.call_done();
        read.map_err(|error| failed(&error))?;
        Ok(Elements { data_type: self.dataset.codec().settings().data_type, bytes: elements })
    }

    /// Calls `visit` with what is stored of a region, block by block. All the rest has the fill
    /// value.
    pub(crate) fn read_stored(&self, region: &Region, progress: &mut Progress, mut visit: impl FnMut(&Region, &[u8])) -> Result<()> {
        let engine = region.to_engine().map_err(|error| Failure::at(&self.place, &error))?;
        let report = &mut |done, total| progress.engine(done, total);
        let read = self.dataset.read_stored((&engine, Order::F), &self.io(), Some(report), &mut |part| {
            visit(&Region::of_engine(part.region), part.elements);
            Ok(())
        });
        progress.call_done();
        read.map_err(|error| Failure::at(&self.place, &error))
    }

    /// Reads boxes one after another into `bytes`, which grow as needed. They count as `weight`
    /// calls of the bar.
    pub(crate) fn read_boxes(
        &self,
        boxes: &[dataset::Region],
        bytes: &mut Vec<u8>,
        (progress, weight): (&mut Progress, u64),
    ) -> Result<()> {
        let failed = |error: &Error| Failure::at(&self.place, error);
        let size = self.element_size();
        let mut sizes = boxes.iter().map(|region| byte_count(region.extents.iter().copied(), size));
        let wanted = sizes.try_fold(0_u64, |sum, len| sum.checked_add(len?));
        let Some(wanted) = wanted.and_then(|wanted| usize::try_from(wanted).ok()) else {
            return Err(failed(&Error::out_of_memory()));
        };
        if bytes.len() < wanted {
            bytes.try_reserve_exact(wanted - bytes.len()).map_err(|_| failed(&Error::out_of_memory()))?;
        }
        bytes.resize(wanted, 0);
        progress.weigh(weight);
        let report = &mut |done, total| progress.engine(done, total);
        let read = self.dataset.read_boxes((boxes, Order::F), bytes, &self.io(), Some(report));
        progress.call_done();
        read.map_err(|error| failed(&error))
    }

    /// The fill value, one element.
    pub(crate) fn fill_value(&self) -> &[u8] {
        &self.dataset.codec().settings().fill_value
    }

    /// Here the listing decides what is missing: a region may be much larger than what is stored of
    /// it.
    fn io(&self) -> IoOptions {
        IoOptions { threads: self.jobs, by_listing: true, ..IoOptions::default() }
    }
}

/// The boxes of cells of `step` that something stored in one of the arrays touches; `place` is what
/// messages call these.
pub(crate) fn touched<'a>(datasets: &'a [&'a Dataset], place: &str, region: &Region, step: &[u64], budget: u64) -> Result<Joined<'a>> {
    let failed = |error: &Error| Failure::at(place, error);
    let engine = region.to_engine().map_err(|error| failed(&error))?;
    let cells = Cells::new(datasets, &engine, step, &mut || !interrupt::requested()).map_err(|error| failed(&error))?;
    let size = datasets.iter().map(|dataset| dataset.codec().element_size()).max().unwrap_or(1);
    Ok(Joined::new(cells, place, step.len(), size, budget))
}

/// Writes a region.
pub(crate) fn write(dataset: &Dataset, place: &str, region: &Region, bytes: &[u8], jobs: usize, progress: &mut Progress) -> Result<()> {
    let failed = |error: &Error| Failure::at(place, error);
    let engine = region.to_engine().map_err(|error| failed(&error))?;
    write_boxes(dataset, place, &[engine], bytes, jobs, (progress, 1))
}

/// Writes boxes that lie one after another in `bytes`. They count as `weight` calls of the bar.
pub(crate) fn write_boxes(
    dataset: &Dataset,
    place: &str,
    boxes: &[dataset::Region],
    bytes: &[u8],
    jobs: usize,
    (progress, weight): (&mut Progress, u64),
) -> Result<()> {
    let io = IoOptions { threads: jobs, ..IoOptions::default() };
    progress.weigh(weight);
    let report = &mut |done, total| progress.engine(done, total);
    let written = dataset.write_boxes((boxes, Order::F), bytes, &io, Some(report));
    progress.call_done();
    written.map_err(|error| Failure::at(place, &error))
}
