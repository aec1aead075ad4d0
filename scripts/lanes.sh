# For ./test: runs steps in sequence, in the foreground or in parallel lanes, and prints what they took. A step is a
# function step_NAME; it runs only if NAME is in `chosen`. The first failure ends everything.
# shellcheck shell=bash disable=SC2154

work=$(mktemp -d)
log=$work/tests.log
times=$work/times
: > "$log" > "$times"
lanes=()
# Where each lane writes, by its process.
declare -A outputs=()
current=

trap 'finish $?' EXIT
# finish STATUS: names the failed step, ends running lanes and cleans up.
finish() {
  local status=$1 lane
  set +e
  for lane in "${lanes[@]}"; do kill -TERM -- "-$lane" 2>/dev/null; done
  stop_postgres
  if [ "$status" -ne 0 ] && [ -n "$current" ]; then
    print_times
    printf '\n失败的步骤：%s（%s）。单独再跑：./test --only %s\n' "$current" "$(title "$current")" "$current" >&2
  fi
  rm -rf "$work"
}

is_chosen() {
  local name
  for name in "${chosen[@]}"; do [ "$name" = "$1" ] && return; done
  return 1
}

# title NAME: the step's title in the table of steps.
title() {
  local step
  for step in "${steps[@]}"; do [ "${step%%|*}" = "$1" ] && echo "${step#*|}"; done
  return 0
}

# processor_seconds: sets `processor` to the processor time of this shell's ended children. Not by a substitution, which
# would be another shell.
processor_seconds() {
  local file=$work/processor.$BASHPID
  times > "$file"
  processor=$(tail -n 1 "$file" | tr 'ms' '  ' | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
}

# timed NAME: runs a step with its heading and duration. Never call it in a condition (if, ||, &&): bash would continue
# after a failed command inside.
timed() {
  local start=$EPOCHSECONDS seconds processor before
  say "$(title "$1")"
  processor_seconds
  before=$processor
  "step_$1"
  processor_seconds
  seconds=$((EPOCHSECONDS - start))
  say "$(title "$1")：$seconds 秒"
  printf '%s\t%s\t%s\t%s\n' "$1" "$seconds" "$((processor - before))" "${2:-}" >> "$times"
}

run_step() {
  check_lanes
  is_chosen "$1" || return 0
  current=$1
  timed "$1" 2>&1 | tee -a "$log"
  current=
}

# start_lane STEP…: runs the chosen ones of these in sequence, in the background. Their output is shown when they have
# ended.
start_lane() {
  local name output mine=()
  for name in "$@"; do if is_chosen "$name"; then mine+=("$name"); fi; done
  [ ${#mine[@]} -eq 0 ] && return
  output=$(mktemp -p "$work")
  # With monitor mode on, a process group of its own, so that all of it can be ended.
  set -m
  (
    set +m
    trap - EXIT # that of the whole
    for name in "${mine[@]}"; do
      echo "$name" > "$work/step.$BASHPID"
      timed "$name" '与别的同时'
    done
  ) > "$output" 2>&1 < /dev/null &
  set +m
  lanes+=("$!")
  outputs[$!]=$output
}

# check_lanes: shows the output of ended lanes; fails when one has failed.
check_lanes() {
  local lane still=()
  for lane in "${lanes[@]}"; do
    if kill -0 "$lane" 2>/dev/null; then still+=("$lane"); else join_lane "$lane"; fi
  done
  lanes=("${still[@]}")
}

join_lanes() {
  local lane
  for lane in "${lanes[@]}"; do join_lane "$lane"; done
  lanes=()
}

join_lane() {
  local status=0
  wait "$1" || status=$?
  tee -a "$log" < "${outputs[$1]}"
  [ "$status" -eq 0 ] && return
  current=$(cat "$work/step.$1")
  exit "$status"
}

print_times() {
  say '各步骤用时' 2>&1
  awk -F '\t' -v seconds="$SECONDS" '{ printf "  %-14s %5d 秒，处理器 %5d 秒  %s\n", $1, $2, $3, $4; all += $3 }
    END { printf "  %-14s %5d 秒，处理器 %5d 秒\n", "共", seconds, all }' "$times"
}
