"""Writes docs/performance.md and its plots from the results of `./run bench`."""

import json
import statistics

import bench_goals
import bench_svg
import interop

COMPRESSIONS = ("raw", "gzip", "zstd", "blosc-lz4", "blosc-zstd", "lz4", "bzip2", "xz")
KINDS = {"em8": "8-bit EM", "ls16": "16-bit light sheet", "lab64": "64-bit labels", "f32": "32-bit float"}

# What holds a goal back that is missed, by row, and how it is known. Only shown where the row is missed.
BOUNDS = {
    2: "The transposition is the bound. With the decompressor's time and the kernel's (that of the raw block of the same size) added up, the "
       "last column of the table \"Decoding: every block\" says what remains possible; what is measured differs from that by {gap}.",
    3: "Blocks of 128³ numbers of 8 bytes are 16 MB on each side, more than the caches hold. Fetching their lines and pages from memory is the "
       "likely bound; processors without counters to read, such as virtual ones, do not prove it. Stores that go around the caches gained a fifth "
       "there, and lost more than a quarter at 64³.",
    4: "It is one memmove behind the checks of the call and the header; what is left differs from run to run with where the pages lie.",
    5: "The other side is zn5's own contiguous kernel with row copies after it, so the ratio cannot exceed (kernel + row copies) ÷ kernel: a faster "
       "kernel lowers it.",
    10: "In C order the bound is row 2's: the transposition takes its time on each core.",
}  # fmt: skip


def write(folder, page_folder):
    """The page and its plots below `page_folder`."""
    parts = {path.stem: load(path) for path in sorted(folder.glob("*.jsonl"))}
    lines = [line for _, part_lines in parts.values() for line in part_lines]
    plots = page_folder / "performance"
    plots.mkdir(parents=True, exist_ok=True)
    sections = [introduction(parts), goals(lines), codec(lines, plots), place(lines, plots), datasets(lines, plots), strings(lines, plots),
                growth(lines, plots), machine(parts)]  # fmt: skip
    text = "\n\n".join(section for section in sections if section)
    (page_folder / "performance.md").write_text(text + "\n")


def load(path):
    first, *lines = map(json.loads, path.read_text().splitlines())
    return first["machine"], lines


def table(head, rows, right_from=1):
    marks = ["---" if number < right_from else "--:" for number in range(len(head))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, marks, *rows))


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(line):
    """A cell: the median of the rounds, and the least and the most of them."""
    if line is None:
        return ""
    if "error" in line:
        return "fails"
    return f"{short(line['ratio'])} ({short(line['low'])}–{short(line['high'])})" if "low" in line else short(line["ratio"])


def folded(summary, text):
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def introduction(parts):
    quick = any(about["quick"] for about, _ in parts.values())
    warning = "**A quick run: few cases, few rounds. These figures only show that measuring works.**\n\n" if quick else ""
    return f"""# How fast zn5 is

{warning}`./run bench` measures all of this and writes this page; `./run bench --only PART` measures one part anew, `--report` writes the page from
the results that are there, `--quick` only tries whether measuring works. Do not edit the page: its text is in `tools/bench_report.py`, its goals are in
`tools/bench_goals.py`.

A figure is a **ratio**: how many times as fast as something else, which takes turns with zn5 in the same run; 1 is as fast, 2 is half the
time. It is the median of at least seven rounds, in brackets the least and the most of them. (Writing above 1000 blocks is measured once.) Time is CPU time of the thread, on one core;
where several threads or cores are measured it is time by the clock, whose MB/s do not compare with those of CPU time. MB and GB are of decoded data.

Data are made by a formula, the same everywhere: `em8`, 8 bits, like electron microscopy: smooth, with membranes and noise; `ls16`, 16 bits, like a
light sheet: few counts and bright spots; `lab64`, 64-bit labels: cells of one number each; `f32`, 32-bit floating point: smooth with noise. All
are three-dimensional; 64³ is a block of that many elements. gzip is at level 6, zstd at level 3, Blosc at level 5 with shuffle (lz4) or bit
shuffle (zstd). *Memory copy* is `memcpy` of the same bytes; *naive* is one loop in the order of the destination that swaps the bytes
of each element, compiled with full optimisation; *decompressor* is the call into the same compression library that zn5 makes, with nothing around it."""


