#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# compile.sh [NAME...]: compiles the programs (all of them, or these) with nvcc to objects/NAME.o, which the tests link,
# and notes in objects/sources which sources they were made of. The objects have PTX for compute_75 as plain text, and
# no machine code. A line "// nvcc: OPTIONS" of a program has further options. Programs that use Thrust or CUB are left
# out: their objects are large, so the tests compile them.
set -eu

cd "$(dirname "$0")"
mkdir -p objects
options="-std=c++17 -O2 -gencode arch=compute_75,code=compute_75 --compress-mode=none -cudart shared"
[ $# -gt 0 ] || set -- ./*.cu separate
for name in "$@"; do
  name=$(basename "$name" .cu)
  if [ "$name" = separate ]; then
    for part in main other; do
      # shellcheck disable=SC2086 # a list of options
      nvcc $options -dc -o objects/separate_$part.o separate/$part.cu
    done
    # shellcheck disable=SC2086
    nvcc $options -cudadevrt none -dlink -o objects/separate_link.o objects/separate_main.o objects/separate_other.o
    continue
  fi
  if grep -q '#include <\(thrust\|cub\)/' "$name.cu"; then continue; fi
  # shellcheck disable=SC2046,SC2086
  nvcc $options $(sed -n 's|^// nvcc: \(--.*\)|\1|p' "$name.cu") -c -o "objects/$name.o" "$name.cu"
  strip --strip-debug "objects/$name.o"
done
sha256sum ./*.cu separate/*.cu program.hpp > objects/sources
