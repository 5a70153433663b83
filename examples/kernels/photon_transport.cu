// SPDX-License-Identifier: BSL-1.0
//
// X-ray photons through a body of voxels, standing for "photon-transport" of G. Diamos et al., "SIMD Re-Convergence At
// Thread Frontiers" (MICRO 2011); after A. Badal and A. Badano, "Accelerating Monte Carlo simulations of photon
// transport in a voxelized geometry using a massively parallel GPU" (Medical Physics 2009). A photon flies a random
// distance (Woodcock tracking: as if all matter were the densest), and what happens there decides: nothing, absorption,
// coherent or Compton scattering. break, continue and goto stand inside the conditions of nested loops, and every
// sampling loop rejects by chance, so hardly two lanes of a warp are at the same place.
//
// Free paths are drawn by von Neumann's comparison of uniform numbers and directions by rejection, so that no logarithm
// or sine is needed; every float operation names its rounding: a plain C++ program gets the same bits. The dose is
// summed in whole numbers: the order of threads does not matter.

__device__ __forceinline__ unsigned draw(unsigned& state) {  // 24 random bits (G. Marsaglia's xorshift)
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state >> 8;
}

__device__ __forceinline__ float uniform(unsigned& state) { return __fmul_rn(__uint2float_rn(draw(state)), 0x1p-24f); }

__device__ __forceinline__ float dot(float a, float b, float c, float x, float y, float z) {
  return __fmaf_rn(a, x, __fmaf_rn(b, y, __fmul_rn(c, z)));
}

// A material: the probability that a collision is real, that it is coherent if so, that it is absorption if not.
struct material {
  float real, coherent, absorbing;
};

extern "C" __global__ void photon_transport(const unsigned* voxels, const material* materials, const unsigned* seeds,
                                            unsigned* dose, unsigned* escaped, unsigned size, unsigned histories,
                                            float mean_free_path) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float extent = __uint2float_rn(size);
  unsigned random = seeds[thread];
  unsigned out = 0;
#pragma unroll 1
  for (unsigned history = 0; history < histories; ++history) {
    float x = __fmul_rn(extent, 0.5f), y = x, z = 0.0f;
    float u = 0.0f, v = 0.0f, w = 1.0f;
    float energy = 0.25f;  // in rest energies of the electron
    unsigned voxel;
    for (;;) {
      // The next collision: an exponential variate.
      unsigned whole = 0;
      for (;;) {
        const unsigned first = draw(random);
        unsigned last = first;
        unsigned falls = 0;
        for (;;) {
          const unsigned next = draw(random);
          if (next >= last) break;
          last = next;
          ++falls;
        }
        if ((falls & 1) == 0) {
          whole += first;
          break;
        }
        whole += 1u << 24;
      }
      const float path = __fmul_rn(__fmul_rn(__uint2float_rn(whole), 0x1p-24f), mean_free_path);
      x = __fmaf_rn(path, u, x);
      y = __fmaf_rn(path, v, y);
      z = __fmaf_rn(path, w, z);
      if (x < 0.0f || y < 0.0f || z < 0.0f || x >= extent || y >= extent || z >= extent) {
        out += 1;
        break;
      }
      voxel = (__float2uint_rz(z) * size + __float2uint_rz(y)) * size + __float2uint_rz(x);
      const material matter = materials[voxels[voxel]];
      if (uniform(random) >= matter.real) continue;  // nothing was there

      const bool coherent = uniform(random) < matter.coherent;
      if (!coherent && uniform(random) < matter.absorbing) goto absorbed;
      // Scattering: a direction at random, accepted as often as the cross section of its angle says.
      for (;;) {
        const float a = __fmaf_rn(2.0f, uniform(random), -1.0f);
        const float b = __fmaf_rn(2.0f, uniform(random), -1.0f);
        const float s = __fmaf_rn(a, a, __fmul_rn(b, b));
        if (s >= 1.0f) continue;
        const float root = __fmul_rn(2.0f, __fsqrt_rn(__fsub_rn(1.0f, s)));
        const float new_u = __fmul_rn(a, root);
        const float new_v = __fmul_rn(b, root);
        const float new_w = __fmaf_rn(-2.0f, s, 1.0f);
        const float cosine = dot(u, v, w, new_u, new_v, new_w);
        const float square = __fmul_rn(cosine, cosine);
        if (coherent) {
          if (__fmul_rn(2.0f, uniform(random)) >= __fadd_rn(1.0f, square)) continue;
        } else {
          // O. Klein and Y. Nishina; `kept` is the part of its energy that the photon keeps.
          const float kept = __fdiv_rn(1.0f, __fmaf_rn(energy, __fsub_rn(1.0f, cosine), 1.0f));
          const float sum = __fadd_rn(__fadd_rn(kept, __fdiv_rn(1.0f, kept)), __fsub_rn(square, 1.0f));
          if (__fmul_rn(2.0f, uniform(random)) >= __fmul_rn(__fmul_rn(kept, kept), sum)) continue;
          const float left = __fmul_rn(energy, kept);
          atomicAdd(dose + voxel, __float2uint_rz(__fmul_rn(__fsub_rn(energy, left), 65536.0f)));
          energy = left;
          if (energy < 0.02f) goto absorbed;  // too weak to follow
        }
        u = new_u;
        v = new_v;
        w = new_w;
        break;
      }
    }
    continue;

  absorbed:
    atomicAdd(dose + voxel, __float2uint_rz(__fmul_rn(energy, 65536.0f)));
  }
  escaped[thread] = out;
}
