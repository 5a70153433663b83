// SPDX-License-Identifier: BSL-1.0
//
// Verdicts in words: lists of lanes that a person can read, and threads of a thread block where no warp is meant.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

using wide_mask = basic_mask<4>;

template <class Mask>
Mask every(std::uint32_t step, std::uint32_t width, std::uint32_t first, std::uint32_t last) {
  Mask m;
  for (std::uint32_t l = first; l <= last; ++l)
    if ((l - first) % step < width) m.set(l);
  return m;
}

// Reads what describe() writes.
template <class Mask>
Mask lanes_of(const std::string& text) {
  Mask m;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  bool dots = false;
  for (std::size_t i = text.find(' '); i < text.size();) {
    if (text.compare(i, 3, "...") == 0) {
      dots = true;
      i += 3;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    const auto number = [&] {
      std::uint32_t n = 0;
      for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
        n = 10 * n + static_cast<std::uint32_t>(text[i] - '0');
      return n;
    };
    const std::uint32_t low = number();
    std::uint32_t high = low;
    if (i < text.size() && text[i] == '-') {
      ++i;
      high = number();
    }
    if (dots) {  // as the two before it went on
      const auto [a, b] = ranges.back();
      const std::uint32_t step = a - ranges[ranges.size() - 2].first;
      for (std::uint32_t k = a + step; k < low; k += step) ranges.push_back({k, k + b - a});
      CHECK((low - a) % step == 0);
      CHECK(high - low == b - a);
      dots = false;
    }
    ranges.push_back({low, high});
  }
  for (const auto& [low, high] : ranges)
    for (std::uint32_t l = low; l <= high; ++l) m.set(l);
  return m;
}

}  // namespace

