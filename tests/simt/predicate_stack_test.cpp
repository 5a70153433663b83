// SPDX-License-Identifier: BSL-1.0
//
// The oracle of the blocks fetched is a machine without a stack: every lane has its own place in the order of the code,
// the warp sweeps over that order, fetches every block, runs it for the lanes that stand there, and goes back at the
// last block of a loop if a lane stands at its header.
#include "stacks_support.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/structured_control.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using stacks::at;
using stacks::step;

namespace {

constexpr csr_graph make(std::size_t n, std::vector<std::pair<block_id, block_id>> edges) {
  csr_builder b(n);
  for (const auto& e : edges) b.add_edge(e.first, e.second);
  return b.build();
}

constexpr bool holds(const policies::predicate_stack& s, std::vector<fragment> wanted) {
  const auto all = s.entries();
  if (all.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].block != wanted[i].block || !(all[i].lanes == wanted[i].lanes)) return false;
  return true;
}

// while (c) { if (a) break; if (b) continue; body }: 0 header, 1 if (a), 2 if (b), 3 body, 4 latch, 5 after.
constexpr csr_graph loop_with_all() {
  return make(6, {{0, 1}, {0, 5}, {1, 5}, {1, 2}, {2, 4}, {2, 3}, {3, 4}, {4, 0}});
}
constexpr bool break_and_continue() {
  const auto code = structured_control(loop_with_all());
  if (!code || code.blocks[0].loop_end != 5 || code.blocks[0].latch != 4 || code.blocks[0].loop_last != 4) return false;
  for (block_id b = 0; b < 6; ++b)
    if (code.blocks[b].position != b || code.blocks[b].join != no_block) return false;
  policies::predicate_stack s{std::span<const policies::structured_block>(code.blocks),
                              {.skip_empty = false, .uniform = {}}};
  s.start(at(0, 0b1111));
  bool good = step(s, at(0, 0b1111), {at(1, 0b1110), at(5, 0b0001)});
  good = good && holds(s, {at(5, 0b0001), at(0, 0), at(4, 0), at(1, 0b1110)});
  good = good && step(s, at(1, 0b1110), {at(5, 0b0010), at(2, 0b1100)});
  good = good && holds(s, {at(5, 0b0011), at(0, 0), at(4, 0), at(2, 0b1100)});
  good = good && step(s, at(2, 0b1100), {at(4, 0b1100)});  // all lanes continue: 3 is fetched for nobody
  good = good && step(s, at(4, 0b1100), {at(0, 0b1100)}) && s.overhead() == 1;
  good = good && holds(s, {at(5, 0b0011), at(0, 0b1100)});
  good = good && step(s, at(0, 0b1100), {at(1, 0b0100), at(5, 0b1000)}) && step(s, at(1, 0b0100), {at(5, 0b0100)});
  good = good && step(s, at(5, 0b1111), {}) && s.overhead() == 1 + 3 && !s.next();  // 2, 3, 4
  return good;
}
static_assert(break_and_continue());
static_assert(progress_of<policies::predicate_stack> == progress_class::none);

struct sweep {
  std::vector<fragment> schedule;
  std::uint64_t empty = 0;
};
sweep sweep_over(const testing::random_walks& walks, std::span<const policies::structured_block> code,
                 const launch& shape, bool skip, std::span<const unsigned char> uniform) {
  sweep r;
  std::vector<block_id> order;
  for (block_id b = 0; b < code.size(); ++b) {
    if (code[b].position == policies::structured_block::none) continue;
    if (code[b].position >= order.size()) order.resize(code[b].position + 1, no_block);
    order[code[b].position] = b;
  }
  testing::walking_threads threads(walks, shape.threads);
  for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width) {
    std::vector<block_id> stands(std::min(shape.warp_width, shape.threads - first), shape.entry);
    std::uint64_t empty = 0;
    block_id jump = no_block;
    std::size_t i = 0;
    const auto live = [&] {
      return std::any_of(stands.begin(), stands.end(), [](block_id b) { return b != no_block; });
    };
    while (live()) {
      REQUIRE(i < order.size());
      const block_id b = order[i];
      lane_mask lanes;
      for (std::uint32_t l = 0; l < stands.size(); ++l)
        if (stands[l] == b) lanes.set(l);
      if (lanes.none()) {
        ++empty;
      } else {
        if (!skip && jump != b) r.empty += empty;
        empty = 0;
        r.schedule.push_back({b, lanes});
        std::vector<block_id> to;
        lanes.for_each([&](std::uint32_t l) {
          stands[l] = threads(first + l, b);
          if (stands[l] != no_block) to.push_back(stands[l]);
        });
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
        jump = b < uniform.size() && uniform[b] && to.size() == 1 ? to[0] : no_block;
      }
      // Back to the innermost loop that ends here and that a lane begins again.
      std::size_t next = i + 1;
      for (std::size_t p = i + 1; p-- > 0;)
        if (code[order[p]].is_header() && code[order[p]].loop_last == i &&
            std::count(stands.begin(), stands.end(), order[p]) > 0) {
          next = p;
          break;
        }
      i = next;
    }
  }
  return r;
}

