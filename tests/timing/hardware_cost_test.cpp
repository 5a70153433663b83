// SPDX-License-Identifier: BSL-1.0
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy_names.hpp>
#include <simtflow/timing/hardware_cost.hpp>
#include <simtflow/timing/stack_spills.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow::timing;

namespace {

// A core of 4 warps and 2 thread blocks of at most 2 warps, with 32-bit PCs, 5 entries a stack, 4 entries a table.
cost_parameters small(std::uint32_t width) {
  return {.warp_width = width,
          .warps = 4,
          .blocks = 2,
          .threads_per_block = 2 * width,
          .pc_bits = 32,
          .stack_entries = 5,
          .table_entries = 4,
          .counter_bits = 8,
          .large_warp = 2};
}

struct hand_count {
  std::string_view mechanism;
  std::string_view part;
  std::uint64_t bits[3];         // for widths 8, 16, 32
  std::uint64_t comparators[3];  // for widths 8, 16, 32
};

// Written out by hand: 20 entries in the 4 warps' stacks, 10 in the 2 blocks' stacks, 16 in the 4 warps' tables; 32,
// 64, 128 threads.
constexpr hand_count counts[] = {
    {"pdom", "PC, RPC", {1280, 1280, 1280}, {}},                         // 20 * 64
    {"pdom", "active masks", {160, 320, 640}, {}},                       // 20 * 8, 16, 32
    {"pdom", "top of stack", {12, 12, 12}, {}},                          // 4 * 3 bits for 0 to 5
    {"pdom", "next PC against RPC", {}, {1, 1, 1}},                      //
    {"lcp", "LPC, LPos", {700, 700, 700}, {}},                           // 20 * (32 + 3)
    {"lcp", "next PC against LPC", {}, {1, 1, 1}},                       //
    {"predicate", "masks", {160, 320, 640}, {}},                         // 20 * 8, 16, 32
    {"dual-path", "PCs of both paths, RPC", {1920, 1920, 1920}, {}},     // 20 * 96
    {"dual-path", "active masks of both paths", {320, 640, 1280}, {}},   // 20 * 16, 32, 64
    {"tf", "PCs", {1024, 2048, 4096}, {}},                               // 4 * 8, 16, 32 entries * 32
    {"tf", "predicate registers", {256, 1024, 4096}, {}},                // 4 * 64, 256, 1024
    {"tf", "linked list", {108, 272, 660}, {}},                          // 4 * (9 * 3), (17 * 4), (33 * 5)
    {"tf", "current PC against the first entry", {}, {1, 1, 1}},         //
    {"tf", "insertion", {}, {1, 1, 1}},                                  //
    {"multi-path", "splits", {1152, 1280, 1536}, {}},                    // 16 * 72, 80, 96
    {"multi-path", "reconvergence table", {1280, 1536, 2048}, {}},       // 16 * 80, 96, 128
    {"aware", "order of the splits", {32, 32, 32}, {}},                  // 16 * 2
    {"aware", "time-outs", {128, 128, 128}, {}},                         // 16 * 8
    {"subdivision", "splits", {200, 232, 296}, {}},                      // 4 * (32 + 8, 16, 32 + 2 + 8)
    {"subdivision", "next PC against splits", {}, {4, 4, 4}},            //
    {"tf-sandy", "PCs of threads", {1024, 2048, 4096}, {}},              // 32, 64, 128 * 32
    {"tf-sandy", "PCs of warps", {128, 128, 128}, {}},                   // 4 * 32
    {"tf-sandy", "PCs of threads against the warp's", {}, {8, 16, 32}},  //
    {"min-pc", "PCs of threads", {1024, 2048, 4096}, {}},                //
    {"min-pc", "call depths of threads", {256, 512, 1024}, {}},          // 32, 64, 128 * 8
    {"min-pc", "reduction tree", {}, {7, 15, 31}},                       // 4+2+1, 8+4+2+1, 16+8+4+2+1
    {"min-pc", "PCs of threads against the lowest", {}, {8, 16, 32}},    //
    {"volta", "participants of barriers", {128, 256, 512}, {}},          // 16 * 8, 16, 32
    {"volta", "states of threads", {128, 256, 512}, {}},                 // 32, 64, 128 * (2 + 2)
    {"dwf", "warp update registers", {160, 288, 576}, {}},               // 2 * (32 + 8*5 + 8), (32 + 16*6 + 16), ..
    {"dwf", "PC-warp table", {180, 216, 284}, {}},                       // 4 * (32 + 8 + 5), (32 + 16 + 6), ..
    {"dwf", "warp pool", {2560, 8704, 33792}, {}},                       // 32 * 80, 64 * 136, 128 * 264
    {"dwf", "warp allocator", {160, 384, 896}, {}},                      // 32 * 5, 64 * 6, 128 * 7
    {"dwf-barrier", "warp barriers", {160, 192, 256}, {}},               // 4 * 40, 48, 64
    {"tbc", "PC, RPC", {640, 640, 640}, {}},                             // 10 * 64
    {"tbc", "warp counters", {20, 20, 20}, {}},                          // 10 * 2 bits for 0 to 2
    {"tbc", "active masks", {160, 320, 640}, {}},                        // 5 * 32, 64, 128
    {"tbc", "thread ids of the warp buffer", {128, 320, 768}, {}},       // 32 * 4, 64 * 5, 128 * 6
    {"tbc", "thread compactor", {16, 32, 64}, {}},                       // one block's mask
    {"tbc-lcp", "LPC, LPos", {350, 350, 350}, {}},                       // 10 * (32 + 3)
    {"capri", "prediction table", {132, 132, 132}, {}},                  // 4 * 33
    {"capri", "branch against the prediction table", {}, {4, 4, 4}},     //
    {"large-warps", "PC, RPC", {640, 640, 640}, {}},                     // 2 stacks * 5 * 64
    {"large-warps", "active masks", {160, 320, 640}, {}},                //
    {"large-warps", "rows of the sub-warps", {32, 64, 128}, {}},         // 32, 64, 128 * 1
    {"large-warps", "sub-warp formation", {16, 32, 64}, {}},             // 2 rows * 8, 16, 32
};

const cost_row& row(const hardware_cost_table& t, std::string_view mechanism, std::string_view part) {
  const cost_row* r = t.find(mechanism, part);
  REQUIRE_MESSAGE(r != nullptr, std::string(mechanism) << ": " << std::string(part));
  return *r;
}

}  // namespace

