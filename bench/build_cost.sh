#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# build_cost.sh [PRESET...]: CPU seconds of building a preset from nothing; test and demo unless given.
#
# Each preset is configured into an empty folder and built with the number of jobs that the machine has cores: the tool
# for demo, all targets for any other. Counted are user and system time of all processes; a compiler cache is switched
# off. A preset with a budget fails above it. CPU seconds differ between machines: the budgets are for a core of about
# 2.5 GHz that nobody else uses. The ten slowest translation units follow, by the clock.
set -eu
cd "$(dirname "$0")/.."
export CCACHE_DISABLE=1

[ $# -gt 0 ] || set -- test demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# used: sets the variable of that name to the CPU seconds of the finished children of this shell. `times` must run in
# the shell itself, hence the file.
used() {
  times > "$work/times"
  used=$(tail -n 1 "$work/times" | tr 'ms' '  ' | awk '{ printf "%.0f\n", $1 * 60 + $2 + $3 * 60 + $4 }')
}

for preset; do
  case $preset in test) budget=1560 ;; demo) budget=240 ;; *) budget= ;; esac
  cmake --preset "$preset" -B "$work/$preset" > "$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
  used
  before=$used
  case $preset in demo) target=simtflow-lab ;; *) target=all ;; esac
  cmake --build "$work/$preset" --target "$target" > "$work/said" 2>&1 || { tail -n 50 "$work/said" >&2; exit 1; }
  used
  cost=$((used - before))
  over=
  if [ -n "$budget" ] && [ "$cost" -gt "$budget" ]; then
    over="  OVER"
    failed=1
  fi
  echo "preset $preset: $cost CPU seconds, budget ${budget:-none}$over"
  awk -F '\t' '!/^#/ { taken[$4] = ($2 - $1) / 1000 } END { for (unit in taken) printf "  %6.1f s  %s\n", taken[unit], unit }' \
    "$work/$preset/.ninja_log" | sort -rn | head -n 10
  rm -rf "${work:?}/$preset"
done
exit "$failed"
