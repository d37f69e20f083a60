#!/usr/bin/env bash
# Compiles zn5.h and zn5.hpp, alone, once and twice, in every dialect of C and C++ that they promise, with every warning that a
# careful program turns on as an error, by gcc and by clang, as far as they are installed; says which were.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=target/headers
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Wwrite-strings
  -Wdouble-promotion -Wformat=2 -Wredundant-decls -Werror)
c_warnings=(-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)
cxx_warnings=(-Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wzero-as-null-pointer-constant)
mkdir -p $folder

# NAME LANGUAGE HEADER: what a program does first.
write_sources() {
  printf '#include "%s"\nextern zn5_codec_options options;\n' "$3" >"$folder/$1-once.$2"
  printf '#include "%s"\n#include "%s"\nextern zn5_codec_options options;\n' "$3" "$3" >"$folder/$1-twice.$2"
}

write_sources c c zn5.h
write_sources cxx cpp zn5.h
write_sources hpp cpp zn5.hpp

count=0
# COMPILER SOURCE DIALECT...: a dialect may have an older name behind a '/', for compilers from before its standard was out.
compile() {
  local compiler=$1 source=$2 dialect name extra=("${cxx_warnings[@]}")
  [[ $source == c ]] && extra=("${c_warnings[@]}")
  for dialect in "${@:3}"; do
    name=${dialect%/*}
    if ! echo | "$compiler" "-std=$name" -x "$([ $source = c ] && echo c || echo c++)" -fsyntax-only - 2>/dev/null; then
      name=${dialect#*/}
    fi
    for file in $folder/"$source"-once.* $folder/"$source"-twice.*; do
      echo "$compiler -std=$name $file"
      "$compiler" "-std=$name" "${warnings[@]}" "${extra[@]}" -Iinclude -fsyntax-only "$file"
      count=$((count + 1))
    done
  done
}

ran=()
for pair in gcc:g++ clang:clang++; do
  if ! command -v "${pair%:*}" >/dev/null || ! command -v "${pair#*:}" >/dev/null; then
    ran+=("without ${pair%:*}, which is not installed")
    continue
  fi
  compile "${pair%:*}" c c99 c11 c17 c23/c2x
  compile "${pair#*:}" cxx c++11 c++14 c++17 c++20
  compile "${pair#*:}" hpp c++17 c++20 c++23/c++2b
  ran+=("${pair%:*} $("${pair%:*}" -dumpfullversion -dumpversion)")
done
[ $count -gt 0 ] || {
  echo "neither gcc nor clang is installed"
  exit 1
}
# To the step's line in the table, if there is one.
{ printf '%d compilations: %s, %s\n' $count "${ran[@]}" >&3; } 2>/dev/null || printf '%d compilations: %s, %s\n' $count "${ran[@]}"
