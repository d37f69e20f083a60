#!/usr/bin/env python3
"""Holds docs/policies.md against the tests: each policy names the tests that prove it, each such test carries its number.

Without arguments it compares, for `./run test`; with --write it puts the list of tests under each policy.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "policies.md"


def find_tests():
    """The tests of each policy, functions in Rust and C, as pairs of file and name."""
    tests = {}
    for folder, pattern in (("src", "*.rs"), ("tests", "*.rs"), ("c_tests", "*.[ch]")):
        for path in sorted((ROOT / folder).rglob(pattern)):
            for name in re.findall(r"\b(?:fn|void|int)\s+((?:test_)?policy_\d\d_\w+)\s*\(", path.read_text(encoding="utf-8")):
                # One test may prove several: policy_02_and_05_...
                for number in re.findall(r"\d\d", re.search(r"policy_\d\d(_and_\d\d)*", name).group()):
                    tests.setdefault(int(number), set()).add((str(path.relative_to(ROOT)), name))
    return tests


def with_tests(text, tests):
    """The document with the right line under each policy, and the numbers of the policies that have no test."""
    untested, parts = [], re.split(r"(?m)^(?=##)", text)
    for index, part in enumerate(parts):
        heading = re.match(r"### (\d+)\. ", part)
        if heading is None:
            continue
        found = sorted(tests.pop(int(heading.group(1)), ()))
        if not found:
            untested.append(heading.group(1))
        body = re.sub(r"(?m)^Tests:\n(- .*\n)*\n?", "", part).rstrip("\n")
        lines = "".join(f"- `{name}` in `{path}`\n" for path, name in found)
        parts[index] = f"{body}\n\nTests:\n{lines}\n"
    return "".join(parts).rstrip("\n") + "\n", untested


def main():
    tests, text = find_tests(), DOCUMENT.read_text(encoding="utf-8")
    updated, untested = with_tests(text, tests)
    if "--write" in sys.argv[1:]:
        DOCUMENT.write_text(updated, encoding="utf-8")
    elif updated != text:
        sys.exit("docs/policies.md does not list the tests as they are; run tools/policies.py --write")
    if untested:
        sys.exit(f"policies without a test that carries their number: {', '.join(untested)}")
    if tests:
        sys.exit(f"tests of policies that docs/policies.md does not have: {sorted(tests)}")


if __name__ == "__main__":
    main()
