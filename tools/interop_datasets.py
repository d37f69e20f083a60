#!/usr/bin/env python3
"""Do whole datasets that zn5 writes reach other programs, and the other way round? `./run interop` calls this; see --help.

interop.py does this block by block; here zn5's datasets cut arrays into blocks, complete blocks that a region covers in part, leave out
those that are all zero, and put together what is read. zn5 writes regions that lie anywhere, each peer reads the whole array; then
`zn5 convert --in-place` adds zarr.json, and zarr-python reads the same blocks through it. Then the peers write, and zn5 reads regions.
Every array is held against one in NumPy. At last zn5 makes hierarchies of Zarr, and zarr-python tells what it finds in them. A difference
ends with exit status 1.
"""

import argparse
import functools
import hashlib
import itertools
import json
import math
import pathlib
import random
import struct
import subprocess
import sys

import interop
import zn5_ctypes

# zn5 itself runs in a process that has NumPy, and the peers each in theirs.
NUMPY_ENVIRONMENT = "tensorstore"
N5_READERS = ("tensorstore", "zarr-n5", "zarr2", "z5py")
WRITERS = ("tensorstore", "zarr2", "z5py")
# Who stores blocks that are all zero, too.
STORES_ZEROS = ("zarr2",)
# Array and block shape of each rank. Every axis has an edge block; the last of rank 5 is one block longer than the array.
SHAPES = {
    1: ((5000,), (700,)),
    2: ((83, 61), (16, 25)),
    3: ((25, 30, 21), (8, 11, 6)),
    4: ((9, 7, 8, 6), (4, 3, 5, 4)),
    5: ((5, 4, 7, 3, 6), (2, 3, 3, 2, 8)),
}
# How zn5 stores blocks at the edge, the order of the arrays in memory, and the threads. Each rank meets each, with different types.
VARIANTS = tuple(itertools.product(interop.EDGES, "CF", (1, 4)))
WRITE_COUNT, READ_COUNT = 6, 8

make_image = functools.cache(interop.make_elements)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=interop.default_library(), help="libzn5 to try")
    parser.add_argument("--program", type=pathlib.Path, help="the program `zn5`; without, the one beside the library")
    parser.add_argument("--folder", type=pathlib.Path, default=interop.ROOT / "target" / "interop", help="for data and environments")
    options = parser.parse_args()
    pythons = {name: interop.make_environment(name, options.folder / "venv" / name) for name in interop.REQUIREMENTS}

    def zn5(action, folder, cases):
        return interop.run_peer(action, options.library.resolve(), pythons[NUMPY_ENVIRONMENT], folder, cases, __file__)

    folder = options.folder / "datasets-zn5"
    cases = start(folder)
    outcomes = zn5("write", folder, cases)
    for case in cases:
        case["sha256"] = outcomes[case["name"]].get("sha256")
    good = show("written by zn5, regions of it read by zn5", "zn5", "zn5", cases, outcomes, {})
    for peer in N5_READERS:
        outcomes = interop.run_peer("read", peer, pythons[peer], folder, cases)
        good &= show(f"written by zn5, read by {peer}", "zn5", peer, cases, outcomes, interop.CANNOT_READ)
    convert_in_place(options.program or options.library.with_name("zn5"), folder, cases)
    outcomes = interop.run_peer("read", "n5_default", pythons["zarr-n5"], folder, cases)
    title = "written by zn5, converted in place, read by zarr-python with n5_default"
    good &= show(title, "zn5", "n5_default", cases, outcomes, interop.CANNOT_READ)

    for peer in WRITERS:
        folder = options.folder / f"datasets-{peer}"
        cases = start(folder)
        write_images(folder, cases)
        written = interop.run_peer("write", peer, pythons[peer], folder, cases)
        read = zn5("read", folder, cases)
        # Of what the peer could not write, the peer's own words are shown.
        outcomes = {name: outcome if {"error", "wrong"} & outcome.keys() else read[name] for name, outcome in written.items()}
        good &= show(f"written by {peer}, regions of it read by zn5", peer, peer, cases, outcomes, interop.CANNOT_WRITE)
    good &= check_hierarchies(zn5_ctypes.Library(options.library.resolve()), pythons["zarr-n5"], options.folder / "hierarchies")
    print("\nall datasets are as expected" if good else "\nNOT all datasets are as expected: see MISMATCH and UNEXPECTED above")
    return 0 if good else 1


def start(folder):
    """An empty container and what is to be written there: of each compression and type all ranks, the variants in turn."""
    interop.start_folder(folder)
    cases = []
    for number, (compression, data_type) in enumerate(itertools.product(interop.COMPRESSIONS, interop.TYPES)):
        for rank, (shape, block_shape) in SHAPES.items():
            edges, order, threads = VARIANTS[(number + 3 * rank) % len(VARIANTS)]
            cases.append({
                "name": f"{compression.replace(' ', '-')}/{data_type}-{rank}",
                "data": f"{data_type}-{rank}",
                "row": compression,
                "column": data_type,
                "variant": f"{rank}-D {edges}, {order} order, {threads} threads",
                "edges": edges,
                "order": order,
                "threads": threads,
                "zarr_codec_error": None,
                "attributes": {
                    "dimensions": shape,
                    "blockSize": block_shape,
                    "dataType": data_type,
                    "compression": interop.COMPRESSIONS[compression],
                },
            })  # fmt: skip
    return interop.finish_folder(folder, cases)


