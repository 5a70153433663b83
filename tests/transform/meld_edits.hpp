// SPDX-License-Identifier: BSL-1.0
//
// Seeded mistakes in meld plans: check_meld_plan() catches each of them, or threads of the toy machine do in the plan
// what they did before.
#pragma once

#include "meld_checks.hpp"
#include "toy_code.hpp"
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/check_meld_plan.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

/// A meld plan in pieces that can be changed one by one.
struct loose_meld {
  struct block {
    meld_block what;
    std::vector<meld_slot> slots;
    std::vector<std::uint32_t> to;  ///< from the beginning of the piece, or piece_end
  };
  struct piece {
    meld_piece what;
    std::vector<block> blocks;
  };
  meld_plan rest;  ///< without its rows
  std::vector<piece> pieces;

  explicit loose_meld(const meld_plan& p) : rest(p) {
    for (const meld_piece& x : p.pieces) {
      pieces.push_back({x, {}});
      for (std::uint32_t k = x.first_block; k < x.first_block + x.num_blocks; ++k) {
        const meld_block& b = p.blocks[k];
        block made{b, {}, {}};
        for (std::uint32_t s = 0; s < b.num_slots; ++s) made.slots.push_back(p.all_slots[b.first_slot + s]);
        for (std::uint32_t s = 0; s < b.num_successors; ++s) {
          const std::uint32_t to = p.successors[b.first_successor + s];
          made.to.push_back(to == piece_end ? piece_end : to - x.first_block);
        }
        pieces.back().blocks.push_back(std::move(made));
      }
    }
  }
  meld_plan make() const {
    meld_plan p = rest;
    p.pieces.clear();
    p.blocks.clear();
    p.all_slots.clear();
    p.successors.clear();
    for (const piece& x : pieces) {
      const auto first = static_cast<std::uint32_t>(p.blocks.size());
      p.pieces.push_back(x.what);
      p.pieces.back().first_block = first;
      p.pieces.back().num_blocks = static_cast<std::uint32_t>(x.blocks.size());
      for (const block& b : x.blocks) {
        p.blocks.push_back(b.what);
        p.blocks.back().first_slot = static_cast<std::uint32_t>(p.all_slots.size());
        p.blocks.back().num_slots = static_cast<std::uint32_t>(b.slots.size());
        p.blocks.back().first_successor = static_cast<std::uint32_t>(p.successors.size());
        p.blocks.back().num_successors = static_cast<std::uint32_t>(b.to.size());
        p.all_slots.insert(p.all_slots.end(), b.slots.begin(), b.slots.end());
        for (const std::uint32_t to : b.to) p.successors.push_back(to == piece_end ? piece_end : first + to);
      }
    }
    return p;
  }
};

/// Makes one mistake. \returns what was done, in words; empty if nothing could be.
inline std::string edit(loose_meld& p, const toy_code& c, simtflow::testing::rng& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.below(n)); };
  const std::size_t at = below(p.pieces.size());
  loose_meld::piece& piece = p.pieces[at];
  if (piece.blocks.empty()) return {};
  const std::size_t number = below(piece.blocks.size());
  loose_meld::block& b = piece.blocks[number];
  const std::string where = " in piece " + std::to_string(at) + " block " + std::to_string(number);
  constexpr meld_side sides[] = {meld_side::both, meld_side::left, meld_side::right};
  switch (random.below(14)) {
    case 0:
      if (b.to.empty()) return {};
      b.to[below(b.to.size())] = random.chance(30) ? piece_end : static_cast<std::uint32_t>(below(piece.blocks.size()));
      return "successor" + where;
    case 1:
      if (b.to.size() < 2) return {};
      std::swap(b.to[below(b.to.size())], b.to[below(b.to.size())]);
      return "swapped successors" + where;
    case 2:
      b.what.forced = random.chance(30) ? no_outcome : static_cast<std::uint32_t>(below(b.to.size() + 1));
      return "forced" + where;
    case 3:
      b.what.swapped = !b.what.swapped;
      return "swapped" + where;
    case 4:
      b.what.ends_as = sides[below(3)];
      return "ends as" + where;
    case 5:
      (random.chance(50) ? b.what.left : b.what.right) =
          random.chance(20) ? no_block : static_cast<block_id>(below(c.begin.size()));
      return "block" + where;
    case 6: {
      if (b.slots.empty()) return {};
      meld_slot& s = b.slots[below(b.slots.size())];
      (random.chance(50) ? s.left : s.right) =
          random.chance(30) ? no_instruction : static_cast<std::uint32_t>(below(c.code.size()));
      return "instruction" + where;
    }
    case 7:
      if (b.slots.size() < 2) return {};
      std::swap(b.slots[below(b.slots.size())], b.slots[below(b.slots.size())]);
      return "swapped slots" + where;
    case 8: {
      bool* const flags[] = {&b.what.left_begins, &b.what.left_ends, &b.what.right_begins, &b.what.right_ends};
      bool& one = *flags[below(4)];
      one = !one;
      return "part" + where;
    }
    case 9:
      if (b.slots.empty()) return {};
      b.slots.erase(b.slots.begin() + static_cast<std::ptrdiff_t>(below(b.slots.size())));
      return "dropped slot" + where;
    case 10:
      piece.what.side = sides[below(3)];
      return "side of piece " + std::to_string(at);
    case 11:
      if (random.chance(50)) {
        std::swap(p.pieces[at], p.pieces[below(p.pieces.size())]);
        return "swapped pieces";
      }
      p.pieces.erase(p.pieces.begin() + static_cast<std::ptrdiff_t>(at));
      if (p.pieces.empty()) p.rest.join = p.rest.branch;
      return "dropped piece";
    case 12: {
      const std::size_t other = below(piece.blocks.size());
      if (other == number || b.slots.empty()) return {};
      piece.blocks[other].slots.insert(piece.blocks[other].slots.begin(), b.slots.back());
      b.slots.pop_back();
      return "moved slot" + where;
    }
    default:
      if (random.chance(70)) {
        if (random.chance(50))
          b.to.push_back(piece_end);
        else if (!b.to.empty())
          b.to.pop_back();
        return "number of successors" + where;
      }
      (random.chance(50) ? p.rest.join : p.rest.branch) = static_cast<block_id>(below(c.begin.size()));
      return "join or branch";
  }
}

