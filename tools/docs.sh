#!/usr/bin/env bash
# Makes the manuals: of the C API with doxygen, of the engine with rustdoc. A warning, an undocumented item too, is an error.
set -euo pipefail
mkdir -p target/docs
doxygen docs/Doxyfile
RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --locked --no-deps --document-private-items