// The order as it must be by definition.
void check_order(const csr_graph& g, std::span<const policies::structured_block> code) {
  const auto forest = loops(g);
  const auto dom = dominators(g);
  std::vector<unsigned char> taken(g.num_blocks(), 0);
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    CHECK((code[b].position != policies::structured_block::none) == dom.is_reachable(b));
    if (!dom.is_reachable(b)) continue;
    REQUIRE(code[b].position < g.num_blocks());
    CHECK(!taken[code[b].position]);
    taken[code[b].position] = 1;
    for (const block_id s : g.successors(b)) {
      if (dom.dominates(s, b)) {
        CHECK(code[s].is_header());
        CHECK(code[s].position <= code[b].position);
        CHECK(code[b].position <= code[s].loop_last);
      } else {
        CHECK(code[s].position > code[b].position);
      }
    }
  }
  for (const loop_id l : forest.all())
    for (const block_id b : forest.blocks(l)) {
      CHECK(code[b].position >= code[forest.header(l)].position);
      CHECK(code[b].position <= code[forest.header(l)].loop_last);
    }
}

// Every live lane is in exactly one entry.
class watched : public policies::predicate_stack {
 public:
  using policies::predicate_stack::predicate_stack;
  void start(const fragment& f) {
    live_ = f.lanes;
    policies::predicate_stack::start(f);
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    live_ -= f.lanes;
    for (const fragment& o : out) live_ |= o.lanes;
    policies::predicate_stack::advance(f, out);
    lane_mask seen;
    for (const auto& e : entries()) {
      if ((seen & e.lanes).any()) broken = "a lane waits twice";
      seen |= e.lanes;
    }
    if (!(seen == live_)) broken = "a lane is lost or has come back";
  }
  inline static std::string broken;

 private:
  lane_mask live_;
};

void check_all(const csr_graph& g, const structured_code& code, std::uint64_t seed, const launch& shape,
               std::span<const unsigned char> uniform = {}, unsigned patience = 6) {
  const testing::random_walks walks(g, {.seed = seed, .patience = patience}, uniform);
  for (const bool skip : {true, false}) {
    const watched policy(code.blocks, {.skip_empty = skip, .uniform = uniform});
    watched::broken.clear();
    const auto r = stacks::observe(policy, walks, shape);
    stacks::check_run(r, walks, shape);
    CHECK(watched::broken == "");
    const sweep oracle = sweep_over(walks, code.blocks, shape, skip, uniform);
    CHECK(r.count.overhead_operations == oracle.empty);
    CHECK(r.count.fetches == oracle.schedule.size());
    if (shape.threads <= shape.warp_width) CHECK(stacks::text(r.schedule) == stacks::text(oracle.schedule));
  }
}

}  // namespace

TEST_CASE("predicate_stack: structured graphs are accepted, all of up to four blocks") {
  std::uint64_t structured = 0, accepted = 0, refused = 0;
  for (std::size_t blocks = 0; blocks <= 4; ++blocks)
    testing::for_each_small_cfg(blocks, [&](const csr_graph& g) {
      const structured_code code = structured_control(g);
      if (is_structured(g)) {
        ++structured;
        REQUIRE_MESSAGE(code, stacks::text(code.unstructured, g));
      }
      if (!code) {
        ++refused;
        REQUIRE(code.unstructured < blocks);
        REQUIRE(code.blocks.empty());
        return;
      }
      ++accepted;
      if (blocks == 0) return;
      INFO(stacks::text(accepted, g));
      if (accepted % 4 == 0) check_order(g, code.blocks);
      if (accepted % 8 != 1 || !post_dominators(g).reaches_exit(0)) return;
      check_all(g, code, accepted, {.threads = 4, .warp_width = 4}, {}, 3);
    });
  MESSAGE("structured " << structured << ", accepted " << accepted << ", refused " << refused);
  CHECK(accepted > structured);
  CHECK(refused > 100);
}

