// SPDX-License-Identifier: BSL-1.0
//
// Barrier models, named barriers, resident thread blocks and policies of wider scope than a warp.
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

constexpr std::array<std::uint32_t, 12> in_order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

// Threads as lists of what they do: block k of a thread is its k-th action, the same block for every thread.
struct action {
  block_end end = block_end::next;
  std::uint32_t barrier = 0, count = 0;
};

// Thread t goes from block b to next(t, b); block b ends as actions[b] says.
struct barrier_program {
  std::vector<action> actions;
  block_id (*next)(std::uint32_t, block_id);

  template <class Mask>
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) { out.go(next(g.first_thread + lane, b), Mask::lane(lane)); });
    return actions[b].end;
  }
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const { return actions[b].barrier; }
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const { return actions[b].count; }
};

// The thread frontiers paper's Figure 2(a): the two arms of an exception test cross over before the barrier in BB3.
constexpr std::array<block_id, 5> figure_2a_ipdoms{4, 4, 4, 4, no_block};
constexpr std::array<unsigned char, 5> figure_2a_barriers{0, 0, 0, 1, 0};
constexpr block_id figure_2a(std::uint32_t thread, block_id b) {
  if (b == 0) return 1 + thread % 2;
  return b <= 2 ? 3 : b == 3 ? 4 : no_block;
}

// A loop with a barrier in it, thread t goes round t + 1 times; then a barrier for all. Blocks: 0 loop, 1 after.
struct barrier_loop {
  std::array<std::uint32_t, 64> laps{};
  template <class Mask>
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = g.first_thread + lane;
      out.go(b == 1 ? no_block : ++laps[t] <= t % 4 ? 0 : 1, Mask::lane(lane));
    });
    return block_end::barrier;
  }
};

// A sorted stack over a whole thread block; at most `width` threads of it run at a time. Wrong on purpose with
// too_many: one lane more than a warp has.
template <class Mask, policy_scope Scope>
struct pool {
  using mask_type = Mask;
  static constexpr policy_scope scope = Scope;
  std::uint32_t width = 4;
  bool too_many = false;
  policies::basic_thread_frontier<Mask> all{in_order};

  void start(const basic_fragment<Mask>& f) { all.start(f); }
  std::optional<basic_fragment<Mask>> next() {
    const auto f = all.next();
    if (!f) return std::nullopt;
    basic_fragment<Mask> now{f->block, {}}, rest{f->block, {}};
    std::uint32_t n = 0;
    f->lanes.for_each([&](std::uint32_t lane) { (n++ < width + (too_many ? 1 : 0) ? now : rest).lanes.set(lane); });
    if (rest.lanes.any()) all.release(rest);
    return now;
  }
  void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) { all.advance(f, out); }
  void park(const basic_fragment<Mask>&) {}
  void release(const basic_fragment<Mask>& f) { all.release(f); }
};

using block_pool = pool<basic_mask<2>, policy_scope::block>;
using core_pool = pool<basic_mask<2>, policy_scope::core>;

// Counts what opens.
struct openings {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;  // thread block, barrier
  void operator()(const event::released& e) { seen.push_back({e.thread_block, e.barrier}); }
};

}  // namespace

TEST_CASE("barriers: Figure 2(a) under each model") {
  callable_program program([](std::uint32_t t, block_id b) { return figure_2a(t, b); }, {}, figure_2a_barriers);
  const auto how = [&](auto policy, barrier_model model) {
    return run(policy, program, {.threads = 2, .barriers = model});
  };
  const policies::ipdom_stack pdom(figure_2a_ipdoms);
  const policies::thread_frontier frontier(in_order);
  CHECK(describe(how(pdom, barrier_model::whole_warp)) ==
        "barrier deadlock: warp 0: lane 0 waits at the barrier that ends BB3; lane 1 stands at BB2");
  // Lane 0 arrives for the warp, passes, and waits for lane 1 in BB4; then lane 1 comes to the same barrier.
  CHECK(describe(how(pdom, barrier_model::warp_arrival)) ==
        "barrier misaligned: lanes came to a barrier that their warp had passed without them: warp 0: lane 1 waits at "
        "the "
        "barrier that ends BB3; lane 0 stands at BB4");
  CHECK(describe(how(pdom, barrier_model::uniformity_error)) ==
        "barrier misuse: warp 0: lane 0 waits at the barrier that ends BB3; lane 1 stands at BB2");
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::warp_arrival,
                                    barrier_model::thread_arrival, barrier_model::uniformity_error})
    CHECK(how(frontier, model).finished());
  CHECK(how(policies::lane_serial(), barrier_model::thread_arrival).finished());
  CHECK(how(policies::lane_serial(), barrier_model::warp_arrival).how == outcome::barrier_misaligned);
}

