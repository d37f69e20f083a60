#!/usr/bin/env python3
"""Makes NOTICE, the licences of everything that is linked into libzn5, from `cargo metadata` and the licence files of the crates' sources,
and holds the licences of all dependencies, those of building and testing too, against a list of what is allowed.

    tools/notice.py            compare with NOTICE
    BLESS=1 tools/notice.py    write NOTICE anew
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# One target, so that the same is made on every machine; no crate is linked on others alone.
TARGET = "x86_64-unknown-linux-gnu"

# In the order in which one is chosen where a crate offers several.
ALLOWED = ["MIT", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "BSL-1.0", "bzip2-1.0.6", "Apache-2.0", "Unicode-3.0", "NCSA"]
# For what is not linked into the library, in addition: using a tool passes nothing on.
ALLOWED_FOR_TOOLS = [*ALLOWED, "MPL-2.0"]

NAMES = {
    "MIT": "MIT License",
    "0BSD": "BSD Zero Clause License",
    "BSD-2-Clause": "BSD 2-Clause License",
    "BSD-3-Clause": "BSD 3-Clause License",
    "Zlib": "zlib License",
    "BSL-1.0": "Boost Software License 1.0",
    "bzip2-1.0.6": "bzip2 License",
    "Apache-2.0": "Apache License 2.0",
    "Unicode-3.0": "Unicode License v3",
}

# What crates bring along beside their own code: name, licence, where its text is. A path is one in the crate; `tools/` one of this
# project, for crates that leave the text out; `comment of` is the first comment of a file.
C_LIBRARIES = {
    "blosc-src": [
        ("c-blosc", "BSD-3-Clause", "tools/licences/c-blosc.txt"),
        ("Bitshuffle (inside c-blosc)", "MIT", "tools/licences/bitshuffle.txt"),
        ("FastLZ (BloscLZ inside c-blosc is made from it)", "MIT", "tools/licences/fastlz.txt"),
    ],
    "libbz2-rs-sys": [],
    "libdeflate-sys": [("libdeflate", "MIT", "libdeflate/COPYING")],
    "liblzma-sys": [("liblzma, from XZ Utils", "0BSD", "tools/licences/liblzma.txt")],
    "libz-sys": [("zlib", "Zlib", "src/zlib/LICENSE")],
    "lz4-sys": [
        ("LZ4", "BSD-2-Clause", "liblz4/lib/LICENSE"),
        ("xxHash (inside LZ4)", "BSD-2-Clause", "comment of liblz4/lib/xxhash.c"),
    ],
    "zstd-sys": [("Zstandard, and xxHash inside it", "BSD-3-Clause", "zstd/LICENSE")],
}

# Crates that leave out the text of their own licence. What they bring along has the same, and its text is above.
WITHOUT_FILE = ["blosc-src"]

HEAD = """\
zn5 is licensed under either of the Apache License 2.0 (LICENSE-APACHE) or the
MIT license (LICENSE-MIT), at your option. Copyright The zn5 contributors.

The built libraries, libzn5 both shared and static, contain what is listed
below. Whoever passes a built zn5 on passes these notices on with it. They also
contain Rust's standard library, which is licensed under either of the Apache
License 2.0 or the MIT license by the Rust project's contributors. The library
in the Java jar contains LLVM's libunwind too (Apache-2.0 with LLVM exceptions).

The photograph in examples/data is no part of the libraries; its origin and
licence stand in examples/data/README.md.

Made by tools/notice.py.

"""


def fail(message: str) -> None:
    sys.exit(f"notice: {message}")


def choices(expression: str) -> list[set[str]]:
    """The sets of licences of which one has to be kept: "(A OR B) AND C" is A and C, or B and C."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def either():
        found = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            found = found + both()
        return found

    def both():
        found = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            other = one()
            found = [a | b for a in found for b in other]
        return found

    def one():
        token = tokens.pop(0)
        if token == "(":
            found = either()
            tokens.pop(0)
            return found
        if tokens and tokens[0] == "WITH":
            token = " ".join([token, tokens.pop(0), tokens.pop(0)])
        return [{token}]

    return either()


def choose(name: str, expression: str, allowed: list[str]) -> list[str]:
    possible = [choice for choice in choices(expression) if choice <= set(allowed)]
    if not possible:
        fail(f"{name} is licensed as {expression}, which tools/notice.py does not allow; do without it, or decide that it may be")
    chosen = min(possible, key=lambda choice: (len(choice), max(allowed.index(licence) for licence in choice)))
    return sorted(chosen, key=allowed.index)


