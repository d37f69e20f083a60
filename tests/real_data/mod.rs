//! Where the real containers of other programs lie, which are no part of the project.
//!
//! The variable ZN5_REALDATA names their folder. Continuous integration has them.
#![allow(dead_code, clippy::panic)]

use std::path::PathBuf;

/// The folder of the real containers; `None`, plainly said, where no variable names one.
pub(crate) fn real_data() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ZN5_REALDATA").filter(|folder| !folder.is_empty()) else {
        let is_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(!is_ci, "the real containers are missing; set ZN5_REALDATA to their folder");
        eprintln!("not tried: the real containers; set ZN5_REALDATA to their folder");
        return None;
    };
    let folder = PathBuf::from(folder);
    assert!(folder.join("README.md").is_file(), "ZN5_REALDATA names {}, where no containers are", folder.display());
    Some(folder)
}
