#!/usr/bin/env bash
# Builds zn5 through CMake (which drives cargo) and installs it: `build_install.sh FOLDER` uses FOLDER/build and FOLDER/prefix.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cmake -S . -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$folder/prefix" \
  -DZN5_BUILD_TESTS=OFF
cmake --build "$folder/build"
rm -rf "$folder/prefix"
cmake --install "$folder/build"
