#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# plots.sh BENCH_DIR TOOL OUT: runs policies_bench and kernels_bench (in BENCH_DIR) and `simtflow-lab suite` (TOOL) on
# the launches of bench size, writes their CSV into OUT, and draws from it with gnuplot:
#   policies.svg   executed blocks a second under each policy
#   kernels.svg    warp and thread instructions a second of whole kernels
#   suite.svg      warp instructions, overhead included, of each kernel under each policy, over PDOM's; no time is in it
# Needs ten minutes on a quiet machine; a CSV that is there is drawn as it is, so that pictures can be drawn again.
set -eu

[ $# -eq 3 ] || { echo "usage: plots.sh BENCH_DIR TOOL OUT" >&2; exit 2; }
bench=$1
tool=$2
out=$3
cd "$(dirname "$0")/.."
command -v gnuplot > /dev/null || { echo "plots: needs gnuplot" >&2; exit 1; }
mkdir -p "$out"

# The value of a counter of each benchmark: counter CSV COLUMN prints "name value".
counter() {
  awk -F, -v column="$2" '
    /^name,/ { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); if ($i == column) at = i } next }
    at && $at != "" { gsub(/"/, "", $1); print $1, $at }' "$1"
}

# measure FILE COMMAND...: has COMMAND write FILE.csv, unless it is there from an earlier run.
measure() {
  csv="$out/$1.csv"
  shift
  [ -f "$csv" ] && return
  "$@" "$csv.part" > /dev/null
  mv "$csv.part" "$csv"
}
kept() { "$bench/$1" "$2" --benchmark_out_format=csv --benchmark_out="$3"; }

suite_rows() { "$tool" suite --tables --size bench --policy pdom,tf-sandy,tf,dwf-barrier,tbc --csv="$1"; }

measure policies kept policies_bench --benchmark_filter='^[^/]+/[^/]+$'
measure kernels kept kernels_bench --benchmark_filter=.
measure suite suite_rows

counter "$out/policies.csv" steps | awk '{ sub(/^.*\//, "", $1); gsub(/_/, " ", $1); printf "\"%s\" %s\n", $1, $2 / 1e6 }' \
  > "$out/policies.dat"
# A kernel's row: its name, then millions of warp and of thread instructions a second under pdom, and both under tf.
{ counter "$out/kernels.csv" warp/s; counter "$out/kernels.csv" thread/s; } | awk '
  { split($1, part, "/"); at = part[1] SUBSEP part[2]; if (!(part[1] in seen)) { seen[part[1]] = 1; order[++kernels] = part[1] } }
  at in warp { thread[at] = $2 / 1e6; next }
  { warp[at] = $2 / 1e6 }
  END {
    for (k = 1; k <= kernels; ++k) {
      name = order[k]
      row = warp[name, "pdom"] " " thread[name, "pdom"] " " warp[name, "tf"] " " thread[name, "tf"]
      gsub(/_/, " ", name)
      print "\"" name "\" " row
    }
  }' > "$out/kernels.dat"
# A kernel's row: its name, then the multiple for tf-sandy, tf, dwf-barrier, tbc; "-" where a run did not finish.
awk -F, '
  /^kernel,/ { for (i = 1; i <= NF; ++i) if ($i == "verdict") verdict = i; next }
  !($1 in seen) { seen[$1] = 1; order[++kernels] = $1 }
  $verdict == "finished" { count[$1, $2] = $3 + $4 } # with overhead
  END {
    policies = split("tf-sandy tf dwf-barrier tbc", policy, " ")
    for (k = 1; k <= kernels; ++k) {
      name = order[k]
      if (!((name, "pdom") in count)) continue
      row = ""
      for (p = 1; p <= policies; ++p) {
        has = (name, policy[p]) in count
        row = row " " (has ? count[name, policy[p]] / count[name, "pdom"] : "-")
      }
      gsub(/_/, " ", name)
      print "\"" name "\"" row
    }
  }' "$out/suite.csv" > "$out/suite.dat"

# height ROWS: of a picture with that many rows.
height() { echo $(($(wc -l < "$1") * $2 + 90)); }

gnuplot << EOF
set datafile missing "-"
set style fill solid noborder
set grid xtics lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror
set yrange [*:*] reverse
set key outside top center horizontal samplen 1 width -2
set offsets 0, 0, 0.6, 0.6

set terminal svg size 760,$(height "$out/policies.dat" 20) font "sans-serif,12" background "white"
set output "$out/policies.svg"
set xlabel "million executed blocks a second"
set xrange [0:*]
set boxwidth 0.7
plot "$out/policies.dat" using (\$2/2):0:(\$2/2):(0.35):yticlabels(1) with boxxyerror lc rgb "#0072b2" notitle

set output "$out/kernels.svg"
set terminal svg size 760,$(height "$out/kernels.dat" 18) font "sans-serif,12" background "white"
set xlabel "million instructions a second (more is better)"
set logscale x
set xrange [5:5000]
set grid ytics lc rgb "#eeeeee"
plot "$out/kernels.dat" using 2:0:yticlabels(1) with points pt 5 ps 0.8 lc rgb "#0072b2" title "warp, pdom", \\
     "" using 4:0 with points pt 4 ps 0.8 lc rgb "#0072b2" title "warp, tf", \\
     "" using 3:0 with points pt 7 ps 0.8 lc rgb "#e69f00" title "thread, pdom", \\
     "" using 5:0 with points pt 6 ps 0.8 lc rgb "#e69f00" title "thread, tf"

set output "$out/suite.svg"
set terminal svg size 760,$(height "$out/suite.dat" 18) font "sans-serif,12" background "white"
set xlabel "warp instructions as a multiple of PDOM's (less is better)"
set xrange [0.1:10]
set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb "#555555"
plot "$out/suite.dat" using 2:0:yticlabels(1) with points pt 4 ps 0.8 lc rgb "#56b4e9" title "tf-sandy", \\
     "" using 3:0 with points pt 5 ps 0.8 lc rgb "#0072b2" title "tf", \\
     "" using 4:0 with points pt 8 ps 0.9 lc rgb "#cc79a7" title "dwf-barrier", \\
     "" using 5:0 with points pt 7 ps 0.8 lc rgb "#e69f00" title "tbc"
EOF
rm -f "$out/policies.dat" "$out/kernels.dat" "$out/suite.dat"
