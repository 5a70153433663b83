// SPDX-License-Identifier: BSL-1.0
//
// Plans to meld random two-armed branches: threads of both sides do through them what they did before, plans weigh what
// they say, and where all possibilities can be tried none is better.
#include "toy_code.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr meld_mode modes[] = {meld_mode::full, meld_mode::fusion, meld_mode::tail};

std::string text(const meld_plan& p) {
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
std::string text(const toy_code& c) {
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

std::vector<block_id> arm_blocks(const csr_graph& g, block_id from, block_id join) {
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

// The weight of a plan when threads of both sides are there and every block of it is executed once, as it states: pairs
// and selects, and a branch for every run of one side. Also the pairs that are forced on the way.
std::int64_t weight_of(const toy_code& c, const meld_plan& p, std::int64_t cost) {
  std::int64_t sum = 0;
  meld_side alone = meld_side::both;
  for (const meld_piece& piece : p.pieces) {
    if (piece.side != meld_side::both && piece.side != alone) sum += cost;
    alone = piece.side;
    for (std::uint32_t k = piece.first_block; k < piece.first_block + piece.num_blocks; ++k) {
      const meld_block& b = p.blocks[k];
      bool left_run = false, right_run = false;
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& x = p.all_slots[s];
        if (x.left != no_instruction && x.right != no_instruction) {
          sum += std::max(c.code[x.left].latency, c.code[x.right].latency) + c.overhead(x.left, x.right);
          left_run = right_run = false;
          continue;
        }
        bool& run = x.left != no_instruction ? left_run : right_run;
        const bool lone = b.left == no_block || b.right == no_block;
        // In a block of one side: a branch only if threads of the other side pass it.
        if (!run && (!lone || (piece.side == meld_side::both && b.forced != no_outcome))) sum += cost;
        run = true;
        sum += c.code[x.left != no_instruction ? x.left : x.right].latency;
      }
      if (piece.side == meld_side::both && b.ends_as != meld_side::both && b.forced != no_outcome &&
          b.num_successors > 1)
        sum += cost;
    }
  }
  return sum;
}

// All that a plan promises. Gives its pairs of instructions.
std::set<std::pair<std::uint32_t, std::uint32_t>> check_plan(const toy_code& c, const meld_plan& p,
                                                             const meld_options& o, std::uint64_t seed) {
  CAPTURE(text(c));
  CAPTURE(text(p));
  const csr_graph& g = c.graph;
  const auto cost = static_cast<std::int64_t>(o.predication_cost);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  REQUIRE(g.successors(p.branch).size() == 2);

  // Every instruction of the arms once, in its own block; every block of the arms once, but for those that only go on.
  std::vector<int> times(c.code.size(), 0), blocks(g.num_blocks(), 0);
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
      for (const block_id own : {b.left, b.right})
        if (own != no_block) {
          ++blocks[own];
          weight += c.weight(own);
        }
      const block_id skeleton = b.ends_as == meld_side::right ? b.right : b.left;
      REQUIRE(skeleton != no_block);
      REQUIRE(b.num_successors == g.successors(skeleton).size());
      if (b.ends_as == meld_side::both) REQUIRE(g.successors(b.left).size() == g.successors(b.right).size());
      std::uint32_t at_left = b.left == no_block ? 0 : c.begin[b.left];
      std::uint32_t at_right = b.right == no_block ? 0 : c.begin[b.right];
      for (std::uint32_t s = b.first_slot; s < next_slot; ++s) {
        const meld_slot& x = p.all_slots[s];
        if (x.left != no_instruction) {
          REQUIRE(b.left != no_block);
          REQUIRE(x.left == at_left++);
          ++times[x.left];
        }
        if (x.right != no_instruction) {
          REQUIRE(b.right != no_block);
          REQUIRE(x.right == at_right++);
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
        gross -= c.overhead(x.left, x.right);
        pairs.emplace(x.left, x.right);
        if (o.mode == meld_mode::tail) REQUIRE(c.overhead(x.left, x.right) == 0);
      }
      if (b.left != no_block) REQUIRE(at_left == c.end[b.left]);
      if (b.right != no_block) REQUIRE(at_right == c.end[b.right]);
    }
    if (piece.side != meld_side::both) continue;
    saved = gross > 0 ? static_cast<std::uint64_t>(gross) : 0;
    REQUIRE(saved > 0);
    REQUIRE(piece.weight_saved == saved);
    REQUIRE(piece.profit == doctest::Approx(static_cast<double>(saved) / static_cast<double>(weight)));
    if (o.mode != meld_mode::tail) REQUIRE(piece.profit >= o.threshold);
    if (o.mode != meld_mode::full) REQUIRE(piece.num_blocks == 1);
  }
  REQUIRE(melded > 0);
  REQUIRE(next_block == p.blocks.size());
  REQUIRE(next_slot == p.all_slots.size());
  REQUIRE(next_successor == p.successors.size());
  std::int64_t before = 2 * cost;  // the branch and the jump of the if-else
  std::size_t in_arms = 0;
  for (std::size_t side = 0; side < 2; ++side)
    for (const block_id b : arm_blocks(g, g.successors(p.branch)[side], p.join)) {
      const bool empty = c.begin[b] == c.end[b] && g.successors(b).size() == 1;
      REQUIRE(blocks[b] == (empty ? 0 : 1));
      before += static_cast<std::int64_t>(c.weight(b));
      for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) {
        REQUIRE(times[i] == 1);
        ++in_arms;
      }
    }
  REQUIRE(in_arms == static_cast<std::size_t>(std::count(times.begin(), times.end(), 1)));
  // Its weight, by another count; less than before.
  REQUIRE(p.weight_saved > 0);
  REQUIRE(weight_of(c, p, cost) == before - static_cast<std::int64_t>(p.weight_saved));

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

// The same code with the slots of one branch exchanged.
toy_code exchanged(const toy_code& c, block_id branch) {
  toy_code out = c;
  csr_builder g(c.graph.num_blocks(), c.graph.entry());
  for (block_id b = 0; b < c.graph.num_blocks(); ++b) {
    std::vector<block_id> to(c.graph.successors(b).begin(), c.graph.successors(b).end());
    if (b == branch) std::reverse(to.begin(), to.end());
    for (const block_id s : to) g.add_edge(b, s);
  }
  out.graph = g.build();
  return out;
}

meld_options random_options(testing::rng& random) {
  meld_options o;
  o.threshold = 0.05 * static_cast<double>(random.below(9));
  o.mode = random.chance(70) ? meld_mode::full : modes[random.below(3)];
  o.predication_cost = static_cast<std::uint32_t>(random.below(6));
  return o;
}

}  // namespace

