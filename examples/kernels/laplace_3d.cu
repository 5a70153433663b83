// SPDX-License-Identifier: BSL-1.0
//
// One Jacobi step for the Laplace equation on a 3D grid with a fixed surface. Stands for 3D Laplace Solver (LPS) in the
// divergent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011), in its thread blocks of 32 x 4. A thread
// block moves a plane of 32 x 4 cells upwards through the grid; in every plane the threads on its four edges load a
// halo, each edge in a branch of its own, cells outside the grid do nothing, and cells on the surface are copied while
// the others are computed. The threads of the western and the eastern edge are the same lane in every warp: compaction
// helps only where it permutes lanes.

constexpr int width = 32, height = 4;

extern "C" __global__ void laplace_3d(const float* from, float* to, int nx, int ny, int nz) {
  __shared__ float plane[height + 2][width + 2];
  const int tx = static_cast<int>(threadIdx.x) + 1, ty = static_cast<int>(threadIdx.y) + 1;
  const int x = static_cast<int>(blockIdx.x) * width + tx - 1, y = static_cast<int>(blockIdx.y) * height + ty - 1;
  const bool in_grid = x < nx && y < ny;
  const int layer = nx * ny;
  int at = y * nx + x;
  float below = 0.0f, here = 0.0f, above = in_grid ? from[at] : 0.0f;
#pragma unroll 1
  for (int z = 0; z < nz; ++z, at += layer) {
    below = here;
    here = above;
    if (in_grid) {
      if (z + 1 < nz) above = from[at + layer];
      plane[ty][tx] = here;
      if (tx == 1 && x > 0) plane[ty][0] = from[at - 1];
      if (tx == width && x + 1 < nx) plane[ty][width + 1] = from[at + 1];
      if (ty == 1 && y > 0) plane[0][tx] = from[at - nx];
      if (ty == height && y + 1 < ny) plane[height + 1][tx] = from[at + nx];
    }
    __syncthreads();
    if (in_grid) {
      float value = here;
      if (x > 0 && x + 1 < nx && y > 0 && y + 1 < ny && z > 0 && z + 1 < nz) {
        const float around = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx];
        value = __fmul_rn(around + below + above, 1.0f / 6.0f);
      }
      to[at] = value;
    }
    __syncthreads();
  }
}
