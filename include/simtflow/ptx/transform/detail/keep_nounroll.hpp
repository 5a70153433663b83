// SPDX-License-Identifier: BSL-1.0
//
// .pragma "nounroll" at loops that a transform has written. Without it ptxas unrolls loops which the compiler of the
// text has unrolled already, or did not want to, and they take many more registers.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// If `from` has the pragma somewhere, every label of `to` gets it to which a later branch jumps back: a transform that
// changes loops does not know which loop of `from` is which. Linear in both texts.
inline void keep_nounroll(const function& from, function& to) {
  if (std::none_of(from.labels.begin(), from.labels.end(), [](const label& l) { return l.no_unroll; })) return;
  for (std::uint32_t i = 0; i < to.instructions.size(); ++i) {
    if (opcode_head(to.instructions[i]) != "bra") continue;
    label& at = to.labels[to.operands_of(to.instructions[i])[0].index];
    if (at.instruction <= i) at.no_unroll = true;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
