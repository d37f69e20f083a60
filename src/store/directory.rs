//! A store in a folder of the file system: a key is the path of a file below it.
//!
//! A value is written under a temporary name beside its place and renamed, so that a reader, or a program killed at any moment, leaves
//! the old value or the new one. The data is not flushed to the disk: after a power failure the file system decides.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::key::TEMPORARY;
use super::value::read_at;
use super::{Buffer, EntryKind, Stamp, Store, Value, check_key, check_prefix, is_listed, local_path, read_only};
use crate::error::{Error, ErrorKind, Result, escaped};

/// How to open a [`Directory`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether values can be stored and erased.
    pub write: bool,
    /// Whether the folder, and those above it, are made if they are missing.
    pub create: bool,
}

/// A folder whose files are the values.
///
/// No key reaches outside the folder by itself. Symbolic links inside it are followed when reading: they are its owner's business; one that
/// leads nowhere is an error, not a missing value. A link in the place of a value is replaced, not written through.
#[derive(Debug)]
pub struct Directory {
    root: PathBuf,
    write: bool,
}

/// How often a write begins anew because its folder vanished meanwhile.
const ATTEMPTS: u32 = 100;

/// Makes the names of temporary files differ within this process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Directory {
    /// Opens the folder `path`, which may be an address, see [`local_path`]. A relative path is
    /// taken from the working directory of this moment.
    ///
    /// # Errors
    /// `NotFound`; `InvalidArgument` if `path` is empty, no folder, or an address that leads to
    /// none of this machine; `Permission`; `Io`.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        let path = &*local_path(path)?;
        if path.as_os_str().is_empty() {
            return Err(Error::new(ErrorKind::InvalidArgument, "the path of the store is empty; \".\" is the working directory"));
        }
        let root = std::path::absolute(path).map_err(|error| failure("find", path, &error))?;
        if options.create {
            fs::create_dir_all(&root).map_err(|error| failure("make the folder", &root, &error))?;
        }
        let metadata = match fs::metadata(&root) {
            Ok(metadata) => metadata,
            Err(error) if is_missing(&error) => {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    format!("there is no folder {}; check the path, or let it be made", shown(&root)),
                ));
            }
            Err(error) => return Err(failure("open the folder", &root, &error)),
        };
        if !metadata.is_dir() {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("{} is a file; a store is a folder", shown(&root))));
        }
        Ok(Self { root, write: options.write })
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, key: &str) -> PathBuf {
        let mut path = PathBuf::with_capacity(self.root.as_os_str().len().saturating_add(key.len()).saturating_add(2));
        path.push(&self.root);
        // Part by part, so that the system's own separator stands between them.
        path.extend(key.split('/').filter(|part| !part.is_empty()));
        path
    }

    /// Opens the file `path` and tells its length; `None` if there is none. Only files are values.
    fn open_file(&self, path: &Path) -> Result<Option<(File, u64)>> {
        let opened = match open_to_read(path) {
            Err(error) if is_missing(&error) => return self.check_links(path).map(|()| None),
            // A socket cannot be opened, nor can every device; neither is a value.
            Err(error) => match fs::metadata(path) {
                Ok(metadata) if !metadata.is_file() => return Ok(None),
                _ => Err(error),
            },
            Ok(file) => file.metadata().map(|metadata| (file, metadata)),
        };
        let (file, metadata) = opened.map_err(|error| failure("read", path, &error))?;
        Ok(Some((file, metadata.len())).filter(|_| metadata.is_file()))
    }

    /// Refuses a path, at which nothing is, that goes over a link to nowhere: the value may be elsewhere, on a disk that is not there now.
    fn check_links(&self, path: &Path) -> Result<()> {
        for path in path.ancestors().take_while(|path| *path != self.root) {
            match fs::symlink_metadata(path) {
                Ok(metadata) if metadata.is_symlink() && fs::metadata(path).is_err_and(|error| is_missing(&error)) => {
                    return Err(Error::new(
                        ErrorKind::Io,
                        format!("{} is a link that leads nowhere; bring back what it leads to, or remove it", shown(path)),
                    ));
                }
                Err(error) if is_missing(&error) => {}
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn check_change(&self, key: &str) -> Result<PathBuf> {
        check_key(key)?;
        if self.write { Ok(self.path(key)) } else { Err(read_only(key, "open it for writing")) }
    }
}

impl Store for Directory {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        check_key(key)?;
        value.clear();
        let path = self.path(key);
        let Some((file, len)) = self.open_file(&path)? else { return Ok(false) };
        // Nothing is behind the end; and the system takes no offset above 2^63 - 1.
        let rest = if i64::try_from(offset).is_ok() { len.saturating_sub(offset) } else { 0 };
        let wanted = usize::try_from(rest.min(max_len)).map_err(|_| Error::out_of_memory())?;
        value.try_reserve_exact(wanted).map_err(|_| Error::out_of_memory())?;
        value.resize(wanted, 0);
        let read = read_at(&file, offset, value);
        value.truncate(*read.as_ref().unwrap_or(&0));
        read.map_err(|error| failure("read", &path, &error))?;
        Ok(true)
    }

    fn open<'a>(&self, key: &str, _max_len: u64, buffer: &'a mut Buffer) -> Result<Option<Value<'a>>> {
        check_key(key)?;
        let path = self.path(key);
        Ok(self.open_file(&path)?.map(|(file, len)| Value::file(file, path, len, buffer)))
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        let path = self.check_change(key)?;
        // Also a link to a folder, which renaming would replace.
        if path.is_dir() {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!("cannot write {}: a folder has this name; choose another key", shown(&path)),
            ));
        }
        let folder = path.parent().unwrap_or(&self.root);
        let mut attempt = 0;
        loop {
            attempt += 1;
            match replace(&path, folder, value) {
                Ok(()) => return Ok(()),
                // By a signal, while the file was closed: how much of it arrived is not known.
                Err(error) if error.kind() == io::ErrorKind::Interrupted && attempt < ATTEMPTS => {}
                // The folder is not there yet, or another program has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => match fs::create_dir_all(folder) {
                    Ok(()) => {}
                    // While it was made, a folder above was removed, or the folder itself between two looks at it.
                    Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {}
                    Err(error) => return Err(failure("make the folder", folder, &error)),
                },
                Err(error) => {
                    // A folder that is a link to nowhere can neither be written to nor made.
                    if is_missing(&error) {
                        self.check_links(folder)?;
                    }
                    return Err(failure("write", &path, &error));
                }
            }
        }
    }

    fn erase(&self, key: &str) -> Result<()> {
        let path = self.check_change(key)?;
        // A folder is no value, nor is a link to one.
        if path.is_dir() {
            return Ok(());
        }
        match fs::remove_file(&path) {
            Err(error) if !is_missing(&error) => Err(failure("erase", &path, &error)),
            _ => Ok(()),
        }
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        check_prefix(prefix)?;
        let folder = self.path(prefix);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return self.check_links(&folder),
            Err(error) => return Err(failure("list", &folder, &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| failure("list", &folder, &error))?;
            let name = entry.file_name();
            // A name that is not UTF-8 is no key of any container.
            let Some(name) = name.to_str().filter(|name| is_listed(name)) else {
                continue;
            };
            if let Some(kind) = entry_kind(&entry) {
                visit(name, kind)?;
            }
        }
        Ok(())
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        check_key(key)?;
        let path = self.path(key);
        match fs::metadata(&path) {
            Ok(metadata) => Ok(metadata.is_file().then(|| Stamp { len: metadata.len(), modified: metadata.modified().ok() })),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(failure("read", &path, &error)),
        }
    }

    fn is_writable(&self) -> bool {
        self.write
    }
}

