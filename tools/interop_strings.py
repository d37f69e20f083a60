#!/usr/bin/env python3
"""Do arrays of strings that zn5 writes reach zarr-python 3 with equal strings, and the other way round?

zn5 writes fixed_length_utf32 arrays of several lengths and shapes, in both byte orders, plain and compressed; zarr-python reads
them in a virtual environment and a process of its own. Then zarr-python writes and zn5 reads. Ends with exit status 1 if any
string differs. See --help.
"""

import argparse
import itertools
import json
import math
import pathlib
import shutil
import subprocess
import sys

import zn5_ctypes
import zn5_strings
from environments import make_environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ["zarr==3.1.6", "numpy==2.4.6"]

COMPRESSIONS = {
    "plain": [],
    "gzip": [{"name": "gzip", "configuration": {"level": 5}}],
    "zstd": [{"name": "zstd", "configuration": {"level": 3, "checksum": False}}],
    "blosc": [{
        "name": "blosc",
        "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0},
    }],
}  # fmt: skip
# Array and chunk shape. Chunks at the end reach beyond the array; of each array one chunk holds nothing but the fill value.
SHAPES = {"1-D": ((23,), (5,)), "2-D": ((7, 5), (3, 2)), "3-D": ((3, 4, 5), (2, 3, 2))}
CAPACITIES = (1, 12, 100)
FILL = "—"
# Text of one byte up to four a character, combining and right-to-left, U+0000 inside, the borders of Unicode.
WORDS = [
    "", "a", "plain", "twelve chars", "Grüße", "клітина", "日本語のテキスト", "😀", "👩\u200d🔬", "e\u0301", "שלום", "a\0b", "\0x",
    "\ud7ff\ue000", "\ufeffmark", "\uffff", "\U00010000", "\U0010ffff", "tail\u0301", "mixed é 日 😀 text that is a little longer",
]  # fmt: skip


def cases():
    for compression, endian, shape, capacity in itertools.product(COMPRESSIONS, ("little", "big"), SHAPES, CAPACITIES):
        array_shape, chunk_shape = SHAPES[shape]
        count = math.prod(array_shape)
        words = itertools.cycle(word[:capacity].rstrip("\0") for word in WORDS)
        strings = dict(zip(indices(array_shape), itertools.islice(words, count)))
        for index in strings:
            if all(at < extent for at, extent in zip(index, chunk_shape)):
                strings[index] = FILL
        yield {
            "name": f"{compression}-{endian}-{shape}-U{capacity}",
            "compression": compression,
            "endian": endian,
            "shape": array_shape,
            "chunk_shape": chunk_shape,
            "capacity": capacity,
            "codecs": [{"name": "bytes", "configuration": {"endian": endian}}, *COMPRESSIONS[compression]],
            "fill_value": FILL,
            "strings": list(strings.values()),
        }


def indices(shape):
    return itertools.product(*(range(extent) for extent in shape))


