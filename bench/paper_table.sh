#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# paper_table.sh TOOL [OUT [KERNELS]]: the figures of the thread block compaction paper (HPCA 2011, section 6) beside
# figures of `simtflow-lab suite --time` (TOOL) at bench size on quadro_fx5800_plus_caches. KERNELS, separated by
# commas: without it the counterparts of the paper's programs. OUT: a folder that keeps our CSV files; a file that is
# there is not made again. Prints
#   - paper, ours, ours over the paper's, and whether ours is in the range that is expected of kernels of our own
#   - a line for each kernel, DIVG if its SIMD efficiency under pdom is below 0.76 (section 2.2.2), else COHE; lanes
#     that a warp does not start with do not count, as in the paper (NNC)
#   - where the cycles went, in % of pdom's scheduler-cycles (the bars of Figures 13 and 14)
# TBC has likely convergence points; DWF and DWF-WB form warps over a core by majority. The paper's DWF-WB over PDOM is
# 1.22 / 1.06. Figures without a number are in no text of the paper. About six minutes on one core.
set -eu

[ $# -ge 1 ] || { echo "usage: paper_table.sh TOOL [OUT [KERNELS]]" >&2; exit 2; }
tool=$1
out=${2:-$(mktemp -d)}
[ $# -ge 2 ] || trap 'rm -rf "$out"' EXIT
mkdir -p "$out"
folder=$(cd "$(dirname "$0")/../examples/kernels" && pwd)
# bfs is BFS2, face_detection FCDT, hotspot HOTSP, laplace_3d LPS, suffix_tree MUM, nonbonded NAMD, ray_queue NVRT;
# aes AES, back_propagation BACKP, coulomb_potential CP, heart_wall HRTWL, libor LIB, merge_sort MGST, neural_net NNC,
# ray_caster RAY, stream_cluster STMCL, weather WP.
all=${3:-bfs,face_detection,hotspot,laplace_3d,suffix_tree,nonbonded,ray_queue,aes,back_propagation,coulomb_potential,\
heart_wall,libor,merge_sort,neural_net,ray_caster,stream_cluster,weather}

# Each launch has thread blocks, and warps that start with so many lanes in the mean (neural_net: 16).
size() { sed -n 's/.*"'"$2"'": *\[\([0-9, ]*\)\].*/\1/p' "$folder/$1.bench.launch.json" | tr , '*' | tr -d ' '; }
for kernel in $(echo "$all" | tr , ' '); do
  threads=$(($(size "$kernel" block)))
  echo "$kernel,$(($(size "$kernel" grid))),$((threads / ((threads + 31) / 32)))"
done > "$out/launches"

# timed NAME MACHINE PRIORITY KERNELS POLICY: makes OUT/NAME.csv.
timed() {
  [ -f "$out/$1.csv" ] && return
  status=0
  "$tool" suite "$folder" --time --size bench --kernels "$4" --policy "$5" --machine "$2" \
    --set core.block_priority="$3" --csv="$out/$1.part" > "$out/$1.txt" 2> "$out/$1.err" || status=$?
  if [ $status -gt 1 ] || [ ! -f "$out/$1.part" ]; then
    cat "$out/$1.err" >&2
    exit 2
  fi
  mv "$out/$1.part" "$out/$1.csv"
}
machine=quadro_fx5800_plus_caches
timed pdom $machine age "$all" pdom
diverge=$(awk -F, 'FILENAME ~ /launches$/ { lanes[$1] = $3; next }
  FNR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["thread_instructions"] < 0.76 * lanes[$1] * $at["warp_instructions"] { printf "%s%s", comma, $1; comma = "," }
  ' "$out/launches" "$out/pdom.csv")
[ -n "$diverge" ] || { echo "paper_table: no divergent kernel" >&2; exit 2; }
timed tbc $machine age "$all" tbc-lcp
timed pdom_small ${machine}_small_l2 age "$diverge" pdom
timed tbc_small ${machine}_small_l2 age "$diverge" tbc-lcp
timed tbc_small_rrb ${machine}_small_l2 round_robin "$diverge" tbc-lcp
timed tbc_static $machine age "$diverge" tbc-lcp:mode=static
timed tbc_rrb $machine round_robin "$all" tbc-lcp
timed tbc_srr $machine sticky_round_robin "$all" tbc-lcp
timed pdom_turns $machine none "$diverge" pdom
timed dwf_barrier $machine age "$diverge" dwf-barrier-core
timed dwf $machine age "$diverge" dwf-core
timed dwf_small ${machine}_small_l2 age "$diverge" dwf-core

awk -F, '
  FILENAME ~ /launches$/ { grid[$1] = $2; lanes[$1] = $3; next }
  FNR == 1 {
    run = FILENAME
    sub(/.*\//, "", run)
    sub(/\.csv$/, "", run)
    for (i = 1; i <= NF; ++i) { at[$i] = i; name[i] = $i }
    next
  }
  {
    for (i = 1; i <= NF; ++i) value[run, $1, name[i]] = $i
    if (run == "pdom") { kernel[++n] = $1; simd[$1] = $at["thread_instructions"] / lanes[$1] / $at["warp_instructions"] }
  }
  function get(run, k, what) { return value[run, k, what] }
  function fast(run, base, k,   a, b) {
    a = get(run, k, "cycles")
    b = get(base, k, "cycles")
    return a == "" || b == "" ? "" : b / a
  }
  # The harmonic mean over a set of kernels of how many times as fast a run is; counts them in `number`.
  function mean(set, run, base,   i, sum, x) {
    number = sum = 0
    for (i = 1; i <= n; ++i)
      if (set == "" || set == kind(kernel[i])) {
        x = fast(run, base, kernel[i])
        if (x != "") { sum += 1 / x; ++number }
      }
    return number == 0 ? "" : number / sum
  }
  function kind(k) { return simd[k] < 0.76 ? "DIVG" : "COHE" }
  function bytes(run, k) { return get(run, k, "bytes_core_to_l2") + get(run, k, "bytes_l2_to_core") }
  function row(what, paper, ours, low, high) {
    if (ours == "") { printf "%-44s %7s %7s\n", what, paper, "-"; return }
    printf "%-44s %7s %7.3f %7s  %-12s %-3s %d kernels\n", what, paper, ours,
      paper + 0 == 0 ? "-" : sprintf("%.3f", ours / paper), low " .. " high,
      (ours >= low && (high == "" || ours <= high) ? "yes" : "NO"), number
  }
  function show(x) { return x == "" ? "-" : sprintf("%.3f", x) }
  END {
    printf "%-44s %7s %7s %7s  %-12s %s\n", "harmonic means of speed", "paper", "ours", "ratio", "expected", "in range"
    gain = mean("DIVG", "tbc", "pdom")
    row("DIVG: TBC over PDOM", 1.22, gain, 1.12, 1.32)
    row("DIVG: DWF over PDOM", 1.04, mean("DIVG", "dwf", "pdom"), 0.95, 1.15)
    row("DIVG: DWF-WB over PDOM", 1.15, mean("DIVG", "dwf_barrier", "pdom"), 1, "")
    row("DIVG: TBC over DWF-WB", 1.06, mean("DIVG", "tbc", "dwf_barrier"), 1, 1.15)
    row("COHE: TBC over PDOM", 1.00, mean("COHE", "tbc", "pdom"), 0.98, "")
    row("all: TBC over PDOM", 1.10, mean("", "tbc", "pdom"), 1, "")
    for (i = 1; i <= n; ++i)
      if (get("tbc", kernel[i], "cycles") != "") { traffic += bytes("tbc", kernel[i]) / bytes("pdom", kernel[i]); ++m }
    number = m
    row("all: bytes core <-> L2, TBC over PDOM", 1.07, traffic / m, 0.9, 1.1)
    limit = sprintf("%.3f", gain)
    row("DIVG, L2 of 128 KB: TBC (AGE) over PDOM", 1.135, mean("DIVG", "tbc_small", "pdom_small"), 0, limit)
    row("DIVG, L2 of 128 KB: TBC (RRB) over PDOM", 1.15, mean("DIVG", "tbc_small_rrb", "pdom_small"), 0, limit)
    row("DIVG, L2 of 128 KB: DWF over PDOM", "-", mean("DIVG", "dwf_small", "pdom_small"), 0, "")
    row("all: TBC with AGE over TBC with RRB", "-", mean("", "tbc", "tbc_rrb"), 1, "")
    row("all: TBC with AGE over TBC with SRR", "-", mean("", "tbc", "tbc_srr"), 1, "")
    number = 1
    if ((x = fast("tbc_rrb", "tbc", "stream_cluster")) != "") {
      row("stream_cluster: TBC with RRB over AGE", "-", x, 0, 1)
      row("stream_cluster: TBC with RRB over SRR", "-", fast("tbc_rrb", "tbc_srr", "stream_cluster"), 0, 1)
    }
    row("DIVG: PDOM in AGE over PDOM in turns", "-", mean("DIVG", "pdom", "pdom_turns"), 0, "")
    row("DIVG: TBC without packing over PDOM", "-", mean("DIVG", "tbc_static", "pdom"), 0, "")

    printf "\n%-18s %-4s %5s %6s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "speed over PDOM", "set", "SIMD", "blocks", "instr",
      "TBC", "unpack", "DWF", "DWF-WB", "TBC RRB", "TBC SRR", "128 KB", "bytes"
    for (pass = 0; pass < 2; ++pass)
      for (i = 1; i <= n; ++i) {
        k = kernel[i]
        if (kind(k) != (pass == 0 ? "DIVG" : "COHE")) continue
        printf "%-18s %-4s %5.3f %6.1f %7.3f %7s %7s %7s %7s %7s %7s %7s %7.3f\n", k, kind(k), simd[k], grid[k] / 30,
          get("pdom", k, "warp_instructions") / get("tbc", k, "warp_instructions"),
          show(fast("tbc", "pdom", k)), show(fast("tbc_static", "pdom", k)),
          show(fast("dwf", "pdom", k)), show(fast("dwf_barrier", "pdom", k)),
          show(fast("tbc_rrb", "pdom", k)), show(fast("tbc_srr", "pdom", k)),
          show(fast("tbc_small", "pdom_small", k)), bytes("tbc", k) / bytes("pdom", k)
      }
    print "blocks: thread blocks of the launch over cores. instr: warp instructions of PDOM over those of TBC. unpack: TBC\n" \
      "that waits and does not pack. 128 KB: TBC over PDOM with the small L2. bytes: core <-> L2, TBC over PDOM."

    printf "\n%-18s %-17s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "% of PDOM cycles", "", "W1-16", "W17-32", "unit",
      "stall", "W0 mem", "score", "barr", "reconv", "idle"
    split("pdom tbc dwf dwf_barrier", shown, " ")
    for (pass = 0; pass < 2; ++pass)
      for (i = 1; i <= n; ++i) {
        k = kernel[i]
        if (kind(k) != (pass == 0 ? "DIVG" : "COHE")) continue
        for (p = 1; p <= (pass == 0 ? 4 : 2); ++p) {
          if (get(shown[p], k, "cycles") == "") continue
          whole = get("pdom", k, "scheduler_cycles") / 100
          low = get(shown[p], k, "issued_quarter_1") + get(shown[p], k, "issued_quarter_2")
          stalls = get(shown[p], k, "stall_bank_conflict") + get(shown[p], k, "stall_coalescing") + \
            get(shown[p], k, "stall_mshr") + get(shown[p], k, "stall_queue") + get(shown[p], k, "stall_interconnect")
          printf "%-18s %-17s %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f\n", p == 1 ? k : "", shown[p], low / whole,
            (get(shown[p], k, "issued") - low) / whole, get(shown[p], k, "stall_unit") / whole, stalls / whole,
            get(shown[p], k, "memory") / whole, get(shown[p], k, "scoreboard") / whole,
            get(shown[p], k, "barrier") / whole, get(shown[p], k, "reconvergence") / whole,
            get(shown[p], k, "idle") / whole
        }
      }
  }' "$out/launches" "$out"/*.csv
sed -n '/^[a-z0-9_]*: .*left out, /s|'"$folder"'/||p' "$out"/*.txt | sort -u