TEST_CASE("predicate_stack: programs with break and continue run as if sorted by the order of the code") {
  int skipped = 0, scalar = 0;
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(1, 14);
    options.break_continue = random.chance(70);
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    INFO(stacks::text(seed, g));
    const structured_code code = structured_control(g);
    REQUIRE_MESSAGE(code, "refused because of " << code.unstructured);
    check_order(g, code.blocks);
    const launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 20)),
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 20))};
    check_all(g, code, seed, shape, program.uniform);
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    const auto order = loop_contiguous_order(g);
    const auto pdom = post_dominators(g);
    const auto mine = stacks::observe(policies::predicate_stack(code.blocks), walks, shape);
    CHECK(mine.count.overhead_operations == 0);
    CHECK(mine.count.fetches == stacks::observe(policies::thread_frontier(order.ranks()), walks, shape).count.fetches);
    const auto stack = stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape);
    CHECK(mine.count.fetches <= stack.count.fetches);
    if (!options.break_continue) CHECK(mine.count.fetches == stack.count.fetches);
    const auto all =
        stacks::observe(policies::predicate_stack(code.blocks, {.skip_empty = false, .uniform = {}}), walks, shape);
    const auto some = stacks::observe(
        policies::predicate_stack(code.blocks, {.skip_empty = false, .uniform = program.uniform}), walks, shape);
    CHECK(all.schedule == mine.schedule);
    CHECK(some.schedule == mine.schedule);
    CHECK(some.count.overhead_operations <= all.count.overhead_operations);
    skipped += all.count.overhead_operations > 0 ? 1 : 0;
    scalar += some.count.overhead_operations < all.count.overhead_operations ? 1 : 0;
  }
  CHECK(skipped > 200);
  CHECK(scalar > 50);
}

TEST_CASE("predicate_stack: whatever is accepted of random graphs runs right") {
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const structured_code code = structured_control(c.graph);
    CHECK((code || !is_structured(c.graph)));
    if (!code) {
      ++refused;
      continue;
    }
    ++accepted;
    check_order(c.graph, code.blocks);
    check_all(c.graph, code, seed, c.shape);
  }
  MESSAGE("accepted " << accepted << ", refused " << refused);
  CHECK(accepted > 500);
  CHECK(refused > 500);
}

