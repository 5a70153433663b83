#!/bin/bash
# SPDX-License-Identifier: BSL-1.0
#
# llvm_meld_time.sh PLUGIN FILE...: the compile time of simtflow-meld beside opt -O3, for LLVM code (.ll or .bc) as the
# front end leaves it (clang -O3 -Xclang -disable-llvm-passes). The pass runs on the result of -O3. Reading, verifying
# and writing the code is subtracted. BIN: the folder with opt of PLUGIN's LLVM, without it /usr/lib/llvm-14/bin. RUNS:
# how often each is repeated, without it 1. PASSES: other passes of PLUGIN, LEVEL: another level, as in O2.
#
# Prints a line of CSV: files, user seconds of the level, user seconds of the pass, and (level + pass) / level.
set -eu

[ $# -ge 2 ] || { echo "usage: llvm_meld_time.sh PLUGIN FILE..." >&2; exit 2; }
plugin=$1
shift
opt=${BIN:-/usr/lib/llvm-14/bin}/opt
passes=${PASSES:-simtflow-meld}
level=${LEVEL:-O3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds PASSES FOLDER: user seconds of all files of the folder.
seconds() {
  {
    time -p sh -c 'for run in $(seq "$4"); do for code in "$3"/*.bc; do
      "$0" "-load-pass-plugin=$1" "-passes=$2" "$code" -o /dev/null; done; done' \
      "$opt" "$plugin" "$1" "$2" "${RUNS:-1}"
  } 2>&1 | awk '$1 == "user" { print $2 }'
}

mkdir "$work/before" "$work/after"
count=0
for file; do
  count=$((count + 1))
  "$opt" -passes=verify "$file" -o "$work/before/$count.bc"
  "$opt" "-$level" "$file" -o "$work/after/$count.bc"
done
echo "files,$level,$passes,ratio"
echo "$(seconds no-op-module "$work/before") $(seconds "default<$level>" "$work/before") \
  $(seconds no-op-module "$work/after") $(seconds "$passes" "$work/after")" |
  awk -v count="$count" '{ printf "%d,%.2f,%.2f,%.3f\n", count, $2 - $1, $4 - $3, ($2 - $1 + $4 - $3) / ($2 - $1) }'
