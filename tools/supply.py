#!/usr/bin/env python3
"""What zn5 is built from, as far as it can be checked without a network: where Cargo.lock takes crates from, that each C library is there
once, and that the bundled ones are not older than versions with known faults. Argument: a built libzn5, which tells its versions.

cargo-deny or cargo-audit look for advisories where one of them and its database are installed; what ran is in the last line."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The oldest version of each bundled library that may be built in, and why.
MINIMUM = {
    "zstd": ("1.5.5", "1.5.4 and older could write damaged blocks at high levels"),
    "libdeflate": ("1.26", "what the tests ran with when this was written"),
    "zlib": ("1.2.13", "CVE-2022-37434, CVE-2018-25032"),
    "c-blosc": ("1.21.6", "what the tests of damaged frames ran with when this was written"),
    "lz4": ("1.9.4", "CVE-2021-3520"),
    "libbz2-rs": ("0.2.6", "what the tests ran with when this was written"),
    "liblzma": ("5.8.1", "CVE-2025-31115, and the backdoor of 5.6.0 and 5.6.1"),
}


def fail(message: str) -> None:
    sys.exit(f"supply: {message}")


def check_lock() -> int:
    entries = (ROOT / "Cargo.lock").read_text().split("[[package]]")[1:]
    packages = [dict(re.findall(r'^(\w+) = "(.*)"$', entry, re.MULTILINE)) for entry in entries]
    bundles: dict[str, list[str]] = {}
    for package in packages:
        name, version, source = package["name"], package["version"], package.get("source")
        if source is None:
            if name not in ("zn5", "zn5-cli"):
                fail(f"{name} {version} is a crate of this workspace that tools/supply.py does not know")
            continue
        if source != "registry+https://github.com/rust-lang/crates.io-index":
            fail(f"{name} {version} comes from {source}; take released crates from the registry")
        if not re.fullmatch(r"[0-9a-f]{64}", package.get("checksum", "")):
            fail(f"{name} {version} has no checksum in Cargo.lock")
        if name.endswith(("-sys", "-src")):
            bundles.setdefault(name, []).append(version)
    for name, versions in bundles.items():
        if len(versions) > 1 and name not in ("linux-raw-sys", "windows-sys"):
            fail(f"{name} is there in the versions {', '.join(versions)}: one library twice")
    return len(packages)


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def too_old(info: str) -> list[str]:
    """What is wrong with the versions in a line of zn5_build_info()."""
    found = dict(re.findall(r"([\w-]+) (\d+(?:\.\d+)*)(?:,|$)", info.split("; ", 1)[1]))
    wrong = [f"{name} {found[name]} has no minimum in tools/supply.py" for name in found if name not in MINIMUM]
    for name, (minimum, reason) in MINIMUM.items():
        if name not in found:
            wrong.append(f"{name} is not among the bundled libraries ({info}); take it out of tools/supply.py if that is right")
        elif numbers(found[name]) < numbers(minimum):
            wrong.append(f"{name} {found[name]} is older than {minimum}: {reason}")
    return wrong


def check_versions(library: str) -> None:
    built = ctypes.CDLL(str(Path(library).resolve()))
    built.zn5_build_info.restype = ctypes.c_char_p
    info = built.zn5_build_info().decode()
    print(info)
    if wrong := too_old(info):
        fail("; ".join(wrong))
    # That it can fail.
    oldest = "zn5; " + ", ".join(f"{name} 0.0.1" for name in MINIMUM)
    if len(too_old(oldest)) != len(MINIMUM) or len(too_old("zn5; lzo 1.0")) != len(MINIMUM) + 1:
        fail("old or unknown versions are not noticed")


def advisories() -> str:
    """Looks for known faults of crates without fetching anything; says what was done."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    if shutil.which("cargo-deny") and (home / "advisory-dbs").is_dir():
        command = ["cargo", "deny", "--offline", "check", "advisories", "--disable-fetch"]
    elif shutil.which("cargo-audit") and (home / "advisory-db").is_dir():
        command = ["cargo", "audit", "--no-fetch", "--deny", "warnings"]
    else:
        return "advisories did not run: neither cargo-deny nor cargo-audit is there with its database"
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        fail(f"{' '.join(command)} found something, see above")
    return f"advisories by {' '.join(command[:2])}"


def main() -> None:
    if len(sys.argv) != 2:
        fail("usage: tools/supply.py LIBRARY")
    count = check_lock()
    check_versions(sys.argv[1])
    note = f"{count} crates, {len(MINIMUM)} bundled libraries; {advisories()}\n"
    try:
        os.write(3, note.encode())
    except OSError:
        print(note, end="")


if __name__ == "__main__":
    main()
