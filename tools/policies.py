#!/usr/bin/env python3
"""Holds docs/policies.md against the tests: each policy names the tests that prove it, each such test carries its number.

Without arguments it compares, for `./run test`; with --write it puts the list of tests under each policy.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "policies.md"
# A test function: policy_07_..., or policy_02_and_05_... where it proves several.
FUNCTION = re.compile(r"\b(?:fn|void|int)\s+((policy_\d\d(?:_and_\d\d)*)_\w+)\s*\(")
# A row of a table of cases in C: "policy_07: lz4 frame".
CASE = re.compile(r"\bpolicy_(\d\d)\b")


def find_tests():
    """What proves each policy, as lines of the document."""
    tests = {}
    for folder, pattern in (("src", "*.rs"), ("tests", "*.rs"), ("c_tests", "*.[ch]"), ("cli", "*.rs")):
        for path in sorted((ROOT / folder).rglob(pattern)):
            text, place = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
            for name, numbered in FUNCTION.findall(text):
                for number in re.findall(r"\d\d", numbered):
                    tests.setdefault(int(number), set()).add(f"- `{name}` in `{place}`\n")
            for number in CASE.findall(text):
                tests.setdefault(int(number), set()).add(f"- cases in `{place}`\n")
    return tests


def with_tests(text, tests):
    """The document with the right lines under each policy, and the numbers of the policies that have no test."""
    untested, parts = [], re.split(r"(?m)^(?=##)", text)
    for index, part in enumerate(parts):
        heading = re.match(r"### (\d+)\. ", part)
        if heading is None:
            continue
        lines = sorted(tests.pop(int(heading.group(1)), ()))
        if not lines:
            untested.append(heading.group(1))
        body = re.sub(r"(?m)^Tests:\n(\n?- .*\n)*", "", part).rstrip("\n")
        parts[index] = f"{body}\n\nTests:\n\n{''.join(lines)}\n"
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
