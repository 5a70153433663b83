// SPDX-License-Identifier: BSL-1.0
//
// Random timed programs and random machines, from a seed. Threads walk through a random graph
// (testing/random_walks.hpp), so that every thread's path is known before. Instructions, registers, guards and
// addresses are random by place.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace random_timing {

using namespace simtflow;

struct options {
  bool barriers = false;
  bool memory = true;
  bool empty_blocks = true;
  std::size_t statements = 10;
  bool agree_at_barriers = true;  // false: threads of a warp may come to different barriers
};

/// A program: the graph, its instructions, and where its threads go.
struct code {
  code(std::uint64_t seed_, const options& o)
      : seed(seed_),
        random(seed_ * 2 + 1),
        program(make(random, o)),
        walks(
            program.graph, {.seed = seed_},
            o.agree_at_barriers ? std::span<const unsigned char>(program.uniform) : std::span<const unsigned char>()) {
    const std::size_t n = program.graph.num_blocks();
    is_barrier.assign(n, 0);
    for (const block_id b : program.barriers) is_barrier[b] = 1;
    for (block_id b = 0; b < n; ++b) {
      std::vector<timing::instruction> block;
      const bool branches = program.graph.successors(b).size() != 1;
      const std::size_t most = random.below(5);
      for (std::size_t i = 0; i < most; ++i) block.push_back(body(o));
      if (is_barrier[b] != 0)
        block.push_back(with_registers(timing::instruction_class::barrier, 0, 0));
      else if (branches || (block.empty() && !o.empty_blocks))
        block.push_back(with_registers(timing::instruction_class::control, 1, 0));
      blocks.push_back(block);
    }
  }
  code(const code&) = delete;
  code& operator=(const code&) = delete;

  static testing::structured_program make(testing::rng& r, const options& o) {
    return testing::random_structured_program(r, {.statements = o.statements,
                                                  .max_depth = 3,
                                                  .break_continue = !o.barriers,
                                                  .early_return = !o.barriers,
                                                  .barriers = o.barriers});
  }
  timing::instruction with_registers(timing::instruction_class kind, std::size_t reads, std::size_t writes) {
    timing::instruction in;
    in.kind = kind;
    in.reads = static_cast<std::uint16_t>(reads);
    in.writes = static_cast<std::uint16_t>(writes);
    in.first_register = static_cast<std::uint32_t>(registers.size());
    for (std::size_t i = 0; i < reads + writes; ++i) registers.push_back(static_cast<std::uint32_t>(random.below(8)));
    return in;
  }
  timing::instruction body(const options& o) {
    using kind = timing::instruction_class;
    constexpr kind all[] = {kind::simple, kind::int_add, kind::fp_mad, kind::int_div, kind::special,
                            kind::dp_add, kind::load,    kind::load,   kind::store,   kind::atomic};
    const kind chosen = all[random.below(o.memory ? 10 : 6)];
    timing::instruction in = with_registers(chosen, random.below(3), chosen == kind::store ? 0 : 1);
    if (timing::accesses_memory(chosen)) {
      constexpr timing::address_space spaces[] = {timing::address_space::global, timing::address_space::shared,
                                                  timing::address_space::local, timing::address_space::constant};
      in.where = spaces[random.below(chosen == kind::load ? 4 : 2)];
    }
    return in;
  }

  std::uint64_t seed;
  testing::rng random;
  testing::structured_program program;
  testing::random_walks walks;
  std::vector<unsigned char> is_barrier;
  std::vector<std::vector<timing::instruction>> blocks;
  std::vector<std::uint32_t> registers;
};

