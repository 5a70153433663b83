// SPDX-License-Identifier: BSL-1.0
//
// Ray tracing with persistent threads: a warp stays for the whole launch and takes its work, 32 rays at a time, from a
// queue. Its lane 0 is the manager that draws the next rays for all. Stands for Ray Tracing (NVRT) in the divergent set
// of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011), in its thread blocks of 32 x 6. Divergence: rays are of
// different length.
//
// No __syncwarp() stands between the manager's store and the workers' load: the code relies on a warp that waits for
// its manager at the end of the `if`, and for all its rays at the end of the loop that follows them. A reconvergence
// stack does both. Plain dynamic warp formation does neither: a worker with a finished ray goes ahead with rays that
// nobody has drawn yet, which is how NVRT fails in the paper; here their number lies far beyond the last ray, so the
// run ends in a fault and not in a wrong picture. Warp barriers (DWF-WB) repair it. Policies that never join threads
// fail as well, and so does a stack that ends the wait at a reconvergence point by a time-out (ElTantawy, Aamodt, MICRO
// 2016), once a ray is long enough. A program for today's GPUs needs __syncwarp().
//
// The original has one slot a warp, here each round has a slot of its own. Thus the order "one lane after the other,
// the manager first" is right as well, and so is any other that never lets a worker overtake its manager: scheduling by
// fewest post-dominators passed happens to be one. The number of rays is a multiple of 32.

constexpr unsigned not_drawn = 0x10000000, no_more = 0xFFFFFFFF;
constexpr unsigned edge = 16;  // the scene is a cube of so many cells, of 256 units each; a cell of value 0 is solid

// The end of a ray: the cell and the number of steps.
__device__ __forceinline__ unsigned trace(const unsigned* scene, unsigned origin, unsigned direction) {
  unsigned at[3], step[3];
#pragma unroll
  for (unsigned axis = 0; axis < 3; ++axis) {
    at[axis] = (origin >> 10 * axis & 1023) * 4;
    const unsigned length = (direction >> 8 * axis & 127) + 32;
    step[axis] = (direction >> (8 * axis + 7) & 1) != 0 ? length : 0 - length;
  }
  unsigned steps = 0, cell = 0;
#pragma unroll 1
  do {
    ++steps;
    at[0] += step[0];
    at[1] += step[1];
    at[2] += step[2];
    if ((at[0] | at[1] | at[2]) >= edge * 256) return steps << 16 | 0xFFFF;  // out of the scene
    cell = (at[2] / 256 * edge + at[1] / 256) * edge + at[0] / 256;
  } while (scene[cell] != 0);
  return steps << 16 | cell;
}

extern "C" __global__ void ray_queue(const unsigned* origins, const unsigned* directions, const unsigned* scene,
                                     unsigned* hits, unsigned* next_ray, unsigned rays) {
  extern __shared__ volatile unsigned drawn[];  // by warp and round: the first ray
  const unsigned lane = threadIdx.x, slots = rays / 32 + 1;
  volatile unsigned* mine = drawn + threadIdx.y * slots;
#pragma unroll 1
  for (unsigned i = lane; i < slots; i += 32) mine[i] = not_drawn;
  __syncthreads();

#pragma unroll 1
  for (unsigned round = 0;; ++round) {
    if (lane == 0) {
      const unsigned first = atomicAdd(next_ray, 32);
      mine[round] = first < rays ? first : no_more;
    }
    const unsigned first = mine[round];
    if (first == no_more) break;
    const unsigned ray = first + lane;
    hits[ray] = trace(scene, origins[ray], directions[ray]);
  }
}
