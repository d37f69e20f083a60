"""The goals of zn5's speed, and which results they are about: the first table of docs/performance.md.

A goal is about a ratio; m is its median over the cases, w the worst of them. Speed is bytes a second of CPU time of the thread.
"""

import dataclasses
import statistics
import typing

IMAGES = ("em8", "ls16", "f32")


@dataclasses.dataclass
class Goal:
    row: int
    ratio: str
    # Which results, a function of one.
    about: typing.Callable
    # What is due, and what is hoped for: of the median and of the worst; None if only the other counts.
    reach: tuple
    stretch: tuple
    # How a result becomes the number.
    value: typing.Callable = lambda line: line.get("ratio")
    # Whether the number is better if it is small.
    small: bool = False
    unit: str = ""

    def measured(self, lines):
        """(median, worst, name of the worst case), or None."""
        found = [(self.value(line), case_of(line)) for line in lines if self.about(line)]
        found = [(value, case) for value, case in found if value is not None]
        if not found:
            return None
        worst, case = (max if self.small else min)(found)
        return statistics.median(value for value, _ in found), worst, case

    def _is_met(self, wanted, median, worst):
        meets = (lambda number, bound: number <= bound) if self.small else (lambda number, bound: number >= bound)
        pairs = [(number, bound) for number, bound in zip((median, worst), wanted) if bound is not None]
        return bool(pairs) and all(meets(round(number, 3), bound) for number, bound in pairs)

    def verdict(self, measured):
        if measured is None:
            return "not measured"
        median, worst, _ = measured
        if not self._is_met(self.reach, median, worst):
            if self.reach[0] is not None and self.reach[1] is not None and self._is_met((self.reach[0], None), median, worst):
                return "**worst case below reach**"
            bound, number = (self.reach[0], median) if self.reach[0] is not None else (self.reach[1], worst)
            off = abs(number / bound - 1)
            return f"**{'above' if self.small else 'below'} reach**, by {off:.0%}"
        return "reached, stretch too" if self._is_met(self.stretch, median, worst) else "reached"


def case_of(line):
    group = line["group"].rpartition(", ")[2] if line["bench"] == "codec" and ", " in line["group"] else ""
    if line["bench"] == "datasets":
        group = f"{line['compression']}, {line['peer']}"
    return f"{line['case']} {group}".strip()


def kind(line):
    return line["case"].split()[0]


def codec(group, *compressions, kinds=None, packed=False, extent=None):
    """Results of the bench codec whose group begins so, of these compressions; `packed`: only what compression made smaller."""

    def about(line):
        if line["bench"] != "codec" or not line["group"].startswith(group) or "ratio" not in line:
            return False
        compression = line["group"].rsplit(", ", 1)[-1]
        return (
            (not compressions or compression in compressions)
            and (kinds is None or kind(line) in kinds)
            and (extent is None or f"{extent}³" in line["case"])
            and not (packed and line["stored"] > 0.95 * line["len"])
        )

    return about


def place(row, *words, without=()):
    """Results of the bench place of this row whose group has all the words."""

    def about(line):
        group = f"{line['group']} {line['case']}"
        return line["bench"] == "place" and line["row"] == row and all(word in group for word in words) and not any(word in group for word in without)

    return about


def datasets(order, peer=None, compression=None):
    def about(line):
        return (
            line["bench"] == "datasets"
            and (line["what"], line["order"], line["threads"]) == ("read", order, 1)
            and "ratio" in line
            and (peer is None or line["peer"] == peer)
            and (compression is None or line["compression"] == compression)
        )

    return about


def strings(group, case):
    return lambda line: line["bench"] == "utf32" and line["row"] == 13 and line["group"] == group and line["case"].startswith(case)


def inverse(line):
    return 1 / line["ratio"]


def fastest_peers(lines):
    """Of each compression the program that reads F order fastest, by the median of its ratios."""
    ratios = {}
    for line in filter(datasets("F"), lines):
        ratios.setdefault((line["compression"], line["peer"]), []).append(line["ratio"])
    fastest = {}
    for (compression, peer), values in ratios.items():
        fastest[compression] = min(fastest.get(compression, (9e9, "")), (statistics.median(values), peer))
    return {compression: peer for compression, (_, peer) in fastest.items()}


