// SPDX-License-Identifier: BSL-1.0
//
// Metrics: worked numbers, and random runs against figures computed from the recorded schedule in another way.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/observers/metrics.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

using namespace simtflow;

TEST_CASE("metrics: the stack depth example of the linearization paper, by hand") {
  const testing::fixture f = testing::fixture_stack_depth();
  const auto pdom = post_dominators(f.graph);
  issue_widths widths;
  lane_activity active;
  temporal_issues half(2);
  entry_depth depth;
  standing_places standing;
  both a(widths, active);
  both b(half, depth);
  both ab(a, b);
  both all(ab, standing);
  testing::fixture_threads threads(f);
  CHECK(run(policies::ipdom_stack(pdom.ipdoms()), threads, threads.shape(), all).finished());
  // BB1 1111, BB2 1110, BB4 1100, BB6 1000, BB7 0100, BB8 1100, BB5 0010, BB9 1110, BB3 0001, BB10 1111
  CHECK(widths.of(1) == 4);
  CHECK(widths.of(2) == 2);
  CHECK(widths.of(3) == 2);
  CHECK(widths.of(4) == 2);
  CHECK(widths.between(2, 3) == 4);
  CHECK(widths.between(0, 100) == 10);
  CHECK(widths.total() == 10);
  CHECK(widths.widest() == 4);
  CHECK(widths.of(77) == 0);
  CHECK(active.used == 22);
  CHECK(active.of_live() == doctest::Approx(22.0 / 40));
  CHECK(active.of_warp() == doctest::Approx(22.0 / 40));
  CHECK(active.of_thread_block() == doctest::Approx(22.0 / 40));
  CHECK(half.slots_taken() == 2 + 2 + 1 + 1 + 1 + 1 + 1 + 2 + 1 + 2);
  CHECK(half.slots_without_skipping() == 20);
  CHECK(half.efficiency() == doctest::Approx(22.0 / 28));
  CHECK(depth.most() == 7);
  CHECK(depth.mean() == doctest::Approx((1 + 3 + 5 + 7 + 6 + 5 + 4 + 3 + 2 + 1) / 10.0));
  CHECK(standing.most() == 4);  // {5} {6} {4} {2}; then {7} in their place
  CHECK(standing.mean() == doctest::Approx((1 + 2 + 3 + 4 + 4 + 3 + 3 + 2 + 2 + 1) / 10.0));
  CHECK(standing.converged() == 2);
}

TEST_CASE("metrics: ended threads, partial warps and weights in the denominators") {
  // Six threads in warps of four; block 0 of weight 10 ends thread 0 and thread 5, block 1 of weight 3 ends the others.
  const std::vector<std::uint32_t> weights{10, 3};
  callable_program p([](std::uint32_t t, block_id b) { return b == 0 && t % 5 != 0 ? 1U : no_block; }, weights);
  const std::vector<std::uint32_t> ranks{0, 1};
  issue_widths widths;
  lane_activity active;
  temporal_issues unit(3);
  both a(widths, active);
  both all(a, unit);
  executor machine{policies::thread_frontier(ranks)};
  CHECK(machine.run(p, {.threads = 6, .warp_width = 4}, all).finished());
  CHECK(widths.of(4) == 10);
  CHECK(widths.of(2) == 10);
  CHECK(widths.of(3) == 3);
  CHECK(widths.of(1) == 3);
  CHECK(active.used == 40 + 20 + 9 + 3);
  CHECK(active.live == 40 + 20 + 9 + 3);
  CHECK(active.started == 40 + 20 + 12 + 6);
  CHECK(active.block == 26 * 6);
  CHECK(active.of_live() == 1);
  CHECK(unit.slots_taken() == 2 * 10 + 10 + 2 * 3 + 3);
  CHECK(unit.slots_without_skipping() == 2 * 26);
  CHECK(lane_activity().of_live() == 1);
  CHECK(lane_activity().of_thread_block() == 1);
  CHECK(temporal_issues(4).efficiency() == 1);
  CHECK(entry_depth().mean() == 0);
  CHECK(standing_places().mean() == 0);
}

