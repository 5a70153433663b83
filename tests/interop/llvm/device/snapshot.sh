#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# snapshot.sh [NAME.cu ...]: makes NAME.ll, LLVM's code of examples/kernels/NAME.cu before code generation, for all
# kernels or for those named. Needed only after a change to a kernel or to cuda.hpp: the .ll files are part of the
# repository.
#
# clang 14 writes typed pointers, which code generation of LLVM 14 needs (its llc ends in a fault on opaque ones) and
# LLVM 17 no longer reads; opaque.cmake makes them opaque. The remarks in inline assembly, `asm volatile("// left")`,
# keep accesses to memory in their places while clang optimizes. Afterwards this script removes them: clang makes them
# convergent, and arms with a convergent call are not melded.
#
# Instructions with which both arms of a branch end are not sunk into the block after them. That would be tail merging,
# with which melding is compared; nvcc does not do it here, and it leaves sb2 and sb3 unstructured.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
clang="${CLANG:-clang++-14}"
flags="-x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63
  --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm"
release=$("$clang" --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
cd "$here/../../../../examples/kernels"
[ $# -gt 0 ] || set -- *.cu
for source; do
  name=${source%.cu}
  made="$here/$name.ll"
  # shellcheck disable=SC2086  # the flags are words
  "$clang" $flags -include "$here/cuda.hpp" -o "$made.new" "$name.cu"
  {
    echo "; SPDX-License-Identifier: BSL-1.0"
    # shellcheck disable=SC2086
    echo "; Compiled from $name.cu by snapshot.sh: clang" $release, $flags -include cuda.hpp
    # Removed are the remarks and their places, attributes and flags for code generation, the compiler's name.
    sed -E \
      -e '/^; (ModuleID|Function Attrs)/d' \
      -e '/call void asm sideeffect "\/\//d' -e 's/, !srcloc ![0-9]+//' -e '/^![0-9]+ = !\{i64 [0-9]+\}$/d' \
      -e '/^attributes #/s/ "[^"]*"="[^"]*"//g' \
      -e '/^!llvm\.(module\.flags|ident) /d' \
      -e '/^![0-9]+ = !\{(i32 [0-9]+, !"(wchar_size|nvvm-reflect-ftz|frame-pointer)"|!"[^"]*clang version)/d' \
      "$made.new"
  } >"$made"
  rm -f "$made.new"
done
