// SPDX-License-Identifier: BSL-1.0
//
// The rules of instructions that threads execute together: barriers, votes, matches, reductions.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Parallel Synchronization and Communication Instructions".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

namespace rules {

// bar, barrier
constexpr std::string_view barrier(const operation& o) {
  if (o.barrier != barrier_op::red) {
    if (o.type != scalar_type::none || o.atomic != atomic_op::none) return "only .red has a result";
    return {};
  }
  if (o.atomic != atomic_op::popc && o.atomic != atomic_op::and_ && o.atomic != atomic_op::or_)
    return "it needs .popc, .and or .or";
  if ((o.atomic == atomic_op::popc) != (o.type == scalar_type::u32)) return "it needs .popc.u32, .and.pred or .or.pred";
  return {};
}

// vote
constexpr std::string_view vote(const operation& o) {
  if ((o.vote == vote_mode::ballot) != (o.type == scalar_type::b32)) return "it needs .pred, or .b32 with .ballot";
  return {};
}

// match
constexpr std::string_view match(const operation& o) {
  if (o.vote != vote_mode::all && o.vote != vote_mode::any) return "it needs .all or .any";
  return {};
}

// redux
constexpr std::string_view redux(const operation& o) {
  const bool logic = o.atomic == atomic_op::and_ || o.atomic == atomic_op::or_ || o.atomic == atomic_op::xor_;
  const bool number = o.atomic == atomic_op::add || o.atomic == atomic_op::min || o.atomic == atomic_op::max;
  if (!logic && !number) return "it needs .add, .min, .max, .and, .or or .xor";
  if (logic != (o.type == scalar_type::b32)) return "numbers are added and compared, bits combined";
  return {};
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
