#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# timing_peer.sh TOOL CORPUS [OUT]: the cycles of `simtflow-lab time` under pdom (TOOL) beside the cycles of GPGPU-Sim 4
# that CORPUS/timing-peer.csv holds, with its registers of a thread. Two tables for each of two machines: the shipped
# one, and one with the peer's ways where they differ. Prints for each table a line for each kernel, then the rank
# correlation of cycles, the geometric mean of ours over the peer's, and the kernels outside 0.5 .. 2. OUT: a folder
# that keeps our CSV files; a file that is there is not made again.
set -eu

[ $# -ge 2 ] || { echo "usage: timing_peer.sh TOOL CORPUS [OUT]" >&2; exit 2; }
tool=$1
peer=$2/timing-peer.csv
[ -f "$peer" ] || { echo "timing_peer: skipped: no $peer"; exit 0; }
out=${3:-$(mktemp -d)}
[ $# -ge 3 ] || trap 'rm -rf "$out"' EXIT
mkdir -p "$out"
kernels=$(cd "$(dirname "$0")/../examples/kernels" && pwd)

# The peer's ways on both machines: a change of our machine in each line, and the cause.
caches='
coherence.copies=l2               # copies from the host fill the L2
coherence.volatiles=l1            # a volatile load hits in the L1 as any other load
'
# Its machine fx5800_l1l2: its own pipeline, and the caches of its gtx480 in other sizes.
pipeline='
core.scoreboard=registers         # an instruction waits for its registers, not for the instruction before it
core.branch_resolve=2             # a branch empties the instruction buffer: a cycle to fetch, one to decode
core.block_priority=none          # warps take turns whatever their thread block
units.sp.lanes=0                  # eight lanes are stated by initiation: only arithmetic takes four cycles,
operations.int_add.initiation=4   # moves, logic, compares and branches take one
operations.int_max.initiation=4
operations.int_mul.initiation=4
operations.int_mad.initiation=4
operations.fp_add.initiation=4
operations.fp_max.initiation=4
operations.fp_mul.initiation=4
operations.fp_mad.initiation=4
units.memory.number=1             # loads and stores have a unit of their own
operations.load.unit=memory
operations.store.unit=memory
operations.atomic.unit=memory
units.special.number=1            # so have divisions and functions, as on its gtx480
operations.int_div.unit=special
operations.int_div.initiation=8
operations.fp_div.unit=special
operations.fp_div.initiation=4
operations.special.unit=special
operations.special.latency=8
operations.special.initiation=8
instruction.size=2048             # 2 KB of instructions in a core, from the L2; the paper has none that miss
instruction.ways=4
instruction.latency=0
instruction.mshrs=2
instruction.merges=32
instruction.miss_queue=4
l1.line=128                       # 32 KB in lines of 128 bytes, 4 ways: it has no lines of 64
l1.ways=4
l2.line=128                       # the same in the L2, in sectors of 32 bytes
l2.sector=32
'

# compare PEER'S_MACHINE OUR_MACHINE TITLE [FIELD=VALUE ...]
compare() {
  theirs=$1 machine=$2 title=$3
  shift 3
  ours=$out/$machine${1:+-changed}.csv
  sets=
  for change; do sets="$sets --set $change"; done
  [ -f "$ours" ] || {
    grep "^$theirs," "$peer" | while IFS=, read -r _ kernel registers rest; do
      # shellcheck disable=SC2086 # fields and values have no spaces
      "$tool" time "$kernels/$kernel.ptx" --launch "$kernels/$kernel.launch.json" --policy pdom --machine "$machine" \
        --registers "$registers" $sets --csv 2> /dev/null | sed "s/^kernel,/file,kernel,/; t; s/^/$kernel,/"
    done | awk 'NR == 1 || !/^file,/' > "$ours.part"
    mv "$ours.part" "$ours"
  }
  echo "$title"
  awk -F, -v machine="$theirs" '
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
      form = "%-24s %9s %9s %6s %11s %9s %9s %9s %9s %9s %9s %9s\n"
      printf form, "kernel", "peer", "ours", "ratio", "peer instr", "instr", "peer L1", "L1", "missed", "missed",
        "peer L2", "L2"
      for (k = 1; k <= n; ++k) {
        if (!there[name[k]]) { printf "%-24s no run of ours\n", name[k]; continue }
        a = p(name[k], "cycles"); b = o(name[k], "cycles")
        printf form, name[k], a, b, sprintf("%.2f", b / a), p(name[k], "warp_instructions"),
          o(name[k], "warp_instructions"), p(name[k], "l1_accesses"), o(name[k], "l1_accesses"),
          p(name[k], "l1_misses"), o(name[k], "l1_misses"), p(name[k], "l2_accesses"), o(name[k], "l2_accesses")
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
without_causes() { echo "$1" | sed 's/#.*//'; }

compare gtx480 gtx480 "gtx480, as it is shipped: the target's table"
# shellcheck disable=SC2046 # each change is a word
compare gtx480 gtx480 "gtx480, caches in the peer's ways" $(without_causes "$caches")
compare fx5800_l1l2 quadro_fx5800_plus_caches "quadro_fx5800_plus_caches, as it is shipped: the paper's machine to the letter"
# shellcheck disable=SC2046
compare fx5800_l1l2 quadro_fx5800_plus_caches \
  "quadro_fx5800_plus_caches, caches and pipeline in the peer's ways: the target's table" \
  $(without_causes "$caches$pipeline")
