#!/usr/bin/env python3
"""The ABI that programs are compiled against: makes a dump of include/zn5.h with abidw and compares it with include/zn5.abi by abidiff.

    tools/abi.py               compare; then change a copy of the header in ways that break programs, and see each of them noticed
    BLESS=1 tools/abi.py       write include/zn5.abi anew

The header says the same as the library, which tests/header.rs and tests/symbols.rs hold it to; what Rust's own debug information says of
these types is Rust's view of them. So the dump is made of a C library with the header's functions, each of which does nothing, and of the
values of its constants, which stand in the dump as those of an enum."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = ROOT / "include/zn5.abi"
FOLDER = ROOT / "target/abi"
# What depends on the machine or on where the sources lie is left out.
ABIDW = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-architecture", "--no-elf-needed"]
# abidiff's exit status is a set of bits.
FAILED, CHANGED, INCOMPATIBLE = 3, 4, 8


def prototypes(header: str) -> list[str]:
    return re.findall(r"^ZN5_API ([^;]*)\);", header, re.MULTILINE)


def constants(header: str) -> list[str]:
    names = re.findall(r"^#define (ZN5_[A-Z0-9_]+) \d+$", header, re.MULTILINE)
    return [name for name in names if not name.startswith("ZN5_VERSION_")]


def source(header: str) -> str:
    """A library of functions that do nothing, and the constants."""
    lines = ['#include "zn5.h"', "enum zn5_constant {"]
    lines += [f"  VALUE_OF_{name} = {name}," for name in constants(header)]
    lines += ["};", "enum zn5_constant zn5_constants;"]
    for prototype in prototypes(header):
        returns = prototype.split("(")[0].rsplit(" ", 1)[0]
        body = "" if returns == "void" else "return 0;"
        lines.append(f"{prototype}) {{ {body} }}")
    return "\n".join(lines) + "\n"


def dump(header: str, name: str) -> Path:
    """The dump of a header's text."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zn5.h").write_text(header)
    (folder / "zn5.c").write_text(source(header))
    compiler = os.environ.get("CC", "cc")
    flags = ["-std=c11", "-g", "-O0", "-w", "-fPIC", "-shared", "-fno-eliminate-unused-debug-types", "-Wl,-soname,libzn5.so"]
    # Relative paths, so that none of this machine's is recorded.
    subprocess.run([compiler, *flags, "-I.", "zn5.c", "-o", "libzn5.so"], cwd=folder, check=True)
    subprocess.run([*ABIDW, "--out-file", "zn5.abi", "libzn5.so"], cwd=folder, check=True)
    return folder / "zn5.abi"


def compare(old: Path, new: Path) -> tuple[int, str]:
    command = ["abidiff", "--no-architecture", "--harmless", str(old), str(new)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode & FAILED:
        sys.exit(f"abi: {' '.join(command)} failed:\n{result.stdout}")
    return result.returncode, result.stdout


# What breaks a program that was compiled before, and what does not: a name, whether it breaks, and text of the header with its replacement.
CHANGES = [
    ("a function is gone", True, r"ZN5_API uint32_t zn5_codec_ndim\([^;]*;", ""),
    ("a function has a new name", True, r"zn5_codec_ndim\(const", "zn5_codec_rank(const"),
    ("a parameter is wider", True, r"zn5_dtype_name\(zn5_dtype dtype\)", "zn5_dtype_name(uint64_t dtype)"),
    ("a parameter is more", True, r"zn5_codec_element_size\(const zn5_codec \*codec\)", "zn5_codec_element_size(const zn5_codec *codec, int more)"),
    ("a pointer leads to another type", True, r"zn5_codec_chunk_shape\(const zn5_codec \*codec, uint64_t", "zn5_codec_chunk_shape(const zn5_codec *codec, uint32_t"),
    ("a result is narrower", True, r"int64_t zn5_error_offset", "int32_t zn5_error_offset"),
    ("two members change places", True, r"zn5_order order;(.*?)uint32_t flags;", r"uint32_t flags;\1zn5_order order;"),
    ("a member is wider", True, r"uint32_t threads;", "uint64_t threads;"),
    ("a member is gone", True, r"size_t fill_value_len;", ""),
    ("a member is inserted", True, r"uint64_t max_decoded_bytes;", "uint64_t inserted; uint64_t max_decoded_bytes;"),
    ("a callback takes another type", True, r"const void \*bytes, size_t len\);\n\n/\*\*\n \* Takes one entry", "const void *bytes, int len);\n\n/**\n * Takes one entry"),
    ("a status has another number", True, r"ZN5_ERROR_EMPTY_BLOCK 301", "ZN5_ERROR_EMPTY_BLOCK 399"),
    ("a type of numbers is signed", True, r"typedef uint32_t zn5_order;", "typedef int32_t zn5_order;"),
    ("a function is added", False, r"ZN5_API uint32_t zn5_version_number", "ZN5_API int zn5_added(int number);\n\nZN5_API uint32_t zn5_version_number"),
    ("a constant is added", False, r"#define ZN5_STRICT 1", "#define ZN5_STRICT 1\n#define ZN5_ADDED 4242"),
]


def notices_changes(header: str, original: Path) -> None:
    for number, (name, breaks, pattern, replacement) in enumerate(CHANGES):
        changed, count = re.subn(pattern, replacement, header, count=1, flags=re.DOTALL)
        if count != 1 or changed == header:
            sys.exit(f"abi: include/zn5.h has no {pattern!r}, with which to try whether it is noticed that {name}")
        status, said = compare(original, dump(changed, f"change-{number}"))
        if status == 0:
            sys.exit(f"abi: it is not noticed that {name}")
        print(f"noticed, {'incompatible' if status & INCOMPATIBLE else 'changed'}: {name}")
        if not breaks and status & INCOMPATIBLE:
            sys.exit(f"abi: what breaks no program is taken for incompatible: {name}\n{said}")


def main() -> None:
    header = (ROOT / "include/zn5.h").read_text()
    new = dump(header, "now")
    if os.environ.get("BLESS"):
        COMMITTED.write_text(new.read_text())
    listed = (ROOT / "include/zn5.symbols").read_text().split()
    dumped = [name for name in re.findall(r"<elf-symbol name='(\w+)'", COMMITTED.read_text()) if name != "zn5_constants"]
    if sorted(dumped) != sorted(listed):
        sys.exit(f"abi: include/zn5.abi and include/zn5.symbols differ in {sorted(set(dumped) ^ set(listed))}; BLESS=1 tools/abi.py")
    status, said = compare(COMMITTED, new)
    if status & (CHANGED | INCOMPATIBLE):
        kind = "incompatibly: docs/abi.md says which release may do that" if status & INCOMPATIBLE else "see docs/abi.md"
        sys.exit(f"{said}\nabi: include/zn5.h has changed, {kind}. If it is meant, BLESS=1 tools/abi.py")
    notices_changes(header, new)
    note = f"{len(listed)} functions, {len(constants(header))} constants; {len(CHANGES)} changes noticed\n"
    try:
        os.write(3, note.encode())
    except OSError:
        print(note, end="")


if __name__ == "__main__":
    main()
