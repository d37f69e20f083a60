//! Memory of calls on large containers: many blocks are listed, verified and read, and large ones written, in memory that grows neither
//! with their number nor with the size of the array. Alone in its program, for the peak is that of the process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod dataset_support;

use std::fs;

use dataset_support::*;
use zn5::array::Source;
use zn5::dataset::{Dataset, Part, Region, list_nodes};
use zn5::model::{CodecOptions, Order};

const MEBIBYTE: u64 = 1 << 20;

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches([':', ' ', '\t']).trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
}

/// The peak of `work` above what was there before.
fn peak_of(work: impl FnOnce()) -> u64 {
    // Resets the peak.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS:");
    work();
    status("VmHWM:").saturating_sub(before)
}

#[test]
fn memory_does_not_grow_with_the_container() {
    let folder = folder("memory");
    let store = directory(&folder, true);
    let create =
        |path: &str, json: &str| Dataset::create(std::sync::Arc::clone(&store), path, json.as_bytes(), CodecOptions::default()).unwrap();

    let rows: u64 = if is_long() { 1000 } else { 20 };
    let json = format!(r#"{{"dimensions":[{},200],"blockSize":[2,2],"dataType":"uint8","compression":{{"type":"raw"}}}}"#, rows * 2);
    let many = create("many", &json);
    let row = vec![7_u8; 400];
    let mut blocks = 0;
    for at in 0..rows {
        write(&many, &[at * 2, 0], &[2, 200], &row, &threads(1)).unwrap();
    }
    let peak = peak_of(|| {
        let count = &mut |_: &[u64], _: &str| {
            blocks += 1;
            Ok(())
        };
        many.stored_blocks(count).unwrap();
        let bad = &mut |problem: zn5::dataset::Problem<'_>| -> bool { unreachable!("{}", problem.message) };
        many.verify(bad, &threads(2), Some(&mut |_, _| true)).unwrap();
        let (whole, mut parts) = (Region::new(&[0, 0], &[rows * 2, 200]).unwrap(), 0);
        let visit = &mut |part: Part<'_>| {
            parts += part.elements.len();
            Ok(())
        };
        many.read_stored((&whole, Order::C), &threads(2), Some(&mut |_, _| true), visit).unwrap();
        assert_eq!(parts, bytes_of(&[rows * 2, 200], 1));
        for at in 0..rows {
            assert_eq!(read(&many, &[at * 2, 0], &[2, 200], &threads(2)).unwrap(), row);
        }
        list_nodes(&store, "many", &mut |name, _| unreachable!("{name}")).unwrap();
    });
    assert_eq!(blocks, rows * 100);
    assert!(peak < 8 * MEBIBYTE, "{peak} bytes for {blocks} small blocks");

    // 64 blocks of 4 MiB from one element that is shown again and again, and back through a window of one plane.
    let json = r#"{"dimensions":[2048,2048,64],"blockSize":[512,512,16],"dataType":"uint8","compression":{"type":"zstd","level":1}}"#;
    let large = create("large", json);
    let peak = peak_of(|| {
        // SAFETY: one byte that outlives the source.
        let source = unsafe { Source::from_raw([9_u8].as_ptr(), 1, 0, Some(&[0, 0, 0]), Order::C, &[2048, 2048, 64], 1) }.unwrap();
        large.write(&[0, 0, 0], &source, &threads(2), None).unwrap();
        large.verify(&mut |problem| unreachable!("{}", problem.message), &threads(2), None).unwrap();
        assert!(read(&large, &[0, 1000, 0], &[2048, 1, 64], &threads(2)).unwrap().iter().all(|&value| value == 9));
    });
    assert!(peak < 48 * MEBIBYTE, "{peak} bytes for 256 MiB in blocks of 4 MiB");
    blocks_in_memory_while_reading(&store);
    // A hundred thousand files are left to nobody.
    fs::remove_dir_all(folder).unwrap();
}

/// Beside what is read there are no more than three blocks a thread, whatever compresses them.
fn blocks_in_memory_while_reading(store: &std::sync::Arc<dyn zn5::store::Store>) {
    const BLOCK: u64 = 4 * MEBIBYTE;
    let shape = [256, 256, 64 * 12];
    let mut random = Random::new(3);
    // Nothing makes noise smaller, so stored blocks are as large as decoded ones.
    let noise: Vec<u8> = (0..bytes_of(&shape, 1)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
    for compression in ["raw", "gzip", "zstd", "blosc", "lz4"] {
        let json = format!(
            r#"{{"dimensions":[256,256,768],"blockSize":[256,256,64],"dataType":"uint8","compression":{{"type":"{compression}"}}}}"#
        );
        let path = format!("noise-{compression}");
        let dataset = Dataset::create(std::sync::Arc::clone(store), &path, json.as_bytes(), CodecOptions::default()).unwrap();
        write(&dataset, &[0, 0, 0], &shape, &noise, &threads(2)).unwrap();
        for count in [1, 2] {
            // Nothing is left in its buffers from before, nor in the allocator.
            let dataset = Dataset::open(std::sync::Arc::clone(store), &path, CodecOptions::default()).unwrap();
            let mut got = vec![1_u8; noise.len()];
            // SAFETY: has no precondition.
            unsafe { libc::malloc_trim(0) };
            let peak = peak_of(|| {
                let destination = zn5::array::Destination::over(&mut got, &shape, 1, Order::C).unwrap();
                dataset.read(&[0, 0, 0], destination, &threads(count), None).unwrap();
            });
            assert!(got == noise);
            let blocks = 3 * u64::try_from(count).unwrap();
            assert!(peak < blocks * BLOCK + MEBIBYTE, "{compression}: {peak} bytes beside the output with {count} threads");
        }
    }
}
