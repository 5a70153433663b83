// SPDX-License-Identifier: BSL-1.0
//
// Maximal convergence: how often each block runs on a machine that always keeps together what belongs together. Two
// visits to a block belong together if they are in the same iteration of every loop around it:
//
//   iteration vector   for each loop around a block, outermost first: how often the thread has executed the loop's
//                      header since it came into the loop (0: it came in by another entry and has not reached the
//                      header yet)
//   header
//   instance           a block and an iteration vector
//   M                  the number of distinct instances among the threads of a warp
//
// M is a property of the paths alone, the same under every policy: an oracle, and a bound for mechanisms that never let
// iterations mix. It is *not* a bound for all mechanisms: threads of different iterations that happen to reach a block
// at the same time can run it together (loop merging). That costs less and is wrong for operations that look at other
// lanes. observers/mixed_iterations.hpp finds mechanisms that do it; optimal_schedule.hpp finds the cost that no
// mechanism can beat.
//
// Literature: the LLVM Project, Convergence and Uniformity (the maximal converged-with relation of dynamic instances);
// for irreducible loops the relation depends on which entry is the header (analysis/loops.hpp).
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Numbers triples in the order in which they are first seen: 0, 1, 2, ... Exact, expected O(1).
template <class Word = std::uint32_t>
class triple_table {
 public:
  constexpr void clear() {
    key_.clear();
    slot_.assign(slot_.size(), none);
  }
  [[nodiscard]] constexpr std::size_t size() const { return key_.size(); }

  constexpr Word number(Word a, Word b, Word c) {
    if (slot_.size() < 2 * (key_.size() + 1)) grow();
    Word& slot = slot_[find({a, b, c})];
    if (slot == none) {
      slot = static_cast<Word>(key_.size());
      key_.push_back({a, b, c});
    }
    return slot;
  }

 private:
  static constexpr Word none = static_cast<Word>(-1);
  struct triple {
    Word a, b, c;
    friend constexpr bool operator==(const triple&, const triple&) = default;
  };

  constexpr std::size_t find(const triple& t) const {
    std::uint64_t x = (std::uint64_t{t.a} << 32 | t.b) * 0x9E37'79B9'7F4A'7C15U + t.c;
    x = (x ^ (x >> 32)) * 0xD6E8'FEB8'6659'FD93U;
    const std::size_t last = slot_.size() - 1;
    std::size_t at = static_cast<std::size_t>(x ^ (x >> 32)) & last;
    while (slot_[at] != none && !(key_[slot_[at]] == t)) at = (at + 1) & last;
    return at;
  }
  constexpr void grow() {
    slot_.assign(slot_.empty() ? 64 : 2 * slot_.size(), none);
    for (std::size_t k = 0; k < key_.size(); ++k) slot_[find(key_[k])] = static_cast<Word>(k);
  }

  std::vector<triple> key_;
  std::vector<Word> slot_;  // a power of two of them, at most half in use
};

// Follows threads from block to block. Iteration vectors are numbered. Two threads of one root at blocks in the same
// loops (at equal blocks, for example) are in the same iteration of every loop around their blocks if and only if
// enter() gave them the same number.
template <class Loops = dense::loop_forest>
class iteration_tracker {
 public:
  constexpr explicit iteration_tracker(const Loops& loops) : loops_(&loops) {
    for (const loop_id l : ids_below<loop_id>(loops.num_loops()))
      if (loops.depth(l) >= stride_) stride_ = loops.depth(l) + 1;
  }

  constexpr void start() {
    vectors_.clear();
    in_.clear();
    at_.clear();
  }

