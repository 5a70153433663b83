// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/background_subtraction.cu: the mixture as a sorted list. Floats are computed as doubles and rounded
// once, which gives the singles that the kernel's instructions give.
#include "lab/references.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_background_subtraction {
namespace {

using std::uint32_t;

float rounded(double v) { return static_cast<float>(v); }
float times(float a, float b) { return rounded(double{a} * b); }
float plus(float a, float b) { return rounded(double{a} + b); }
float over(float a, float b) { return rounded(double{a} / b); }

struct colour {
  float x, y;
};
float dot(colour a, colour b) { return std::fma(a.x, b.x, times(a.y, b.y)); }

struct mode {
  float weight, variance;
  colour mean;
};

struct rates {
  float rate, prune, share;
};

class mixture {
 public:
  std::vector<mode> modes;

  // Takes the value in; true if it is one of the background's.
  bool update(colour value, const rates& r) {
    bool background = false;
    float total = 0;
    auto fit = modes.begin();
    for (; fit != modes.end(); ++fit) {
      const colour away{plus(value.x, -fit->mean.x), plus(value.y, -fit->mean.y)};
      const float square = dot(away, away);
      background |= total < r.share && square < times(16.0f, fit->variance);
      fit->weight = times(fit->weight, plus(1.0f, -r.rate));
      if (square < times(9.0f, fit->variance)) {
        fit->weight = plus(fit->weight, r.rate);
        const float gain = over(r.rate, fit->weight);
        fit->mean = {std::fma(gain, away.x, fit->mean.x), std::fma(gain, away.y, fit->mean.y)};
        fit->variance = std::clamp(std::fma(gain, plus(square, -fit->variance), fit->variance), 4.0f, 75.0f);
        break;
      }
      total = plus(total, fit->weight);
    }
    if (fit == modes.end()) {
      if (!modes.empty() && (modes.back().weight < r.prune || modes.size() == 4)) modes.pop_back();
      modes.push_back({modes.empty() ? 1.0f : r.rate, 15.0f, value});
      fit = modes.end() - 1;
    }
    // Before all modes that are not heavier.
    const auto place = std::partition_point(modes.begin(), fit, [&](const mode& m) { return m.weight > fit->weight; });
    std::rotate(place, fit, fit + 1);
    return background;
  }

  [[nodiscard]] bool is_shadow(colour value, const rates& r) const {
    float total = 0;
    for (const mode& m : modes) {
      const float norm = dot(m.mean, m.mean);
      if (norm == 0.0f) return false;
      const float ratio = over(dot(value, m.mean), norm);
      if (ratio <= 1.0f && ratio >= 0.5f) {
        const colour off{std::fma(ratio, m.mean.x, -value.x), std::fma(ratio, m.mean.y, -value.y)};
        if (dot(off, off) < times(4.0f * m.variance, times(ratio, ratio)) && m.weight >= r.prune) return true;
      }
      total = plus(total, m.weight);
      if (total > r.share) return false;
    }
    return false;
  }
};

void background_subtraction(host_launch& run) {
  const auto video = run.array<float>(0);
  auto mixtures = run.array<float>(1);
  auto used_modes = run.array<uint32_t>(2);
  auto masks = run.array<uint32_t>(3);
  const uint32_t frames = run.u32(4), pixels = run.threads();
  const rates r{run.f32(5), run.f32(6), run.f32(7)};
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    mixture its;
    const std::size_t first = std::size_t{16} * pixel;
    for (std::size_t at = first, end = first + std::size_t{4} * used_modes.get(pixel); at < end; at += 4)
      its.modes.push_back({mixtures.get(at), mixtures.get(at + 1), {mixtures.get(at + 2), mixtures.get(at + 3)}});
    uint32_t mask = 0;
    for (uint32_t frame = 0; frame < frames; ++frame) {
      const std::size_t place = 2 * (std::size_t{frame} * pixels + pixel);
      const colour value{video.get(place), video.get(place + 1)};
      const bool background = its.update(value, r);
      mask = mask * 4 + (background ? 0 : its.is_shadow(value, r) ? 2 : 1);
      if (frame % 16 == 15 || frame + 1 == frames) masks.set(std::size_t{frame / 16} * pixels + pixel, mask);
    }
    used_modes.set(pixel, static_cast<uint32_t>(its.modes.size()));
    for (std::size_t i = 0; i < its.modes.size(); ++i) {
      mixtures.set(first + 4 * i, its.modes[i].weight);
      mixtures.set(first + 4 * i + 1, its.modes[i].variance);
      mixtures.set(first + 4 * i + 2, its.modes[i].mean.x);
      mixtures.set(first + 4 * i + 3, its.modes[i].mean.y);
    }
  }
}

const reference registered("background_subtraction", background_subtraction);

}  // namespace
}  // namespace lab::of_background_subtraction