def chunk_grid(case):
    return indices([-(-extent // chunk) for extent, chunk in zip(case["shape"], case["chunk_shape"])])


def chunk_path(folder, case, grid):
    return folder.joinpath(case["name"], "c", *map(str, grid))


def element_numbers(case, grid):
    """For each element of a chunk its number in the array, or None beyond the array's end."""
    for inner in indices(case["chunk_shape"]):
        at = [position * chunk + inside for position, chunk, inside in zip(grid, case["chunk_shape"], inner)]
        if any(index >= extent for index, extent in zip(at, case["shape"])):
            yield None
        else:
            number = 0
            for index, extent in zip(at, case["shape"]):
                number = number * extent + index
            yield number


def zarr_json(library, case):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": case["shape"],
        "data_type": json.loads(zn5_strings.data_type_json(library, 4 * case["capacity"])),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": case["chunk_shape"]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": case["fill_value"],
        "codecs": case["codecs"],
    }
    return json.dumps(document)


def write_with_zn5(library, folder, case):
    document = zarr_json(library, case)
    (folder / case["name"]).mkdir(parents=True)
    (folder / case["name"] / "zarr.json").write_text(document)
    with zn5_strings.StringCodec(library, document) as codec:
        for grid in chunk_grid(case):
            strings = [case["fill_value"] if at is None else case["strings"][at] for at in element_numbers(case, grid)]
            if any(string != case["fill_value"] for string in strings):
                path = chunk_path(folder, case, grid)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(codec.encode(strings))


def read_with_zn5(library, folder, case):
    found = [None] * len(case["strings"])
    missing = 0
    with zn5_strings.StringCodec(library, (folder / case["name"] / "zarr.json").read_text()) as codec:
        for grid in chunk_grid(case):
            path = chunk_path(folder, case, grid)
            chunk = path.read_bytes() if path.exists() else None
            missing += chunk is None
            strings = codec.decode(chunk, math.prod(case["chunk_shape"]))
            for at, string in zip(element_numbers(case, grid), strings):
                if at is not None:
                    found[at] = string
    if missing != 1:
        raise ValueError(f"{missing} chunks are not stored, and one was to be")
    return found


def run_peer(python, what, folder, wanted):
    """Lets zarr-python `read` or `write` all cases; what came of each, a list of strings or an error."""
    command = [python, "-B", __file__, "--peer", what, "--folder", folder]
    answer = subprocess.run(command, input=json.dumps(wanted), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def peer(what, folder):
    """In the process of zarr-python."""
    import warnings

    import numpy
    import zarr
    from zarr import codecs

    warnings.simplefilter("ignore")
    compressors = {"gzip": codecs.GzipCodec, "zstd": codecs.ZstdCodec, "blosc": codecs.BloscCodec}
    outcomes = {}
    for case in json.load(sys.stdin):
        path = str(folder / case["name"])
        try:
            if what == "read":
                outcomes[case["name"]] = [str(string) for string in zarr.open_array(path, mode="r")[...].flat]
                continue
            array = zarr.create_array(
                path,
                shape=case["shape"],
                chunks=case["chunk_shape"],
                dtype=f"<U{case['capacity']}",
                fill_value=case["fill_value"],
                serializer=codecs.BytesCodec(endian=case["endian"]),
                compressors=[compressors[codec["name"]](**codec["configuration"]) for codec in case["codecs"][1:]],
                config={"write_empty_chunks": False},
            )
            array[...] = numpy.array(case["strings"], dtype=f"<U{case['capacity']}").reshape(case["shape"])
            outcomes[case["name"]] = "written"
        except Exception as error:
            outcomes[case["name"]] = f"{type(error).__name__}: {error}"
    json.dump(outcomes, sys.stdout)


def show(title, wanted, outcomes):
    """Prints a table of one direction and says whether all is well."""
    print(f"\n{title}")
    keys = list(dict.fromkeys((case["compression"], case["endian"]) for case in wanted))
    columns = [f"{shape} U{capacity}" for shape in SHAPES for capacity in CAPACITIES]
    print(f"{'':14}" + "".join(f"{column:>10}" for column in columns))
    wrong = []
    for compression, endian in keys:
        line = f"{compression + ' ' + endian:14}"
        for case in wanted:
            if (case["compression"], case["endian"]) == (compression, endian):
                equal = outcomes[case["name"]] == case["strings"]
                line += f"{'equal' if equal else 'MISMATCH':>10}"
                wrong += [] if equal else [case]
        print(line)
    for case in wrong:
        print(f"MISMATCH {case['name']}: {outcomes[case['name']]!r}, not {case['strings']!r}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=default_library(), help="libzn5 to try")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "interop", help="for data and the environment")
    parser.add_argument("--peer", choices=("read", "write"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peer(options.peer, options.folder)
        return 0
    library = zn5_ctypes.Library(options.library)
    print(f"zn5 {library.version()} with {', '.join(REQUIREMENTS)}")
    python = make_environment(options.folder / "venv" / "strings", REQUIREMENTS)
    wanted = list(cases())

    ours, theirs = options.folder / "strings-zn5", options.folder / "strings-zarr"
    for folder in (ours, theirs):
        shutil.rmtree(folder, ignore_errors=True)
    for case in wanted:
        write_with_zn5(library, ours, case)
    good = show("written by zn5, read by zarr-python", wanted, run_peer(python, "read", ours, wanted))

    outcomes = run_peer(python, "write", theirs, wanted)
    for case in wanted:
        if outcomes[case["name"]] == "written":
            try:
                outcomes[case["name"]] = read_with_zn5(library, theirs, case)
            except (zn5_ctypes.Zn5Error, OSError, ValueError) as error:
                outcomes[case["name"]] = str(error)
    good &= show("written by zarr-python, read by zn5", wanted, outcomes)
    print("\nall strings are equal" if good else "\nNOT all strings are equal: see MISMATCH above")
    return 0 if good else 1


def default_library():
    names = {"darwin": "libzn5.dylib", "win32": "zn5.dll"}
    return ROOT / "target" / "release" / names.get(sys.platform, "libzn5.so")


if __name__ == "__main__":
    sys.exit(main())
