// SPDX-License-Identifier: BSL-1.0
//
// Traces with what time needs: the lines of the format, and runs in the cycle model with cycles that are known.
#include "io/trace_mistakes.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/timed_replay.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using simtflow_tests::check_mistakes;
using simtflow_tests::said;

namespace {

constexpr std::uint64_t none = timing::recorded_addresses::none;

// Block 0 loads in a loop through block 1; a guard holds for one thread of two. 9 lines to the first `t`.
constexpr const char* good_trace =
    "k - - kernel\n"
    "g kernel 3 0 K\n"
    "0 2 - 1\n"
    "1 1 - 0 2\n"
    "2 0 -\n"
    "n 48 4096\n"
    "i 0 load global 3 1 > 4\n"
    "a global load 4\n"
    "a shared load 8 l2 volatile\n"
    "i 0 int_add 4 > 5 6\n"
    "i 1 control 5\n"
    "t 0 0 1 2\n"
    "t 1 0 1 0 1 0 1 2\n"
    "d 0 1000 -\n"
    "d 1 4 -\n"
    "d 2 4 1 8 - 0 -\n"
    "c 0 0 1\n"
    "e 0 1 2\n"
    "d 3 0 - 0 - 0 -\n"
    "d 4 -*6\n"
    "c 1 1 1\n"
    "e 3 3 4\n";

recorded_trace trace_in(std::string_view text) {
  diagnostics why;
  std::vector<recorded_trace> all = read_sound_traces(text, {}, why);
  CHECK(said(why).empty());
  REQUIRE(all.size() == 1);
  return all.front();
}

// Equal but for where they were read.
bool same(recorded_trace a, recorded_trace b) {
  a.graph.where = b.graph.where = {};
  return a.graph == b.graph && a.machine == b.machine && a.paths.blocks == b.paths.blocks &&
         a.paths.first == b.paths.first && a.path_of_thread == b.path_of_thread && a.first_thread == b.first_thread &&
         a.code == b.code && a.addresses == b.addresses;
}

using numbers = std::vector<std::uint64_t>;
numbers of_thread(const recorded_trace& t, std::size_t thread) {
  const auto all = t.addresses.of_thread(thread);
  return {all.begin(), all.end()};
}

// A graph that every thread walks down in one line, with code and addresses by chance.
recorded_trace random_trace(testing::rng& random) {
  recorded_trace t;
  const auto n = static_cast<block_id>(random.between(1, 5));
  csr_builder builder(n, 0);
  for (block_id b = 0; b + 1 < n; ++b) {
    builder.add_edge(b, b);
    builder.add_edge(b, b + 1);
  }
  t.graph.graph = builder.build();
  t.graph.symbol = "k";
  const auto registers = [&] {
    std::vector<std::uint32_t> all;
    for (std::size_t k = random.below(3); k > 0; --k) all.push_back(static_cast<std::uint32_t>(random.below(9)));
    return all;
  };
  for (block_id b = 0; b < n; ++b) {
    t.graph.weights.push_back(static_cast<std::uint32_t>(random.below(4)) + (b == 0 ? 1 : 0));
    t.graph.barriers.push_back(0);
    t.graph.branches.push_back(branch_kind::unmarked);
    for (std::uint32_t i = 0; i < t.graph.weights[b]; ++i) {
      const auto kind = static_cast<timing::instruction_class>(random.below(timing::num_instruction_classes));
      const bool memory = timing::accesses_memory(kind);
      const auto space = [&] { return static_cast<timing::address_space>(random.between(1, 6)); };
      t.code.add(kind, memory ? space() : timing::address_space::none, registers(), registers());
      for (std::size_t k = memory ? random.below(3) : 0; k > 0; --k)
        t.code.add({space(), static_cast<timing::access_kind>(random.below(3)), random.below(2) == 0,
                    static_cast<std::uint32_t>(random.between(1, 1024)), random.below(2) == 0});
    }
    t.code.end_block();
  }
  t.code.shared_bytes = static_cast<std::uint32_t>(random.below(100));
  t.code.address = random.next();
  for (std::size_t k = random.below(3); k > 0; --k) t.code.copied.push_back({random.next() >> 8U, random.next() >> 8U});
  for (std::size_t p = random.between(1, 4); p > 0; --p) {
    std::vector<block_id> path;
    for (block_id b = 0; b < n; ++b)
      for (std::size_t k = b + 1 < n ? random.between(1, 4) : 1; k > 0; --k) path.push_back(b);
    t.paths.add(path);
  }
  const std::uint64_t stride = random.below(100);
  for (std::size_t i = random.below(4); i > 0; --i) {
    for (std::size_t k = random.between(1, 6); k > 0; --k) {
      t.path_of_thread.push_back(static_cast<std::uint32_t>(random.below(t.paths.size())));
      if (t.code.accesses.empty()) continue;
      for (const block_id b : t.paths[t.path_of_thread.back()])
        for (std::size_t a = t.code.accesses_in(b); a > 0; --a)
          t.addresses.all.push_back(random.below(5) == 0   ? none
                                    : random.below(4) == 0 ? random.next() >> 1U
                                                           : stride * t.addresses.all.size());
      t.addresses.end_thread();
    }
    t.first_thread.push_back(t.path_of_thread.size());
  }
  return t;
}

}  // namespace