TEST_CASE("barriers: under warp_arrival a warp counts once any of its lanes arrives, the others need not") {
  // Two warps of four lanes; the lanes of a warp leave the loop one after the other. Thread frontiers that prefer the
  // loop keep those that left waiting; each iteration is one arrival of each warp. At the last barrier the warp is
  // whole again.
  openings seen;
  barrier_loop program;
  CHECK(run(policies::thread_frontier(in_order), program,
            {.threads = 8, .warp_width = 4, .barriers = barrier_model::warp_arrival}, seen)
            .finished());
  CHECK(seen.seen.size() == 5);
  // Those that left first meet the last barrier first: the loop's lanes come to a barrier that was passed without them.
  const std::array<std::uint32_t, 2> leave_first{1, 0};
  program = {};
  const verdict v = run(policies::thread_frontier(leave_first), program,
                        {.threads = 8, .warp_width = 4, .barriers = barrier_model::warp_arrival});
  CHECK(v.how == outcome::barrier_misaligned);
  // A branch that lets part of a warp pass a barrier of its own, and nobody else: hardware does not mind.
  barrier_program own{{{}, {block_end::barrier}, {}}, [](std::uint32_t t, block_id b) -> block_id {
                        return b == 0 ? 1 + t % 2 : b == 1 ? 2 : no_block;
                      }};
  CHECK(run(policies::thread_frontier(in_order), own,
            {.threads = 8, .warp_width = 4, .barriers = barrier_model::warp_arrival})
            .finished());
  CHECK(run(policies::thread_frontier(in_order), own, {.threads = 8, .warp_width = 4}).how ==
        outcome::barrier_deadlock);
  // By threads it is a deadlock only as long as the others live.
  CHECK(run(policies::thread_frontier(in_order), own,
            {.threads = 8, .warp_width = 4, .barriers = barrier_model::thread_arrival})
            .finished());
}

TEST_CASE("barriers: named barriers join those who use them") {
  // Warp 0 uses barrier 1 with warp 1; warp 2 and warp 3 use barrier 2, and warp 3 is done later; all meet at 0.
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::warp_arrival,
                                    barrier_model::thread_arrival, barrier_model::uniformity_error}) {
    barrier_program program{{{},
                             {block_end::barrier, 1, 64},
                             {block_end::barrier, 2, 64},
                             {block_end::next},
                             {block_end::barrier, 0, 0},
                             {}},
                            [](std::uint32_t t, block_id b) -> block_id {
                              if (b == 0) return t < 64 ? 1 : t < 96 ? 2 : 3;
                              if (b == 3) return 2;
                              return b < 4 ? 4 : b == 4 ? 5 : no_block;
                            }};
    openings seen;
    CHECK(run(policies::thread_frontier(in_order), program, {.threads = 128, .barriers = model}, seen).finished());
    CHECK(seen.seen == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {0, 2}, {0, 0}});
  }
}

TEST_CASE("barriers: threads that wait at different barriers are a deadlock that says who waits where") {
  barrier_program program{{{}, {block_end::barrier, 1, 0}, {block_end::barrier, 2, 0}, {block_end::barrier, 0, 0}},
                          [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t / 2 : no_block; }};
  const launch shape{.threads = 6, .warp_width = 4, .barriers = barrier_model::thread_arrival};
  CHECK(describe(run(policies::thread_frontier(in_order), program, shape)) ==
        "barrier deadlock: warp 0: lanes 0-1 wait at barrier 1 that ends BB1; lanes 2-3 wait at barrier 2 that ends "
        "BB2 | "
        "warp 1: lanes 0-1 wait at the barrier that ends BB3");
  // Nobody is left to come to a barrier for more threads than there are.
  barrier_program lonely{{{block_end::barrier, 3, 64}}, [](std::uint32_t, block_id) { return no_block; }};
  CHECK(describe(run(policies::thread_frontier(in_order), lonely, {})) ==
        "barrier deadlock: warp 0: lanes 0-31 wait at barrier 3 that ends BB0");
}

