// SPDX-License-Identifier: BSL-1.0
//
// Photon migration in turbid tissue, standing for "MCX" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers"
// (MICRO 2011) and "mcx" of the linearization paper; after Q. Fang and D. Boas, "Monte Carlo simulation of photon
// migration in 3D turbid media accelerated by graphics processing units" (Optics Express 2009). A packet of photons
// moves in unit steps; it loses weight to the voxel that it is in and turns at random (L. Henyey and J. Greenstein,
// 1941). After every step a condition of eleven terms asks whether the packet is finished. The limits are read from
// memory one by one, so each term is a branch out of the loop, and a thread that has launched all its packets returns
// early from within. The terms lead to the same place, where packets end, so it is the post-dominator too and, as in
// the paper, there is little for thread frontiers to gain.
//
// Sines come from a random point of a disc, and every float operation names its rounding: a plain C++ program gets the
// same bits. Absorbed weight is summed in whole numbers: the order of threads does not matter.

struct medium {
  float absorption, scattering, anisotropy;  // per step; the cosine of the mean turn
};

__device__ __forceinline__ float uniform(uint4& state) {  // G. Marsaglia's xorshift with four words
  const unsigned t = state.x ^ (state.x << 11);
  state.x = state.y;
  state.y = state.z;
  state.z = state.w;
  state.w = state.w ^ (state.w >> 19) ^ t ^ (t >> 8);
  return __fmul_rn(__uint2float_rn(state.w >> 8), 0x1p-24f);
}

extern "C" __global__ void mcx(const unsigned* voxels, const medium* media, const volatile float* limits,
                               const uint4* seeds, unsigned* absorbed, unsigned* ends, unsigned size,
                               unsigned packets) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* end = ends + 4 * thread;
  uint4 random = seeds[thread];
  const float middle = __fmul_rn(__uint2float_rn(size), 0.5f);
  float x, y, z, u, v, w, weight, age;
  unsigned launched = 0;
launch:
  if (launched == packets) return;
  ++launched;
  x = __fadd_rn(middle, uniform(random));
  y = __fadd_rn(middle, uniform(random));
  z = 0.0f;
  u = 0.0f;
  v = 0.0f;
  w = 1.0f;
  weight = 1.0f;
  age = 0.0f;
  for (;;) {
    const unsigned voxel = (__float2uint_rz(z) * size + __float2uint_rz(y)) * size + __float2uint_rz(x);
    const unsigned kind = voxels[voxel];
    const medium here = media[kind];
    if (uniform(random) < here.scattering) {
      const float g = here.anisotropy;
      const float g2 = __fmul_rn(g, g);
      const float part =
          __fdiv_rn(__fsub_rn(1.0f, g2), __fmaf_rn(__fmul_rn(2.0f, g), uniform(random), __fsub_rn(1.0f, g)));
      const float cosine = __fdiv_rn(__fsub_rn(__fadd_rn(1.0f, g2), __fmul_rn(part, part)), __fmul_rn(2.0f, g));
      const float sine = __fsqrt_rn(fmaxf(__fmaf_rn(-cosine, cosine, 1.0f), 0.0f));
      float a, b, s;
      do {
        a = __fmaf_rn(2.0f, uniform(random), -1.0f);
        b = __fmaf_rn(2.0f, uniform(random), -1.0f);
        s = __fmaf_rn(a, a, __fmul_rn(b, b));
      } while (s >= 1.0f || s < 0.0001f);
      const float p = __fmul_rn(sine, __fdiv_rn(__fmaf_rn(a, a, -__fmul_rn(b, b)), s));
      const float q = __fmul_rn(sine, __fdiv_rn(__fmul_rn(__fmul_rn(2.0f, a), b), s));
      const float level = __fmaf_rn(-w, w, 1.0f);
      if (level > 0.0001f) {
        const float root = __fsqrt_rn(level);
        const float pu = __fdiv_rn(__fmaf_rn(__fmul_rn(p, u), w, -__fmul_rn(q, v)), root);
        const float pv = __fdiv_rn(__fmaf_rn(__fmul_rn(p, v), w, __fmul_rn(q, u)), root);
        u = __fmaf_rn(u, cosine, pu);
        v = __fmaf_rn(v, cosine, pv);
        w = __fmaf_rn(w, cosine, -__fmul_rn(p, root));
      } else {
        u = p;
        v = q;
        w = w > 0.0f ? cosine : -cosine;
      }
    }
    const float loss = __fmul_rn(weight, here.absorption);
    atomicAdd(absorbed + voxel, __float2uint_rz(__fmul_rn(loss, 65536.0f)));
    weight = __fsub_rn(weight, loss);
    age = __fadd_rn(age, 1.0f);
    x = __fadd_rn(x, u);
    y = __fadd_rn(y, v);
    z = __fadd_rn(z, w);
    if (z < limits[0]) goto reflected;
    if (x < limits[1] || y < limits[2] || x >= limits[3] || y >= limits[4] || z >= limits[5] || weight < limits[6] ||
        age >= limits[7] || u == limits[8] || v == limits[9] || w == limits[10])
      goto finished;
  }

reflected:
  end[0] += 1;
  end[1] += __float2uint_rz(__fmul_rn(weight, 65536.0f));
finished:
  end[2] += 1;
  end[3] += __float2uint_rz(age);
  goto launch;
}
