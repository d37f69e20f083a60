//! Arrays of which little is stored: every command takes time for that and for its output, and
//! gives what a full array would.
//!
//! Expected values are computed from the elements by definition, or by formula where there are too
//! many.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod support;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use support::{files, npy, png, write};

/// How blocks are named and stored: N5, or Zarr with one of its encodings of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    N5,
    Zarr { prefix: &'static str, separator: char },
}

const DIALECTS: [Dialect; 5] = [
    Dialect::N5,
    Dialect::Zarr { prefix: "c/", separator: '/' },
    Dialect::Zarr { prefix: "c.", separator: '.' },
    Dialect::Zarr { prefix: "", separator: '.' },
    Dialect::Zarr { prefix: "", separator: '/' },
];

/// An array that a test writes by hand.
struct Array {
    path: PathBuf,
    dialect: Dialect,
    shape: Vec<u64>,
    block: Vec<u64>,
    data_type: &'static str,
}

impl Array {
    fn new(path: PathBuf, dialect: Dialect, (shape, block): (&[u64], &[u64]), data_type: &'static str, fill: &str) -> Self {
        let (name, document) = match dialect {
            Dialect::N5 => (
                "attributes.json",
                format!(r#"{{"dimensions":{shape:?},"blockSize":{block:?},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#),
            ),
            Dialect::Zarr { prefix, separator } => {
                let keys = if prefix.is_empty() { "v2" } else { "default" };
                let document = format!(
                    r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{data_type}","fill_value":{fill},"chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{block:?}}}}},"chunk_key_encoding":{{"name":"{keys}","configuration":{{"separator":"{separator}"}}}},"codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}]}}"#
                );
                ("zarr.json", document)
            }
        };
        write(path.join(name), document);
        Self { path, dialect, shape: shape.to_vec(), block: block.to_vec(), data_type }
    }

    fn bytes(&self, value: f64, big: bool) -> Vec<u8> {
        let little = match self.data_type {
            "uint8" => vec![value as u8],
            "int16" => (value as i16).to_le_bytes().to_vec(),
            "uint16" => (value as u16).to_le_bytes().to_vec(),
            "uint64" => (value as u64).to_le_bytes().to_vec(),
            "float32" => (value as f32).to_le_bytes().to_vec(),
            "float64" => value.to_le_bytes().to_vec(),
            other => panic!("{other}"),
        };
        if big { little.into_iter().rev().collect() } else { little }
    }

    /// Stores a block whose elements have these values; at the edge N5's blocks are cut unless they
    /// are `padded`, with a value of no use.
    fn put(&self, position: &[u64], padded: bool, value: &dyn Fn(&[u64]) -> f64) {
        let begin: Vec<u64> = position.iter().zip(&self.block).map(|(at, block)| at * block).collect();
        let is_n5 = self.dialect == Dialect::N5;
        let extent = |axis: usize| if is_n5 && !padded { self.block[axis].min(self.shape[axis] - begin[axis]) } else { self.block[axis] };
        let extents: Vec<u64> = (0..begin.len()).map(extent).collect();
        let mut bytes = Vec::new();
        if is_n5 {
            bytes.extend([0, 0, 0, extents.len() as u8]);
            bytes.extend(extents.iter().flat_map(|&extent| u32::try_from(extent).unwrap().to_be_bytes()));
        }
        // N5's first axis is fastest, the last one of this chain of Zarr.
        for index in positions(&extents, is_n5) {
            let at: Vec<u64> = index.iter().zip(&begin).map(|(index, begin)| index + begin).collect();
            let inside = at.iter().zip(&self.shape).all(|(at, extent)| at < extent);
            bytes.extend(self.bytes(if inside { value(&at) } else { 99.0 }, is_n5));
        }
        let join = |separator: &str| position.iter().map(u64::to_string).collect::<Vec<_>>().join(separator);
        let key = match self.dialect {
            Dialect::Zarr { prefix: "c/" | "c.", .. } if position.is_empty() => "c".to_owned(),
            _ if position.is_empty() => "0".to_owned(),
            Dialect::N5 => join("/"),
            Dialect::Zarr { prefix, separator } => format!("{prefix}{}", join(&separator.to_string())),
        };
        write(self.path.join(key), bytes);
    }
}

