#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# llvm_route.sh TOOL PLUGIN [PIPELINES [KERNELS]]: how the passes change the shipped kernels on their way through LLVM:
# the snapshots of tests/interop/llvm/device, as they are and after each of PIPELINES (names of passes joined by '+',
# separated by blanks), compiled by llc and run by simtflow-lab (TOOL) with the launch files of test size under pdom.
# KERNELS, separated by blanks: without it all. BIN: the folder with opt and llc of PLUGIN's LLVM, without it
# /usr/lib/llvm-14/bin. SIZE=bench takes the launch files of bench size.
#
# Prints a line of CSV for each kernel and pipeline: warp instructions, latency-weighted warp instructions, accesses to
# shared memory, and each over what it is before; the largest ratio of weighted instructions comes first. A run with
# wrong memory ends the script. About 15 seconds on one core.
set -eu

[ $# -ge 2 ] || { echo "usage: llvm_route.sh TOOL PLUGIN [PIPELINES [KERNELS]]" >&2; exit 2; }
tool=$1
plugin=$2
pipelines=${3:-simtflow-linearize simtflow-meld simtflow-linearize+simtflow-meld}
here=$(cd "$(dirname "$0")/.." && pwd)
device=$here/tests/interop/llvm/device
kernels=${4:-$(cd "$device" && for file in *.ll; do echo "${file%.ll}"; done)}
bin=${BIN:-/usr/lib/llvm-14/bin}
version=$("$bin/llc" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run KERNEL PIPELINE CODE: a line "KERNEL,PIPELINE,warp instructions,weighted,shared accesses" into rows.
run() {
  "$bin/llc" -march=nvptx64 -mcpu=sm_75 -mattr=+ptx63 -trap-unreachable "$3" -o "$work/code.ptx"
  status=0
  "$tool" run "$work/code.ptx" --launch "$here/examples/kernels/$1${SIZE:+.$SIZE}.launch.json" --policy pdom \
    --csv --metrics > "$work/run.csv" 2> "$work/run.err" || status=$?
  if [ $status -ne 0 ]; then
    case $1 in spin_lock*) return ;; esac  # clang makes both the lock that never opens under pdom
    echo "$1 after $2:" >&2
    cat "$work/run.err" >&2
    exit 1
  fi
  awk -F, -v pipeline="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["verdict"] == "finished" {
      print $1 "," pipeline "," $at["warp_instructions"] "," $at["weighted"] "," $at["shared_accesses"]
    }' "$work/run.csv" >> "$work/rows"
}

for kernel in $kernels; do
  code=$device/$kernel.ll
  if [ "$version" -ge 16 ]; then
    cmake -D "IN=$code" -D "OUT=$work/code.ll" -P "$device/opaque.cmake"
    code=$work/code.ll
  fi
  run "$kernel" before "$code"
  for pipeline in $pipelines; do
    "$bin/opt" "-load-pass-plugin=$plugin" "-passes=$(echo "$pipeline" | tr + ,),verify" "$code" -o "$work/code.bc"
    run "$kernel" "$pipeline" "$work/code.bc"
  done
done
echo "kernel,pipeline,warp_instructions,ratio,weighted,ratio,shared_accesses,ratio"
awk -F, 'function over(now, then) { return then == 0 ? "1.000" : sprintf("%.3f", now / then) }
  $2 == "before" { warp = $3; weighted = $4; shared = $5; next }
  { print $1 "," $2 "," $3 "," over($3, warp) "," $4 "," over($4, weighted) "," $5 "," over($5, shared) }
  ' "$work/rows" | sort -t, -k6,6nr -k4,4nr -k1,1
