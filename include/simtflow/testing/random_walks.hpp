// SPDX-License-Identifier: BSL-1.0
//
// Threads that walk through a graph.
//
//   A walk is a pure function of (seed, thread, block, visit): how threads are scheduled cannot change where they go,
//   so a thread's path under any machine must equal its path alone.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// How random_walks go.
struct walk_options {
  std::uint64_t seed = 1;     ///< another seed, other walks
  unsigned patience = 6;      ///< visits to a block by one thread after which it heads for an exit
  bool avoid_endless = true;  ///< never enters blocks from which no exit can be reached, if there is a choice
};

/// The ways of threads: a pure function of (seed, thread, block, visit). A block that may be left (is_exit) and has
/// successors counts the exit as one more choice.
///
/// Every walk ends if the entry reaches an exit and avoid_endless is set; the graph is not kept, its shape is.
/// `uniform` (by block, may be shorter than the graph) names blocks where the thread's number plays no part.
class random_walks {
 public:
  /// O(blocks + edges).
  constexpr explicit random_walks(const csr_graph& g, const walk_options& options = {},
                                  std::span<const unsigned char> uniform = {})
      : graph_(g), options_(options) {
    const std::size_t n = g.num_blocks();
    uniform_.assign(n, 0);
    for (std::size_t b = 0; b < n && b < uniform.size(); ++b) uniform_[b] = uniform[b];
    way_out_.assign(n, no_block);
    std::vector<block_id> queue;  // breadth first, from the exits backwards
    for (block_id b = 0; b < n; ++b)
      if (g.is_exit(b)) {
        way_out_[b] = leave;
        queue.push_back(b);
      }
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const block_id p : g.predecessors(queue[i]))
        if (way_out_[p] == no_block) {
          way_out_[p] = queue[i];
          queue.push_back(p);
        }
  }

  /// The block that `thread` enters after its visit-th visit (0 = first) to b; no_block if it ends.
  [[nodiscard]] constexpr block_id next(std::uint64_t thread, block_id b, std::uint64_t visit) const {
    const std::span<const block_id> out = graph_.successors(b);
    if (out.empty()) return no_block;
    if (visit >= options_.patience && way_out_[b] != no_block) return way_out_[b] == leave ? no_block : way_out_[b];
    std::size_t good = 0;
    for (const block_id s : out) good += allowed(b, s) ? 1U : 0U;
    const std::size_t choices = good + (graph_.is_exit(b) ? 1U : 0U);
    const std::uint64_t who = uniform_[b] ? 0 : thread + 1;
    std::uint64_t hash = mix_bits(options_.seed + 0x9E37'79B9'7F4A'7C15U);
    hash = mix_bits(hash ^ who);
    hash = mix_bits(hash + b);
    hash = mix_bits(hash ^ visit);
    std::size_t pick = static_cast<std::size_t>(hash % choices);
    for (const block_id s : out)
      if (allowed(b, s) && pick-- == 0) return s;
    return no_block;
  }

  /// The blocks of one thread alone, from the entry, at most max_steps of them.
  [[nodiscard]] constexpr std::vector<block_id> path(std::uint64_t thread, std::size_t max_steps = 100'000) const {
    std::vector<block_id> blocks;
    std::vector<std::uint32_t> visits;
    visits.assign(graph_.num_blocks(), 0);
    block_id b = graph_.entry();
    while (b != no_block && blocks.size() < max_steps) {
      blocks.push_back(b);
      b = next(thread, b, visits[b]++);
    }
    return blocks;
  }

  [[nodiscard]] constexpr const csr_graph& graph() const { return graph_; }  ///< the copy that is kept

 private:
  static constexpr block_id leave = no_block - 1;  // way_out_: threads end here

  constexpr bool allowed(block_id from, block_id to) const {
    return !options_.avoid_endless || way_out_[from] == no_block || way_out_[to] != no_block;
  }

  csr_graph graph_;
  walk_options options_;
  std::vector<unsigned char> uniform_;
  std::vector<block_id> way_out_;  // the next block on a shortest way to an exit, `leave`, or no_block
};

/// Walks as a program for an executor: a callable (thread, block) -> block that counts each thread's visits itself.
/// Make a new one (or copy an unused one) for every run.
class walking_threads {
 public:
  /// Every thread has visited nothing. O(threads times blocks).
  constexpr walking_threads(const random_walks& walks, std::size_t num_threads)
      : walks_(walks), blocks_(walks.graph().num_blocks()) {
    visits_.assign(num_threads * blocks_, 0);
  }

  /// \pre thread < num_threads.
  constexpr block_id operator()(std::size_t thread, block_id b) {
    SIMTFLOW_EXPECTS(thread * blocks_ + b < visits_.size(), "walking_threads: no such thread");
    return walks_.next(thread, b, visits_[thread * blocks_ + b]++);
  }

  /// For limits::detect_livelock: every call counts a visit, and numbers of visits never come back.
  static constexpr void remember() {}
  [[nodiscard]] static constexpr bool as_remembered() { return false; }  ///< false, always

 private:
  random_walks walks_;
  std::size_t blocks_;
  std::vector<std::uint32_t> visits_;
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
