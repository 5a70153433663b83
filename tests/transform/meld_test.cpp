// SPDX-License-Identifier: BSL-1.0
//
// Plans to meld random two-armed branches: threads of both sides do through them what they did before, plans weigh what
// they say, and where all possibilities can be tried none is better.
#include "meld_checks.hpp"
#include "meld_edits.hpp"
#include "toy_code.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
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

meld_options random_options(testing::rng& random) {
  meld_options o;
  o.threshold = 0.05 * static_cast<double>(random.below(9));
  o.mode = random.chance(70) ? meld_mode::full : modes[random.below(3)];
  o.predication_cost = static_cast<std::uint32_t>(random.below(6));
  o.divergence_cost = static_cast<std::uint32_t>(random.below(6));
  return o;
}
// In sixteenths and eighths, so that fixed point is exact.
branch_likelihood random_likelihood(testing::rng& random) {
  return {static_cast<double>(std::max(random.below(17), random.below(17))) / 16,
          static_cast<double>(random.below(9)) / 8};
}
void add_likelihoods(toy_code& c, testing::rng& random) {
  const bool mostly = random.chance(60);
  for (block_id b = 0; b < c.graph.num_blocks(); ++b)
    c.likely.push_back(mostly && random.chance(90) ? branch_likelihood{1, 0.5} : random_likelihood(random));
  if (random.chance(50)) return;
  for (block_id b = 0; b < c.graph.num_blocks(); ++b)
    c.often.push_back(random.chance(5) ? 0 : static_cast<double>(std::uint64_t{1} << random.below(3)));
}

}  // namespace

TEST_CASE("meld: threads do through random plans what they did before; plans weigh what they say, and are symmetric") {
  std::size_t found = 0, regions = 0, placed = 0, swapped = 0, alone = 0, several = 0, cases = 0, cuts = 0;
  edits_tally mistakes;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_generator generator(random);
    block_id branch = no_block;
    toy_code c = generator.function(branch);
    const meld_options o = random_options(random);
    if (random.chance(70)) add_likelihoods(c, random);
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
    check_edits(c, p, random, 6, mistakes);
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
      bool lone = false, swaps = false, wide = false, part = false;
      for (std::uint32_t k = piece.first_block; k < piece.first_block + piece.num_blocks; ++k) {
        lone = lone || p.blocks[k].ends_as != meld_side::both;
        swaps = swaps || p.blocks[k].swapped;
        wide = wide || p.blocks[k].num_successors > 2;
        part = part || !p.blocks[k].left_begins || !p.blocks[k].right_begins;
      }
      placed += lone ? 1 : 0;
      regions += !lone && piece.num_blocks > 1 ? 1 : 0;
      swapped += swaps ? 1 : 0;
      cases += wide && !lone ? 1 : 0;
      cuts += part ? 1 : 0;
    }
    several += melded > 1 ? 1 : 0;
  }
  MESSAGE("of " << mistakes.edits << " mistakes " << mistakes.caught << " are caught, " << mistakes.way
                << " on the way of a thread, and " << mistakes.shown << " seen");
  CHECK(mistakes.caught * 10 > mistakes.edits * 8);
  CHECK(mistakes.shown * 100 >= mistakes.way * 98);
  MESSAGE("of 6000: " << found << " melded; regions " << regions << ", blocks in regions " << placed << ", swapped "
                      << swapped << ", switches " << cases << ", pieces alone " << alone << ", several pieces "
                      << several << ", cuts " << cuts);
  CHECK(found > 1500);
  CHECK(regions > 500);
  CHECK(placed > 60);
  CHECK(swapped > 100);
  CHECK(cases > 50);
  CHECK(alone > 500);
  CHECK(several > 300);
  CHECK(cuts > 2);
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

using worth_table = std::function<double(std::size_t, std::size_t)>;
using integer_table = std::function<std::int64_t(std::size_t, std::size_t)>;
constexpr double never = -1e12;
constexpr std::int64_t forbidden_worth = -(std::int64_t{1} << 40);

