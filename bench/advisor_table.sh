#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# advisor_table.sh TOOL [OPTION...]: how good the predictions of `simtflow-lab advise` are. Runs `advise --check` with
# the options on every shipped kernel (KERNELS: only these) at test size and compares predictions with measurements.
#
# Prints two tables in Markdown. First, for mechanisms, transforms and both together: kernels; kernels where what is
# ranked first is within 5 % of the best that was measured, and where it is the best; the mean place of the first among
# what was measured; recommended rows, and those that cost over 2 % more than the kernel as it is, or end badly. Then,
# by confidence: predicted rows that a run finished, and the mean and the largest error, |predicted / measured - 1|.
# Misses are named on standard error. Nothing is fitted to kernels, so each of them is one that was left out.
# About a minute on one core.
set -eu

[ $# -ge 1 ] || { echo "usage: advisor_table.sh TOOL [OPTION...]" >&2; exit 2; }
tool=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
kernels=${KERNELS:-$(cd "$here/examples/kernels" && for file in *.ptx; do echo "${file%.ptx}"; done)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for kernel in $kernels; do
  "$tool" advise "$here/examples/kernels/$kernel.ptx" --launch "$here/examples/kernels/$kernel.launch.json" \
    --check --csv "$@" > "$work/rows.csv" || { echo "$kernel: advise fails" >&2; exit 1; }
  # Words with commas stand last.
  awk -F, -v kernel="$kernel" 'NR > 1 { print kernel, joined($3), $5, $6 == "" ? "-" : $6, $8 == "" ? "-" : $8, \
      $9, $10 == "" ? "-" : $10, $11 == "" ? "fine" : "bad", $4 }
    function joined(kind) { gsub(/ /, "_", kind); return kind }' "$work/rows.csv" >> "$work/all"
done

awk '
  # kernel kind predicted ratio confidence recommended measured ending name
  function look(kernel, kind, scope) {
    if (kind != "as_it_is" && scope != "both" && kind != scope) return 0
    return 1
  }
  { row[++n] = $0; if (!($1 in known)) { known[$1] = 1; name[++kernels] = $1 } }
  END {
    split("mechanism transform both", scopes, " ")
    print "| ranked | kernels | first within 5 % of the best | first is the best | mean place of the first | " \
          "recommended | of these, cost over 2 % more |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (s = 1; s <= 3; ++s) {
      scope = scopes[s]; near = top = places = good = worse = 0
      for (k = 1; k <= kernels; ++k) {
        kernel = name[k]; least = 1; first = ""
        for (i = 1; i <= n; ++i) {
          split(row[i], f, " ")
          if (f[1] != kernel || !look(kernel, f[2], scope)) continue
          fine = f[7] != "-" && f[8] == "fine"
          if (fine && f[7] < least) { least = f[7]; best = f[9] " " f[10] }
          if (first == "" && f[3] == 1) { first = f[9] " " f[10]; got = fine ? f[7] : 1e9 }
          if (f[6] == 1) {
            ++good
            if (!fine || f[7] > 1.02) { ++worse; if (s == 3) print "worse: " row[i] > "/dev/stderr" }
          }
        }
        place = 1
        for (i = 1; i <= n; ++i) {
          split(row[i], f, " ")
          if (f[1] == kernel && look(kernel, f[2], scope) && f[7] != "-" && f[8] == "fine" && f[7] < got - 1e-9) ++place
        }
        places += place
        if (place == 1) ++top
        if (got <= 1.05 * least) ++near
        else print scope ": " kernel ": first " first " " got ", best " best " " least > "/dev/stderr"
      }
      printf "| %s | %d | %d (%.0f %%) | %d | %.1f | %d | %d |\n", scope == "both" ? "both" : scope "s", kernels, near, \
             100 * near / kernels, top, places / kernels, good, worse
    }
    print ""
    print "| confidence | mechanisms | mean error | largest | transforms | mean error | largest |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; ++i) {
      split(row[i], f, " ")
      if (f[2] == "as_it_is" || f[3] != 1 || f[7] == "-" || f[8] != "fine") continue
      e = f[4] / f[7] - 1; if (e < 0) e = -e
      id = f[5] " " f[2]; ++count[id]; sum[id] += e; if (e > most[id]) most[id] = e
    }
    split("high medium low", trust, " ")
    for (t = 1; t <= 3; ++t) {
      a = trust[t] " mechanism"; b = trust[t] " transform"
      printf "| %s | %d | %.1f %% | %.1f %% | %d | %.1f %% | %.1f %% |\n", trust[t], count[a], \
             count[a] ? 100 * sum[a] / count[a] : 0, 100 * most[a], count[b], count[b] ? 100 * sum[b] / count[b] : 0, \
             100 * most[b]
    }
  }' "$work/all"
