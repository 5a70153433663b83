// SPDX-License-Identifier: BSL-1.0
#include "stacks_support.hpp"
#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>

#include <cstdint>
#include <vector>

using namespace simtflow;
using stacks::at;
using stacks::step;

namespace {

// The loop with a rare break of the thread block compaction paper, figure 10: A -> {B, C}, B -> E, C -> {E, D}, D -> F,
// E -> {A, F}. The likely-convergence point of A and C is the loop's latch E, the immediate post-dominator is F.
constexpr block_id A = 0, B = 1, C = 2, D = 3, E = 4, F = 5;
constexpr block_id ipdom[] = {F, E, F, F, F, no_block};
constexpr block_id likely[] = {E, no_block, E, no_block, no_block, no_block};

csr_graph figure() {
  return csr_builder(6)
      .add_edge(A, B)
      .add_edge(A, C)
      .add_edge(B, E)
      .add_edge(C, E)
      .add_edge(C, D)
      .add_edge(D, F)
      .add_edge(E, A)
      .add_edge(E, F)
      .build();
}

constexpr bool holds(const policies::likely_convergence_stack& s,
                     std::vector<policies::likely_convergence_stack::entry> wanted) {
  const auto all = s.entries();
  if (all.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto &a = all[i], &b = wanted[i];
    if (a.block != b.block || a.reconvergence != b.reconvergence || a.likely != b.likely || !(a.lanes == b.lanes))
      return false;
    if (a.likely != no_block && a.likely_entry != b.likely_entry) return false;
  }
  return true;
}
constexpr lane_mask m(std::uint64_t bits) { return lane_mask(bits); }

// The paper's walk: thread 1 (lane 0) goes to B, 2 to 4 go to C first; there 2 goes on to E, 3 and 4 break. The numbers
// are the figure's.
constexpr bool figure_10() {
  policies::likely_convergence_stack s{ipdom, likely, policies::path_order::last_target};
  s.start(at(A, 0b1111));
  bool good = step(s, at(A, 0b1111), {at(B, 0b0001), at(C, 0b1110)});  // 1
  good = good && holds(s, {{F, no_block, no_block, 0, m(0b1111)},
                           {E, F, no_block, 0, m(0)},  // 2
                           {B, F, E, 1, m(0b0001)},
                           {C, F, E, 1, m(0b1110)}});
  // 3, 4, 5: thread 2 stands at E already and joins the likely entry without an entry of its own
  good = good && step(s, at(C, 0b1110), {at(E, 0b0010), at(D, 0b1100)});
  good = good && holds(s, {{F, no_block, no_block, 0, m(0b1111)},
                           {E, F, no_block, 0, m(0b0010)},
                           {B, F, E, 1, m(0b0001)},
                           {D, F, E, 1, m(0b1100)}});
  good = good && step(s, at(D, 0b1100), {at(F, 0b1100)});  // 6, 7
  good = good &&
         holds(s, {{F, no_block, no_block, 0, m(0b1111)}, {E, F, no_block, 0, m(0b0010)}, {B, F, E, 1, m(0b0001)}});
  good = good && step(s, at(B, 0b0001), {at(E, 0b0001)});  // 8, 9
  good = good && holds(s, {{F, no_block, no_block, 0, m(0b1111)}, {E, F, no_block, 0, m(0b0011)}});
  good = good && step(s, at(E, 0b0011), {at(F, 0b0011)});  // 10
  good = good && holds(s, {{F, no_block, no_block, 0, m(0b1111)}});
  return good && step(s, at(F, 0b1111), {}) && !s.next();
}
static_assert(figure_10());

// Nobody comes to the likely point; then everybody ends on the way to it.
constexpr bool empty_likely_entries_go_silently() {
  policies::likely_convergence_stack s{ipdom, likely};
  s.start(at(A, 0b11));
  bool good = step(s, at(A, 0b11), {at(C, 0b01), at(B, 0b10)}) && step(s, at(C, 0b01), {at(D, 0b01)}) &&
              step(s, at(D, 0b01), {at(F, 0b01)}) && step(s, at(B, 0b10), {});
  good = good && step(s, at(F, 0b01), {}) && !s.next();
  s.start(at(A, 0b11));
  return good && step(s, at(A, 0b11), {at(C, 0b01), at(B, 0b10)}) && step(s, at(C, 0b01), {}) &&
         step(s, at(B, 0b10), {}) && !s.next();
}
static_assert(empty_likely_entries_go_silently());

// Round and round the loop: the likely entry that runs makes room for the next.
constexpr bool a_loop_does_not_grow_the_stack() {
  policies::likely_convergence_stack s{ipdom, likely};
  s.start(at(A, 0b11));
  for (int lap = 0; lap < 5; ++lap)
    if (!step(s, at(A, 0b11), {at(B, 0b01), at(C, 0b10)}) || s.depth() != 4 || !step(s, at(B, 0b01), {at(E, 0b01)}) ||
        !step(s, at(C, 0b10), {at(E, 0b10)}) || !step(s, at(E, 0b11), {at(A, 0b11)}) || s.depth() > 2)
      return false;
  return true;
}
static_assert(a_loop_does_not_grow_the_stack());
static_assert(progress_of<policies::likely_convergence_stack> == progress_class::none);

// Entries are nested in the one that waits for them; likely entries stand above it and below the paths that name them.
class watched : public policies::likely_convergence_stack {
 public:
  using policies::likely_convergence_stack::likely_convergence_stack;
  std::optional<fragment> next() {
    const auto f = policies::likely_convergence_stack::next();
    const auto all = entries();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (!all[j].lanes.is_subset_of(all[i].lanes) && (all[i].lanes & all[j].lanes).any())
          broken = "entries overlap without being nested";
      if (all[i].likely == no_block) continue;
      if (all[i].likely_entry >= i || all[all[i].likely_entry].block != all[i].likely ||
          all[all[i].likely_entry].reconvergence != all[i].reconvergence)
        broken = "no likely entry where the path expects it";
    }
    return f;
  }
  inline static std::string broken;
};

}  // namespace

