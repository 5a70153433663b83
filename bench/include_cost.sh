#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# include_cost.sh INCLUDE_DIR COMPILER: what including a header costs, as a multiple of <vector> plus <span>.
#
# The cost is the CPU time (user + system) of `-fsyntax-only`: the smallest of ROUNDS interleaved samples of REPEATS
# compilations each, because load on the machine only ever adds. A unit marked `must` fails the script when it exceeds its
# budget; the others are goals. The umbrella header holds what a first program needs.
set -eu

include_dir=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# unit NAME must|goal BUDGET INCLUDE...: one translation unit; a folder stands for every header below it.
unit() {
  name=$1 kind=$2 budget=$3
  shift 3
  for what; do
    if [ -d "$include_dir/$what" ]; then
      (cd "$include_dir" && find "$what" -name '*.hpp' | sort)
    else
      echo "$what"
    fi
  done | sed 's/.*/#include <&>/' > "$work/$name.cpp"
  echo "$name $kind $budget" >> "$work/units"
}
unit base goal 1 vector span
unit fwd must 0.2 simtflow/fwd.hpp
unit graph goal 1.5 simtflow/graph
unit dominators must 2 simtflow/analysis/dominators.hpp
unit analysis goal 2 simtflow/analysis
unit simt goal 2 simtflow/simt
unit umbrella must 3 simtflow/simtflow.hpp

round=0
while [ "$round" -lt "${ROUNDS:-5}" ]; do
  while read -r name kind budget; do
    # The second line of `times` is the CPU time of the finished children, "0m1.25s 0m0.5s".
    times > "$work/before"
    i=0
    while [ "$i" -lt "${REPEATS:-3}" ]; do
      "$compiler" -std=c++20 -fsyntax-only "-I$include_dir" "$work/$name.cpp"
      i=$((i + 1))
    done
    times > "$work/after"
    tail -qn 1 "$work/before" "$work/after" | tr 'ms' '  ' | tr '\n' ' ' >> "$work/samples"
    echo "$name $kind $budget" >> "$work/samples"
  done < "$work/units"
  round=$((round + 1))
done

awk -v repeats="${REPEATS:-3}" '
  {
    seconds = (60 * ($5 + $7 - $1 - $3) + $6 + $8 - $2 - $4) / repeats
    if (!($9 in least)) order[++units] = $9
    if (!($9 in least) || seconds < least[$9]) least[$9] = seconds
    kind[$9] = $10
    budget[$9] = $11
  }
  END {
    printf "%-12s %7s %6s %12s\n", "include", "CPU s", "ratio", "budget"
    for (i = 1; i <= units; ++i) {
      name = order[i]
      ratio = least[name] / least["base"]
      over = ratio > budget[name]
      if (over && kind[name] == "must") failed = 1
      printf "%-12s %7.3f %6.2f %7s %4.1f%s\n", name, least[name], ratio, kind[name], budget[name], over ? "  OVER" : ""
    }
    exit failed
  }' "$work/samples"
