// SPDX-License-Identifier: BSL-1.0
//
// Diffusion coefficients of speckle reducing anisotropic diffusion (SRAD in the melding paper, see bitonic_arms.cu; in
// Rodinia, S. Che et al., IISWC 2009, the first of two kernels; Y. Yu, S. Acton, IEEE TIP 2002). A thread block has a
// tile of the image in shared memory. Two if-else chains read a pixel's neighbours, in the tile or beside it, by where
// the thread stands; a third, by the data, stores the coefficient or the limit that it exceeds. At the bench size
// nobody takes the first of its three ways: melding all three costs more than it saves, and the paper reports a loss.
// The remarks in inline assembly are no instructions, but the compiler moves no access to memory over them; without
// them it would choose addresses in the arms and read after them.

constexpr unsigned tile = 16;

extern "C" __global__ void srad(const float* image, float* coefficient, float* south_difference, float* east_difference,
                                float q0, float least, float most) {
  __shared__ float pixel[tile][tile], result[tile][tile];
  __shared__ float north[tile], south[tile], west[tile], east[tile];  // beside the tile; at the image's edge within
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned width = gridDim.x * tile, height = gridDim.y * tile;
  const unsigned left = blockIdx.x * tile, top = blockIdx.y * tile;
  const unsigned at = (top + y) * width + left + x;
  pixel[y][x] = image[at];
  if (y == 0) {
    north[x] = image[(top == 0 ? 0 : top - 1) * width + left + x];
    south[x] = image[min(top + tile, height - 1) * width + left + x];
    west[x] = image[(top + x) * width + (left == 0 ? 0 : left - 1)];
    east[x] = image[(top + x) * width + min(left + tile, width - 1)];
  }
  __syncthreads();

  const float here = pixel[y][x];
  float n, s, w, e;
  if (y == 0) {
    asm volatile("// first row" ::: "memory");
    n = north[x] - here;
    s = pixel[y + 1][x] - here;
    asm volatile("// first row ends" ::: "memory");
  } else if (y == tile - 1) {
    asm volatile("// last row" ::: "memory");
    n = pixel[y - 1][x] - here;
    s = south[x] - here;
    asm volatile("// last row ends" ::: "memory");
  } else {
    asm volatile("// rows between" ::: "memory");
    n = pixel[y - 1][x] - here;
    s = pixel[y + 1][x] - here;
    asm volatile("// rows between ends" ::: "memory");
  }
  if (x == 0) {
    asm volatile("// first column" ::: "memory");
    w = west[y] - here;
    e = pixel[y][x + 1] - here;
    asm volatile("// first column ends" ::: "memory");
  } else if (x == tile - 1) {
    asm volatile("// last column" ::: "memory");
    w = pixel[y][x - 1] - here;
    e = east[y] - here;
    asm volatile("// last column ends" ::: "memory");
  } else {
    asm volatile("// columns between" ::: "memory");
    w = pixel[y][x - 1] - here;
    e = pixel[y][x + 1] - here;
    asm volatile("// columns between ends" ::: "memory");
  }

  const float gradient = fmaf(n, n, fmaf(s, s, fmaf(w, w, e * e))) / (here * here);
  const float laplacian = ((n + s) + (w + e)) / here;
  const float down = fmaf(0.25f, laplacian, 1.0f);
  const float q = fmaf(0.5f, gradient, -0.0625f * laplacian * laplacian) / (down * down);
  const float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  if (c < least) {
    asm volatile("// below" ::: "memory");
    result[y][x] = least;
    asm volatile("// below ends" ::: "memory");
  } else if (c > most) {
    asm volatile("// above" ::: "memory");
    result[y][x] = most;
    asm volatile("// above ends" ::: "memory");
  } else {
    asm volatile("// within" ::: "memory");
    result[y][x] = c;
    asm volatile("// within ends" ::: "memory");
  }
  coefficient[at] = result[y][x];
  south_difference[at] = s;
  east_difference[at] = e;
}