def goals(lines):
    rows, missed, last, measured_count = [], {}, None, 0
    for goal in bench_goals.goals(lines):
        measured = goal.measured(lines)
        measured_count += measured is not None
        verdict = goal.verdict(measured)
        if "**" in verdict:
            missed.setdefault(goal.row, []).append(goal.ratio)

        def pair(numbers):
            if numbers == (None, None):
                return "–"
            sign = "≤ " if goal.small else ""
            return " / ".join("–" if number is None else f"{sign}{number:g}{goal.unit}" for number in numbers)

        def measured_pair():
            if measured is None:
                return "–", "–"
            return f"{short(measured[0])} / {short(measured[1])}{goal.unit}", measured[2]

        numbers, worst = measured_pair()
        rows.append(["" if goal.row == last else goal.row, goal.ratio, pair(goal.reach), pair(goal.stretch), f"**{numbers}**", verdict, worst])
        last = goal.row
    gaps = [line["ratio"] / allowed - 1 for line in lines if (allowed := allowed_by_kernel(line, lines)) is not None]
    gap = f"{statistics.median(gaps):+.0%} in the median, {min(gaps):+.0%} to {max(gaps):+.0%}" if gaps else ""
    remarks = "".join(f"\n- **Row {row}.** {BOUNDS[row].format(gap=gap)}" for row in missed if row in BOUNDS)
    reached_count = measured_count - sum(map(len, missed.values()))
    summary = f"{reached_count} of {len(rows)} figures reach what is due." + (
        f" {len(rows) - measured_count} are not measured." if measured_count < len(rows) else ""
    )
    return f"""## Goals

m / w: the median over the cases (kinds of data, block sizes, compressions, or what the row names), and the worst of them. *Reach* is due,
*stretch* is hoped for; – means that this number alone decides nothing. {summary}

{table(["#", "ratio", "reach, m / w", "stretch, m / w", "measured, m / w", "verdict", "worst case"], rows, right_from=99)}
{f"{chr(10)}What holds back the rows that are below:{chr(10)}{remarks}" if remarks else ""}""".rstrip()


def allowed_by_kernel(line, lines):
    """The ratio that a block in C order has if it takes the decompressor's time and the kernel's, and nothing more."""
    if line["bench"] != "codec" or not line["group"].startswith("decode to C order, ") or compression_of(line) == "raw":
        return None
    raw = [other for other in lines if other["bench"] == "codec" and (other["group"], other["case"]) == ("decode to C order, raw", line["case"])]
    if not raw:
        return None
    # In the time that the other side takes: the copy out, the kernel in.
    return 1 / (1 - line["other"] / raw[0]["other"] + line["other"] / raw[0]["ours"])


def compression_of(line):
    return line["group"].rsplit(", ", 1)[-1]


def by_case(lines, groups, first_name="block"):
    """A table with a row for each case and a column for each group: `groups` maps the beginnings of their names to headings."""
    cases, cells = [], {}
    for line in lines:
        for group in groups:
            if line["group"].startswith(group):
                case = f"{line['case']}, {compression_of(line)}" if line["bench"] == "codec" else line["case"]
                cases += [] if case in cases else [case]
                cells[case, group] = ratio(line)
    if not cases:
        return ""
    return table([first_name, *groups.values()], [[case, *(cells.get((case, group), "") for group in groups)] for case in cases])