/// True if a thread of a side is seen to do something else in the plan than in its arm.
inline bool thread_differs(const toy_code& c, const meld_plan& p, block_id branch, block_id join, bool left,
                           std::uint64_t seed) {
  toy_thread expected(seed), t = expected;
  const bool ends = run_arm(c, c.graph.successors(branch)[left ? 0 : 1], join, expected);
  std::string wrong;
  const bool through = run_plan(c, p, left, t, wrong);
  if (!wrong.empty() || (ends && !through)) return true;
  if (ends)
    return t.trace != expected.trace || !std::equal(t.registers, t.registers + 8, expected.registers) ||
           t.decisions != expected.decisions;
  const std::size_t both = std::min(expected.trace.size(), t.trace.size());
  return !std::equal(t.trace.begin(), t.trace.begin() + static_cast<std::ptrdiff_t>(both), expected.trace.begin());
}

struct edits_tally {
  std::size_t edits = 0, caught = 0;
  std::size_t way = 0, shown = 0;  ///< caught on the way of a thread; a thread was seen to go wrong
};

/// Makes `edits` plans, each with a mistake or more, of one that is right.
inline void check_edits(const toy_code& c, const meld_plan& right, testing::rng& random, std::size_t edits,
                        edits_tally& tally) {
  for (std::size_t n = 0; n < edits; ++n) {
    loose_meld loose(right);
    std::string what = edit(loose, c, random);
    while (random.chance(15) && !loose.pieces.empty()) what += "; " + edit(loose, c, random);
    const meld_plan p = loose.make();
    if (p == right) continue;
    ++tally.edits;
    CAPTURE(what);
    CAPTURE(text(c));
    CAPTURE(text(right));
    CAPTURE(text(p));
    const std::optional<meld_plan_fault> fault = check_meld_plan(c.graph, c, p);
    const bool runs = !fault || (p.branch == right.branch && p.join == right.join);
    bool differs = false;
    const std::uint64_t threads = fault ? 200 : 40;
    for (std::uint64_t t = 0; t < threads && runs && !differs; ++t)
      differs = thread_differs(c, p, p.branch, p.join, t % 2 == 0, t * 97 + n);
    if (!fault) {
      REQUIRE(!differs);
      continue;
    }
    ++tally.caught;
    REQUIRE(!describe(*fault, p).empty());
    // The toy machine has no phis: to it a block is its instructions, whatever its name and wherever it begins.
    const bool by_name = what.find("block in") != std::string::npos || what.find("part in") != std::string::npos ||
                         fault->kind == meld_fault_kind::wrong_part || fault->kind == meld_fault_kind::wrong_outcomes ||
                         fault->kind == meld_fault_kind::twice;
    if (fault->side == meld_side::both || by_name || !runs) continue;
    ++tally.way;
    tally.shown += differs ? 1 : 0;
  }
}

}  // namespace simtflow_tests