TEST_CASE("barriers: arrivals that do not wait count") {
  // The consumers (warp 1) wait for the producers (warp 0), who do not wait for them.
  barrier_program program{{{}, {block_end::arrive, 1, 64}, {block_end::barrier, 1, 64}, {}},
                          [](std::uint32_t t, block_id b) -> block_id {
                            return b == 0 ? (t < 32 ? 1 : 2) : b < 3 ? 3 : no_block;
                          }};
  openings seen;
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 64}, seen).finished());
  CHECK(seen.seen.size() == 1);
  CHECK(describe(run(policies::thread_frontier(in_order), program, {.threads = 33})) ==
        "barrier deadlock: warp 1: lane 0 waits at barrier 1 that ends BB2");  // 33 threads are not 64
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 33, .barriers = barrier_model::warp_arrival})
            .finished());
  program.actions[1].count = 0;
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 64}).how == outcome::barrier_misuse);
}

TEST_CASE("barriers: a barrier for a part of the threads opens as soon as they are there, again and again") {
  // One barrier for 32 threads, used by four warps: each warp opens it for itself.
  barrier_program program{{{block_end::barrier, 5, 32}, {block_end::barrier, 5, 32}},
                          [](std::uint32_t, block_id b) -> block_id { return b == 0 ? 1 : no_block; }};
  openings seen;
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 128}, seen).finished());
  CHECK(seen.seen.size() == 8);
  program.actions[0].count = 48;  // the second warp is too many
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 128}).how == outcome::barrier_misuse);
  barrier_program disagree{{{}, {block_end::barrier, 1, 64}, {block_end::barrier, 1, 96}},
                           [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t / 32 : no_block; }};
  CHECK(
      describe(run(policies::thread_frontier(in_order), disagree, {.threads = 64})) ==
      "barrier misuse: warp 0: lanes 0-31 wait at barrier 1 that ends BB1 | warp 1: lanes 0-31 wait at barrier 1 that "
      "ends BB2");
}

TEST_CASE("barriers: whether threads that have ended count is a parameter") {
  barrier_program program{{{}, {block_end::barrier}, {}}, [](std::uint32_t t, block_id b) -> block_id {
                            return b == 0 ? (t == 5 ? no_block : 1) : b == 1 ? 2 : no_block;
                          }};
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::thread_arrival}) {
    CHECK(run(policies::thread_frontier(in_order), program, {.threads = 8, .warp_width = 4, .barriers = model})
              .finished());
    const verdict v = run(policies::thread_frontier(in_order), program,
                          {.threads = 8, .warp_width = 4, .barriers = model, .ended_threads_count = true});
    CHECK(describe(v) ==
          "barrier deadlock: warp 0: lanes 0-3 wait at the barrier that ends BB1 | warp 1: lanes 0, 2-3 wait at the "
          "barrier that ends BB1");
  }
  // By warps: the warp of thread 5 still arrives, for all its lanes; a warp that has ended does not.
  launch shape{.threads = 8, .warp_width = 4, .barriers = barrier_model::warp_arrival, .ended_threads_count = true};
  CHECK(run(policies::thread_frontier(in_order), program, shape).finished());
  shape.warp_width = 1;
  CHECK(run(policies::thread_frontier(in_order), program, shape).how == outcome::barrier_deadlock);
  shape.ended_threads_count = false;
  CHECK(run(policies::thread_frontier(in_order), program, shape).finished());
}

