// SPDX-License-Identifier: BSL-1.0
//
// Molecular dynamics: forces between the atoms of a cell and atoms of a neighbouring cell that are nearer than the
// cut-off. Stands for NAMD in the divergent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011), in its
// thread blocks of 64. A thread has an atom, the thread block holds the other cell's atoms in shared memory, and all
// threads walk through them together. Divergence: few pairs are near enough, of these some are excluded (atoms that are
// bound to each other) and some scaled, and a cell may have fewer atoms than the thread block has threads. Thread block
// b has cell b against cell b + 1, or against itself if b is odd.
//
// Bit k of an atom's exclusions is about the atom that comes k - 16 after it in its own cell.

struct atom {
  float x, y, z, charge;
};

__device__ __forceinline__ atom load(const float* positions, const float* charges, unsigned i) {
  return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], charges[i]};
}

extern "C" __global__ void nonbonded(const float* positions, const float* charges, const unsigned* first_atom,
                                     const unsigned* exclusions, float* forces, float side, float cut_off,
                                     float mixed) {
  __shared__ atom others[64];
  const bool same = blockIdx.x % 2 == 1;
  const unsigned cell = blockIdx.x, other = same ? cell : cell + 1;
  const unsigned first = first_atom[cell], count = first_atom[cell + 1] - first;
  const unsigned first_other = first_atom[other], count_other = first_atom[other + 1] - first_other;
  const unsigned me = threadIdx.x;
  const float shift = same ? 0.0f : side;  // the other cell is the next one along x
  if (me < count_other) {
    others[me] = load(positions, charges, first_other + me);
    others[me].x += shift;
  }
  __syncthreads();
  if (me >= count) return;

  const atom own = load(positions, charges, first + me);
  const unsigned excluded = same ? exclusions[first + me] : 0;
  const float reach = __fmul_rn(cut_off, cut_off);
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll 1
  for (unsigned j = 0; j < count_other; ++j) {
    const atom that = others[j];
    const float dx = own.x - that.x, dy = own.y - that.y, dz = own.z - that.z;
    const float square = fmaf(dx, dx, fmaf(dy, dy, __fmul_rn(dz, dz)));
    if (square < reach && !(same && j == me)) {
      const float inverse = 1.0f / fmaxf(square, 0.5f);
      const float power6 = __fmul_rn(__fmul_rn(inverse, inverse), inverse);
      float strength = __fmul_rn(__fmul_rn(own.charge, that.charge), __fmul_rn(inverse, sqrtf(inverse)));
      const unsigned place = j - me + 16;
      if (place < 32 && (excluded >> place & 1) != 0) {
        strength = __fmul_rn(strength, mixed);
      } else {
        const float repulsion = fmaf(power6, 2.0f, -1.0f);
        strength = fmaf(__fmul_rn(__fmul_rn(power6, repulsion), inverse), 24.0f, strength);
        if (square > 0.5f * reach) {  // fade out towards the cut-off
          const float left = __fmul_rn(reach - square, 2.0f / reach);
          strength = __fmul_rn(__fmul_rn(strength, left), fmaf(left, -2.0f, 3.0f));
        }
      }
      fx = fmaf(dx, strength, fx);
      fy = fmaf(dy, strength, fy);
      fz = fmaf(dz, strength, fz);
    }
  }
  float* force = forces + 3 * (first + me);
  force[0] = fx;
  force[1] = fy;
  force[2] = fz;
}
