// SPDX-License-Identifier: BSL-1.0
//
// Temperatures of a chip over time: each cell exchanges heat with its four neighbours and the air, and has a power of
// its own. Stands for HotSpot (HSP) in the divergent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011),
// in its thread blocks of 16 x 16. A thread block takes several steps between reading and writing device memory; with
// each step the cells it still knows the neighbours of are one fewer on every side, so that threads along the edges
// drop out step by step. They drop out by column, that is, by lane: compaction that keeps threads in their lanes gains
// little here.

constexpr int side = 16;

extern "C" __global__ void hotspot(const float* power, const float* before, float* after, int columns, int rows,
                                   int steps, float rate, float across_x, float across_y, float across_air, float air) {
  __shared__ float now[side][side];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int kept = side - 2 * steps;  // cells of a row that are right at the end
  const int left = kept * static_cast<int>(blockIdx.x) - steps, top = kept * static_cast<int>(blockIdx.y) - steps;
  const int x = left + tx, y = top + ty;
  const bool on_chip = x >= 0 && x < columns && y >= 0 && y < rows;

  // The tile's part that lies on the chip; its rim insulates.
  const int west = max(0, -left), east = min(side, columns - left) - 1;
  const int north = max(0, -top), south = min(side, rows - top) - 1;
  const int w = max(tx - 1, west), e = min(tx + 1, east), n = max(ty - 1, north), s = min(ty + 1, south);

  float own_power = 0.0f, next = 0.0f;
  if (on_chip) {
    now[ty][tx] = before[y * columns + x];
    own_power = power[y * columns + x];
  }
  __syncthreads();
  bool known = false;
#pragma unroll 1
  for (int step = 1; step <= steps; ++step) {
    known = false;
    if (tx >= step && tx < side - step && ty >= step && ty < side - step && on_chip) {
      known = true;
      const float here = now[ty][tx], twice = here + here;
      float heat = own_power;
      heat = fmaf(now[s][tx] + now[n][tx] - twice, across_y, heat);
      heat = fmaf(now[ty][e] + now[ty][w] - twice, across_x, heat);
      heat = fmaf(air - here, across_air, heat);
      next = fmaf(rate, heat, here);
    }
    __syncthreads();
    if (known) now[ty][tx] = next;
    __syncthreads();
  }
  if (known) after[y * columns + x] = next;
}
