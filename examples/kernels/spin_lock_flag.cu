// SPDX-License-Identifier: BSL-1.0
//
// The spin lock that is safe under every mechanism: the critical section and the release lie inside the loop, and a
// thread that has been there leaves it with the next test of its flag. Lanes that failed to take the lock come to that
// test together with the lane that has just given it back, so no lane waits for lanes that wait for it. (spin_lock.cu
// is the textbook form.)
//
// How many turns of the loop a thread takes depends on who runs when, and so do the numbers of executed instructions.
extern "C" __global__ void spin_lock_flag(unsigned* lock, volatile unsigned* sum, unsigned* out, const unsigned* in) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0u, 1u) == 0u) {
      __threadfence();
      const unsigned before = *sum;
      *sum = before + in[t];
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
  }
  out[t] = in[t] ^ 1u;
}