/// All positions of a box.
fn positions(extents: &[u64], first_fastest: bool) -> Vec<Vec<u64>> {
    if first_fastest {
        let mut all = positions(&extents.iter().rev().copied().collect::<Vec<_>>(), false);
        for position in &mut all {
            position.reverse();
        }
        return all;
    }
    extents.iter().fold(vec![vec![]], |all, &extent| {
        all.iter().flat_map(|tuple: &Vec<u64>| (0..extent).map(|index| [&tuple[..], &[index]].concat())).collect()
    })
}

/// Runs what would take minutes if it followed the grid.
fn quick<T>(run: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = run();
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    result
}

/// One block of 64³ of value 3 in 2048³.
fn one(folder: &Path, dialect: Dialect) -> Array {
    let array = Array::new(folder.to_owned(), dialect, (&[2048, 2048, 2048], &[64, 64, 64]), "uint8", "0");
    array.put(&[5, 6, 7], false, &|_| 3.0);
    array
}

#[test]
fn policy_46_one_block_of_a_large_array_costs_one_block() {
    let folder = tempfile::tempdir().unwrap();
    let total = 2048_u64.pow(3);
    let block = 64_u64.pow(3);
    let share = block as f64 / total as f64;
    for (index, dialect) in DIALECTS.into_iter().enumerate() {
        let array = one(&folder.path().join(format!("one{index}")), dialect);
        let stats = quick(|| run!("stats", "--json", &array.path).code(0).json());
        assert_eq!((&stats["min"], &stats["max"], &stats["unique"]), (&0.into(), &3.into(), &2.into()));
        assert_eq!(stats["count"], 8_589_934_592_u64);
        assert_eq!(stats["zero_count"], 8_589_672_448_u64);
        let (mean, std) = (stats["mean"].as_f64().unwrap(), stats["std"].as_f64().unwrap());
        assert!((mean / (3.0 * share) - 1.0).abs() < 1e-12, "{mean}");
        assert!((std / (3.0 * (share * (1.0 - share)).sqrt()) - 1.0).abs() < 1e-12, "{std}");
        assert!(stats["percentiles"].as_array().unwrap().iter().all(|percentile| percentile["value"] == 0.0));
        let half = quick(|| run!("stats", "--json", &array.path, "--region", "350:,:,:500").code(0).json());
        assert_eq!(half["count"], (2048_u64 - 350) * 2048 * 500);
        assert_eq!(half["zero_count"], (2048_u64 - 350) * 2048 * 500 - 34 * 64 * 52);

        let verified = quick(|| run!("verify", "--json", &array.path).code(0).json());
        assert_eq!(verified["blocks"], 1);
        let picture = quick(|| run!("-q", "view", &array.path, "--axes", "0,1", "--max", "2", "--range", "0,3", "-o", "-").code(0));
        let (width, height, _, pixels) = png(&picture.bytes);
        assert_eq!((width, height), (2048, 2048));
        for (x, y) in [(319, 384), (320, 383), (384, 384), (320, 448)] {
            assert_eq!(pixels[y * 2048 + x], 0);
        }
        assert_eq!((pixels[384 * 2048 + 320], pixels[447 * 2048 + 383]), (255, 255));
        assert_eq!(pixels.iter().map(|&pixel| u64::from(pixel)).sum::<u64>(), 255 * 64 * 64);
        // The plane through the block, and the one beside it.
        for (at, white) in [("2=500", 64 * 64), ("2=512", 0)] {
            let picture = quick(|| run!("-q", "view", &array.path, "--axes", "0,1", "--at", at, "--range", "0,3", "-o", "-").code(0));
            assert_eq!(png(&picture.bytes).3.iter().map(|&pixel| u64::from(pixel)).sum::<u64>(), 255 * white);
        }
        let line = quick(|| run!("cat", &array.path, "--region", ":,400,480", "--format", "raw").code(0).bytes);
        assert_eq!(line.len(), 2048);
        assert!(line.iter().enumerate().all(|(at, &value)| value == if (320..384).contains(&at) { 3 } else { 0 }));
    }
}

