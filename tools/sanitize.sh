# Building with LLVM's sanitizers on the stable toolchain, for fuzz.sh and sanitizers.sh. To be sourced.
# clang compiles the C of the bundled libraries and of the tests; programs link the sanitizer's runtime that comes with Rust.
# shellcheck shell=bash

sanitizer_target=$(rustc -vV | sed -n 's/^host: //p')

# The runtime library of a sanitizer: address or thread.
sanitizer_runtime() {
  local kind=${1:0:1}san
  find "$(rustc --print sysroot)/lib/rustlib/$sanitizer_target/lib" -name "librustc*_rt.$kind.a" 2>/dev/null | head -n 1
}

# Says why a sanitizer cannot be used here; nothing if it can.
sanitizer_obstacle() {
  case $sanitizer_target in
  x86_64-*-linux-gnu | aarch64-*-linux-gnu)
    [ -n "$(sanitizer_runtime "$1")" ] || echo "this Rust comes without the runtime of the $1 sanitizer"
    ;;
  *) echo "it is set up for Linux with the GNU C library, not for $sanitizer_target" ;;
  esac
}

# `sanitized_cargo KIND RUSTFLAGS CFLAGS ARGUMENTS...` runs cargo with a sanitizer in Rust and in the bundled C.
# The target is named so that build scripts stay as they are.
sanitized_cargo() {
  local kind=$1 rust_flags=$2 c_flags=$3
  shift 3
  # The stable compiler takes unstable options with RUSTC_BOOTSTRAP. libFuzzer, in C++, is not to be instrumented.
  env -u CXXFLAGS RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$kind $rust_flags" CC=clang CXX=clang++ \
    CFLAGS="-fsanitize=$kind -gline-tables-only $c_flags" cargo "$@" --target "$sanitizer_target"
}

# Builds the fuzz targets, and with them libzn5.so, into target/fuzz: with AddressSanitizer, and counting what is reached as libFuzzer
# wants it, which are the options that cargo-fuzz sets.
build_fuzz_targets() {
  local rust_flags="--cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1 -Cpasses=sancov-module" pass
  for pass in level=4 inline-8bit-counters pc-table trace-compares; do
    rust_flags+=" -Cllvm-args=-sanitizer-coverage-$pass"
  done
  rust_flags+=" -Cllvm-args=-simplifycfg-branch-fold-threshold=0"
  sanitized_cargo address "$rust_flags" "-fsanitize=fuzzer-no-link" \
    build --release --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz
}

fuzz_programs=target/fuzz/$sanitizer_target/release
