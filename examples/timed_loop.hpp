// SPDX-License-Identifier: BSL-1.0
//
// Shared by the course programs about time: a loop as a program for the cycle model.
//
//   for (i = 0; i < iterations; ++i)       block 0: branch
//     if (wants(thread, i)) slow();        block 1: load, arithmetic that needs it, jump
//     else fast();                         block 2: the same, from other addresses
//                                          block 3: count, branch back or exit
//
// Every thread reads its own words. Lanes next to each other read words next to each other.
#pragma once

#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/program.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// [program]
template <class Mask>
class timed_loop {
 public:
  struct shape {
    std::uint32_t threads = 32;     // of a thread block
    std::uint32_t iterations = 16;  // of each thread
    std::uint32_t arithmetic = 6;   // multiply-adds of an arm, in a chain
    std::function<bool(std::uint32_t thread, std::uint32_t iteration)> wants;
  };
  static constexpr simtflow::block_id ipdom[] = {3, 3, 3, simtflow::no_block};

  explicit timed_loop(const shape& s) : shape_(s), iteration_(s.threads, 0) {}
  void select_block_number(std::uint64_t n) { number_ = n; }
  void begin(const simtflow::launch&) { iteration_.assign(shape_.threads, 0); }

  std::uint32_t weight(simtflow::block_id b) const { return b == 0 ? 1 : b == 3 ? 2 : shape_.arithmetic + 2; }
  const simtflow::timing::instruction& instruction_at(simtflow::block_id b, std::uint32_t i) const {
    if (i + 1 == weight(b)) return jump;
    return b == 3 ? count : i == 0 ? load : multiply_add;
  }
  std::span<const std::uint32_t> registers() const { return register_list; }

  // The last instruction of a block says where each lane goes.
  simtflow::block_end run(simtflow::block_id b, const simtflow::basic_group<Mask>& g,
                          simtflow::basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = g.first_thread + lane;
      simtflow::block_id to = 3;
      if (b == 0) to = shape_.wants(t, iteration_[t]) ? 1 : 2;
      if (b == 3) to = ++iteration_[t] < shape_.iterations ? 0 : simtflow::no_block;
      out.go(to, Mask::lane(lane));
    });
    return simtflow::block_end::next;
  }
  simtflow::block_end issue(simtflow::block_id b, std::uint32_t i, const simtflow::basic_group<Mask>& g,
                            simtflow::basic_partition<Mask>& out, simtflow::timing::issue_effect<Mask>& effect) {
    if (i + 1 == weight(b)) return run(b, g, out);
    if (b == 3 || i != 0) return simtflow::block_end::next;
    addresses_.clear();
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint64_t t = number_ * shape_.threads + g.first_thread + lane;
      const std::uint64_t row = std::uint64_t{iteration_[g.first_thread + lane]} * 2 + b;
      addresses_.push_back((row << 24) + 4 * t);
    });
    access_.addresses = addresses_;
    effect.accesses = std::span<const simtflow::timing::access>(&access_, 1);
    return simtflow::block_end::next;
  }

 private:
  using kind = simtflow::timing::instruction_class;
  using space = simtflow::timing::address_space;
  // Register 0 is the data, register 1 the counter. An instruction reads, then writes.
  static constexpr std::uint32_t register_list[] = {0, 0, 1, 1};
  static constexpr simtflow::timing::instruction jump{kind::control, space::none, 0, 0, 0};
  static constexpr simtflow::timing::instruction load{kind::load, space::global, 0, 1, 0};
  static constexpr simtflow::timing::instruction multiply_add{kind::fp_mad, space::none, 1, 1, 0};
  static constexpr simtflow::timing::instruction count{kind::int_add, space::none, 1, 1, 2};

  shape shape_;
  std::uint64_t number_ = 0;
  std::vector<std::uint32_t> iteration_;  // by thread
  std::vector<std::uint64_t> addresses_;
  simtflow::timing::access access_;
};
// [/program]
