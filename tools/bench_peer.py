#!/usr/bin/env python3
"""One program of those that `./run bench` compares: a process that reads and writes whole N5 datasets when it is told to.

    bench_peer.py PEER THREADS CORE      in the peer's virtual environment; CORE is "all", or the number of the one to stay on

Takes a line of JSON on standard input for each thing to do and answers with one: seconds of CPU (of the whole process) and by the
clock. What is timed is the transfer alone: the dataset is open, the array to read into is new. Shapes are in N5's order of axes; an array
is in C order where its last axis varies fastest, in F order where its first does.
"""

import ctypes
import json
import os
import pathlib
import shutil
import sys
import time
import warnings

import numpy


class Zn5:
    """zn5 through ctypes, the C API."""

    def __init__(self, threads):
        import zn5_ctypes

        self._zn5, self._threads = zn5_ctypes, threads
        self._library = zn5_ctypes.Library(os.environ["ZN5_LIBRARY"])

    def open(self, case):
        return self._zn5.Dataset(self._library, case["container"], case["name"])

    def create(self, case):
        return self._zn5.Dataset(self._library, case["container"], case["name"], json.dumps(case["attributes"]))

    def read(self, dataset, case, order):
        shape, dtype = case["attributes"]["dimensions"], numpy.dtype(case["attributes"]["dataType"])
        array = numpy.empty(shape, dtype, order)
        dataset.read([0] * len(shape), shape, array.ravel(order).view(numpy.uint8), 0, array.strides, self._threads)
        return array

    def write(self, dataset, array, order):
        memory = array.ravel(order).view(numpy.uint8)
        memory = (ctypes.c_char * len(memory)).from_buffer(memory)
        dataset.write([0] * array.ndim, array.shape, memory, 0, array.strides, self._threads)


class TensorStore:
    def __init__(self, threads):
        import tensorstore

        limit = {"limit": threads}
        self._context = tensorstore.Context({"data_copy_concurrency": limit, "file_io_concurrency": limit})
        self._tensorstore = tensorstore

    def _open(self, case, **more):
        kvstore = {"driver": "file", "path": f"{case['container']}/{case['name']}"}
        return self._tensorstore.open({"driver": "n5", "kvstore": kvstore, **more}, context=self._context).result()

    def open(self, case):
        return self._open(case)

    def create(self, case):
        return self._open(case, create=True, metadata=case["attributes"])

    def read(self, dataset, _, order):
        return dataset.read(order=order).result()

    def write(self, dataset, array, _):
        dataset.write(array).result()


class Z5:
    """z5py lists the axes the other way round, so that its C order is the F order here."""

    def __init__(self, threads):
        import z5py

        self._z5py, self._threads = z5py, threads

    def open(self, case):
        dataset = self._z5py.File(case["container"], "a")[case["name"]]
        dataset.n_threads = self._threads
        return dataset

    def create(self, case):
        attributes = case["attributes"]
        compression = attributes["compression"]
        kind = compression["type"]
        options = {name: compression[name] for name in {"gzip": ["level"], "zstd": ["level"]}.get(kind, [])}
        if kind == "blosc":
            options = {"codec": compression["cname"], "clevel": compression["clevel"], "shuffle": compression["shuffle"]}
        dataset = self._z5py.File(case["container"], "a").create_dataset(
            case["name"], shape=attributes["dimensions"][::-1], dtype=attributes["dataType"],
            chunks=tuple(attributes["blockSize"][::-1]), compression=kind, **options,
        )  # fmt: skip
        dataset.n_threads = self._threads
        return dataset

    def read(self, dataset, _, order):
        return numpy.asarray(dataset[...].T, order=order)

    def write(self, dataset, array, _):
        dataset[...] = array.T


