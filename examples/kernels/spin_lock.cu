// SPDX-License-Identifier: BSL-1.0
//
// The textbook spin lock: a thread takes the lock, adds to what the lock guards, gives the lock back. The old value is
// read and written back in two steps, so two threads in the critical section at once would lose an increment.
//
// Lanes of one warp contend for the lock. A mechanism that holds the owner at the end of the loop until the other lanes
// come out of it never frees the lock: that is a livelock on GPUs before Volta, and documented as safe since. How to
// write it for both is shown in spin_lock_flag.cu.
extern "C" __global__ void spin_lock(unsigned* lock, volatile unsigned* sum, unsigned* out, const unsigned* in) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  __threadfence();
  const unsigned before = *sum;
  *sum = before + in[t];
  __threadfence();
  atomicExch(lock, 0u);
  out[t] = in[t] ^ 1u;
}