#[test]
fn policy_46_arrays_are_compared_by_what_either_has_stored() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let a = one(&place("a"), Dialect::N5);
    for (index, dialect) in DIALECTS.into_iter().enumerate() {
        let b = one(&place(&format!("same{index}")), dialect);
        let same = quick(|| run!("diff", "--json", &a.path, &b.path).code(0).json());
        assert_eq!((&same["arrays"][0]["compared"], &same["arrays"][0]["differing"]), (&8_589_934_592_u64.into(), &0.into()));
    }
    // Other blocks: of 96, which cut those of 64, and small ones; one element differs that only
    // this side has stored.
    for (name, block) in [("of96", 96), ("of20", 20), ("of128", 128)] {
        let b = Array::new(place(name), Dialect::Zarr { prefix: "c/", separator: '/' }, (&[2048; 3], &[block; 3]), "uint8", "0");
        let inside = |at: &[u64]| at.iter().zip([320, 384, 448]).all(|(&at, begin)| (begin..begin + 64).contains(&at));
        let counts = [320, 384, 448].map(|begin| (begin + 63) / block - begin / block + 1);
        for position in positions(&counts, false) {
            let position: Vec<u64> = position.iter().zip([320, 384, 448]).map(|(at, begin)| at + begin / block).collect();
            b.put(&position, false, &|at| if inside(at) { 3.0 } else { 0.0 });
        }
        let same = quick(|| run!("diff", "--json", &a.path, &b.path).code(0).json());
        assert_eq!(same["arrays"][0]["compared"], 8_589_934_592_u64, "{name}");
        b.put(&[1, 2, 15], false, &|at| if at == [block, block * 2 + 1, block * 15 + 2] { 5.0 } else { 0.0 });
        let report = quick(|| run!("diff", "--json", &a.path, &b.path).code(1).json());
        let array = &report["arrays"][0];
        assert_eq!((&array["differing"], &array["first"]["b"]), (&1.into(), &"5".into()), "{name}");
        assert_eq!(array["first"]["position"], serde_json::json!([block, block * 2 + 1, block * 15 + 2]));
        // And the other way round, where it is A that has more; outside of the region nothing
        // differs.
        let report = quick(|| run!("diff", "--json", &b.path, &a.path).code(1).json());
        assert_eq!(report["arrays"][0]["first"]["a"], "5");
        quick(|| run!("diff", &b.path, &a.path, "--region", format!(":,:,:{}", block * 15 + 2)).code(0));
    }
    // Other fill values: what neither has stored differs, and is counted.
    let seven = Array::new(place("seven"), Dialect::Zarr { prefix: "c.", separator: '.' }, (&[2048; 3], &[64; 3]), "uint8", "7");
    seven.put(&[5, 6, 7], false, &|_| 3.0);
    seven.put(&[0, 0, 0], false, &|_| 0.0);
    let report = quick(|| run!("diff", "--json", &a.path, &seven.path).code(1).json());
    let array = &report["arrays"][0];
    assert_eq!(array["differing"], 8_589_934_592_u64 - 2 * 64_u64.pow(3));
    assert_eq!(
        array["first"],
        serde_json::json!({"position": [64, 0, 0], "position_numpy": [0, 0, 64], "position_numpy_b": [64, 0, 0], "a": "0", "b": "7"})
    );
    quick(|| run!("diff", &a.path, &seven.path, "--tolerance", "7").code(0));
    quick(|| run!("diff", &a.path, &seven.path, "--tolerance", "6.9").code(1));
    quick(|| run!("diff", &a.path, &seven.path, "--region", "330:370,390:400,448:512").code(0));
    let cut = quick(|| run!("diff", "--json", &a.path, &seven.path, "--region", "60:70,63:65,0").code(1).json());
    assert_eq!(cut["arrays"][0]["differing"], 20 - 4);
    assert_eq!(cut["arrays"][0]["first"]["position"], serde_json::json!([64, 63, 0]));
}

