// SPDX-License-Identifier: BSL-1.0
//
// The cost of an instruction for a warp, as a weight: how much is saved if two instructions become one. Only the
// proportions count. The weights are a parameter wherever they are used; there are three sets to start from.
//
//   melding_paper   loads and stores 100, division 20, multiplication 10, addition 5, all else 3: the weights of the
//                   published code of control-flow melding
//   standard        the same scale with the missing instructions: subtraction costs as much as addition, sums in double
//                   precision as much as products; roots, reciprocals, sines and the like as much as division; shared
//                   memory 30, constants and parameters 10, because the measured latencies of an arithmetic
//                   instruction, of shared memory and of a miss in the first cache are about 4, 20 to 30, and 200 and
//                   more on every generation that was measured
//   one_each        1: counts instructions
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: Control-flow melding for SIMT thread divergence reduction
// (2022), and its artifact; Z. Jia, M. Maggioni, B. Staiger, D. Scarpazza, Dissecting the NVIDIA Volta GPU architecture
// via microbenchmarking (2018); H. Abdelkhalik, Y. Arafa, N. Santhi, A. Badawy, Demystifying the NVIDIA Ampere
// architecture through microbenchmarking and instruction-level analysis (2022).
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The class of an operation. O(1).
[[nodiscard]] constexpr latency_class latency_class_of(const operation& o) {
  const latency_class c = detail::row_of(o).cost.latency;
  if (c == latency_class::add && o.type == scalar_type::f64) return latency_class::multiply;
  if (c != latency_class::memory) return c;
  switch (o.space) {
    case state_space::shared:
      return latency_class::shared;
    case state_space::param:
    case state_space::constant:
      return latency_class::constant;
    default:
      return latency_class::memory;
  }
}

/// A weight for each class.
struct latencies {
  /// By class.
  std::uint32_t of[static_cast<std::size_t>(latency_class::count)] = {3, 5, 10, 20, 100, 30, 10};

  /// The weight of a class.
  [[nodiscard]] constexpr std::uint32_t operator[](latency_class c) const { return of[static_cast<std::size_t>(c)]; }
  /// The weight of an operation.
  [[nodiscard]] constexpr std::uint32_t operator()(const operation& o) const { return (*this)[latency_class_of(o)]; }

  /// The default; see the top of this header for where the numbers come from.
  static constexpr latencies standard() { return {}; }
  /// The weights of the published code of control-flow melding.
  static constexpr latencies melding_paper() { return {{3, 5, 10, 20, 100, 100, 100}}; }
  /// Counts instructions.
  static constexpr latencies one_each() { return {{1, 1, 1, 1, 1, 1, 1}}; }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