TEST_CASE("meld: threads do through random plans what they did before; plans weigh what they say, and are symmetric") {
  std::size_t found = 0, regions = 0, placed = 0, swapped = 0, alone = 0, several = 0, cases = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_generator generator(random);
    block_id branch = no_block;
    const toy_code c = generator.function(branch);
    const meld_options o = random_options(random);
    meld_plan p;
    const meld_refusal r = plan_meld(c.graph, c, branch, p, o);
    const toy_code turned = exchanged(c, branch);
    meld_plan q;
    REQUIRE(plan_meld(turned.graph, turned, branch, q, o) == r);
    if (r != meld_refusal::none) {
      REQUIRE(p == meld_plan());
      continue;
    }
    ++found;
    const auto pairs = check_plan(c, p, o, seed);
    // With the arms exchanged: the same pairs, the other way round.
    const auto others = check_plan(turned, q, o, seed);
    REQUIRE(q.weight_saved == p.weight_saved);
    REQUIRE(pairs.size() == others.size());
    for (const auto& [i, j] : pairs) REQUIRE(others.count({j, i}) == 1);
    REQUIRE(p.pieces.size() == q.pieces.size());
    std::size_t melded = 0;
    for (const meld_piece& piece : p.pieces) {
      alone += piece.side == meld_side::both ? 0 : 1;
      if (piece.side != meld_side::both) continue;
      ++melded;
      bool lone = false, swaps = false, wide = false;
      for (std::uint32_t k = piece.first_block; k < piece.first_block + piece.num_blocks; ++k) {
        lone = lone || p.blocks[k].ends_as != meld_side::both;
        swaps = swaps || p.blocks[k].swapped;
        wide = wide || p.blocks[k].num_successors > 2;
      }
      placed += lone ? 1 : 0;
      regions += !lone && piece.num_blocks > 1 ? 1 : 0;
      swapped += swaps ? 1 : 0;
      cases += wide && !lone ? 1 : 0;
    }
    several += melded > 1 ? 1 : 0;
  }
  MESSAGE("of 6000: " << found << " melded; regions " << regions << ", blocks in regions " << placed << ", swapped "
                      << swapped << ", switches " << cases << ", pieces alone " << alone << ", several pieces "
                      << several);
  CHECK(found > 1500);
  CHECK(regions > 500);
  CHECK(placed > 60);
  CHECK(swapped > 100);
  CHECK(cases > 50);
  CHECK(alone > 500);
  CHECK(several > 300);
}

TEST_CASE("meld: whatever branch is found first, inner ones come before outer ones") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed + 100'000);
    toy_generator generator(random);
    block_id branch = no_block;
    toy_code c = generator.function(branch);
    for (block_id b = 0; b < c.graph.num_blocks(); ++b) c.uniform.push_back(random.chance(20) ? 1 : 0);
    const meld_options o = random_options(random);
    std::set<block_id> skipped;
    // One after the other, the one that was found skipped next time: all branches come up, each once.
    std::vector<block_id> order;
    for (;;) {
      const meld_search s = find_meld(c.graph, c, o, [&](block_id b) { return skipped.count(b) != 0; });
      for (const meld_refused& r : s.refused) {
        REQUIRE(r.reason != meld_refusal::none);
        REQUIRE(skipped.count(r.branch) == 0);
        meld_plan unused;
        REQUIRE(plan_meld(c.graph, c, r.branch, unused, o) == r.reason);
        if (r.reason == meld_refusal::uniform) REQUIRE(!c.is_divergent(r.branch));
        order.push_back(r.branch);
        skipped.insert(r.branch);
      }
      if (!s.found) break;
      ++found;
      check_plan(c, s.plan, o, seed);
      REQUIRE(c.is_divergent(s.plan.branch));
      order.push_back(s.plan.branch);
      REQUIRE(skipped.insert(s.plan.branch).second);
    }
    std::vector<int> arm_of(c.graph.num_blocks(), 0);
    std::size_t branches = 0;
    const auto dominators = dominator_tree<csr_graph>(c.graph);
    for (block_id b = 0; b < c.graph.num_blocks(); ++b)
      if (c.graph.successors(b).size() > 1) ++branches;
    REQUIRE(order.size() == branches);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j) REQUIRE(!dominators.strictly_dominates(order[i], order[j]));
  }
  CHECK(found > 500);
}

// --- nothing better -------------------------------------------------------------------------------------------------

