#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# timing_peer.sh TOOL CORPUS [OUT]: the cycles of `simtflow-lab time` under pdom (TOOL) beside the cycles of GPGPU-Sim 4
# that CORPUS/timing-peer.csv holds, on gtx480 and quadro_fx5800_plus_caches, with its registers of a thread. Prints for
# each machine a line for each kernel, then the rank correlation of cycles, the geometric mean of ours over the peer's,
# and the kernels outside 0.5 .. 2. OUT: a folder that keeps our CSV files; a file that is there is not made again.
set -eu

[ $# -ge 2 ] || { echo "usage: timing_peer.sh TOOL CORPUS [OUT]" >&2; exit 2; }
tool=$1
peer=$2/timing-peer.csv
[ -f "$peer" ] || { echo "timing_peer: skipped: no $peer"; exit 0; }
out=${3:-$(mktemp -d)}
[ $# -ge 3 ] || trap 'rm -rf "$out"' EXIT
mkdir -p "$out"
kernels=$(cd "$(dirname "$0")/../examples/kernels" && pwd)

compare() {
  ours=$out/$2.csv
  [ -f "$ours" ] || {
    grep "^$1," "$peer" | while IFS=, read -r machine kernel registers rest; do
      "$tool" time "$kernels/$kernel.ptx" --launch "$kernels/$kernel.launch.json" --policy pdom --machine "$2" \
        --registers "$registers" --csv 2> /dev/null | sed "s/^kernel,/file,kernel,/; t; s/^/$kernel,/"
    done | awk 'NR == 1 || !/^file,/' > "$ours.part"
    mv "$ours.part" "$ours"
  }
  echo "$2, registers of a thread as the peer assumes them"
  awk -F, -v machine="$1" '
    function rank(value, n, out,   i, j, below, equal) {
      for (i = 1; i <= n; ++i) {
        below = equal = 0
        for (j = 1; j <= n; ++j) { below += value[j] < value[i]; equal += value[j] == value[i] }
        out[i] = below + (equal + 1) / 2
      }
    }
    FNR == 1 { for (i = 1; i <= NF; ++i) at[NR == FNR, $i] = i; next }
    NR == FNR { if ($1 == machine) { name[++n] = $2; for (i = 1; i <= NF; ++i) peer[$2, i] = $i } next }
    { for (i = 1; i <= NF; ++i) ours[$1, i] = $i; there[$1] = 1 }
    function p(k, what) { return peer[k, at[1, what]] }
    function o(k, what) { return ours[k, at[0, what]] }
    END {
      form = "%-24s %10s %10s %6s %11s %11s %9s %9s %9s %9s\n"
      printf form, "kernel", "peer", "ours", "ratio", "peer instr", "instr", "peer L1", "L1", "peer L2", "L2"
      for (k = 1; k <= n; ++k) {
        if (!there[name[k]]) { printf "%-24s no run of ours\n", name[k]; continue }
        a = p(name[k], "cycles"); b = o(name[k], "cycles")
        printf form, name[k], a, b, sprintf("%.2f", b / a), p(name[k], "warp_instructions"),
          o(name[k], "warp_instructions"), p(name[k], "l1_accesses"), o(name[k], "l1_accesses"),
          p(name[k], "l2_accesses"), o(name[k], "l2_accesses")
        x[++m] = a; y[m] = b; logs += log(b / a)
        if (b / a < 0.5 || b / a > 2) outside = outside " " name[k]
      }
      rank(x, m, rx); rank(y, m, ry)
      for (k = 1; k <= m; ++k) { mx += rx[k] / m; my += ry[k] / m }
      for (k = 1; k <= m; ++k) { xy += (rx[k] - mx) * (ry[k] - my); xx += (rx[k] - mx) ^ 2; yy += (ry[k] - my) ^ 2 }
      printf "%d kernels; rank correlation %.3f; geometric mean of ratios %.3f; outside 0.5 .. 2:%s\n\n", m,
        xy / sqrt(xx * yy), exp(logs / m), outside == "" ? " none" : outside
    }' "$peer" "$ours"
}
compare gtx480 gtx480
compare fx5800_l1l2 quadro_fx5800_plus_caches
