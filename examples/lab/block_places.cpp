// SPDX-License-Identifier: BSL-1.0
#include "lab/block_places.hpp"

#include <simtflow/block_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace lab {

using namespace simtflow;

namespace {

bool before(position a, position b) { return a.line != b.line ? a.line < b.line : a.column < b.column; }

}  // namespace

block_places::block_places(const ptx::decoded_kernel& kernel) : sources_(kernel.sources) {
  for (block_id b = 0; b < kernel.blocks.size(); ++b) {
    const ptx::decoded_block& block = kernel.blocks[b];
    for (std::uint32_t n = block.weight; n > 0; --n) {
      const std::uint32_t i = block.last_instruction + 1 - n;
      sorted_.push_back({kernel.positions[i], b, kernel.place_of(i)});
    }
    labels_.push_back(block.label);
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const entry& a, const entry& b) { return before(a.where, b.where); });
}

const block_places::entry* block_places::find(position where) const {
  const auto found =
      std::partition_point(sorted_.begin(), sorted_.end(), [&](const entry& one) { return before(one.where, where); });
  return where.line != 0 && found != sorted_.end() && found->where == where ? &*found : nullptr;
}

block_id block_places::at(position where) const {
  const entry* const found = find(where);
  return found == nullptr ? no_block : found->block;
}

block_id block_places::begin_of(const ptx::function& f, const ptx::function_blocks& blocks, block_id b) const {
  for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
    if (const block_id old = at(f.instructions[i].where); old != no_block) return old;
  return no_block;
}

block_id block_places::end_of(const ptx::function& f, const ptx::function_blocks& blocks, block_id b) const {
  for (std::uint32_t i = blocks[b].last; i > blocks[b].first; --i)
    if (const block_id old = at(f.instructions[i - 1].where); old != no_block) return old;
  return no_block;
}

std::string block_places::name(const ptx::function& f, const ptx::function_blocks& blocks, block_id b) const {
  if (b == no_block) return block_name(no_block);
  if (const block_id old = begin_of(f, blocks, b); old != no_block) return block_name(old, labels_[old]);
  const std::uint32_t label = blocks[b].label;
  return label == ptx::no_index ? std::string("a new block") : f.labels[label].name;
}

std::string block_places::name_at(position where, const std::string& otherwise) const {
  const block_id b = at(where);
  return b == no_block ? otherwise : block_name(b, labels_[b]);
}

std::string block_places::source_at(position where) const {
  const entry* const found = find(where);
  return found == nullptr ? std::string() : sources_.describe(found->place);
}

std::string block_places::line_at(position where) const {
  const std::string source = source_at(where);
  return fmt::format("line {}{}{}", where.line, source.empty() ? "" : ", ", source);
}

}  // namespace lab
