#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Makes walk.ptx from walk.cu with nvcc, with the lines of the source. Needed only after a change to the source, since
# walk.ptx is part of the repository. nvcc writes whole paths; walk.ptx has the names alone.
set -eu
cd "$(dirname "$0")"
nvcc="${NVCC:-nvcc}"
flags="-ptx -arch=sm_75 -O3 -lineinfo"
release=$("$nvcc" --version | sed -n 's/.*release \(.*\)/\1/p')
# shellcheck disable=SC2086  # the flags are words
"$nvcc" $flags -o walk.ptx.new walk.cu
{
  echo "// SPDX-License-Identifier: BSL-1.0"
  echo "// Compiled from walk.cu by nvcc, release $release, flags: $flags"
  sed 's|^\(\t\.file\t[0-9]* "\).*/|\1|' walk.ptx.new
} >walk.ptx
rm -f walk.ptx.new
