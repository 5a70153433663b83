// SPDX-License-Identifier: BSL-1.0
//
// The perimeter step of a blocked LU decomposition (LUD in the melding paper, see bitonic_arms.cu; in Rodinia, S. Che
// et al., IISWC 2009, lud_perimeter). The diagonal tile is decomposed already. The first half of a thread block's
// threads solves for a tile of the upper rows, a column each, the second half for a tile of the left columns, a row
// each: three branches on the thread's number; their arms load, compute and store, unrolled to blocks of hundreds of
// instructions. With tiles of 32 and more a warp would not diverge.

constexpr unsigned tile = 16;

extern "C" __global__ void lu_perimeter(float* matrix, unsigned width, unsigned offset) {
  __shared__ float diagonal[tile][tile], rows[tile][tile], columns[tile][tile];
  const bool upper = threadIdx.x < tile;
  const unsigned me = threadIdx.x % tile;
  const unsigned away = (blockIdx.x + 1) * tile;  // of the two tiles from the diagonal one
  float* corner = matrix + offset * width + offset;

  if (upper) {
    for (unsigned i = 0; i < tile / 2; ++i) diagonal[i][me] = corner[i * width + me];
    for (unsigned i = 0; i < tile; ++i) rows[i][me] = corner[i * width + away + me];
  } else {
    for (unsigned i = tile / 2; i < tile; ++i) diagonal[i][me] = corner[i * width + me];
    for (unsigned i = 0; i < tile; ++i) columns[i][me] = corner[(away + i) * width + me];
  }
  __syncthreads();

  if (upper) {
#pragma unroll
    for (unsigned i = 1; i < tile; ++i) {
      float x = rows[i][me];
#pragma unroll
      for (unsigned j = 0; j < i; ++j) x = fmaf(-rows[j][me], diagonal[i][j], x);
      rows[i][me] = x;
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < tile; ++i) {
      float x = columns[me][i];
#pragma unroll
      for (unsigned j = 0; j < i; ++j) x = fmaf(-columns[me][j], diagonal[j][i], x);
      columns[me][i] = x / diagonal[i][i];
    }
  }
  __syncthreads();

  if (upper) {
    for (unsigned i = 1; i < tile; ++i) corner[i * width + away + me] = rows[i][me];
  } else {
    for (unsigned i = 0; i < tile; ++i) corner[(away + i) * width + me] = columns[i][me];
  }
}
