#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Makes the .ptx files of this folder from its .cu files with nvcc and clang 14. Needed only after a change to a source:
# the .ptx files are part of the repository, and no test needs a compiler. Paths of files become names.
set -eu
cd "$(dirname "$0")"
nvcc="${NVCC:-nvcc}"
clang="${CLANG:-clang-14}"

finish() {  # what made it, first; file names without folders
  {
    echo "// SPDX-License-Identifier: BSL-1.0"
    echo "// Made by $2"
    sed 's|^\([[:space:]]*\.file[[:space:]]*[0-9]*[[:space:]]*"\).*/|\1|' "$1.new"
  } >"$1"
  rm -f "$1.new"
}

for source in *.cu; do
  name=${source%.cu}
  flags="-arch=sm_75"
  case $name in
    clang) continue ;;
    half_types | atomics | tensor_cores | warp_functions) flags="-arch=sm_80" ;;
    cluster | wide_atomics) flags="-arch=sm_90" ;;
    warpgroup) flags="-arch=sm_90a" ;;
    separate | separate_main) flags="-arch=sm_75 -lineinfo -rdc=true" ;;
  esac
  # shellcheck disable=SC2086  # the flags are words
  "$nvcc" -ptx $flags -o "$name.ptx.new" "$source"
  finish "$name.ptx" "nvcc -ptx $flags $source"
done

for name in function_pointers shared_memory virtual_calls; do
  "$nvcc" -ptx -arch=sm_75 -Xcicc -O0 -o "${name}_O0.ptx.new" "$name.cu"
  finish "${name}_O0.ptx" "nvcc -ptx -arch=sm_75 -Xcicc -O0 $name.cu"
done

# Debug information names the folder of the source: this one is made in the root folder.
if [ -w / ]; then
  cp switches.cu /switches.cu
  (cd / && "$nvcc" -ptx -arch=sm_75 -G -o switches_debug.ptx.new switches.cu)
  mv /switches_debug.ptx.new .
  rm /switches.cu
  finish switches_debug.ptx "nvcc -ptx -arch=sm_75 -G switches.cu"
fi

for level in 0 3; do
  "$clang" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_35 -O$level -S -o "clang_O$level.ptx.new" clang.cu
  finish "clang_O$level.ptx" "clang -O$level --cuda-gpu-arch=sm_35 clang.cu"
done
