// SPDX-License-Identifier: BSL-1.0
//
// Two graphs that the corpus' traces name and the corpus does not hold: shapes and instruction counts of the kernels as
// clang 19.1.7 compiles them (sm_70, -O3), in the corpus' own text form.
#pragma once

namespace simtflow_tests {

inline constexpr const char* graphs_of_traces = R"(s darm mergesort llvm19-O3
g _Z13gpu_mergesortPlS_lllP4dim3S1_ 13 0 K
0 32 - 1 11
1 2 - 2
2 8 - 4 3
3 5 - 2 11
4 5 - 6 5
5 3 - 9
6 4 - 7 8
7 4 - 8 9
8 4 - 10
9 5 - 10
10 5 - 4 3
11 1 - 12
12 0 x
s ispass NQU__nqueen llvm19-O3
g _Z24solve_nqueen_cuda_kerneliiPjS_S_S_i 29 0 K
0 9 - 1 10
1 19 - 2
2 8 - 3 4
3 2 - 9
4 8 - 8 5
5 3 - 6 7
6 3 - 9
7 23 - 9
8 2 - 9
9 4 - 2 11
10 2 - 11
11 7 b 12 13
12 10 - 13
13 2 b 14 15
14 10 - 15
15 3 b 16 17
16 10 - 17
17 3 b 18 19
18 10 - 19
19 3 b 20 21
20 10 - 21
21 3 b 22 23
22 10 - 23
23 3 b 24 25
24 5 - 25
25 2 b 26 27
26 5 - 27
27 1 - 28
28 0 x
)";

}  // namespace simtflow_tests
