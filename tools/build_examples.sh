#!/usr/bin/env bash
# Builds examples/ against the zn5 that build_install.sh put into FOLDER/prefix; the programs come to FOLDER/examples.
# Further arguments go to CMake.
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
cmake -S examples -B "$folder/examples" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$folder/prefix" "$@"
cmake --build "$folder/examples" --parallel "$(nproc)"