def goals(lines):
    fastest = fastest_peers(lines)
    unit_sizes = (("uint8", 16, 12, 25), ("uint16", 7, 6, 12), ("uint32", 4.5, 3.5, 7), ("uint64", 3.5, 2.8, 5))
    thin_sizes = (("uint8", 11, 8), ("uint16", 9, 6), ("uint32", 3.7, 3))
    found = [
        Goal(1, "F-order decode ÷ (decompressor + memcpy): gzip, zstd", codec("decode to F", "gzip", "zstd"), (0.97, 0.92), (0.99, 0.92)),
        Goal(2, "C-order decode ÷ the same: images, gzip and zstd", codec("decode to C", "gzip", "zstd", kinds=IMAGES), (0.92, 0.86), (0.95, 0.86)),
        Goal(2, "the same: labels, gzip and zstd", codec("decode to C", "gzip", "zstd", kinds=["lab64"]), (0.70, 0.60), (0.8, 0.60)),
        Goal(2, "the same: blosc-lz4, really compressed", codec("decode to C", "blosc-lz4", packed=True), (0.5, 0.3), (0.7, 0.3)),
        Goal(2, "C-order decode of raw blocks ÷ memcpy", codec("decode to C", "raw"), (0.25, 0.15), (0.45, 0.15)),
    ]
    for at, (name, median, worst, stretch) in enumerate(unit_sizes):
        ratio = f"C-order raw ÷ naive loop: {name}" if at == 0 else f"the same: {name}"
        found.append(Goal(3, ratio, place(3, name, without=["thin"]), (median, worst), (stretch, worst)))
    for at, (name, median, worst) in enumerate(thin_sizes):
        found.append(Goal(3, f"the same: thin axes, {name}", place(3, name, "thin"), (median, worst), (None, None)))
    found += [
        Goal(4, "F-order raw decode ÷ memcpy, every size, through the C API", codec("decode to F", "raw"), (0.97, 0.90), (1.0, 0.90)),
        Goal(4, "the same: the kernel alone", place(4), (0.97, 0.90), (1.0, 0.90)),
        Goal(5, "strided destination ÷ (contiguous + row copies)", place(5), (1.7, 1.3), (2.5, 1.3)),
        Goal(6, "gzip to F order ÷ zlib's bare inflate", codec("decode to F order ÷ zlib"), (1.6, 1.4), (2, 1.4)),
        Goal(6, "gzip to C order ÷ the same", codec("decode to C order ÷ zlib"), (1.5, 1.3), (1.8, 1.3)),
        Goal(6, "gzip encode, level 6 ÷ zlib's deflate", codec("encode ÷ zlib"), (1.9, 1.7), (2.5, 1.7)),
        Goal(6, "its size ÷ zlib's, images", codec("size ÷ zlib", kinds=IMAGES), (None, 1.05), (None, 1.0), small=True),
        Goal(6, "its size ÷ zlib's, labels", codec("size ÷ zlib", kinds=["lab64"]), (None, 1.25), (None, 1.0), small=True),
    ]
    for at, (name, reach, stretch) in enumerate((("gzip", 2.4, 3), ("zstd", 2.4, 3), ("blosc", 3.0, 3), ("raw", 3.3, 3.3))):
        ratio = f"whole dataset, C order, one thread ÷ tensorstore: {name}" if at == 0 else f"the same: {name}"
        found.append(Goal(7, ratio, datasets("C", "tensorstore", name), (reach, None), (stretch, None)))
    found.append(Goal(7, "the same: worst anywhere", datasets("C", "tensorstore"), (None, 1.4), (None, 1.8)))
    for name, reach, stretch in (("z5py", 3.7, 5), ("zarr 2", 3.9, 5), ("zarr-n5", 2.5, 4)):
        ratio = f"whole dataset, C order, one thread ÷ {name}"
        found.append(Goal(8, ratio, datasets("C", name), (reach, None), (stretch, None)))
    for at, name in enumerate(("gzip", "zstd", "blosc", "raw")):
        peer = fastest.get(name, "the fastest peer")
        ratio = f"whole dataset, F order, one thread ÷ the fastest peer: {name}, {peer}" if at == 0 else f"the same: {name}, {peer}"
        found.append(Goal(9, ratio, datasets("F", peer, name), (0.95, 0.85), (1.1, 1.0)))
    found += [
        Goal(10, "time by the clock: two threads, F order ÷ two threads of the decompressor", codec("two threads to F"), (0.93, None), (0.97, None)),
        Goal(10, "the same: C order, which also transposes; images", codec("two threads to C", kinds=IMAGES), (0.93, None), (0.97, None)),
        Goal(11, "16³ image blocks, F order: time ÷ the decompressor's", codec("16³ to F", kinds=IMAGES), (1.25, 1.25), (1.1, 1.1), inverse, True),
        Goal(11, "the same: C order", codec("16³ to C", kinds=IMAGES), (1.5, 1.5), (1.25, 1.25), inverse, True),
        Goal(12, "one plane across the last N5 axis ÷ the whole block: raw 64³", codec("one plane", "raw", extent=64), (8, None), (30, None)),
        Goal(12, "the same: Blosc 128³", codec("one plane", "blosc-lz4", "blosc-zstd", extent=128, packed=True), (4, None), (6, None)),
    ]  # fmt: skip
    for group, reach, stretch in (("decode ÷ memcpy", 0.5, 0.8), ("encode ÷ memcpy", 0.5, 0.8), ("decode ÷ numpy.char.encode", 5, 20),
                                  ("encode ÷ numpy.char.decode", 5, 20)):  # fmt: skip
        for capacity in (12, 64):
            begin = "strings, 64 MiB of ASCII: " if (group, capacity) == ("decode ÷ memcpy", 12) else ""
            found.append(Goal(13, f"{begin}U{capacity} {group}", strings(group, f"ASCII, {capacity}"), (reach, None), (stretch, None)))
    found += [
        Goal(14, "stripped library", lambda line: line["group"] == "stripped library", (None, 2.5), (None, 2.0), lambda line: line["size"] / 1e6, True, " MB"),
        Goal(14, "peak memory of a region read over its output, blocks a thread", lambda line: "blocks_a_thread" in line, (None, 3), (None, None),
             lambda line: line["blocks_a_thread"], True),
    ]  # fmt: skip
    return found
