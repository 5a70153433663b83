// SPDX-License-Identifier: BSL-1.0
//
// The content of a def_use, as its two phases fill it: values, and the registers that instructions read and write.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/register_value_ref.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Value 0 is what registers hold at the beginning, value 1 the parameters.
struct def_use_tables {
  struct value {
    block_id block = 0;
    std::uint32_t instruction = no_index;
    std::uint32_t reg = no_index;
    std::uint32_t first = 0, count = 0;  // in operands or inputs
    bool phi = false;
    bool source = false;
  };
  struct row {
    std::uint32_t first = 0, reads = 0, writes = 0;  // in refs: what is read, then what is written
    std::uint32_t needed = 0;                        // of what is read, as many from the first on are operands
  };

  [[nodiscard]] std::span<const register_value_ref> reads(std::uint32_t instruction) const {
    return std::span<const register_value_ref>(refs).subspan(rows[instruction].first, rows[instruction].reads);
  }
  [[nodiscard]] std::span<const register_value_ref> writes(std::uint32_t instruction) const {
    return std::span<const register_value_ref>(refs).subspan(rows[instruction].first + rows[instruction].reads,
                                                             rows[instruction].writes);
  }

  std::uint32_t carry = 0;
  std::vector<value> values;
  std::vector<value_id> operands, conditions;
  std::vector<phi_input<block_id>> inputs;
  std::vector<row> rows;  // by instruction
  std::vector<register_value_ref> refs;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
