#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# registers.sh TOOL [FILES]: the register estimate of simtflow-lab (TOOL) beside the registers that ptxas -v reports:
# the shipped kernels as they are for sm_75, sm_80 and sm_90, and after each transform that changes them for sm_75.
# FILES, names without .ptx separated by blanks: without it all. PTXAS: another ptxas than the one in the path.
#
# Prints a line of CSV for each kernel and transform. Then it prints the mean error of the estimate for kernels as they
# are, and how often the estimate changes in the same direction as ptxas, among the cases where ptxas changes at all
# and among those where it changes by three registers or more. About a minute on one core.
set -eu

[ $# -ge 1 ] || { echo "usage: registers.sh TOOL [FILES]" >&2; exit 2; }
tool=$1
here=$(cd "$(dirname "$0")/.." && pwd)
files=${2:-$(cd "$here/examples/kernels" && for file in *.ptx; do echo "${file%.ptx}"; done)}
ptxas=${PTXAS:-ptxas}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# by_ptxas CODE KERNEL ARCHITECTURE: the registers of a thread.
by_ptxas() {
  "$ptxas" -v "-arch=sm_$3" "$1" -o "$work/cubin" > "$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
  awk -v kernel="'$2'" '/Compiling entry function/ { found = index($0, kernel) != 0 }
    /Used [0-9]+ registers/ && found { sub(/.*Used /, ""); print $1; exit }' "$work/said"
}

# estimated COLUMN: of the report of a transform, before (3) or after (4).
estimated() {
  awk -v column="$1" '/^estimated registers/ { print $column }' "$work/report"
}

echo "kernel,transform,sm,ptxas,ptxas_after,estimate,estimate_after" > "$work/rows"
for file in $files; do
  code=$here/examples/kernels/$file.ptx
  for kernel in $(sed -n 's/.*\.entry[ \t]*\([A-Za-z0-9_$]*\).*/\1/p' "$code"); do
    "$tool" transform "$code" --kernel "$kernel" --fix-irreducible > "$work/report"
    for sm in 90 80 75; do
      before=$(by_ptxas "$code" "$kernel" $sm)
      echo "$kernel,,$sm,$before,,$(estimated 3)," >> "$work/rows"
    done
    for transform in "--linearize --always" "--struct --most-copies 2000" --unify-exits "--hub unstructured" \
      --merge-loops=all "--stack-depth 2" --meld --fuse --tail-merge; do
      # shellcheck disable=SC2086
      "$tool" transform "$code" --kernel "$kernel" $transform --no-proof -o "$work/after.ptx" > "$work/report" || {
        [ $? -eq 1 ] && continue  # it cannot be done
        exit 1
      }
      grep -q '^nothing had to be changed' "$work/report" && continue
      after=$(by_ptxas "$work/after.ptx" "$kernel" 75)
      echo "$kernel,$transform,75,$before,$after,$(estimated 3),$(estimated 4)" >> "$work/rows"
    done
  done
done
cat "$work/rows"
awk -F, 'function size(x) { return x < 0 ? -x : x }
  function told(name) {
    printf "%s: same direction in %d of %d, in %d of %d where ptxas changes by 3 or more\n", name, same[name] + 0,
      all[name] + 0, large_same[name] + 0, large[name] + 0
  }
  NR == 1 { next }
  $2 == "" { ++kernels[$3]; error[$3] += size($6 - $4) / $4; next }
  $4 != $5 {
    good = ($5 - $4) * ($7 - $6) > 0
    if (!($2 in all)) order[++count] = $2
    split($2 "|every transform", names, "|")
    for (i = 1; i <= 2; ++i) {
      ++all[names[i]]
      same[names[i]] += good
      if (size($5 - $4) >= 3) { ++large[names[i]]; large_same[names[i]] += good }
    }
  }
  END {
    print ""
    for (sm = 75; sm <= 90; sm += 5)
      if (sm in kernels) printf "sm_%d: mean error %.1f %% of %d kernels\n", sm, 100 * error[sm] / kernels[sm], kernels[sm]
    for (i = 1; i <= count; ++i) told(order[i])
    told("every transform")
  }' "$work/rows"
