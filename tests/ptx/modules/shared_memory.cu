// SPDX-License-Identifier: BSL-1.0
extern __shared__ int dynamic[];
extern "C" __global__ void __launch_bounds__(256, 2) shared_memory(int* data) {
  __shared__ int tile[256]; __shared__ __align__(16) float4 rows[8][3]; __shared__ double one;
  tile[threadIdx.x] = data[threadIdx.x]; dynamic[threadIdx.x] = tile[threadIdx.x ^ 1];
  if (threadIdx.x == 0) one = 3.0;
  __syncthreads();
  rows[threadIdx.x & 7][1] = make_float4(1, 2, 3, one);
  int c = __syncthreads_count(data[0] > 3); int o = __syncthreads_or(c > 3); int a = __syncthreads_and(o);
  asm volatile("bar.sync 1, 64;"); asm volatile("bar.arrive 2, 64;"); asm volatile("barrier.sync 3;");
  data[threadIdx.x] = dynamic[threadIdx.x ^ 2] + rows[1][1].y + c + o + a;
}