TEST_CASE("verdict_text: lists of lanes, strides shortened from five ranges on") {
  CHECK(describe(lane_mask(0)) == "no lane");
  CHECK(describe(lane_mask(0), policy_scope::block) == "no thread");
  CHECK(describe(lane_mask(0b100)) == "lane 2");
  CHECK(describe(lane_mask(0b100), policy_scope::core) == "thread 2");
  CHECK(describe(lane_mask(0b1101111)) == "lanes 0-3, 5-6");
  CHECK(describe(lane_mask(0b1101111), policy_scope::block) == "threads 0-3, 5-6");
  CHECK(describe(lane_mask(0b1010101)) == "lanes 0, 2, 4, 6");  // four are not many
  CHECK(describe(lane_mask(0b101010101)) == "lanes 0, 2, 4, ..., 8");
  CHECK(describe(lane_mask(0x5555'5555)) == "lanes 0, 2, 4, ..., 30");
  CHECK(describe(lane_mask(0xAAAA'AAAA)) == "lanes 1, 3, 5, ..., 31");
  CHECK(describe(lane_mask(0x1111'1111'1111'1111)) == "lanes 0, 4, 8, ..., 60");
  CHECK(describe(lane_mask(0x3333'3333)) == "lanes 0-1, 4-5, 8-9, ..., 28-29");
  CHECK(describe(lane_mask(0x5555'5557)) == "lanes 0-2, 4, 6, 8, ..., 30");
  CHECK(describe(lane_mask(0xD555'5555)) == "lanes 0, 2, 4, ..., 28, 30-31");
  CHECK(describe(lane_mask(0b1001'0101'0101'0100'1001)) == "lanes 0, 3, 6, 8, 10, ..., 16, 19");
  CHECK(describe(every<wide_mask>(32, 1, 0, 255)) == "lanes 0, 32, 64, ..., 224");
  CHECK(describe(every<wide_mask>(64, 32, 32, 255), policy_scope::block) == "threads 32-63, 96-127, 160-191, 224-255");
}

TEST_CASE("verdict_text: what is written means the lanes of the mask, random masks") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    wide_mask m;
    for (std::uint64_t parts = random.between(1, 5); parts > 0; --parts) {
      const auto first = static_cast<std::uint32_t>(random.below(256)),
                 step = static_cast<std::uint32_t>(random.between(1, 40));
      m |= every<wide_mask>(step, static_cast<std::uint32_t>(random.between(1, step)), first,
                            static_cast<std::uint32_t>(random.between(first, 255)));
    }
    if (random.chance(30)) m.set(static_cast<std::uint32_t>(random.below(256)));
    CAPTURE(describe(m));
    REQUIRE(lanes_of<wide_mask>(describe(m)) == m);
  }
}

TEST_CASE("verdict_text: under a policy of block scope there are thread blocks and threads, no warps") {
  // Block 0 sends the even threads to 1, the odd ones to 2; a barrier at each that the others never reach.
  const csr_graph g = csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3).build();
  const auto pdom = post_dominators(g);
  const auto step = [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : b == 3 ? no_block : 3; };
  const std::vector<unsigned char> barriers{0, 1, 0, 0};
  callable_program program(step, {}, barriers);
  const launch shape{.threads = 16, .warp_width = 4, .barriers = barrier_model::thread_arrival, .resident_blocks = 2};

  const verdict compacted =
      run(policies::thread_block_compaction(pdom.ipdoms(), policies::compaction_options{.lanes = {.width = 4}}),
          program, shape);
  CHECK(compacted.scope == policy_scope::block);
  CHECK(describe(compacted) ==
        "nothing runnable: thread blocks 0-1: threads 0, 2, 4, ..., 14 wait at the barrier that ends BB1; "
        "threads 1, 3, 5, ..., 15 are held for other threads at BB2");

  // The same under a policy of warp scope, with whole-warp barriers.
  launch whole = shape;
  whole.barriers = barrier_model::whole_warp;
  whole.resident_blocks = 1;
  const verdict stack = run(policies::ipdom_stack(pdom.ipdoms()), program, whole);
  CHECK(stack.scope == policy_scope::warp);
  CHECK(describe(stack).find("barrier deadlock: warp 0: lanes 0, 2 wait at the barrier that ends BB1; lanes 1, 3 stand "
                             "at BB2 | warps 1-3: lanes 0-3 stand at BB0") == 0);

  // A limit, and the good end.
  const auto forever = [](std::uint32_t, block_id b) { return b; };
  CHECK(describe(run(policies::dynamic_warps(policies::dynamic_warp_options{.lanes = {.width = 4}}), forever,
                     {.threads = 6, .warp_width = 4}, no_observer{}, {.steps = 9})) ==
        "step limit reached after 9 blocks: thread block 0: threads 0-5 stand at BB0");
  const auto nothing = [](std::uint32_t, block_id) { return no_block; };
  const verdict good = run(policies::dynamic_warps(policies::dynamic_warp_options{}), nothing, {.threads = 6});
  CHECK(describe(good) == "finished");
  CHECK(good.scope == policy_scope::block);
}

namespace {

// All threads of all thread blocks, by number.
struct by_number {
  using mask_type = wide_mask;
  static constexpr policy_scope scope = policy_scope::core;
  std::vector<basic_fragment<wide_mask>> ready;
  void start(const basic_fragment<wide_mask>& f) {
    ready.clear();
    release(f);
  }
  std::optional<basic_fragment<wide_mask>> next() {
    if (ready.empty()) return std::nullopt;
    return ready.back();
  }
  void advance(const basic_fragment<wide_mask>&, std::span<const basic_fragment<wide_mask>> out) {
    ready.pop_back();
    for (const auto& f : out) release(f);
  }
  void park(const basic_fragment<wide_mask>&) { ready.pop_back(); }
  void release(const basic_fragment<wide_mask>& f) {
    f.lanes.for_each([&](std::uint32_t l) { ready.push_back({f.block, wide_mask::lane(l)}); });
  }
};

}  // namespace

TEST_CASE("verdict_text: under a policy of core scope threads have numbers of their own") {
  const auto forever = [](std::uint32_t, block_id b) { return b; };
  CHECK(describe(run(by_number{}, forever, {.threads = 100, .warp_width = 32, .resident_blocks = 2}, no_observer{},
                     {.steps = 3})) == "step limit reached after 3 blocks: threads 0-199 stand at BB0");
}

TEST_CASE("verdict text: threads of a thread block that could run stand, they are not held") {
  const auto endless = [](std::uint32_t, block_id) -> block_id { return 0; };
  constexpr block_id ipdom[] = {no_block};
  const auto words = [&](auto policy) {
    return describe(run(std::move(policy), endless, {.threads = 4, .warp_width = 4}, no_observer{}, {.steps = 3}));
  };
  CHECK(words(policies::thread_block_compaction(ipdom, {.lanes = {.width = 4}})).find("stand at BB0") !=
        std::string::npos);
  CHECK(words(policies::large_warps(ipdom, {.lanes = {.width = 4}})).find("stand at BB0") != std::string::npos);
}

TEST_CASE("verdict text: warps that stand alike are said once, and only the number of those after eight groups") {
  basic_verdict<lane_mask> v;
  v.how = outcome::step_limit;
  v.steps = 7;
  const auto stand = [&](std::uint32_t warp, block_id b) {
    v.standing.push_back({warp, b, lane_mask(0b11), standing_reason::ready, 0});
  };
  for (std::uint32_t w = 0; w < 300; ++w) stand(w, w / 100);
  CHECK(describe(v) ==
        "step limit reached after 7 blocks: warps 0-99: lanes 0-1 stand at BB0 | warps 100-199: lanes 0-1 stand at BB1 "
        "| warps 200-299: lanes 0-1 stand at BB2");
  v.standing.clear();
  stand(3, 5);
  stand(5, 5);  // not its neighbour
  stand(6, 5);
  stand(6, 4);  // a second place in the same warp
  CHECK(describe(v) ==
        "step limit reached after 7 blocks: warp 3: lanes 0-1 stand at BB5 | warp 5: lanes 0-1 stand at BB5 | "
        "warp 6: lanes 0-1 stand at BB5; lanes 0-1 stand at BB4");
  v.standing.clear();
  for (std::uint32_t w = 0; w < 64; ++w) stand(w, w);
  const std::string text = describe(v);
  CHECK(text.find("warp 7: ") != std::string::npos);
  CHECK(text.find("warp 8: ") == std::string::npos);
  CHECK(text.find(" | and 56 more warps") == text.size() - 20);
  v.standing.resize(9);
  CHECK(describe(v).find(" | and 1 more warp") != std::string::npos);
}
