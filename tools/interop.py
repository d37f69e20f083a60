#!/usr/bin/env python3
"""Does what zn5 writes reach other programs, and the other way round? `./run interop` calls this; see --help.

zn5 writes small arrays of every type with every compressor, each peer reads them in a virtual environment and a process of
its own, and the bytes are compared. Then the peers write and zn5 reads. What a peer is known not to do is listed below with
the reason; any other failure, and any success against that list, ends with exit status 1.
"""

import argparse
import hashlib
import itertools
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import venv

import zn5_ctypes

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What runs, from PyPI. These versions are the newest that Python 3.11 runs together.
REQUIREMENTS = {
    "zarr-n5": ["zarr-n5==0.3.0", "zarr==3.1.6"],
    "tensorstore": ["tensorstore==0.1.86"],
    "zarr2": ["zarr==2.18.7", "numcodecs==0.15.2"],
    "z5py": ["z5py==3.0.2"],
}
# `n5_default` is zarr-n5's codec on its own, set up from the JSON that zn5 gives for its codec.
ENVIRONMENT = {"zarr-n5": "zarr-n5", "n5_default": "zarr-n5", "tensorstore": "tensorstore", "zarr2": "zarr2", "z5py": "z5py"}
READERS = ("zarr-n5", "n5_default", "tensorstore", "zarr2", "z5py")
WRITERS = ("tensorstore", "zarr2", "z5py")

TYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64")
COMPRESSIONS = {
    "raw": {"type": "raw"},
    "gzip": {"type": "gzip", "level": 6, "useZlib": False},
    "gzip useZlib": {"type": "gzip", "level": 6, "useZlib": True},
    "bzip2": {"type": "bzip2", "blockSize": 9},
    "xz": {"type": "xz", "preset": 6},
    "lz4": {"type": "lz4", "blockSize": 65536},
    "zstd": {"type": "zstd", "level": 3},
    "blosc blosclz": {"type": "blosc", "cname": "blosclz", "clevel": 6, "shuffle": 0, "blocksize": 0},
    "blosc lz4": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "blosc lz4hc": {"type": "blosc", "cname": "lz4hc", "clevel": 9, "shuffle": 2, "blocksize": 0},
    "blosc zlib": {"type": "blosc", "cname": "zlib", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "blosc zstd": {"type": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0},
}
# Array and block shape of each rank. No extent is a multiple of the block's, so every axis has an edge block.
SHAPES = {1: ((1000,), (300,)), 2: ((17, 23), (8, 9)), 3: ((7, 9, 11), (3, 5, 4)), 4: ((3, 5, 4, 7), (2, 3, 3, 4))}
EDGES = ("truncated", "padded")

# What a peer cannot read, with the reason: written by zn5 in the way that the reference implementation in Java does.
CANNOT_READ = {
    ("zarr-n5", "gzip useZlib"): "drops useZlib and takes the stream for gzip",
    ("zarr-n5", "bzip2"): "not converted to a Zarr codec",
    ("zarr-n5", "xz"): "not converted to a Zarr codec",
    ("zarr-n5", "lz4"): "not converted to a Zarr codec",
    ("n5_default", "lz4"): "N5's lz4 has no Zarr codec (zn5 says NOT_REPRESENTABLE)",
    ("tensorstore", "lz4"): "knows no lz4",
    ("zarr2", "lz4"): "means another format by lz4, and refuses the member blockSize",
    ("z5py", "lz4"): "means another format by lz4, a bare block",
}
CANNOT_WRITE = {
    ("tensorstore", "lz4"): "knows no lz4",
    ("z5py", "gzip useZlib"): "writes no zlib streams",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=default_library(), help="libzn5 to try")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "interop", help="for data and environments")
    parser.add_argument("--peer", action="append", choices=READERS, help="only this one; may be repeated")
    options = parser.parse_args()
    peers = options.peer or READERS
    library = zn5_ctypes.Library(options.library)
    print(f"zn5 {library.version()} with {', '.join(' '.join(REQUIREMENTS[name]) for name in environments_of(peers))}")
    pythons = {name: make_environment(name, options.folder / "venv" / name) for name in environments_of(peers)}

    good = True
    folder = options.folder / "zn5"
    cases = write_with_zn5(library, folder)
    for peer in peers:
        outcomes = run_peer("read", peer, pythons[ENVIRONMENT[peer]], folder, cases)
        good &= show(f"written by zn5, read by {peer}", peer, cases, outcomes, CANNOT_READ)
    for peer in peers:
        if peer in WRITERS:
            folder = options.folder / peer
            cases = prepare_for_writer(folder)
            outcomes = run_peer("write", peer, pythons[peer], folder, cases)
            for case in cases:
                if "error" not in outcomes[case["name"]]:
                    outcomes[case["name"]] = read_with_zn5(library, folder / "data.n5" / case["name"])
            good &= show(f"written by {peer}, read by zn5", peer, cases, outcomes, CANNOT_WRITE)
    print("everything as expected" if good else "NOT as expected: see MISMATCH and UNEXPECTED above")
    return 0 if good else 1


