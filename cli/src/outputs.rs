//! Files that a command writes: nothing has its final name before it is complete.
//!
//! A file is written under a temporary name beside its place and renamed at the end. Whatever stops
//! the command before, the temporary file is removed, and a file that was there stays as it was.
//! Devices, pipes and standard output are written as they are.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempDir, TempPath};

use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::output::{Out, Printed};

/// What names of temporary files and folders begin with, as the engine's do: it takes none of them
/// for a part of a container.
const TEMPORARY: &str = ".zn5-";

/// Links that are followed to a file, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Temporary files and folders that are not complete, for the signal that leaves no time to unwind.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is not complete. The process ends right after this.
pub(crate) fn remove_unfinished() {
    for path in &*unfinished() {
        // There is nobody left to tell of a failure.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// A path that is listed as not complete while this exists.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        unfinished().insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Where a command's output goes: a file, or standard output. Complete with
/// [`finish`](Self::finish) only.
pub(crate) struct Output {
    /// What messages call the file.
    path: Option<PathBuf>,
    writer: Writer,
}

enum Writer {
    Stdout(Box<Out>),
    /// What is no regular file.
    Direct(BufWriter<File>),
    /// A regular file, by way of a temporary one.
    Replacing(Replacement),
}

struct Replacement {
    writer: BufWriter<File>,
    /// Removes the file when it is dropped.
    temporary: TempPath,
    target: PathBuf,
    /// Dropped last.
    _listed: Listed,
}

impl Output {
    /// Opens the file; `None` and '-' are standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self { path: None, writer: Writer::Stdout(Box::new(Out::new())) });
        };
        let writer = match Place::of(path) {
            Place::Direct => {
                Writer::Direct(BufWriter::new(File::create(path).map_err(|error| Failure::file(path, "make the file", &error))?))
            }
            Place::File { target, existing } => Writer::Replacing(Replacement::begin(path, target, existing.as_ref())?),
        };
        Ok(Self { path: Some(path.to_owned()), writer })
    }

    /// The output as a place for text: nothing that would harm a terminal gets there.
    pub(crate) fn printed(&mut self) -> Printed<'_> {
        Printed::new(self)
    }

    /// What a failure to write means.
    pub(crate) fn failed(&self, error: io::Error) -> Failure {
        match &self.path {
            _ if interrupt::requested() => Failure::Interrupted,
            None => Failure::from(error),
            Some(path) => Failure::file(path, "write", &error),
        }
    }

    /// Makes the output complete: only now a file has its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        if let Err(error) = self.flush() {
            return Err(self.failed(error));
        }
        match self.writer {
            Writer::Stdout(_) | Writer::Direct(_) => Ok(()),
            Writer::Replacing(replacement) => {
                replacement.finish().map_err(|error| Failure::file(&self.path.unwrap_or_default(), "write", &error))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if interrupt::requested() {
            return Err(io::Error::other("interrupted"));
        }
        match &mut self.writer {
            Writer::Stdout(out) => out.binary().write(bytes),
            Writer::Direct(file) => file.write(bytes),
            Writer::Replacing(replacement) => replacement.writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Stdout(out) => out.binary().flush(),
            Writer::Direct(file) => file.flush(),
            Writer::Replacing(replacement) => replacement.writer.flush(),
        }
    }
}

impl Replacement {
    fn begin(path: &Path, target: PathBuf, existing: Option<&Metadata>) -> Result<Self> {
        let failed = |error: &io::Error| Failure::file(path, "make the file", error);
        if existing.is_some() {
            // A file that may not be written may not be replaced either.
            OpenOptions::new().write(true).open(&target).map_err(|error| failed(&error))?;
        }
        let folder = target.parent().unwrap_or(Path::new("."));
        let mut reason = None;
        // With the permissions that any new file has.
        let made = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .suffix(".part")
            .make_in(folder, |temporary| File::create_new(temporary).inspect_err(|error| reason = error.raw_os_error()));
        let (file, temporary) = made.map(NamedTempFile::into_parts).map_err(|error| {
            // The library's own error names the temporary file, which says nothing to the user.
            let error = reason.map_or(error, io::Error::from_raw_os_error);
            match existing {
                None => failed(&error),
                Some(_) => Failure::Message {
                    exit: Exit::Io,
                    message: format!(
                        "{}: cannot make a file beside it that takes its place when complete: {error}; '-o -' writes to standard output",
                        path.display()
                    ),
                },
            }
        })?;
        let listed = Listed::new(&temporary);
        if let Some(existing) = existing {
            // At once: others shall not read meanwhile what they may not read later.
            take_after(&file, existing).map_err(|error| failed(&error))?;
        }
        Ok(Self { writer: BufWriter::new(file), temporary, target, _listed: listed })
    }

    fn finish(self) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        // Closed before it is renamed: some systems rename no open file, and some tell only now
        // that the disk is full.
        close(file)?;
        self.temporary.persist(&self.target).map_err(|error| error.error)
    }
}

