#!/usr/bin/env bash
# Fuzzes zn5: `fuzz.sh [--afresh] SECONDS [TARGET...]` builds fuzz/ and runs each target that long, all if none is named, one on each
# core; --afresh without what earlier runs collected in fuzz/corpus. The last line tells how much was tried; a finding, how to see it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/sanitize.sh

corpus=fuzz/corpus
if [ "${1:-}" = --afresh ]; then
  corpus=target/fuzz/corpus
  rm -rf "$corpus"
  shift
fi
seconds=${1:-60}
targets=("${@:2}")
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "fuzz: $seconds is no number of seconds; usage: ./run fuzz [SECONDS] [TARGET...]" >&2
  exit 2
fi
all=()
for file in fuzz/fuzz_targets/*.rs; do
  file=${file##*/}
  all+=("${file%.rs}")
done
for target in ${targets[@]+"${targets[@]}"}; do
  [[ " ${all[*]} " == *" $target "* ]] || {
    echo "fuzz: no such target: $target; there are: ${all[*]}" >&2
    exit 2
  }
done
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")

obstacle=$(sanitizer_obstacle address)
if [ -n "$obstacle" ]; then
  echo "did not run: $obstacle"
  exit 0
fi

build_fuzz_targets
rm -rf target/fuzz/seeds
python3 tools/fuzz_seeds.py target/fuzz/seeds

# One target, with what it found before; its log is kept beside the build.
fuzz_one() {
  local target=$1 log=target/fuzz/$1.log artifacts=fuzz/artifacts/$1/
  local options=(-max_total_time="$seconds" -timeout=25 -rss_limit_mb=1536 -malloc_limit_mb=256 -artifact_prefix="$artifacts")
  case $target in
  n5_attributes | zarr_metadata | codec_object | convert | utf32_names | dataset) options+=(-dict=fuzz/json.dict) ;;
  esac
  mkdir -p "$corpus/$target" "$artifacts"
  if ! "$fuzz_programs/$target" "${options[@]}" -print_final_stats=1 "$corpus/$target" "fuzz/regressions/$target" \
    "target/fuzz/seeds/$target" >"$log" 2>&1; then
    grep -v -e NEW -e REDUCE "$log" | tail -n 100
    echo "fuzz: $target has found something; the input is the newest below $artifacts."
    echo "Again: $fuzz_programs/$target $artifacts..."
    echo "Once it is mended, keep the input below fuzz/regressions/$target, where cargo test tries it."
    return 1
  fi
  sed -n 's/^#[0-9]*\tDONE *//p' "$log" | sed "s/^/$target: /"
}
export -f fuzz_one
export corpus fuzz_programs seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'set -euo pipefail; fuzz_one {}'

inputs=0
for target in "${targets[@]}"; do
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "target/fuzz/$target.log")
  inputs=$((inputs + count))
done
echo "${#targets[@]} targets, $seconds s each, $inputs inputs"
