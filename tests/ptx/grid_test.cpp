// SPDX-License-Identifier: BSL-1.0
//
// Grids on several host threads: what comes out is what one gives.
#include "ptx/support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

struct grid_run {
  outcome how;
  std::uint64_t thread_block, steps;
  std::string fault;
  std::vector<std::uint32_t> out;
  std::vector<ptx::printed_text> printed;
  bool lost_output;
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> counts;
  bool operator==(const grid_run&) const = default;
};

grid_run run(const ptx::decoded_kernel& k, std::uint32_t blocks, std::uint32_t n, std::uint32_t threads) {
  ptx::launch_config l;
  l.grid[0] = blocks;
  l.block[0] = 40;
  ptx::device_memory memory;
  const std::vector<std::uint32_t> in(64, 1);
  const std::uint64_t from = memory.allocate_copy(std::span<const std::uint32_t>(in), "in");
  const std::uint64_t to = memory.allocate(4 * 40 * blocks, "out");
  ptx::arguments args(k);
  args.set(0, from);
  args.set(1, to);
  args.set(2, n);
  REQUIRE(ptx::check_launch(k, l, args).empty());
  const csr_graph bodies = k.bodies();
  const auto tree = post_dominators(bodies);
  counts c;
  const auto r = ptx::run_grid(policies::ipdom_stack(tree.ipdoms()), k, l, memory, args, c, {.threads = threads});
  grid_run g{r.verdict.how,
             r.thread_block,
             r.verdict.steps,
             r.fault.describe(),
             {},
             r.printed,
             r.lost_output,
             {c.fetches, c.warp_instructions, c.thread_instructions, c.divergent_branches, c.thread_blocks}};
  g.out.assign(std::size_t{40} * blocks, 0);
  REQUIRE(memory.read(to, std::span<std::uint32_t>(g.out)));
  return g;
}

std::string body(std::string_view what) {
  return ".reg .pred %p<4>; .reg .b32 %r<16>, %t; .reg .b64 %rd<8>; .reg .f32 %f<2>;\n"
         "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r10, [n]; mov.u32 %r1, %ntid.x; mov.u32 "
         "%r2, "
         "%ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %t, %r1, %r2, %r3; mul.wide.u32 %rd3, %t, 4; add.s64 %rd1, %rd1, "
         "%rd3;\n" +
         std::string(what) + "\nret;";
}

constexpr std::string_view loops = R"(rem.u32 %r4, %t, 13; mov.u32 %r5, 0;
again: mad.lo.u32 %r5, %r5, 3, %r4; sub.u32 %r4, %r4, 1; setp.gt.s32 %p1, %r4, 0; @%p1 bra again;
red.global.add.u32 [%rd2], %r5; red.global.max.u32 [%rd2+4], %r5; red.global.xor.b32 [%rd2+8], %t;
st.global.u32 [%rd1], %r5;)";

}  // namespace

