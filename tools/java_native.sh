#!/usr/bin/env bash
# Builds libzn5jni for the jar: `java_native.sh FOLDER PREFIX` links java/src/main/c against the static zn5 installed in PREFIX, and
# puts it into FOLDER/natives. Zig links it, against the symbols of an old C library, so that it loads on old clusters too.
set -euo pipefail
source tools/java_home.sh
folder=$(mkdir -p "$1" && cd "$1" && pwd)
prefix=$(cd "$2" && pwd)
# What the jar promises; a test reads it from the library.
glibc=2.28

case $(uname -s)-$(uname -m) in
Linux-x86_64) place=linux_64 target=x86_64-linux-gnu.$glibc ;;
Linux-aarch64) place=linux_arm64 target=aarch64-linux-gnu.$glibc ;;
*)
  echo "java_native: only Linux on x86_64 and aarch64 is built for the jar. Elsewhere build java/CMakeLists.txt with the system's compiler" \
    "and name the library by -Dorg.zn5.library." >&2
  exit 1
  ;;
esac

# A zig that is installed does; else the one that Python's packages have, in an environment of its own.
zig=(zig)
if ! command -v zig >/dev/null 2>&1; then
  [ -x "$folder/zig/bin/python" ] || python3 -m venv "$folder/zig"
  "$folder/zig/bin/python" -m ziglang version >/dev/null 2>&1 ||
    "$folder/zig/bin/pip" install --quiet --disable-pip-version-check ziglang==0.17.1
  zig=("$folder/zig/bin/python" -m ziglang)
fi
export ZIG_GLOBAL_CACHE_DIR=$folder/zig-cache ZIG_LOCAL_CACHE_DIR=$folder/zig-cache
# One program for CMake, whatever folder it lies in.
printf '#!/bin/sh\nexec %s cc -target %s "$@"\n' "$(printf '%q ' "${zig[@]}")" "$target" >"$folder/zig-cc"
chmod +x "$folder/zig-cc"
cmake -S java -B "$folder/native" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$folder/zig-cc"
cmake --build "$folder/native"
mkdir -p "$folder/natives/natives/$place"
cp "$folder/native/libzn5jni.so" "$folder/natives/natives/$place/"
