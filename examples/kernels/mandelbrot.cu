// SPDX-License-Identifier: BSL-1.0
//
// Mandelbrot set, standing for "mandelbrot" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO
// 2011), with a pixel for each thread and two early exits from the iteration loop: a point that escapes goes on to a
// smoothing step, a point with an orbit that repeats goes on to measure its cycle's length. Both blocks lie after the
// loop and join only at the final store, so the immediate post-dominator of every test in the loop is the store: PDOM
// runs the smoothing step once per distinct escape time, while thread frontiers collect all leavers of a warp and run
// it once.
//
// Every float operation names its rounding, so that a plain C++ program gets the same bits.

extern "C" __global__ void mandelbrot(unsigned* image, unsigned* cycle, unsigned width, float left, float top,
                                      float step, unsigned limit) {
  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned py = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned pixel = py * width + px;
  const float cx = __fmaf_rn((float)px, step, left);
  const float cy = __fmaf_rn((float)py, step, top);

  float x = 0.0f, y = 0.0f;                  // the orbit
  float kept_x = 0.0f, kept_y = 0.0f;        // a point of the orbit to compare with
  unsigned until_kept = 1, span = 1;         // it is renewed after 1, 2, 4, ... steps
  unsigned colour = 0;
  for (unsigned n = 0; n < limit; ++n) {
    const float xx = __fmul_rn(x, x);
    const float yy = __fmul_rn(y, y);
    if (__fadd_rn(xx, yy) > 4.0f) {
      colour = n * 1000;
      goto escaped;
    }
    y = __fmaf_rn(__fadd_rn(x, x), y, cy);
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
    if (x == kept_x && y == kept_y) goto periodic;
    if (--until_kept == 0) {
      kept_x = x;
      kept_y = y;
      span *= 2;
      until_kept = span;
    }
  }
  colour = 0xFFFFFF;
  goto store;

escaped : {
  // How fast the point runs away beyond the limit: the exponent of |z|^2 after a few more steps.
#pragma unroll 1
  for (unsigned extra = 0; extra < 8; ++extra) {
    const float xx = __fmul_rn(x, x);
    const float yy = __fmul_rn(y, y);
    y = __fmaf_rn(__fadd_rn(x, x), y, cy);
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
  }
  colour += (__float_as_uint(__fmaf_rn(x, x, __fmul_rn(y, y))) >> 18) & 0x1FF;
  goto store;
}

periodic : {
  unsigned length = 0;
  do {
    const float xx = __fmul_rn(x, x);
    const float yy = __fmul_rn(y, y);
    y = __fmaf_rn(__fadd_rn(x, x), y, cy);
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
    ++length;
  } while (x != kept_x || y != kept_y);
  cycle[pixel] = length;
  colour = 0x800000 | length;
}

store:
  image[pixel] = colour;
}