def default_library():
    names = {"darwin": "libzn5.dylib", "win32": "zn5.dll"}
    return ROOT / "target" / "release" / names.get(sys.platform, "libzn5.so")


def environments_of(peers):
    return list(dict.fromkeys(ENVIRONMENT[peer] for peer in peers))


def make_environment(name, folder):
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / "requirements.txt"
    wanted = "\n".join(REQUIREMENTS[name])
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"making the environment of {name}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *REQUIREMENTS[name]], check=True)
        stamp.write_text(wanted)
    return python


def make_elements(data_type, count):
    """Elements that compress a little: noise with repetitions. Floats are any bits but for the quiet bit of NaNs, which some
    processors set when a value is only copied."""
    size = element_size(data_type)
    noise = random.Random(f"{data_type} {count}")
    elements = []
    while len(elements) < count:
        element = bytearray(noise.randbytes(size))
        if data_type == "float32":
            element[2] |= 0x40
        elif data_type == "float64":
            element[6] |= 0x08
        elements += [bytes(element)] * noise.choice((1, 1, 1, 6))
    return b"".join(elements[:count])


def element_size(data_type):
    return int(re.sub(r"\D", "", data_type)) // 8


def describe(name, data, rank, compression, data_type, edges):
    shape, block_shape = SHAPES[rank]
    return {
        "name": name,
        "data": data,
        "row": compression,
        "column": data_type,
        "variant": f"{rank}-D {edges}",
        "attributes": {
            "dimensions": shape,
            "blockSize": block_shape,
            "dataType": data_type,
            "compression": COMPRESSIONS[compression],
        },
    }


def start_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "data.n5").mkdir(parents=True)
    # Without this z5py takes the folder for something else. The version is one that all peers accept.
    (folder / "data.n5" / "attributes.json").write_text('{"n5":"2.0.0"}')


def finish_folder(folder, cases):
    (folder / "cases.json").write_text(json.dumps(cases))
    return cases


def write_with_zn5(library, folder):
    start_folder(folder)
    cases = []
    for compression, data_type, rank, edges in itertools.product(COMPRESSIONS, TYPES, SHAPES, EDGES):
        name = f"{compression}-{data_type}-{rank}-{edges}".replace(" ", "-")
        case = describe(name, None, rank, compression, data_type, edges)
        image = make_elements(data_type, math.prod(case["attributes"]["dimensions"]))
        case["sha256"] = hashlib.sha256(image).hexdigest()
        write_dataset(library, folder, case, image, padded=edges == "padded")
        cases.append(case)
    return finish_folder(folder, cases)


def write_dataset(library, folder, case, image, padded):
    """Writes the blocks twice: below attributes.json and below zarr.json, since z5py refuses a folder with both."""
    attributes = case["attributes"]
    shape, block_shape = attributes["dimensions"], attributes["blockSize"]
    n5, zarr = folder / "data.n5" / case["name"], folder / "data.zarr" / case["name"]
    with zn5_ctypes.Codec(library, json.dumps(attributes)) as codec:
        write_file(n5 / "attributes.json", json.dumps(attributes).encode())
        try:
            case["zarr_codec_error"] = None
            write_file(zarr / "zarr.json", json.dumps(zarr_document(attributes, codec.to_json())).encode())
        except zn5_ctypes.Zn5Error as error:
            case["zarr_codec_error"] = str(error)
        if padded:
            image, shape = pad(image, shape, block_shape, codec.element_size)
        strides = zn5_ctypes.c_strides(shape, codec.element_size)
        for grid, origin, cut_shape in blocks(shape, block_shape, codec.element_size):
            block = codec.encode_region(cut_shape, image, origin, strides)
            write_file(n5 / library.block_key(grid), block)
            write_file(zarr / library.block_key(grid), block)


def write_file(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def zarr_document(attributes, codec_json):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": attributes["dimensions"],
        "data_type": attributes["dataType"],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": attributes["blockSize"]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [json.loads(codec_json)],
        "attributes": {},
    }


