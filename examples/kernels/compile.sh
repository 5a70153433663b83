#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Makes NAME.ptx from every NAME.cu of this folder with nvcc and notes compiler and flags at the top of each. Needed
# only after a change to a kernel's source: the .ptx files are part of the repository, and nothing else here needs nvcc.
set -eu
cd "$(dirname "$0")"
nvcc="${NVCC:-nvcc}"
flags="-ptx -arch=sm_75 -O3"
release=$("$nvcc" --version | sed -n 's/.*release \(.*\)/\1/p')
for source in *.cu; do
  name=${source%.cu}
  # shellcheck disable=SC2086  # the flags are words
  "$nvcc" $flags -o "$name.ptx.new" "$source"
  {
    echo "// SPDX-License-Identifier: BSL-1.0"
    echo "// Compiled from $source by nvcc, release $release, flags: $flags"
    cat "$name.ptx.new"
  } >"$name.ptx"
  rm -f "$name.ptx.new"
done
