// SPDX-License-Identifier: BSL-1.0
//
// A stack with k entries on chip: its top entries, at most k, are on chip, and the entries below are in memory. A push
// onto a full chip writes the lowest entry on chip to memory. A pop reads the highest entry in memory back at once.
//
// Then the histogram of the depths that pushes and pops reach gives the traffic exactly. Depths that are known only
// once a step give the least traffic: a pop and a push within one step are invisible.
//
// Literature: Fung, Aamodt, Thread Block Compaction, HPCA 2011, section 7 ("the bottom of the stack could potentially
// be spilled to memory", Table 3).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The histogram of the depth of one or more stacks: steps at each depth, pushes to and pops from each depth.
class depth_histogram {
 public:
  /// Notes one step of the stack at `depth` entries; the change since the last step is pushes or pops. Amortized O(1 +
  /// change).
  void step(std::size_t depth) {
    move_to(depth);
    ++steps_[depth];
  }

  /// Pops all entries: the next step begins a new stack. O(depth).
  void end() { move_to(0); }

  /// Adds the counts of another histogram. O(depths).
  void merge(const depth_histogram& other) {
    grow(other.steps_.size());
    for (std::size_t d = 0; d < other.steps_.size(); ++d) {
      steps_[d] += other.steps_[d];
      pushes_[d] += other.pushes_[d];
      pops_[d] += other.pops_[d];
    }
  }

  /// The number of steps by depth, from 0 to the greatest depth; empty before the first step. O(1).
  [[nodiscard]] std::span<const std::uint64_t> steps() const { return steps_; }
  /// The number of pushes by the depth that they reach. O(1).
  [[nodiscard]] std::span<const std::uint64_t> pushes() const { return pushes_; }
  /// The number of pops by the depth that they leave. O(1).
  [[nodiscard]] std::span<const std::uint64_t> pops() const { return pops_; }

 private:
  void grow(std::size_t size) {
    if (size <= steps_.size()) return;
    steps_.resize(size);
    pushes_.resize(size);
    pops_.resize(size);
  }
  void move_to(std::size_t depth) {
    grow(depth + 1);
    while (depth_ < depth) ++pushes_[++depth_];
    while (depth_ > depth) ++pops_[depth_--];
  }

  std::vector<std::uint64_t> steps_;
  std::vector<std::uint64_t> pushes_;
  std::vector<std::uint64_t> pops_;
  std::size_t depth_ = 0;
};

/// Observer: the stacks of all instances of a policy, at each executed block. A policy without depth() has stacks of no
/// entries. O(1) amortized for each executed block.
class stack_depths {
 public:
  /// The stacks begin empty.
  void operator()(const event::started& e) {
    if (stacks_.size() < e.warps) stacks_.resize(e.warps);
  }
  /// Notes the depth of one stack.
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    if (stacks_.size() <= e.warp) stacks_.resize(e.warp + std::size_t{1});
    stacks_[e.warp].step(e.depth);
  }
  /// Empties the stacks.
  void operator()(const event::ended&) {
    for (depth_histogram& s : stacks_) s.end();
  }

  /// The sum over all stacks. O(instances times depths).
  [[nodiscard]] depth_histogram histogram() const {
    depth_histogram sum;
    for (const depth_histogram& s : stacks_) sum.merge(s);
    return sum;
  }

 private:
  std::vector<depth_histogram> stacks_;  // by instance
};

/// The stack's place on chip and the price of one entry's way to memory or back.
struct spill_parameters {
  std::size_t on_chip = 3;           ///< entries on chip
  std::uint64_t entry_bits = 96;     ///< bits of an entry; memory holds whole bytes
  std::uint64_t entry_cycles = 100;  ///< cycles of one entry's way
};

/// The traffic of a stack.
struct stack_spills {
  std::uint64_t steps = 0;            ///< steps in all
  std::uint64_t steps_in_memory = 0;  ///< steps with an entry in memory
  std::uint64_t most_in_memory = 0;   ///< most entries in memory at a time, of one stack
  std::uint64_t spilled = 0;          ///< entries written to memory
  std::uint64_t filled = 0;           ///< entries read back
  std::uint64_t bytes = 0;            ///< bytes written and read
  std::uint64_t cycles = 0;           ///< cycles for all entries' ways, one after another
};

/// The traffic that the stacks of a histogram cause; all zero for an empty histogram. With no entry on chip each push
/// and each pop is one transfer. O(depths).
[[nodiscard]] inline stack_spills spills_of(const depth_histogram& h, const spill_parameters& p) {
  stack_spills s;
  for (std::size_t d = 0; d < h.steps().size(); ++d) {
    s.steps += h.steps()[d];
    if (d <= p.on_chip) continue;
    s.steps_in_memory += h.steps()[d];
    s.spilled += h.pushes()[d];
    s.filled += h.pops()[d];
    if (h.pushes()[d] != 0) s.most_in_memory = d - p.on_chip;
  }
  s.bytes = (s.spilled + s.filled) * ((p.entry_bits + 7) / 8);
  s.cycles = (s.spilled + s.filled) * p.entry_cycles;
  return s;
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