/// Whether a name of a listing is a key, a prefix or neither; links count as what they lead to, one that cannot be followed as a key:
/// getting it tells why.
fn entry_kind(entry: &fs::DirEntry) -> Option<EntryKind> {
    let mut kind = entry.file_type().ok()?;
    if kind.is_symlink() {
        kind = match fs::metadata(entry.path()) {
            Ok(metadata) => metadata.file_type(),
            Err(_) => return Some(EntryKind::Key),
        };
    }
    if kind.is_dir() { Some(EntryKind::Prefix) } else { kind.is_file().then_some(EntryKind::Key) }
}

/// Opening a pipe would wait for its other end, unless the system is told not to wait. Of a file there is nothing to wait for, but where
/// another program has taken a lease on it.
#[cfg(unix)]
fn open_to_read(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let opened = fs::OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY).open(path);
    match opened {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock && fs::metadata(path)?.is_file() => File::open(path),
        opened => opened,
    }
}

#[cfg(not(unix))]
fn open_to_read(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Writes `value` to a new temporary file in `folder` and renames it to `path`; on failure nothing of it stays.
fn replace(path: &Path, folder: &Path, value: &[u8]) -> io::Result<()> {
    let (temporary, mut file) = create_temporary(folder)?;
    let written = file.write_all(value);
    // Closed before it is renamed: some systems rename no open file, and some tell only now that the disk is full.
    let written = written.and(close(file));
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // The first failure is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

#[cfg(unix)]
fn close(file: File) -> io::Result<()> {
    nix::unistd::close(file).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}

fn create_temporary(folder: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    loop {
        let temporary = folder.join(format!("{TEMPORARY}{process}-{}", COUNTER.fetch_add(1, Ordering::Relaxed)));
        match File::create_new(&temporary) {
            // Left by a killed process of the same number, or in use by one on another machine.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (temporary, file)),
        }
    }
}

/// Whether nothing is there; a file in the place of a folder counts as that.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::libc::ELOOP)
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}

/// A path for a message; of a long one the end, which tells more than the beginning.
fn shown(path: &Path) -> String {
    const SHOWN: usize = 240;
    let path = path.to_string_lossy();
    let count = path.chars().count();
    if count <= SHOWN {
        return format!("\"{}\"", escaped(&path));
    }
    let end: String = path.chars().skip(count - SHOWN).collect();
    format!("\"…{}\"", escaped(&end))
}

pub(super) fn failure(action: &str, path: &Path, error: &io::Error) -> Error {
    let (kind, remedy) = match error.kind() {
        io::ErrorKind::OutOfMemory => return Error::out_of_memory(),
        io::ErrorKind::NotFound => (ErrorKind::NotFound, "check the path"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            (ErrorKind::Permission, "change its permissions or work elsewhere")
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => (ErrorKind::AlreadyExists, "a file stands where a folder is needed"),
        io::ErrorKind::InvalidFilename => (ErrorKind::InvalidArgument, "the system takes no such name, use a shorter one"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (ErrorKind::Io, "free space"),
        io::ErrorKind::FileTooLarge => (ErrorKind::Io, "it exceeds what the system lets this program write"),
        _ if is_loop(error) => (ErrorKind::Io, "its links lead in a circle, remove one"),
        _ => (ErrorKind::Io, "check the medium and try again"),
    };
    Error::new(kind, format!("cannot {action} {}: {error}; {remedy}", shown(path)))
}
