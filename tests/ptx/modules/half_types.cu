// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void half_types(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, float f) {
  int i = threadIdx.x;
  h[i] = __hadd(h[i], __float2half(f)); h[i] = __hfma(h[i], h[i], h[i + 1]);
  h2[i] = __hmul2(h2[i], __floats2half2_rn(f, 1.0f)); h2[i] = __hmax2(h2[i], h2[i + 1]);
  #if __CUDA_ARCH__ >= 800
  b[i] = __float2bfloat16(__bfloat162float(b[i]) * f); b2[i] = __hfma2(b2[i], b2[i], b2[i]);
#endif
  if (__hgt(h[i], h[i + 1])) h[i] = hsqrt(h[i]);
}