/// The threads of one thread block at a time. Thread t of thread block n walks as thread 1024 n + t.
template <class Mask = lane_mask>
class program {
 public:
  program(const code& c, std::uint32_t threads) : code_(&c), threads_(threads) { begin({}); }
  void select_block_number(std::uint64_t n) { number_ = n; }
  void begin(const launch&) { visits_.assign(std::size_t{threads_} * code_->blocks.size(), 0); }
  [[nodiscard]] std::uint32_t weight(block_id b) const { return static_cast<std::uint32_t>(code_->blocks[b].size()); }
  [[nodiscard]] const timing::instruction& instruction_at(block_id b, std::uint32_t i) const {
    return code_->blocks[b][i];
  }
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return code_->registers; }
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const { return b * 48 + i * 8; }

  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = g.first_thread + lane;
      std::uint32_t& visit = visits_[std::size_t{t} * code_->blocks.size() + b];
      out.go(code_->walks.next(number_ * 1024 + t, b, visit++), Mask::lane(lane));
    });
    return code_->is_barrier[b] != 0 ? block_end::barrier : block_end::next;
  }
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  timing::issue_effect<Mask>& effect) {
    const timing::instruction& in = code_->blocks[b][i];
    if (in.reads > 1 && in.kind != timing::instruction_class::control)  // a guard
      g.lanes.for_each([&](std::uint32_t lane) {
        if (hash(b, i, lane) % 4 == 0) effect.on -= Mask::lane(lane);
      });
    addresses_.clear();
    if (in.where != timing::address_space::none) {
      const std::uint64_t shape = hash(b, i, 1 << 20) % 3;
      effect.on.for_each([&](std::uint32_t lane) {
        const std::uint64_t t = number_ * 1024 + g.first_thread + lane;
        const std::uint64_t a = shape == 0 ? t * 4 : shape == 1 ? t * 132 : hash(b, i, t) % 65536 * 4;
        addresses_.push_back(in.where == timing::address_space::global  ? a
                             : in.where == timing::address_space::local ? std::uint64_t{g.first_thread + lane} << 32 | a
                                                                        : a % 16384);
      });
    }
    if (!addresses_.empty()) {
      using kind = timing::instruction_class;
      access_ = {in.where,
                 in.kind == kind::load    ? timing::access_kind::load
                 : in.kind == kind::store ? timing::access_kind::store
                                          : timing::access_kind::atomic,
                 false, 4, addresses_};
      effect.accesses = {&access_, 1};
    }
    return i + 1 == weight(b) ? run(b, g, out) : block_end::next;
  }

 private:
  [[nodiscard]] std::uint64_t hash(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    return testing::mix_bits(testing::mix_bits(code_->seed ^ (a << 32) ^ b) ^ c);
  }
  const code* code_;
  std::uint32_t threads_;
  std::uint64_t number_ = 0;
  std::vector<std::uint32_t> visits_;
  std::vector<std::uint64_t> addresses_;
  timing::access access_;
};

/// A machine of a few small cores.
inline timing::machine random_machine(testing::rng& r, std::uint32_t warp_width) {
  timing::machine m;
  m.name = "random";
  m.core.cores = static_cast<std::uint32_t>(r.between(1, 3));
  m.core.warp_width = warp_width;
  m.core.max_blocks = static_cast<std::uint32_t>(r.between(1, 3));
  m.core.schedulers = static_cast<std::uint32_t>(r.between(1, 3));
  m.core.scheduler = static_cast<timing::scheduler_kind>(r.below(4));
  m.core.active_warps = static_cast<std::uint32_t>(r.between(1, 4));
  m.core.block_priority = static_cast<timing::block_priority_kind>(r.below(4));
  m.core.scoreboard = static_cast<timing::scoreboard_kind>(r.below(2));
  m.core.operand_read = static_cast<std::uint32_t>(r.below(3));
  m.core.branch_resolve = static_cast<std::uint32_t>(r.below(4));
  for (timing::operation_timing& op : m.operations.of) {
    op.latency = static_cast<std::uint32_t>(r.between(1, 12));
    op.initiation = static_cast<std::uint32_t>(r.between(1, 3));
  }
  for (timing::unit_parameters* u : {&m.units.sp, &m.units.special, &m.units.dp, &m.units.memory}) {
    u->number = static_cast<std::uint32_t>(r.between(1, 2));
    u->lanes = static_cast<std::uint32_t>(r.chance(50) ? 0 : std::max<std::uint32_t>(1, warp_width / 4));
  }
  m.shared.latency = static_cast<std::uint32_t>(r.between(1, 30));
  if (r.chance(70)) {
    m.l1.size = 2048;
    m.l1.line = 128;
    m.l1.ways = 4;
    m.l1.latency = static_cast<std::uint32_t>(r.between(1, 40));
    m.l1.mshrs = static_cast<std::uint32_t>(r.between(1, 8));
    m.l1.merges = static_cast<std::uint32_t>(r.between(1, 4));
  }
  if (r.chance(30)) {
    m.instruction.size = 512;
    m.instruction.line = 64;
    m.instruction.ways = 2;
    m.instruction.mshrs = static_cast<std::uint32_t>(r.between(1, 3));
  }
  m.network.latency = static_cast<std::uint32_t>(r.below(20));
  m.network.mhz = static_cast<std::uint32_t>(r.between(400, 1500));
  m.l2.latency = static_cast<std::uint32_t>(r.between(1, 60));
  m.dram.latency = static_cast<std::uint32_t>(r.below(200));
  return m;
}

}  // namespace random_timing
