#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# profile_cost.sh KERNELS_BENCH [KERNEL...]: the instructions that a run executes with the branch profile, over those
# without it, by valgrind. KERNELS_BENCH is that program, of the preset bench. Without kernels it takes four: converged,
# mandelbrot, n_queens and bfs. It fails above 1.5.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- converged mandelbrot n_queens bfs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# counted ARGUMENT...: prints the instructions of a run.
counted() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" --once "$@" > "$work/said" 2>&1 ||
    { cat "$work/said" >&2; exit 1; }
  sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$work/said"
}
failed=0
for kernel; do
  without=$(counted "$kernel")
  with=$(counted "$kernel" profile)
  awk -v k="$kernel" -v a="$without" -v b="$with" 'BEGIN {
    printf "%-12s %13.0f %13.0f  %.2f\n", k, a, b, b / a
    exit b / a > 1.5
  }' || failed=1
done
exit "$failed"
