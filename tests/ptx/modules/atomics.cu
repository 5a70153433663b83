// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void atomics(int* g, unsigned long long* w, float* f, double* d) {
  __shared__ unsigned s[4];
  int i = threadIdx.x;
  g[i] = atomicAdd(g, 1) + atomicCAS(g + 1, 2, 3) + atomicExch(g + 2, 5) + atomicMin(g + 3, i) + atomicMax((unsigned*)g + 4, 7u);
  atomicAnd(g + 5, 1); atomicOr(g + 6, 2); atomicXor(g + 7, 4); atomicInc(s, 9); atomicDec(s + 1, 9); atomicSub(s + 2, 1);
  atomicAdd(w, 1ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0); atomicCAS(w, 1ull, 2ull); atomicAdd_block(g, 1); atomicAdd_system(g, 1);
  __threadfence(); __threadfence_block(); __threadfence_system();
}
