// SPDX-License-Identifier: BSL-1.0
#include "lab/advise_code.hpp"

#include <algorithm>
#include <string_view>

namespace lab {

using namespace simtflow;

namespace {

using key = std::pair<std::uint32_t, std::uint32_t>;
key key_of(position p) { return {p.line, p.column}; }

bool is_branch(std::string_view opcode) { return opcode.starts_with("bra") || opcode.starts_with("brx"); }

// Calls f(block, number in the block, instruction) for each instruction of the kernel, in order.
template <class F>
void for_each_instruction(const ptx::decoded_kernel& k, F f) {
  for (block_id b = 0; b < k.blocks.size(); ++b) {
    const ptx::decoded_block& block = k.blocks[b];
    for (std::uint32_t i = 0; i < block.weight; ++i) f(b, i, block.last_instruction + 1 - block.weight + i);
  }
}

}  // namespace

place_map places_of(const ptx::decoded_kernel& kernel) {
  place_map out;
  for_each_instruction(kernel, [&](block_id b, std::uint32_t number, std::uint32_t i) {
    if (!is_branch(kernel.opcodes[i]))
      out.try_emplace(key_of(kernel.positions[i]), instruction_place{b, number, kernel.opcodes[i]});
  });
  return out;
}

std::vector<advice::code_piece> pieces_of(const ptx::decoded_kernel& now, const place_map& old,
                                          const melded_places& pairs) {
  constexpr std::size_t most_as_one = 64;  // melding repeats: one instruction may stand for more than two
  std::multimap<key, position> also;
  for (const auto& [left, right] : pairs)
    if (left.line != 0 && right.line != 0) also.emplace(key_of(left), right);
  std::map<std::pair<block_id, block_id>, advice::code_piece> pieces;
  std::vector<position> all;
  for_each_instruction(now, [&](block_id b, std::uint32_t number, std::uint32_t i) {
    if (now.positions[i].line == 0 || is_branch(now.opcodes[i])) return;
    all.assign(1, now.positions[i]);
    for (std::size_t k = 0; k < all.size() && all.size() < most_as_one; ++k) {
      const auto [first, last] = also.equal_range(key_of(all[k]));
      for (auto at = first; at != last; ++at)
        if (std::find(all.begin(), all.end(), at->second) == all.end()) all.push_back(at->second);
    }
    for (const position& p : all) {
      const auto found = old.find(key_of(p));
      if (found == old.end()) continue;
      const instruction_place& was = found->second;
      if (all.size() == 1 && was.opcode != now.opcodes[i]) continue;  // new, and called after the place of an old one
      const auto [at, fresh] =
          pieces.try_emplace({b, was.block}, advice::code_piece{b, was.block, was.number, was.number, number, 0});
      advice::code_piece& piece = at->second;
      piece.first = std::min(piece.first, was.number);
      piece.last = std::max(piece.last, was.number);
      ++piece.size;
    }
  });
  std::vector<advice::code_piece> out;
  for (const auto& [where, piece] : pieces) out.push_back(piece);
  return out;
}

}  // namespace lab
