// SPDX-License-Identifier: BSL-1.0
// Every shape, type and level of texture reads, queries, and surfaces of every shape. Thread i reads at point p[i].
#define READ(name, T, expr) \
  __global__ void name(cudaTextureObject_t t, const float4* p, T* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x; \
    const float4 q = p[i]; \
    out[i] = expr; \
  }
#define ASK(n, what, handle) asm(what ".b32 %0, [%1];" : "=r"(v) : "l"(handle)); out[n] = v;

extern "C" {
READ(read_1d, float4, tex1D<float4>(t, q.x))
READ(read_2d, float4, tex2D<float4>(t, q.x, q.y))
READ(read_3d, float4, tex3D<float4>(t, q.x, q.y, q.z))
READ(read_layered_1d, float4, tex1DLayered<float4>(t, q.x, (int)q.w))
READ(read_layered_2d, float4, tex2DLayered<float4>(t, q.x, q.y, (int)q.w))
READ(read_cube, float4, texCubemap<float4>(t, q.x, q.y, q.z))
READ(read_layered_cube, float4, texCubemapLayered<float4>(t, q.x, q.y, q.z, (int)q.w))
READ(read_2d_s32, int4, tex2D<int4>(t, q.x, q.y))
READ(read_2d_u32, uint4, tex2D<uint4>(t, q.x, q.y))
READ(fetch_1d, float4, tex1Dfetch<float4>(t, (int)q.x))
READ(fetch_1d_s32, int4, tex1Dfetch<int4>(t, (int)q.x))
READ(level_2d, float4, tex2DLod<float4>(t, q.x, q.y, q.w))
READ(level_3d, float4, tex3DLod<float4>(t, q.x, q.y, q.z, q.w))
READ(level_layered_2d, float4, tex2DLayeredLod<float4>(t, q.x, q.y, (int)q.w, q.z))
READ(grad_1d, float4, tex1DGrad<float4>(t, q.x, q.z, q.w))
READ(grad_2d, float4, tex2DGrad<float4>(t, q.x, q.y, make_float2(q.z, 0), make_float2(0, q.w)))
READ(gather_r, float4, tex2Dgather<float4>(t, q.x, q.y, 0))
READ(gather_a, float4, tex2Dgather<float4>(t, q.x, q.y, 3))
__global__ void resident(cudaTextureObject_t t, const float4* p, float4* out) {
  bool is = false;
  const float4 q = p[threadIdx.x];
  float4 v = tex2D<float4>(t, q.x, q.y, &is);
  if (!is) v.x = -1;
  out[threadIdx.x] = v;
}
__global__ void attributes(cudaTextureObject_t t, cudaSurfaceObject_t s, unsigned* out) {
  unsigned v;
  ASK(0, "txq.width", t) ASK(1, "txq.height", t) ASK(2, "txq.depth", t) ASK(3, "txq.channel_data_type", t)
  ASK(4, "txq.channel_order", t) ASK(5, "txq.normalized_coords", t) ASK(6, "txq.num_mipmap_levels", t)
  ASK(7, "suq.width", s) ASK(8, "suq.height", s) ASK(9, "suq.channel_order", s)
  asm("{.reg .pred p; istypep.texref p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(v) : "l"(t)); out[10] = v;
  asm("{.reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(v) : "l"(t)); out[11] = v;
  asm("{.reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(v) : "l"(s)); out[12] = v;
}
// p[i] says byte, row, slice; each element that was read is stored again plus one.
#define MOVE(name, T, read, write) \
  __global__ void name(cudaSurfaceObject_t s, const int4* p, T* out) { \
    const int4 q = p[threadIdx.x]; \
    T v; \
    read; \
    out[threadIdx.x] = v; \
    v = v + (T)1; \
    write; \
  }
MOVE(move_1d, unsigned, surf1Dread(&v, s, q.x, cudaBoundaryModeZero), surf1Dwrite(v, s, q.x, cudaBoundaryModeZero))
MOVE(move_2d, unsigned long long, surf2Dread(&v, s, q.x, q.y, cudaBoundaryModeZero),
     surf2Dwrite(v, s, q.x, q.y, cudaBoundaryModeZero))
MOVE(move_3d, unsigned char, surf3Dread(&v, s, q.x, q.y, q.z, cudaBoundaryModeClamp),
     surf3Dwrite(v, s, q.x, q.y, q.z, cudaBoundaryModeZero))
MOVE(move_layered_1d, unsigned short, surf1DLayeredread(&v, s, q.x, q.z, cudaBoundaryModeZero),
     surf1DLayeredwrite(v, s, q.x, q.z, cudaBoundaryModeZero))
MOVE(move_layered_2d, unsigned, surf2DLayeredread(&v, s, q.x, q.y, q.z, cudaBoundaryModeClamp),
     surf2DLayeredwrite(v, s, q.x, q.y, q.z, cudaBoundaryModeZero))
MOVE(move_cube, unsigned, surfCubemapread(&v, s, q.x, q.y, q.z, cudaBoundaryModeZero),
     surfCubemapwrite(v, s, q.x, q.y, q.z, cudaBoundaryModeZero))
__global__ void move_trap(cudaSurfaceObject_t s, const int4* p, uint4* out) {
  const int4 q = p[threadIdx.x];
  uint4 v;
  surf2Dread(&v, s, q.x, q.y, cudaBoundaryModeTrap);
  out[threadIdx.x] = v;
}
__global__ void reduce(cudaSurfaceObject_t s) {
  const int i = threadIdx.x;
  asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i % 2 * 4), "r"(0), "r"(i));
  asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(0), "r"(1), "r"(i));
  asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(i), "r"(2), "r"(i * 3));
  asm volatile("sured.p.min.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(1), "r"(3), "r"(i - 5));
}
}