TEST_CASE("metrics: random runs against the recorded schedule") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(1, 9),
                                                     .max_successors = random.between(1, 4),
                                                     .terminating = true,
                                                     .exit_mark_percent = 20});
    const testing::random_walks walks(g, {.seed = seed});
    const launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 20)),
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 9)),
                       .entry = g.entry()};
    const auto unit = static_cast<std::uint32_t>(random.between(1, 5));
    const auto order = reverse_post_order(g);
    const auto sets = thread_frontiers(g, order);
    std::vector<std::uint32_t> sizes;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      std::uint32_t n = 0;
      for (block_id c = 0; c < g.num_blocks(); ++c) n += sets.contains(b, c) ? 1U : 0U;
      sizes.push_back(n);
    }
    struct step {
      std::uint32_t first, threads;
      block_id block;
      lane_mask lanes;
    };
    std::vector<step> steps;
    std::vector<block_id> parted;
    overloaded record{[&](const event::issued<lane_mask>& e) {
                        steps.push_back({e.first_thread, e.threads, e.block, e.lanes});
                      },
                      [&](const event::diverged<lane_mask>& e) { parted.push_back(e.block); }};
    issue_widths widths;
    lane_activity active;
    temporal_issues parts(unit);
    entry_depth depth;
    standing_places standing;
    frontier_sizes frontier(sizes);
    counts count;
    both a(widths, active);
    both b(parts, depth);
    both c(standing, frontier);
    both d(count, record);
    both ab(a, b);
    both cd(c, d);
    both all(ab, cd);
    REQUIRE(run(policies::thread_frontier(order.ranks()), testing::walking_threads(walks, shape.threads), shape, all)
                .finished());

    std::map<std::size_t, std::uint64_t> by_width;
    std::uint64_t slots = 0, most = 0, sum = 0;
    std::vector<std::size_t> done(shape.threads, 0);  // blocks that each thread has run
    for (const step& s : steps) {
      ++by_width[s.lanes.count()];
      for (std::uint32_t low = 0; low < shape.warp_width; low += unit) {
        bool any = false;
        for (std::uint32_t lane = low; lane < low + unit; ++lane) any = any || s.lanes.test(lane);
        slots += any ? 1 : 0;
      }
      std::set<block_id> here;  // forwards: where each thread of the warp stands on its path alone
      for (std::uint32_t t = s.first; t < s.first + s.threads; ++t)
        if (const auto path = walks.path(t); done[t] < path.size()) here.insert(path[done[t]]);
      most = std::max<std::uint64_t>(most, here.size());
      sum += here.size();
      s.lanes.for_each([&](std::uint32_t lane) { ++done[s.first + lane]; });
    }
    for (std::size_t n = 0; n <= 70; ++n) REQUIRE(widths.of(n) == (by_width.count(n) != 0 ? by_width[n] : 0));
    REQUIRE(widths.total() == count.fetches);
    REQUIRE(active.used == count.thread_instructions);
    REQUIRE(active.started == count.thread_slots);
    REQUIRE(active.of_live() >= active.of_warp());
    REQUIRE(parts.slots_taken() == slots);
    REQUIRE(standing.most() == most);
    REQUIRE(standing.mean() == doctest::Approx(static_cast<double>(sum) / static_cast<double>(steps.size())));
    // TF-STACK keeps one entry for each place: its depth is the number of places.
    REQUIRE(depth.most() == standing.most());
    REQUIRE(depth.mean() == doctest::Approx(standing.mean()));
    REQUIRE(depth.most() == count.max_depth);

    const std::set<block_id> branches(parted.begin(), parted.end());
    std::uint64_t total = 0, low = ~0U, high = 0, times = 0;
    for (const block_id b2 : branches) {
      total += sizes[b2];
      low = std::min<std::uint64_t>(low, sizes[b2]);
      high = std::max<std::uint64_t>(high, sizes[b2]);
    }
    for (const block_id b2 : parted) times += sizes[b2];
    REQUIRE(frontier.branches() == branches.size());
    if (branches.empty()) continue;
    REQUIRE(frontier.smallest() == low);
    REQUIRE(frontier.largest() == high);
    REQUIRE(frontier.mean() == doctest::Approx(static_cast<double>(total) / static_cast<double>(branches.size())));
    REQUIRE(frontier.mean_at_run_time() ==
            doctest::Approx(static_cast<double>(times) / static_cast<double>(parted.size())));
  }
}