namespace {

// The same answer from lists: a thread is the list of barriers it comes to; a barrier opens when the lists' heads say
// so. Barrier 0 is for all live threads, barrier 1 + k for the threads of team k. With `warp_width` not 0, a warp
// counts as so many threads as soon as all of it that is live is there, as far as the count asks for them.
struct lists_answer {
  std::uint64_t opened = 0;
  std::vector<std::size_t> stuck_at;  // by thread: barriers passed, or npos if it ended
};

lists_answer lists(const std::vector<std::vector<std::uint32_t>>& visits, const std::vector<std::uint32_t>& team_size,
                   std::uint32_t warp_width = 0) {
  std::vector<std::size_t> at(visits.size(), 0);
  lists_answer a;
  const auto head = [&](std::size_t t) { return at[t] < visits[t].size() ? static_cast<int>(visits[t][at[t]]) : -1; };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t id = 0; id <= team_size.size(); ++id) {
      std::size_t here = 0, live = 0, lacking = 0;
      for (std::size_t t = 0; t < visits.size(); ++t) {
        here += head(t) == static_cast<int>(id);
        live += head(t) >= 0;
      }
      for (std::size_t first = 0; warp_width != 0 && first < visits.size(); first += warp_width) {
        std::size_t come = 0, elsewhere = 0;
        for (std::size_t t = first; t < first + warp_width && t < visits.size(); ++t) {
          come += head(t) == static_cast<int>(id);
          elsewhere += head(t) >= 0 && head(t) != static_cast<int>(id);
        }
        if (come != 0 && elsewhere == 0) lacking += warp_width - come;
      }
      const std::size_t wanted = id == 0 ? live : team_size[id - 1];
      if (here == 0 || here > wanted || (id == 0 ? here : here + lacking) < wanted) continue;
      for (std::size_t t = 0; t < visits.size(); ++t) at[t] += head(t) == static_cast<int>(id);
      ++a.opened;
      moved = true;
    }
  }
  for (std::size_t t = 0; t < visits.size(); ++t) a.stuck_at.push_back(head(t) < 0 ? ~std::size_t{0} : at[t]);
  return a;
}

// Block k of every thread: its k-th barrier; blocks of one thread only, so that nothing else joins threads.
template <bool WarpSized>
struct lists_program {
  static constexpr bool has_warp_sized_arrivals = WarpSized;
  const std::vector<std::vector<std::uint32_t>>* visits;
  const std::vector<std::uint32_t>* team_size;
  std::size_t longest;

  template <class Mask>
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    if (b == 0) {
      g.lanes.for_each([&](std::uint32_t lane) {
        const std::uint32_t t = g.first_thread + lane;
        out.go((*visits)[t].empty() ? no_block : block(t, 0), Mask::lane(lane));
      });
      return block_end::next;
    }
    const std::size_t t = (b - 1) / longest, k = (b - 1) % longest;
    out.go(k + 1 < (*visits)[t].size() ? block(t, k + 1) : no_block, g.lanes);
    return block_end::barrier;
  }
  [[nodiscard]] block_id block(std::size_t t, std::size_t k) const {
    return static_cast<block_id>(1 + t * longest + k);
  }
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const { return (*visits)[(b - 1) / longest][(b - 1) % longest]; }
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const {
    const std::uint32_t id = barrier_id(b);
    return id == 0 ? 0 : (*team_size)[id - 1];
  }
};