/// What `stats` is to say of elements.
fn check_stats(stats: &serde_json::Value, elements: &[f64], exact: bool, what: &str) {
    let numbers: Vec<f64> = elements.iter().copied().filter(|value| !value.is_nan()).collect();
    assert_eq!(stats["count"], elements.len(), "{what}");
    assert_eq!(stats["nan_count"], elements.len() - numbers.len(), "{what}");
    assert_eq!(stats["zero_count"], numbers.iter().filter(|value| **value == 0.0).count(), "{what}");
    if numbers.is_empty() {
        assert!(stats["min"].is_null() && stats["mean"].is_null(), "{what}");
        return;
    }
    let mut sorted = numbers.clone();
    sorted.sort_by(f64::total_cmp);
    let near = |name: &str, value: f64| {
        let said = stats[name].as_f64().unwrap();
        assert!((said - value).abs() <= 1e-9 * value.abs().max(1.0), "{what}: {name} {said} and not {value}");
    };
    near("min", sorted[0]);
    near("max", sorted[sorted.len() - 1]);
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    near("mean", mean);
    near("std", (numbers.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / numbers.len() as f64).sqrt());
    for percentile in stats["percentiles"].as_array().unwrap() {
        let rank = (percentile["percent"].as_f64().unwrap() as usize * numbers.len()).div_ceil(100).max(1);
        let (said, value) = (percentile["value"].as_f64().unwrap(), sorted[rank - 1]);
        assert!((said - value).abs() <= if exact { 0.0 } else { 2e-3 * value.abs() }, "{what}: {percentile} and not {value}");
    }
    if !stats["unique"].is_null() {
        assert_eq!(stats["unique"], numbers.iter().map(|value| value.to_bits()).collect::<BTreeSet<_>>().len(), "{what}");
    }
}

/// Shape, blocks, type, fill value, and a region.
type Case = (&'static [u64], &'static [u64], &'static str, &'static str, &'static str);

#[test]
fn policy_46_ranks_fill_values_and_regions_give_what_full_arrays_give() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [Case; 9] = [
        (&[50], &[7], "uint8", "255", "3:44"),
        (&[50], &[7], "float64", "\"-Infinity\"", "3:44"),
        (&[11, 9], &[4, 3], "int16", "-1", "1:10,2:"),
        (&[11, 9], &[4, 3], "uint64", "7", ":,8"),
        (&[9, 8, 7], &[2, 3, 4], "float32", "\"NaN\"", "1:8,:,3:"),
        (&[9, 8, 7], &[2, 3, 4], "uint8", "7", "5,1:7,:"),
        (&[5, 4, 6, 5], &[2, 2, 3, 5], "uint16", "65535", ":,1:3,2:5,:4"),
        (&[3, 4, 2, 5, 3], &[2, 3, 1, 2, 2], "int16", "0", ":,:,1,1:,:2"),
        (&[3, 4, 2, 5, 3], &[1, 1, 1, 1, 1], "float32", "2.5", "1:,:,:,:,:"),
    ];
    for (number, (shape, block, data_type, fill, region)) in cases.into_iter().enumerate() {
        for index in [0, 1 + number % 4] {
            let dialect = DIALECTS[index];
            let what = format!("{shape:?} {data_type} {fill} {dialect:?}");
            let fill = if dialect == Dialect::N5 { "0" } else { fill };
            let fill_value = match fill.trim_matches('"') {
                "-Infinity" => f64::NEG_INFINITY,
                text => text.parse().unwrap(),
            };
            let array =
                |name: &str| Array::new(folder.path().join(format!("{name}-{number}-{index}")), dialect, (shape, block), data_type, fill);
            let (sparse, dense) = (array("sparse"), array("dense"));
            let grid: Vec<u64> = shape.iter().zip(block).map(|(extent, block)| extent.div_ceil(*block)).collect();
            let is_stored = |position: &[u64]| position.iter().sum::<u64>() % 3 == 1;
            let value = |at: &[u64]| at.iter().fold(3, |sum, at| (sum * 7 + at) % 23) as f64;
            let expected = |at: &[u64]| {
                let position: Vec<u64> = at.iter().zip(block).map(|(at, block)| at / block).collect();
                if is_stored(&position) { value(at) } else { fill_value }
            };
            for position in positions(&grid, false) {
                // Every other one with the whole extents of a block.
                let padded = position.iter().sum::<u64>() % 2 == 0;
                dense.put(&position, padded, &expected);
                if is_stored(&position) {
                    sparse.put(&position, padded, &value);
                }
            }
            let whole: Vec<f64> = positions(shape, true).iter().map(|at| expected(at)).collect();
            let exact = matches!(data_type, "uint8" | "int16" | "uint16");
            // Infinity spoils every sum.
            if fill_value.is_finite() || fill_value.is_nan() {
                check_stats(&run!("stats", "--json", &sparse.path).code(0).json(), &whole, exact, &what);
            }
            let both = |args: &[&str]| {
                let run = |array: &Array| {
                    let path = array.path.clone().into_os_string();
                    let args = args.iter().map(|arg| if *arg == "PATH" { path.clone() } else { (*arg).into() });
                    support::zn5(args).code(0)
                };
                (run(&sparse), run(&dense))
            };
            for args in [
                &["stats", "--json", "PATH"][..],
                &["stats", "--json", "PATH", "--region", region],
                &["cat", "PATH", "--format", "raw"],
                &["cat", "PATH", "--format", "csv", "--region", region],
                &["-q", "view", "PATH", "-o", "-"],
                &["-q", "view", "PATH", "--max", "-o", "-"],
                &["-q", "view", "PATH", "--max", "--region", region, "--range", "-30,30", "-o", "-"],
            ] {
                let (a, b) = both(args);
                if args[0] == "stats" {
                    let (mut a, mut b) = (a.json(), b.json());
                    for name in ["mean", "std"] {
                        // Added up in another order.
                        let (near, to) = (a[name].as_f64(), b[name].as_f64());
                        assert!(near.zip(to).is_none_or(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0)), "{what} {near:?} {to:?}");
                        assert_eq!(near.is_some(), to.is_some(), "{what} {name}");
                        a[name] = b[name].clone();
                    }
                    a["path"] = b["path"].clone();
                    b["unique"] = a["unique"].clone();
                    assert_eq!(a, b, "{what} {args:?}");
                } else {
                    assert!(a.bytes == b.bytes, "{what} {args:?}");
                }
            }
            run!("diff", &sparse.path, &dense.path).code(0);
            run!("diff", &dense.path, &sparse.path, "--region", region).code(0);
            run!("verify", &sparse.path).code(0);
        }
    }
}

