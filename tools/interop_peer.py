#!/usr/bin/env python3
"""One side of `./run interop`: reads or writes N5 datasets with one peer, in that peer's virtual environment.

    interop_peer.py read PEER FOLDER     the datasets of FOLDER/cases.json; prints one JSON line each: a digest or an error
    interop_peer.py write PEER FOLDER    writes them, from FOLDER/NAME.bin, into FOLDER/data.n5

Arrays are compared as bytes in N5's axis order, last axis fastest, little-endian.
"""

import hashlib
import json
import pathlib
import sys

import numpy


class ZarrN5:
    """zarr-n5: N5's own metadata, seen as Zarr v3 through its wrapper store."""

    def __init__(self, container):
        import zarr
        from zarr_n5 import N5WrapperStore

        self._zarr, self._store = zarr, N5WrapperStore(zarr.storage.LocalStore(container, read_only=True))

    def read(self, case):
        return self._zarr.open_array(self._store, path=case["name"], mode="r", zarr_format=3)[...]


class ZarrN5Codec:
    """zarr-python 3 with zarr-n5's codec `n5_default`, configured by the zarr.json in which zn5 describes its codec."""

    def __init__(self, container):
        import zarr
        import zarr_n5  # registers the codec

        self._zarr, self._container, self._registered = zarr, container.with_name("data.zarr"), zarr_n5

    def read(self, case):
        if case["zarr_codec_error"]:
            raise RuntimeError(case["zarr_codec_error"])
        return self._zarr.open_array(str(self._container / case["name"]), mode="r", zarr_format=3)[...]


class TensorStore:
    def __init__(self, container):
        import tensorstore

        self._tensorstore, self._container = tensorstore, container

    def _spec(self, case):
        kvstore = {"driver": "file", "path": str(self._container / case["name"])}
        return {"driver": "n5", "kvstore": kvstore}

    def read(self, case):
        return self._tensorstore.open(self._spec(case)).result().read().result()

    def write(self, case, array):
        metadata = {key: case["attributes"][key] for key in ("dimensions", "blockSize", "dataType", "compression")}
        spec = self._spec(case) | {"metadata": metadata, "create": True}
        self._tensorstore.open(spec).result().write(array).result()


class Zarr2:
    """zarr-python 2's N5Store. It lists the axes the other way round."""

    def __init__(self, container):
        import zarr
        from zarr.n5 import N5Store

        self._zarr, self._store = zarr, N5Store(str(container))

    def read(self, case):
        return self._zarr.open_array(self._store, path=case["name"], mode="r")[...].T

    def _compressor(self, compression):
        import numcodecs

        kind = compression["type"]
        if kind == "raw":
            return None
        if kind == "gzip":
            return (numcodecs.Zlib if compression["useZlib"] else numcodecs.GZip)(compression["level"])
        if kind == "bzip2":
            return numcodecs.BZ2(compression["blockSize"])
        if kind == "xz":
            return numcodecs.LZMA(preset=compression["preset"])
        if kind == "lz4":
            return numcodecs.LZ4()
        if kind == "zstd":
            return numcodecs.Zstd(compression["level"])
        return numcodecs.Blosc(compression["cname"], compression["clevel"], compression["shuffle"])

    def write(self, case, array):
        self._zarr.create(
            array.shape[::-1], chunks=tuple(case["attributes"]["blockSize"][::-1]), dtype=array.dtype, fill_value=0,
            compressor=self._compressor(case["attributes"]["compression"]), store=self._store, path=case["name"],
        )[...] = array.T  # fmt: skip


class Z5:
    """z5py. It lists the axes the other way round."""

    def __init__(self, container):
        import z5py

        self._file = z5py.File(str(container), "a")

    def read(self, case):
        return self._file[case["name"]][...].T

    def write(self, case, array):
        compression = case["attributes"]["compression"]
        kind = compression["type"]
        if kind == "gzip" and compression["useZlib"]:
            raise NotImplementedError("z5py writes no zlib streams")
        options = {}
        if kind == "blosc":
            options = {"codec": compression["cname"], "shuffle": compression["shuffle"]}
        self._file.create_dataset(
            case["name"], data=numpy.ascontiguousarray(array.T), compression=kind,
            chunks=tuple(case["attributes"]["blockSize"][::-1]), **options,
        )  # fmt: skip


PEERS = {"zarr-n5": ZarrN5, "n5_default": ZarrN5Codec, "tensorstore": TensorStore, "zarr2": Zarr2, "z5py": Z5}


def main():
    action, peer_name, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    peer = PEERS[peer_name](folder / "data.n5")
    for case in json.loads((folder / "cases.json").read_text()):
        dtype = numpy.dtype(case["attributes"]["dataType"]).newbyteorder("<")
        outcome = {"name": case["name"]}
        # Whatever a peer raises is a result to be shown in the table.
        try:
            if action == "read":
                array = numpy.asarray(peer.read(case))
                if list(array.shape) != case["attributes"]["dimensions"] or array.dtype != dtype:
                    raise RuntimeError(f"read as {array.shape} {array.dtype}")
                outcome["sha256"] = hashlib.sha256(array.astype(dtype).tobytes(order="C")).hexdigest()
            else:
                array = numpy.frombuffer((folder / f"{case['data']}.bin").read_bytes(), dtype)
                peer.write(case, array.reshape(case["attributes"]["dimensions"]))
        except Exception as error:
            outcome["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
