//! How time and memory of whole datasets grow with the number of blocks, and what a region read takes over its output.
//!
//! `cargo bench --bench growth`. `blocks`: from 1 to 100 000 blocks of 16³, written and read. `memory`: the peak of a read beyond the
//! region itself, in blocks a thread. Each figure of memory is taken in a process of its own, which this program starts from itself.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::multiple_unsafe_ops_per_block,
    clippy::print_stdout
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::bare::Compression;
use support::c_api::{Dataset, attributes};
use support::data::Kind;
use support::{Options, Subject, cpu_time, median, pin, quiet_core};

/// Says to a process that it is to read one dataset and print one line.
const CHILD: &str = "ZN5_BENCH_CHILD";
const SMALL_EXTENT: u64 = 16;
const LARGE_EXTENT: u64 = 128;
/// Numbers of blocks along the three axes.
const GRIDS: [[u64; 3]; 6] = [[1, 1, 1], [5, 2, 1], [10, 10, 1], [10, 10, 10], [25, 20, 20], [50, 50, 40]];

fn main() {
    if let Ok(task) = std::env::var(CHILD) {
        return child(&task);
    }
    let mut options = Options::from_arguments("growth");
    pin(Some(quiet_core()));
    fs::create_dir_all(&options.folder).unwrap();
    if "blocks".contains(&options.only) {
        blocks(&mut options);
    }
    if "memory".contains(&options.only) {
        memory(&mut options);
    }
}

/// Memory of this process in bytes, by its name in the system's table; `None` where there is none.
fn memory_of(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// What a child measured: seconds of each read, and the most memory of all beyond what there was before.
struct Measured {
    seconds: Vec<f64>,
    extra_len: Option<u64>,
}

/// Reads the region in a new process: the first read counts for memory, the others for time.
fn read_in_child(folder: &Path, offset: [u64; 3], extent: [u64; 3], size: usize, threads: u32, rounds: usize) -> Measured {
    let task = format!("{offset:?} {extent:?} {size} {threads} {rounds} {}", folder.display()).replace(['[', ']', ','], "");
    let output = Command::new(std::env::current_exe().unwrap()).env(CHILD, task).output().unwrap();
    assert!(output.status.success(), "the process that reads failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words = text.split_whitespace();
    let extra_len = words.next().unwrap().parse().ok();
    Measured { seconds: words.map(|word| word.parse().unwrap()).collect(), extra_len }
}

fn child(task: &str) {
    let words: Vec<&str> = task.splitn(10, ' ').collect();
    let numbers: Vec<u64> = words[..9].iter().map(|word| word.parse().unwrap()).collect();
    let (offset, extent) = (*numbers[..3].first_chunk().unwrap(), *numbers[3..6].first_chunk().unwrap());
    let (size, threads, rounds) = (numbers[6], numbers[7] as u32, numbers[8]);
    pin(if threads == 1 { Some(quiet_core()) } else { None });
    let dataset = Dataset::new(words[9], None);
    // Written to, so that the system has given it before the read.
    let mut region = vec![1_u8; (extent.iter().product::<u64>() * size) as usize];
    let before = memory_of("VmRSS");
    // Sets the peak back to what is used now.
    let reset = fs::write("/proc/self/clear_refs", "5").is_ok();
    dataset.read(&offset, &extent, &mut region, threads);
    let peak = memory_of("VmHWM").filter(|_| reset);
    let extra = peak.zip(before).map_or("unknown".to_owned(), |(peak, before)| peak.saturating_sub(before).to_string());
    print!("{extra}");
    for _ in 0..rounds {
        let begin = cpu_time();
        dataset.read(&offset, &extent, &mut region, threads);
        print!(" {}", cpu_time().saturating_sub(begin).as_secs_f64());
    }
    println!();
}

/// Makes a dataset of one kind of data, and gives the seconds that writing took.
fn write(folder: &Path, kind: Kind, compression: Compression, grid: [u64; 3], extent: u64) -> f64 {
    let shape = grid.map(|count| count * extent);
    let text = attributes(kind.data_type(), compression.json(), &shape, &[extent; 3]);
    let _ = fs::remove_dir_all(folder);
    let array = kind.array([0; 3], shape.map(|extent| extent as usize));
    let dataset = Dataset::new(folder.to_str().unwrap(), Some(&text));
    let begin = cpu_time();
    dataset.write(&array, 1);
    cpu_time().saturating_sub(begin).as_secs_f64()
}

fn blocks(options: &mut Options) {
    let folder = options.folder.join("growth");
    let grids = if options.quick { &GRIDS[..4] } else { &GRIDS };
    for &grid in grids {
        let count = grid.iter().product::<u64>();
        let write_rounds = if count > 1000 { 1 } else { options.rounds };
        let written = median((0..write_rounds).map(|_| write(&folder, Kind::Em8, Compression::Zstd, grid, SMALL_EXTENT)));
        let shape = grid.map(|count| count * SMALL_EXTENT);
        let Measured { seconds, extra_len } = read_in_child(&folder, [0; 3], shape, 1, 1, options.rounds);
        let read = median(seconds.iter().copied());
        let extra = extra_len.map_or("null".to_owned(), |len| len.to_string());
        println!(
            "{count:>7} blocks: write {:.1} µs, read {:.1} µs a block; {extra} bytes",
            per_block(written, count),
            per_block(read, count)
        );
        let members = format!(
            "\"blocks\":{count},\"read_us\":{:.3},\"write_us\":{:.3},\"write_rounds\":{write_rounds},\"extra\":{extra},\"output\":{}",
            per_block(read, count),
            per_block(written, count),
            shape.iter().product::<u64>()
        );
        let case = format!("{count} blocks");
        options.results.line(&Subject { row: 0, group: "blocks", case: &case, more: String::new() }, &members);
        fs::remove_dir_all(&folder).unwrap();
    }
}

fn per_block(seconds: f64, count: u64) -> f64 {
    seconds * 1e6 / count as f64
}

fn memory(options: &mut Options) {
    let folder = options.folder.join("memory");
    let (kind, grid) = (Kind::LightSheet16, [2, 2, 3]);
    let block_len = LARGE_EXTENT.pow(3) as usize * kind.size();
    let compressions = [
        Compression::Raw,
        Compression::Gzip,
        Compression::Zstd,
        Compression::BloscLz4,
        Compression::Lz4,
        Compression::Bzip2,
        Compression::Xz,
    ];
    for compression in if options.quick { &compressions[..3] } else { &compressions } {
        write(&folder, kind, *compression, grid, LARGE_EXTENT);
        for threads in [1, 2] {
            for (case, offset, extent) in [
                ("whole blocks", [0; 3], [256, 256, 384]),
                ("parts of blocks", [40, 50, 60], [200, 180, 300]),
                ("one plane", [0, 0, 200], [256, 256, 1]),
            ] {
                let Some(extra_len) = read_in_child(&folder, offset, extent, kind.size(), threads, 0).extra_len else { continue };
                let blocks = extra_len as f64 / (f64::from(threads) * block_len as f64);
                let group = format!("peak of a read, {}", compression.name());
                let case = format!("{case}, {threads} thread{}", if threads == 1 { "" } else { "s" });
                println!("{group:<30} {case:<30} {extra_len:>10} bytes: {blocks:.2} blocks a thread");
                let subject = Subject { row: 14, group: &group, case: &case, more: String::new() };
                options.results.line(&subject, &format!("\"extra\":{extra_len},\"blocks_a_thread\":{blocks:.3}"));
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}