#[test]
fn policy_46_counts_go_beyond_64_bits() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let most = u64::MAX;
    for (number, extent) in [(1 << 31) + 5, (1 << 32) + 5, (1 << 53) + 1, i64::MAX.cast_unsigned(), 1 << 63, most].into_iter().enumerate() {
        let line = Array::new(place(&format!("line{number}")), Dialect::N5, (&[extent], &[1000]), "uint8", "0");
        let last = (extent - 1) / 1000;
        line.put(&[last], false, &|at| f64::from(u8::from(at[0] == extent - 1)) * 9.0);
        let stats = quick(|| run!("stats", "--json", &line.path).code(0));
        assert!(stats.out.contains(&format!("\"count\": {extent},")), "{}", stats.out);
        assert!(stats.out.contains(&format!("\"zero_count\": {},", extent - 1)), "{}", stats.out);
        let stats = stats.json();
        assert_eq!((&stats["max"], &stats["unique"]), (&9.into(), &2.into()));
        let (mean, std) = (9.0 / extent as f64, 9.0 / (extent as f64).sqrt());
        assert!((stats["mean"].as_f64().unwrap() / mean - 1.0).abs() < 1e-12, "{}", stats["mean"]);
        assert!((stats["std"].as_f64().unwrap() / std - 1.0).abs() < 1e-9, "{}", stats["std"]);
        let empty = Array::new(place(&format!("empty{number}")), Dialect::N5, (&[extent], &[70]), "uint8", "0");
        let report = quick(|| run!("diff", &line.path, &empty.path).code(1).out);
        assert!(report.contains(&format!("1 of {extent} voxels differ, the first at [{}]: 9 and 0", extent - 1)), "{report}");
        let tail = run!("cat", &line.path, "--region", "-3:", "--format", "csv").code(0).out;
        assert!(tail.ends_with(&format!("{},9\n", extent - 1)), "{tail}");
        let columns = run!("-q", "view", &line.path, "--region", "-10:", "--range", "0,9", "-o", "-").code(0);
        assert_eq!(png(&columns.bytes).3, [0, 0, 0, 0, 0, 0, 0, 0, 0, 255]);
    }
    let zarr = Dialect::Zarr { prefix: "c/", separator: '/' };
    let square = Array::new(place("square"), zarr, (&[most, most], &[10, 10]), "int16", "-1");
    square.put(&[0, 1 << 40], false, &|_| 0.0);
    let stats = quick(|| run!("stats", "--json", &square.path).code(0).out);
    // (2^64 - 1)²
    assert!(stats.contains("\"count\": 340282366920938463426481119284349108225,"), "{stats}");
    assert!(stats.contains("\"zero_count\": 100,") && stats.contains("\"min\": -1,"), "{stats}");
    let text = quick(|| run!("stats", &square.path).code(0).out);
    assert!(text.contains("340282366920938463426481119284349108225"), "{text}");
    let zeros = Array::new(place("zeros"), zarr, (&[most, most], &[10, 10]), "int16", "0");
    let report = quick(|| run!("diff", "--json", &square.path, &zeros.path).code(1).out);
    assert!(report.contains("\"differing\": 340282366920938463426481119284349108125,"), "{report}");
    assert!(quick(|| run!("-q", "view", &square.path, "--region", "5:15,:", "--axes", "0,1", "-o", "-").code(2)).err.contains("too large"));
    // More than 2^128: the counts stay at their end.
    let cube = Array::new(place("cube"), zarr, (&[most, most, most], &[10, 10, 10]), "uint8", "0");
    cube.put(&[1, 2, 3], false, &|_| 1.0);
    let stats = quick(|| run!("stats", "--json", &cube.path).code(0).out);
    assert!(stats.contains("\"count\": 340282366920938463463374607431768211455,") && stats.contains("\"max\": 1,"), "{stats}");
    let maximum = quick(|| {
        run!("-q", "view", &cube.path, "--region", "8:22,19:31,:", "--axes", "0,1", "--max", "2", "--range", "0,1", "-o", "-").code(0)
    });
    assert_eq!(png(&maximum.bytes).3.iter().map(|&pixel| u64::from(pixel)).sum::<u64>(), 255 * 10 * 10);
    // 14208 x 10688 x 12032 of a light sheet with three blocks.
    let (shape, block) = ([14208, 10688, 12032], [128, 128, 128]);
    let tile = Array::new(place("tile"), Dialect::N5, (&shape, &block), "uint16", "0");
    for position in [[0, 0, 0], [110, 83, 93], [55, 41, 47]] {
        tile.put(&position, false, &|at| (1 + (at[0] + at[1] + at[2]) % 50) as f64);
    }
    let stats = quick(|| run!("stats", "--json", &tile.path).code(0).json());
    let total: u64 = shape.iter().product();
    // The last block has 64 more along the second axis, all others are whole.
    let stored = 2 * 128_u64.pow(3) + 128 * (10688 - 83 * 128) * 128;
    assert_eq!((&stats["count"], &stats["zero_count"]), (&total.into(), &(total - stored).into()));
    assert_eq!(stats["unique"], 51);
    quick(|| run!("diff", &tile.path, &tile.path).code(0));
}