def blocks(shape, block_shape, size):
    """Of each block: its place in the grid, the byte in the image where it begins, its shape cut at the array's end."""
    strides = zn5_ctypes.c_strides(shape, size)
    for grid in itertools.product(*(range(-(-extent // block)) for extent, block in zip(shape, block_shape))):
        first = [place * block for place, block in zip(grid, block_shape)]
        cut_shape = tuple(min(block, extent - start) for start, block, extent in zip(first, block_shape, shape))
        yield grid, sum(start * stride for start, stride in zip(first, strides)), cut_shape


def pad(image, shape, block_shape, size):
    """The image with zeros behind its end on each axis, up to whole blocks."""
    whole = tuple(-(-extent // block) * block for extent, block in zip(shape, block_shape))
    padded = bytearray(math.prod(whole) * size)
    source_strides, strides = zn5_ctypes.c_strides(shape, size), zn5_ctypes.c_strides(whole, size)
    row_len = shape[-1] * size
    for row in itertools.product(*(range(extent) for extent in shape[:-1])):
        source = sum(place * stride for place, stride in zip(row, source_strides))
        target = sum(place * stride for place, stride in zip(row, strides))
        padded[target : target + row_len] = image[source : source + row_len]
    return bytes(padded), whole


def prepare_for_writer(folder):
    start_folder(folder)
    cases = []
    for data_type, rank in itertools.product(TYPES, SHAPES):
        data = f"{data_type}-{rank}"
        image = make_elements(data_type, math.prod(SHAPES[rank][0]))
        (folder / f"{data}.bin").write_bytes(image)
        for compression in COMPRESSIONS:
            name = f"{compression}-{data_type}-{rank}".replace(" ", "-")
            case = describe(name, data, rank, compression, data_type, "as the peer cuts them")
            case["sha256"] = hashlib.sha256(image).hexdigest()
            cases.append(case)
    return finish_folder(folder, cases)


def read_with_zn5(library, folder):
    attributes = (folder / "attributes.json").read_text()
    document = json.loads(attributes)
    shape, block_shape = document["dimensions"], document["blockSize"]
    try:
        with zn5_ctypes.Codec(library, attributes) as codec:
            image = bytearray(math.prod(shape) * codec.element_size)
            for grid, origin, cut_shape in blocks(shape, block_shape, codec.element_size):
                block = (folder / library.block_key(grid)).read_bytes()
                codec.decode_region(block, cut_shape, image, origin, zn5_ctypes.c_strides(shape, codec.element_size))
    except (zn5_ctypes.Zn5Error, OSError) as error:
        return {"wrong": f"{type(error).__name__}: {error}"}
    return {"sha256": hashlib.sha256(image).hexdigest()}


def run_peer(action, peer, python, folder, cases, script=ROOT / "tools" / "interop_peer.py"):
    """What the peer did with each case, by name. A case that it did not come to, because it crashed, is wrong."""
    finished = subprocess.run([python, script, action, peer, folder], capture_output=True, text=True)
    outcomes = {outcome["name"]: outcome for outcome in map(json.loads, finished.stdout.splitlines())}
    lost = {"wrong": f"the process of {peer} ended with {finished.returncode}: {finished.stderr[-300:]}"}
    return {case["name"]: outcomes.get(case["name"], lost) for case in cases}


def judge(case, outcome, reason):
    """One word for the table, and a line to print if it is not as expected."""
    if "wrong" in outcome:
        return "MISMATCH", outcome["wrong"]
    if "error" in outcome:
        return ("unsupported", None) if reason else ("MISMATCH", outcome["error"])
    if outcome["sha256"] != case["sha256"]:
        return "MISMATCH", "other bytes"
    return ("UNEXPECTED", f"works, though listed as: {reason}") if reason else ("ok", None)


def show(title, peer, cases, outcomes, known):
    """Prints the table of one peer, compressors by types, and whether all is as expected."""
    order = ("ok", "unsupported", "UNEXPECTED", "MISMATCH")
    cells, complaints, reasons = {}, [], []
    for case in cases:
        reason = known.get((peer, case["row"]))
        word, complaint = judge(case, outcomes[case["name"]], reason)
        place = case["row"], case["column"]
        cells[place] = max(cells.get(place, "ok"), word, key=order.index)
        if complaint:
            complaints.append(f"  {word} {case['name']} ({case['variant']}): {complaint}")
        if word == "unsupported" and f"  {case['row']}: {reason}" not in reasons:
            reasons.append(f"  {case['row']}: {reason}")
    print(f"\n{title} ({len(cases)} datasets)\n")
    print(f"  {'':14}" + "".join(f"{data_type:>12}" for data_type in TYPES))
    for compression in COMPRESSIONS:
        print(f"  {compression:14}" + "".join(f"{cells[compression, data_type]:>12}" for data_type in TYPES))
    if reasons:
        print("\n  unsupported:", *reasons, sep="\n  ")
    for complaint in complaints[:20]:
        print(complaint)
    if len(complaints) > 20:
        print(f"  … and {len(complaints) - 20} more")
    sys.stdout.flush()
    return not complaints


if __name__ == "__main__":
    sys.exit(main())
