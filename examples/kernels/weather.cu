// SPDX-License-Identifier: BSL-1.0
//
// Clouds and rain in columns of air, a thread for each column: the microphysics of a weather model, much simplified.
// Stands for Weather Prediction (WP) in the coherent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011),
// in its thread blocks of 8 x 8. Each level asks many questions, nested in each other: is the air saturated, is there a
// cloud, does it rain, does it freeze? Neighbouring columns nearly always answer alike, because the answers depend on
// height more than on place: much control flow, little divergence, and much to lose for warps that are formed anew. At
// the end the rain falls, in as many steps as the heaviest rain of the column needs.
//
// A level's temperature (in degrees Celsius) and vapour start from profiles, to which the input adds differences.

extern "C" __global__ void weather(float* temperature, float* vapour, float* clouds, float* rain, float* snow,
                                   float* on_ground, unsigned levels) {
  const unsigned nx = gridDim.x * 8, columns = nx * gridDim.y * 8;
  const unsigned column = (blockIdx.y * 8 + threadIdx.y) * nx + blockIdx.x * 8 + threadIdx.x;
  float heaviest = 0.0f;
#pragma unroll 1
  for (unsigned level = levels; level-- != 0;) {
    const unsigned at = level * columns + column;
    const float height = static_cast<float>(level);
    float t = fmaf(height, -2.5f, 20.0f) + temperature[at];
    float v = 16.0f / fmaf(height, 0.2f, 1.0f) + vapour[at];
    float cloud = clouds[at], drops = rain[at], flakes = snow[at];

    // The most water that the air can hold, g/kg; warmer air holds more.
    const float saturated = t > -30.0f ? fmaf(t + 30.0f, fmaf(t + 30.0f, 0.006f, 0.02f), 0.3f) : 0.3f;
    const float excess = v - saturated;
    if (excess > 0.0f) {
      const float condensed = __fmul_rn(excess, 0.4f);
      v -= condensed;
      t = fmaf(condensed, 2.5f, t);
      cloud += condensed;
    } else if (cloud > 0.0f) {
      const float dried = fminf(cloud, 0.0f - excess);
      v += dried;
      t = fmaf(dried, -2.5f, t);
      cloud -= dried;
    }
    if (cloud > 0.5f) {  // droplets become drops
      const float grown = __fmul_rn(cloud - 0.5f, 0.2f);
      cloud -= grown;
      drops += grown;
    }
    if (drops > 0.0f) {
      if (cloud > 0.0f) {  // falling drops collect droplets
        const float collected = fminf(cloud, __fmul_rn(__fmul_rn(cloud, drops), 0.3f));
        cloud -= collected;
        drops += collected;
      } else if (excess < 0.0f) {  // or dry up
        const float dried = fminf(drops, __fmul_rn(excess, -0.05f));
        drops -= dried;
        v += dried;
      }
      if (t < 0.0f) {
        if (t < -20.0f) {
          flakes += drops;
          drops = 0.0f;
        } else {
          const float frozen = __fmul_rn(__fmul_rn(drops, t), -0.03f);
          flakes += frozen;
          drops -= frozen;
        }
      }
    }
    if (t > 0.0f && flakes > 0.0f) {
      const float melted = fminf(flakes, __fmul_rn(t, 0.05f));
      flakes -= melted;
      drops += melted;
      t = fmaf(melted, -0.3f, t);
    }
    heaviest = fmaxf(heaviest, drops);
    temperature[at] = t;
    vapour[at] = v;
    clouds[at] = cloud;
    rain[at] = drops;
    snow[at] = flakes;
  }

  const unsigned steps = 1 + static_cast<unsigned>(heaviest);
  const float share = 0.5f / static_cast<float>(steps);
  float fallen = on_ground[column];
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    float above = 0.0f;
#pragma unroll 1
    for (unsigned level = levels; level-- != 0;) {
      const unsigned at = level * columns + column;
      const float falls = __fmul_rn(rain[at], share);
      rain[at] = rain[at] - falls + above;
      above = falls;
    }
    fallen += above;
  }
  on_ground[column] = fallen;
}