#[test]
fn policy_46_empty_arrays_and_single_elements_are_arrays_too() {
    let folder = tempfile::tempdir().unwrap();
    for (index, dialect) in DIALECTS.into_iter().enumerate() {
        let place = |name: &str| folder.path().join(format!("{name}{index}"));
        let empty = Array::new(place("empty"), dialect, (&[5, 0, 1 << 40], &[2, 2, 2]), "uint8", "0");
        let stats = quick(|| run!("stats", "--json", &empty.path).code(0).json());
        assert_eq!((&stats["count"], &stats["min"]), (&0.into(), &serde_json::Value::Null));
        run!("diff", &empty.path, &empty.path).code(0);
        assert!(run!("cat", &empty.path, "--format", "raw").code(0).bytes.is_empty());
        for stored in [false, true] {
            let scalar = Array::new(place(&format!("scalar{stored}-")), dialect, (&[], &[]), "int16", "0");
            if stored {
                scalar.put(&[], false, &|_| -5.0);
            }
            let value = if stored { -5 } else { 0 };
            let stats = run!("stats", "--json", &scalar.path).code(0).json();
            assert_eq!((&stats["count"], &stats["min"], &stats["max"]), (&1.into(), &value.into(), &value.into()), "{dialect:?}");
            assert_eq!(run!("cat", &scalar.path, "--format", "csv").code(0).out, format!("value\n{value}\n"));
            run!("-q", "view", &scalar.path, "--grey", "-o", "-").code(0);
            let target = place(&format!("copy{stored}-"));
            run!("-q", "convert", &scalar.path, &target, "--to-n5").code(0);
            run!("diff", &scalar.path, &target).code(0);
        }
        let differ = run!("diff", "--json", place("scalarfalse-"), place("scalartrue-")).code(1).json();
        assert_eq!(differ["arrays"][0]["first"], serde_json::json!({"position": [], "position_numpy": [], "a": "0", "b": "-5"}));
    }
}

