# SPDX-License-Identifier: BSL-1.0
# Toolchain of the preset `clang`: the oldest supported clang where it is installed, else the default one.
find_program(CMAKE_CXX_COMPILER NAMES clang++-14 clang++ REQUIRED)