def write_images(folder, cases):
    """What peers write: noise, but zeros in all blocks that are first on axis 0."""
    for case in cases:
        shape, block_shape = case["attributes"]["dimensions"], case["attributes"]["blockSize"]
        image = make_image(case["column"], math.prod(shape))
        row_len = len(image) // shape[0]
        case["variant"] = f"{len(shape)}-D as the peer cuts them"
        image = bytes(block_shape[0] * row_len) + image[block_shape[0] * row_len :]
        case["sha256"] = hashlib.sha256(image).hexdigest()
        (folder / f"{case['data']}.bin").write_bytes(image)


def convert_in_place(program, folder, cases):
    """Adds zarr.json beside every attributes.json, compression by compression: of a group that it cannot convert, zn5 converts nothing."""
    # Where the reader looks for Zarr arrays.
    (folder / "data.zarr").symlink_to("data.n5")
    for group, members in itertools.groupby(cases, lambda case: case["name"].split("/")[0]):
        command = [program, "convert", "--in-place", folder / "data.n5" / group]
        converted = subprocess.run(command, capture_output=True, text=True)
        if converted.returncode != 0:
            for case in members:
                case["zarr_codec_error"] = (converted.stdout + converted.stderr).strip()
    interop.finish_folder(folder, cases)


def show(title, writer, peer, cases, outcomes, known):
    """Prints the table; then, of what zn5 read, whether blocks were missing as they are to be."""
    good = interop.show(title, peer, cases, outcomes, known)
    stored, blocks = (sum(outcome.get(key, 0) for outcome in outcomes.values()) for key in ("stored", "blocks"))
    if not blocks:
        return good
    print(f"\n  {stored} of {blocks} blocks are stored")
    if (stored == blocks) != (writer in STORES_ZEROS):
        print(f"  MISMATCH: {writer} {'stores' if stored == blocks else 'leaves out'} blocks that are all zero")
        return False
    return good


def run_zn5(action, library, folder):
    """In the process of zn5: writes or reads all cases, and prints a line about each."""
    library = zn5_ctypes.Library(library)
    for case in json.loads((folder / "cases.json").read_text()):
        outcome = {"name": case["name"]}
        try:
            model = (write_regions if action == "write" else written_by_peer)(library, folder, case)
            outcome |= compare_blocks(folder, case, model, strict=action == "write")
            compare_regions(library, folder, case, model)
            outcome["sha256"] = hashlib.sha256(model.tobytes()).hexdigest()
        except (zn5_ctypes.Zn5Error, OSError, ValueError) as error:
            outcome["wrong"] = f"{type(error).__name__}: {error}"
        print(json.dumps(outcome), flush=True)
    return 0


