// SPDX-License-Identifier: BSL-1.0
//
// Machines that never merge. A machine without reconvergence runs one group for each distinct beginning of the lanes'
// paths: the oracle counts the nodes of the trie of all paths. MIMD runs one block a visit.
#include "list_support.hpp"
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>

#include <set>

using namespace list_tests;

namespace {

// How many distinct beginnings the paths of each warp have.
std::uint64_t beginnings(const testing::random_walks& walks, const launch& shape) {
  std::uint64_t sum = 0;
  for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width) {
    std::set<std::vector<block_id>> seen;
    for (std::uint32_t t = first; t < shape.threads && t < first + shape.warp_width; ++t) {
      std::vector<block_id> beginning;
      for (const block_id b : walks.path(t)) {
        beginning.push_back(b);
        seen.insert(beginning);
      }
    }
    sum += seen.size();
  }
  return sum;
}

// No group waits while another runs twice as often as there are groups.
template <class Policy>
void check_fair(const record& r, std::uint32_t lanes) {
  std::vector<std::size_t> last(lanes, 0);
  std::vector<std::size_t> final_step(lanes, 0);
  for (std::size_t i = 0; i < r.schedule.size(); ++i)
    r.schedule[i].lanes.for_each([&](std::uint32_t lane) { final_step[lane] = i; });
  for (std::size_t i = 0; i < r.schedule.size(); ++i)
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (r.schedule[i].lanes.test(lane)) last[lane] = i;
      if (i < final_step[lane]) REQUIRE(i - last[lane] < lanes + 1);
    }
}

}  // namespace

TEST_CASE("no_reconvergence: one fetch for each distinct beginning of a path; fair") {
  for_each_random_case(600,
                       [](std::uint64_t, const csr_graph&, const testing::random_walks& walks, const launch& shape) {
                         const record r = observe(policies::no_reconvergence(), walks, shape);
                         check_run(r, walks, shape);
                         CHECK(r.count.fetches == beginnings(walks, shape));
                         CHECK(r.count.merges == 0);
                         CHECK(r.count.max_depth <= shape.warp_width);
                         if (shape.threads <= shape.warp_width)
                           check_fair<policies::no_reconvergence>(r, shape.threads);
                       });
}

TEST_CASE("mimd: one fetch a visit, as lane_serial, but fair") {
  for_each_random_case(600, [](std::uint64_t, const csr_graph&, const testing::random_walks& walks, launch shape) {
    const record r = observe(policies::mimd(), walks, shape);
    check_run(r, walks, shape);
    CHECK(r.count.fetches == r.visits);
    CHECK(r.count.merges == 0);
    for (const fragment& f : r.schedule) REQUIRE(f.lanes.count() == 1);
    if (shape.threads <= shape.warp_width) check_fair<policies::mimd>(r, shape.threads);
    shape.barriers = barrier_model::thread_arrival;
    const record serial = observe(policies::lane_serial(), walks, shape);
    CHECK(serial.count.fetches == r.count.fetches);
    CHECK(serial.paths == r.paths);
  });
}

TEST_CASE("no_reconvergence, mimd: barriers with thread arrival") {
  for_each_barrier_program(150, [](const testing::structured_program&, const testing::random_walks& walks, launch shape,
                                   std::span<const unsigned char> barriers) {
    shape.barriers = barrier_model::thread_arrival;
    const record groups = observe(policies::no_reconvergence(), walks, shape, barriers);
    check_run(groups, walks, shape);
    CHECK(groups.count.merges == 0);
    CHECK(groups.count.fetches == beginnings(walks, shape));
    check_run(observe(policies::mimd(), walks, shape, barriers), walks, shape);
  });
}

TEST_CASE("no_reconvergence, mimd: a lane that spins does not keep the holder of the lock from running") {
  const launch shape{.threads = 8, .warp_width = 8};
  spin_lock a, b;
  CHECK(run(policies::no_reconvergence(), a, shape, no_observer{}, {.steps = 10'000}).finished());
  CHECK(run(policies::mimd(), b, shape, no_observer{}, {.steps = 10'000}).finished());
  static_assert(progress_of<policies::no_reconvergence> == progress_class::fair &&
                progress_of<policies::mimd> == progress_class::fair);
  // A lane that waits for a higher one hangs lane_serial, and no fair machine.
  const launch four{.threads = 4, .warp_width = 4};
  const auto how = [&](auto policy) {
    const auto for_the_last = [ready = false](std::uint32_t t, block_id block) mutable -> block_id {
      if (block == 0) return t == 3 ? 2 : 1;
      if (block == 1) return ready ? 2 : 1;
      ready = ready || t == 3;
      return no_block;
    };
    auto threads = for_the_last;
    return run(policy, threads, four, no_observer{}, {.steps = 10'000}).how;
  };
  CHECK(how(policies::lane_serial()) == outcome::step_limit);
  CHECK(how(policies::mimd()) == outcome::finished);
  CHECK(how(policies::no_reconvergence()) == outcome::finished);
}

TEST_CASE("no_reconvergence, mimd: equal states compare equal") {
  check_comparable(policies::no_reconvergence());
  check_comparable(policies::mimd());
}

namespace {
constexpr bool in_a_constant() {
  policies::no_reconvergence groups;
  policies::mimd lanes;
  groups.start({0, lane_mask(0b11)});
  lanes.start({0, lane_mask(0b11)});
  const fragment out[] = {{1, lane_mask(0b01)}, {1, lane_mask(0b10)}};
  groups.advance(*groups.next(), out);
  const bool apart = groups.next()->lanes == lane_mask(0b01) && groups.next()->lanes == lane_mask(0b10);
  lanes.advance(*lanes.next(), std::span<const fragment>(out).first(1));
  const bool turns = lanes.next()->lanes == lane_mask(0b10) && *lanes.next() == out[0];
  return apart && turns && !groups.next();
}
static_assert(in_a_constant());
}  // namespace