namespace {

using worth_table = std::function<std::int64_t(std::size_t, std::size_t)>;
constexpr std::int64_t never = -(std::int64_t{1} << 40);

// The best of all alignments of n with m elements, tried one after the other: runs of one side cost a branch each.
std::int64_t best_alignment(std::size_t n, std::size_t m, std::int64_t cost, const worth_table& worth) {
  std::int64_t best = never;
  struct state {
    std::size_t i, j;
    bool first_run, second_run;
    std::int64_t sum;
  };
  std::vector<state> work{{0, 0, false, false, 0}};
  while (!work.empty()) {
    const state s = work.back();
    work.pop_back();
    if (s.i == n && s.j == m) {
      best = std::max(best, s.sum);
      continue;
    }
    if (s.i < n && s.j < m && worth(s.i, s.j) != never)
      work.push_back({s.i + 1, s.j + 1, false, false, s.sum + worth(s.i, s.j)});
    // Between two pairs the instructions of one side are one run, wherever the other's stand.
    if (s.i < n) work.push_back({s.i + 1, s.j, true, s.second_run, s.sum - (s.first_run ? 0 : cost)});
    if (s.j < m) work.push_back({s.i, s.j + 1, s.first_run, true, s.sum - (s.second_run ? 0 : cost)});
  }
  return best;
}
std::int64_t pair_worth(const toy_code& c, std::uint32_t i, std::uint32_t j) {
  if (c.code[i].opcode_class != c.code[j].opcode_class || !c.compatible(i, j)) return never;
  return static_cast<std::int64_t>(std::min(c.code[i].latency, c.code[j].latency)) - c.overhead(i, j);
}
std::int64_t best_of_blocks(const toy_code& c, block_id a, block_id b, std::int64_t cost) {
  return best_alignment(c.end[a] - c.begin[a], c.end[b] - c.begin[b], cost, [&](std::size_t i, std::size_t j) {
    return pair_worth(c, c.begin[a] + static_cast<std::uint32_t>(i), c.begin[b] + static_cast<std::uint32_t>(j));
  });
}

std::vector<toy_instruction> few(testing::rng& random, std::size_t most) {
  std::vector<toy_instruction> out;
  for (std::size_t k = random.below(most + 1); k > 0; --k) {
    toy_instruction i;
    i.opcode_class = static_cast<std::uint32_t>(random.below(3));
    i.latency = 2 + 3 * i.opcode_class;
    i.a = static_cast<std::uint32_t>(random.below(2));
    i.b = static_cast<std::uint32_t>(random.below(2));
    i.odd = random.chance(15);
    out.push_back(i);
  }
  return out;
}

}  // namespace

TEST_CASE("meld: rows of blocks: no alignment of blocks and instructions saves more") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_writer w;
    const block_id leave = w.block({}), join = w.block({}, {leave});
    std::vector<block_id> rows[2];
    for (auto& row : rows) {
      block_id next = join;
      for (std::size_t k = 1 + random.below(3); k > 0; --k) {
        auto code = few(random, 4);
        if (code.empty()) code = few(random, 1);
        if (code.empty()) continue;
        next = w.block(code, {next});
        row.insert(row.begin(), next);
      }
    }
    if (rows[0].empty() || rows[1].empty()) continue;
    const block_id branch = w.block({}, {rows[0][0], rows[1][0]});
    const toy_code c = w.finish(branch);
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(5));
    const auto cost = static_cast<std::int64_t>(o.predication_cost);
    // Blocks may be melded if that saves something at all: the savings of the best alignment. If two alignments are as
    // good, one with less gross may be found: only the savings allowed in any case are asked for.
    bool sure = true;
    const std::int64_t best = best_alignment(rows[0].size(), rows[1].size(), cost, [&](std::size_t i, std::size_t j) {
      const block_id a = rows[0][i], b = rows[1][j];
      bool any = false, doubtful = false;
      for (std::uint32_t x = c.begin[a]; x < c.end[a]; ++x)
        for (std::uint32_t y = c.begin[b]; y < c.end[b]; ++y) {
          any = any || pair_worth(c, x, y) > 0;
          doubtful = doubtful || (pair_worth(c, x, y) != never && pair_worth(c, x, y) <= 0);
        }
      sure = sure && !doubtful;
      return any ? best_of_blocks(c, a, b, cost) : never;
    });
    meld_plan p;
    const meld_refusal r = plan_meld(c.graph, c, branch, p, o);
    CAPTURE(text(c));
    CAPTURE(text(p));
    if (r == meld_refusal::none) check_plan(c, p, o, seed);
    const std::int64_t saved = r == meld_refusal::none ? p.weight_saved : 0;
    REQUIRE(saved <= best + 2 * cost);
    if (sure && cost == 0) REQUIRE(saved == best + 2 * cost);
    if (sure && cost > 0 && best + 2 * cost > 0 && r == meld_refusal::none) REQUIRE(saved == best + 2 * cost);
  }
}

TEST_CASE("meld: a block beside a region: no path and no place saves more") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph shape = testing::random_cfg(
        random, {.blocks = 3 + random.below(5), .reducible = true, .terminating = true, .shuffled = false});
    // The region's exit is the join.
    toy_writer w;
    const block_id leave = w.block({}), join = w.block({}, {leave});
    std::vector<block_id> name;
    for (block_id b = 0; b < shape.num_blocks(); ++b)
      name.push_back(shape.successors(b).empty() ? join : w.block(few(random, 3)));
    if (name[0] == join) continue;
    const block_id one = w.block(few(random, 4), {join});
    for (block_id b = 0; b < shape.num_blocks(); ++b)
      for (const block_id s : shape.successors(b)) w.successors(name[b]).push_back(name[s]);
    const bool left = random.chance(50);
    const block_id branch = left ? w.block({}, {name[0], one}) : w.block({}, {one, name[0]});
    const toy_code c = w.finish(branch);
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(3));
    const auto cost = static_cast<std::int64_t>(o.predication_cost);
    meld_plan p;
    const meld_refusal r = plan_meld(c.graph, c, branch, p, o);
    CAPTURE(text(c));
    CAPTURE(text(p));
    if (r != meld_refusal::none) continue;
    check_plan(c, p, o, seed);
    // Only where the region is one piece, of several blocks, and no block is passed over.
    std::size_t pieces = 0, lone = 0;
    for (const meld_piece& x : p.pieces) {
      ++pieces;
      for (std::uint32_t k = x.first_block; k < x.first_block + x.num_blocks; ++k)
        lone += p.blocks[k].ends_as == meld_side::both ? 0 : 1;
    }
    bool empties = false;
    for (block_id b = 0; b < shape.num_blocks(); ++b)
      empties =
          empties || (name[b] != join && c.begin[name[b]] == c.end[name[b]] && c.graph.successors(name[b]).size() == 1);
    if (pieces != 1 || lone == 0 || empties) continue;
    ++found;
    // All simple paths, all places on them.
    std::int64_t best = never;
    struct step {
      block_id at;
      std::vector<block_id> path;
    };
    std::vector<step> work{{name[0], {name[0]}}};
    while (!work.empty()) {
      const step s = work.back();
      work.pop_back();
      for (const block_id to : c.graph.successors(s.at)) {
        if (to == join) {
          for (const block_id place : s.path) {
            std::int64_t sum = best_of_blocks(c, one, place, cost);
            for (const block_id b : s.path) {
              if (b != place && c.begin[b] != c.end[b]) sum -= cost;
              if (c.graph.successors(b).size() > 1) sum -= cost;
            }
            best = std::max(best, sum);
          }
          continue;
        }
        if (std::find(s.path.begin(), s.path.end(), to) != s.path.end()) continue;
        step next = s;
        next.at = to;
        next.path.push_back(to);
        work.push_back(std::move(next));
      }
    }
    REQUIRE(std::int64_t{p.weight_saved} == best + 2 * cost);
  }
  CHECK(found > 500);
}

