// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/def_use.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/detail/register_mentions.hpp>
#include <simtflow/ptx/transform/detail/ssa_builder.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

SIMTFLOW_INLINE def_use::def_use(const checked_function& f) {
  t_.carry = static_cast<std::uint32_t>(f.text().registers.size());
  detail::register_mentions mentions(t_);
  mentions.read_text(f);
  detail::ssa_builder(t_, mentions).build(f.text(), f.blocks().graph());
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
