# Runs named steps one after the other, each timed, with its output in a log that is shown only if it fails. To be sourced.
# Usage: steps_begin FOLDER_FOR_LOGS [ONLY_THESE...], then `step NAME COMMAND...` as often as needed, then steps_end.
# shellcheck shell=bash

steps_begin() {
  step_logs=$1
  step_wanted=("${@:2}")
  step_table=()
  step_count=0
  steps_started=$(now_ms)
  step_known=()
  # A second run at the same time would take the logs away from the first.
  mkdir -p "$step_logs"
  exec 9>"$step_logs.lock"
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "another run uses $step_logs; wait for it" >&2
    exit 1
  fi
  rm -rf "$step_logs"
  mkdir -p "$step_logs"
}

now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# Sets cpu_ms to the processor time of all children so far: beside the elapsed time it tells what a busy machine adds. In a substitution,
# which is a process of its own, there would be no children.
read_cpu_ms() {
  local line
  times >"$step_logs/times"
  { read -r line && read -r line; } <"$step_logs/times"
  cpu_ms=$(awk '{ split($0, part, /[ms ]+/); print int((part[1] * 60 + part[2] + part[3] * 60 + part[4]) * 1000) }' <<<"${line//,/.}")
}

seconds() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# A step is a command or a function; a function may leave one line for the table on file descriptor 3.
step() {
  local name=$1 log started elapsed cpu result note
  shift
  step_known+=("$name")
  if [ ${#step_wanted[@]} -gt 0 ] && [[ " ${step_wanted[*]} " != *" $name "* ]]; then return; fi
  log=$step_logs/$name.log
  started=$(now_ms)
  read_cpu_ms
  cpu=$cpu_ms
  printf '== %-14s ' "$name"
  # Not in an `if`, which would switch off errexit within the step.
  set +e
  (
    set -euo pipefail
    "$@"
  ) >"$log" 2>&1 3>"$log.note" </dev/null
  result=$?
  set -e
  elapsed=$(seconds $(($(now_ms) - started)))
  read_cpu_ms
  cpu=$(seconds $((cpu_ms - cpu)))
  note=$(tail -n 1 "$log.note")
  rm -f "$log.note"
  if [ $result != 0 ]; then
    printf 'FAILED after %s; its output (%s):\n\n' "$elapsed" "$log"
    tail -n 400 "$log"
    printf '\n== %s FAILED\n%d passed, 1 failed\n' "$name" "$step_count"
    exit 1
  fi
  printf 'ok %10s %10s CPU  %s\n' "$elapsed" "$cpu" "$note"
  step_count=$((step_count + 1))
  step_table+=("$(printf '%-14s %10s %10s CPU  %s' "$name" "$elapsed" "$cpu" "$note")")
}

steps_end() {
  local name
  for name in ${step_wanted[@]+"${step_wanted[@]}"}; do
    if [[ " ${step_known[*]} " != *" $name "* ]]; then
      printf 'no such step: %s; there are: %s\n' "$name" "${step_known[*]}" >&2
      exit 2
    fi
  done
  printf '\n'
  printf '%s\n' "${step_table[@]}"
  printf '%-14s %10s\n\n' total "$(seconds $(($(now_ms) - steps_started)))"
  printf '%d passed, 0 failed\n' "$step_count"
}