def codec(lines, plots):
    lines = [line for line in lines if line["bench"] == "codec"]
    if not lines:
        return ""
    wanted = {"decode to F order, ": "F order", "decode to C order, ": "C order", "decode into an image, ": "C order, into a larger image"}
    names = [name for name in COMPRESSIONS if any(line["group"] == f"decode to C order, {name}" for line in lines)]

    def points(group):
        return [(line["ratio"], f"{line['case']}: {short(line['ratio'])}") for line in lines if line["group"] == group]

    rows = [(name, [points(f"decode to F order, {name}"), points(f"decode to C order, {name}")]) for name in names]
    (plots / "blocks.svg").write_text(bench_svg.dots(
        "Decoding a block", "One point for each kind of data and block size (64³, 128³).",
        "speed ÷ (decompressor + memory copy); right of the dashed line: faster", rows, ["to F order", "to C order"],
    ))  # fmt: skip
    packed, decode_rows = {}, []
    for line in lines:
        if line["group"].startswith("decode to F order, "):
            packed[line["case"], compression_of(line)] = line
    by_key = {(line["case"], line["group"]): line for line in lines}
    for (case, compression), line in packed.items():
        cells = [ratio(by_key.get((case, f"{group}{compression}"))) for group in wanted]
        in_c_order = by_key.get((case, f"decode to C order, {compression}"))
        allowed = allowed_by_kernel(in_c_order, lines) if in_c_order else None
        cells.append(short(allowed) if allowed else "")
        decode_rows.append([f"{case}, {compression}", f"{line['len'] / line['stored']:.2f}", short(line["other"] / 1e9), *cells])
    decode = table(["block", "smaller by", "decompressor + copy, GB/s", *wanted.values(), "C order, decompressor + kernel only"], decode_rows)
    zlib = {"decode to F order ÷ zlib": "to F order ÷ inflate", "decode to C order ÷ zlib": "to C order ÷ inflate",
            "encode ÷ zlib": "encode ÷ deflate", "size ÷ zlib": "size ÷ zlib's"}  # fmt: skip
    size_lines = [line | {"group": line["group"] + ", gzip"} if line["group"].startswith("size ÷") else line for line in lines]
    return f"""## Blocks

![Decoding a block, by compression](performance/blocks.svg)

Through the C API: `zn5_decode_block` in both orders, `zn5_decode_region` into the middle of a larger image; `zn5_encode_block`. Beside them the
decompressor (or compressor) of the same library with a reused context, and a copy of the result; of raw blocks the copy alone. Both orders
swap the bytes of each element; C order also reverses the axes. F order can be faster than the other side because zn5 saves that copy.

{folded("Decoding: every block", decode)}

{folded("Encoding ÷ (compressor + copy): every block", by_case(lines, {"encode from F order": "from F order", "encode from C order": "from C order"}))}

### gzip beside zlib

Stock zlib's `inflate` and `deflate` alone, without bytes to swap and axes to reverse. What is inflated was written by zlib.

{by_case(size_lines, zlib)}

### Small blocks, planes, threads

Blocks of 16³, 64 of them in turn, ÷ the decompressor alone with a reused context (the goal's number is the inverse):

{by_case(lines, {"16³ to F": "to F order", "16³ to C": "to C order"})}

One plane across the last N5 axis (`zn5_decode_region`) ÷ the whole block:

{by_case(lines, {"one plane": "speed-up"})}

Two threads that share a codec ÷ two threads that have nothing but their decompressors, by the clock:

{by_case(lines, {"two threads to F": "to F order", "two threads to C": "to C order"})}"""


def place(lines, plots):
    lines = [line for line in lines if line["bench"] == "place" and "ratio" in line]
    if not lines:
        return ""
    groups = list(dict.fromkeys(line["group"] for line in lines))

    def points(group):
        return [(line["ratio"], f"{line['case']}: {short(line['ratio'])}") for line in lines if line["group"] == group]

    def plot(name, title, label, wanted):
        rows = [(group, [points(group)]) for group in sorted(groups, key=lambda group: "thin" in group) if wanted(group)]
        if rows:
            (plots / name).write_text(bench_svg.dots(title, "One point for each shape.", label, rows, ["zn5"]))
        return f"![{title}](performance/{name})\n\n" if rows else ""

    pictures = plot("kernel.svg", "Reversing the axes, beside a naive loop", "speed ÷ naive loop", lambda group: "naive" in group)
    rows = [[line["group"], line["case"], short(line["ours"] / 1e9), short(line["other"] / 1e9), ratio(line)] for line in lines]
    detail = table(["ratio", "shape", "zn5, GB/s", "other, GB/s", "ratio"], rows, right_from=2)
    return f"""## The kernel

{pictures}The pass that swaps bytes, reverses axes, crops, pads and lands in the caller's strides, alone.

{folded("Every shape", detail)}"""


