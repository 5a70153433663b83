// SPDX-License-Identifier: BSL-1.0
//
// The rules of instructions on memory.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Data Movement and Conversion Instructions", "Parallel
// Synchronization and Communication Instructions".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

namespace rules {

// ld, st
constexpr std::string_view access(const operation& o) {
  const scalar_info t = info(o.type);
  if (o.name == mnemonic::st && o.space == state_space::constant) return "constants cannot be stored to";
  if (o.space == state_space::reg) return "registers have no address";
  if (o.width > 1 && (t.size == 16 || t.size * o.width > 32)) return "that vector is too large";
  if (t.size * o.width > 16 && o.space != state_space::global && o.space != state_space::generic)
    return "vectors of 32 bytes are in global memory";
  return {};
}

// atom, red
constexpr std::string_view atomic(const operation& o) {
  const scalar_info t = info(o.type);
  const bool half = is_half(o.type);
  const bool floating = t.kind == type_class::floating;
  if (o.atomic == atomic_op::none || o.atomic == atomic_op::popc) return "it needs an operation";
  if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::shared)
    return "atomics work on global and shared memory";
  if (o.name == mnemonic::red && (o.atomic == atomic_op::exch || o.atomic == atomic_op::cas))
    return "it has no result to return";
  if (t.size == 16 && o.atomic != atomic_op::exch && o.atomic != atomic_op::cas)
    return "128 bits can only be exchanged, or compared and swapped";
  if (o.width > 1) {
    if (o.type != scalar_type::f32 && !half) return "vectors are of .f32 or half precision";
    if (t.size * o.width > 16) return "that vector is too large";
    if (o.space == state_space::shared) return "vectors are in global memory";
  }
  if (half && o.atomic != atomic_op::add && o.atomic != atomic_op::min && o.atomic != atomic_op::max)
    return "half precision can only be added or compared";
  if (floating && !half && o.atomic != atomic_op::add) return "floating point can only be added";
  if (t.size == 2 && !half && o.atomic != atomic_op::cas) return "16 bits can only be compared and swapped";
  if ((o.atomic == atomic_op::inc || o.atomic == atomic_op::dec) && o.type != scalar_type::u32)
    return ".inc and .dec need .u32";
  if ((o.atomic == atomic_op::add || o.atomic == atomic_op::min || o.atomic == atomic_op::max) &&
      t.kind == type_class::bits)
    return "it needs a typed operand";
  return {};
}

// prefetch, applypriority, discard
constexpr std::string_view prefetch(const operation& o) {
  if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::local)
    return "it needs .global or .local";
  return {};
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
