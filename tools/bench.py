#!/usr/bin/env python3
"""Measures zn5 beside other ways to do the same, and writes docs/performance.md. `./run bench` calls this; see --help.

Every part leaves its results below target/bench, lines of JSON that begin with one about the machine, so that the page can be written
again without measuring.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

import bench_datasets
import bench_report
import zn5_ctypes

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = {"darwin": "libzn5.dylib", "win32": "zn5.dll"}.get(sys.platform, "libzn5.so")
PARTS = {
    "place": "the kernel that moves elements, beside memcpy and a naive loop",
    "codec": "decoding and encoding blocks, beside the compression libraries alone",
    "utf32": "strings of fixed length, beside memcpy, NumPy and zarr-python",
    "growth": "time and memory from 1 to 100 000 blocks; the size of the library",
    "datasets": "whole datasets, beside tensorstore, z5py, zarr 2 and zarr-n5",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few cases and rounds, to see that all of it works; docs/ is not touched")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--report", action="store_true", help="only write the page anew, from the results that are there")
    options = parser.parse_args()
    options.library = ROOT / "target" / "release" / LIBRARY
    folder = ROOT / "target" / "bench" / ("quick" if options.quick else "results")
    failed = []
    for part in [] if options.report else options.only or PARTS:
        # The other parts have their results all the same.
        try:
            measure(part, options, folder)
        except (subprocess.CalledProcessError, OSError, bench_datasets.Failed) as error:
            print(f"bench: {part} FAILED: {error}", flush=True)
            failed.append(part)
    page_folder = folder if options.quick else ROOT / "docs"
    bench_report.write(folder, page_folder)
    print(f"bench: wrote {page_folder / 'performance.md'}", flush=True)
    return f"bench: failed: {', '.join(failed)}" if failed else 0


def measure(part, options, folder):
    print(f"\nbench: {part}: {PARTS[part]}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    results = {"place": rust_bench, "codec": rust_bench, "utf32": strings, "growth": growth, "datasets": datasets}[part](part, options, folder)
    about = machine(options) | {"part": part, "quick": options.quick, "seconds": round(time.monotonic() - begin)}
    # Not before all of it is there.
    path = folder / f"{part}.jsonl"
    path.with_suffix(".new").write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in [{"machine": about}, *results]))
    path.with_suffix(".new").replace(path)
    print(f"bench: {part} took {about['seconds']} s", flush=True)


def cargo(*arguments):
    subprocess.run(["cargo", *arguments], cwd=ROOT, check=True)


def rust_bench(name, options, folder):
    output = folder / f"{name}.rust"
    output.unlink(missing_ok=True)
    quick = ["--quick"] if options.quick else []
    cargo("bench", "--quiet", "--locked", "--bench", name, "--", "--json", output, *quick)
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    output.unlink()
    return lines


def build_library():
    cargo("build", "--quiet", "--release", "--locked")


def strings(_, options, folder):
    lines = rust_bench("utf32", options, folder)
    build_library()
    command = [sys.executable, "-B", ROOT / "benches" / "utf32.py", "--library", options.library, *(["--quick"] if options.quick else [])]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    beside_python = [json.loads(line) for line in printed.splitlines()]
    for line in beside_python:
        show(line)
    return lines + beside_python


def growth(name, options, folder):
    lines = rust_bench(name, options, folder)
    build_library()
    stripped = folder / "stripped"
    shutil.copyfile(options.library, stripped)
    if shutil.which("strip"):
        subprocess.run(["strip", stripped], check=True)
    size = stripped.stat().st_size
    stripped.unlink()
    print(f"{LIBRARY}, stripped: {size} bytes", flush=True)
    return [*lines, {"bench": "growth", "row": 14, "group": "stripped library", "case": LIBRARY, "size": size}]


def datasets(_, options, folder):
    build_library()
    data = ROOT / "target" / "bench" / ("data-quick" if options.quick else "data")
    data.mkdir(parents=True, exist_ok=True)

    def write_volume(kind, shape, path):
        cargo("bench", "--quiet", "--locked", "--bench", "volume", "--", kind, *map(str, shape), path)

    lines = []
    for line in bench_datasets.run(options, data, write_volume):
        lines.append(line)
        show(line)
    return lines


def show(line):
    spread = f"{line['ratio']:7.2f} ({line['low']:.2f} to {line['high']:.2f})" if "ratio" in line else line["error"]
    print(f"{line['group']:<52} {line['case']:<18} {spread}", flush=True)


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def machine(options):
    """What ran, and on what; nothing that tells whose machine it is."""
    about = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": first_line("git", "describe", "--always", "--dirty", "--abbrev=10"),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "features": [feature for feature in ("ssse3", "avx2", "avx512bw", "asimd") if feature in processor_flags()],
        "system": f"{platform.system()} {platform.release().split('-')[0]}, {distribution()}",
        "rustc": first_line("rustc", "--version"),
        "cc": first_line("cc", "--version"),
        "python": platform.python_version(),
    }
    if options.library.exists():
        about["build_info"] = zn5_ctypes.Library(options.library).lib.zn5_build_info().decode()
    return about


def processor():
    if sys.platform == "darwin":
        return first_line("sysctl", "-n", "machdep.cpu.brand_string")
    found = re.search(r"model name\s*: (.*)", cpu_information())
    return found[1].strip() if found else platform.processor() or platform.machine()


def processor_flags():
    found = re.search(r"(?:flags|Features)\s*: (.*)", cpu_information())
    return found[1].split() if found else []


def cpu_information():
    path = pathlib.Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def distribution():
    path = pathlib.Path("/etc/os-release")
    found = re.search(r'PRETTY_NAME="?([^"\n]*)', path.read_text()) if path.exists() else None
    return found[1] if found else platform.platform(terse=True)


if __name__ == "__main__":
    sys.exit(main())
