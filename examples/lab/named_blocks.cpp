// SPDX-License-Identifier: BSL-1.0
#include "lab/named_blocks.hpp"

#include "lab/files.hpp"
#include <simtflow/ptx/text/function_blocks.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

namespace lab {

using namespace simtflow;

std::string named_blocks::joined(std::span<const block_id> list) const {
  std::string all;
  for (const block_id b : list) {
    all += (all.empty() ? "" : ", ") + (*this)(b);
    const ptx::text_block& block = (*blocks_)[b];
    std::uint32_t i = block.first;
    while (i < block.last && !blocks_->is_convergent_instruction(i)) ++i;
    if (i < block.last)
      all += fmt::format(" ({}: {})", places_->line_at(function_->instructions[i].where),
                         function_->instructions[i].opcode);
    else if (block.first != block.last && function_->instructions[block.first].where.line != 0)
      all += fmt::format(" ({})", places_->line_at(function_->instructions[block.first].where));
  }
  return all;
}

block_id named_blocks::find(std::string_view word, std::string_view option) const {
  std::uint32_t number = no_block;
  std::string_view digits = word.substr(word.starts_with("BB") ? 2 : 0);
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc{} || rest != digits.data() + digits.size()) number = no_block;
  block_id found = no_block;
  for (block_id b = 0; b < blocks_->size(); ++b) {
    const std::uint32_t label = (*blocks_)[b].label;
    if (label != ptx::no_index && function_->labels[label].name == word) return b;
    if (number == no_block || places_->end_of(*function_, *blocks_, b) != number) continue;
    if (found != no_block)
      throw input_error(fmt::format("{}: there are copies of BB{} now: name one by its label", option, number));
    found = b;
  }
  return found;
}

}  // namespace lab
