// SPDX-License-Identifier: BSL-1.0
//
// The promises of every plan to meld a branch of the toy machine: all instructions stand once and in order, threads do
// what they did before, and prices are what warps pay, issue by issue.
#pragma once

#include "toy_code.hpp"
#include <simtflow/io/dot.hpp>
#include <simtflow/transform/check_meld_plan.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

using namespace simtflow;

inline constexpr meld_mode modes[] = {meld_mode::full, meld_mode::fusion, meld_mode::tail};

inline std::string text(const meld_plan& p) {
  const auto number = [](std::uint32_t x) { return x == 0xFFFF'FFFFU ? std::string("-") : std::to_string(x); };
  std::string out =
      "branch " + number(p.branch) + " join " + number(p.join) + " saves " + number(p.weight_saved) + "\n";
  for (const meld_piece& x : p.pieces) {
    out += x.side == meld_side::both ? "both" : x.side == meld_side::left ? "left" : "right";
    out += " profit " + std::to_string(x.profit) + "\n";
    for (std::uint32_t k = x.first_block; k < x.first_block + x.num_blocks; ++k) {
      const meld_block& b = p.blocks[k];
      out += "  " + number(k) + ": " + number(b.left) + "|" + number(b.right) + (b.swapped ? " swapped" : "") +
             (b.ends_as == meld_side::both   ? ""
              : b.ends_as == meld_side::left ? " as left"
                                             : " as right") +
             " forced " + number(b.forced) + " [";
      for (std::uint32_t s = 0; s < b.num_slots; ++s)
        out += " " + number(p.all_slots[b.first_slot + s].left) + ":" + number(p.all_slots[b.first_slot + s].right);
      out += " ] ->";
      for (std::uint32_t s = 0; s < b.num_successors; ++s) out += " " + number(p.successors[b.first_successor + s]);
      out += "\n";
    }
  }
  return out;
}
inline std::string text(const toy_code& c) {
  std::string out = to_dot(c.graph);
  for (block_id b = 0; b < c.graph.num_blocks(); ++b) {
    out += std::to_string(b) + ":";
    for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) {
      const toy_instruction& x = c.code[i];
      out += " " + std::to_string(i) + "=" + std::to_string(x.opcode_class) + (x.odd ? "'" : "") +
             (x.pinned ? "!" : "") + "(" + std::to_string(x.a) + "," + std::to_string(x.b) + ")/" +
             std::to_string(x.latency);
    }
    out += "\n";
  }
  return out;
}

inline std::vector<block_id> arm_blocks(const csr_graph& g, block_id from, block_id join) {
  std::vector<block_id> out;
  std::set<block_id> seen{join};
  std::vector<block_id> work{from};
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    if (!seen.insert(b).second) continue;
    out.push_back(b);
    for (const block_id s : g.successors(b)) work.push_back(s);
  }
  return out;
}

// --- what warps pay --------------------------------------------------------------------------------------------------

/// The three kinds of warps at a branch.
enum class warp_kind { parted, left, right };
inline constexpr warp_kind kinds[] = {warp_kind::parted, warp_kind::left, warp_kind::right};

/// A price for each kind of warp.
struct by_kind {
  double cost[3] = {0, 0, 0};
  double& operator[](warp_kind k) { return cost[static_cast<int>(k)]; }
  double operator[](warp_kind k) const { return cost[static_cast<int>(k)]; }
  void add(const by_kind& other) {
    for (const warp_kind k : kinds) (*this)[k] += other[k];
  }
  double expected(const branch_likelihood& how) const {
    return how.parted * cost[0] + how.all_first() * cost[1] + how.all_second() * cost[2];
  }
};