TEST_CASE("hardware cost by hand: widths 8, 16 and 32") {
  constexpr std::uint32_t widths[] = {8, 16, 32};
  for (std::size_t i = 0; i < 3; ++i) {
    const hardware_cost_table t(small(widths[i]));
    for (const hand_count& c : counts) {
      CAPTURE(widths[i]);
      CAPTURE(std::string(c.mechanism));
      CAPTURE(std::string(c.part));
      CHECK(row(t, c.mechanism, c.part).bits == c.bits[i]);
      CHECK(row(t, c.mechanism, c.part).comparators == c.comparators[i]);
    }
    // 2 warps a block: encoders of 2 inputs have one level, and a block is compacted in at most 2 cycles.
    const cost_row& compactor = row(t, "tbc", "thread compactor");
    CHECK(compactor.encoders == widths[i]);
    CHECK(compactor.depth == 1);
    CHECK(compactor.cycles == 2);
    CHECK(row(t, "dwf", "register banks by lane").ports == widths[i]);
    CHECK(row(t, "min-pc", "reduction tree").depth == 3 + i);
  }
}

TEST_CASE("hardware cost: the mechanisms are policies, and every row has a source and a figure") {
  const hardware_cost_table t{cost_parameters{}};
  std::string_view last;
  std::vector<std::string_view> seen;
  for (const cost_row& r : t) {
    CAPTURE(std::string(r.mechanism));
    CAPTURE(std::string(r.part));
    CHECK(choose_policy(r.mechanism).has_value());
    CHECK(!r.source.empty());
    CHECK(r.bits + r.comparators + r.encoders + r.ports > 0);
    if (r.mechanism != last) {
      CHECK(std::find(seen.begin(), seen.end(), r.mechanism) == seen.end());
      seen.push_back(r.mechanism);
    }
    last = r.mechanism;
    CHECK(t.find(r.mechanism, r.part) == &r);
  }
  CHECK(seen.size() == 17);
  CHECK(t.sum("no such mechanism").bits == 0);
}

// Thread frontiers, section 5.2: "approximately 64 32-bit comparators and 2-input 32-bit muxes" for 32 lanes; "a single
// comparator" for the sorted stack; "at most one cycle for each SIMD lane".
TEST_CASE("hardware cost: the figures of the thread frontiers paper") {
  const hardware_cost_table t{cost_parameters{}};
  CHECK(t.sum("min-pc").comparators == 63);
  const cost_row& tree = row(t, "min-pc", "reduction tree");
  CHECK(tree.comparators + tree.multiplexers == 62);
  CHECK(row(t, "tf", "current PC against the first entry").comparators == 1);
  CHECK(t.sum("tf").cycles == 32);
}

