#!/usr/bin/env bash
# Installs the programs named as arguments where they are missing: by apt-get as root on Debian and its relatives; elsewhere
# it prints the command to type and stops. Rust is never installed, only looked for.
set -euo pipefail

usage="usage: tools/setup.sh cargo|clippy|rustfmt|cc|c++|clang|make|cmake|binutils|pkg-config|certificates|valgrind|clang-format|doxygen|abidw|python|venv|jdk|maven ..."

have() { command -v "$1" >/dev/null 2>&1; }

# Whether a tool is there and works, not only whether a file of that name exists.
is_there() {
  case $1 in
  cc) have cc && echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1 ;;
  c++) have c++ && echo '#include <vector>' | c++ -x c++ -E - >/dev/null 2>&1 ;;
  # It compiles C++ as well, with the headers of g++.
  clang) have clang && echo '#include <vector>' | clang++ -x c++ -E - >/dev/null 2>&1 ;;
  binutils) have objcopy && have ld && have readelf ;;
  # cargo fetches crates by https, and a minimal Debian trusts nobody. Other systems keep their certificates elsewhere.
  certificates) ! have apt-get || [ -e "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" ] ;;
  valgrind) have valgrind && valgrind -q true >/dev/null 2>&1 ;;
  python) have python3 ;;
  venv) have python3 && python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ;;
  # 17 compiles for Java 8 and has what the tests use.
  jdk) have javac && [ "$(javac -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 17 ] ;;
  maven) have mvn ;;
  clippy) cargo clippy --version >/dev/null 2>&1 ;;
  rustfmt) cargo fmt --version >/dev/null 2>&1 ;;
  *) have "$1" ;;
  esac
}

packages_of() {
  case $1 in
  cc) echo gcc libc6-dev ;;
  c++) echo g++ ;;
  certificates) echo ca-certificates ;;
  abidw) echo abigail-tools ;;
  valgrind) echo valgrind libc6-dbg ;;
  python) echo python3 ;;
  venv) echo python3-venv ;;
  jdk) echo default-jdk-headless ;;
  clang | make | cmake | binutils | pkg-config | clang-format | doxygen | maven) echo "$1" ;;
  *)
    echo "setup: no such tool: $1" >&2
    echo "$usage" >&2
    return 1
    ;;
  esac
}

missing=()
packages=()
for tool in "$@"; do
  is_there "$tool" && continue
  case $tool in
  cargo)
    echo "setup: cargo is missing. zn5 needs Rust 1.88 or newer: https://rustup.rs says how to install it." >&2
    exit 1
    ;;
  clippy | rustfmt)
    echo "setup: cargo has no $tool. With rustup: rustup component add $tool" >&2
    exit 1
    ;;
  esac
  wanted=$(packages_of "$tool")
  missing+=("$tool")
  read -r -a wanted <<<"$wanted"
  packages+=("${wanted[@]}")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! have apt-get; then
  echo "setup: missing: ${missing[*]}. Install them with this system's package manager and try again." >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "setup: missing: ${missing[*]}. Type this and try again:" >&2
  echo "  sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${packages[*]}" >&2
  exit 1
fi
echo "setup: installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq --yes --no-install-recommends "${packages[@]}" >/dev/null
for tool in "${missing[@]}"; do
  is_there "$tool" || {
    echo "setup: $tool still does not work after installing $(packages_of "$tool")" >&2
    exit 1
  }
done