/// Prices plans issue by issue: warps of each kind are led through the arms and through the plan, a block as often as
/// its frequency says, and what they issue is added up. Branches inside arms are not counted but where they are forced.
class warp_prices {
 public:
  warp_prices(const toy_code& c, block_id branch, const meld_options& o)
      : c_(c), o_(o), how_(likelihood_of(c, branch)) {
    for (std::size_t k = 0; k < 2; ++k) entry_[k] = frequency_of(c, c.graph.successors(branch)[k]);
  }
  const branch_likelihood& how() const { return how_; }
  double in_arm(bool left, block_id b) const {
    const double entry = entry_[left ? 0 : 1];
    return entry > 0 ? frequency_of(c_, b) / entry : 1;
  }
  /// A branch that all come to.
  by_kind branch() const {
    const double b = o_.predication_cost;
    return {{b + o_.divergence_cost, b, b}};
  }
  /// A block of one arm as it stands.
  by_kind alone(bool left, block_id b) const {
    by_kind out;
    for (std::uint32_t i = c_.begin[b]; i < c_.end[b]; ++i) {
      out[warp_kind::parted] += in_arm(left, b) * c_.code[i].latency;
      out[left ? warp_kind::left : warp_kind::right] += in_arm(left, b) * c_.code[i].latency;
    }
    return out;
  }
  /// How often warps of a kind come to a block of the plan, and with threads of a side. A side without a block there
  /// has frequency `passing`: 1 if its threads pass, 0 if they do not come.
  struct visit_counts {
    double left, right;
    double of(warp_kind k) const {
      return k == warp_kind::parted ? std::max(left, right) : k == warp_kind::left ? left : right;
    }
    double with(bool side_left, warp_kind k) const {
      if (side_left) return k == warp_kind::right ? 0 : left;
      return k == warp_kind::left ? 0 : right;
    }
    double with_both(warp_kind k) const { return k == warp_kind::parted ? std::min(left, right) : 0; }
  };
  by_kind pair(std::uint32_t i, std::uint32_t j, const visit_counts& v) const {
    by_kind out;
    for (const warp_kind k : kinds)
      out[k] = v.of(k) * (std::max(c_.code[i].latency, c_.code[j].latency) + c_.overhead(i, j));
    return out;
  }
  /// A run of one side, by itself at least as cheap as it can be.
  by_kind run(bool left, std::uint32_t first, std::uint32_t last, const visit_counts& v,
              bool* by_branch = nullptr) const {
    by_kind predicated, branched;
    for (const warp_kind k : kinds) {
      for (std::uint32_t i = first; i < last; ++i) {
        const double w = c_.code[i].latency, on = v.with(left, k);
        predicated[k] += on * w + (v.of(k) - on) * std::min<double>(w, o_.predication_cost);
        branched[k] += on * w;
      }
      branched[k] += v.of(k) * o_.predication_cost + v.with_both(k) * o_.divergence_cost;
    }
    const bool branch = first != last && branched.expected(how_) < predicated.expected(how_);
    if (by_branch != nullptr) *by_branch = branch;
    return branch ? branched : predicated;
  }
  /// The branch of block b of one side, forced to a slot for the other side's threads.
  by_kind forced(bool left, block_id b, std::uint32_t slot, const visit_counts& v) const {
    by_kind out;
    const branch_likelihood own = likelihood_of(c_, b);
    const double other = c_.graph.successors(b).size() > 2 ? 1 - own.parted
                         : slot == 0                       ? own.all_second()
                                                           : own.all_first();
    for (const warp_kind k : kinds)
      out[k] =
          (v.of(k) + v.of(k) - v.with(left, k)) * o_.predication_cost + other * v.with_both(k) * o_.divergence_cost;
    return out;
  }

