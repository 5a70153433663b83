// SPDX-License-Identifier: BSL-1.0
// Products of matrices through the API of nvcuda::wmma and through mma with ldmatrix.
#include <mma.h>
#include <cuda_bf16.h>

using namespace nvcuda;

// D = A B of n x n, a warp for each tile of 16 x 16; A by rows, B by columns.
template <class In, class Out, class Kind>
__device__ void tile(const In* a, const In* b, Out* d, int n, int depth) {
  wmma::fragment<wmma::matrix_a, 16, 16, Kind::depth, typename Kind::type, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, Kind::depth, typename Kind::type, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, Kind::depth, Out> sum;
  wmma::fill_fragment(sum, static_cast<Out>(0));
  const int warp = threadIdx.x / 32, row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
#pragma unroll 1
  for (int k = 0; k < depth; k += Kind::depth) {
    wmma::load_matrix_sync(fa, a + row * depth + k, depth);
    wmma::load_matrix_sync(fb, b + column * depth + k, depth);
    Kind::convert(fa);
    Kind::convert(fb);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] * static_cast<Out>(2) + static_cast<Out>(1);
  wmma::store_matrix_sync(d + row * n + column, sum, n, wmma::mem_row_major);
}
struct halves {
  using type = half;
  static constexpr int depth = 16;
  template <class F> static __device__ void convert(F&) {}
};
struct brains {
  using type = __nv_bfloat16;
  static constexpr int depth = 16;
  template <class F> static __device__ void convert(F&) {}
};
struct bytes {
  using type = signed char;
  static constexpr int depth = 16;
  template <class F> static __device__ void convert(F&) {}
};
struct singles {
  using type = wmma::precision::tf32;
  static constexpr int depth = 8;
  template <class F> static __device__ void convert(F& f) {
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = wmma::__float_to_tf32(f.x[i]);
  }
};
extern "C" __global__ void half_tiles(const half* a, const half* b, float* d, int n, int depth) {
  tile<half, float, halves>(a, b, d, n, depth);
}
extern "C" __global__ void brain_tiles(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d, int n, int depth) {
  tile<__nv_bfloat16, float, brains>(a, b, d, n, depth);
}
extern "C" __global__ void byte_tiles(const signed char* a, const signed char* b, int* d, int n, int depth) {
  tile<signed char, int, bytes>(a, b, d, n, depth);
}
extern "C" __global__ void single_tiles(const float* a, const float* b, float* d, int n, int depth) {
  tile<float, float, singles>(a, b, d, n, depth);
}
extern "C" __global__ void double_tile(const double* a, const double* b, double* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::load_matrix_sync(sum, d, 8, wmma::mem_col_major);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
}

// 16 x 8 of A B + C with A of 16 x 16 by rows and B of 16 x 8 by rows: through shared memory, ldmatrix and mma. Every
// other call of a warp goes another way first.
extern "C" __global__ void through_shared(const half* a, const half* b, float* d, int times) {
  __shared__ __align__(16) half sa[16 * 24], sb[16 * 8];
  const int lane = threadIdx.x;
#pragma unroll 1
  for (int i = lane; i < 256; i += 32) sa[i / 16 * 24 + i % 16] = a[i];
#pragma unroll 1
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  float sum[4] = {1, 2, 3, 4};
#pragma unroll 1
  for (int n = 0; n < times; ++n) {
    if (lane % 3 == n % 3) sum[n & 3] += 1;
    const unsigned pa = static_cast<unsigned>(__cvta_generic_to_shared(sa + lane % 16 * 24 + lane / 16 * 8));
    const unsigned pb = static_cast<unsigned>(__cvta_generic_to_shared(sb + lane % 16 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  }
  for (int i = 0; i < 4; ++i) d[4 * lane + i] = sum[i];
}
