// SPDX-License-Identifier: BSL-1.0
//
// Kernels that allocate: lists, and objects with virtual functions that one kernel makes and another one uses.
#include <stdlib.h>

struct node {
  unsigned value;
  node* next;
};

/// Thread t makes a list of t % n + 1 nodes.
extern "C" __global__ void build(node** heads, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  node* head = nullptr;
  for (unsigned i = 0; i <= t % n; ++i) {
    node* x = (node*)malloc(sizeof(node));
    if (x == nullptr) break;
    x->value = t + i;
    x->next = head;
    head = x;
  }
  heads[t] = head;
}

/// Sums the lists and frees them.
extern "C" __global__ void sum_and_free(node** heads, unsigned* sums) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (node* x = heads[t]; x != nullptr;) {
    sum += x->value;
    node* next = x->next;
    free(x);
    x = next;
  }
  sums[t] = sum;
}

struct shape {
  __device__ virtual unsigned area() const = 0;
  __device__ virtual ~shape() {}
};
struct square : shape {
  unsigned a;
  __device__ explicit square(unsigned x) : a(x) {}
  __device__ unsigned area() const override { return a * a; }
};
struct strip : shape {
  unsigned a;
  __device__ explicit strip(unsigned x) : a(x) {}
  __device__ unsigned area() const override { return a + 2; }
};

extern "C" __global__ void make_shapes(shape** s) {
  const unsigned t = threadIdx.x;
  s[t] = t % 3 == 0 ? (shape*)new square(t) : (shape*)new strip(t);
}
extern "C" __global__ void areas(shape** s, unsigned* out) { out[threadIdx.x] = s[threadIdx.x]->area(); }
extern "C" __global__ void delete_shapes(shape** s) { delete s[threadIdx.x]; }

/// Thread 1 does what is wrong: frees twice (0), uses what was freed (1), frees the middle (2) or other memory (3).
extern "C" __global__ void wrong(unsigned* out, unsigned how) {
  unsigned* p = (unsigned*)malloc(64);
  p[1] = 7;
  if (threadIdx.x == 1) {
    if (how < 2) free(p);
    if (how == 0) free(p);
    if (how == 1) *out = *(volatile unsigned*)(p + 1);
    if (how == 2) free(p + 1);
    if (how == 3) free(out);
  }
  if (threadIdx.x != 1) free(p);
}
