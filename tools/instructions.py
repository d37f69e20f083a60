#!/usr/bin/env python3
"""Guards speed by counting instructions: runs benches/instructions.rs under callgrind and compares with benches/instructions.tsv.

Counted is what runs in the program itself, bundled libraries included, but not in the C library, whose memcpy differs from machine to
machine. A count that moved by more than 5 % either way fails. With BLESS=1 in the environment the file is written anew.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "benches" / "instructions.tsv"
TOLERANCE = 0.05
FUNCTION = "zn5_bench_counted"


def main():
    tools = describe_tools()
    counts = count(build())
    if os.environ.get("BLESS") == "1":
        head = "# Instructions of one call, without those in the C library; written by BLESS=1 ./run test instructions.\n"
        RECORD.write_text(f"{head}# {tools}\n" + "".join(f"{name}\t{number}\n" for name, number in counts.items()))
        print(f"wrote {RECORD.relative_to(ROOT)}")
        return 0
    recorded_tools, recorded = read_record()
    if recorded_tools != tools:
        for name, number in counts.items():
            print(f"{number:>12}  {name}")
        print(f"not compared: recorded with {recorded_tools}; this is {tools}")
        return 0
    return compare(counts, recorded)


def compare(counts, recorded):
    bad = 0
    for name in dict.fromkeys([*recorded, *counts]):
        before, now = recorded.get(name), counts.get(name)
        change = now / before - 1 if before and now else None
        moved = change is None or abs(change) > TOLERANCE
        bad += moved
        print(f"{before or '-':>12} {now or '-':>12} {f'{change:+.1%}' if change is not None else '':>8}  {name}{'  <-- moved' if moved else ''}")
    if bad:
        print(f"{bad} of {len(counts)} counts moved by more than {TOLERANCE:.0%}; if that is meant: BLESS=1 ./run test instructions")
        return 1
    print(f"{len(counts)} calls within {TOLERANCE:.0%}")
    return 0


def read_record():
    lines = RECORD.read_text().splitlines()
    tools = [line.removeprefix("# ") for line in lines if line.startswith("#")][-1]
    return tools, {name: int(number) for name, number in (line.split("\t") for line in lines if not line.startswith("#"))}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout


def describe_tools():
    """What the counts depend on beside the source: the compilers, and for which processor they and valgrind work."""
    rustc = output("rustc", "--version").split()[1]
    cc = output("cc", "-dumpfullversion").strip()
    machine = os.uname().machine
    flags = pathlib.Path("/proc/cpuinfo")
    avx2 = " with avx2" if flags.exists() and re.search(r"\bavx2\b", flags.read_text()) else ""
    return f"rustc {rustc}, cc {cc}, {machine}{avx2}"


def build():
    """The program's path."""
    printed = output("cargo", "bench", "--quiet", "--locked", "--no-run", "--bench", "instructions", "--message-format=json-render-diagnostics")
    messages = map(json.loads, printed.splitlines())
    return [message["executable"] for message in messages if message.get("executable")][-1]


def count(program):
    """Instructions by name of the case."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no", f"--toggle-collect={FUNCTION}", f"--dump-after={FUNCTION}",
            "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={folder}/counts", program,
        ]  # fmt: skip
        names = output(*command).splitlines()
        # One file for each return of the function, and one of the end.
        files = sorted(pathlib.Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        counts = [own_instructions(path, program) for path in files]
    if len(counts) < len(names) or not all(counts[: len(names)]):
        sys.exit(f"callgrind gave {counts} for {len(names)} cases")
    return dict(zip(names, counts))


def own_instructions(path, program):
    """The costs in a file of callgrind's that stand at the program itself. The line behind `calls=` repeats what the callee cost."""
    total, own, skip = 0, False, False
    for line in path.read_text().splitlines():
        if line.startswith("ob="):
            own = pathlib.Path(line[3:]).name == pathlib.Path(program).name
        elif line.startswith("calls="):
            skip = True
        elif line[:1].isdigit():
            if own and not skip:
                total += int(line.split()[1])
            skip = False
    return total


if __name__ == "__main__":
    sys.exit(main())