def write_regions(library, folder, case):
    """Writes regions over each other, each from another place of an image, and zeros at last; returns what the array holds then."""
    import numpy

    shape, block_shape = case["attributes"]["dimensions"], case["attributes"]["blockSize"]
    chance = random.Random(case["name"])
    memory = make_image(case["column"], math.prod(shape))
    image = numpy.frombuffer(memory, case["column"]).reshape(shape, order=case["order"])
    model = numpy.zeros(shape, case["column"])
    how = {"threads": case["threads"], "flags": zn5_ctypes.IO_PAD_EDGES if case["edges"] == "padded" else 0}
    with zn5_ctypes.Dataset(library, folder / "data.n5", case["name"], json.dumps(case["attributes"])) as dataset:
        for _ in range(WRITE_COUNT):
            extent = [chance.randint(-(-length // 2), length) for length in shape]
            offset, source = ([chance.randint(0, length - part) for length, part in zip(shape, extent)] for _ in range(2))
            origin = sum(start * stride for start, stride in zip(source, image.strides))
            dataset.write(offset, extent, memory, origin, image.strides, **how)
            model[region(offset, extent)] = image[region(source, extent)]
        # The first block and parts of those behind it.
        extent = [min(length, block + 1) for length, block in zip(shape, block_shape)]
        dataset.write([0] * len(shape), extent, bytes(model.itemsize), 0, [0] * len(shape), **how)
        model[region([0] * len(shape), extent)] = 0
    return model


def written_by_peer(_, folder, case):
    import numpy

    return numpy.fromfile(folder / f"{case['data']}.bin", case["column"]).reshape(case["attributes"]["dimensions"])


def region(offset, extent):
    return tuple(slice(start, start + length) for start, length in zip(offset, extent))


def compare_blocks(folder, case, model, strict):
    """How many blocks are stored. In the strict case those that are not all zero, and no others, with the extents that were asked for."""
    attributes = json.loads((folder / "data.n5" / case["name"] / "attributes.json").read_text())
    block_shape, counts = attributes["blockSize"], {"stored": 0, "blocks": 0}
    for grid, _, cut_shape in interop.blocks(model.shape, block_shape, model.itemsize):
        path = folder.joinpath("data.n5", case["name"], *map(str, grid))
        first = [place * length for place, length in zip(grid, block_shape)]
        counts["blocks"] += 1
        counts["stored"] += path.exists()
        if strict and path.exists() != any(model[region(first, cut_shape)].tobytes()):
            raise ValueError(f"block {grid} is {'stored' if path.exists() else 'missing'}")
        extents = block_shape if case["edges"] == "padded" else cut_shape
        header = struct.pack(f">HH{len(extents)}I", 0, len(extents), *extents)
        if strict and path.exists() and not path.read_bytes().startswith(header):
            raise ValueError(f"block {grid} does not have the extents {extents}")
    return counts


def compare_regions(library, folder, case, model):
    """Reads the whole array and regions of it, into arrays of either order, and holds them against NumPy's."""
    import numpy

    chance = random.Random(case["name"])
    with zn5_ctypes.Dataset(library, folder / "data.n5", case["name"]) as dataset:
        for number in range(READ_COUNT):
            extent = [chance.randint(1, length) if number else length for length in model.shape]
            offset = [chance.randint(0, length - part) for length, part in zip(model.shape, extent)]
            memory = bytearray(math.prod(extent) * model.itemsize)
            image = numpy.frombuffer(memory, model.dtype).reshape(extent, order="CF"[number % 2])
            dataset.read(offset, extent, memory, 0, image.strides, threads=(1, 4)[number // 2 % 2])
            if image.tobytes() != model[region(offset, extent)].tobytes():
                raise ValueError(f"the region at {offset} of {extent} is not what NumPy has")


ZARR_ARRAY = json.dumps({
    "zarr_format": 3,
    "node_type": "array",
    "shape": [2, 3],
    "data_type": "uint16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
})  # fmt: skip
VALUES = [[1, 2, 3], [4, 5, 6]]


def nested(make_array, store):
    """An array first, then attributes of the group above it, and a group far below."""
    make_array("a/b/0")
    store.create_group("a/b")
    store.set_attributes("a/b", '{"ome":{}}')
    make_array("a/b/1")
    store.create_group("x/y/z")


def image_at_root(make_array, store):
    make_array("0")
    store.set_attributes("", '{"ome":{"version":"0.5"}}')


def array_at_root(make_array, store):
    make_array("")
    store.set_attributes("", '{"unit":"nm"}')


def asked_for(make_array, store):
    store.create_group("g/h", zn5_ctypes.LANGUAGE_ZARR)
    make_array("g/0")


# Each hierarchy, and all that a program of Zarr is to find in it: groups with their attributes, arrays with their values too.
HIERARCHIES = {
    nested: {
        "": {},
        "a": {},
        "a/b": {"ome": {}},
        "a/b/0": [{}, VALUES],
        "a/b/1": [{}, VALUES],
        "x": {},
        "x/y": {},
        "x/y/z": {},
    },
    image_at_root: {"": {"ome": {"version": "0.5"}}, "0": [{}, VALUES]},
    array_at_root: {"": [{"unit": "nm"}, VALUES]},
    asked_for: {"": {}, "g": {}, "g/h": {}, "g/0": [{}, VALUES]},
}


def check_hierarchies(library, python, folder):
    """Makes hierarchies of Zarr by zn5's C API; whether zarr-python finds just what was made."""
    interop.start_folder(folder)
    memory = struct.pack("=6H", *sum(VALUES, []))
    print("\nhierarchies of Zarr made by zn5, as zarr-python lists them")
    good = True
    for make, expected in HIERARCHIES.items():
        container = folder / f"{make.__name__}.zarr"

        def make_array(path, container=container):
            with zn5_ctypes.Dataset(library, container, path, ZARR_ARRAY) as dataset:
                dataset.write((0, 0), (2, 3), memory, 0, (6, 2))

        with zn5_ctypes.Store(library, container) as store:
            make(make_array, store)
        listed = subprocess.run([python, __file__, "list", container], capture_output=True, text=True)
        found = json.loads(listed.stdout) if listed.returncode == 0 else listed.stderr[-300:]
        good &= found == expected
        print(f"  {make.__name__:16}{'ok' if found == expected else f'MISMATCH: {found}'}")
    return good


def list_with_zarr(container):
    """In the process of zarr-python: prints what `members()` leads to, from the root down."""
    import zarr

    found = {}

    def visit(path, node):
        attributes = dict(node.attrs)
        if isinstance(node, zarr.Array):
            found[path] = [attributes, node[...].tolist()]
            return
        found[path] = attributes
        for name, child in node.members():
            visit(f"{path}/{name}".lstrip("/"), child)

    visit("", zarr.open(str(container), mode="r", zarr_format=3))
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["list"]:
        sys.exit(list_with_zarr(sys.argv[2]))
    sys.exit(run_zn5(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])) if sys.argv[1:2] in (["read"], ["write"]) else main())
