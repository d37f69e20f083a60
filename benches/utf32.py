#!/usr/bin/env python3
"""How fast zn5 turns fixed_length_utf32 into text and back, beside NumPy's conversions and beside zarr-python reading the same array.

All in one run on the same strings, so that the ratios mean something on a busy machine too. `./run bench` calls this, and so can
you, after `cargo build --release`: it makes the virtual environment it needs below target/. See --help.
"""

import argparse
import ctypes
import itertools
import os
import pathlib
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

# Code points a string may have, and what fills strings to different degrees.
SCRIPTS = {
    "ASCII, 12": (12, ["id", "cell", "nucleus", "membrane", "twelve chars", "glia"]),
    "ASCII, 64": (64, ["s3://bucket/experiment-0042/well-B07/", "plate 3", "a path of middling length/"]),
    "Latin-1, 12": (12, ["Grüße", "façade", "señor", "Ångström", "zwölf"]),
    "Cyrillic, 12": (12, ["клетка", "ядро", "мембрана", "ткань"]),
    "CJK, 12": (12, ["細胞", "細胞核", "細胞膜の構造", "神経細胞"]),
    "mixed, 24": (24, ["cell ядро", "Größe 12 µm", "細胞 #3", "plain text", "🔬 scope", ""]),
}
COUNT = 400_000
CHUNK_COUNT = 50_000


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


def shortest(run, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def conversions(library, numpy, capacity, words):
    """Seconds of each way, by name."""
    array = numpy.array(list(itertools.islice(itertools.cycle(words), COUNT)), dtype=f"<U{capacity}")
    encoded = numpy.char.encode(array, "utf-8")
    objects = array.astype(object)
    buffers = Buffers(library, array)
    seconds = {"zn5 decode": shortest(buffers.decode), "zn5 encode": shortest(buffers.encode)}
    if buffers.units() != array.tobytes():
        sys.exit("zn5 gave other code units back")
    seconds["char.encode"] = shortest(lambda: numpy.char.encode(array, "utf-8"), 2)
    seconds["char.decode"] = shortest(lambda: numpy.char.decode(encoded, "utf-8"), 2)
    seconds["astype(object)"] = shortest(lambda: array.astype(object), 3)
    seconds["astype(U)"] = shortest(lambda: objects.astype(array.dtype), 3)
    seconds["tobytes"] = shortest(lambda: array.tobytes())
    return array.nbytes, seconds


def compare_conversions(library, numpy):
    print(f"{COUNT} strings; GB of code units a second, and how many times as fast as NumPy zn5 is\n")
    print(f"{'':14}{'tobytes':>8}{'decode':>8}{'encode':>8}   text from code units          code units from text")
    print(f"{'':14}{'NumPy':>8}{'zn5':>8}{'zn5':>8}   {'/char.encode':>12} {'/astype(object)':>15}  {'/char.decode':>12} {'/astype(U)':>11}")
    for script, (capacity, words) in SCRIPTS.items():
        size, seconds = conversions(library, numpy, capacity, words)
        speed = {name: size / time / 1e9 for name, time in seconds.items()}
        decode, encode = seconds["zn5 decode"], seconds["zn5 encode"]
        print(
            f"{script:14}{speed['tobytes']:8.2f}{speed['zn5 decode']:8.2f}{speed['zn5 encode']:8.2f}"
            f"   {seconds['char.encode'] / decode:11.1f}x {seconds['astype(object)'] / decode:14.1f}x"
            f"  {seconds['char.decode'] / encode:11.1f}x {seconds['astype(U)'] / encode:10.1f}x"
        )


def read_with_zn5(library, folder, chunk_paths):
    """The text of each chunk, and where in it each string ends."""
    metadata = (folder / "zarr.json").read_text()
    with zn5_strings.StringCodec(library, metadata) as codec:
        return [codec.decode_text(path.read_bytes(), CHUNK_COUNT) for path in chunk_paths]


def compare_reading(library, numpy, zarr, folder):
    print(f"\nreading {COUNT} strings in chunks of {CHUNK_COUNT}: milliseconds, and how many times as fast as zarr-python zn5 is\n")
    print(f"{'':14}{'codec':>8}{'zarr, code units':>18}{'zarr, text':>12}{'zn5, text':>11}")
    capacity, words = SCRIPTS["mixed, 24"]
    array = numpy.array(list(itertools.islice(itertools.cycle(words), COUNT)), dtype=f"<U{capacity}")
    compressors = {"plain": [], "zstd": [zarr.codecs.ZstdCodec(level=3)], "blosc": [zarr.codecs.BloscCodec(cname="lz4", clevel=5)]}
    for name, compressor in compressors.items():
        path = folder / name
        stored = zarr.create_array(str(path), shape=array.shape, chunks=(CHUNK_COUNT,), dtype=array.dtype, compressors=compressor)
        stored[:] = array
        paths = [path / "c" / str(chunk) for chunk in range(-(-COUNT // CHUNK_COUNT))]
        opened = zarr.open_array(str(path), mode="r")
        as_units = shortest(lambda: opened[:], 3)
        as_text = shortest(lambda: numpy.char.encode(opened[:], "utf-8"), 2)
        ours = shortest(lambda: read_with_zn5(library, path, paths), 3)
        text = b"".join(utf8 for utf8, _ in read_with_zn5(library, path, paths))
        if text != "".join(array.tolist()).encode():
            sys.exit("zn5 and zarr-python read different strings")
        print(
            f"{'mixed, 24':14}{name:>8}{as_units * 1e3:10.1f} {as_units / ours:6.1f}x{as_text * 1e3:10.1f} {as_text / ours:6.1f}x"
            f"{ours * 1e3:9.1f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = {"darwin": "libzn5.dylib", "win32": "zn5.dll"}
    library = ROOT / "target" / "release" / names.get(sys.platform, "libzn5.so")
    parser.add_argument("--library", type=pathlib.Path, default=library, help="libzn5 to measure")
    options = parser.parse_args()
    try:
        import numpy
        import zarr
        import zarr.codecs
    except ImportError:
        python = environments.make_environment(ROOT / "target" / "bench" / "venv" / "strings", REQUIREMENTS)
        os.execv(python, [python, *sys.argv])
    warnings.simplefilter("ignore")
    library = zn5_ctypes.Library(options.library)
    print(f"zn5 {library.version()}, NumPy {numpy.__version__}, zarr-python {zarr.__version__}\n")
    compare_conversions(library, numpy)
    with tempfile.TemporaryDirectory() as folder:
        compare_reading(library, numpy, zarr, pathlib.Path(folder))


if __name__ == "__main__":
    main()
