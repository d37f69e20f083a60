#!/usr/bin/env bash
# Installs zn5, moves the installed tree, and builds and runs programs against it: by CMake and pkg-config, shared and static, and as
# a part of another project, also installed and moved; looks into the libraries too. `run.sh [FOLDER]` works in FOLDER, by default
# target/consumer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# One place for every build, so that cargo compiles once.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=${1:-$root/target/consumer}
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd -P)
version=$(sed -n '/^name = "zn5"$/{n;s/^version = "\(.*\)"$/\1/p;}' "$root/Cargo.toml")
case $version in
0.*) soname=libzn5.so.${version%.*} ;;
*) soname=libzn5.so.${version%%.*} ;;
esac
export LC_ALL=C

fail() {
  printf 'consumer: %s\n' "$*" >&2
  exit 1
}

for tool in cmake pkg-config nm readelf cc c++; do
  command -v $tool >/dev/null || fail "$tool is missing (Debian: apt-get install cmake pkg-config binutils g++)"
done

# The libraries that a program or library says it needs, one a line, sorted.
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort; }

# Fails unless both texts are the same.
same() { # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || fail "$1: $(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"
}

# The files and links below a folder, sorted.
files_below() { (cd "$1" && find . \( -type l -printf '%P -> %l\n' \) -o \( -type f -printf '%P\n' \) | sort); }

linked_as() { # PROGRAM shared|static
  local found=static
  ! needed "$1" | grep -x "$soname" >/dev/null || found=shared
  [ "$found" = "$2" ] || fail "$1 is linked to the $found zn5, not to the $2 one"
}

# --- install, and move ------------------------------------------------------------------------------------------------

build=$work/build
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DZN5_BUILD_TESTS=OFF \
  -DCMAKE_INSTALL_PREFIX="$work/installed" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build "$build"
cmake --install "$build"
prefix=$work/moved
mv "$work/installed" "$prefix"
lib=$prefix/lib

same "the installed files" "include/zn5.h
include/zn5.hpp
lib/cmake/zn5/zn5Config.cmake
lib/cmake/zn5/zn5ConfigVersion.cmake
lib/libzn5.a
lib/libzn5.so -> $soname
lib/$soname -> libzn5.so.$version
lib/libzn5.so.$version
lib/pkgconfig/zn5-static.pc
lib/pkgconfig/zn5.pc
share/doc/zn5/LICENSE-APACHE
share/doc/zn5/LICENSE-MIT
share/doc/zn5/NOTICE" "$(files_below "$prefix")"
! grep -rF "$work" "$prefix" --include='*.cmake' --include='*.pc' || fail "an installed file names the folder it was built in"

# --- the libraries ----------------------------------------------------------------------------------------------------

symbols=$(cat "$root/include/zn5.symbols")
same "exported by libzn5.so" "$symbols" "$(nm -D --defined-only "$lib/libzn5.so" | awk '{print $3}' | sort)"
same "global in libzn5.a" "$symbols" "$(nm -g --defined-only "$lib/libzn5.a" | awk 'NF == 3 {print $3}' | sort)"
same "SONAME" "$soname" "$(readelf -d "$lib/libzn5.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')"
same "needed by libzn5.so" "libc.so.6
libgcc_s.so.1" "$(needed "$lib/libzn5.so" | grep -v '^ld-linux')"
same "section groups in libzn5.a" "There are no section groups in this file." "$(readelf -g "$lib/libzn5.a" | grep 'group')"

# What rustc printed but for libgcc_s and libc, which compilers add by themselves.
native=$(tr ' ' '\n' <"$build/native-static-libs.txt" | grep -vx -e -lgcc_s -e -lc -e '' | sed 's/^-l//' | paste -sd';')
same "Libs.private of zn5.pc" "-l${native//;/ -l}" "$(sed -n 's/^Libs.private: //p' "$lib/pkgconfig/zn5.pc")"

expected=(-DZN5_VERSION="$version" -DZN5_NATIVE_LIBS="$native")

# --- consumers by CMake -----------------------------------------------------------------------------------------------

run_consumers() { # NAME DEFAULT-LINKAGE ARGUMENTS-OF-CMAKE...
  local folder=$work/$1 default=$2 linkage program
  shift 2
  cmake -S "$here" -B "$folder" -DCMAKE_BUILD_TYPE=Release "${expected[@]}" "$@"
  cmake --build "$folder"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error
  linked_as "$folder/default" "$default"
  nm -D --defined-only "$folder/host_shared" | grep ' T inflate$' || fail "host_shared does not export its traps, so it proves nothing"
  for linkage in shared static; do
    for program in c cxx host; do
      linked_as "$folder/${program}_$linkage" $linkage
    done
  done
}

