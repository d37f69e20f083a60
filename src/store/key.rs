//! Keys and prefixes: which are allowed, and how paths become keys.
//!
//! Metadata from a stranger chooses keys, so that no allowed key may name anything outside a store, whatever the medium is.

use crate::error::{Error, ErrorKind, Result, quoted};

/// How the names of files begin that are being written.
pub(super) const TEMPORARY: &str = ".zn5-";

/// Checks a key: parts with '/' between, none of them empty, `.`, `..` or the name of a temporary file; no NUL.
///
/// On Windows also no character or name that the system reads in a way of its own.
///
/// # Errors
/// `InvalidArgument`, naming the key and the part.
pub fn check_key(key: &str) -> Result<()> {
    check_parts(key, "key", key)
}

/// Checks a prefix: empty, or a key and '/'.
///
/// # Errors
/// `InvalidArgument`, naming the prefix and the part.
pub fn check_prefix(prefix: &str) -> Result<()> {
    if prefix.is_empty() {
        return Ok(());
    }
    let Some(path) = prefix.strip_suffix('/') else {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("the prefix {} does not end in '/'; add it", quoted(prefix))));
    };
    check_parts(path, "prefix", prefix)
}

/// Whether a name found in a medium can be a part of a key; others are left out of listings.
#[must_use]
pub fn is_listed(name: &str) -> bool {
    !name.contains('/') && fault(name, cfg!(windows)).is_none()
}

/// The path of `name` below `path`, where the empty path is the root.
#[must_use]
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// The prefix of everything below `path`, where the empty path is the root.
#[must_use]
pub fn prefix_of(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}/") }
}

/// The path of a node without the '/' that may stand before and behind it; the root is empty.
///
/// # Errors
/// `InvalidArgument`, as for keys.
pub fn normalise_path(path: &str) -> Result<String> {
    let trimmed = path.trim_matches('/');
    if !trimmed.is_empty() {
        check_parts(trimmed, "path", path)?;
    }
    Ok(trimmed.to_owned())
}

fn check_parts(path: &str, what: &str, shown: &str) -> Result<()> {
    match path.split('/').find_map(|part| fault(part, cfg!(windows)).map(|fault| (part, fault))) {
        None => Ok(()),
        Some((part, fault)) => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("the {what} {} is refused, for its part {} {fault}; a {what} is names with '/' between", quoted(shown), quoted(part)),
        )),
    }
}

/// What is wrong with one part of a key.
fn fault(part: &str, windows: bool) -> Option<&'static str> {
    if part.is_empty() {
        return Some("is empty");
    }
    if part == "." || part == ".." {
        return Some("names a folder by its place");
    }
    if part.contains('\0') {
        return Some("has a NUL");
    }
    if part.starts_with(TEMPORARY) {
        return Some("is the name of a temporary file");
    }
    if windows {
        return windows_fault(part);
    }
    None
}

/// What Windows would not take for the name of a plain file: separators, drives and streams, wildcards, devices, endings that it drops.
fn windows_fault(part: &str) -> Option<&'static str> {
    if part.contains(|character: char| character < ' ' || "\\:*?\"<>|".contains(character)) {
        return Some("has a character that Windows keeps for itself");
    }
    if part.ends_with(['.', ' ']) {
        return Some("ends in a character that Windows drops");
    }
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device)
            .is_some_and(|number| matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
    };
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered("COM") || numbered("LPT") {
        return Some("is a device of Windows");
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_could_leave_a_store_are_refused() {
        let long = format!("{}..", "a/".repeat(100_000));
        let refused = [
            "",
            "/",
            "//",
            ".",
            "..",
            "/a",
            "a/",
            "a//b",
            "./a",
            "a/.",
            "a/./b",
            "../a",
            "a/..",
            "a/../b",
            "a/../../b",
            "/etc/passwd",
            "a\0b",
            "\0",
            "a/\0/b",
            ".zn5-",
            ".zn5-12-3",
            "a/.zn5-12-3",
            ".zn5-x/a",
            &long,
        ];
        for key in refused {
            let error = check_key(key).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{key:?}");
            assert!(error.message().contains("the key \"") && error.message().len() < 500, "{error}");
        }
    }

    #[test]
    fn odd_names_are_allowed() {
        for key in
            ["a", "0/1/2", "...", "..a", "a..", ".a", ".zn", ".zn5", "x.zn5-1", " ", "a b", "ä/ü", "-", "~", "a\nb", "%2e%2e", "$HOME"]
        {
            check_key(key).unwrap();
            check_prefix(&format!("{key}/")).unwrap();
        }
    }

    #[test]
    fn prefixes_are_empty_or_end_in_a_slash() {
        check_prefix("").unwrap();
        for prefix in ["a", "/", "//", "../", "a//", "/a/", "a/../", ".zn5-1-1/"] {
            assert_eq!(check_prefix(prefix).unwrap_err().kind(), ErrorKind::InvalidArgument, "{prefix:?}");
        }
    }

    #[test]
    fn names_of_windows_are_refused_there() {
        for part in [
            "..\\a", "a\\b", "C:", "C:a", "a:stream", "con", "NUL", "nul.txt", "COM1", "lpt9.x", "COM²", "aux ", "a.", "a ", "a*", "?",
            "a\tb", "<", "|", "\"",
        ] {
            assert!(fault(part, true).is_some(), "{part:?}");
            assert_eq!(fault(part, false), None, "{part:?}");
        }
        for part in ["a", "0", "attributes.json", "COM", "COM10", "CONSOLE", "a.b", ".a", "ä"] {
            assert_eq!(fault(part, true), None, "{part:?}");
        }
    }

    #[test]
    fn paths_lose_their_outer_slashes() {
        for (path, expected) in [("", ""), ("/", ""), ("a", "a"), ("/a/b", "a/b"), ("a/b/", "a/b"), ("/a/", "a")] {
            assert_eq!(normalise_path(path).unwrap(), expected);
        }
        for path in ["..", "/..", "a/../b", "a//b", ".", "/./", "a\0"] {
            assert_eq!(normalise_path(path).unwrap_err().kind(), ErrorKind::InvalidArgument, "{path:?}");
        }
        assert_eq!((join("", "a"), join("a/b", "c")), ("a".to_owned(), "a/b/c".to_owned()));
        assert_eq!((prefix_of(""), prefix_of("a/b")), (String::new(), "a/b/".to_owned()));
    }

    #[test]
    fn listings_leave_out_what_no_key_can_name() {
        assert!(is_listed("a") && is_listed("..a"));
        for name in ["", ".", "..", ".zn5-1-2", "a/b", "a\0"] {
            assert!(!is_listed(name), "{name:?}");
        }
    }
}