TEST_CASE("a trace with instructions and addresses") {
  const recorded_trace t = trace_in(good_trace);
  using kind = timing::instruction_class;
  using space = timing::address_space;
  CHECK(t.code.shared_bytes == 48);
  CHECK(t.code.address == 4096);
  REQUIRE(t.code.num_blocks() == 3);
  CHECK(t.code.instructions == std::vector<timing::instruction>{{kind::load, space::global, 2, 1, 0},
                                                                {kind::int_add, space::none, 1, 2, 3},
                                                                {kind::control, space::none, 1, 0, 6}});
  CHECK(t.code.registers == std::vector<std::uint32_t>{3, 1, 4, 4, 5, 6, 5});
  CHECK(t.code.accesses ==
        std::vector<timing::recorded_access>{{space::global, timing::access_kind::load, false, 4},
                                             {space::shared, timing::access_kind::load, true, 8, true}});
  CHECK(t.code.first_access == std::vector<std::size_t>{0, 2, 2, 2});
  CHECK(is_timed(t));
  REQUIRE(t.addresses.num_threads() == 6);
  CHECK(of_thread(t, 0) == numbers{1000, none});
  CHECK(of_thread(t, 1) == numbers{1004, none});  // as before it, and 4
  // First 1004 + 4 + 4; then the step is 0 + 8, and 8 again. Its own first shared address: 0 + 1.
  CHECK(of_thread(t, 2) == numbers{1012, 1, 1020, none, 1028, none});
  CHECK(of_thread(t, 3) == numbers{1020, none, 1028, none, 1036, none});  // 8 from thread to thread, 8 each time
  CHECK(of_thread(t, 4) == numbers{1028, none, 1036, none, 1044, none});
  CHECK(of_thread(t, 5) == numbers(6, none));
  CHECK(same(trace_in(to_trace_text(std::vector{t})), t));
  CHECK(to_trace_text(std::vector{t}).find("d 3 0 - 0 - 0 -\n") != std::string::npos);  // shared by two threads

  std::string plain = good_trace;  // without addresses it cannot be timed, but replayed
  for (const char* line :
       {"n 48", "i 0 l", "a gl", "a sh", "i 0 i", "i 1", "d 0", "d 1", "d 2", "e 0", "d 3", "d 4", "e 3"}) {
    const std::size_t at = plain.find(std::string("\n") + line) + 1;
    plain.erase(at, plain.find('\n', at) + 1 - at);
  }
  CHECK(!is_timed(trace_in(plain)));
}