TEST_CASE("grid: memory, counts and what is printed do not depend on the number of host threads") {
  const ptx::decoded_kernel k = decoded(kernel_text(body(loops)));
  CHECK(!ptx::order_of_blocks_shows(k));
  for (const std::uint32_t blocks : {1U, 2U, 7U, 1000U}) {
    const grid_run one = run(k, blocks, 0, 1);
    CHECK(one.how == outcome::finished);
    for (std::uint32_t t = 0; t < one.out.size(); ++t) {
      std::uint32_t v = 0;
      int n = static_cast<int>(t % 13);
      do v = 3 * v + static_cast<std::uint32_t>(n), --n;
      while (n > 0);
      REQUIRE(one.out[t] == v);
    }
    for (const std::uint32_t threads : {2U, 3U, 5U, 0U}) CHECK(run(k, blocks, 0, threads) == one);
  }
  const ptx::decoded_kernel prints = decoded(
      std::string(header) +
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 text[4] = {37, 117, "
      "32, 0};\n" +
      kernel_text(
          body(".local .align 8 .b8 a[8]; st.local.u32 [a], %t; mov.u64 %rd4, a; cvta.local.u64 %rd4, %rd4; mov.u64 "
               "%rd5, text; setp.ne.u32 %p1, %r3, 7; @%p1 bra done; { .param .b64 p; .param .b64 q; .param .b32 r; "
               "st.param.b64 [p], %rd5; st.param.b64 [q], %rd4; call (r), vprintf, (p, q); } done:"))
          .substr(header.size()));
  const grid_run one = run(prints, 300, 0, 1);
  REQUIRE(one.printed.size() == 300);
  CHECK(one.printed[299] == ptx::printed_text{299, 7, "11967 "});
  CHECK(run(prints, 300, 0, 4) == one);
}

TEST_CASE("grid: atomics with an order that shows run in the order of the thread blocks") {
  for (const std::string atomic :
       {"atom.global.add.u32 %r5, [%rd2], 1;", "atom.global.exch.b32 %r5, [%rd2], %t;",
        "atom.global.cas.b32 %r5, [%rd2], 1, %t;", "red.global.add.f32 [%rd2], 0f3DCCCCCD; mov.u32 %r5, 1;",
        "red.inc.u32 [%rd2], 7; mov.u32 %r5, 2;"}) {
    const ptx::decoded_kernel k = decoded(kernel_text(body(atomic + " st.global.u32 [%rd1], %r5;")));
    CAPTURE(atomic);
    CHECK(ptx::order_of_blocks_shows(k));
    const grid_run one = run(k, 200, 0, 1);
    CHECK(one.how == outcome::finished);
    CHECK(run(k, 200, 0, 4) == one);
  }
  CHECK(!ptx::order_of_blocks_shows(decoded(kernel_text(body(".shared .u32 s; atom.shared.add.u32 %r5, [s], 1;")))));
}

TEST_CASE("grid: the first thread block that faults is the one that is told of") {
  const ptx::decoded_kernel k = decoded(
      kernel_text(body("rem.u32 %r4, %r2, 100; setp.eq.u32 %p1, %r4, %r10; setp.eq.u32 %p2, %r3, 5; and.pred %p1, "
                       "%p1, %p2; @%p1 trap; st.global.u32 [%rd1], 1;")));
  for (const std::uint32_t first : {0U, 1U, 57U, 99U}) {
    const grid_run one = run(k, 1000, first, 1);
    CHECK(one.how == outcome::fault);
    CHECK(one.thread_block == first);
    for (const std::uint32_t threads : {2U, 5U}) {
      const grid_run more = run(k, 1000, first, threads);
      CHECK(more.thread_block == first);
      CHECK(more.fault == one.fault);
      for (std::size_t t = 0; t < 40 * std::size_t{first}; ++t) REQUIRE(more.out[t] == 1);
    }
  }
}

namespace {

// A kernel in which thread 7 of every thread block prints `times` times the text that `format` makes of its number.
std::string printing_kernel(std::string_view format, std::uint32_t times) {
  std::string bytes;
  for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ", ";
  return std::string(header) +
         ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 text[" +
         std::to_string(format.size() + 1) + "] = {" + bytes + "0};\n" +
         kernel_text(body(".local .align 8 .b8 a[8]; st.local.u32 [a], %t; mov.u64 %rd4, a; cvta.local.u64 %rd4, %rd4; "
                          "mov.u64 %rd5, text; setp.ne.u32 %p1, %r3, 7; @%p1 bra done; mov.u32 %r6, 0; again: { .param "
                          ".b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %rd5; st.param.b64 [q], %rd4; call "
                          "(r), vprintf, (p, q); } add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, " +
                          std::to_string(times) + "; @%p2 bra again; done:"))
             .substr(header.size());
}

std::string all_text(const grid_run& g) {
  std::string all;
  for (const ptx::printed_text& t : g.printed) all += t.text;
  return all;
}

}  // namespace

TEST_CASE("grid: output is cut to the byte at the same place for every number of host threads") {
  const ptx::decoded_kernel wide = decoded(printing_kernel("%4096d", 47));  // 192,512 bytes for each thread block
  for (const std::uint32_t blocks : {87U, 88U, 150U}) {
    const grid_run serial = run(wide, blocks, 0, 1);
    const std::uint64_t whole = std::uint64_t{blocks} * 47 * 4096;
    CHECK(serial.lost_output == (whole > ptx::kernel_output::max_bytes));
    const std::string text = all_text(serial);
    CHECK(text.size() == (serial.lost_output ? ptx::kernel_output::max_bytes : whole));
    for (const std::uint32_t threads : {2U, 5U}) CHECK((run(wide, blocks, 0, threads) == serial));
  }
}

TEST_CASE("grid: output of parts, cut as it comes, is the beginning of the whole") {
  // In any order in which parts may end, cutting what is done never takes away what belongs to the beginning.
  const std::size_t limit = ptx::kernel_output::max_bytes;
  random_bits next{3};
  for (int round = 0; round < 20; ++round) {
    const std::size_t parts = 1 + next() % 6;
    struct part {
      ptx::kernel_output output;
    };
    ptx::kernel_output whole;
    std::vector<std::unique_ptr<part>> made, done(parts);
    for (std::size_t p = 0; p < parts; ++p) {
      made.push_back(std::make_unique<part>());
      for (std::uint64_t n = next() % 4; n > 0; --n) {
        const std::string text(static_cast<std::size_t>(next() % (limit / 2)), static_cast<char>('a' + next() % 26));
        made[p]->output.add(p, static_cast<std::uint32_t>(n), text);
        whole.add(p, static_cast<std::uint32_t>(n), text);
      }
    }
    for (std::size_t left = parts; left > 0; --left) {
      std::size_t p = next() % parts;
      while (!made[p]) p = (p + 1) % parts;
      done[p] = std::move(made[p]);
      ptx::detail::cut_output(std::span<const std::unique_ptr<part>>(done));
      std::uint64_t kept = 0;
      for (const auto& d : done)
        if (d) kept += d->output.bytes();
      CHECK(kept <= limit);
    }
    ptx::kernel_output together;
    for (auto& d : done) together.append(std::move(d->output));
    CHECK(together.cut() == whole.cut());
    CHECK(together.bytes() == whole.bytes());
    CHECK((std::vector<ptx::printed_text>(together.texts().begin(), together.texts().end()) ==
           std::vector<ptx::printed_text>(whole.texts().begin(), whole.texts().end())));
  }
  // Many short texts are cut by their number.
  ptx::kernel_output many;
  for (std::uint32_t n = 0; n < ptx::kernel_output::max_texts + 5; ++n) many.add(0, n, "x");
  CHECK(many.texts().size() == ptx::kernel_output::max_texts);
  CHECK(many.cut());
  many.cut_to(0, 10);
  CHECK(many.texts().size() == ptx::kernel_output::max_texts - 10);
  many.cut_to(ptx::kernel_output::max_bytes - 3, 0);
  CHECK(many.bytes() == 3);
}

TEST_CASE("grid: an observer of memory accesses hears of the accesses of its part") {
  const ptx::decoded_kernel k = decoded(kernel_text(body(loops)));
  struct accesses {
    std::uint64_t lanes = 0, blocks = 0;
    void operator()(const event::memory_access<lane_mask>& e) { lanes += e.lanes.count(); }
    void operator()(const event::started&) { ++blocks; }
  };
  for (const std::uint32_t threads : {1U, 3U}) {
    ptx::launch_config l;
    l.grid[0] = 50;
    l.block[0] = 40;
    ptx::device_memory memory;
    ptx::arguments args(k);
    args.set(0, memory.allocate(64, "in"));
    args.set(1, memory.allocate(4 * 2000, "out"));
    args.set(2, 0U);
    const csr_graph bodies = k.bodies();
    const auto tree = post_dominators(bodies);
    accesses sum;
    bool own = true;  // each part hears of its own thread blocks
    const auto add = [&own](accesses& all, const accesses& part) {
      own = own && part.lanes == 4 * 40 * part.blocks;
      all.lanes += part.lanes;
      all.blocks += part.blocks;
    };
    const auto r = ptx::run_grid_as<policies::ipdom_stack>(policies::ipdom_stack(tree.ipdoms()), k, l, memory, args,
                                                           sum, add, {.threads = threads});
    REQUIRE(r.finished());
    CHECK(own);
    CHECK(sum.blocks == 50);
    CHECK(sum.lanes == 4 * 2000);  // three atomics and a store of each thread
  }
}

TEST_CASE("grid: a livelock is found whatever the number of host threads") {
  const ptx::decoded_kernel k =
      decoded(kernel_text(body("setp.eq.u32 %p1, %r2, 3; again: @%p1 bra again; st.global.u32 [%rd1], 1;")));
  for (const std::uint32_t threads : {1U, 4U}) {
    ptx::launch_config l;
    l.grid[0] = 9;
    l.block[0] = 40;
    ptx::device_memory memory;
    ptx::arguments args(k);
    args.set(0, memory.allocate(64, "in"));
    args.set(1, memory.allocate(4 * 40 * 9, "out"));
    args.set(2, 0U);
    const csr_graph bodies = k.bodies();
    const auto tree = post_dominators(bodies);
    counts c;
    const auto r = ptx::run_grid(policies::ipdom_stack(tree.ipdoms()), k, l, memory, args, c,
                                 {.threads = threads, .limits = {.steps = 10000, .detect_livelock = true}});
    CHECK(r.verdict.how == outcome::livelock);
    CHECK(r.thread_block == 3);
  }
}

TEST_CASE("grid: policies of the thread block") {
  const ptx::decoded_kernel k = decoded(kernel_text(body(loops)));
  const csr_graph bodies = k.bodies();
  const auto tree = post_dominators(bodies);
  using policy = policies::basic_thread_block_compaction<basic_mask<16>>;
  std::vector<std::uint32_t> first;
  for (const std::uint32_t threads : {1U, 3U}) {
    ptx::launch_config l;
    l.grid[0] = 100;
    l.block[0] = 96;
    ptx::device_memory memory;
    const std::uint64_t from = memory.allocate(64, "in");
    const std::uint64_t to = memory.allocate(4 * 9600, "out");
    ptx::arguments args(k);
    args.set(0, from);
    args.set(1, to);
    args.set(2, 0U);
    counts c;
    const auto r = ptx::run_grid(policy(tree.ipdoms(), {home_lanes{32}}), k, l, memory, args, c,
                                 {.threads = threads, .barriers = barrier_model::thread_arrival});
    REQUIRE(r.finished());
    CHECK(c.thread_blocks == 100);
    // A second run is added to the first.
    const std::uint64_t once = c.warp_instructions;
    REQUIRE(ptx::run_grid(policy(tree.ipdoms(), {home_lanes{32}}), k, l, memory, args, c,
                          {.threads = threads, .barriers = barrier_model::thread_arrival})
                .finished());
    CHECK(c.thread_blocks == 200);
    CHECK(c.warp_instructions == 2 * once);
    std::vector<std::uint32_t> out(9600);
    REQUIRE(memory.read(to, std::span<std::uint32_t>(out)));
    if (threads == 1)
      first = out;
    else
      CHECK(out == first);
  }
}
