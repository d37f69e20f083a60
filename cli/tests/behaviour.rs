//! Exit codes, messages, pipes, Ctrl-C, help, completions and manual pages.
//!
//! What a shell script relies on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{attributes, command, demo, write, zn5};

#[test]
fn messages_begin_with_the_program_and_name_path_and_remedy() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let missing = run!("info", folder.path().join("nowhere")).code(3);
    assert!(
        missing.err.starts_with("zn5: ") && missing.err.contains("nowhere") && missing.err.contains("check the path"),
        "{}",
        missing.err
    );
    let group = run!("cat", &container).code(2);
    assert!(group.err.contains("is a group, not an array; give one of its arrays: "), "{}", group.err);
    let blocks = run!("stats", container.join("raw/s0/1")).code(2);
    assert!(blocks.err.contains("is a folder of blocks inside the array"), "{}", blocks.err);
    let file = run!("info", container.join("attributes.json")).code(2);
    assert!(file.err.contains("give the folder that holds it"), "{}", file.err);
    let region = run!("cat", container.join("raw/s0"), "--region", "0:3,0:99,1").code(2);
    assert!(region.err.contains("axis 1") && region.err.contains("0:41"), "{}", region.err);
    assert!(region.out.is_empty());
}

#[test]
fn policy_41_addresses_are_refused_in_words_and_no_folder_is_made_for_them() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    let here = folder.path().join("here");
    fs::create_dir(&here).unwrap();
    let refused = |args: &[&std::ffi::OsStr], address: &str| {
        let output = command().args(args).arg(address).current_dir(&here).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?} {address}: {err}");
        assert!(err.starts_with("zn5: ") && err.contains(address) && err.contains("folders of this machine"), "{err}");
        assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "{args:?} {address}");
    };
    for command in ["info", "ls", "cat", "view", "stats", "verify", "block", "demo", "man"] {
        for address in ["s3://bucket/x.n5", "gs://bucket", "https://host/x.zarr", "file://otherhost/x"] {
            refused(&[command.as_ref()], address);
        }
    }
    for args in [&["diff"][..], &["convert"], &["cat", "-o"], &["view", "-o"]] {
        let mut args: Vec<&std::ffi::OsStr> = args.iter().map(std::convert::AsRef::as_ref).collect();
        args.insert(1, array.as_os_str());
        refused(&args, "s3://bucket/out");
    }
    refused(&["convert".as_ref(), "--in-place".as_ref()], "http://host/x");
}

#[test]
fn policy_41_addresses_of_this_machine_are_opened() {
    let folder = demo();
    let spaced = folder.path().join("a b.n5");
    fs::rename(folder.path().join("demo.n5"), &spaced).unwrap();
    let expected = run!("stats", "--json", spaced.join("raw/s0")).code(0).json();
    for beginning in ["file://", "file://localhost", "file:"] {
        let address = format!("{beginning}{}/a%20b.n5/raw/s0", folder.path().display());
        assert_eq!(run!("stats", "--json", &address).code(0).json(), expected, "{address}");
    }
    let address = |name: &str| format!("file://{}/{name}", folder.path().display());
    let out = run!("ls", address("a%20b.n5")).code(0).out;
    assert!(out.contains("raw") && !out.contains("%20"), "{out}");
    run!("cat", address("a%20b.n5/raw/s0"), "--format", "npy", "-o", address("out%2B.npy")).code(0);
    assert!(folder.path().join("out+.npy").is_file());
    run!("convert", address("a%20b.n5"), address("new.n5"), "--block-size", "8,8,8").code(0);
    run!("diff", spaced.join("raw/s0"), folder.path().join("new.n5/raw/s0")).code(0);
    run!("block", address("a%20b.n5/raw/s0/0/0/0")).code(0);
    let missing = run!("info", address("no%20where")).code(3);
    assert!(missing.err.contains("no where"), "{}", missing.err);
}