TEST_CASE(
    "meld: two regions: no isomorphism saves more; which one is taken is decided branch by branch, mostly the best") {
  std::size_t found = 0, best_found = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph shape = testing::random_cfg(
        random, {.blocks = 4 + random.below(4), .reducible = true, .terminating = true, .shuffled = false});
    const block_id inner = static_cast<block_id>(shape.num_blocks() - 1);  // the last one is the exit: the join
    if (!shape.successors(inner).empty() || shape.successors(0).size() < 2) continue;
    toy_writer w;
    const block_id leave = w.block({}), join = w.block({}, {leave});
    std::vector<block_id> name[2];
    for (auto& names : name) {
      for (block_id b = 0; b < inner; ++b) names.push_back(w.block(few(random, 3)));
      names.push_back(join);
      for (block_id b = 0; b < inner; ++b) {
        for (const block_id s : shape.successors(b)) w.successors(names[b]).push_back(names[s]);
        if (&names == &name[1] && random.chance(50))
          std::reverse(w.successors(names[b]).begin(), w.successors(names[b]).end());
      }
    }
    const block_id branch = w.block({}, {name[0][0], name[1][0]});
    const toy_code c = w.finish(branch);
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(2));
    const auto cost = static_cast<std::int64_t>(o.predication_cost);
    meld_plan p;
    if (plan_meld(c.graph, c, branch, p, o) != meld_refusal::none) continue;
    check_plan(c, p, o, seed);
    bool empties = false;
    for (const auto& names : name)
      for (block_id b = 0; b < inner; ++b)
        empties = empties || (c.begin[names[b]] == c.end[names[b]] && shape.successors(b).size() == 1);
    if (p.pieces.size() != 1 || empties) continue;
    ++found;
    std::int64_t best = never;
    std::vector<block_id> map(name[1].begin(), name[1].end() - 1);
    std::sort(map.begin() + 1, map.end());
    do {
      std::int64_t sum = 0;
      for (block_id b = 0; b < inner && sum != never; ++b) {
        std::vector<block_id> image;
        for (const block_id s : shape.successors(b)) image.push_back(s == inner ? join : map[s]);
        std::vector<block_id> there(c.graph.successors(map[b]).begin(), c.graph.successors(map[b]).end());
        std::sort(image.begin(), image.end());
        std::sort(there.begin(), there.end());
        sum = image == there ? sum + best_of_blocks(c, name[0][b], map[b], cost) : never;
      }
      best = std::max(best, sum);
    } while (std::next_permutation(map.begin() + 1, map.end()));
    REQUIRE(best != never);
    REQUIRE(std::int64_t{p.weight_saved} <= best + 2 * cost);
    best_found += std::int64_t{p.weight_saved} == best + 2 * cost ? 1 : 0;
  }
  MESSAGE("the best one in " << best_found << " of " << found);
  CHECK(found > 300);
  CHECK(best_found * 10 > found * 9);
}

// --- beside the published alignment ---------------------------------------------------------------------------------