def dataset_tables(lines, what, threads):
    found = [line for line in lines if line["what"] == what and (line["threads"] == 1) == (threads == 1)]
    order_of = {compression: number for number, compression in enumerate(dict.fromkeys(line["compression"] for line in found))}
    texts = []
    for order in "CF":
        part = [line for line in found if line["order"] == order]
        peers = list(dict.fromkeys(line["peer"] for line in part))
        keys = sorted(dict.fromkeys((line["compression"], line["case"]) for line in part), key=lambda key: order_of[key[0]])
        cells = {(line["compression"], line["case"], line["peer"]): line for line in part}
        rows = []
        for compression, case in keys:
            of_peers = [cells.get((compression, case, peer)) for peer in peers]
            speed = next((line["ours"] for line in of_peers if line and "ours" in line), None)
            rows.append([compression, case, f"{speed / 1e6:.0f}" if speed else "", *map(ratio, of_peers)])
        if rows:
            head = ["", "blocks", "zn5, MB/s", *(f"÷ {peer}" for peer in peers)]
            texts.append(f"{order} order:\n\n{table(head, rows, right_from=2)}")
    return "\n\n".join(texts)


def datasets(lines, plots):
    lines = [line for line in lines if line["bench"] == "datasets"]
    if not lines:
        return ""
    peers = list(dict.fromkeys(line["peer"] for line in lines))

    def rows(order):
        return [
            (compression, [
                [(line["ratio"], f"{peer}, {line['case']}: {short(line['ratio'])}") for line in lines
                 if (line["what"], line["order"], line["threads"], line["compression"], line["peer"]) == ("read", order, 1, compression, peer)
                 and "ratio" in line]
                for peer in peers
            ])
            for compression in dict.fromkeys(line["compression"] for line in lines)
        ]  # fmt: skip

    subtitle = "One thread. One point for each kind of data and block size."
    label = "times as fast as the other program; right of the dashed line: zn5 is faster"
    for order, name, what in (("C", "datasets-c.svg", "last axis fastest"), ("F", "datasets-f.svg", "first axis fastest, as N5 stores it")):
        title = f"Reading whole datasets in {order} order ({what})"
        (plots / name).write_text(bench_svg.dots(title, subtitle, label, rows(order), [f"÷ {peer}" for peer in peers]))
    median = statistics.median(line["ratio"] for line in lines if line["what"] == "read" and line["threads"] == 1 and "ratio" in line)
    failed = sorted({f"{line['peer']}: {line['error']}" for line in lines if "error" in line})
    failures = "\n\nWhat failed: " + "; ".join(failed) + "." if failed else ""
    cores = max(line["threads"] for line in lines)
    return f"""## Whole datasets

![Reading in C order](performance/datasets-c.svg)

![Reading in F order](performance/datasets-f.svg)

Volumes of 256³ (of the wide types 256 × 256 × 128) in blocks of 64³ and 128³, written by tensorstore, in the page cache, read whole into a new array
by each program in turn: a process of its own on one core, one thread, CPU time of the process. The dataset is open before. z5py and zarr 2 list
the axes the other way round, so what they give is F order here; for C order a copy in that order is made, as their users have to. zn5 is called
from Python too, by its C API. Over all reads by one thread zn5 is {short(median)} times as fast as the other program in the median.{failures}

{folded("Reading, one thread", dataset_tables(lines, "read", 1))}

{folded(f"Reading, all cores ({cores}), by the clock", dataset_tables(lines, "read", 2))}

{folded("Writing 128³ in blocks of 64³, one thread", dataset_tables(lines, "write", 1))}

zarr-n5 does not write. z5py, like zn5, uses libdeflate for gzip, the others zlib."""