TEST_CASE("what is wrong with instructions and addresses is named with its place") {
  check_mistakes(
      good_trace,
      {
          {"n 48 4096\n", "n 48 4096\nn 0 0\n",
           "line 7, column 1: what the code needs (n) comes before the instructions, once\n"},
          {"n 48 4096", "n x 4096", "line 6, column 3: the number of bytes of shared memory is not a number: 'x'\n"},
          {"n 48 4096", "n 4 x", "line 6, column 5: the address of the code is a number of 64 bits, not 'x'\n"},
          {"n 48 4096", "n 4 5 6", "line 6, column 7: unexpected '6' at the end of the line\n"},
          {"n 48 4096\n", "h 0 8\n",
           "line 6, column 1: copied memory (h) comes between what the code needs (n) and the instructions (i)\n"},
          {"n 48 4096\n", "n 48 4096\nh 4611686018427387904 1\n", "line 7, column 23: copied memory ends below 2^62\n"},
          {"volatile", "volatile volatile",
           "line 9, column 29: l2 and volatile, each once, may end an access, not 'volatile'\n"},
          {"i 0 load global", "i 1 load global",
           "line 7, column 3: instructions are in the order of the blocks: expected one of block 0, found 1\n"},
          {"i 1 control 5\n", "", "line 11, column 1: block 1 has 1 instructions, but only 0 of them (i) are here\n"},
          {"i 1 control 5\n", "i 1 control 5\ni 2 control\n",
           "line 12, column 3: the blocks have no more instructions: there are 3\n"},
          {"int_add", "int_sum", "line 10, column 5: 'int_sum' is no class of instructions\n"},
          {"load global 3", "load 3",
           "line 7, column 10: no memory '3': there are global, shared, constant, parameter, local and texture\n"},
          {"> 5 6", "> 5 > 6",
           "line 10, column 19: '>' is no register: registers are numbers, > comes before those that are written\n"},
          {"a global load 4\n", "a global move 4\n",
           "line 8, column 10: an access is a load, a store or an atomic, not 'move'\n"},
          {"a global load 4\n", "a global load 0\n", "line 8, column 15: a lane accesses 1 to 1024 bytes\n"},
          {"a global load 4\n", "a global load 1025\n", "line 8, column 15: a lane accesses 1 to 1024 bytes\n"},
          {"8 l2", "8 l1", "line 9, column 17: l2 and volatile, each once, may end an access, not 'l1'\n"},
          {"i 1 control 5\n", "i 1 control 5\na global load 4\n",
           "line 12, column 1: an access belongs to the memory instruction (i) in the line before it\n"},
          {"t 1 0 1 0", "i 1 control\nt 1 0 1 0",
           "line 13, column 1: instructions come before paths and thread blocks\n"},
          {"d 0 1000 -", "d 1 1000 -", "line 14, column 3: differences have ids from 0: expected 0, found 1\n"},
          {"d 0 1000 -", "d 0 1000 -*0",
           "line 14, column 10: '-*0' is no difference: it is written <number> or -, and *<count> after it\n"},
          {"d 0 1000 -", "d 0 18446744073709551616 -",
           "line 14, column 5: '18446744073709551616' is no difference: it is written <number> or -, and *<count> "
           "after it\n"},
          {"d 0 1000 -", "d 0 -1 -", "line 18, column 3: an address is below 2^63\n"},
          {"e 0 1 2\n", "", "line 18, column 1: the addresses (e) of the thread block before are missing\n"},
          {"e 0 1 2\n", "e 0 1\n", "line 18, column 6: the thread block has 3 threads: more addresses are missing\n"},
          {"e 0 1 2\n", "e 0 1 2 2\n", "line 18, column 9: unexpected '2' at the end of the line\n"},
          {"e 0 1 2\n", "e 0 1 3\n", "line 18, column 7: no differences '3': there are 3\n"},
          {"e 0 1 2\n", "e 0 1 1\n",
           "line 18, column 7: the thread's path makes 6 accesses, but there are 2 differences\n"},
          {"e 0 1 2\n", "e 0 1 2\ne 0 1 2\n",
           "line 19, column 1: addresses (e) directly follow the thread block (c) that they belong to, once\n"},
          {"e 3 3 4\n", "", "line 1, column 1: the addresses (e) of the thread block before are missing\n"},
      });
  diagnostics why;
  CHECK(read_sound_traces("k - - k\ng k 1 0\n0 1 -\nt 0 0\nd 0 4\n", {}, why).empty());
  CHECK(read_sound_traces("k - - k\ng k 1 0\n0 0 -\nn 0 0\nt 0 0\n", {}, why).empty());
  CHECK(said(why) ==
        "line 5, column 1: addresses need instructions (i) with accesses (a)\n"
        "line 5, column 1: what the code needs (n) is there, but no instruction (i)\n");
}