class Zarr2:
    """zarr-python 2's N5Store, which lists the axes the other way round too."""

    def __init__(self, threads):
        import numcodecs
        import zarr
        from zarr.n5 import N5Store

        numcodecs.blosc.set_nthreads(threads)
        numcodecs.blosc.use_threads = threads > 1
        self._zarr, self._store, self._numcodecs = zarr, N5Store, numcodecs

    def open(self, case):
        return self._zarr.open_array(self._store(case["container"]), path=case["name"], mode="r")

    def create(self, case):
        attributes = case["attributes"]
        compression = attributes["compression"]
        compressor = {
            "raw": lambda: None,
            "gzip": lambda: self._numcodecs.GZip(compression["level"]),
            "zstd": lambda: self._numcodecs.Zstd(compression["level"]),
            "blosc": lambda: self._numcodecs.Blosc(compression["cname"], compression["clevel"], compression["shuffle"]),
        }[compression["type"]]()
        return self._zarr.create(
            attributes["dimensions"][::-1], chunks=tuple(attributes["blockSize"][::-1]), dtype=attributes["dataType"], fill_value=0,
            compressor=compressor, store=self._store(case["container"]), path=case["name"],
        )  # fmt: skip

    def read(self, dataset, _, order):
        return numpy.asarray(dataset[...].T, order=order)

    def write(self, dataset, array, _):
        dataset[...] = array.T


class ZarrN5:
    """zarr-python 3 with the package zarr-n5; reads only."""

    def __init__(self, threads):
        import zarr
        import zarr_n5

        zarr.config.set({"threading.max_workers": threads})
        self._zarr, self._wrapper = zarr, zarr_n5.N5WrapperStore

    def open(self, case):
        store = self._wrapper(self._zarr.storage.LocalStore(case["container"], read_only=True))
        return self._zarr.open_array(store, path=case["name"], mode="r", zarr_format=3)

    def read(self, dataset, _, order):
        with self._zarr.config.set({"array.order": order}):
            return numpy.asarray(dataset[...], order=order)


PEERS = {"zn5": Zn5, "tensorstore": TensorStore, "z5py": Z5, "zarr 2": Zarr2, "zarr-n5": ZarrN5}


def timed(work):
    """What `work` returns, and the seconds that it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


class Worker:
    def __init__(self, peer):
        self._peer, self._opened, self._arrays = peer, {}, {}

    def _volume(self, case):
        attributes = case["attributes"]
        return numpy.fromfile(case["volume"], attributes["dataType"]).reshape(attributes["dimensions"])

    def read(self, case, order, check):
        dataset = self._opened.get(case["name"])
        if dataset is None:
            dataset = self._opened[case["name"]] = self._peer.open(case)
        array, seconds = timed(lambda: self._peer.read(dataset, case, order))
        if array.shape != tuple(case["attributes"]["dimensions"]) or not array.flags[f"{order}_CONTIGUOUS"]:
            raise RuntimeError(f"gave an array of {array.shape} that is not in {order} order")
        if check and not numpy.array_equal(array, self._volume(case)):
            raise RuntimeError("read other values")
        return seconds

    def store(self, case, order, _):
        """Writes into a container that is there, for others to read."""
        return timed(lambda: self._peer.write(self._peer.create(case), self._volume(case), order))[1]

    def write(self, case, order, check):
        """Into a container of its own, which is removed afterwards."""
        folder = pathlib.Path(case["container"])
        folder.mkdir(parents=True)
        (folder / "attributes.json").write_text('{"n5":"2.0.0"}')
        array = self._arrays.get((case["name"], order))
        if array is None:
            array = self._arrays[case["name"], order] = numpy.asarray(self._volume(case), order=order)
        dataset = self._peer.create(case)
        _, seconds = timed(lambda: self._peer.write(dataset, array, order))
        try:
            if check and not numpy.array_equal(self._peer.read(self._peer.open(case), case, order), array):
                raise RuntimeError("wrote other values")
        finally:
            shutil.rmtree(folder)
        return seconds


def main():
    name, threads, core = sys.argv[1:4]
    # Of packages that will end one day.
    warnings.simplefilter("ignore")
    # Before any library makes threads.
    if core != "all" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    worker = Worker(PEERS[name](int(threads)))
    print(json.dumps({"ready": name}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        # Whatever a peer raises is a result, which the page names.
        try:
            answer = getattr(worker, command["do"])(command["case"], command["order"], command["check"])
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