template <bool WarpSized>
void check_lists() {
  int finished = 0, deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed);
    const std::size_t threads = random.between(1, 20), teams = random.between(1, 4);
    std::vector<std::uint32_t> team(threads), team_size(teams, 0);
    const std::uint32_t width = static_cast<std::uint32_t>(random.between(1, 8));
    for (std::size_t t = 0; t < threads; ++t) {
      if (WarpSized && t % width != 0) {  // warps as wholes
        team[t] = team[t - 1];
        continue;
      }
      team[t] = static_cast<std::uint32_t>(random.below(teams));
      if (WarpSized) team_size[team[t]] += width;
    }
    for (std::size_t t = 0; !WarpSized && t < threads; ++t) ++team_size[team[t]];
    // A common plan of barriers: all meet, or a team meets. Sometimes a thread leaves one out or adds one.
    std::vector<std::vector<std::uint32_t>> visits(threads);
    for (std::size_t i = random.between(0, 6); i > 0; --i) {
      const std::uint32_t id = static_cast<std::uint32_t>(random.below(teams + 1));
      for (std::size_t t = 0; t < threads; ++t)
        if ((id == 0 || id == team[t] + 1) && !random.chance(2)) visits[t].push_back(id);
    }
    for (auto& v : visits)  // ends too early
      if (WarpSized && random.chance(10)) v.resize(random.below(v.size() + 1));
    if (random.chance(30)) visits[random.below(threads)].push_back(0);
    std::size_t longest = 1;
    for (const auto& v : visits) longest = std::max(longest, v.size());
    const lists_answer expected = lists(visits, team_size, WarpSized ? width : 0);
    lists_program<WarpSized> program{&visits, &team_size, longest};
    std::vector<std::uint32_t> rank(1 + threads * longest);
    for (std::size_t b = 0; b < rank.size(); ++b) rank[b] = static_cast<std::uint32_t>(b);
    random.shuffle(rank);

    const launch shape{
        .threads = static_cast<std::uint32_t>(threads), .warp_width = width, .barriers = barrier_model::thread_arrival};
    const auto check = [&](auto policy) {
      openings seen;
      const verdict v = run(policy, program, shape, seen);
      std::vector<std::size_t> stuck_at(threads, ~std::size_t{0});
      for (const auto& s : v.standing) {
        CHECK(s.reason == standing_reason::at_barrier);
        s.lanes.for_each([&](std::uint32_t lane) {
          stuck_at[s.warp * shape.warp_width + lane] = (s.block - 1) % longest;
          CHECK(s.barrier == program.barrier_id(s.block));
        });
      }
      CAPTURE(seed);
      CHECK(stuck_at == expected.stuck_at);
      CHECK(seen.seen.size() == expected.opened);
      CHECK(v.how == (v.standing.empty() ? outcome::finished : outcome::barrier_deadlock));
      ++(v.finished() ? finished : deadlocks);
    };
    check(policies::lane_serial());
    check(policies::thread_frontier(rank));
  }
  CHECK(finished > 1000);
  CHECK(deadlocks > 1000);
}

}  // namespace

TEST_CASE("barriers: random threads with named barriers get the answer of the lists, with each thread's place") {
  check_lists<false>();
}
TEST_CASE("barriers: the same where a warp counts as a whole, though some of its lanes are not there") {
  check_lists<true>();
}

namespace {

struct warp_sized_program : barrier_program {
  static constexpr bool has_warp_sized_arrivals = true;
};

}  // namespace

TEST_CASE("barriers: lanes that a warp lacks count where arrivals are warp sized, under every model") {
  // PTX, "bar, barrier": a warp of 16 threads and one of 32 (four have returned) are 64 threads.
  const auto next = [](std::uint32_t t, block_id b) -> block_id {
    return b == 0 ? (t >= 4 && t < 8 ? no_block : 1) : b == 1 ? 2 : no_block;
  };
  warp_sized_program program{{{{}, {block_end::barrier, 1, 64}, {}}, next}};
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::warp_arrival,
                                    barrier_model::thread_arrival, barrier_model::uniformity_error}) {
    const launch shape{.threads = 48, .barriers = model};
    openings seen, in_blocks, in_core;
    CHECK(run(policies::thread_frontier(in_order), program, shape, seen).finished());
    CHECK(seen.seen.size() == 1);
    if (model != barrier_model::thread_arrival) continue;  // the pools below break warps up
    CHECK(run(policies::lane_serial(), program, shape).finished());
    CHECK(run(block_pool{}, program, shape, in_blocks).finished());
    CHECK(in_blocks.seen.size() == 1);
    launch two = shape;
    two.resident_blocks = 2;
    CHECK(run(core_pool{}, program, two, in_core).finished());
    CHECK(in_core.seen.size() == 2);
  }
  // Two ways to say all threads of the thread block.
  const auto either = [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? (t < 32 ? 1 : 2) : no_block; };
  warp_sized_program mixed{{{{}, {block_end::barrier, 0, 64}, {block_end::barrier, 0, 0}}, either}};
  for (const std::uint32_t threads : {64U, 48U}) {
    openings seen;
    CHECK(run(policies::thread_frontier(in_order), mixed, {.threads = threads}, seen).finished());
    CHECK(seen.seen.size() == 1);
  }
  std::swap(mixed.actions[1].count, mixed.actions[2].count);
  CHECK(run(policies::thread_frontier(in_order), mixed, {.threads = 64}).finished());
  mixed.actions[2].count = 32;
  CHECK(run(policies::thread_frontier(in_order), mixed, {.threads = 64}).how == outcome::barrier_misuse);
  // A lane that ends after the others have come: the barrier opens then.
  const auto late = [](std::uint32_t t, block_id b) -> block_id {
    return b == 0 ? (t == 3 ? 2 : 1) : b == 2 ? 3 : no_block;
  };
  warp_sized_program ends{{{{}, {block_end::barrier, 1, 32}, {}, {}}, late}};
  openings seen;
  CHECK(run(policies::thread_frontier(in_order), ends, {.barriers = barrier_model::thread_arrival}, seen).finished());
  CHECK(seen.seen.size() == 1);
  // The arrivals of a warp that is not complete do not count twice.
  CHECK(run(policies::thread_frontier(in_order), ends,
            {.barriers = barrier_model::thread_arrival, .ended_threads_count = true})
            .how == outcome::barrier_deadlock);
}