#[test]
fn policy_46_missing_blocks_stay_missing_where_the_target_can_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let blocks = |path: &Path| files(path).keys().filter(|path| path.extension().is_none_or(|extension| extension != "json")).count();
    for (index, dialect) in DIALECTS.into_iter().enumerate() {
        let array = one(&place(&format!("one{index}")), dialect);
        let conversions: [(&[&str], [usize; 3]); 4] = [
            (&["--to-n5"], [64, 64, 64]),
            (&["--to-zarr", "--block-size", "32,32,32"], [32, 32, 32]),
            (&["--to-n5", "--block-size", "100,200,300"], [100, 200, 300]),
            (&["--to-n5", "--block-size", "96,96,96"], [96, 96, 96]),
        ];
        for (number, (options, size)) in conversions.into_iter().enumerate() {
            let target = place(&format!("copy{index}-{number}"));
            let args = [OsString::from("-q"), "convert".into(), array.path.clone().into(), target.clone().into()];
            quick(|| support::zn5(args.into_iter().chain(options.iter().map(Into::into))).code(0));
            quick(|| run!("diff", &array.path, &target).code(0));
            // The new blocks that hold one of the elements from (320, 384, 448) to (384, 448, 512).
            let touched = size.iter().zip([320_usize, 384, 448]).map(|(size, begin)| (begin + 63) / size - begin / size + 1);
            assert_eq!(blocks(&target), touched.product::<usize>(), "{dialect:?} {number}");
        }
    }
    for (name, fill) in [("seven", "7"), ("nan", "\"NaN\""), ("bits", "\"0x7fc00001\""), ("minus", "-0.0"), ("tenth", "0.1")] {
        let zarr = Dialect::Zarr { prefix: "c.", separator: '.' };
        let huge = Array::new(place(name), zarr, (&[2048, 2048, 2048], &[64, 64, 64]), "float32", fill);
        huge.put(&[31, 0, 5], false, &|at| at[2] as f64);
        let target = place(&format!("{name}.zarr"));
        quick(|| run!("-q", "convert", &huge.path, &target, "--to-zarr", "--compression", "zstd:1").code(0));
        assert_eq!(blocks(&target), 1);
        let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(target.join("zarr.json")).unwrap()).unwrap();
        let number = |value: &serde_json::Value| value.as_f64().map(f64::to_bits);
        let expected: serde_json::Value = serde_json::from_str(fill).unwrap();
        assert!(document["fill_value"] == expected || number(&document["fill_value"]) == number(&expected), "{document}");
        quick(|| run!("diff", &huge.path, &target).code(0));
        // Of N5 a missing block is 0, so what is missing becomes stored.
        let small = Array::new(place(&format!("{name}-small")), zarr, (&[10, 9], &[4, 4]), "float32", fill);
        small.put(&[1, 1], false, &|_| 0.0);
        let target = place(&format!("{name}.n5"));
        run!("-q", "convert", &small.path, &target, "--to-n5").code(0);
        run!("diff", &small.path, &target).code(0);
        assert_eq!(blocks(&target), 8, "of 9 blocks one is all zeros");
        let back = place(&format!("{name}-back.zarr"));
        run!("-q", "convert", &target, &back, "--to-zarr").code(0);
        run!("diff", &small.path, &back).code(0);
    }
}

