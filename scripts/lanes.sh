# For ./test: runs steps one after the other, in front or beside others, and says how long each took. A step is a
# function step_NAME; it runs only if NAME is among `chosen`. The first that fails ends everything.
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
# finish STATUS: names the step that failed, ends what still runs and leaves nothing.
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

# title NAME: what the table of steps says about it.
title() {
  local step
  for step in "${steps[@]}"; do [ "${step%%|*}" = "$1" ] && echo "${step#*|}"; done
  return 0
}

# timed NAME: the step, its heading and its seconds. Never call it where a failure is asked for (if, ||, &&): bash would
# go on after a command that failed inside.
timed() {
  local start=$EPOCHSECONDS seconds
  say "$(title "$1")"
  "step_$1"
  seconds=$((EPOCHSECONDS - start))
  say "$(title "$1")：$seconds 秒"
  printf '%s\t%s\t%s\n' "$1" "$seconds" "${2:-}" >> "$times"
}

run_step() {
  check_lanes
  is_chosen "$1" || return 0
  current=$1
  timed "$1" 2>&1 | tee -a "$log"
  current=
}

# start_lane STEP…: the chosen ones of these, one after the other, beside what comes next. Their output comes when they
# have ended.
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

# check_lanes: takes the output of those that have ended; fails when one has failed.
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
  awk -F '\t' '{ printf "  %-14s %5d 秒  %s\n", $1, $2, $3; n += $3 == "" ? $2 : 0 }' "$times"
  printf '  %-14s %5d 秒\n' 共 "$SECONDS"
}