TEST_CASE("barriers: each resident thread block has its own") {
  // Thread blocks of six threads; block b has b + 1 barriers.
  const auto next = [](std::uint32_t t, block_id b) -> block_id { return b < t / 6 ? b + 1 : no_block; };
  barrier_program program{std::vector<action>(3, {block_end::barrier}), next};
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::warp_arrival,
                                    barrier_model::thread_arrival, barrier_model::uniformity_error}) {
    const launch shape{.threads = 6, .warp_width = 4, .barriers = model, .resident_blocks = 3};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 0}, {1, 0}, {2, 0}, {1, 0}, {2, 0}, {2, 0}};
    openings seen;
    std::vector<std::uint32_t> firsts;
    overloaded watch{[&](const event::released& e) { seen(e); },
                     [&](const event::issued<lane_mask>& e) {
                       if (e.step < 6) firsts.push_back(e.first_thread);
                     },
                     [&](const event::started& e) {
                       CHECK(e.threads == 18);
                       CHECK(e.warps == 6);
                     }};
    CHECK(run(policies::thread_frontier(in_order), program, shape, watch).finished());
    CHECK(firsts == std::vector<std::uint32_t>{0, 4, 6, 10, 12, 16});
    CHECK(seen.seen == expected);
    if (model == barrier_model::whole_warp || model == barrier_model::uniformity_error) continue;
    if (model == barrier_model::warp_arrival) continue;  // the pools below break warps up
    openings in_blocks, in_core;
    CHECK(run(block_pool{}, program, shape, in_blocks).finished());
    CHECK(run(core_pool{}, program, shape, in_core).finished());
    CHECK(in_blocks.seen == expected);
    CHECK(in_core.seen == expected);
  }
}

TEST_CASE("barriers: one policy for a thread block or a core issues at most a warp's worth of lanes") {
  const auto step = [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : no_block; };
  counts c;
  const auto check = [](const event::issued<basic_mask<2>>& e) {
    CHECK(e.warp == 0);
    CHECK(e.first_thread == 0);
    CHECK(e.threads == 4);
    CHECK(e.lanes.count() <= 4);
  };
  overloaded watch{check};
  both observer(c, watch);
  CHECK(run(block_pool{}, step, {.threads = 10, .warp_width = 4}, observer).finished());
  CHECK(c.fetches == 3 + 2 + 2);  // 10 threads, then 5 and 5, four at a time
  CHECK(c.thread_instructions == 20);
  CHECK(c.lane_slots == 28);
  CHECK(c.thread_slots == 28);
  CHECK(c.simd_efficiency() == doctest::Approx(20.0 / 28));

  const auto v = run(block_pool{4, true}, step, {.threads = 10, .warp_width = 4});
  CHECK(v.how == outcome::policy_error);
  CHECK(describe(v) == "policy error: thread block 0: threads 0-9 stand at BB0");
  CHECK(run(block_pool{4, true}, step, {.threads = 4, .warp_width = 4}).finished());

  // Threads of several thread blocks share warps on a core only.
  counts apart, together;
  CHECK(run(block_pool{}, step, {.threads = 2, .warp_width = 4, .resident_blocks = 2}, apart).finished());
  CHECK(run(core_pool{}, step, {.threads = 2, .warp_width = 4, .resident_blocks = 2}, together).finished());
  CHECK(apart.fetches == 6);
  CHECK(apart.thread_slots == 12);
  CHECK(together.fetches == 3);
  CHECK(together.thread_slots == 12);
  CHECK(together.thread_blocks == 2);
}