namespace {

// The alignment of the published melder: gaps cost the same whatever their length, cells do not fall below zero, and
// the way back knows only from which side a cell came, not from how far.
std::vector<std::pair<std::size_t, std::size_t>> published_pairs(std::size_t n, std::size_t m, std::int64_t cost,
                                                                 const worth_table& worth) {
  std::vector<std::vector<std::int64_t>> h(n + 1, std::vector<std::int64_t>(m + 1, 0));
  std::vector<std::vector<int>> from(n + 1, std::vector<int>(m + 1, 0));
  std::size_t i = 0, j = 0;
  for (std::size_t x = 1; x <= n; ++x)
    for (std::size_t y = 1; y <= m; ++y) {
      const std::int64_t w = worth(x - 1, y - 1);
      std::int64_t best = w == never ? -1 : h[x - 1][y - 1] + w;
      int how = 1;
      for (std::size_t k = 1; k <= x; ++k)
        if (h[x - k][y] - cost > best) {
          best = h[x - k][y] - cost;
          how = 2;
        }
      for (std::size_t k = 1; k <= y; ++k)
        if (h[x][y - k] - cost > best) {
          best = h[x][y - k] - cost;
          how = 3;
        }
      h[x][y] = std::max<std::int64_t>(best, 0);
      from[x][y] = how;
      if (h[x][y] >= h[i][j]) {
        i = x;
        j = y;
      }
    }
  std::vector<std::pair<std::size_t, std::size_t>> out;
  while (i > 0 && j > 0) {
    if (from[i][j] == 1) {
      if (worth(i - 1, j - 1) != never) out.emplace_back(i - 1, j - 1);
      --i;
      --j;
    } else if (from[i][j] == 2) {
      --i;
    } else {
      --j;
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("meld: the alignment is at least as good as the published one, by the same measure, and often better") {
  std::size_t better = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_writer w;
    const block_id leave = w.block({}), join = w.block({}, {leave});
    const block_id a = w.block(few(random, 14), {join}), b = w.block(few(random, 14), {join});
    const block_id branch = w.block({}, {a, b});
    const toy_code c = w.finish(branch);
    meld_options o;
    o.threshold = 0;
    o.predication_cost = 2;
    meld_plan p;
    if (plan_meld(c.graph, c, branch, p, o) != meld_refusal::none) continue;
    ++all;
    std::int64_t sum = 0;
    std::size_t i = 0, j = 0;
    const std::size_t n = c.end[a] - c.begin[a], m = c.end[b] - c.begin[b];
    const worth_table worth = [&](std::size_t x, std::size_t y) {
      return pair_worth(c, c.begin[a] + static_cast<std::uint32_t>(x), c.begin[b] + static_cast<std::uint32_t>(y));
    };
    for (const auto& [x, y] : published_pairs(n, m, 2, worth)) {
      sum += worth(x, y) - (x > i ? 2 : 0) - (y > j ? 2 : 0);
      i = x + 1;
      j = y + 1;
    }
    sum -= (n > i ? 2 : 0) + (m > j ? 2 : 0);
    CAPTURE(text(c));
    CAPTURE(text(p));
    REQUIRE(std::int64_t{p.weight_saved} >= sum + 4);
    if (std::int64_t{p.weight_saved} > sum + 4) ++better;
  }
  MESSAGE("better in " << better << " of " << all);
  CHECK(better > all / 20);
}

// --- by name --------------------------------------------------------------------------------------------------------

namespace {

toy_instruction op(std::uint32_t opcode_class, std::uint32_t latency = 5) {
  toy_instruction i;
  i.opcode_class = opcode_class;
  i.latency = latency;
  return i;
}
std::vector<toy_instruction> ops(std::initializer_list<std::uint32_t> classes) {
  std::vector<toy_instruction> out;
  for (const std::uint32_t c : classes) out.push_back(op(c));
  return out;
}

// Blocks by number, each with successors and code; block 0 is the branch and the entry.
struct named_block {
  std::vector<block_id> to;
  std::vector<toy_instruction> code;
};
toy_code code_of(const std::vector<named_block>& blocks) {
  toy_writer w;
  for (const named_block& b : blocks) w.block(b.code, b.to);
  return w.finish(0);
}
meld_refusal refusal(const toy_code& c, const meld_options& o = {}, block_id branch = 0) {
  meld_plan p;
  const meld_refusal r = plan_meld(c.graph, c, branch, p, o);
  if (r == meld_refusal::none) check_plan(c, p, o, 1);
  return r;
}

}  // namespace

TEST_CASE("meld: a diamond of equal arms becomes one block") {
  const toy_code c = code_of({{{1, 2}, {}}, {{3}, ops({1, 2, 3})}, {{3}, ops({1, 2, 3})}, {{}, {}}});
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, 0, p) == meld_refusal::none);
  CHECK(p.branch == 0);
  CHECK(p.join == 3);
  REQUIRE(p.pieces.size() == 1);
  CHECK(p.pieces[0].side == meld_side::both);
  CHECK(p.pieces[0].profit == 0.5);
  CHECK(p.pieces[0].weight_saved == 15);
  CHECK(p.weight_saved == 15 + 6);
  CHECK(p.all_slots == std::vector<meld_slot>{{0, 3}, {1, 4}, {2, 5}});
  CHECK(p.successors == std::vector<std::uint32_t>{piece_end});
  for (const meld_mode mode : modes) {
    meld_options o;
    o.mode = mode;
    CHECK(refusal(c, o) == meld_refusal::none);
  }
}

TEST_CASE("meld: every refusal by name") {
  const auto same = ops({1, 2});
  meld_options all;
  all.all_branches = true;
  // Not two different successors.
  CHECK(refusal(code_of({{{1, 1}, {}}, {{2}, same}, {{}, {}}})) == meld_refusal::not_two_way);
  CHECK(refusal(code_of({{{1, 2, 3}, {}}, {{4}, same}, {{4}, same}, {{4}, same}, {{}, {}}})) ==
        meld_refusal::not_two_way);
  CHECK(refusal(code_of({{{1}, {}}, {{}, {}}})) == meld_refusal::not_two_way);
  // Threads agree.
  toy_code agreed = code_of({{{1, 2}, {}}, {{3}, same}, {{3}, same}, {{}, {}}});
  agreed.uniform = {1};
  CHECK(refusal(agreed) == meld_refusal::uniform);
  CHECK(refusal(agreed, all) == meld_refusal::none);
  // No join: an arm where threads end, one where they stay forever, and a predicated end.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{}, same}, {{3}, same}, {{}, {}}})) == meld_refusal::no_join);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{1}, same}, {{3}, same}, {{}, {}}})) == meld_refusal::no_join);
  {
    toy_code c = code_of({{{1, 2}, {}}, {{3}, same}, {{3}, same}, {{}, {}}});
    csr_builder g(4);
    g.add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3).mark_exit(1);
    c.graph = g.build();
    CHECK(refusal(c) == meld_refusal::no_join);
  }
  // One arm has nothing: no block, or only blocks that go on.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{2}, same}, {{}, {}}})) == meld_refusal::empty_arm);
  CHECK(refusal(code_of({{{2, 1}, {}}, {{2}, same}, {{}, {}}})) == meld_refusal::empty_arm);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{4}, same}, {{3}, {}}, {{4}, {}}, {{}, {}}})) == meld_refusal::empty_arm);
  // A block that both arms reach, and that is not the join.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3, 4}, same}, {{3, 4}, same}, {{4}, same}, {{}, {}}})) ==
        meld_refusal::arms_meet);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{2, 3}, same}, {{3}, same}, {{}, {}}})) == meld_refusal::arms_meet);
  // An arm leads back to the branch.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{0, 3}, same}, {{3}, same}, {{}, {}}})) == meld_refusal::returns);
  // ... but through the join it may.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, same}, {{3}, same}, {{0, 4}, {}}, {{}, {}}})) == meld_refusal::none);
  // Control enters an arm elsewhere: from a block before the branch, from one after the join, from one that is not
  // reached, and at the function's entry.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3, 4}, {}}, {{3}, same}, {{5}, same}, {{5}, same}, {{}, {}}}), {}, 1) ==
        meld_refusal::not_dominated);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, same}, {{3}, same}, {{1, 4}, {}}, {{}, {}}})) ==
        meld_refusal::not_dominated);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, same}, {{3}, same}, {{}, {}}, {{2}, {}}})) == meld_refusal::not_dominated);
  {
    toy_writer w;  // the entry is the left arm: it is entered from outside
    w.block({}, {1, 2});
    w.block(same, {3});
    w.block(same, {3});
    w.block({}, {0, 4});
    w.block({});
    const toy_code c = w.finish(1);
    CHECK(refusal(c) == meld_refusal::not_dominated);
  }
  // A convergent instruction anywhere in an arm; a pinned one only keeps its piece from being melded.
  auto pinned = same, convergent = same;
  pinned[0].pinned = true;
  convergent[0].pinned = convergent[0].convergent = true;
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, same}, {{3}, convergent}, {{}, {}}})) == meld_refusal::convergent);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, convergent}, {{4}, same}, {{4}, same}, {{}, {}}})) ==
        meld_refusal::convergent);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, same}, {{3}, pinned}, {{}, {}}})) == meld_refusal::pinned);
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, pinned}, {{4}, same}, {{4}, same}, {{}, {}}})) == meld_refusal::none);
  // Modes.
  meld_options fusion, tail;
  fusion.mode = meld_mode::fusion;
  tail.mode = meld_mode::tail;
  const toy_code if_then = code_of({{{1, 2}, {}}, {{3, 4}, same}, {{4}, same}, {{4}, same}, {{}, {}}});
  CHECK(refusal(if_then, fusion) == meld_refusal::not_a_diamond);
  CHECK(refusal(if_then, tail) == meld_refusal::not_a_diamond);
  const toy_code two_rows = code_of({{{1, 2}, {}}, {{3}, same}, {{4}, same}, {{4}, same}, {{}, {}}});
  CHECK(refusal(two_rows, fusion) == meld_refusal::not_a_diamond);
  CHECK(refusal(two_rows, tail) == meld_refusal::none);
  // Blocks that only go on are none: nvcc puts one in front of an arm.
  const toy_code jump = code_of({{{1, 2}, {}}, {{3}, {}}, {{4}, same}, {{4}, same}, {{}, {}}});
  for (const meld_mode mode : modes) {
    meld_options o;
    o.mode = mode;
    CHECK(refusal(jump, o) == meld_refusal::none);
  }
  // Nothing fits, or too little.
  CHECK(refusal(code_of({{{1, 2}, {}}, {{3}, ops({1, 2})}, {{3}, ops({3, 4})}, {{}, {}}})) ==
        meld_refusal::nothing_compatible);
  const toy_code little = code_of({{{1, 2}, {}}, {{3}, ops({1, 2, 3, 4, 5})}, {{3}, ops({1, 6, 7, 8, 9})}, {{}, {}}});
  CHECK(refusal(little) == meld_refusal::below_threshold);
  meld_options low;
  low.threshold = 0.1;
  CHECK(refusal(little, low) == meld_refusal::none);
  low.threshold = 0.11;
  CHECK(refusal(little, low) == meld_refusal::below_threshold);
  // The fingerprints promise enough, the order does not keep it.
  const toy_code crossed = code_of({{{1, 2}, {}}, {{3}, ops({1, 2, 3})}, {{3}, ops({3, 2, 1})}, {{}, {}}});
  low.threshold = 0.2;
  CHECK(refusal(crossed, low) == meld_refusal::below_threshold);
}

