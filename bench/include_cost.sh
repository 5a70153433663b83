#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# include_cost.sh INCLUDE_DIR COMPILER: what including a header costs, as a multiple of <vector> plus <span>.
#
# The cost is the CPU time (user + system) of `-fsyntax-only`: the smallest of ROUNDS interleaved samples of REPEATS
# compilations each, because load on the machine only ever adds; of what is over its budget then, of three times as many.
# A unit marked `must` fails the script when it exceeds its budget by more than a quarter, which is noise; of the folders
# graph, analysis and simt those are the three headers that are the longest text with all they include. One marked
# `whole`, a folder with all its headers at once, is there to be looked at: one round of it.
set -eu

[ $# -eq 2 ] || { echo "usage: include_cost.sh INCLUDE_DIR COMPILER" >&2; exit 2; }
include_dir=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# headers FOLDER: the headers below it, as they are included.
headers() { (cd "$include_dir" && find "$1" -name '*.hpp' | sort); }

# unit NAME must|whole BUDGET INCLUDE...: one translation unit.
unit() {
  name=$1 kind=$2 budget=$3
  shift 3
  mkdir -p "$work/${name%/*}"
  printf '#include <%s>\n' "$@" > "$work/$name.cpp"
  echo "$name $kind $budget" >> "$work/units"
}

# sample NAME REPEATS: "user0 system0 user1 system1 NAME", CPU time of finished children before and after, in seconds.
# The second line of `times` is theirs, "0m1.25s 0m0.5s".
sample() {
  times > "$work/before"
  i=0
  while [ "$i" -lt "$2" ]; do
    "$compiler" -std=c++20 -fsyntax-only "-I$include_dir" "$work/$1.cpp"
    i=$((i + 1))
  done
  times > "$work/after"
  # shellcheck disable=SC2016 # awk's fields
  seconds='{ for (i = 1; i <= 2; ++i) { split($i, part, "[ms]"); printf "%f ", 60 * part[1] + part[2] } }'
  echo "$(tail -n 1 "$work/before" | awk "$seconds")$(tail -n 1 "$work/after" | awk "$seconds")$1"
}

# largest FOLDER: the three headers below it that are the longest text with all they include.
largest() {
  headers "$1" | while read -r header; do
    echo "#include <$header>" > "$work/one.cpp"
    echo "$("$compiler" -std=c++20 -E -P "-I$include_dir" "$work/one.cpp" | wc -c) $header"
  done | sort -rn | awk 'NR <= 3 { print $2 }'
}

unit base base 0 vector span
unit fwd must 0.2 simtflow/fwd.hpp
# shellcheck disable=SC2046 # names of headers hold no spaces
{
  for folder in graph analysis simt; do
    for header in $(largest "simtflow/$folder"); do
      case $folder in graph) budget=1.5 ;; *) budget=2 ;; esac
      unit "$folder/$(basename "$header" .hpp)" must "$budget" "$header"
    done
    unit "$folder" whole 0 $(headers "simtflow/$folder")
  done
}
unit umbrella must 3 simtflow/simtflow.hpp

# rounds COUNT: more samples of every unit that is listed.
rounds() {
  round=0
  while [ "$round" -lt "$1" ]; do
    while read -r name kind budget; do
      echo "$(sample "$name" "${REPEATS:-2}") $kind $budget" >> "$work/samples"
    done < "$work/units"
    grep -v ' whole ' "$work/units" > "$work/again"
    mv "$work/again" "$work/units"
    round=$((round + 1))
  done
}

# report: the table; fails if a unit is over its budget.
report() {
  awk -v repeats="${REPEATS:-2}" '
    {
      seconds = ($3 + $4 - $1 - $2) / repeats
      if (!($5 in least)) order[++units] = $5
      if (!($5 in least) || seconds < least[$5]) least[$5] = seconds
      kind[$5] = $6
      budget[$5] = $7
    }
    END {
      printf "%-32s %7s %6s %8s\n", "include", "CPU s", "ratio", "budget"
      for (i = 1; i <= units; ++i) {
        name = order[i]
        ratio = least[name] / least["base"]
        over = kind[name] == "must" && ratio > budget[name]
        failed = failed || (over && ratio > 1.25 * budget[name])
        printf "%-32s %7.3f %6.2f %8s%s\n", name, least[name], ratio, kind[name] == "must" ? budget[name] : "-", over ? "  OVER" : ""
      }
      exit failed
    }' "$work/samples"
}

rounds "${ROUNDS:-3}"
if ! report > "$work/report"; then # perhaps the machine was busy
  { echo 'base base 0'; awk '$NF == "OVER" { print $1, "must", $4 }' "$work/report"; } > "$work/units"
  rounds $((2 * ${ROUNDS:-3}))
  report > "$work/report" || failed=1
fi
cat "$work/report"
exit "${failed:-0}"
