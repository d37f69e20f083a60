#!/usr/bin/env python3
"""Do other programs open the metadata that zn5 converts? `./run interop` calls this; see --help.

attributes.json of every type and compression, those of the test vectors and, where they are at hand, of real containers become
zarr.json. zarr-python parses and opens each with zarr-n5's codec; shape, chunks, type, fill value and attributes are compared with
the original. Then zn5 converts back, and zarr-n5 opens that attributes.json. A difference ends with exit status 1.
"""

import argparse
import ctypes
import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import interop
import zn5_ctypes

ROOT = interop.ROOT
GRIDS = {"regular": 0, "rectilinear": 2}
# What zarr-n5 makes no array of when it reads attributes.json itself; through zarr.json it opens them.
NOT_BY_ZARR_N5 = ("bzip2", "xz")
OWN = ("dimensions", "blockSize", "dataType", "compression", "compressionType", "n5")
USER = {"axes": ["x", "y"], "resolution": [4.0, 30.5], "\u00b5\ud800": 2**70, "shape": None, "nested": {"_n5": [[]]}}


def main():
    if sys.argv[1:2] == ["--peer"]:
        return run_as_peer(pathlib.Path(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=interop.default_library(), help="libzn5 to try")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "interop", help="for data and environments")
    parser.add_argument("--python", type=pathlib.Path, help="one that has zarr and zarr-n5, instead of a new environment")
    options = parser.parse_args()
    python = options.python or interop.make_environment("zarr-n5", options.folder / "venv" / "zarr-n5")
    library = zn5_ctypes.Library(options.library)
    cases, complaints = make_cases(library)

    folder = options.folder / "metadata"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "cases.json").write_text(json.dumps(cases))
    peer = subprocess.run([python, "-B", __file__, "--peer", folder], stdout=subprocess.PIPE, text=True, check=True)
    outcomes = json.loads(peer.stdout)
    for case, outcome in zip(cases, outcomes["cases"], strict=True):
        complaints += [f"{case['name']}: {complaint}" for complaint in outcome or ()]
    for complaint in complaints:
        print(f"MISMATCH {complaint}")
    opened = sum(outcome is not None for outcome in outcomes["cases"])
    print(f"{opened} documents opened by {outcomes['versions']}, {len(complaints)} mismatches; {outcomes['note']}")
    return 0 if opened and not complaints else 1


def convert(library, name, text, flags):
    encoded = text.encode()
    return library.text(name, encoded, ctypes.c_size_t(len(encoded)), ctypes.c_uint32(flags))


def documents():
    """Names and texts of attributes.json."""
    for data_type, (name, compression) in itertools.product(interop.TYPES, interop.COMPRESSIONS.items()):
        shape, block_shape = interop.SHAPES[2]
        own = {"dimensions": shape, "blockSize": block_shape, "dataType": data_type, "compression": compression}
        yield f"{data_type} {name}", json.dumps({**USER, **own})
    compression = {"type": "raw"}
    for dimensions, block_size in (([], []), ([0, 7], [5, 5]), ([2**62], [2**20]), ([10, 8, 1], [10, 4, 3])):
        own = {"dimensions": dimensions, "blockSize": block_size, "dataType": "float64", "compression": compression}
        yield f"dimensions {dimensions}", json.dumps(own)
    yield "group", json.dumps({"n5": "4.0.0", **USER})
    for path in sorted((ROOT / "tests" / "vectors" / "metadata").glob("*.attributes.json")):
        yield path.name, path.read_text(encoding="utf-8")
    if not os.environ.get("ZN5_REALDATA"):
        print("not tried: the real containers; set ZN5_REALDATA to their folder")
        return
    real_data = pathlib.Path(os.environ["ZN5_REALDATA"])
    for path in sorted(real_data.rglob("attributes.json")):
        yield str(path.relative_to(real_data)), path.read_text(encoding="utf-8")