TEST_CASE("meld: the pieces that a published melder takes for isomorphic are not melded") {
  // Left: E -> J A, A -> J K, J K -> join. Right: E -> J1 A, A -> J2 K, J1 J2 K -> join.
  const auto same = ops({1, 2, 3});
  const toy_code c = code_of({{{1, 5}, {}},
                              {{2, 3}, same},  // E
                              {{10}, same},    // J
                              {{2, 4}, same},  // A
                              {{10}, same},    // K
                              {{6, 7}, same},  // E'
                              {{10}, same},    // J1
                              {{8, 9}, same},  // A'
                              {{10}, same},    // J2
                              {{10}, same},    // K'
                              {{}, {}}});
  CHECK(refusal(c) == meld_refusal::nothing_compatible);
}

TEST_CASE("meld: a region with its branch the other way round, and the better of two isomorphisms") {
  // if (c) a else b, beside if (d) b else a: as it stands nothing in the arms fits.
  const toy_code c = code_of({{{1, 4}, {}},
                              {{2, 3}, ops({1})},
                              {{7}, ops({2, 2})},
                              {{7}, ops({3, 3})},
                              {{5, 6}, ops({1})},
                              {{7}, ops({3, 3})},
                              {{7}, ops({2, 2})},
                              {{}, {}}});
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, 0, p) == meld_refusal::none);
  check_plan(c, p, {}, 1);
  REQUIRE(p.pieces.size() == 1);
  CHECK(p.pieces[0].num_blocks == 3);
  CHECK(p.pieces[0].profit == 0.5);
  CHECK(p.blocks[0].swapped);
  // The first decision looks better crossed, the rest better straight: the sum counts.
  const toy_code d = code_of({{{1, 6}, {}},
                              {{2, 3}, {}},
                              {{4}, ops({2})},
                              {{5}, ops({3})},
                              {{11}, ops({4, 4, 4, 4})},
                              {{11}, ops({5, 5, 5, 5})},
                              {{7, 8}, {}},
                              {{9}, ops({3})},
                              {{10}, ops({2})},
                              {{11}, ops({4, 4, 4, 4})},
                              {{11}, ops({5, 5, 5, 5})},
                              {{}, {}}});
  REQUIRE(plan_meld(d.graph, d, 0, p) == meld_refusal::none);
  check_plan(d, p, {}, 1);
  CHECK(!p.blocks[0].swapped);
  CHECK(p.pieces[0].weight_saved == 40);
}

