"""Whole datasets, zn5 beside the other programs that read N5: the part "datasets" of `./run bench`.

Each program is a process of its own that lives through the part (tools/bench_peer.py); they take turns, so that each round has all of
them. One thread: CPU time of the process, all on the same core. All cores: time by the clock.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import zlib

import interop

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The virtual environment of each program; zn5 needs no more than NumPy.
ENVIRONMENT = {"zn5": "tensorstore", "tensorstore": "tensorstore", "z5py": "z5py", "zarr 2": "zarr2", "zarr-n5": "zarr-n5"}
READERS = ("tensorstore", "z5py", "zarr 2", "zarr-n5")
WRITERS = ("tensorstore", "z5py", "zarr 2")
COMPRESSIONS = {
    "raw": {"type": "raw"},
    "gzip": {"type": "gzip", "level": 6},
    "zstd": {"type": "zstd", "level": 3},
    "blosc": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
}
# Of each kind of data its type and the shape that is read: of the wide types half the depth, so that no pair takes the most of the time.
KINDS = {
    "em8": ("uint8", (256, 256, 256)),
    "ls16": ("uint16", (256, 256, 256)),
    "lab64": ("uint64", (256, 256, 128)),
    "f32": ("float32", (256, 256, 128)),
}
WRITTEN_SHAPE = (128, 128, 128)
ROUNDS = 7


class Failed(Exception):
    """Something that makes comparing senseless: zn5 itself, or a whole process, does not work."""


class Peer:
    """A process of tools/bench_peer.py."""

    def __init__(self, name, python, library, threads, core):
        environment = os.environ | {"ZN5_LIBRARY": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
        # NumPy's own threads have nothing to do here.
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.name = name
        self._process = subprocess.Popen(
            [python, ROOT / "tools" / "bench_peer.py", name, str(threads), str(core)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise Failed(f"the process of {self.name} ended with {self._process.wait()}")
        return json.loads(line)

    def ask(self, do, case, order, check=False):
        command = {"do": do, "case": case, "order": order, "check": check}
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def make_pythons():
    folder = ROOT / "target" / "interop" / "venv"
    return {name: interop.make_environment(name, folder / name) for name in dict.fromkeys(ENVIRONMENT.values())}


def describe(container, volume, name, kind, shape, extent, compression):
    attributes = {
        "dimensions": shape,
        "blockSize": [extent] * len(shape),
        "dataType": KINDS[kind][0],
        "compression": COMPRESSIONS[compression],
    }
    return {"container": str(container), "volume": str(volume), "name": name, "attributes": attributes}


def compare(peers, do, case, order, rounds, clock):
    """Seconds of each peer by round, or what it said instead."""
    seconds, errors = {peer.name: [] for peer in peers}, {}
    for number in range(rounds + 1):
        for peer in peers:
            if peer.name not in errors:
                answer = peer.ask(do, case, order, check=number == 0)
                if "error" in answer:
                    errors[peer.name] = answer["error"]
                # The first round warms up.
                elif number > 0:
                    seconds[peer.name].append(answer[clock])
    return seconds, errors


def lines(what, case_name, compression, order, threads, size, seconds, errors):
    """One result for each peer but zn5."""
    if "zn5" in errors:
        raise Failed(f"zn5 failed to {what} {case_name}, {compression}: {errors['zn5']}")
    ours = seconds.pop("zn5")
    for peer, theirs in seconds.items():
        line = {
            "bench": "datasets",
            "row": 0,
            "group": f"{what} {order} order, {compression}, {'one thread' if threads == 1 else 'all cores'} ÷ {peer}",
            "case": case_name,
            "what": what, "order": order, "compression": compression, "threads": threads, "peer": peer,
        }  # fmt: skip
        if peer in errors:
            yield line | {"error": errors[peer]}
            continue
        ratios = [other / own for own, other in zip(ours, theirs)]
        yield line | {
            "ours": size / statistics.median(ours),
            "other": size / statistics.median(theirs),
            "ratio": statistics.median(ratios),
            "low": min(ratios),
            "high": max(ratios),
        }


def run(options, folder, write_volume):
    """Yields the results. `write_volume(kind, shape, path)` makes the data."""
    pythons = make_pythons()
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count()))
    container, volumes = folder / "volumes.n5", {}
    rounds = 2 if options.quick else ROUNDS
    kinds = ["em8", "ls16"] if options.quick else list(KINDS)
    extents = [64] if options.quick else [64, 128]
    for kind in kinds:
        for shape in (KINDS[kind][1], WRITTEN_SHAPE):
            path = folder / f"{kind}-{'x'.join(map(str, shape))}.bin"
            write_volume(kind, shape, path)
            volumes[kind, shape] = path

    def start(names, threads, core):
        return [Peer(name, pythons[ENVIRONMENT[name]], options.library, threads, core) for name in names]

    def size(case):
        return pathlib.Path(case["volume"]).stat().st_size

    cases = []
    for kind in kinds:
        for extent in extents:
            for compression in COMPRESSIONS:
                shape = KINDS[kind][1]
                name = f"{kind}-{extent}-{compression}"
                cases.append((kind, extent, compression, describe(container, volumes[kind, shape], name, kind, shape, extent, compression)))

    peers = start(["zn5", *READERS], 1, cores[-1])
    prepare(container, peers[1], [case for *_, case in cases])
    for kind, extent, compression, case in cases:
        for order in "CF":
            seconds, errors = compare(peers, "read", case, order, rounds, "cpu")
            yield from lines("read", f"{kind} {extent}³", compression, order, 1, size(case), seconds, errors)
    for peer in peers:
        peer.close()

    if len(cores) > 1:
        peers = start(["zn5", *READERS], len(cores), "all")
        for kind, extent, compression, case in cases:
            if extent == 64 and compression != "raw":
                seconds, errors = compare(peers, "read", case, "C", rounds, "wall")
                yield from lines("read", f"{kind} {extent}³", compression, "C", len(cores), size(case), seconds, errors)
        for peer in peers:
            peer.close()

    peers = start(["zn5", *WRITERS], 1, cores[-1])
    for kind in kinds:
        for compression in COMPRESSIONS:
            case = describe(folder / "written.n5", volumes[kind, WRITTEN_SHAPE], f"{kind}-{compression}", kind, WRITTEN_SHAPE, 64, compression)
            for order in "CF" if compression == "zstd" else "C":
                shutil.rmtree(folder / "written.n5", ignore_errors=True)
                seconds, errors = compare(peers, "write", case, order, rounds, "cpu")
                yield from lines("write", f"{kind} 64³", compression, order, 1, size(case), seconds, errors)
    for peer in peers:
        peer.close()


def prepare(container, tensorstore, cases):
    """Has TensorStore write what all read, so that nobody reads his own; kept for the next time."""
    stamp = container.with_suffix(".json")
    # With a sum over the data, of which there may be new ones.
    sums = {path: zlib.crc32(pathlib.Path(path).read_bytes()) for path in sorted({case["volume"] for case in cases})}
    wanted = json.dumps([cases, sums])
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(container, ignore_errors=True)
    container.mkdir(parents=True)
    # Without this z5py takes the folder for something else.
    (container / "attributes.json").write_text('{"n5":"2.0.0"}')
    for case in cases:
        answer = tensorstore.ask("store", case, "C")
        if "error" in answer:
            raise Failed(f"tensorstore failed to write {case['name']}: {answer['error']}")
    stamp.write_text(wanted)
