#!/usr/bin/env python3
"""How fast zn5 turns fixed_length_utf32 into text and back, beside NumPy's conversions and beside zarr-python reading the same array.

All sides take turns on the same strings. Prints a line of JSON for each comparison. `./run bench` calls this, and so can you, after
`cargo build --release`: it makes the virtual environment it needs below target/. See --help.
"""

import argparse
import ctypes
import itertools
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import environments
import zn5_ctypes
import zn5_strings

REQUIREMENTS = ["zarr==3.1.6", "numpy==2.4.6"]

# Code points that a string may have, and words that fill it to different degrees.
SCRIPTS = {
    "ASCII, 12": (12, ["id", "cell", "nucleus", "membrane", "twelve chars", "glia"]),
    "ASCII, 64": (64, ["s3://bucket/experiment-0042/well-B07/", "plate 3", "a path of middling length/"]),
    "Latin-1, 12": (12, ["Grüße", "façade", "señor", "Ångström", "zwölf"]),
    "Cyrillic, 12": (12, ["клетка", "ядро", "мембрана", "ткань"]),
    "CJK, 12": (12, ["細胞", "細胞核", "細胞膜の構造", "神経細胞"]),
    "mixed, 24": (24, ["cell ядро", "Größe 12 µm", "細胞 #3", "plain text", "🔬 scope", ""]),
}
# Bytes of code units that are converted in one call.
ARRAY_LEN = 64 << 20
# Strings in an array that is read, and in each of its chunks.
COUNT, CHUNK_COUNT = 400_000, 50_000
ROUNDS = 7


class Buffers:
    """One array of strings in the layouts of C, so that a call through ctypes is nothing but the call."""

    def __init__(self, library, array):
        self._library = library
        self._length_bytes = ctypes.c_size_t(array.dtype.itemsize)
        self._count = ctypes.c_size_t(array.size)
        self._endian = ctypes.c_uint32(zn5_strings.NATIVE)
        self._units = ctypes.create_string_buffer(array.tobytes(), array.nbytes)
        self._size = ctypes.c_size_t(array.nbytes)
        self._text = ctypes.create_string_buffer(array.nbytes)
        self._offsets = (ctypes.c_uint64 * (array.size + 1))()
        self._needed = ctypes.c_size_t()

    def decode(self):
        self._library.call(
            "zn5_utf32_decode_array", self._units, self._size, self._count, self._endian, self._length_bytes,
            self._text, self._size, self._offsets, ctypes.byref(self._needed),
        )  # fmt: skip

    def encode(self):
        """Back from what `decode` made."""
        self._library.call(
            "zn5_utf32_encode_array", self._text, self._needed, self._offsets, self._count, self._endian, self._length_bytes,
            self._units, self._size,
        )  # fmt: skip

    def units(self):
        return self._units.raw


def take_turns(rounds, sides):
    """CPU seconds of each side by round; the first round, which warms up, does not count."""
    seconds = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, run in sides.items():
            begin = time.process_time()
            run()
            if number > 0:
                seconds[name].append(time.process_time() - begin)
    return seconds


def put(row, group, case, size, ours, other):
    ratios = [theirs / own for own, theirs in zip(ours, other)]
    print(json.dumps({
        "bench": "utf32", "row": row, "group": group, "case": case, "ours": size / statistics.median(ours),
        "other": size / statistics.median(other), "ratio": statistics.median(ratios), "low": min(ratios), "high": max(ratios),
    }), flush=True)  # fmt: skip


def make_array(numpy, capacity, words, count):
    return numpy.array(list(itertools.islice(itertools.cycle(words), count)), dtype=f"<U{capacity}")


def compare_conversions(library, numpy, rounds, scripts):
    for script in scripts:
        capacity, words = SCRIPTS[script]
        array = make_array(numpy, capacity, words, ARRAY_LEN // (4 * capacity))
        encoded = numpy.char.encode(array, "utf-8")
        buffers = Buffers(library, array)
        seconds = take_turns(rounds, {
            "decode": buffers.decode,
            "numpy.char.encode": lambda: numpy.char.encode(array, "utf-8"),
            "encode": buffers.encode,
            "numpy.char.decode": lambda: numpy.char.decode(encoded, "utf-8"),
        })  # fmt: skip
        if buffers.units() != array.tobytes():
            sys.exit("zn5 gave other code units back")
        row = 13 if script.startswith("ASCII") else 0
        for ours, theirs in (("decode", "numpy.char.encode"), ("encode", "numpy.char.decode")):
            put(row, f"{ours} ÷ {theirs}", script, array.nbytes, seconds[ours], seconds[theirs])


def read_with_zn5(library, folder, chunk_paths):
    """The text of each chunk, and where in it each string ends."""
    metadata = (folder / "zarr.json").read_text()
    with zn5_strings.StringCodec(library, metadata) as codec:
        return [codec.decode_text(path.read_bytes(), CHUNK_COUNT) for path in chunk_paths]


def compare_reading(library, numpy, zarr, rounds, folder):
    array = make_array(numpy, *SCRIPTS["mixed, 24"], COUNT)
    compressors = {"plain": [], "zstd": [zarr.codecs.ZstdCodec(level=3)], "blosc": [zarr.codecs.BloscCodec(cname="lz4", clevel=5)]}
    for name, compressor in compressors.items():
        path = folder / name
        stored = zarr.create_array(str(path), shape=array.shape, chunks=(CHUNK_COUNT,), dtype=array.dtype, compressors=compressor)
        stored[:] = array
        paths = [path / "c" / str(chunk) for chunk in range(-(-COUNT // CHUNK_COUNT))]
        opened = zarr.open_array(str(path), mode="r")
        seconds = take_turns(rounds, {
            "zn5": lambda: read_with_zn5(library, path, paths),
            "units": lambda: opened[:],
            "text": lambda: numpy.char.encode(opened[:], "utf-8"),
        })  # fmt: skip
        text = b"".join(utf8 for utf8, _ in read_with_zn5(library, path, paths))
        if text != "".join(array.tolist()).encode():
            sys.exit("zn5 and zarr-python read different strings")
        put(0, "read chunks as text ÷ zarr-python, as text", f"mixed, 24, {name}", array.nbytes, seconds["zn5"], seconds["text"])
        put(0, "read chunks as text ÷ zarr-python, as code units", f"mixed, 24, {name}", array.nbytes, seconds["zn5"], seconds["units"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = {"darwin": "libzn5.dylib", "win32": "zn5.dll"}
    library = ROOT / "target" / "release" / names.get(sys.platform, "libzn5.so")
    parser.add_argument("--library", type=pathlib.Path, default=library, help="libzn5 to measure")
    parser.add_argument("--quick", action="store_true", help="few cases and rounds")
    options = parser.parse_args()
    try:
        import numpy
        import zarr
        import zarr.codecs
    except ImportError:
        python = environments.make_environment(ROOT / "target" / "bench" / "venv" / "strings", REQUIREMENTS)
        os.execv(python, [python, *sys.argv])
    warnings.simplefilter("ignore")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    library = zn5_ctypes.Library(options.library)
    rounds = 2 if options.quick else ROUNDS
    compare_conversions(library, numpy, rounds, list(SCRIPTS)[:2] if options.quick else SCRIPTS)
    with tempfile.TemporaryDirectory() as folder:
        compare_reading(library, numpy, zarr, rounds, pathlib.Path(folder))


if __name__ == "__main__":
    main()
