// SPDX-License-Identifier: BSL-1.0
//
// Nested loops with trip counts that depend on the data: each thread owns a row of a ragged array (offsets as in
// compressed sparse rows) and follows the Collatz sequence of every element of its row down to one. Lanes leave both
// loops at different times. Structured: the mechanisms agree and the table shows what raggedness alone costs.

extern "C" __global__ void nested_loops(const unsigned* first, const unsigned* values, unsigned* steps, unsigned* peak,
                                        unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned total = 0;
  unsigned highest = 0;
  const unsigned end = first[row + 1];
#pragma unroll 1
  for (unsigned i = first[row]; i < end; ++i) {
    unsigned v = values[i];
#pragma unroll 1
    while (v > 1) {
      if ((v & 1) != 0) {
        v = 3 * v + 1;
        highest = max(highest, v);
      } else {
        v /= 2;
      }
      ++total;
    }
  }
  steps[row] = total;
  peak[row] = highest;
}
