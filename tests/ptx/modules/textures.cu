// SPDX-License-Identifier: BSL-1.0
#include <cuda_runtime.h>
extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* out) {
  int x = threadIdx.x, y = threadIdx.y;
  float4 v = tex2D<float4>(t, x + 0.5f, y); out[x] = v; out[x + 1].x = tex1Dfetch<float>(t, x); out[x + 2].x = tex3D<float>(t, x, y, 0);
  out[x + 3] = tex2DLod<float4>(t, x, y, 2.f); out[x + 4] = tex2Dgather<float4>(t, x, y, 1);
  surf2Dwrite(v, s, x * 16, y); out[x + 5].x = surf1Dread<float>(s, x * 4);
}
