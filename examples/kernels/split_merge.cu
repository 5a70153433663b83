// SPDX-License-Identifier: BSL-1.0
//
// The micro-benchmark "split-merge" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011): every
// lane calls a virtual function of an object of its own class, so a warp splits into one group per class, and some of
// the functions call one shared function. The immediate post-dominator of the virtual call is its return, so PDOM runs
// the shared function once per class. Under thread frontiers the shared function's blocks wait until every function
// that may call it has done so, and all lanes that want it run it together.

// The shared function: heavy compared with its callers.
__device__ __noinline__ unsigned stretch(unsigned state, unsigned rounds) {
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    state ^= state >> 15;
    state *= 2246822519u;
    state ^= state >> 13;
  }
  return state;
}

struct cell {
  unsigned seed;
  __device__ explicit cell(unsigned s) : seed(s) {}
  __device__ virtual unsigned next(unsigned input) const = 0;
};

struct adder : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override { return stretch(input + seed, 8) + 1; }
};
struct mixer : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override { return stretch(input ^ seed, 8) * 3; }
};
struct scaler : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override { return ~stretch(input * (seed | 1), 8); }
};
struct filter : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override {
    if ((input & 3) == 0) return seed;  // these lanes go home alone
    return stretch(input - seed, 8) >> 1;
  }
};
struct constant : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override { return seed + (input & 15); }
};
struct counter : cell {
  using cell::cell;
  __device__ unsigned next(unsigned input) const override { return __popc(input) + seed; }
};

extern "C" __global__ void split_merge(const unsigned* kinds, const unsigned* seeds, unsigned* result,
                                       unsigned per_thread) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned seed = seeds[thread];
  alignas(cell) char place[sizeof(adder)];
  switch (kinds[thread]) {
    case 0: new (place) adder(seed); break;
    case 1: new (place) mixer(seed); break;
    case 2: new (place) scaler(seed); break;
    case 3: new (place) filter(seed); break;
    case 4: new (place) constant(seed); break;
    default: new (place) counter(seed); break;
  }
  const cell* object = reinterpret_cast<const cell*>(place);
  asm volatile("" : "+l"(object) : : "memory");  // from here on the compiler cannot know the object's class
  unsigned state = thread;
#pragma unroll 1
  for (unsigned i = 0; i < per_thread; ++i) state += object->next(state + i);
  result[thread] = state;
}