TEST_CASE("likely_convergence: the tables of figure 10 are the tables of the analyses") {
  const csr_graph g = figure();
  const auto pdom = post_dominators(g);
  const auto points = likely_convergence(g, loops(g), pdom);
  CHECK(std::vector<block_id>(pdom.ipdoms().begin(), pdom.ipdoms().end()) ==
        std::vector<block_id>(std::begin(ipdom), std::end(ipdom)));
  CHECK(std::vector<block_id>(points.points().begin(), points.points().end()) ==
        std::vector<block_id>(std::begin(likely), std::end(likely)));
}

TEST_CASE("likely_convergence: the schedule is the recursion's, whatever the points") {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    const auto points = likely_convergence(c.graph, loops(c.graph), pdom);
    std::vector<block_id> table(points.points().begin(), points.points().end());
    if (random.chance(50))  // any block may be called a likely point
      for (block_id& p : table)
        if (random.chance(50)) p = random.chance(30) ? no_block : static_cast<block_id>(random.below(table.size()));
    const policies::path_order order = stacks::all_orders[random.below(4)];
    const watched policy(pdom.ipdoms(), table, order);
    watched::broken.clear();
    const stacks::record r = stacks::observe(policy, walks, c.shape);
    stacks::check_run(r, walks, c.shape);
    CHECK(watched::broken == "");
    CHECK(r.count.max_depth <= std::max(1U, 3 * c.shape.warp_width - 2));
    stacks::recursion oracle(walks, c.shape.threads, pdom.ipdoms(), table, order);
    CHECK(stacks::text(stacks::schedule_by_warp(policy, walks, c.shape)) ==
          stacks::text(stacks::recursive_schedule(walks, c.shape, pdom.ipdoms(), order, table)));
    lane_mask nobody{};
    oracle.go(c.shape.entry, lane_mask::first_lanes(std::min(c.shape.warp_width, c.shape.threads)), no_block, no_block,
              nobody);
    met += oracle.schedule_likely ? 1 : 0;
  }
  CHECK(met > 400);
}

TEST_CASE("likely_convergence: without likely points it is the post-dominator stack") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    const policies::path_order order = stacks::all_orders[seed % 4];
    const auto plain = stacks::observe(policies::ipdom_stack(pdom.ipdoms(), order), walks, c.shape);
    const auto same = stacks::observe(policies::likely_convergence_stack(pdom.ipdoms(), {}, order), walks, c.shape);
    CHECK(same.schedule == plain.schedule);
    CHECK(same.count.max_depth == plain.count.max_depth);
  }
}

TEST_CASE("likely_convergence: any pair of tables lets threads go their ways") {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    std::vector<block_id> meet, probable;
    const std::size_t n = c.graph.num_blocks();
    for (std::size_t b = 0; b < n; ++b) {
      meet.push_back(random.chance(20) ? no_block : static_cast<block_id>(random.below(n)));
      probable.push_back(random.chance(20) ? no_block : static_cast<block_id>(random.below(n)));
    }
    stacks::check_run(stacks::observe(policies::likely_convergence_stack(meet, probable, stacks::all_orders[seed % 4]),
                                      walks, c.shape),
                      walks, c.shape);
  }
}

TEST_CASE("likely_convergence: breaks and continues cost less than under the post-dominator stack") {
  std::uint64_t plain_sum = 0, likely_sum = 0;
  int better = 0, worse = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(6, 16);
    options.break_continue = true;
    options.early_return = random.chance(30);
    const auto program = testing::random_structured_program(random, options);
    INFO(stacks::text(seed, program.graph));
    const testing::random_walks walks(program.graph, {.seed = seed}, program.uniform);
    const launch shape{.threads = 12, .warp_width = 8};
    const auto pdom = post_dominators(program.graph);
    const auto points = likely_convergence(program.graph, loops(program.graph), pdom);
    const auto plain = stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape);
    const auto probable =
        stacks::observe(policies::likely_convergence_stack(pdom.ipdoms(), points.points()), walks, shape);
    stacks::check_run(probable, walks, shape);
    plain_sum += plain.count.fetches;
    likely_sum += probable.count.fetches;
    better += probable.count.fetches < plain.count.fetches ? 1 : 0;
    worse += probable.count.fetches > plain.count.fetches ? 1 : 0;
  }
  MESSAGE("fetches " << plain_sum << " and " << likely_sum << ", better " << better << ", worse " << worse);
  CHECK(better > 30);
  CHECK(worse == 0);
}