/// Gives a file the owner, as far as that is allowed, and the permissions of the one that it
/// replaces.
fn take_after(file: &File, existing: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        let differs = |own: u32, other: u32| (own != other).then_some(other);
        // Only root gives files away, and only to one's own groups a file may be given.
        let _ = fchown(file, None, differs(own.gid(), existing.gid()));
        let _ = fchown(file, differs(own.uid(), existing.uid()), None);
    }
    file.set_permissions(existing.permissions())
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

/// Where a file is that the user named.
enum Place {
    /// To be opened by its name: no regular file, one of a process's open files, or nothing that
    /// can be.
    Direct,
    /// A regular file, links followed.
    File { target: PathBuf, existing: Option<Metadata> },
}

impl Place {
    fn of(path: &Path) -> Self {
        let ends_as_folder = path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| std::path::is_separator(char::from(last)));
        if ends_as_folder {
            return Self::Direct;
        }
        Self::followed(path).unwrap_or(Self::Direct)
    }

    fn followed(path: &Path) -> Option<Self> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let name = path.file_name()?.to_owned();
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize(),
                _ => Path::new(".").canonicalize(),
            };
            let folder = folder.ok()?;
            // What lies here are names for a process's open files, whatever these are.
            if folder.starts_with("/proc") || folder == Path::new("/dev") || folder.starts_with("/dev/fd") {
                return None;
            }
            let target = folder.join(name);
            match fs::symlink_metadata(&target) {
                Ok(metadata) if metadata.is_symlink() => path = folder.join(fs::read_link(&target).ok()?),
                Ok(metadata) if metadata.is_file() => return Some(Self::File { target, existing: Some(metadata) }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(Self::File { target, existing: None }),
                _ => return None,
            }
        }
        None
    }
}

/// A folder that a command fills. It has its name only after [`finish`](Self::finish).
pub(crate) struct NewFolder {
    temporary: TempDir,
    _listed: Listed,
}

impl NewFolder {
    /// Makes the folder under a temporary name in `parent`, and `parent` if it is missing.
    pub(crate) fn begin(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY).suffix(".part");
        #[cfg(unix)]
        // The permissions that any new folder has: what the user's mask forbids is taken away.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let temporary = builder.tempdir_in(parent)?;
        let listed = Listed::new(temporary.path());
        Ok(Self { temporary, _listed: listed })
    }

    /// Where the folder is now.
    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Gives the folder its name. A folder that is there is replaced.
    pub(crate) fn finish(self, target: &Path) -> io::Result<()> {
        let aside = if target.exists() { Some(Self::begin(target.parent().unwrap_or(Path::new(".")))?) } else { None };
        // A signal that comes now waits, for the old folder has the name of something that is not
        // complete.
        let signals_wait = unfinished();
        let replaced = match &aside {
            None => fs::rename(self.path(), target),
            Some(aside) => {
                let old = aside.path().join("old");
                fs::rename(target, &old)?;
                fs::rename(self.path(), target).inspect_err(|_| {
                    // Back with it; the first failure is the one to report.
                    let _ = fs::rename(&old, target);
                })
            }
        };
        drop(signals_wait);
        replaced?;
        // The name is not its any more.
        let _ = self.temporary.keep();
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    // One test, for the list of what is not complete is one for the process.
    #[test]
    fn neither_a_panic_nor_the_second_signal_leaves_anything() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut output = Output::open(Some(&file)).unwrap();
            output.write_all(&vec![1; 100_000]).unwrap();
            assert_eq!(names(folder.path()).len(), 1);
            panic!("as any fault would");
        }));
        assert!(panicked.is_err() && names(folder.path()).is_empty() && unfinished().is_empty());

        fs::write(&file, "as it was").unwrap();
        let mut output = Output::open(Some(&file)).unwrap();
        output.write_all(&vec![1; 100_000]).unwrap();
        let new = NewFolder::begin(&folder.path().join("y")).unwrap();
        fs::write(new.path().join("z"), "z").unwrap();
        remove_unfinished();
        assert_eq!(names(folder.path()).len(), 2);
        assert!(names(&folder.path().join("y")).is_empty());
        assert!(output.finish().is_err() && new.finish(&folder.path().join("y/new")).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "as it was");
        assert!(unfinished().is_empty());
    }

    #[test]
    fn a_folder_that_is_not_replaced_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("old");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("x"), "as it was").unwrap();
        let new = NewFolder::begin(folder.path()).unwrap();
        fs::remove_dir(new.path()).unwrap();
        assert!(new.finish(&target).is_err());
        assert_eq!((names(folder.path()), names(&target)), (vec![target.clone()], vec![target.join("x")]));
        let new = NewFolder::begin(folder.path()).unwrap();
        fs::write(new.path().join("y"), "new").unwrap();
        new.finish(&target).unwrap();
        assert_eq!((names(folder.path()), names(&target)), (vec![target.clone()], vec![target.join("y")]));
    }
}
