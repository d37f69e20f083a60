//! Files that systems and programs leave in every folder that they look into: whose they are, by
//! their names.
//!
//! Nothing of this is data. A name that is not known here may be anything.

/// Whose file a name is; `None` if the name is no known litter.
pub(crate) fn kind(name: &str) -> Option<&'static str> {
    const MAC: [&str; 8] = [".ds_store", ".appledouble", ".localized", ".apdisk", ".spotlight-v100", ".trashes", ".fseventsd", "__macosx"];
    const WINDOWS: [&str; 5] = ["thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini", "$recycle.bin"];
    let lower = name.to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
    // With a name in front of its ending.
    let is_hidden_with =
        |endings: &[&str]| lower.starts_with('.') && endings.iter().any(|end| lower.len() > end.len() + 1 && lower.ends_with(end));
    Some(if MAC.contains(&lower.as_str()) || begins(&["._"]) || name == "Icon\r" {
        "macOS"
    } else if WINDOWS.contains(&lower.as_str()) || ends(&[":zone.identifier"]) {
        "Windows"
    } else if lower.strip_prefix(".nfs").is_some_and(|number| number.len() >= 8 && number.bytes().all(|digit| digit.is_ascii_hexdigit())) {
        "NFS"
    } else if begins(&[".fuse_hidden"]) {
        "FUSE"
    } else if begins(&["@eadir", "synoresource", "@syno"]) || ends(&["@synoeastream", "@synoresource"]) {
        "Synology"
    } else if begins(&[".directory", ".trash-"]) {
        "Linux desktops"
    } else if begins(&["~$", ".~lock."]) {
        "office programs"
    } else if begins(&[".syncthing.", "~syncthing~", ".dropbox", ".stfolder", ".stversions", ".owncloudsync"]) {
        "synchronisation"
    } else if begins(&[".#"])
        || ends(&["~", ".bak", ".orig"])
        || (lower.len() > 2 && lower.starts_with('#') && lower.ends_with('#'))
        || is_hidden_with(&[".swp", ".swo", ".swn", ".swx"])
    {
        "editors"
    } else if ends(&[".tmp", ".temp", ".part", ".partial", ".crdownload", ".filepart"]) || begins(&[".rsync-tmp"]) {
        "unfinished copies"
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::kind;

    #[test]
    fn litter_is_known_by_its_name() {
        let cases = [
            (".DS_Store", "macOS"),
            ("._0", "macOS"),
            ("._attributes.json", "macOS"),
            ("Thumbs.db", "Windows"),
            ("thumbs.DB", "Windows"),
            ("desktop.ini", "Windows"),
            (".nfs000000000000001200000001", "NFS"),
            (".fuse_hidden0000001a00000003", "FUSE"),
            ("@eaDir", "Synology"),
            (".directory", "Linux desktops"),
            ("~$report.docx", "office programs"),
            (".syncthing.0.tmp", "synchronisation"),
            ("1~", "editors"),
            (".0.swp", "editors"),
            ("#0#", "editors"),
            (".#0", "editors"),
            ("0.tmp", "unfinished copies"),
            ("0.part", "unfinished copies"),
        ];
        for (name, whose) in cases {
            assert_eq!(kind(name), Some(whose), "{name}");
        }
    }

    #[test]
    fn what_may_be_data_is_no_litter() {
        for name in [
            "0",
            "c",
            "0.0",
            "c.0.1",
            "notes.txt",
            "attributes.json",
            "zarr.json",
            ".zarray",
            ".zgroup",
            ".nfs",
            ".nfsx",
            "#",
            "swp",
            ".swp",
        ] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