TEST_CASE("meld: pieces are cut at post-dominators, but not through a loop") {
  // Left: x, then a loop over y and z, then v. The chain of post-dominators is x y z v.
  const toy_code c = code_of({{{1, 5}, {}},
                              {{2}, ops({1, 1})},
                              {{3}, ops({2, 2})},
                              {{2, 4}, ops({3, 3})},
                              {{9}, ops({4, 4})},
                              {{6}, ops({1, 1})},
                              {{7}, ops({2, 2})},
                              {{6, 8}, ops({3, 3})},
                              {{9}, ops({4, 4})},
                              {{}, {}}});
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, 0, p) == meld_refusal::none);
  check_plan(c, p, {}, 1);
  REQUIRE(p.pieces.size() == 3);
  CHECK(p.pieces[0].num_blocks == 1);
  CHECK(p.pieces[1].num_blocks == 2);
  CHECK(p.pieces[2].num_blocks == 1);
  CHECK(p.successors == std::vector<std::uint32_t>{piece_end, 2, 1, piece_end, piece_end});
}

TEST_CASE("meld: a block finds its place in a region, and its threads are led there") {
  // Right: if (d) { poor } else { like the block }.
  const toy_code c = code_of({{{1, 2}, {}},
                              {{6}, ops({1, 2, 3, 4})},
                              {{3, 4}, ops({7})},
                              {{5}, ops({8})},
                              {{5}, ops({1, 2, 3, 4})},
                              {{6}, ops({9})},
                              {{}, {}}});
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, 0, p) == meld_refusal::none);
  check_plan(c, p, {}, 1);
  // The region is one piece, the block after it another.
  REQUIRE(p.pieces.size() == 2);
  CHECK(p.pieces[0].side == meld_side::both);
  CHECK(p.pieces[1].side == meld_side::right);
  REQUIRE(p.pieces[0].num_blocks == 3);
  CHECK(p.blocks[0].left == no_block);
  CHECK(p.blocks[0].right == 2);
  CHECK(p.blocks[0].forced == 1);
  CHECK(p.blocks[1].right == 3);
  CHECK(p.blocks[1].forced == no_outcome);
  CHECK(p.blocks[2].left == 1);
  CHECK(p.blocks[2].right == 4);
  CHECK(p.blocks[2].forced == 0);
  CHECK(p.blocks[2].ends_as == meld_side::right);
}

TEST_CASE("meld: a block in a loop's body has no path that takes each block once") {
  // Right: while (d) { like the block }: from the body there is no way out but through the head again.
  const toy_code c =
      code_of({{{1, 2}, {}}, {{4}, ops({1, 2, 3, 4})}, {{3, 4}, ops({7})}, {{2}, ops({1, 2, 3, 4})}, {{}, {}}});
  CHECK(refusal(c) == meld_refusal::nothing_compatible);
  // do { like the block } while (d) has one.
  const toy_code d =
      code_of({{{1, 2}, {}}, {{4}, ops({1, 2, 3, 4})}, {{3}, ops({1, 2, 3, 4})}, {{2, 4}, ops({7})}, {{}, {}}});
  CHECK(refusal(d) == meld_refusal::none);
}

// --- what a model may say besides -----------------------------------------------------------------------------------

namespace {

struct choosy_code : toy_code {
  std::vector<block_id> never_with;  // by block: one that it must not share a branch with
  bool force = true;
  bool compatible_branches(block_id a, block_id b) const {
    return never_with.empty() || (never_with[a] != b && never_with[b] != a);
  }
  bool can_force_branch(block_id) const { return force; }
};
// No is_convergent: all that is pinned is.
struct strict_code {
  const toy_code* c;
  std::uint32_t first(block_id b) const { return c->first(b); }
  std::uint32_t last(block_id b) const { return c->last(b); }
  std::uint32_t opcode_class(std::uint32_t i) const { return c->opcode_class(i); }
  std::uint32_t latency(std::uint32_t i) const { return c->latency(i); }
  bool compatible(std::uint32_t, std::uint32_t) const { return true; }
  std::uint32_t overhead(std::uint32_t, std::uint32_t) const { return 0; }
  bool is_pinned(std::uint32_t i) const { return c->is_pinned(i); }
  bool is_divergent(block_id b) const { return c->is_divergent(b); }
};
struct class_code : strict_code {
  static constexpr bool classes_decide = true;
};

}  // namespace

TEST_CASE("meld: models may forbid pairs of branches and forced ones, and need not tell convergent from pinned") {
  const auto same = ops({1, 2, 3});
  const toy_code plain = code_of(
      {{{1, 4}, {}}, {{2, 3}, same}, {{7}, same}, {{7}, same}, {{5, 6}, same}, {{7}, same}, {{7}, same}, {{}, {}}});
  choosy_code c{plain, {}, true};
  meld_plan p;
  CHECK(plan_meld(c.graph, c, 0, p) == meld_refusal::none);
  c.never_with.assign(8, no_block);
  c.never_with[1] = 4;
  CHECK(plan_meld(c.graph, c, 0, p) == meld_refusal::nothing_compatible);
  choosy_code d{code_of({{{1, 2}, {}}, {{5}, same}, {{3, 4}, {}}, {{5}, same}, {{5}, {op(9)}}, {{}, {}}}), {}, true};
  CHECK(plan_meld(d.graph, d, 0, p) == meld_refusal::none);
  d.force = false;
  CHECK(plan_meld(d.graph, d, 0, p) == meld_refusal::nothing_compatible);
  // Without the member: two slots can be forced, three not.
  const toy_code e =
      code_of({{{1, 2}, {}}, {{6}, same}, {{3, 4, 5}, {}}, {{6}, same}, {{6}, {op(9)}}, {{6}, {op(9)}}, {{}, {}}});
  CHECK(plan_meld(e.graph, e, 0, p) == meld_refusal::nothing_compatible);
  auto pinned = same;
  pinned[2].pinned = true;
  const toy_code f = code_of({{{1, 2}, {}}, {{3}, pinned}, {{4}, same}, {{4}, same}, {{}, {}}});
  CHECK(plan_meld(f.graph, f, 0, p) == meld_refusal::none);
  CHECK(plan_meld(f.graph, strict_code{&f}, 0, p) == meld_refusal::convergent);
}