  /// Both arms as they stand, and their branch.
  by_kind arms(block_id at, block_id join) const {
    by_kind out = branch();
    for (std::size_t side = 0; side < 2; ++side)
      for (const block_id b : arm_blocks(c_.graph, c_.graph.successors(at)[side], join)) out.add(alone(side == 0, b));
    return out;
  }
  /// The plan. `parted` gets what a parted warp pays if each block is executed once and forced branches part no warp.
  by_kind plan(const meld_plan& p, double& parted) const {
    by_kind sum;
    parted = 0;
    bool apart = false;
    for (const meld_piece& piece : p.pieces) {
      if (piece.side != meld_side::both && !apart) {
        sum.add(branch());
        parted += o_.predication_cost + o_.divergence_cost;
      }
      apart = piece.side != meld_side::both;
      // The side that may pass, as often as its block comes.
      double passing = 1;
      for (std::uint32_t k = piece.first_block; k < piece.first_block + piece.num_blocks; ++k) {
        const meld_block& b = p.blocks[k];
        if (b.left != no_block && b.right != no_block && b.ends_as != meld_side::both)
          passing = in_arm(b.ends_as != meld_side::left, b.ends_as == meld_side::left ? b.right : b.left);
      }
      for (std::uint32_t k = piece.first_block; k < piece.first_block + piece.num_blocks; ++k) {
        const meld_block& b = p.blocks[k];
        const bool comes = apart ? false : b.forced != no_outcome;
        const visit_counts v{b.left != no_block ? in_arm(true, b.left)
                             : comes            ? passing
                                                : 0,
                             b.right != no_block ? in_arm(false, b.right)
                             : comes             ? passing
                                                 : 0};
        for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots;) {
          const meld_slot& x = p.all_slots[s];
          if (x.left != no_instruction && x.right != no_instruction) {
            sum.add(pair(x.left, x.right, v));
            parted += std::max(c_.code[x.left].latency, c_.code[x.right].latency) + c_.overhead(x.left, x.right);
            ++s;
            continue;
          }
          const bool left = x.left != no_instruction;
          const std::uint32_t first = left ? x.left : x.right;
          std::uint32_t last = first;
          for (; s < b.first_slot + b.num_slots; ++s, ++last) {
            const meld_slot& y = p.all_slots[s];
            if ((left ? y.left : y.right) == no_instruction || (left ? y.right : y.left) != no_instruction) break;
            parted += c_.code[last].latency;
          }
          bool by_branch = false;
          sum.add(run(left, first, last, v, &by_branch));
          if (by_branch) parted += o_.predication_cost + o_.divergence_cost;
        }
        if (!apart && b.ends_as != meld_side::both && b.forced != no_outcome && b.num_successors > 1) {
          const bool left = b.ends_as == meld_side::left;
          sum.add(forced(left, left ? b.left : b.right, b.forced, v));
          parted += o_.predication_cost;
        }
      }
    }
    return sum;
  }

 private:
  const toy_code& c_;
  const meld_options& o_;
  branch_likelihood how_;
  double entry_[2];
};

