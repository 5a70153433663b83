// SPDX-License-Identifier: BSL-1.0
//
// The graph of Figure 1 of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011):
//   if ((cond1 || cond2) && (cond3 || cond4)) body;
// with one block per condition (BB1 to BB4) and one for the body (BB5). Every block notes that the thread passed it, so
// the compiler keeps all of them. The answers of each thread to the four conditions are the bits 0 to 3 of answers[].
// With the four threads of the launch file PDOM fetches BB3, BB4 and BB5 twice and thread frontiers fetch them once.

extern "C" __global__ void figure1(const unsigned* answers, unsigned* passed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned answer = answers[thread];
  volatile unsigned* note = passed + 6 * thread;
  note[1] = 1;
  if ((answer & 1) != 0) goto bb3;
  note[2] = 1;
  if ((answer & 2) == 0) goto leave;
bb3:
  note[3] = 1;
  if ((answer & 4) != 0) goto bb5;
  note[4] = 1;
  if ((answer & 8) == 0) goto leave;
bb5:
  note[5] = 1;
leave:
  note[0] = 1;
}