TEST_CASE("metrics: standing_places forgets a thread block that was cut off") {
  standing_places standing;
  const std::vector<std::uint32_t> ranks{0, 1};
  executor machine{policies::thread_frontier(ranks)};
  callable_program twice([](std::uint32_t, block_id b) { return b == 0 ? 1U : no_block; });
  CHECK(!machine.run(twice, {.threads = 2}, standing, {.steps = 1}).finished());
  CHECK(standing.most() == 0);
  CHECK(machine.run(twice, {.threads = 2}, standing).finished());
  CHECK(standing.most() == 1);
  CHECK(standing.converged() == 2);
}

// --- memory ----------------------------------------------------------------------------------------------------------

namespace {

// Lines and banks by sets, one lane and one byte or word at a time.
std::uint32_t lines_by_sets(const std::vector<std::uint64_t>& address, const lane_mask& lanes, const line_model& m) {
  const std::uint32_t together = m.together == 0 ? 64 : m.together;
  std::set<std::pair<std::uint32_t, std::uint64_t>> touched;
  for (std::uint32_t lane = 0; lane < 64; ++lane)
    for (std::uint32_t byte = 0; lanes.test(lane) && byte < m.access_bytes; ++byte)
      touched.insert({lane / together, (address[lane] + byte) / m.line_bytes});
  return static_cast<std::uint32_t>(touched.size());
}

std::uint32_t passes_by_sets(const std::vector<std::uint64_t>& address, const lane_mask& lanes, const bank_model& m) {
  const std::uint32_t together = m.together == 0 ? 64 : m.together;
  std::uint32_t sum = 0;
  for (std::uint32_t part = 0; part * together < 64; ++part) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words;  // by bank
    for (std::uint32_t lane = part * together; lane < 64 && lane < (part + 1) * together; ++lane)
      for (std::uint32_t byte = 0; lanes.test(lane) && byte < m.access_bytes; ++byte) {
        const std::uint64_t word = (address[lane] + byte) / m.bank_bytes;
        words[word % m.banks].insert(word);
      }
    std::size_t most = 0;
    for (const auto& [bank, all] : words) most = std::max(most, all.size());
    sum += static_cast<std::uint32_t>(most);
  }
  return sum;
}

template <class F>
std::vector<std::uint64_t> addresses(F f) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t lane = 0; lane < 64; ++lane) all.push_back(f(lane));
  return all;
}

}  // namespace