TEST_CASE("barriers: under one policy for a thread block, models look at the warps by number") {
  // Eight threads, warps of four by number. The pool runs 0-3 and 4-7; in block 1 the odd and the even come apart.
  barrier_program whole{{{block_end::barrier}, {}},
                        [](std::uint32_t, block_id b) -> block_id { return b == 0 ? 1 : no_block; }};
  barrier_program split{{{}, {block_end::barrier}, {block_end::barrier}},
                        [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : no_block; }};
  const auto how = [](auto policy, barrier_program& p, barrier_model model) {
    return run(policy, p, {.threads = 8, .warp_width = 4, .barriers = model}).how;
  };
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::warp_arrival,
                                    barrier_model::thread_arrival, barrier_model::uniformity_error})
    CHECK(how(block_pool{}, whole, model) == outcome::finished);
  CHECK(how(block_pool{}, split, barrier_model::whole_warp) == outcome::barrier_deadlock);
  CHECK(how(block_pool{}, split, barrier_model::uniformity_error) == outcome::barrier_misuse);
  CHECK(how(block_pool{}, split, barrier_model::warp_arrival) == outcome::barrier_misaligned);
  CHECK(how(block_pool{}, split, barrier_model::thread_arrival) == outcome::finished);
}

TEST_CASE("barriers: warps of any width, wider than the thread block as well") {
  const auto step = [](std::uint32_t t, block_id b) -> block_id { return b < t % 3 ? b + 1 : no_block; };
  for (const std::uint32_t width : {1U, 5U, 63U, 64U, 100U, 1024U, 0xFFFF'FFFFU}) {
    counts c;
    CHECK(run(policies::thread_frontier(in_order), step, {.threads = 60, .warp_width = width}, c).finished());
    CHECK(c.thread_instructions == 120);
    CHECK(c.fetches == (width == 1 ? 120U : width == 5 ? 36U : 3U));
    CHECK(c.activity_factor() == doctest::Approx(width == 1 ? 1.0 : width == 5 ? 120.0 / 180 : 120.0 / 180));
  }
}

namespace {

// Lanes wait for each other: the even ones until the odd ones have moved, and the other way round.
struct embrace {
  using mask_type = lane_mask;
  bool tells = true;
  fragment at{};
  int left = 1;
  void start(const fragment& f) {
    at = f;
    left = 1;
  }
  std::optional<fragment> next() { return left-- > 0 ? std::optional<fragment>(at) : std::nullopt; }
  void advance(const fragment&, std::span<const fragment>) {}
  [[nodiscard]] lane_mask blocked() const { return tells ? at.lanes : lane_mask(1); }
};

// Parks what waits at a barrier and holds everybody else back.
struct holds_back : embrace {
  void park(const fragment& f) { at.lanes -= f.lanes; }
  void release(const fragment&) {}
  std::optional<fragment> next() {
    return left-- > 0 ? std::optional<fragment>(fragment{at.block, lane_mask(3)}) : std::nullopt;
  }
};

}  // namespace

TEST_CASE("barriers: lanes that the policy itself makes wait forever are not lost") {
  const auto step = [](std::uint32_t t, block_id) -> block_id { return 1 + t % 2; };
  CHECK(describe(run(embrace{}, step, {.threads = 4})) ==
        "nothing runnable: warp 0: lanes 0, 2 are held for other lanes at BB1; lanes 1, 3 are held for other lanes at "
        "BB2");
  const verdict lost = run(embrace{false}, step, {.threads = 4});
  CHECK(lost.how == outcome::lost_threads);
  barrier_program program{{{block_end::barrier}}, [](std::uint32_t, block_id) { return no_block; }};
  CHECK(describe(run(holds_back{}, program, {.threads = 4, .barriers = barrier_model::thread_arrival})) ==
        "nothing runnable: warp 0: lanes 0-1 wait at the barrier that ends BB0; lanes 2-3 are held for other lanes at "
        "BB0");
}
