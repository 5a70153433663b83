// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void vector_memory(const float4* __restrict__ in, float4* out, const int2* i2, short4* s4, double2* d2, uchar4* c4, volatile int* v) {
  int i = threadIdx.x;
  float4 a = __ldg(in + i), b = in[i + 1]; out[i] = make_float4(a.x + b.w, a.y, b.z, a.w);
  int2 p = i2[i]; s4[i] = make_short4(p.x, p.y, 1, 2); d2[i] = make_double2(p.x, d2[i + 1].y); c4[i].x += c4[i + 1].w; *v = *v + 1;
  asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(out), "f"(a.x));
  out[i + 7] = __ldcg(in + 3); __stwt(out + 9, a);
}
