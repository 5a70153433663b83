// SPDX-License-Identifier: BSL-1.0
//
// The facts about instructions that a melding_model keeps: their class, whether they can move, and what their operands
// hold.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

struct meldable_tables {
  struct facts_of {
    std::uint32_t group = 0;
    std::uint32_t first_source = 0, sources = 0;
    bool pinned = false;
    bool speculatable = false;
  };
  // The content of an operand: a value that is computed in `block`, or something that is the same everywhere.
  struct source_key {
    std::uint32_t kind = 0;
    std::uint64_t value = 0;
    block_id block = no_block;
    std::uint32_t selects = 1;
  };

  std::vector<facts_of> facts;  // by instruction
  std::vector<source_key> sources;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