#[test]
fn policy_39_numbers_that_are_no_json_hide_no_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("nan.n5");
    write(root.join("attributes.json"), r#"{"n5": "2.5.0", "background": NaN}"#);
    let own = attributes("[3]", "[3]", "uint8", r#"{"type":"raw"}"#).replacen('{', r#"{"limits":{"min":NaN,"max":-Infinity},"#, 1);
    write(root.join("own/attributes.json"), &own);
    write(root.join("own/0"), support::hex("0000 0001 00000003 07 07 07"));
    write(root.join("grp/attributes.json"), r#"{"resolution": [NaN]}"#);
    // Numbers and texts that no type holds stay text, and hide nothing either.
    write(root.join("odd/attributes.json"), r#"{"large": 1e999, "half": "\ud800", "note": 7}"#);
    write(root.join("grp/s0/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"raw"}"#));

    let info = run!("info", "--json", "--attributes", &root).code(0).json();
    assert_eq!(info[0]["root"]["attributes"], serde_json::json!({"background": "NaN"}));
    assert_eq!(info[0]["n5_version"], "2.5.0");
    let child = |path: &str| {
        let children = info[0]["root"]["children"].as_array().unwrap();
        children.iter().find(|child| child["path"] == path).unwrap_or_else(|| panic!("{info}")).clone()
    };
    assert_eq!(child("own")["attributes"], serde_json::json!({"limits": {"min": "NaN", "max": "-Infinity"}}));
    assert_eq!(child("grp")["attributes"], serde_json::json!({"resolution": ["NaN"]}));
    assert_eq!(child("odd")["attributes"], serde_json::json!({"large": "1e999", "half": "\"\\ud800\"", "note": 7}));
    assert!(run!("info", &root).code(0).out.contains("own"));
    assert_eq!(run!("cat", root.join("own"), "--format", "text").code(0).out.split_whitespace().collect::<Vec<_>>(), ["7", "7", "7"]);
    run!("verify", &root).code(0);

    for (way, document) in [(&["--to-zarr"][..], "zarr.json"), (&["--to-n5", "--block-size", "2"], "attributes.json")] {
        let output = folder.path().join(document);
        let mut args: Vec<std::ffi::OsString> = vec!["convert".into(), (&root).into(), (&output).into()];
        args.extend(way.iter().map(Into::into));
        zn5(args).code(0);
        for (path, part) in [("own", r#""min":"NaN","max":"-Infinity""#), ("grp", r#""resolution":"#)] {
            let text = fs::read_to_string(output.join(path).join(document)).unwrap();
            let parsed: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
            assert!(text.contains(part) && parsed.is_object(), "{text}");
        }
        run!("diff", root.join("own"), output.join("own")).code(0);
    }
    run!("convert", "--in-place", &root).code(0);
    let zarr = fs::read_to_string(root.join("own/zarr.json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&zarr).is_ok(), "{zarr}");
    assert_eq!(fs::read_to_string(root.join("own/attributes.json")).unwrap(), own);
}

#[test]
fn usage_ends_with_2() {
    for args in [&["info"][..], &["nonsense"], &[], &["cat", "x", "--format", "tiff"], &["convert", "x"], &["-j", "many", "info", "x"]] {
        zn5(args).code(2);
    }
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    run!("view", &array, "--at", "2=99").code(2);
    run!("view", &array, "--at", "0=1").code(2);
    run!("view", &array, "--axes", "0").code(2);
    run!("view", &array, "--axes", "0,0").code(2);
    run!("view", &array, "--rgb", "1").code(2);
    run!("view", &array, "--region", "0:0,:,:").code(2);
}

#[test]
fn one_unsupported_or_broken_node_spoils_nothing_else() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    write(container.join("jpeg/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"jpeg"}"#));
    let info = run!("info", "--json", &container).code(0).json();
    let jpeg = info[0]["root"]["children"].as_array().unwrap().iter().find(|child| child["path"] == "jpeg").unwrap();
    assert_eq!(jpeg["kind"], "unsupported");
    assert!(jpeg["reason"].as_str().unwrap().contains("jpeg"));
    assert!(run!("ls", &container).code(0).out.contains("jpeg"));
    run!("verify", &container).code(4);
    let direct = run!("cat", container.join("jpeg")).code(4);
    assert!(direct.err.contains("jpeg"), "{}", direct.err);

    // Blocks of another mode are no damage, and are told once for the array.
    write(container.join("multiset/attributes.json"), attributes("[4]", "[2]", "uint8", r#"{"type":"raw"}"#));
    for key in ["0", "1"] {
        write(container.join("multiset").join(key), support::hex("0001 0001 00000002 00000003 01 02 03"));
    }
    let report = run!("verify", "--json", &container).code(4).json();
    let told: Vec<_> =
        report["unsupported"].as_array().unwrap().iter().filter(|entry| entry["path"].as_str().unwrap().ends_with("multiset")).collect();
    assert!(told.len() == 1 && told[0]["reason"].as_str().unwrap().contains("2 blocks, the first "), "{report}");
    assert!(run!("info", &container).code(0).out.contains("varlength blocks, which zn5 does not decode"));

    // Unreadable metadata are damage.
    write(container.join("broken/attributes.json"), "{\"dimensions\":");
    let report = run!("verify", "--json", &container).code(1).json();
    assert_eq!(report["problems"][0]["kind"], "INVALID_JSON");
    // A path that is not there does not keep the others from being looked at. Damage counts more.
    let two = run!("info", folder.path().join("nowhere"), &container).code(1);
    assert!(two.out.contains("raw/") && two.err.contains("nowhere"));
    fs::remove_dir_all(container.join("broken")).unwrap();
    run!("info", folder.path().join("nowhere"), &container).code(3);
}

#[test]
fn arrays_of_no_axis_one_axis_and_no_element_are_fine() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("zero", "[]", "[]", "0000 0000 0102", "258\n", Some((1, 1))),
        ("one", "[3]", "[3]", "0000 0001 00000003 0001 0002 ffff", "1\t2\t-1\n", Some((3, 1))),
        ("none", "[0,5]", "[2,2]", "", "", None),
    ];
    for (name, dimensions, block_size, block, text, size) in cases {
        let array = folder.path().join(name);
        write(array.join("attributes.json"), attributes(dimensions, block_size, "int16", r#"{"type":"raw"}"#));
        if !block.is_empty() {
            write(array.join("0"), support::hex(block));
        }
        run!("info", &array).code(0);
        run!("verify", &array).code(0);
        run!("stats", &array).code(0);
        run!("diff", &array, &array).code(0);
        assert_eq!(run!("cat", &array, "--format", "text").code(0).out, text, "{name}");
        let picture = run!("-q", "view", &array, "-o", "-");
        match size {
            None => assert!(picture.code(2).err.contains("no elements")),
            Some(size) => {
                let (width, height, ..) = support::png(&picture.code(0).bytes);
                assert_eq!((width, height), size, "{name}");
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn links_that_lead_back_are_left_out_and_others_followed() {
    use std::os::unix::fs::symlink;
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let nodes = |args: &str| run!("ls", args, &container).code(0).out.lines().count();
    let before = nodes("-r");
    // Two that each lead to the other, many that lead up: each path through them would be another node.
    for (at, target) in [("raw/to_labels", "../labels"), ("labels/to_raw", "../raw")] {
        symlink(target, container.join(at)).unwrap();
    }
    for index in 0..8 {
        symlink("..", container.join(format!("raw/up{index}"))).unwrap();
        symlink(".", container.join(format!("labels/same{index}"))).unwrap();
        symlink(&container, container.join(format!("root{index}"))).unwrap();
    }
    symlink("raw/s0", container.join("default")).unwrap();
    // Beside `default` each of the two groups once more, with three levels, below the other.
    assert_eq!(nodes("-r"), before + 1 + 8);
    assert_eq!(nodes("-l"), 3);
    run!("verify", &container).code(0);
    run!("diff", container.join("default"), container.join("raw/s0")).code(0);
    run!("cat", &container).code(2);
}

#[test]
#[cfg(unix)]
fn what_the_system_refuses_ends_verify_with_3_unless_something_is_damaged() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    write(array.join("attributes.json"), attributes("[4]", "[2]", "uint8", r#"{"type":"raw"}"#));
    symlink("0", array.join("0")).unwrap();
    assert_eq!(run!("verify", "--json", &array).code(3).json()["problems"][0]["kind"], "IO");
    fs::create_dir(folder.path().join("group")).unwrap();
    symlink("attributes.json", folder.path().join("group/attributes.json")).unwrap();
    assert_eq!(run!("verify", "--json", folder.path()).code(3).json()["problems"].as_array().unwrap().len(), 2);
    write(array.join("1"), "");
    run!("verify", &array).code(1);
}

#[test]
fn outputs_are_files_or_a_dash_and_failures_name_them() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    let direct = run!("cat", &array, "--format", "raw").code(0).bytes;
    let run = support::command().current_dir(folder.path()).args(["cat", "demo.n5/raw/s0", "-o", "-"]).output().unwrap();
    assert!(run.status.success() && run.stdout == direct && run.stderr.is_empty() && !folder.path().join("-").exists());
    #[cfg(target_os = "linux")]
    for command in ["cat", "view"] {
        let full = run!(command, &array, "-o", "/dev/full").code(3);
        assert!(full.err.contains("/dev/full: cannot write") && full.err.contains("make room"), "{}", full.err);
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = demo();
    for (command_name, more) in [("cat", &["--format", "csv"][..]), ("cat", &["--format", "raw"]), ("info", &["--json"])] {
        let path = folder.path().join("demo.n5/raw/s0");
        let mut child = command().arg(command_name).arg(&path).args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert!(status.success() && err.is_empty(), "{command_name} {more:?}: {status} {err}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130_and_leaves_no_half_block() {
    let folder = tempfile::tempdir().unwrap();
    run!("-q", "demo", "--size", "200,150,80", folder.path()).code(0);
    let target = folder.path().join("slow.n5");
    let mut child = command()
        .args(["-q", "-j1", "convert", "--compression", "xz:9", "--block-size", "8,8,8"])
        .args([&folder.path().join("demo.n5"), &target])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !target.join("labels/s0/attributes.json").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "the conversion never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("is not complete") && err.contains("interrupted"), "{err}");
    let report = run!("verify", "--json", &target).json();
    assert_eq!((&report["problems"], &report["stray"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn colours_obey_no_color_and_quiet_is_quiet() {
    let folder = demo();
    let path = folder.path().join("demo.n5/raw/s0");
    let output = command().arg("info").arg(&path).env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b) && output.stderr.is_empty());
    assert!(run!("-q", "view", &path, "-o", folder.path().join("x.png")).code(0).err.is_empty());
    assert!(!run!("view", &path, "-o", folder.path().join("x.png")).code(0).err.is_empty());
}

#[test]
fn every_command_has_help_with_examples() {
    let commands = ["info", "ls", "view", "cat", "stats", "verify", "diff", "convert", "block", "demo", "completions", "man"];
    for name in commands {
        let help = zn5([name, "--help"]).code(0).out;
        assert!(help.contains("Examples:") && help.contains(&format!("zn5 {name}")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{name}: {help}");
    }
    let help = zn5(["--help"]).code(0).out;
    assert!(commands.iter().all(|name| help.contains(name)) && help.contains("Exit codes"));
    let version = zn5(["--version"]).code(0).out;
    assert!(version.starts_with("zn5 ") && version.contains("compressors: zstd"), "{version}");
    assert_eq!(zn5(["-V"]).code(0).out.lines().count(), 1);
}

#[test]
fn completions_and_manual_pages_are_complete() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = zn5(["completions", shell]).code(0).out;
        assert!(script.contains("verify") && script.contains("in-place"), "{shell}");
    }
    assert!(zn5(["man"]).code(0).out.starts_with(".ie") || zn5(["man"]).out.contains(".TH"));
    let folder = tempfile::tempdir().unwrap();
    run!("man", folder.path()).code(0);
    let mut pages: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    pages.sort();
    assert_eq!(pages.len(), 13);
    assert!(pages.contains(&"zn5.1".to_owned()) && pages.contains(&"zn5-convert.1".to_owned()));
    assert!(fs::read_to_string(folder.path().join("zn5-view.1")).unwrap().contains(".TH ZN5-VIEW"));
}