run_consumers find-package shared -DCMAKE_PREFIX_PATH="$prefix"
run_consumers find-package-static static -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=OFF
run_consumers build-tree shared -Dzn5_DIR="$build"
run_consumers subdirectory static -DZN5_SOURCE="$root"

# --- components, and installations without one of the libraries -------------------------------------------------------

run_default() { # NAME LINKAGE ARGUMENTS-OF-CMAKE...
  local folder=$work/$1 linkage=$2
  shift 2
  cmake -S "$here" -B "$folder" -DCMAKE_BUILD_TYPE=Release "${expected[@]}" "$@"
  cmake --build "$folder" --target default
  "$folder/default"
  linked_as "$folder/default" "$linkage"
}

# Fails unless find_package() says why it finds nothing.
refuses() { # EXPECTED-WORDS ARGUMENTS-OF-CMAKE...
  local words=$1 output
  shift
  rm -rf "$work/refused"
  output=$(cmake -S "$here" -B "$work/refused" "${expected[@]}" "$@" 2>&1 | tr -s ' \n' ' ') || true
  [[ $output == *"$words"* ]] || fail "CMake does not say '$words', but: $output"
}

run_default component-static static -DCMAKE_PREFIX_PATH="$prefix" -DZN5_COMPONENTS=static
run_default component-static-on static -DCMAKE_PREFIX_PATH="$prefix" -DZN5_COMPONENTS=static -DBUILD_SHARED_LIBS=ON
run_default component-shared-off shared -DCMAKE_PREFIX_PATH="$prefix" -DZN5_COMPONENTS=shared -DBUILD_SHARED_LIBS=OFF
run_default components-both static -DCMAKE_PREFIX_PATH="$prefix" "-DZN5_COMPONENTS=shared;static" -DBUILD_SHARED_LIBS=OFF

for linkage in shared static; do
  other=static
  [ $linkage = shared ] || other=shared
  for component in zn5_$linkage zn5_development; do
    cmake --install "$build" --prefix "$work/only-$linkage" --component $component
  done
  ! files_below "$work/only-$linkage" | grep "libzn5.$([ $other = shared ] && echo so || echo a)" ||
    fail "the installation of the component zn5_$linkage has the $other library"
  run_default only-$linkage-default $linkage -DCMAKE_PREFIX_PATH="$work/only-$linkage"
  run_default only-$linkage-component $linkage -DCMAKE_PREFIX_PATH="$work/only-$linkage" -DZN5_COMPONENTS=$linkage
  refuses "zn5::zn5 is to be the $other library, as COMPONENTS says, but $work/only-$linkage/lib/libzn5." \
    -DCMAKE_PREFIX_PATH="$work/only-$linkage" -DZN5_COMPONENTS=$other
  refuses "cmake --install BUILD --component zn5_$other" -DCMAKE_PREFIX_PATH="$work/only-$linkage" \
    -DBUILD_SHARED_LIBS="$([ $other = shared ] && echo ON || echo OFF)"
done

# --- installed programs of projects that contain zn5 ------------------------------------------------------------------

# Installs the program, moves it, hides the folder that it was built in, and runs it; the other arguments are of CMake.
run_installed() { # NAME LINKAGE EXPECTED-FILES ARGUMENTS-OF-CMAKE...
  local folder=$work/$1 linkage=$2 files=$3
  shift 3
  cmake -S "$here" -B "$folder" -DCMAKE_BUILD_TYPE=Release "${expected[@]}" -DZN5_SOURCE="$root" \
    -DCMAKE_INSTALL_PREFIX="$folder-installed" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$folder" --target default
  cmake --install "$folder"
  mv "$folder-installed" "$folder-moved"
  mv "$folder" "$folder-hidden"
  same "what $folder installs" "$files" "$(files_below "$folder-moved")"
  program=$folder-moved/$(head -n 1 <<<"$files")
  linked_as "$program" "$linkage"
  env -u LD_LIBRARY_PATH "$program"
}

