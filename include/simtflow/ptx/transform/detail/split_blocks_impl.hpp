// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/split_blocks.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/name_set.hpp>
#include <simtflow/ptx/transform/split_blocks.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline bool begins_block(const checked_function& f, std::uint32_t instruction) {
  return f.blocks()[f.blocks().block_of(instruction)].first == instruction;
}

}  // namespace detail

SIMTFLOW_INLINE function split_blocks(const checked_function& f, std::span<const std::uint32_t> at) {
  const function& text = f.text();
  SIMTFLOW_EXPECTS(text.num_scopes <= 1, "blocks are split in a function without inner braces");
  function out = text;
  out.instructions.clear();
  out.items.clear();
  detail::name_set names(text, f.owner());
  std::vector<std::uint32_t> moved(text.instructions.size() + 1, 0);  // by instruction: its new number
  std::vector<std::uint32_t> label_before(text.instructions.size() + 1, no_index);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < text.instructions.size(); ++i) {
    bool chosen = false;
    for (; next < at.size() && at[next] <= i; ++next) chosen = at[next] == i;
    if (chosen && !detail::begins_block(f, i)) {
      operand o;
      o.kind = operand_kind::label;
      o.index = label_before[i] = static_cast<std::uint32_t>(out.labels.size());
      instruction jump;
      jump.opcode = "bra.uni";
      jump.first_operand = static_cast<std::uint32_t>(out.operands.size());
      jump.num_operands = 1;
      out.operands.push_back(o);
      out.instructions.push_back(std::move(jump));
      out.labels.push_back({names.fresh("$split" + std::to_string(o.index)), {}, 0, 0});
    }
    moved[i] = static_cast<std::uint32_t>(out.instructions.size());
    out.instructions.push_back(text.instructions[i]);
  }
  moved.back() = static_cast<std::uint32_t>(out.instructions.size());
  for (std::size_t k = 0; k < text.labels.size(); ++k) out.labels[k].instruction = moved[text.labels[k].instruction];
  std::size_t old = 0;
  for (std::uint32_t i = 0; i <= text.instructions.size(); ++i) {  // items stand in the order of the instructions
    for (; old < text.items.size() && text.items[old].instruction == i; ++old) {
      out.items.push_back(text.items[old]);
      out.items.back().instruction = moved[i];
    }
    if (label_before[i] == no_index) continue;
    out.labels[label_before[i]].instruction = moved[i];
    out.items.push_back({item_kind::label, label_before[i], moved[i]});
  }
  return out;
}

SIMTFLOW_INLINE std::uint32_t split_index(const checked_function& f, std::span<const std::uint32_t> at,
                                          std::uint32_t instruction) {
  std::uint32_t jumps = 0, last = no_index;
  for (const std::uint32_t i : at) {
    if (i > instruction) break;
    if (i != last && !detail::begins_block(f, i)) ++jumps;
    last = i;
  }
  return instruction + jumps;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
