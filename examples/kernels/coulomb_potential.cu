// SPDX-License-Identifier: BSL-1.0
//
// The electrostatic potential of many charges at the points of a plane, by the sum over all charges; each thread has
// four points of a row. Stands for Coulomb Potential (CP) in the coherent set of W. Fung, T. Aamodt, "Thread Block
// Compaction" (HPCA 2011), in its thread blocks of 16 x 8: one loop, the same number of times for every thread.

struct charge {
  float x, y, square_z, amount;  // the distance from the plane, squared
};

extern "C" __global__ void coulomb_potential(const charge* charges, float* potential, unsigned count, float spacing) {
  const unsigned column = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  const float x = __fmul_rn(static_cast<float>(column), spacing), y = __fmul_rn(static_cast<float>(row), spacing);
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    const charge c = charges[i];
    const float dy = c.y - y;
    const float rest = fmaf(dy, dy, c.square_z);
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const float dx = (c.x - x) - __fmul_rn(static_cast<float>(16 * k), spacing);
      sum[k] += c.amount / sqrtf(fmaf(dx, dx, rest));
    }
  }
  float* out = potential + row * (gridDim.x * 64) + column;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) out[16 * k] += sum[k];
}