def strings(lines, plots):
    lines = [line for line in lines if line["bench"] == "utf32"]
    if not lines:
        return ""
    native = [line for line in lines if line["case"].endswith("little-endian") and "memcpy" in line["group"]]
    scripts = list(dict.fromkeys(line["case"].removesuffix(", little-endian") for line in native))

    def points(group, script):
        return [(line["ratio"], f"{short(line['ratio'])}") for line in native if line["group"] == group and line["case"].startswith(script + ",")]

    rows = [(script, [points("decode ÷ memcpy", script), points("encode ÷ memcpy", script)]) for script in scripts]
    if rows:
        (plots / "strings.svg").write_text(bench_svg.dots(
            "Strings of fixed length, fixed_length_utf32", "Arrays of 64 MiB of code units, in one call.",
            "bytes of code units a second ÷ a memory copy of them", rows, ["code units to UTF-8", "UTF-8 to code units"], log=False,
        ))  # fmt: skip
    numpy = {"decode ÷ numpy.char.encode": "decode ÷ char.encode", "encode ÷ numpy.char.decode": "encode ÷ char.decode"}
    reading = {"read chunks as text ÷ zarr-python, as text": "÷ zarr-python, to text", "read chunks as text ÷ zarr-python, as code units":
               "÷ zarr-python, code units only"}  # fmt: skip
    return f"""## Strings

![Strings, beside a memory copy](performance/strings.svg)

{folded("Every script, ÷ a memory copy of the code units", by_case(lines, {"decode ÷ memcpy": "decode", "encode ÷ memcpy": "encode"}, "strings, code units in each"))}

÷ NumPy, in the same process:

{by_case(lines, numpy, "strings, code units in each")}

Reading an array of 400 000 strings in 8 chunks as UTF-8, ÷ zarr-python reading it and `numpy.char.encode`, and ÷ zarr-python reading code units
alone:

{by_case(lines, reading, "strings, code units in each, compression")}"""


def growth(lines, plots):
    blocks = [line for line in lines if line["group"] == "blocks" and line["bench"] == "growth"]
    memory = [line for line in lines if "blocks_a_thread" in line]
    if not blocks:
        return ""
    panels = [
        ("µs a block", False, [
            ("read", [(line["blocks"], line["read_us"]) for line in blocks]),
            ("write", [(line["blocks"], line["write_us"]) for line in blocks]),
        ]),
        ("MB beyond the output, at most", False, [("memory of a read", [(line["blocks"], (line["extra"] or 0) / 1e6) for line in blocks])]),
    ]  # fmt: skip
    (plots / "growth.svg").write_text(bench_svg.lines(
        "From 1 to 100 000 blocks", "8-bit blocks of 16³, zstd, in a folder; one thread.", "blocks in the dataset", panels,
    ))  # fmt: skip
    rows = [[f"{line['blocks']:,}".replace(",", " "), f"{line['read_us']:.1f}", f"{line['write_us']:.1f}", f"{line['output'] / 1e6:.1f}",
             f"{line['extra'] / 1e6:.2f}" if line["extra"] is not None else ""] for line in blocks]  # fmt: skip
    cases = list(dict.fromkeys(line["case"] for line in memory))
    names = list(dict.fromkeys(compression_of(line) for line in memory))
    cells = {(compression_of(line), line["case"]): f"{line['blocks_a_thread']:.2f}" for line in memory}
    return f"""## Growth

![Time of a block and memory, by the number of blocks](performance/growth.svg)

{table(["blocks", "read, µs a block", "write, µs a block", "output, MB", "memory beyond it, MB"], rows, right_from=0)}

Above 1000 blocks writing is measured once, else nine times.

The most memory that a read takes beyond its output, in blocks (128³, 16 bits, 4 MB) a thread; each in a process of its own:

{table(["", *cases], [[name, *(cells.get((name, case), "") for case in cases)] for name in names])}"""


def machine(parts):
    if not parts:
        return ""
    about = [dict(about) for about, _ in parts.values()]
    first = about[0]

    def one(key):
        return ", ".join(dict.fromkeys(str(entry[key]) for entry in about if key in entry))

    runs = table(["part", "zn5 at", "on", "seconds"], [[entry["part"], entry["commit"], entry["date"], entry["seconds"]] for entry in about])
    peers = ", ".join(" with ".join(requirement.replace("==", " ") for requirement in requirements) for requirements in interop.REQUIREMENTS.values())
    return f"""## The machine

{one("processor")}, {one("cores")} cores{f" ({', '.join(first['features'])})" if first.get("features") else ""}; {one("system")}; {one("rustc")}; {one("cc")};
Python {one("python")}. {one("build_info")}. Beside: {peers}; strings: zarr 3.1.6, numpy 2.4.6.

{runs}"""