TEST_CASE("meld: with classes that decide, the plan is the same") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_generator generator(random);
    block_id branch = no_block;
    const toy_code c = generator.function(branch);
    const meld_options o = random_options(random);
    meld_plan p, q;
    const meld_refusal r = plan_meld(c.graph, strict_code{&c}, branch, p, o);
    REQUIRE(plan_meld(c.graph, class_code{{&c}}, branch, q, o) == r);
    CAPTURE(text(c));
    CAPTURE(text(p));
    CAPTURE(text(q));
    REQUIRE(p == q);
    found += r == meld_refusal::none ? 1 : 0;
  }
  CHECK(found > 200);
}

TEST_CASE("meld: two thousand instructions beside two thousand, in blocks and in unrolled ifs") {
  testing::rng random(3);
  const auto long_block = [&](std::size_t n) {
    std::vector<toy_instruction> out;
    for (std::size_t k = 0; k < n; ++k) {
      toy_instruction i =
          op(static_cast<std::uint32_t>(random.below(12)), 1 + static_cast<std::uint32_t>(random.below(20)));
      i.a = static_cast<std::uint32_t>(random.below(8));
      out.push_back(i);
    }
    return out;
  };
  const auto time_of = [](const auto& f) {  // of this process: other programs do not count
    const std::clock_t start = std::clock();
    f();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  toy_writer w;
  const block_id leave = w.block({}), join = w.block({}, {leave});
  const block_id a = w.block(long_block(2000), {join}), b = w.block(long_block(2000), {join});
  const block_id branch = w.block({}, {a, b});
  const toy_code c = w.finish(branch);
  meld_plan p;
  CHECK(time_of([&] { REQUIRE(plan_meld(c.graph, c, branch, p, {.threshold = 0.01}) == meld_refusal::none); }) < 2);
  check_plan(c, p, {.threshold = 0.01}, 1);
  CHECK(time_of([&] {
          REQUIRE(plan_meld(c.graph, class_code{{&c}}, branch, p, {.threshold = 0.01}) == meld_refusal::none);
        }) < 2);
  // 100 ifs of 20 instructions on each side: pieces that are all alike.
  toy_writer u;
  const block_id out = u.block({}), end = u.block({}, {out});
  block_id arms[2];
  for (block_id& arm : arms) {
    arm = end;
    for (int k = 0; k < 100; ++k) {
      const block_id then = u.block(long_block(10), {arm});
      arm = u.block(long_block(10), {then, arm});
    }
  }
  const block_id top = u.block({}, {arms[0], arms[1]});
  const toy_code d = u.finish(top);
  CHECK(time_of([&] { REQUIRE(plan_meld(d.graph, d, top, p, {.threshold = 0.05}) == meld_refusal::none); }) < 2);
  check_plan(d, p, {.threshold = 0.05}, 1);
  CHECK(p.pieces.size() > 50);
}

TEST_CASE("meld: arms of fifty thousand blocks: no recursion") {
  // Two chains of loops, one region; and one chain of blocks on each side.
  const std::uint32_t n = 50'000;
  toy_writer w;
  const block_id leave = w.block({}), join = w.block({}, {leave});
  block_id arms[2];
  for (block_id& arm : arms) {
    std::vector<block_id> row;
    for (std::uint32_t k = 0; k < n; ++k) row.push_back(w.block(ops({k % 3})));
    for (std::uint32_t k = 0; k < n; ++k) {
      const block_id next = k + 1 < n ? row[k + 1] : join;
      w.successors(row[k]) = k == n - 1 ? std::vector<block_id>{row[0], next} : std::vector<block_id>{next};
    }
    arm = row[0];
  }
  const block_id branch = w.block({}, {arms[0], arms[1]});
  const toy_code c = w.finish(branch);
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, branch, p) == meld_refusal::none);
  REQUIRE(p.pieces.size() == 1);
  CHECK(p.pieces[0].num_blocks == n);
  CHECK(p.weight_saved == 5 * n + 6);
}

TEST_CASE("meld: no block, one block, nothing to meld") {
  const toy_code none;
  const meld_search s = find_meld(csr_graph(), none);
  CHECK(!s.found);
  CHECK(s.refused.empty());
  const toy_code one = code_of({{{}, ops({1})}});
  CHECK(find_meld(one.graph, one).refused.empty());
  const toy_code self = code_of({{{0}, ops({1})}});
  CHECK(find_meld(self.graph, self).refused.empty());
  const toy_code loop = code_of({{{0, 1}, ops({1})}, {{}, {}}});
  REQUIRE(find_meld(loop.graph, loop).refused.size() == 1);
  CHECK(find_meld(loop.graph, loop).refused[0] == meld_refused{0, meld_refusal::empty_arm});
}

namespace {

struct constant_code {
  constexpr std::uint32_t first(block_id b) const { return b; }
  constexpr std::uint32_t last(block_id b) const { return b + 1; }
  constexpr std::uint32_t opcode_class(std::uint32_t) const { return 0; }
  constexpr std::uint32_t latency(std::uint32_t) const { return 5; }
  constexpr bool compatible(std::uint32_t, std::uint32_t) const { return true; }
  constexpr std::uint32_t overhead(std::uint32_t, std::uint32_t) const { return 1; }
  constexpr bool is_pinned(std::uint32_t) const { return false; }
  constexpr bool is_divergent(block_id) const { return true; }
};
constexpr std::uint32_t in_a_constant() {
  csr_builder b(4);
  b.add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3);
  const csr_graph g = b.build();
  return find_meld(g, constant_code()).plan.weight_saved;
}
static_assert(in_a_constant() == 4 + 6);

}  // namespace