TEST_CASE("random traces with addresses survive writing and reading") {
  std::size_t with_addresses = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const recorded_trace t = random_trace(random);
    const std::string text = to_trace_text(std::vector{t});
    CAPTURE(text);
    const recorded_trace again = trace_in(text);
    CHECK(same(again, t));
    CHECK(is_timed(again));
    CHECK(to_trace_text(std::vector{again}) == text);
    with_addresses += t.addresses.all.empty() ? 0 : 1;
  }
  CHECK(with_addresses > 100);
}

TEST_CASE("broken text with addresses never harms the reader") {
  const char* words[] = {
      "4294967295", "-",  "0*", "*4294967295", "i 0 load local", "a local store 8\n", "d 5", "e ", "\n",
      ">",          "l2", "1",  "c 1",         "n 0 0\n"};
  std::size_t sound = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed);
    std::string text = good_trace;
    for (std::size_t edits = random.between(1, 2); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random.below(text.size());
      if (random.below(2) == 0)
        text.insert(at, words[random.below(std::size(words))]);
      else
        text.erase(at, random.between(1, 6));
    }
    CAPTURE(seed);
    CAPTURE(text);
    diagnostics why;
    for (const recorded_trace& t : read_sound_traces(text, {}, why)) {
      CHECK(same(trace_in(to_trace_text(std::vector{t})), t));
      ++sound;
    }
  }
  CHECK(sound > 40);
}

namespace {

// The cycles of a trace of one block under pdom.
timing::cycle cycles_of(const recorded_trace& t, const timing::machine& m) {
  const auto tree = post_dominators(t.graph.graph);
  const auto make = [&](std::uint32_t) { return timed_replay<>(t); };
  const auto r = timing::run(policies::ipdom_stack(tree.ipdoms()), make, grid_of(t), m);
  REQUIRE(r);
  CHECK(r->verdict.finished());
  return r->cycles;
}

}  // namespace

TEST_CASE("timed replays: loads from shared memory take as many passes as lanes share a bank") {
  timing::machine m;
  m.core.scoreboard = timing::scoreboard_kind::one_in_flight;
  m.shared.latency = 20;
  m.shared.banks = 32;
  m.shared.bank_bytes = 4;
  std::string threads = "c 0";
  for (int t = 1; t < 32; ++t) threads += " 0";
  std::uint64_t conflict_free = 0;
  for (const std::uint64_t stride : {1U, 2U, 4U, 8U, 16U, 32U, 3U}) {
    // Two loads; the threads are a stride apart, and all differences but the first two are zero.
    std::string text =
        "k - - k\ng k 1 0\n0 2 -\nn 0 0\ni 0 load shared > 0\na shared load 4\ni 0 load shared 0 > 1\na shared load 4\n"
        "t 0 0\nd 0 0 0\nd 1 " +
        std::to_string(4 * stride) + "*2\n" + threads + "\ne 0 1";
    for (int t = 2; t < 32; ++t) text += " 0";
    const recorded_trace t = trace_in(text + "\n");
    CHECK(t.addresses.of_thread(31)[1] == 31 * 4 * stride);
    const timing::cycle all = cycles_of(t, m);
    const std::uint64_t passes = stride % 2 == 0 ? stride : 1;
    if (stride == 1) conflict_free = all;
    CHECK(all == 2 * (m.shared.latency + passes - 1));
    CHECK(conflict_free == 2 * m.shared.latency);
  }
}

TEST_CASE("timed replays: a guard that does not hold for any lane makes no access, and instructions keep their class") {
  timing::machine m;
  m.core.scoreboard = timing::scoreboard_kind::registers;
  m.l1.latency = 100;
  m.operations[timing::instruction_class::load].latency = 3;
  m.operations[timing::instruction_class::int_mul].latency = 7;
  const std::string text =
      "k - - k\ng k 1 0\n0 3 -\ni 0 load global > 0\na global load 4\ni 0 int_mul 0 > 1\ni 0 int_mul 1 > 2\n"
      "t 0 0\nd 0 -\nc 0\ne 0\n";
  CHECK(cycles_of(trace_in(text), m) == 3 + 7 + 7);
}