// The best of all alignments of the instructions of two blocks, tried one after the other. Between two pairs the
// instructions of one side are one run, wherever the other side's stand.
// `paired`: by how much it is better than the best one without a pair, which no plan takes.
double best_of_blocks(const toy_code& c, const warp_prices& prices, block_id a, block_id b, double* paired = nullptr) {
  const std::size_t n = c.end[a] - c.begin[a], m = c.end[b] - c.begin[b];
  const warp_prices::visit_counts v{prices.in_arm(true, a), prices.in_arm(false, b)};
  const auto price = [&](const by_kind& x) { return x.expected(prices.how()); };
  // By run: what it costs more than the instructions by themselves.
  const auto run = [&](bool left, std::size_t from, std::size_t to) {
    const auto first = c.begin[left ? a : b] + static_cast<std::uint32_t>(from);
    const auto last = c.begin[left ? a : b] + static_cast<std::uint32_t>(to);
    by_kind bare;
    for (const warp_kind k : kinds)
      for (std::uint32_t i = first; i < last; ++i) bare[k] += v.with(left, k) * c.code[i].latency;
    return price(prices.run(left, first, last, v)) - price(bare);
  };
  double best = never;
  struct state {
    std::size_t i, j;            // all before is done
    std::size_t from_i, from_j;  // past the last pair
    double sum;
  };
  std::vector<state> work{{0, 0, 0, 0, 0}};
  while (!work.empty()) {
    const state s = work.back();
    work.pop_back();
    const double closed = s.sum - run(true, s.from_i, s.i) - run(false, s.from_j, s.j);
    if (s.i == n && s.j == m) {
      best = std::max(best, closed);
      continue;
    }
    const auto x = c.begin[a] + static_cast<std::uint32_t>(s.i), y = c.begin[b] + static_cast<std::uint32_t>(s.j);
    if (s.i < n && s.j < m && c.code[x].opcode_class == c.code[y].opcode_class && c.compatible(x, y)) {
      by_kind apart;
      for (const warp_kind k : kinds)
        apart[k] = v.with(true, k) * c.code[x].latency + v.with(false, k) * c.code[y].latency;
      work.push_back({s.i + 1, s.j + 1, s.i + 1, s.j + 1, closed + price(apart) - price(prices.pair(x, y, v))});
    }
    // The first side's run first, so that each run comes up once.
    if (s.i < n && s.j == s.from_j) work.push_back({s.i + 1, s.j, s.from_i, s.from_j, s.sum});
    if (s.j < m) work.push_back({s.i, s.j + 1, s.from_i, s.from_j, s.sum});
  }
  if (paired != nullptr) *paired = best + run(true, 0, n) + run(false, 0, m);
  return best;
}
// The best of all alignments of two rows of pieces, where pieces between two pairs cost one branch.
double best_alignment(std::size_t n, std::size_t m, double cost, const worth_table& worth) {
  double best = never;
  struct state {
    std::size_t i, j;
    bool apart;
    double sum;
  };
  std::vector<state> work{{0, 0, false, 0}};
  while (!work.empty()) {
    const state s = work.back();
    work.pop_back();
    if (s.i == n && s.j == m) {
      best = std::max(best, s.sum);
      continue;
    }
    if (s.i < n && s.j < m && worth(s.i, s.j) != never)
      work.push_back({s.i + 1, s.j + 1, false, s.sum + worth(s.i, s.j)});
    if (s.i < n) work.push_back({s.i + 1, s.j, true, s.sum - (s.apart ? 0 : cost)});
    if (s.j < m) work.push_back({s.i, s.j + 1, true, s.sum - (s.apart ? 0 : cost)});
  }
  return best;
}
std::int64_t pair_worth(const toy_code& c, std::uint32_t i, std::uint32_t j) {
  if (c.code[i].opcode_class != c.code[j].opcode_class || !c.compatible(i, j)) return forbidden_worth;
  return static_cast<std::int64_t>(std::min(c.code[i].latency, c.code[j].latency)) - c.overhead(i, j);
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

TEST_CASE("meld: rows of blocks: no alignment of whole blocks and instructions saves more") {
  std::size_t found = 0;
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
    toy_code c = w.finish(branch);
    c.likely.assign(branch + 1, random_likelihood(random));
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(5));
    o.divergence_cost = static_cast<std::uint32_t>(random.below(3));
    const warp_prices prices(c, branch, o);
    const double cost = prices.branch().expected(prices.how());
    // Blocks may be melded if that saves something at all: the savings of the best alignment. If two alignments are as
    // good, one with less gross may be found: only the savings allowed in any case are asked for.
    bool sure = true;
    const double best = best_alignment(rows[0].size(), rows[1].size(), cost, [&](std::size_t i, std::size_t j) {
      const block_id a = rows[0][i], b = rows[1][j];
      bool any = false, doubtful = false;
      for (std::uint32_t x = c.begin[a]; x < c.end[a]; ++x)
        for (std::uint32_t y = c.begin[b]; y < c.end[b]; ++y) {
          any = any || pair_worth(c, x, y) > 0;
          doubtful = doubtful || (pair_worth(c, x, y) != forbidden_worth && pair_worth(c, x, y) <= 0);
        }
      double paired = 0;
      const double worth = any ? best_of_blocks(c, prices, a, b, &paired) : never;
      sure = sure && !doubtful && (!any || paired > 1e-9);
      return worth;
    });
    meld_plan p;
    const meld_refusal r = plan_meld(c.graph, c, branch, p, o);
    CAPTURE(text(c));
    CAPTURE(text(p));
    if (r == meld_refusal::none) check_plan(c, p, o, seed);
    const double saved = r == meld_refusal::none ? p.expected_saving : 0;
    bool cut = false;
    for (const meld_block& b : p.blocks) cut = cut || !b.left_begins || !b.right_begins;
    if (cut) {  // blocks that are cut save more than whole ones
      REQUIRE(saved > best + cost);
      continue;
    }
    REQUIRE(saved <= std::max(best + cost, 0.0) + 1e-9);
    if (!sure || r != meld_refusal::none) continue;
    ++found;
    REQUIRE(saved == doctest::Approx(best + cost));
  }
  CHECK(found > 500);
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
    toy_code c = w.finish(branch);
    for (block_id b = 0; b <= branch; ++b)
      c.likely.push_back(random.chance(60) ? branch_likelihood{1, 0.5} : random_likelihood(random));
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(3));
    o.divergence_cost = static_cast<std::uint32_t>(random.below(3));
    const warp_prices prices(c, branch, o);
    const auto price = [&](const by_kind& x) { return x.expected(prices.how()); };
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
    // All simple paths, all places on them.
    double best = never;
    double tied = never;  // by places with pairs or none, whichever the planner sees first
    struct step {
      block_id at;
      std::vector<block_id> path;
      double forced;  // the branches on the path
    };
    const warp_prices::visit_counts once{1, 1};
    std::vector<step> work{{name[0], {name[0]}, 0}};
    while (!work.empty()) {
      const step s = work.back();
      work.pop_back();
      const auto out = c.graph.successors(s.at);
      for (std::uint32_t slot = 0; slot < out.size(); ++slot) {
        const block_id to = out[slot];
        const double forced = s.forced + (out.size() > 1 ? price(prices.forced(left, s.at, slot, once)) : 0);
        if (to == join) {
          for (const block_id place : s.path) {
            double paired = 0;
            double sum = best_of_blocks(c, prices, left ? place : one, left ? one : place, &paired) - forced;
            if (paired < -1e-9) continue;
            for (const block_id b : s.path)
              if (b != place) sum -= price(prices.run(left, c.begin[b], c.end[b], once)) - price(prices.alone(left, b));
            double& of = paired < 1e-9 ? tied : best;
            of = std::max(of, sum);
          }
          continue;
        }
        if (std::find(s.path.begin(), s.path.end(), to) != s.path.end()) continue;
        step next = s;
        next.at = to;
        next.path.push_back(to);
        next.forced = forced;
        work.push_back(std::move(next));
      }
    }
    if (tied > best - 1e-9) continue;
    ++found;
    REQUIRE(p.expected_saving == doctest::Approx(best + price(prices.branch())));
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
    toy_code c = w.finish(branch);
    c.likely.assign(branch + 1, random_likelihood(random));
    meld_options o;
    o.threshold = 0;
    o.predication_cost = static_cast<std::uint32_t>(random.below(2));
    o.divergence_cost = static_cast<std::uint32_t>(random.below(2));
    const warp_prices prices(c, branch, o);
    const double cost = prices.branch().expected(prices.how());
    meld_plan p;
    if (plan_meld(c.graph, c, branch, p, o) != meld_refusal::none) continue;
    check_plan(c, p, o, seed);
    bool empties = false;
    for (const auto& names : name)
      for (block_id b = 0; b < inner; ++b)
        empties = empties || (c.begin[names[b]] == c.end[names[b]] && shape.successors(b).size() == 1);
    if (p.pieces.size() != 1 || empties) continue;
    ++found;
    double best = never;
    std::vector<block_id> map(name[1].begin(), name[1].end() - 1);
    std::sort(map.begin() + 1, map.end());
    do {
      double sum = 0;
      for (block_id b = 0; b < inner && sum != never; ++b) {
        std::vector<block_id> image;
        for (const block_id s : shape.successors(b)) image.push_back(s == inner ? join : map[s]);
        std::vector<block_id> there(c.graph.successors(map[b]).begin(), c.graph.successors(map[b]).end());
        std::sort(image.begin(), image.end());
        std::sort(there.begin(), there.end());
        sum = image == there ? sum + best_of_blocks(c, prices, name[0][b], map[b]) : never;
      }
      best = std::max(best, sum);
    } while (std::next_permutation(map.begin() + 1, map.end()));
    REQUIRE(best != never);
    REQUIRE(p.expected_saving <= best + cost + 1e-9);
    best_found += p.expected_saving >= best + cost - 1e-9 ? 1 : 0;
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
                                                                 const integer_table& worth) {
  std::vector<std::vector<std::int64_t>> h(n + 1, std::vector<std::int64_t>(m + 1, 0));
  std::vector<std::vector<int>> from(n + 1, std::vector<int>(m + 1, 0));
  std::size_t i = 0, j = 0;
  for (std::size_t x = 1; x <= n; ++x)
    for (std::size_t y = 1; y <= m; ++y) {
      const std::int64_t w = worth(x - 1, y - 1);
      std::int64_t best = w == forbidden_worth ? -1 : h[x - 1][y - 1] + w;
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
      if (worth(i - 1, j - 1) != forbidden_worth) out.emplace_back(i - 1, j - 1);
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
    std::size_t i = 0, j = 0;
    const std::size_t n = c.end[a] - c.begin[a], m = c.end[b] - c.begin[b];
    const integer_table worth = [&](std::size_t x, std::size_t y) {
      return pair_worth(c, c.begin[a] + static_cast<std::uint32_t>(x), c.begin[b] + static_cast<std::uint32_t>(y));
    };
    // The published pairs, with selects and runs at their expected prices.
    const warp_prices prices(c, branch, o);
    const warp_prices::visit_counts v{1, 1};
    const auto price = [&](const by_kind& x) { return x.expected(prices.how()); };
    by_kind published;
    const auto runs = [&](std::size_t to_i, std::size_t to_j) {
      published.add(prices.run(true, c.begin[a] + static_cast<std::uint32_t>(i),
                               c.begin[a] + static_cast<std::uint32_t>(to_i), v));
      published.add(prices.run(false, c.begin[b] + static_cast<std::uint32_t>(j),
                               c.begin[b] + static_cast<std::uint32_t>(to_j), v));
    };
    for (const auto& [x, y] : published_pairs(n, m, 2, worth)) {
      runs(x, y);
      published.add(
          prices.pair(c.begin[a] + static_cast<std::uint32_t>(x), c.begin[b] + static_cast<std::uint32_t>(y), v));
      i = x + 1;
      j = y + 1;
    }
    runs(n, m);
    const double saved = price(prices.arms(branch, join)) - price(published);
    CAPTURE(text(c));
    CAPTURE(text(p));
    REQUIRE(p.expected_saving >= saved - 1e-9);
    if (p.expected_saving > saved + 1e-9) ++better;
  }
  MESSAGE("better in " << better << " of " << all);
  CHECK(better > all / 20);
}

// --- by name --------------------------------------------------------------------------------------------------------

namespace {

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