// All that a plan promises. Gives its pairs of instructions.
inline std::set<std::pair<std::uint32_t, std::uint32_t>> check_plan(const toy_code& c, const meld_plan& p,
                                                                    const meld_options& o, std::uint64_t seed) {
  CAPTURE(text(c));
  CAPTURE(text(p));
  const csr_graph& g = c.graph;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  REQUIRE(g.successors(p.branch).size() == 2);
  const std::optional<meld_plan_fault> fault = check_meld_plan(g, c, p);
  REQUIRE_MESSAGE(!fault, to_string(fault->kind) << " in block " << fault->plan_block
                                                 << " of the plan: " << fault->wanted << ", " << fault->found);

  // Every instruction of the arms once, in its own block; every block of the arms once, but for those that only go on.
  std::vector<int> times(c.code.size(), 0), blocks(g.num_blocks(), 0);
  std::vector<std::uint32_t> at(g.num_blocks(), no_instruction);  // by block: its next instruction
  std::uint32_t next_block = 0, next_slot = 0, next_successor = 0;
  std::size_t melded = 0;
  for (std::size_t n = 0; n < p.pieces.size(); ++n) {
    const meld_piece& piece = p.pieces[n];
    REQUIRE(piece.first_block == next_block);
    REQUIRE(piece.num_blocks > 0);
    next_block += piece.num_blocks;
    if (n > 0) REQUIRE(!(piece.side == meld_side::left && p.pieces[n - 1].side == meld_side::right));
    melded += piece.side == meld_side::both ? 1 : 0;
    std::uint64_t weight = 0, saved = 0;
    std::int64_t gross = 0;
    for (std::uint32_t k = piece.first_block; k < next_block; ++k) {
      const meld_block& b = p.blocks[k];
      REQUIRE(b.first_slot == next_slot);
      REQUIRE(b.first_successor == next_successor);
      next_slot += b.num_slots;
      next_successor += b.num_successors;
      if (piece.side == meld_side::left) REQUIRE((b.right == no_block && b.ends_as == meld_side::left));
      if (piece.side == meld_side::right) REQUIRE((b.left == no_block && b.ends_as == meld_side::right));
      // Parts of a cut block come in order; the first one begins it, the last one ends it.
      REQUIRE(((b.left_begins && b.left_ends) || b.left != no_block));
      REQUIRE(((b.right_begins && b.right_ends) || b.right != no_block));
      for (const bool left : {true, false}) {
        const block_id own = left ? b.left : b.right;
        if (own == no_block) continue;
        const bool begins = left ? b.left_begins : b.right_begins, ends = left ? b.left_ends : b.right_ends;
        if (begins) ++blocks[own];
        if (begins) at[own] = c.begin[own];
        if (begins && ends) continue;
        REQUIRE(piece.side == meld_side::both);
        REQUIRE(g.successors(own).size() == 1);
        REQUIRE(at[own] != no_instruction);
        if (!ends) REQUIRE(b.ends_as == (left ? meld_side::right : meld_side::left));
        if (!ends) REQUIRE(b.forced < b.num_successors);
      }
      const block_id skeleton = b.ends_as == meld_side::right ? b.right : b.left;
      REQUIRE(skeleton != no_block);
      REQUIRE(b.num_successors == g.successors(skeleton).size());
      if (b.ends_as == meld_side::both) REQUIRE(g.successors(b.left).size() == g.successors(b.right).size());
      std::uint32_t at_left = b.left == no_block ? 0 : at[b.left];
      std::uint32_t at_right = b.right == no_block ? 0 : at[b.right];
      for (std::uint32_t s = b.first_slot; s < next_slot; ++s) {
        const meld_slot& x = p.all_slots[s];
        if (x.left != no_instruction) {
          REQUIRE(b.left != no_block);
          REQUIRE(x.left == at_left++);
          weight += c.code[x.left].latency;
          ++times[x.left];
        }
        if (x.right != no_instruction) {
          REQUIRE(b.right != no_block);
          REQUIRE(x.right == at_right++);
          weight += c.code[x.right].latency;
          ++times[x.right];
        }
        // Between two pairs the instructions of the left side come first.
        if (s > b.first_slot && x.right == no_instruction) REQUIRE((p.all_slots[s - 1].left != no_instruction));
        if (piece.side == meld_side::both)
          for (const std::uint32_t i : {x.left, x.right}) REQUIRE((i == no_instruction || !c.code[i].pinned));
        if (x.left == no_instruction || x.right == no_instruction) continue;
        REQUIRE(c.code[x.left].opcode_class == c.code[x.right].opcode_class);
        REQUIRE(c.compatible(x.left, x.right));
        gross += std::min(c.code[x.left].latency, c.code[x.right].latency);
        if (o.score == meld_score::expected) gross -= c.overhead(x.left, x.right);
        pairs.emplace(x.left, x.right);
        if (o.mode == meld_mode::tail && o.score == meld_score::expected) REQUIRE(c.overhead(x.left, x.right) == 0);
      }
      if (b.left != no_block) at[b.left] = at_left;
      if (b.right != no_block) at[b.right] = at_right;
      if (b.left != no_block && b.left_ends) REQUIRE(at_left == c.end[b.left]);
      if (b.right != no_block && b.right_ends) REQUIRE(at_right == c.end[b.right]);
    }
    if (piece.side != meld_side::both) continue;
    saved = gross > 0 ? static_cast<std::uint64_t>(gross) : 0;
    REQUIRE(piece.weight_saved == saved);
    if (o.score == meld_score::expected) {
      REQUIRE(saved > 0);
      REQUIRE(piece.profit == doctest::Approx(static_cast<double>(saved) / static_cast<double>(weight)));
    }
    if (o.mode != meld_mode::tail || o.score == meld_score::paper) REQUIRE(piece.profit >= o.threshold);
    if (o.mode != meld_mode::full) REQUIRE(piece.num_blocks == 1);
  }
  REQUIRE(melded > 0);
  REQUIRE(next_block == p.blocks.size());
  REQUIRE(next_slot == p.all_slots.size());
  REQUIRE(next_successor == p.successors.size());
  double before = o.predication_cost + o.divergence_cost;  // for a warp with threads on both sides
  std::size_t in_arms = 0;
  for (std::size_t side = 0; side < 2; ++side)
    for (const block_id b : arm_blocks(g, g.successors(p.branch)[side], p.join)) {
      const bool empty = c.begin[b] == c.end[b] && g.successors(b).size() == 1;
      REQUIRE(blocks[b] == (empty ? 0 : 1));
      before += static_cast<double>(c.weight(b));
      for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) {
        REQUIRE(times[i] == 1);
        ++in_arms;
      }
    }
  REQUIRE(in_arms == static_cast<std::size_t>(std::count(times.begin(), times.end(), 1)));
  // Its weight, issue by issue; less than before.
  const warp_prices prices(c, p.branch, o);
  double parted = 0;
  const by_kind now = prices.plan(p, parted), then = prices.arms(p.branch, p.join);
  REQUIRE(p.expected_saving == doctest::Approx(then.expected(prices.how()) - now.expected(prices.how())));
  if (o.score == meld_score::expected) {
    REQUIRE(p.weight_saved > 0);
    REQUIRE(p.expected_saving > 0);
    REQUIRE(parted == before - p.weight_saved);
  }

  // The runs of threads.
  for (std::uint64_t thread = 0; thread < 8; ++thread) {
    CAPTURE(thread);
    const bool left = thread % 2 == 0;
    toy_thread expected(seed * 100 + thread), t = expected;
    const bool ends = run_arm(c, g.successors(p.branch)[left ? 0 : 1], p.join, expected);
    std::string wrong;
    const bool through = run_plan(c, p, left, t, wrong);
    CAPTURE(wrong);
    REQUIRE(wrong.empty());
    if (!ends || !through) {
      const std::size_t both = std::min(expected.trace.size(), t.trace.size());
      REQUIRE(std::equal(t.trace.begin(), t.trace.begin() + static_cast<std::ptrdiff_t>(both), expected.trace.begin()));
      continue;
    }
    REQUIRE(t.trace == expected.trace);
    REQUIRE(std::equal(t.registers, t.registers + 8, expected.registers));
    REQUIRE(t.decisions == expected.decisions);
  }
  return pairs;
}

/// The same code with the slots of one branch exchanged.
inline toy_code exchanged(const toy_code& c, block_id branch) {
  toy_code out = c;
  csr_builder g(c.graph.num_blocks(), c.graph.entry());
  for (block_id b = 0; b < c.graph.num_blocks(); ++b) {
    std::vector<block_id> to(c.graph.successors(b).begin(), c.graph.successors(b).end());
    if (b == branch) std::reverse(to.begin(), to.end());
    for (const block_id s : to) g.add_edge(b, s);
  }
  out.graph = g.build();
  if (branch < out.likely.size()) out.likely[branch].first = 1 - out.likely[branch].first;
  return out;
}

}  // namespace simtflow_tests
