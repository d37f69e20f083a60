//! What a caller names a folder by: a path of this machine, or an address that begins with a
//! scheme.
//!
//! Only `file:` leads to a folder here; what lies on a server has to be fetched or mounted before.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result, quoted};

/// The path that `path` stands for: itself, unless it is an address such as `file:///data/a%20b`.
///
/// An address begins with a scheme of two letters or more and `://`, or with `file:/`. So neither
/// the drive in `C:\data` nor a folder that is called `s3:` makes one; `./s3://x` is a path in any
/// case.
///
/// # Errors
/// `InvalidArgument` for an address of another machine or scheme, and for one that is malformed.
pub fn local_path(path: &Path) -> Result<Cow<'_, Path>> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let Some((scheme, rest)) = split(bytes) else { return Ok(Cow::Borrowed(path)) };
    let shown = quoted(&path.to_string_lossy());
    let refused = |why: String| Err(Error::new(ErrorKind::InvalidArgument, format!("{shown} {why}")));
    if !scheme.eq_ignore_ascii_case("file") {
        return refused(format!(
            "is an address ({scheme}:); zn5 reads and writes folders of this machine, so download or mount what it names"
        ));
    }
    let rest = match rest.strip_prefix(b"//") {
        Some(authority) => {
            let end = authority.iter().position(|&byte| byte == b'/').unwrap_or(authority.len());
            let (host, rest) = authority.split_at_checked(end).unwrap_or_default();
            if !host.is_empty() && !host.eq_ignore_ascii_case(b"localhost") {
                let host = quoted(&String::from_utf8_lossy(host));
                return refused(format!(
                    "names the machine {host}; zn5 reads and writes folders of this machine, so mount that one's, or write three slashes \
                     for a folder here, as in file:///data"
                ));
            }
            rest
        }
        None => rest,
    };
    if rest.is_empty() {
        return refused("names no folder; write three slashes and its path, as in file:///data".to_owned());
    }
    if let Some(mark) = rest.iter().find(|byte| matches!(byte, b'?' | b'#')) {
        let mark = char::from(*mark);
        return refused(format!("has a `{mark}`, which ends the path of an address; in a name it is written %{:02X}", u32::from(mark)));
    }
    match decoded(rest) {
        Ok(bytes) => match system_path(bytes) {
            Some(path) => Ok(Cow::Owned(path)),
            None => refused("stands for a path that is not UTF-8, which paths of this system are".to_owned()),
        },
        Err(at) => {
            let escape = quoted(&String::from_utf8_lossy(rest.get(at..at.saturating_add(3)).or(rest.get(at..)).unwrap_or_default()));
            refused(format!(
                "has the escape {escape}; in an address `%` and two hexadecimal digits, not 00, stand for a byte, and %25 for `%`"
            ))
        }
    }
}

/// The scheme of an address and what follows its colon; `None` for a path.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let colon = bytes.windows(2).position(|pair| pair == b":/")?;
    let (scheme, rest) = (bytes.get(..colon)?, bytes.get(colon..)?.strip_prefix(b":")?);
    // Some libraries chain schemes, as in simplecache::s3://bucket.
    let is_scheme = scheme.len() > 1
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.:".contains(byte));
    let is_address = is_scheme && (rest.starts_with(b"//") || scheme.eq_ignore_ascii_case(b"file"));
    Some((std::str::from_utf8(scheme).ok()?, rest)).filter(|_| is_address)
}

/// The bytes that an escaped path stands for, or where an escape stands for none.
fn decoded(escaped: &[u8]) -> std::result::Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(escaped.len());
    let mut at = 0_usize;
    while let Some(&byte) = escaped.get(at) {
        if byte != b'%' {
            out.push(byte);
            at = at.saturating_add(1);
            continue;
        }
        let digit = |offset: usize| escaped.get(at.saturating_add(offset)).and_then(|&byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(1), digit(2)) else { return Err(at) };
        match u8::try_from(high << 4 | low) {
            Ok(byte) if byte != 0 => out.push(byte),
            _ => return Err(at),
        }
        at = at.saturating_add(3);
    }
    Ok(out)
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Before a drive, as in file:///C:/data, stands no slash in a path.
#[cfg(not(unix))]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(bytes).ok()?;
    let is_drive = |path: &str| path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path.as_bytes().get(1) == Some(&b':');
    Some(path.strip_prefix('/').filter(|path| is_drive(path)).unwrap_or(&path).into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error_of(path: &str) -> String {
        let error = local_path(Path::new(path)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        error.message().to_owned()
    }

    #[test]
    fn policy_41_paths_stay_what_they_are() {
        let paths = [
            "",
            ".",
            "a/b",
            "/a//b",
            "./s3://bucket",
            "s3:/bucket",
            "s3:",
            "C:/x",
            "C://x",
            r"C:\x",
            r"\\server\share",
            "://x",
            "a b://x",
            "a/http://x",
            "file:x",
            "file",
            "1a://x",
            "https:/x",
            "ä://x",
            "-s3://x",
            "a%20b",
        ];
        for path in paths {
            assert!(matches!(local_path(Path::new(path)).unwrap(), Cow::Borrowed(same) if same == Path::new(path)), "{path}");
        }
    }

    #[test]
    fn policy_41_addresses_of_servers_are_refused_by_their_scheme() {
        for (path, scheme) in [
            ("s3://bucket/x.n5", "s3:"),
            ("gs://bucket", "gs:"),
            ("https://host/x.zarr?y#z", "https:"),
            ("HTTP://host", "HTTP:"),
            ("git+ssh://host", "git+ssh:"),
            ("simplecache::s3://bucket", "simplecache::s3:"),
            ("s3://", "s3:"),
        ] {
            let message = error_of(path);
            let parts = [path, &format!("({scheme})"), "folders of this machine", "download or mount"];
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
        assert!(error_of("s3://\u{1b}[2J").contains(r"\u{1b}"));
    }

    #[test]
    #[cfg(unix)]
    fn policy_41_file_addresses_are_decoded() {
        use std::os::unix::ffi::OsStrExt;
        for (address, path) in [
            ("file:///data/x", "/data/x"),
            ("file://localhost/data/x", "/data/x"),
            ("FILE://LocalHost/data", "/data"),
            ("file:/data/x", "/data/x"),
            ("file:///", "/"),
            ("file:///a%20b/%C3%84%25%3f%23", "/a b/Ä%?#"),
            ("file:///Größe a", "/Größe a"),
            ("file:///C:/x", "/C:/x"),
            ("file:////x", "//x"),
        ] {
            assert_eq!(local_path(Path::new(address)).unwrap().as_os_str(), path, "{address}");
        }
        let latin = local_path(Path::new("file:///%ff%FE")).unwrap();
        assert_eq!(latin.as_os_str().as_bytes(), b"/\xff\xfe");
    }

    #[test]
    fn policy_41_file_addresses_that_name_no_folder_here_are_refused() {
        for (address, part) in [
            ("file://otherhost/x", "names the machine \"otherhost\""),
            ("file://data", "names the machine \"data\""),
            ("file://", "names no folder"),
            ("file://localhost", "names no folder"),
            ("file:///a?b", "%3F"),
            ("file:///a#b", "%23"),
            ("file:///a%2", "\"%2\""),
            ("file:///a%zzb", "\"%zz\""),
            ("file:///%", "\"%\""),
            ("file:///a%00b", "\"%00\""),
        ] {
            let message = error_of(address);
            assert!(message.contains(part) && message.contains(address), "{message}");
        }
    }
}
