#!/usr/bin/env bash
# Runs tests under sanitizers: `sanitizers.sh address|thread|miri`. The last line that it prints tells what ran, or that nothing did and why.
# ZN5_TEST_LONG=1 takes all tests in C++ and the unit tests too. Called by test.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/sanitize.sh

long=0
[ "${ZN5_TEST_LONG:-}" != 1 ] || long=1
export ZN5_TEST_VECTORS=$PWD/tests/vectors

# `run_c_tests KIND LIBRARY_FOLDER SOURCES...`: compiles tests against libzn5.so and the sanitizer's runtime, and runs each.
run_c_tests() {
  local kind=$1 folder=target/sanitizers/$1/c_tests
  # The linked library looks for itself under its SONAME.
  mkdir -p "$folder"
  ln -sf "$PWD/$2/libzn5.so" "$folder/libzn5.so"
  ln -sf libzn5.so "$folder/$(readelf -d "$2/libzn5.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
  export kind folder
  sanitizer_library=$(sanitizer_runtime "$kind")
  export sanitizer_library
  rm -f "$folder"/*.passed
  printf '%s\n' "${@:3}" | xargs -P "$(nproc)" -I{} bash -c 'set -euo pipefail; run_c_test {}'
}

run_c_test() {
  local name=${1##*/} compiler=(clang -std=c99) result=0
  name=${name%.*}
  [[ $1 != *.cpp ]] || compiler=(clang++ -std=c++17)
  # UndefinedBehaviorSanitizer's runtime is part of the one of AddressSanitizer, but for what looks at virtual tables and, in C++, at
  # the types of called functions, which each version of LLVM does in a way of its own.
  local flags=(-fsanitize="$kind")
  [ "$kind" != address ] || flags=(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
  "${compiler[@]}" -g -O1 "${flags[@]}" -Iinclude -c "$1" -o "$folder/$name.o"
  clang++ "$folder/$name.o" -o "$folder/$name" -L"$folder" -lzn5 -Wl,-rpath,"$PWD/$folder" -Wl,--export-dynamic \
    -Wl,--whole-archive "$sanitizer_library" -Wl,--no-whole-archive -pthread -ldl -lrt -lm
  rm -f "$folder/$name.o"
  timeout 900 "$folder/$name" >"$folder/$name.txt" 2>&1 || result=$?
  # 77: a test that has nothing to do here.
  if [ $result = 0 ]; then
    touch "$folder/$name.passed"
  elif [ $result != 77 ]; then
    echo "-- $1 failed with $result under the $kind sanitizer:"
    tail -n 100 "$folder/$name.txt"
    return 1
  fi
}
export -f run_c_test

count_passed() { find "target/sanitizers/$1/c_tests" -name '*.passed' | wc -l; }

address() {
  local sources=(c_tests/test_*.c c_tests/test_hpp_lifetimes.cpp) units=""
  [ $long = 0 ] || sources=(c_tests/test_*.c c_tests/test_*.cpp)
  # The library that the fuzz targets use, instrumented with its bundled C.
  build_fuzz_targets
  # Memory that nobody has is an error that zn5 reports, not one of the test.
  export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  run_c_tests address "$fuzz_programs/deps" "${sources[@]}"
  if [ $long = 1 ]; then
    # Some unit tests leak a document on purpose; that zn5 does not leak, the C tests show.
    ASAN_OPTIONS+=:detect_leaks=0
    # c-blosc reads numbers where they are not aligned, on processors that can.
    sanitized_cargo address "" "-fsanitize=undefined -fno-sanitize=alignment" test --locked --lib --target-dir target/sanitizers/units |
      tee target/sanitizers/units.txt
    units=", and $(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' target/sanitizers/units.txt) unit tests"
  fi
  echo "$(count_passed address) programs under AddressSanitizer and UBSan$units"
}

thread() {
  # The standard library is not instrumented, but for what is inlined from it; the compiler wants to be told that this is meant.
  sanitized_cargo thread -Cunsafe-allow-abi-mismatch=sanitizer "" build --locked --lib --target-dir target/sanitizers/build-thread
  export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$PWD/tools/tsan.supp"
  run_c_tests thread "target/sanitizers/build-thread/$sanitizer_target/debug" c_tests/test_stress.c c_tests/test_threads.c \
    c_tests/test_store_threads.c c_tests/test_dataset_read.c c_tests/test_dataset_write.c \
    c_tests/test_dataset_threads.c c_tests/test_hpp_lifetimes.cpp
  echo "$(count_passed thread) programs with threads under ThreadSanitizer"
}

miri() {
  if ! cargo miri --version >/dev/null 2>&1; then
    echo "did not run: this Rust has no Miri (rustup +nightly component add miri)"
    return
  fi
  # Those parts that call no C.
  export MIRIFLAGS="-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check"
  cargo miri test --locked --lib --target-dir target/sanitizers/miri -- array:: block:: utf32:: | tee target/sanitizers/miri.txt
  echo "$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' target/sanitizers/miri.txt) unit tests under Miri"
}

case ${1:-} in
address | thread)
  obstacle=$(sanitizer_obstacle "$1")
  if [ -n "$obstacle" ]; then
    echo "did not run: $obstacle"
  else
    "$1"
  fi
  ;;
miri) miri ;;
*)
  echo "usage: tools/sanitizers.sh address|thread|miri" >&2
  exit 2
  ;;
esac
