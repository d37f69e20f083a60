//! What a command ends with: the exit codes, and the failure that becomes one line on stderr.
//!
//! 0 fine, 1 data differ or are damaged, 2 usage, 3 input or output, 4 unsupported, 130 interrupted
//! (129, 143 by SIGHUP, SIGTERM).

use std::fmt::Display;
use std::io;
use std::path::Path;

use zn5::error::{Error, ErrorKind};

use crate::interrupt;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine,
    /// Data differ, or are damaged.
    Damaged,
    /// The command line asks for something impossible.
    Usage,
    /// The operating system refused or failed.
    Io,
    /// Something that zn5 does not do.
    Unsupported,
    /// By Ctrl-C or another signal.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Damaged => 1,
            Self::Usage => 2,
            Self::Io => 3,
            Self::Unsupported => 4,
            Self::Interrupted => interrupt::code(),
        }
    }

    /// Of several outcomes the one to report: what is damaged, then what failed, then what is unsupported.
    pub(crate) fn worst(self, other: Self) -> Self {
        const RANK: [Exit; 6] = [Exit::Fine, Exit::Unsupported, Exit::Usage, Exit::Io, Exit::Damaged, Exit::Interrupted];
        let rank = |exit: Self| RANK.iter().position(|&ranked| ranked == exit);
        if rank(self) >= rank(other) { self } else { other }
    }

    /// What a failure of the engine means for the caller of a program.
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::UnsupportedDataType
            | ErrorKind::UnsupportedCodec
            | ErrorKind::UnsupportedCompression
            | ErrorKind::UnsupportedBlockMode
            | ErrorKind::NotRepresentable => Self::Unsupported,
            ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::Permission
            | ErrorKind::Io
            | ErrorKind::ReadOnly
            | ErrorKind::OutOfMemory
            | ErrorKind::Internal => Self::Io,
            ErrorKind::NullPointer
            | ErrorKind::InvalidArgument
            | ErrorKind::BufferTooSmall
            | ErrorKind::SizeMismatch
            | ErrorKind::BuffersOverlap
            | ErrorKind::InvalidUtf8
            | ErrorKind::NotAnArray => Self::Usage,
            ErrorKind::Cancelled => Self::Interrupted,
            _ => Self::Damaged,
        }
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// With a message for stderr.
    Message {
        /// The exit code.
        exit: Exit,
        /// What happened where, and what to do.
        message: String,
    },
    /// By Ctrl-C or another signal.
    Interrupted,
    /// The reader of the output is gone, which is no error: `zn5 ls | head` does it.
    Pipe,
}

/// What every fallible function here returns.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A command line that asks for something impossible.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Message { exit: Exit::Usage, message: message.into() }
    }

    /// Something that zn5 does not do.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::Message { exit: Exit::Unsupported, message: message.into() }
    }

    /// A failure of the engine at `place`.
    pub(crate) fn at(place: impl Display, error: &Error) -> Self {
        if error.kind() == ErrorKind::Cancelled {
            return Self::Interrupted;
        }
        let message = match error.offset() {
            Some(offset) => format!("{place}: {error} (at byte {offset})"),
            None => format!("{place}: {error}"),
        };
        Self::Message { exit: Exit::of(error.kind()), message }
    }

    /// A failure of the operating system with the file at `path`.
    pub(crate) fn file(path: &Path, doing: &str, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; check the path",
            io::ErrorKind::PermissionDenied => "; check its permissions",
            io::ErrorKind::StorageFull => "; make room and try again",
            _ => "",
        };
        Self::Message { exit: Exit::Io, message: format!("{}: cannot {doing}: {error}{remedy}", path.display()) }
    }
}

/// Standard output failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Pipe
        } else {
            Self::Message { exit: Exit::Io, message: format!("cannot write to standard output: {error}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_outranks_what_is_only_unsupported() {
        assert_eq!(Exit::Fine.worst(Exit::Unsupported), Exit::Unsupported);
        assert_eq!(Exit::Damaged.worst(Exit::Io), Exit::Damaged);
        assert_eq!(Exit::Unsupported.worst(Exit::Damaged), Exit::Damaged);
        assert_eq!(Exit::Fine.worst(Exit::Fine), Exit::Fine);
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        assert!(matches!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)), Failure::Pipe));
        assert!(matches!(Failure::from(io::Error::from(io::ErrorKind::StorageFull)), Failure::Message { exit: Exit::Io, .. }));
    }
}