// Thread block compaction, section 7: the bits of the masks do not increase over the warps' stacks, T bits a level; a
// priority encoder of 32 inputs is enough for 1024 threads.
TEST_CASE("hardware cost: the figures of the thread block compaction paper") {
  for (const std::uint32_t width : {8U, 16U, 32U}) {
    for (const std::uint32_t blocks : {1U, 2U, 8U}) {
      cost_parameters p = small(width);
      p.blocks = blocks;
      const hardware_cost_table t(p);
      const std::uint64_t levels = p.stack_entries;
      const std::uint64_t threads = std::uint64_t{4} * width;
      CHECK(row(t, "tbc", "active masks").bits == row(t, "pdom", "active masks").bits);
      CHECK(row(t, "tbc", "active masks").bits == levels * threads);
    }
  }
  const hardware_cost_table t{cost_parameters{}};
  CHECK(row(t, "tbc", "thread compactor").depth == 5);
  CHECK(row(t, "tbc", "thread compactor").cycles == 32);
}

TEST_CASE("hardware cost: monotone in each parameter") {
  struct parameter {
    const char* name;
    std::uint32_t cost_parameters::*member;
    bool rises;  // the bits of a mechanism never fall when the parameter grows
  };
  constexpr parameter parameters[] = {
      {"warp_width", &cost_parameters::warp_width, true},
      {"warps", &cost_parameters::warps, true},
      {"blocks", &cost_parameters::blocks, true},
      {"threads_per_block", &cost_parameters::threads_per_block, true},
      {"pc_bits", &cost_parameters::pc_bits, true},
      {"stack_entries", &cost_parameters::stack_entries, true},
      {"table_entries", &cost_parameters::table_entries, true},
      {"counter_bits", &cost_parameters::counter_bits, true},
      {"large_warp", &cost_parameters::large_warp, false},
  };
  cost_parameters base = small(16);
  base.warps = 8;
  for (const parameter& p : parameters) {
    CAPTURE(p.name);
    cost_parameters q = base;
    for (int step = 0; step < 40; ++step) {
      const hardware_cost_table before(q);
      ++(q.*p.member);
      if (!is_valid(q)) break;
      const hardware_cost_table after(q);
      REQUIRE(before.size() == after.size());
      for (const cost_row& r : before) {
        CAPTURE(std::string(r.mechanism));
        CAPTURE(step);
        const cost_sum a = before.sum(r.mechanism);
        const cost_sum b = after.sum(r.mechanism);
        if (p.rises) CHECK(a.bits <= b.bits);
        CHECK(a.comparators <= b.comparators);
        CHECK(a.multiplexers <= b.multiplexers);
        CHECK(a.encoders <= b.encoders);
        CHECK(a.ports <= b.ports);
        if (p.member != &cost_parameters::warp_width) {
          CHECK(a.depth <= b.depth);  // wider warps are fewer warps a block, and need smaller encoders
          CHECK(a.cycles <= b.cycles);
        }
      }
    }
  }
}

TEST_CASE("hardware cost: sizes that no core has") {
  CHECK(is_valid({}));
  CHECK(!is_valid({.warps = 0}));
  CHECK(!is_valid({.warps = 2}));  // 1024 threads do not fit into 2 warps
  CHECK(!is_valid({.pc_bits = 65537}));
  CHECK(is_valid({65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536}));
  CHECK(bits_for(0) == 0);
  CHECK(bits_for(1) == 0);
  CHECK(bits_for(2) == 1);
  CHECK(bits_for(33) == 6);
  static_assert(hardware_cost_table(cost_parameters{}).sum("pdom").bits == 32 * (16 * 96 + 5));
}

namespace {

// A stack of numbered entries with k places on chip, moved one entry at a time.
struct chip_stack {
  std::size_t k;
  std::vector<int> chip;  // the bottom first
  std::vector<int> memory;
  std::uint64_t spilled = 0;
  std::uint64_t filled = 0;
  std::uint64_t most = 0;

  void push(int entry) {
    chip.push_back(entry);
    if (chip.size() > k) {
      memory.push_back(chip.front());
      chip.erase(chip.begin());
      ++spilled;
      most = std::max<std::uint64_t>(most, memory.size());
    }
  }
  void pop() {
    if (!memory.empty()) {
      chip.insert(chip.begin(), memory.back());
      memory.pop_back();
      ++filled;
    }
    chip.pop_back();
  }
};

}  // namespace