TEST_CASE("predicate_stack: what is accepted and what is refused, and where") {
  const auto verdict_on = [](const csr_graph& g) { return structured_control(g).unstructured; };
  CHECK(verdict_on(csr_graph{}) == no_block);
  CHECK(verdict_on(make(1, {})) == no_block);
  CHECK(verdict_on(make(1, {{0, 0}})) == no_block);
  CHECK(verdict_on(make(2, {{0, 0}, {0, 1}})) == no_block);
  CHECK(verdict_on(make(4, {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}})) == no_block);  // switch
  CHECK(verdict_on(make(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}})) == 0);         // a || b: two joins
  CHECK(verdict_on(make(4, {{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})) == no_block);  // a && b
  CHECK(verdict_on(make(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}})) != no_block);          // two entries
  // A jump out of an inner if past its join: 0 -> {1, 5}, 1 -> {2, 3}, 2 -> 4, 3 -> {4, 5}, 4 -> 5.
  CHECK(verdict_on(make(6, {{0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {3, 5}, {4, 5}})) == 3);
  // The same in a loop with the latch 8.
  CHECK(verdict_on(make(
            9, {{0, 1}, {0, 7}, {1, 2}, {1, 6}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {4, 6}, {5, 6}, {6, 8}, {8, 0}})) == 4);
  // A loop with two latches, 5 and 6, has none to continue at; 4 and 5 are two joins of 1.
  CHECK(verdict_on(make(8, {{0, 1}, {0, 7}, {1, 2}, {1, 4}, {2, 5}, {2, 3}, {3, 4}, {4, 5}, {4, 6}, {5, 0}, {6, 0}})) ==
        1);
  // Two arms that both lead to two joins.
  CHECK(verdict_on(make(6, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 5}, {4, 5}})) == 0);
  // while (a) { if (b) { if (c) continue; x } y }: continue out of two ifs, to the latch 6 and to the header.
  CHECK(verdict_on(make(8, {{0, 1}, {0, 7}, {1, 2}, {1, 4}, {2, 6}, {2, 3}, {3, 4}, {4, 6}, {6, 0}})) == no_block);
  CHECK(verdict_on(make(8, {{0, 1}, {0, 7}, {1, 2}, {1, 4}, {2, 0}, {2, 3}, {3, 4}, {4, 0}})) == no_block);
  // while (a) { while (b) { if (c) return; } }: 3 ends inside of both loops.
  CHECK(verdict_on(make(5, {{0, 1}, {0, 4}, {1, 2}, {1, 0}, {2, 3}, {2, 1}})) == no_block);
  // while (a) { while (b) { if (c) break of both; } }; while (a) { while (b) { if (c) continue of the outer; } x }
  CHECK(verdict_on(make(5, {{0, 1}, {0, 4}, {1, 2}, {1, 0}, {2, 4}, {2, 1}})) == no_block);
  CHECK(verdict_on(make(5, {{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {3, 0}})) == no_block);
  // for (;;) { for (;;) { if (c) goto out; } }: the end of both.
  CHECK(verdict_on(make(5, {{0, 1}, {1, 2}, {2, 1}, {2, 4}})) == no_block);
  // while (a) { if (b) break; if (c) return; }: two ways lead to 5, one to the return.
  CHECK(structured_control(make(6, {{0, 1}, {0, 5}, {1, 2}, {1, 5}, {2, 4}, {2, 3}, {3, 0}})).blocks[0].loop_end == 5);
  // A break with code of its own: 0 -> {1, 4}, 1 -> {2, 3}, 2 -> 4 (x; break), 3 -> 0.
  CHECK(verdict_on(make(5, {{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 0}})) == no_block);
}

TEST_CASE("predicate_stack: graphs of one's own are taken by their dense ids") {
  const function_graph own(4, [](block_id b) {
    return b == 0 ? std::vector<block_id>{1, 2} : b == 3 ? std::vector<block_id>{} : std::vector<block_id>{3};
  });
  const auto code = structured_control(own);
  REQUIRE(code);
  CHECK(code.blocks == structured_control(make(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})).blocks);
  CHECK(code.blocks[0].join == 3);
}

TEST_CASE("predicate_stack: deep nesting and long chains in linear time") {
  constexpr std::size_t n = 100'000;
  {
    csr_builder ifs(2 * n + 1);  // if (..) { if (..) { ... } }: b opens, 2 n - b is its join
    for (block_id b = 0; b < n; ++b) {
      ifs.add_edge(b, b + 1);
      ifs.add_edge(b, static_cast<block_id>(2 * n - b));
      ifs.add_edge(static_cast<block_id>(2 * n - b - 1), static_cast<block_id>(2 * n - b));
    }
    CHECK(structured_control(ifs.build()));
  }
  {
    csr_builder nest(2 * n);  // while (..) { while (..) { ... } }: b is a header, 2 n - 1 - b its latch
    for (block_id b = 0; b < n; ++b) {
      const auto latch = static_cast<block_id>(2 * n - 1 - b);
      nest.add_edge(b, b + 1);
      if (b > 0) nest.add_edge(b, latch + 1);
      if (b + 1 < n) nest.add_edge(latch, b);
    }
    nest.add_edge(static_cast<block_id>(n), static_cast<block_id>(n - 1));
    const auto code = structured_control(nest.build());
    CHECK(code);
  }
  {
    csr_builder breaks(n + 2);  // one loop with a break in every block
    for (block_id b = 0; b < n; ++b) {
      breaks.add_edge(b, static_cast<block_id>(b + 1 == n ? 0 : b + 1));
      breaks.add_edge(b, n + 1);
    }
    CHECK(structured_control(breaks.build()));
  }
}
