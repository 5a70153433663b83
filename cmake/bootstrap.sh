#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# bootstrap.sh demo|test|asan|tsan|fuzz|clang|noexcept|bench|playground: installs what the preset needs and this
# machine lacks (apt, as root; otherwise says what to install and stops), then runs the preset's workflow.
set -eu
cd "$(dirname "$0")/.."

missing= # what the preset cannot do without
wished=  # what some tests need, which are skipped without it; comes along when something is installed anyway
need_command() { command -v "$1" > /dev/null || missing="$missing $2"; }
need_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || missing="$missing $2"; }

case ${1-} in
  demo) ;;
  test | asan | tsan | fuzz | noexcept) need_header doctest/doctest.h doctest-dev ;;
  clang) need_header doctest/doctest.h doctest-dev; need_command clang++ clang ;;
  bench) need_header benchmark/benchmark.h libbenchmark-dev; need_command valgrind valgrind ;;
  playground)
    need_command emcc emscripten
    need_command node nodejs
    # Emscripten's own libc++ is too old in Debian 12 (cmake/emscripten.cmake).
    ls -d /usr/lib/llvm-1[678]/include/wasm32-wasi/c++ > /dev/null 2>&1 || missing="$missing libc++-16-dev-wasm32"
    command -v chromium > /dev/null || wished="$wished chromium" ;;
  *) echo "usage: sh cmake/bootstrap.sh demo|test|asan|tsan|fuzz|clang|noexcept|bench|playground" >&2; exit 2 ;;
esac
if [ "$1" = test ]; then
  command -v pkg-config > /dev/null || wished="$wished pkg-config"
  command -v doxygen > /dev/null || wished="$wished doxygen"
  command -v valgrind > /dev/null || wished="$wished valgrind"
  command -v chromium > /dev/null || wished="$wished chromium"
  command -v gnuplot > /dev/null || wished="$wished gnuplot-nox"
  [ -e /usr/include/range/v3/all.hpp ] || wished="$wished librange-v3-dev"
  [ -e /usr/include/zstd.h ] || wished="$wished libzstd-dev"
  [ -e /usr/include/lz4.h ] || wished="$wished liblz4-dev"
  ls /usr/lib/llvm-*/bin/opt > /dev/null 2>&1 || wished="$wished llvm llvm-dev"
fi
case $1 in test | asan | tsan | fuzz | clang) need_header boost/graph/adjacency_list.hpp libboost-dev ;; esac
need_command c++ g++
need_command cmake cmake
need_command ninja ninja-build
need_header fmt/core.h libfmt-dev
need_header nlohmann/json.hpp nlohmann-json3-dev
if [ "$1" != playground ]; then
  need_header CLI/CLI.hpp libcli11-dev
  need_header zlib.h zlib1g-dev
fi

if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo "Something is missing. On Debian or Ubuntu:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing$wished" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  patient="-o DPkg::Lock::Timeout=600 -o Acquire::Retries=3"
  # shellcheck disable=SC2086 # both are lists of words
  {
    apt-get $patient update
    apt-get $patient install -y --no-install-recommends $missing $wished
  }
fi
exec cmake --workflow --preset "$1"
