// SPDX-License-Identifier: BSL-1.0
//
// A register that an instruction reads or writes, with the value that it holds there.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The registers that an instruction reads or writes, each once, with the values.
struct register_value_ref {
  std::uint32_t reg = no_index;  ///< of the function; carry_register(): the carry flag
  value_id value = no_value;     ///< no_value in unreachable blocks, as what is read
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