def make_cases(library):
    """One case for each document and grid, and what went wrong already."""
    cases, complaints = [], []
    for (name, original), (grid, flags) in itertools.product(documents(), GRIDS.items()):
        try:
            zarr = convert(library, "zn5_metadata_n5_to_zarr", original, flags)
            back = convert(library, "zn5_metadata_zarr_to_n5", zarr, 0)
        except zn5_ctypes.Zn5Error as error:
            # The vectors say of each document what it is; tests/metadata_convert.rs holds zn5 to that.
            if " lz4" not in name and not name.endswith(".attributes.json"):
                complaints.append(f"{name}: {error}")
            continue
        if back != original.strip():
            complaints.append(f"{name}: came back as {back}")
        cases.append({"name": f"{name}, {grid} grid", "grid": grid, "original": original, "zarr": zarr, "n5": back})
    return cases, complaints


def run_as_peer(folder):
    import warnings

    import zarr
    import zarr_n5

    warnings.simplefilter("ignore", zarr.errors.ZarrUserWarning)
    has_rectilinear = "rectilinear_chunks" in zarr.config.get("array")
    if has_rectilinear:
        zarr.config.set({"array.rectilinear_chunks": True})
    outcomes = []
    for index, case in enumerate(json.loads((folder / "cases.json").read_text())):
        if case["grid"] == "rectilinear" and not (has_rectilinear and chunk_count(case) < 10**6):
            outcomes.append(None)
            continue
        place = folder / str(index)
        try:
            outcomes.append(list(compare(zarr, zarr_n5, place, case)))
        except Exception as error:
            outcomes.append([f"{type(error).__name__}: {error}"])
    versions = f"zarr {zarr.__version__} with zarr-n5 {version_of('zarr-n5')}"
    # zarr-python lists the chunks of these grids in memory, one by one.
    note = "rectilinear grids of few chunks" if has_rectilinear else "regular grids only, for it has no others"
    json.dump({"cases": outcomes, "versions": versions, "note": note}, sys.stdout)
    return 0


def chunk_count(case):
    original = json.loads(case["original"])
    extents = zip(original.get("dimensions", ()), original.get("blockSize", ()))
    return math.prod(-(-dimension // block) for dimension, block in extents)


def version_of(package):
    import importlib.metadata

    return importlib.metadata.version(package)


def compare(zarr, zarr_n5, place, case):
    """What zarr-python and zarr-n5 see that the original does not say."""
    original = json.loads(case["original"])
    write(place / "zarr" / "zarr.json", case["zarr"])
    write(place / "n5" / "attributes.json", case["n5"])
    own_store = zarr_n5.N5WrapperStore(zarr.storage.LocalStore(place / "n5", read_only=True))
    if "dimensions" not in original:
        group = zarr.open_group(place / "zarr", mode="r", zarr_format=3)
        users = {key: value for key, value in original.items() if key != "n5"}
        yield from differences("attributes", dict(group.attrs), {**users, "_n5": original})
        yield from differences("own attributes", dict(zarr.open_group(own_store, mode="r", zarr_format=3).attrs)["_n5"], original)
        return

    from zarr.core.metadata.v3 import ArrayV3Metadata

    parsed = ArrayV3Metadata.from_dict(json.loads(case["zarr"]))
    array = zarr.open_array(place / "zarr", mode="r", zarr_format=3)
    users = {key: value for key, value in original.items() if key not in OWN}
    yield from differences("shape", list(parsed.shape), original["dimensions"])
    yield from differences("type", str(array.dtype), original["dataType"])
    yield from differences("fill value", float(parsed.fill_value), 0.0)
    yield from differences("attributes", dict(array.attrs), {**users, "_n5": original})
    if case["grid"] == "regular":
        yield from differences("chunks", list(array.chunks), original["blockSize"])
    if array.size < 10**6:
        # No block is stored; this goes through the whole chain of codecs all the same.
        yield from differences("sum", float(array[...].sum()), 0.0)

    compression = original.get("compression")
    if case["grid"] == "regular" and compression and compression["type"] not in NOT_BY_ZARR_N5 and 0 not in original["dimensions"]:
        own = zarr.open_array(own_store, mode="r", zarr_format=3)
        yield from differences("own shape", list(own.shape), original["dimensions"])
        yield from differences("own type", str(own.dtype), original["dataType"])
        yield from differences("own attributes", dict(own.attrs), {**users, "_n5": original})


def write(path, text):
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())


def differences(what, found, expected):
    if found != expected:
        yield f"{what}: {found!r}, but attributes.json says {expected!r}"


if __name__ == "__main__":
    sys.exit(main())