#[test]
fn policy_46_maxima_know_which_lines_are_stored_whole() {
    let folder = tempfile::tempdir().unwrap();
    let zarr = Dialect::Zarr { prefix: "c/", separator: '/' };
    let array = |name: &str, fill: &str| Array::new(folder.path().join(name), zarr, (&[4, 2, 6], &[2, 2, 2]), "int16", fill);
    // Along the last axis: at x 0 and 1 all is stored, at 2 and 3 a part.
    let negative = |array: &Array| {
        for z in 0..3 {
            array.put(&[0, 0, z], false, &|at| -100.0 + at[2] as f64);
        }
        array.put(&[1, 0, 1], false, &|_| -50.0);
    };
    let pixels = |array: &Array, more: &[&str]| {
        let args = ["-q", "view"].into_iter().map(OsString::from).chain([array.path.clone().into_os_string()]);
        let args = args
            .chain(["--axes", "0,1", "--max", "2", "--range", "-100,-15", "-o", "-"].map(Into::into))
            .chain(more.iter().map(Into::into));
        png(&support::zn5(args).code(0).bytes).3
    };
    // The byte of a value: 3 for each of 85 steps.
    let byte = |value: i32| u8::try_from((value + 100) * 3).unwrap();
    let high = array("high", "-20");
    negative(&high);
    let row = [byte(-95), byte(-95), byte(-20), byte(-20)];
    assert_eq!(pixels(&high, &[]), [row, row].concat());
    let part = [byte(-97), byte(-97), byte(-50), byte(-50)];
    assert_eq!(pixels(&high, &["--region", ":,:,2:4"]), [part, part].concat());
    let low = array("low", "-90");
    negative(&low);
    let row = [byte(-95), byte(-95), byte(-50), byte(-50)];
    assert_eq!(pixels(&low, &[]), [row, row].concat());
    // Labels: the largest number.
    let labels = Array::new(folder.path().join("labels"), zarr, (&[4, 1, 4], &[2, 1, 2]), "uint64", "9");
    labels.put(&[0, 0, 0], false, &|_| 5.0);
    labels.put(&[0, 0, 1], false, &|_| 4.0);
    labels.put(&[1, 0, 1], false, &|_| 4.0);
    let picture = png(&run!("-q", "view", &labels.path, "--axes", "0,1", "--max", "2", "-o", "-").code(0).bytes).3;
    let colours: Vec<&[u8]> = picture.chunks(3).collect();
    assert!(colours[0] == colours[1] && colours[2] == colours[3] && colours[0] != colours[2]);
    let nine = Array::new(folder.path().join("nine"), zarr, (&[1, 1], &[1, 1]), "uint64", "9");
    assert_eq!(png(&run!("-q", "view", &nine.path, "-o", "-").code(0).bytes).3, colours[2]);
}

#[test]
fn policy_46_large_output_of_missing_blocks_costs_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let zarr = Dialect::Zarr { prefix: "c/", separator: '/' };
    // 16 million blocks of one element each.
    let array = Array::new(folder.path().join("tiny"), zarr, (&[4096, 4096], &[1, 1]), "uint8", "7");
    array.put(&[4095, 2], false, &|_| 1.0);
    let file = folder.path().join("out.npy");
    quick(|| run!("-q", "cat", &array.path, "-o", &file).code(0));
    let (header, bytes) = npy(&fs::read(&file).unwrap());
    assert!(header.contains("(4096, 4096)"), "{header}");
    assert!(bytes.iter().enumerate().all(|(at, &value)| value == if at == 4095 + 2 * 4096 { 1 } else { 7 }));
    let coarse = Array::new(folder.path().join("coarse"), zarr, (&[4096, 4096], &[512, 512]), "uint8", "7");
    let report = quick(|| run!("diff", "--json", &coarse.path, &array.path).code(1).json());
    assert_eq!((&report["arrays"][0]["differing"], &report["arrays"][0]["first"]["b"]), (&1.into(), &"1".into()));
}