def check_choices() -> None:
    """That the check can fail: what is chosen of expressions, and that nothing is of those that are not allowed."""
    for expression, expected in [
        ("Apache-2.0 OR MIT", ["MIT"]),
        ("MIT/Apache-2.0", ["MIT"]),
        ("GPL-3.0 OR Zlib", ["Zlib"]),
        ("(MIT OR GPL-2.0) AND Unicode-3.0", ["MIT", "Unicode-3.0"]),
        ("GPL-3.0-only", None),
        ("MIT AND GPL-2.0-only", None),
        ("Apache-2.0 WITH LLVM-exception", None),
        ("none", None),
    ]:
        try:
            got = choose("", expression, ALLOWED)
        except SystemExit:
            got = None
        if got != expected:
            fail(f"of {expression} {got} is chosen, not {expected}")


def metadata() -> dict:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def linked(data: dict) -> list[dict]:
    """The crates whose code gets into libzn5: neither what builds it, nor what runs in the compiler."""
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    root = next(package["id"] for package in data["packages"] if package["name"] == "zn5")
    found, waiting = {}, [root]
    while waiting:
        package = packages[waiting.pop()]
        if package["id"] in found or any("proc-macro" in target["kind"] for target in package["targets"]):
            continue
        found[package["id"]] = package
        for dependency in nodes[package["id"]]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    del found[root]
    return sorted(found.values(), key=lambda package: (package["name"], package["version"]))


def text_of(package: dict, place: str) -> str:
    folder = Path(package["manifest_path"]).parent
    if place.startswith("tools/"):
        return (ROOT / place).read_text()
    if place.startswith("comment of "):
        source = (folder / place.removeprefix("comment of ")).read_text()
        comment = source.split("/*", 1)[1].split("*/", 1)[0]
        return "\n".join(re.sub(r"^ ?\* {0,2}", "", line) for line in comment.splitlines())
    return (folder / place).read_text()


def licence_files(package: dict, licences: list[str]) -> list[str]:
    """The files in a crate that have the text of its licences, or of one of several that it offers."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path.name for path in folder.iterdir() if re.match(r"(?i)(licen[cs]e|copying)", path.name) and path.is_file())
    found = []
    for licence in licences:
        short = re.split(r"-\d", licence)[0].upper()
        own = [name for name in files if re.search(rf"(?i)[-.]({short}|{licence})(\.|$)", name)]
        found += own or [name for name in files if name.upper() in ("LICENSE", "LICENSE.TXT", "LICENSE.MD", "COPYING")]
    if not found:
        fail(f"{package['name']} {package['version']} has no file with its licence ({' and '.join(licences)}); put the text in tools/licences")
    return sorted(set(found))


def tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.replace("\t", "    ").replace("\f", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def generate(data: dict) -> str:
    # Text, to the licence's name and those that are under it, in these words.
    sections: dict[str, tuple[str, list[str]]] = {}

    def add(name: str, licences: list[str], text: str) -> None:
        sections.setdefault(tidy(text), (" and ".join(NAMES[licence] for licence in licences), []))[1].append(name)

    for package in linked(data):
        name, version = package["name"], package["version"].split("+")[0]
        licences = choose(name, package["license"] or "none", ALLOWED)
        brings = C_LIBRARIES.get(name)
        if brings is None and (package.get("links") or name.endswith(("-sys", "-src"))):
            fail(f"{name} brings a library of another language along: say which, and its licence, in C_LIBRARIES")
        for file in licence_files(package, licences) if name not in WITHOUT_FILE else []:
            add(f"the crate {name} {version}", licences, text_of(package, file))
        for library, licence, place in brings or []:
            if licence not in ALLOWED:
                fail(f"{library} is licensed as {licence}, which is not allowed")
            add(f"{library}, by {name} {version}", [licence], text_of(package, place))

    parts = [HEAD]
    line = "-" * 78 + "\n"
    for text, (licence, names) in sorted(sections.items(), key=lambda section: (section[1][1][0].startswith("the crate"), section[1][1][0].lower())):
        parts.append(line + "".join(f"{name}\n" for name in names) + f"{licence}\n" + line + "\n" + text + "\n")
    return "".join(parts).rstrip("\n") + "\n"


def main() -> None:
    check_choices()
    data = metadata()
    made = generate(data)
    of_library = {package["id"] for package in linked(data)}
    others = [package for package in data["packages"] if package["id"] not in of_library and package["source"]]
    for package in others:
        choose(package["name"], package["license"] or "none", [*ALLOWED_FOR_TOOLS, "Apache-2.0 WITH LLVM-exception"])
    if os.environ.get("BLESS"):
        (ROOT / "NOTICE").write_text(made)
    elif (ROOT / "NOTICE").read_text() != made:
        fail("NOTICE is not what the dependencies ask for: BLESS=1 tools/notice.py, and look at what changes")
    print(f"NOTICE: {len(of_library)} crates linked; licences of {len(others)} others are allowed")


if __name__ == "__main__":
    main()
