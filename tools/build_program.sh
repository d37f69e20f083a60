#!/usr/bin/env bash
# Builds the `zn5` program with its manual pages into the prefix that build_install.sh made: FOLDER/prefix.
set -euo pipefail
prefix=$(cd "$1/prefix" && pwd)
cargo build --release --locked -p zn5-cli
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
cp "${CARGO_TARGET_DIR:-target}/release/zn5" "$prefix/bin/zn5"
"$prefix/bin/zn5" man "$prefix/share/man/man1"
