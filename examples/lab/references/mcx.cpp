// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/mcx.cu: one packet after the other. Floats are computed as doubles and rounded once, which gives the
// singles that the kernel's instructions give.
#include "lab/references.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab::of_mcx {
namespace {

using std::uint32_t;

float rounded(double v) { return static_cast<float>(v); }
float times(float a, float b) { return rounded(double{a} * b); }
float plus(float a, float b) { return rounded(double{a} + b); }
float over(float a, float b) { return rounded(double{a} / b); }

class randomness {
 public:
  explicit randomness(const std::array<uint32_t, 4>& seed) : state_(seed) {}
  float uniform() {
    const uint32_t t = state_[0] ^ (state_[0] << 11);
    std::rotate(state_.begin(), state_.begin() + 1, state_.end());
    state_[3] = state_[2] ^ (state_[2] >> 19) ^ t ^ (t >> 8);
    return std::ldexp(static_cast<float>(state_[3] >> 8), -24);
  }
  float symmetric() { return std::fma(2.0f, uniform(), -1.0f); }

 private:
  std::array<uint32_t, 4> state_;
};

struct direction {
  float u, v, w;

  void turn(float g, randomness& random) {
    const float g2 = times(g, g);
    const float part = over(plus(1.0f, -g2), std::fma(2.0f * g, random.uniform(), plus(1.0f, -g)));
    const float cosine = over(plus(plus(1.0f, g2), -times(part, part)), 2.0f * g);
    const float sine = std::sqrt(std::max(std::fma(-cosine, cosine, 1.0f), 0.0f));
    float a = 0, b = 0, s = 1;
    while (s >= 1.0f || s < 0.0001f) {
      a = random.symmetric();
      b = random.symmetric();
      s = std::fma(a, a, times(b, b));
    }
    // Sine times the cosine and the sine of twice the angle of (a, b).
    const float p = times(sine, over(std::fma(a, a, -times(b, b)), s));
    const float q = times(sine, over(times(2.0f * a, b), s));
    const float level = std::fma(-w, w, 1.0f);
    if (level <= 0.0001f) {
      *this = {p, q, w > 0 ? cosine : -cosine};
      return;
    }
    const float root = std::sqrt(level);
    const float pu = over(std::fma(times(p, u), w, -times(q, v)), root);
    const float pv = over(std::fma(times(p, v), w, times(q, u)), root);
    *this = {std::fma(u, cosine, pu), std::fma(v, cosine, pv), std::fma(w, cosine, -times(p, root))};
  }
};

void mcx(host_launch& run) {
  const auto voxels = run.array<uint32_t>(0);
  const auto media = run.array<float>(1);
  const auto limits = run.array<float>(2);
  const auto seeds = run.array<uint32_t>(3);
  auto absorbed = run.array<uint32_t>(4);
  auto ends = run.array<uint32_t>(5);
  const uint32_t size = run.u32(6), packets = run.u32(7);
  const float middle = static_cast<float>(size) / 2;
  const auto add = [](host_array<uint32_t>& to, std::size_t i, uint32_t v) { to.set(i, to.get(i) + v); };
  const auto whole = [](float at) { return static_cast<std::size_t>(at); };

  for (std::size_t t = 0; t < run.threads(); ++t) {
    randomness random({seeds.get(4 * t), seeds.get(4 * t + 1), seeds.get(4 * t + 2), seeds.get(4 * t + 3)});
    for (uint32_t packet = 0; packet < packets; ++packet) {
      float x = plus(middle, random.uniform()), y = plus(middle, random.uniform()), z = 0;
      direction way{0, 0, 1};
      float weight = 1;
      uint32_t age = 0;
      bool reflected = false, finished = false;
      while (!reflected && !finished) {
        const std::size_t voxel = (whole(z) * size + whole(y)) * size + whole(x);
        const std::size_t medium = std::size_t{3} * voxels.get(voxel);
        if (random.uniform() < media.get(medium + 1)) way.turn(media.get(medium + 2), random);
        const float loss = times(weight, media.get(medium));
        add(absorbed, voxel, static_cast<uint32_t>(loss * 65536.0f));
        weight = plus(weight, -loss);
        ++age;
        x = plus(x, way.u);
        y = plus(y, way.v);
        z = plus(z, way.w);
        reflected = z < limits.get(0);
        finished = x < limits.get(1) || y < limits.get(2) || x >= limits.get(3) || y >= limits.get(4) ||
                   z >= limits.get(5) || weight < limits.get(6) || static_cast<float>(age) >= limits.get(7) ||
                   way.u == limits.get(8) || way.v == limits.get(9) || way.w == limits.get(10);
      }
      if (reflected) {
        add(ends, 4 * t, 1);
        add(ends, 4 * t + 1, static_cast<uint32_t>(weight * 65536.0f));
      }
      add(ends, 4 * t + 2, 1);
      add(ends, 4 * t + 3, age);
    }
  }
}

const reference registered("mcx", mcx);

}  // namespace
}  // namespace lab::of_mcx
