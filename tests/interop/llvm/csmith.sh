#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# csmith.sh FIRST LAST PLUGIN [BIN]: the random programs of Csmith with these seeds do after the passes of PLUGIN what
# they did before. BIN is the folder with clang, opt and lli of the plugin's LLVM, without it /usr/lib/llvm-14/bin. Each
# program is compiled with -O1, and in SSA form without optimization for every second seed. Then it is melded at every
# branch that pays by however little, linearized, and both; it is structured by copies; its loops are merged and its
# stack is limited; it is put under masks. The passes verify the code. Programs print checksums of their variables.
# Programs that run for more than 5 seconds are left out. CSMITH_INCLUDE: the folder of csmith.h.
# In long runs of the tests, with SIMTFLOW_LONG set, LAST is FIRST + 299.
#
# Prints what it found; ends with 1 if a checksum differs, with 77 if there is no csmith.
set -u

[ $# -ge 3 ] || { echo "usage: csmith.sh FIRST LAST PLUGIN [BIN]" >&2; exit 2; }
first=$1
last=$2
[ -z "${SIMTFLOW_LONG:-}" ] || last=$((first + 299))
plugin=$3
bin=${4:-/usr/lib/llvm-14/bin}
include=${CSMITH_INCLUDE:-/usr/include/csmith}
if ! command -v csmith > /dev/null || [ ! -f "$include/csmith.h" ]; then
  echo "skipped: no csmith (Debian: csmith, libcsmith-dev)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 melded=0 slow=0 wrong=0

seed=$first
while [ "$seed" -le "$last" ]; do
  (cd "$work" && csmith --seed "$seed" --max-funcs 5 --max-block-size 5 --jumps > p.c)  # it leaves a file where it runs
  if [ $((seed % 2)) -eq 0 ]; then
    "$bin/clang" -w -O1 -emit-llvm -c -I "$include" "$work/p.c" -o "$work/p.bc"
  else
    "$bin/clang" -w -O0 -Xclang -disable-O0-optnone -emit-llvm -c -I "$include" "$work/p.c" -o "$work/p0.bc" &&
      "$bin/opt" -passes=sroa "$work/p0.bc" -o "$work/p.bc"
  fi || { echo "seed $seed: not compiled"; exit 1; }
  build() {
    "$bin/clang" -w -O0 "$1.bc" -o "$1" && timeout 5 "$1" > "$1.out"
  }
  if ! build "$work/p"; then
    slow=$((slow + 1))
    seed=$((seed + 1))
    continue
  fi
  compared=$((compared + 1))
  "$bin/opt" "-load-pass-plugin=$plugin" '-passes=simtflow-report<threshold=0>' -disable-output "$work/p.bc" \
    > "$work/report"
  melded=$((melded + $(grep -c '^    round ' "$work/report")))
  for passes in 'simtflow-linearize<always>' 'simtflow-struct<blocks=3000>' 'simtflow-meld<threshold=0>' \
    'simtflow-interleave,simtflow-merge-loops,simtflow-linearize,simtflow-stack-depth<4>' 'simtflow-partial<alone>' \
    'simtflow-meld<threshold=0>,simtflow-linearize<always>'; do
    if ! "$bin/opt" "-load-pass-plugin=$plugin" "-passes=$passes,verify" "$work/p.bc" -o "$work/q.bc" 2> "$work/said" ||
      ! build "$work/q" || ! cmp -s "$work/p.out" "$work/q.out"; then
      wrong=$((wrong + 1))
      echo "seed $seed: $passes: $(cat "$work/said" "$work/q.out" 2> /dev/null | head -n 3), not $(cat "$work/p.out")"
    fi
  done
  seed=$((seed + 1))
done
echo "$compared programs compared, $slow without an end, $melded branches melded, $wrong wrong"
[ "$wrong" -eq 0 ]