TEST_CASE("metrics: memory transactions, textbook cases") {
  const lane_mask warp = lane_mask::first_lanes(32);
  const auto row = addresses([](std::uint64_t lane) { return 0x1000 + 4 * lane; });
  CHECK(transactions(row, warp) == 1);                                         // 32 x 4 bytes in one line of 128
  CHECK(transactions(row, warp, {.line_bytes = 32}) == 4);                     // in sectors
  CHECK(transactions(row, warp, {.together = 16}) == 2);                       // half-warps share nothing
  CHECK(transactions(row, lane_mask(0x0000FFFF), {.together = 16}) == 1);      // one half is idle
  CHECK(transactions(row, lane_mask(), {}) == 0);                              // nobody
  CHECK(transactions(row, warp, {.line_bytes = 64, .access_bytes = 8}) == 3);  // the last lane straddles
  const auto shifted = addresses([](std::uint64_t lane) { return 0x1004 + 4 * lane; });
  CHECK(transactions(shifted, warp) == 2);
  const auto column = addresses([](std::uint64_t lane) { return 4096 * lane; });
  CHECK(transactions(column, warp) == 32);
  const auto same = addresses([](std::uint64_t) { return 0xFFFF'FFFF'FFFF'FFF0U; });
  CHECK(transactions(same, warp) == 1);
}

TEST_CASE("metrics: bank conflicts, textbook cases") {
  const lane_mask warp = lane_mask::first_lanes(32);
  const auto stride = [](std::uint64_t words) {
    return addresses([words](std::uint64_t lane) { return 4 * words * lane; });
  };
  CHECK(bank_conflicts(stride(1), warp) == 0);
  CHECK(bank_conflicts(stride(2), warp) == 1);  // two-way
  CHECK(bank_conflicts(stride(3), warp) == 0);  // odd strides never collide
  CHECK(bank_conflicts(stride(16), warp) == 15);
  CHECK(bank_conflicts(stride(32), warp) == 31);
  CHECK(bank_conflicts(stride(33), warp) == 0);  // the padded column
  CHECK(bank_conflicts(stride(0), warp) == 0);   // broadcast
  CHECK(bank_passes(stride(0), warp) == 1);
  CHECK(bank_passes(stride(0), lane_mask()) == 0);
  CHECK(bank_conflicts(stride(0), lane_mask()) == 0);
  CHECK(bank_conflicts(stride(16), warp, {.banks = 16, .together = 16}) == 30);  // two halves, 16 passes each
  CHECK(bank_conflicts(stride(2), warp, {.bank_bytes = 8}) == 0);
  CHECK(bank_passes(addresses([](std::uint64_t lane) { return 8 * lane; }), warp, {.access_bytes = 8}) == 2);
}

TEST_CASE("metrics: random addresses against sets") {
  testing::rng random(11);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t range = std::uint64_t{1} << random.between(3, 20);
    const auto at = addresses([&](std::uint64_t) { return random.below(range); });
    const lane_mask lanes(random.next() & random.next());
    line_model line;
    line.line_bytes = 1U << random.between(3, 8);
    line.access_bytes = static_cast<std::uint32_t>(random.between(1, line.line_bytes));
    line.together = random.chance(50) ? 0 : static_cast<std::uint32_t>(random.between(1, 64));
    REQUIRE(transactions(at, lanes, line) == lines_by_sets(at, lanes, line));
    bank_model bank;
    bank.banks = static_cast<std::uint32_t>(random.between(1, 256));
    bank.bank_bytes = 1U << random.between(0, 3);
    bank.access_bytes = static_cast<std::uint32_t>(random.between(1, 4 * bank.bank_bytes));
    bank.together = line.together;
    REQUIRE(bank_passes(at, lanes, bank) == passes_by_sets(at, lanes, bank));
  }
}

TEST_CASE("metrics: a full wide warp of scattered unaligned accesses") {
  using wide = basic_mask<4>;
  std::vector<std::uint64_t> at;
  for (std::uint64_t lane = 0; lane < 256; ++lane) at.push_back(lane * 1000 + 3);
  CHECK(transactions(at, wide::first_lanes(256), {.line_bytes = 4, .access_bytes = 4}) == 512);
  CHECK(bank_passes(at, wide::first_lanes(256), {.banks = 1, .access_bytes = 16}) == 256 * 5);
}

TEST_CASE("metrics: memory events add up") {
  memory_metrics memory;
  const auto row = addresses([](std::uint64_t lane) { return 4 * lane; });
  const auto column = addresses([](std::uint64_t lane) { return 128 * lane; });
  event::memory_access<lane_mask> e{0, 0, memory_space::global, false, 4, lane_mask::first_lanes(32), row};
  memory(e);
  e.addresses = column;
  memory(e);
  CHECK(memory.global_accesses == 2);
  CHECK(memory.transactions == 33);
  CHECK(memory.efficiency() == doctest::Approx(2.0 / 33));
  e.space = memory_space::shared;
  memory(e);
  CHECK(memory.shared_accesses == 1);
  CHECK(memory.bank_passes == 32);
  CHECK(memory.bank_conflicts == 31);
  e.lanes = lane_mask();
  memory(e);
  CHECK(memory.shared_accesses == 1);
  CHECK(memory_metrics().efficiency() == 1);
}

namespace {
constexpr std::uint32_t in_a_constant() {
  const std::uint64_t at[] = {0, 4, 128, 4096};
  return transactions(std::span<const std::uint64_t>(at), lane_mask::first_lanes(4)) * 10 +
         bank_passes(std::span<const std::uint64_t>(at), lane_mask::first_lanes(4));
}
static_assert(in_a_constant() == 33);
}  // namespace
