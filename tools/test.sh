#!/usr/bin/env bash
# Every test of zn5, in steps that are timed; stops at the first that fails and shows what it printed. Called by `./run test`;
# arguments name the steps to run, if not all.
set -euo pipefail
source tools/steps.sh

folder=target/test

check_format() {
  cargo fmt --all --check
  # The generated header keeps the generator's form.
  find c_tests cmake examples include java -type f ! -name zn5.h \( -name '*.c' -o -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \) -print0 |
    xargs -0 clang-format --dry-run -Werror
}

# With the function that panics on purpose, by which the panic boundary is tested; no release has it, and the step consumers looks whether.
features=(--features zn5/test-panic)

check_clippy() {
  cargo clippy --locked --workspace --all-targets "${features[@]}" -- -D warnings
}

# The number of passed tests, added up over the lines that cargo's test runner closes with.
count_cargo_tests() {
  sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$1" | awk '{ n += $1 } END { printf "%d tests\n", n }'
}

cargo_tests() {
  cargo test --locked --workspace "${features[@]}" 2>&1 | tee "$folder/cargo-test.txt"
  count_cargo_tests "$folder/cargo-test.txt" >&3
}

cmake_and_ctest() {
  cmake -S . -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD/$folder/prefix" -DZN5_BUILD_TESTS=ON
  cmake --build "$folder/build" --parallel "$(nproc)"
  ctest --test-dir "$folder/build" --output-on-failure -j "$(nproc)" | tee "$folder/ctest.txt"
  sed -n 's/.*tests passed, 0 tests failed out of \([0-9]*\)/\1 tests/p' "$folder/ctest.txt" >&3
}

install_and_examples() {
  local picture=$folder/cat.png written=$folder/written.n5 printed program
  rm -rf "$folder/prefix"
  cmake --install "$folder/build"
  tools/build_examples.sh "$folder" -DCMAKE_C_FLAGS=-Werror -DCMAKE_CXX_FLAGS=-Werror
  printed=$("$folder/examples/readme")
  [ "$printed" = $'1 4\n2 5\n3 6' ] || {
    echo "examples/readme printed '$printed'"
    return 1
  }
  printed=$("$folder/examples/n5_store")
  [[ $printed == *'"node_type":"array","shape":[3,2]'* ]] || {
    echo "examples/n5_store printed '$printed'"
    return 1
  }
  "$folder/examples/decode_dataset" examples/data/cat.n5/photo "$picture"
  python3 tools/check_png.py "$picture" examples/data/cat.sha256
  rm -rf "$written"
  printed=$("$folder/examples/write_dataset" "$written")
  [ "$printed" = "wrote 100 x 60 values to $written/image, and read the same" ] || {
    echo "examples/write_dataset printed '$printed'"
    return 1
  }
  # The array of 100 x 60 in blocks of 32 x 32, its attributes, and those of the root.
  [ "$(find "$written" -type f | wc -l)" = 10 ] || {
    echo "examples/write_dataset left $(find "$written")"
    return 1
  }
  for program in read_region read_region_cpp; do
    program=$folder/examples/$program
    printed=$("$program" examples/data/cat.n5 photo)
    # Red of the photograph's pixels 189 to 194 in the rows 126 to 129.
    [ "$printed" = $'124 133 134 139 143 142\n135 140 144 145 141 141\n147 149 155 151 146 141\n148 147 152 148 148 140' ] || {
      echo "$program printed '$printed'"
      return 1
    }
    # Another type of elements, another number of axes.
    if "$program" "$written" image; then
      echo "$program read an array that it is not made for"
      return 1
    fi
  done
  if "$folder/examples/write_dataset" "$written"; then
    echo "write_dataset wrote over a dataset that was there"
    return 1
  fi
  # It says what is wrong with a path, and fails.
  if "$folder/examples/decode_dataset" examples/data "$picture"; then
    echo "decode_dataset accepted a folder that is no dataset"
    return 1
  fi
}

# What is linked in: its licences, where it comes from, how old it is.
supply() {
  tools/notice.py
  [ -e "$folder/build/lib/libzn5.so" ] || {
    echo "there is no library in $folder/build; run the step ctest first"
    return 1
  }
  tools/supply.py "$folder/build/lib/libzn5.so"
}

# Called for each program, by as many processes as there are cores. 77: a test that has nothing to do in this build, such as that of the
# panic boundary in a release. xargs calls no further one after 255.
under_valgrind() {
  local result=0 said=$folder/valgrind/${1##*/}.txt
  valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
    --suppressions=tools/valgrind.supp "$1" >"$said" 2>&1 || result=$?
  case $result in
  0) echo "passed: $1" ;;
  77) echo "nothing to do: $1" ;;
  *)
    echo "FAILED: $1"
    cat "$said"
    return 255
    ;;
  esac
}

valgrind_c_tests() {
  local program programs=() count
  export ZN5_TEST_VECTORS=$PWD/tests/vectors folder
  export -f under_valgrind
  for program in "$folder"/build/c_tests/test_*; do
    # The same tests as C++, or of a later C++, would show nothing new.
    if [ -x "$program" ] && [ ! -d "$program" ] && [[ $program != *_cxx && $program != *_cxx20 ]]; then programs+=("$program"); fi
  done
  rm -rf "$folder/valgrind"
  mkdir "$folder/valgrind"
  printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'under_valgrind "$0"' | tee "$folder/valgrind.txt"
  count=$(grep -c '^passed' "$folder/valgrind.txt") || {
    echo "no C test programs below $folder/build/c_tests"
    return 1
  }
  echo "$count programs" >&3
}

# Guards speed where time cannot be trusted.
instructions() {
  python3 -B tools/instructions.py | tee "$folder/instructions.txt"
  tail -n 1 "$folder/instructions.txt" >&3
}

# Five seconds of each target find what a change broke at once; ./run fuzz looks longer.
fuzz() {
  tools/fuzz.sh --afresh 5 | tee "$folder/fuzz.txt"
  tail -n 1 "$folder/fuzz.txt" >&3
}

# ThreadSanitizer needs a build of its own, and C++ and the unit tests take longer: they are for the long run.
sanitizers() {
  local kind
  rm -f "$folder"/sanitizers-*.txt
  for kind in address miri $([ "${ZN5_TEST_LONG:-}" != 1 ] || echo thread); do
    tools/sanitizers.sh "$kind" | tee "$folder/sanitizers-$kind.txt"
  done
  tail -q -n 1 "$folder"/sanitizers-*.txt | paste -s -d ';' | sed 's/;/; /g' >&3
}

java_tests() {
  tools/java.sh test
  cat target/java/note >&3
}

mkdir -p "$folder"
steps_begin "$folder/logs" "$@"
step format check_format
step clippy check_clippy
step policies python3 tools/policies.py
step headers tools/headers.sh
step abi tools/abi.py
step docs tools/docs.sh
step cargo-test cargo_tests
step ctest cmake_and_ctest
step supply supply
step consumers cmake/consumer/run.sh
step examples install_and_examples
step valgrind valgrind_c_tests
step instructions instructions
step fuzz fuzz
step sanitizers sanitizers
step java java_tests
steps_end
