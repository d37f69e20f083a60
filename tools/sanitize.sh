# Builds with the sanitizers of LLVM on the stable toolchain. To be sourced.
# Rust's runtimes serve C as well: clang compiles, and programs link librustc-*_rt.KIND.a, so that both sides have the same one.
# shellcheck shell=bash

sanitizer_target=$(rustc -vV | sed -n 's/^host: //p')

# The runtime library of a sanitizer: address or thread.
sanitizer_runtime() {
  local kind
  case $1 in address) kind=asan ;; thread) kind=tsan ;; esac
  find "$(rustc --print sysroot)/lib/rustlib/$sanitizer_target/lib" -name "librustc*_rt.$kind.a" 2>/dev/null | head -n 1
}

# Says why a sanitizer cannot be used here; nothing if it can.
sanitizer_obstacle() {
  case $sanitizer_target in
  x86_64-*-linux-gnu | aarch64-*-linux-gnu) ;;
  *)
    echo "it is set up for Linux with glibc, not for $sanitizer_target"
    return
    ;;
  esac
  [ -n "$(sanitizer_runtime "$1")" ] || echo "this Rust has no runtime for it"
}

# Exports what cargo and the build scripts of the C libraries need: `sanitizer_environment KIND [RUSTFLAGS]`.
sanitizer_environment() {
  local kind=$1
  # Options of the unstable compiler, which the stable one takes with this.
  export RUSTC_BOOTSTRAP=1
  export RUSTFLAGS="-Zsanitizer=$kind ${*:2}"
  export CC=clang CXX=clang++
  # libFuzzer itself is C++, and not to be instrumented.
  export CFLAGS="-g1 -fsanitize=$kind${sanitizer_c_more:+,$sanitizer_c_more} -fno-sanitize-recover=undefined"
  unset CXXFLAGS
}