  // The thread executes b next. Returns the number of its iteration vector there. Threads with different roots never
  // agree.
  constexpr std::uint32_t enter(std::size_t thread, block_id b, std::uint32_t root) {
    while (in_.size() <= thread) {
      in_.push_back(no_loop);
      for (std::uint32_t d = 0; d < stride_; ++d) at_.push_back({});
    }
    level* const at = &at_[thread * stride_];
    at[0].vector = vectors_.number(none, none, root);

    const loop_id inner = loops_->innermost(b);
    const loop_id from = in_[thread];
    in_[thread] = inner;
    if (inner == no_loop) return at[0].vector;
    // The loops that the thread comes into, innermost first.
    loop_id l = inner;
    for (; l != no_loop && (from == no_loop || !loops_->is_nested(l, from)); l = loops_->parent(l))
      at[loops_->depth(l)] = {l, 0, 0};
    const std::uint32_t depth = loops_->depth(inner);
    std::uint32_t d = l == no_loop ? 1 : loops_->depth(l) + 1;
    if (loops_->header(inner) == b) {  // a header's innermost loop is its own
      ++at[depth].lap;
      if (d > depth) d = depth;
    }
    for (; d <= depth; ++d) at[d].vector = vectors_.number(at[d - 1].vector, index_of(at[d].loop), at[d].lap);
    return at[depth].vector;
  }

 private:
  static constexpr std::uint32_t none = index_of(no_loop);
  struct level {
    loop_id loop = no_loop;
    std::uint32_t lap = 0, vector = 0;
  };

  const Loops* loops_;
  std::uint32_t stride_ = 1;
  triple_table<> vectors_;   // (outer vector, loop, iteration), or (-, -, root)
  std::vector<loop_id> in_;  // by thread: the innermost loop of its block
  std::vector<level> at_;    // by thread, then depth
};

}  // namespace detail

/// Observer: M of the thread blocks that ran to their end, and how often the observed policy ran instances again.
///
/// Warps are runs of warp_width threads, whatever the policy makes of them, so M is the same for policies that form
/// their own warps. Time: expected O(loop depth) for each lane of each executed block; space: the distinct iteration
/// vectors and instances of one thread block.
class maximal_convergence {
 public:
  /// \pre the program's blocks are the blocks of the forest's graph; the forest outlives the observer.
  template <flow_graph G>
  constexpr explicit maximal_convergence(const loop_forest<G>& loops) : threads_(loops.ids()) {}
  template <flow_graph G>
  explicit maximal_convergence(const loop_forest<G>&&) = delete;

  /// M: the distinct instances.
  [[nodiscard]] constexpr std::uint64_t executions() const { return executions_; }
  /// M with every instance weighted by its block's instructions.
  [[nodiscard]] constexpr std::uint64_t warp_instructions() const { return instructions_; }
  /// Executed blocks with all lanes in instances that other lanes had executed before: blocks that the policy ran again
  /// because it had run them too early for some lanes. Without mixed iterations this is executed blocks minus M.
  [[nodiscard]] constexpr std::uint64_t reexecutions() const { return reexecutions_; }

  /// Begins a thread block. A thread block that does not come to its end is forgotten when the next thread block
  /// starts.
  constexpr void operator()(const event::started& e) {
    width_ = e.warp_width;
    threads_.start();
    instances_.clear();
    new_instructions_ = again_ = 0;
  }
  /// Notes the instance of each lane.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    bool again = true;
    e.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t thread = e.first_thread + lane;
      const std::size_t before = instances_.size();
      instances_.number(threads_.enter(thread, e.block, thread / width_), e.block, 0);
      if (instances_.size() == before) return;
      again = false;
      new_instructions_ += e.weight;
    });
    again_ += again ? 1U : 0U;
  }
  /// Adds the thread block to the results.
  constexpr void operator()(const event::ended&) {
    executions_ += instances_.size();
    instructions_ += new_instructions_;
    reexecutions_ += again_;
  }

 private:
  detail::iteration_tracker<> threads_;
  detail::triple_table<> instances_;
  std::uint32_t width_ = 1;
  std::uint64_t new_instructions_ = 0, again_ = 0;  // of this thread block
  std::uint64_t executions_ = 0, instructions_ = 0, reexecutions_ = 0;
};

}  // namespace v0
}  // namespace simtflow