TEST_CASE("stack spills against a stack of k places that moves its entries") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::size_t k = random() % 6;
    chip_stack stack{k, {}, {}};
    depth_histogram h;
    std::uint64_t steps_in_memory = 0;
    const int steps = 200;
    std::vector<int> all;
    for (int i = 0; i < steps; ++i) {
      std::size_t depth = all.size();
      const std::size_t change = random() % 4;
      depth = random() % 2 != 0 ? depth + change : depth - std::min(depth, change);
      while (all.size() < depth) {
        all.push_back(i);
        stack.push(i);
      }
      while (all.size() > depth) {
        all.pop_back();
        stack.pop();
      }
      h.step(depth);
      steps_in_memory += stack.memory.empty() ? 0 : 1;
      std::vector<int> content = stack.memory;
      content.insert(content.end(), stack.chip.begin(), stack.chip.end());
      REQUIRE(content == all);
      REQUIRE(stack.chip.size() == std::min(k, depth));
    }
    CAPTURE(seed);
    CAPTURE(k);
    const stack_spills s = spills_of(h, {.on_chip = k, .entry_bits = 97, .entry_cycles = 7});
    CHECK(s.steps == steps);
    CHECK(s.steps_in_memory == steps_in_memory);
    CHECK(s.most_in_memory == stack.most);
    CHECK(s.spilled == stack.spilled);
    CHECK(s.filled == stack.filled);
    CHECK(s.bytes == (stack.spilled + stack.filled) * 13);
    CHECK(s.cycles == (stack.spilled + stack.filled) * 7);
  }
}

// Thread block compaction, Table 3: the deepest stack of each program; 16 entries on chip. MGST alone spills, 22 of 38.
TEST_CASE("stack spills: the depths of the thread block compaction paper") {
  constexpr std::size_t depths[] = {3, 5, 2, 5, 13, 14, 5, 5, 1, 2, 1, 2, 5, 1, 3, 38, 3, 9, 3, 1, 8};
  depth_histogram all;
  for (const std::size_t depth : depths) {
    depth_histogram h;
    h.step(depth);
    h.end();
    const stack_spills s = spills_of(h, {.on_chip = 16});
    CHECK(s.spilled == (depth == 38 ? 22 : 0));
    CHECK(s.filled == s.spilled);
    all.merge(h);
  }
  const stack_spills s = spills_of(all, {.on_chip = 16, .entry_bits = 96, .entry_cycles = 100});
  CHECK(s.spilled == 22);
  CHECK(s.most_in_memory == 22);
  CHECK(s.steps == 21);
  CHECK(s.steps_in_memory == 1);
  CHECK(s.bytes == 44 * 12);
  CHECK(s.cycles == 4400);
  CHECK(spills_of(depth_histogram{}, {}).steps == 0);
}

// The stacks of each warp apart, and the sums: a warp's stack is empty when its thread block begins.
TEST_CASE("stack depths: the stacks of warps that take turns are each like a stack alone") {
  std::mt19937 random(11);
  stack_depths depths;
  std::vector<depth_histogram> alone(3);
  for (int thread_block = 0; thread_block < 20; ++thread_block) {
    depths(event::started{96, 32, 3});
    for (int i = 0; i < 50; ++i) {
      const std::uint32_t warp = static_cast<std::uint32_t>(random() % 3);
      const std::size_t depth = 1 + random() % 6;
      event::issued<lane_mask> e{};
      e.warp = warp;
      e.depth = depth;
      depths(e);
      alone[warp].step(depth);
    }
    depths(event::ended{50, 0});
    for (depth_histogram& h : alone) h.end();
  }
  depth_histogram sum;
  for (const depth_histogram& h : alone) sum.merge(h);
  const depth_histogram all = depths.histogram();
  CHECK(std::ranges::equal(all.steps(), sum.steps()));
  CHECK(std::ranges::equal(all.pushes(), sum.pushes()));
  CHECK(std::ranges::equal(all.pops(), sum.pops()));
  CHECK(std::ranges::equal(all.pops(), all.pushes()));
  CHECK(std::accumulate(all.steps().begin(), all.steps().end(), std::uint64_t{0}) == 1000);
  CHECK(stack_depths{}.histogram().steps().empty());
}
