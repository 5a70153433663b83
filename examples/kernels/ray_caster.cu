// SPDX-License-Identifier: BSL-1.0
//
// A ray caster over a bounding volume hierarchy, standing for "raytrace" (CUDA Renderer) of G. Diamos et al., "SIMD
// Re-Convergence At Thread Frontiers" (MICRO 2011) and "ray" of the linearization paper; after T. Tsiodras' renderer.
// As there, templates unroll the recursion over the hierarchy: every level is code of its own, with a chain of
// short-circuit tests and early returns. A ray that meets a sphere sends a second one towards the light, which returns
// through all levels as soon as anything is in its way.
//
// The spheres lie along Morton's curve, so the hierarchy is a heap, and each thread block makes the boxes level by
// level in shared memory. Boxes are read side by side when a test needs them, so every test is a branch. They are a
// little too large, so that rounding never loses a sphere, and every float operation names its rounding: a plain C++
// program that asks every ray for every sphere gets the same bits.

constexpr unsigned levels = 5;
constexpr unsigned spheres = 1u << levels;

struct sphere {
  float centre[3];
  float radius;
};

struct box {
  float low[3], high[3];
};

struct ray {
  float from[3], way[3], inverse[3];
  bool any;         // whether one hit is enough
  unsigned ignore;  // the sphere it starts from
  float nearest;    // in multiples of `way`
  unsigned hit;     // the sphere there
};

__device__ __forceinline__ float dot(const float (&a)[3], const float (&b)[3]) {
  return __fmaf_rn(a[0], b[0], __fmaf_rn(a[1], b[1], __fmul_rn(a[2], b[2])));
}

__device__ __forceinline__ bool misses(const ray& r, const volatile box& b) {
  float first = 0.0f, last = r.nearest;
#pragma unroll
  for (unsigned axis = 0; axis < 3; ++axis) {
    const bool forward = r.way[axis] >= 0.0f;
    const float enter = __fmul_rn(__fsub_rn(forward ? b.low[axis] : b.high[axis], r.from[axis]), r.inverse[axis]);
    if (enter > last) return true;
    first = fmaxf(first, enter);
    const float leave = __fmul_rn(__fsub_rn(forward ? b.high[axis] : b.low[axis], r.from[axis]), r.inverse[axis]);
    if (leave < first) return true;
    last = fminf(last, leave);
  }
  return false;
}

// Looks at what is below the node; true: the ray needs to know no more.
template <unsigned Level>
struct hierarchy {
  static __device__ __forceinline__ bool visit(ray& r, unsigned node, const volatile box* boxes,
                                               const volatile sphere* all) {
    if (misses(r, boxes[node])) return false;
#pragma unroll 1
    for (unsigned side = 0; side < 2; ++side)
      if (hierarchy<Level - 1>::visit(r, 2 * node + side, boxes, all)) return true;
    return false;
  }
};

template <>
struct hierarchy<0> {
  static __device__ __forceinline__ bool visit(ray& r, unsigned node, const volatile box*, const volatile sphere* all) {
    const unsigned which = node - spheres;
    if (which == r.ignore) return false;
    const volatile sphere& s = all[which];
    const float to[3] = {__fsub_rn(s.centre[0], r.from[0]), __fsub_rn(s.centre[1], r.from[1]),
                         __fsub_rn(s.centre[2], r.from[2])};
    const float along = dot(to, r.way);
    if (along <= 0.0f) return false;  // on the other side
    const float length2 = dot(r.way, r.way);
    const float radius = s.radius;
    const float outside = __fmaf_rn(-radius, radius, dot(to, to));
    const float discriminant = __fmaf_rn(along, along, -__fmul_rn(length2, outside));
    if (discriminant < 0.0f) return false;  // past it
    const float at = __fdiv_rn(__fsub_rn(along, __fsqrt_rn(discriminant)), length2);
    if (at <= 0.0f || at > r.nearest || (at == r.nearest && which > r.hit)) return false;
    r.nearest = at;
    r.hit = which;
    return r.any;
  }
};

extern "C" __global__ void ray_caster(const float* places, unsigned* image, unsigned width) {
  __shared__ volatile sphere all[spheres];
  __shared__ volatile box boxes[2 * spheres];
  const unsigned me = threadIdx.y * blockDim.x + threadIdx.x;
  if (me < spheres) {
    // One sphere in each cell of a grid of 4 x 4 x 2, of side 256; me is the cell's Morton code.
    const unsigned cell[3] = {(me & 1) | (me >> 2 & 2), (me >> 1 & 1) | (me >> 3 & 2), me >> 2 & 1};
    const float radius = __fmaf_rn(places[4 * me + 3], 64.0f, 48.0f);
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) {
      const float centre = __fmul_rn(__fadd_rn(__uint2float_rn(cell[axis]), places[4 * me + axis]), 256.0f);
      all[me].centre[axis] = centre;
      boxes[spheres + me].low[axis] = __fsub_rn(__fsub_rn(centre, radius), 1.0f);
      boxes[spheres + me].high[axis] = __fadd_rn(__fadd_rn(centre, radius), 1.0f);
    }
    all[me].radius = radius;
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned first = spheres / 2; first > 0; first /= 2) {
    if (me < first) {
      const unsigned node = first + me;
#pragma unroll
      for (unsigned axis = 0; axis < 3; ++axis) {
        boxes[node].low[axis] = fminf(boxes[2 * node].low[axis], boxes[2 * node + 1].low[axis]);
        boxes[node].high[axis] = fmaxf(boxes[2 * node].high[axis], boxes[2 * node + 1].high[axis]);
      }
    }
    __syncthreads();
  }

  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned py = blockIdx.y * blockDim.y + threadIdx.y;
  const float middle = __fmul_rn(__uint2float_rn(width), 0.5f);
  ray r = {{512.0f, 512.0f, -700.0f},
           {__fadd_rn(__fsub_rn(__uint2float_rn(px), middle), 0.375f),
            __fadd_rn(__fsub_rn(__uint2float_rn(py), middle), 0.375f), __uint2float_rn(width)},
           {},
           false,
           spheres,
           1e30f,
           spheres};
  unsigned colour = 0;
#pragma unroll 1
  for (unsigned pass = 0; pass < 2; ++pass) {
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) r.inverse[axis] = __fdiv_rn(1.0f, r.way[axis]);
    if (hierarchy<levels>::visit(r, 1, boxes, all)) break;  // in the shadow
    if (r.any) {
      colour |= 1u << 31;
      break;
    }
    if (r.hit == spheres) break;  // nothing there
    colour = (r.hit + 1) << 20 | __float2uint_rz(__fmul_rn(r.nearest, 1024.0f));
    const float light[3] = {0.5f, -1.0f, -0.75f};
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) {
      r.from[axis] = __fmaf_rn(r.nearest, r.way[axis], r.from[axis]);
      r.way[axis] = light[axis];
    }
    r.any = true;
    r.ignore = r.hit;
    r.nearest = 1e30f;
  }
  image[py * width + px] = colour;
}
