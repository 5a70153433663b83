#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# include_cost.sh INCLUDE_DIR COMPILER [MOST]: what including a header costs, as a multiple of <vector> plus <span>.
#
# The cost is what the compiler proper executes for `-fsyntax-only`, in instructions, counted by valgrind: the same
# number at every run on one machine, however busy it is, so the budgets hold without slack. Measured are fwd.hpp, the
# umbrella header, any_policy.hpp, and of each folder the public header that is the longest with all of the library that
# it includes.
# With MOST the MOST longest are measured, and the folders of PTX and io and the policy factory too, which take longer.
# Another compiler or standard library has other ratios: the budgets are for g++ 12; with any other the table is printed
# and nothing fails. A header takes 5 to 15 seconds.
set -eu

[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: include_cost.sh INCLUDE_DIR COMPILER [MOST]" >&2; exit 2; }
include_dir=$1
compiler=$2
most=${3:-1}
all=${3:+1}
command -v valgrind > /dev/null || { echo "skipped: no valgrind"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions INCLUDE...: of one translation unit that includes them. The compiler proper is the last command that the
# driver would run; it prints that with quotes where a shell needs them.
instructions() {
  printf '#include <%s>\n' "$@" > "$work/unit.cpp"
  proper=$("$compiler" -std=c++20 -fsyntax-only "-I$include_dir" "$work/unit.cpp" '-###' 2>&1 | grep '^ ' | tail -n 1)
  eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null $proper" > "$work/said" 2>&1 ||
    { cat "$work/said" >&2; exit 1; }
  sed -n 's/.*I *refs: *//p' "$work/said" | tr -d ,
}

# largest FOLDER: the headers below it that are the longest text with all of the library that they include.
largest() {
  (cd "$include_dir" && find simtflow -name '*.hpp' -exec awk '
      function reach(header, of, i) {
        if (seen[header] == of) return 0
        seen[header] = of
        for (i = 1; i <= includes[header]; ++i) reach(included[header, i], of)
        total += length_of[header]
      }
      FNR == 1 { all[++files] = FILENAME }
      { length_of[FILENAME] += length($0) + 1 }
      /^#include <simtflow\// { split($2, name, /[<>]/); included[FILENAME, ++includes[FILENAME]] = name[2] }
      END { for (i = 1; i <= files; ++i) { total = 0; reach(all[i], all[i]); print total, all[i] } }' {} +) |
    awk -v folder="simtflow/$1/" 'index($2, folder) == 1 && $2 !~ /\/detail\/|\/policy_|\/any_policy\.hpp$/' |
    sort -rn | awk -v most="$most" 'NR <= most { print $2 }'
}

budgets_count=0
case $("$compiler" --version | head -n 1) in *clang*) ;; *) [ "$("$compiler" -dumpversion)" != 12 ] || budgets_count=1 ;; esac
[ "$budgets_count" = 1 ] || echo "the budgets are for g++ 12: nothing fails here"
base=$(instructions vector span)
printf '%-44s %8s %6s %7s\n' include millions ratio budget
printf '%-44s %8d %6s %7s\n' '<vector> <span>' "$((base / 1000000))" 1 -
failed=0

# measure BUDGET HEADER: a line of the table.
measure() {
  cost=$(instructions "$2")
  over=$(awk -v c="$cost" -v b="$base" -v most="$1" 'BEGIN { print (c > most * b ? "  OVER" : "") }')
  ratio=$(awk -v c="$cost" -v b="$base" 'BEGIN { printf "%.2f", c / b }')
  printf '%-44s %8d %6s %7s%s\n' "$2" "$((cost / 1000000))" "$ratio" "$1" "$over"
  [ -z "$over" ] || failed=$budgets_count
}

measure 0.2 simtflow/fwd.hpp
measure 2.6 simtflow/simtflow.hpp
# Each folder with its budget.
folders="graph:1.6 analysis:2.3 simt:2.3 align:2.3 transform:3.6"
[ -z "$all" ] || folders="$folders ptx/text:7 ptx/machine:10.5 ptx/decode:11 ptx/transform:16 io:6.5"
for budgeted in $folders; do
  for header in $(largest "${budgeted%:*}"); do measure "${budgeted#*:}" "$header"; done
done
measure 2.8 simtflow/simt/any_policy.hpp
[ -z "$all" ] || measure 17 simtflow/simt/policy_factory.hpp
exit "$failed"
