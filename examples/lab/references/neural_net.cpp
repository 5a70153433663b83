// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/neural_net.cu: layer by layer, each over all images.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace lab::of_neural_net {
namespace {

float activation(float x) { return x / (1 + std::fabs(x)); }

void neural_net(host_launch& run) {
  constexpr std::size_t maps = 6;
  const auto images = run.array<float>(0);
  const auto kernels = run.array<float>(1);
  const auto weights = run.array<float>(2);
  auto outputs = run.array<float>(3);
  const std::size_t count = run.grid(0);
  std::vector<float> neurons(count * maps * 16), sums(count * 16);
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    const std::size_t image = n / (maps * 16), map = n / 16 % maps, y = n % 16 / 4, x = n % 4;
    neurons[n] = kernels.get(map * 10 + 9);
    for (std::size_t k = 0; k < 9; ++k)
      neurons[n] =
          std::fma(kernels.get(map * 10 + k), images.get(image * 81 + (2 * y + k / 3) * 9 + 2 * x + k % 3), neurons[n]);
  }
  for (std::size_t n = 0; n < neurons.size(); ++n)
    for (std::size_t output = 0; output < 16; ++output) {
      float& sum = sums[n / (maps * 16) * 16 + output];
      sum = std::fma(activation(neurons[n]), weights.get(n % (maps * 16) * 16 + output), sum);
    }
  for (std::size_t i = 0; i < sums.size(); ++i) outputs.set(i, activation(sums[i]));
}

const reference registered("neural_net", neural_net);

}  // namespace
}  // namespace lab::of_neural_net
