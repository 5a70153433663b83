// SPDX-License-Identifier: BSL-1.0
//
// The pixels of a video that belong to the background, standing for "background-subtraction" of G. Diamos et al., "SIMD
// Re-Convergence At Thread Frontiers" (MICRO 2011); after Z. Zivkovic, "Improved adaptive Gaussian mixture model for
// background subtraction" (ICPR 2004). One pixel of two colours per thread, a mixture of up to four Gaussian modes a
// pixel, sorted by weight. Conditions are compound, and the loops over the modes leave early: the search for a fitting
// mode, the sorting, and the shadow test, which ends in three different places. All modes stay in memory.
//
// Every float operation names its rounding: a plain C++ program gets the same bits.

struct mode {
  float weight, variance;
  float mean[2];
};

constexpr unsigned most_modes = 4;

extern "C" __global__ void background_subtraction(const float2* video, mode* mixtures, unsigned* used_modes,
                                                  unsigned* masks, unsigned frames, float rate, float prune,
                                                  float share) {
  const unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pixels = gridDim.x * blockDim.x;
  volatile mode* modes = mixtures + most_modes * pixel;
  unsigned used = used_modes[pixel];
  unsigned mask = 0;  // two bits a frame: 0 background, 1 foreground, 2 shadow
#pragma unroll 1
  for (unsigned frame = 0; frame < frames; ++frame) {
    const float2 value = video[frame * pixels + pixel];
    bool background = false;
    unsigned verdict = 0;
    float total = 0.0f;
    unsigned m = 0;
    // Does a mode fit? The modes before it lose weight.
#pragma unroll 1
    for (; m < used; ++m) {
      const float faded = __fmul_rn(modes[m].weight, __fsub_rn(1.0f, rate));
      const float x = __fsub_rn(value.x, modes[m].mean[0]);
      const float y = __fsub_rn(value.y, modes[m].mean[1]);
      const float square = __fmaf_rn(x, x, __fmul_rn(y, y));
      const float variance = modes[m].variance;
      if (total < share && square < __fmul_rn(16.0f, variance)) background = true;
      if (square < __fmul_rn(9.0f, variance)) {
        const float weight = __fadd_rn(faded, rate);
        const float gain = __fdiv_rn(rate, weight);
        modes[m].mean[0] = __fmaf_rn(gain, x, modes[m].mean[0]);
        modes[m].mean[1] = __fmaf_rn(gain, y, modes[m].mean[1]);
        modes[m].variance = fminf(fmaxf(__fmaf_rn(gain, __fsub_rn(square, variance), variance), 4.0f), 75.0f);
        modes[m].weight = weight;
        goto sort;
      }
      modes[m].weight = faded;
      total = __fadd_rn(total, faded);
      if (faded < prune && m + 1 == used) {
        --used;  // the last one is hardly ever seen
        break;
      }
    }
    // None fits: a new mode, in the place of the weakest if there is no room.
    if (used < most_modes) ++used;
    m = used - 1;
    modes[m].weight = m == 0 ? 1.0f : rate;
    modes[m].variance = 15.0f;
    modes[m].mean[0] = value.x;
    modes[m].mean[1] = value.y;
  sort:
#pragma unroll 1
    for (; m > 0; --m) {
      const float weight = modes[m].weight;
      const float before = modes[m - 1].weight;
      if (weight < before) break;
      const float variance = modes[m].variance;
      const float x = modes[m].mean[0];
      const float y = modes[m].mean[1];
      modes[m].weight = before;
      modes[m].variance = modes[m - 1].variance;
      modes[m].mean[0] = modes[m - 1].mean[0];
      modes[m].mean[1] = modes[m - 1].mean[1];
      modes[m - 1].weight = weight;
      modes[m - 1].variance = variance;
      modes[m - 1].mean[0] = x;
      modes[m - 1].mean[1] = y;
    }
    if (background) goto store;

    // A shadow has the colour of the background, but is darker.
    total = 0.0f;
#pragma unroll 1
    for (m = 0; m < used; ++m) {
      const float x = modes[m].mean[0];
      const float y = modes[m].mean[1];
      const float norm = __fmaf_rn(x, x, __fmul_rn(y, y));
      if (norm == 0.0f) goto foreground;
      const float ratio = __fdiv_rn(__fmaf_rn(value.x, x, __fmul_rn(value.y, y)), norm);
      if (ratio <= 1.0f && ratio >= 0.5f) {
        const float off_x = __fmaf_rn(ratio, x, -value.x);
        const float off_y = __fmaf_rn(ratio, y, -value.y);
        const float off = __fmaf_rn(off_x, off_x, __fmul_rn(off_y, off_y));
        const float limit = __fmul_rn(__fmul_rn(4.0f, modes[m].variance), __fmul_rn(ratio, ratio));
        if (off < limit && modes[m].weight >= prune) {
          verdict = 2;
          goto store;
        }
      }
      total = __fadd_rn(total, modes[m].weight);
      if (total > share) goto foreground;
    }
  foreground:
    verdict = 1;
  store:
    mask = mask << 2 | verdict;
    if (frame % 16 == 15 || frame + 1 == frames) masks[frame / 16 * pixels + pixel] = mask;
  }
  used_modes[pixel] = used;
}