licences="share/doc/zn5/LICENSE-APACHE
share/doc/zn5/LICENSE-MIT
share/doc/zn5/NOTICE"
run_installed contained static bin/default -DZN5_BY=FetchContent
run_installed contained-off static bin/default -DZN5_BY=FetchContent -DBUILD_SHARED_LIBS=OFF
run_installed contained-left-out static bin/default -DZN5_BY=EXCLUDE_FROM_ALL
run_installed contained-on shared "bin/default
lib/$soname -> libzn5.so.$version
lib/libzn5.so.$version
$licences" -DZN5_BY=FetchContent -DBUILD_SHARED_LIBS=ON
! readelf -d "$program" | grep -F "$work" || fail "$program names the folder that it was built in"
run_installed contained-elsewhere shared "bin/tools/default
lib/deep/$soname -> libzn5.so.$version
lib/deep/libzn5.so.$version
$licences" -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_BINDIR=bin/tools -DCMAKE_INSTALL_LIBDIR=lib/deep
# The default is static, but the program links the shared one by name.
run_installed contained-by-name shared "bin/default
lib/$soname -> libzn5.so.$version
lib/libzn5.so.$version
$licences" -DZN5_DEFAULT_LINKS=zn5_shared -DZN5_INSTALL_SHARED=ON
refuses "leaves its shared library out" -DZN5_SOURCE="$root" -DZN5_BY=EXCLUDE_FROM_ALL -DBUILD_SHARED_LIBS=ON

# --- consumers by pkg-config ------------------------------------------------------------------------------------------

run_pkg_config() { # NAME COMPILER SOURCE LINKAGE PACKAGE [-static]
  local program=$work/pkg-config/$1 compiler=$2 file=$3 linkage=$4 package=$5
  shift 5
  local static=() printed flags
  [ "$*" != -static ] || static=(--static)
  printed=$(pkg-config "${static[@]}" --cflags --libs "$package")
  mapfile -t flags < <(xargs -n 1 <<<"$printed")
  mkdir -p "$work/pkg-config"
  "$compiler" "$here/$file" "$@" "${flags[@]}" -o "$program"
  LD_LIBRARY_PATH=$lib "$program"
  linked_as "$program" "$linkage"
}

export PKG_CONFIG_PATH=$lib/pkgconfig
same "version in zn5.pc" "$version" "$(pkg-config --modversion zn5)"
run_pkg_config c_shared cc consumer.c shared zn5
run_pkg_config cxx_shared c++ consumer.cpp shared zn5
run_pkg_config c_static cc consumer.c static zn5-static
run_pkg_config cxx_static c++ consumer.cpp static zn5-static
# A program that is static as a whole.
run_pkg_config c_all_static cc consumer.c static zn5 -static
same "needed by a program linked with -static" "" "$(needed "$work/pkg-config/c_all_static")"

# --- other layouts ----------------------------------------------------------------------------------------------------

for libdir in lib/multi/arch "$work/elsewhere/lib"; do
  rm -rf "$prefix"
  cmake -S "$root" -B "$build" -DCMAKE_INSTALL_LIBDIR="$libdir"
  cmake --build "$build"
  cmake --install "$build"
  case $libdir in
  /*) prefix=$work/installed lib=$libdir ;;
  *)
    mv "$work/installed" "$prefix"
    lib=$prefix/$libdir
    ;;
  esac
  cmake -S "$here" -B "$work/layout" "${expected[@]}" -Dzn5_DIR="$lib/cmake/zn5"
  cmake --build "$work/layout" --target default --clean-first
  "$work/layout/default"
  export PKG_CONFIG_PATH=$lib/pkgconfig
  run_pkg_config c_layout cc consumer.c shared zn5
  run_pkg_config c_layout_static cc consumer.c static zn5-static
done

# --- what CMake says where something is missing -----------------------------------------------------------------------

says() { # EXPECTED-WORDS ARGUMENTS-OF-CMAKE...
  local words=$1 output
  shift
  rm -rf "$work/missing"
  output=$(cmake -S "$root" -B "$work/missing" -DZN5_BUILD_TESTS=OFF "$@" 2>&1 | tr -s ' \n' ' ') || true
  [[ $output == *"$words"* ]] || fail "CMake does not say '$words', but: $output"
}

printf '#!/bin/sh\necho cargo 1.65.0\n' >"$work/old-cargo"
chmod +x "$work/old-cargo"
says "zn5 needs Rust" -DZN5_CARGO="$work/old-cargo"
says "does not answer with a version" -DZN5_CARGO=/bin/false
says "there is no static library here: objcopy or ar is missing" -DCMAKE_OBJCOPY= -DBUILD_SHARED_LIBS=OFF
says "zn5: no static library" -DCMAKE_OBJCOPY=

echo "consumer: all programs run against zn5 $version"
