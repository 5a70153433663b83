#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# latency_table.sh TOOL [KERNELS]: what branch interleaving and loop merging do to the time of the shipped kernels under
# pdom at test size: cycles before, cycles after, and the ratio. The machines are slow_memory.json of this folder (one
# thread block a core, so that a scheduler has one warp or two; loads take 400 cycles, arithmetic 4), volta and gtx480.
# KERNELS, separated by blanks: without it all. If memory differs under pdom, tf, volta or serial, the script ends.
#
# Prints two tables in Markdown: kernels with a branch that `--interleave auto` cuts, and kernels with a nest that
# `--merge-loops=auto` merges (PROFILE=1: by a profile of the launch). Bold: slower. About a minute on one core.
set -eu

[ $# -ge 1 ] || { echo "usage: latency_table.sh TOOL [KERNELS]" >&2; exit 2; }
tool=$1
here=$(cd "$(dirname "$0")/.." && pwd)
kernels=${2:-$(cd "$here/examples/kernels" && for file in *.ptx; do echo "${file%.ptx}"; done)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cycles CODE KERNEL MACHINE
cycles() {
  "$tool" time "$1" --launch "$here/examples/kernels/$2.launch.json" --policy pdom --machine "$3" --csv \
    > "$work/time.csv" 2> "$work/time.err" || { cat "$work/time.err" >&2; exit 1; }
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { print $at["cycles"]; exit }' "$work/time.csv"
}

# table TITLE OPTION...: a row for each kernel that the option changes.
table() {
  echo "| $1 | slow memory | | | \`volta\` | | | \`gtx480\` | | |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  shift
  for kernel in $kernels; do
    case $kernel in spin_lock* | barrier_exception) continue ;; esac  # they do not finish under pdom
    code=$here/examples/kernels/$kernel.ptx
    launch=$here/examples/kernels/$kernel.launch.json
    "$tool" transform "$code" "$@" --launch "$launch" --policy pdom,tf,volta,serial --output "$work/after.ptx" \
      > "$work/report" || { echo "$kernel:" >&2; cat "$work/report" >&2; exit 1; }
    grep -q '^nothing had to be changed' "$work/report" && continue
    row="| \`$kernel\` |"
    for machine in "$here/bench/slow_memory.json" volta gtx480; do
      row="$row $(cycles "$code" "$kernel" "$machine") $(cycles "$work/after.ptx" "$kernel" "$machine")"
    done
    echo "$row" | awk '{ printf "| %s |", $2
      for (i = 4; i <= NF; i += 2) {
        ratio = sprintf("%.3f", $(i + 1) / $i)
        printf " %s | %s | %s |", $i, $(i + 1), (ratio > 1 ? "**" ratio "**" : ratio)
      }
      print "" }'
  done
  echo
}

table "interleaved: cycles before, after, ratio" --interleave auto
table "merged: cycles before, after, ratio" --merge-loops=auto ${PROFILE:+--profile}
