// SPDX-License-Identifier: BSL-1.0
//
// What policies need to know about a control-flow graph: the analyses' results as plain tables by block. Each is made
// when it is first asked for and kept.
#pragma once

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

/// The priority orders of analysis/priorities.hpp.
enum class order_choice : unsigned char { loop_contiguous, rpo, dominance_compact, barrier_aware, exit_distance };

/// The name that --order takes.
[[nodiscard]] std::string_view to_string(order_choice order);
/// All of them.
[[nodiscard]] constexpr std::array<order_choice, 5> order_choices() {
  return {order_choice::loop_contiguous, order_choice::rpo, order_choice::dominance_compact,
          order_choice::barrier_aware, order_choice::exit_distance};
}

/// \param barriers by block, non-zero: holds a barrier; for order_choice::barrier_aware.
[[nodiscard]] const simtflow::priority_order<simtflow::csr_graph>& priorities(
    simtflow::priority_maker<simtflow::csr_graph>& maker, const simtflow::csr_graph& graph, order_choice order,
    std::span<const unsigned char> barriers);

/// How often threads went along each edge: an observer. O(lanes * successors) for each executed block.
class edge_counter {
 public:
  explicit edge_counter(const simtflow::csr_graph& graph);

  /// By edge id; and by block, threads that ended there.
  [[nodiscard]] const std::vector<std::uint64_t>& edges() const { return edges_; }
  [[nodiscard]] const std::vector<std::uint64_t>& exits() const { return exits_; }
  /// What was counted elsewhere. \pre on the same graph.
  void add(const edge_counter& other);

  /// The events it takes.
  void operator()(const simtflow::event::started& e) { last_.assign(e.threads, simtflow::no_block); }
  template <class Mask>
  void operator()(const simtflow::event::issued<Mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) { visit(e.first_thread + lane, e.block); });
  }
  void operator()(const simtflow::event::ended&);

 private:
  void visit(std::uint32_t thread, simtflow::block_id b);
  const simtflow::csr_graph* graph_;
  std::vector<std::uint64_t> edges_, exits_;
  std::vector<simtflow::block_id> last_;  // by thread
};

/// Where a likely-convergence point of a branch comes from: nowhere, the loops around it, a profile of a run.
enum class likely_choice : unsigned char { none, loops, profile };
/// Which branches are annotated as uniform: none, blocks with one successor only, all that were so in the profile.
enum class uniform_choice : unsigned char { none, jumps, profile };
/// The loop headers at which a group gives way to others: none; the headers of loops in which a thread can wait for
/// another one; all.
enum class yield_choice : unsigned char { never, spins, loops };

/// The tables of one graph and one machine. All that is returned lives as long as the schedule, and policies refer to
/// it. One of no graph has empty tables.
class schedule {
 public:
  schedule() = default;
  /// \param graph   where threads can go; for priorities and frontiers.
  /// \param bodies  functions side by side, a call being an edge over it; for post-dominators, loops, structure. The same
  ///                where nothing is called. It may have one block more, an entry.
  /// Both graphs must outlive the schedule. \param barriers, weights by block.
  schedule(const simtflow::csr_graph& graph, const simtflow::csr_graph& bodies, order_choice order,
           std::span<const unsigned char> barriers, std::span<const std::uint32_t> weights, std::uint32_t warp_width);

  [[nodiscard]] std::uint32_t warp_width() const { return warp_width_; }
  /// The priority order asked for where a policy does not say another.
  [[nodiscard]] order_choice order() const { return order_; }
  /// Another one from here on.
  void set_order(order_choice order) { order_ = order; }
  /// Whether that order can lead lanes of a warp past each other at a barrier (analysis/barrier_order.hpp).
  [[nodiscard]] bool may_split_at_barriers() const;

  /// Where the run will keep the call depth of each thread. Empty: it does not.
  void set_depths(std::span<const std::uint32_t> depths) { depths_ = depths; }
  [[nodiscard]] std::span<const std::uint32_t> depths() const { return depths_; }

  /// By block: non-zero if a thread can see there what another one did (ptx/machine/other_threads.hpp). Call it before
  /// yield_choice::spins is used. Without it no loop waits for another thread. \pre no more elements than blocks.
  void set_strong_reads(std::vector<unsigned char> reads) { strong_reads_ = std::move(reads); }

  /// What the branches of a run did, for likely_choice::profile and uniform_choice::profile. Call it before those.
  void set_profile(const edge_counter& run);

  /// Where a block's branch reconverges.
  [[nodiscard]] std::span<const simtflow::block_id> ipdoms() const;
  /// Where its paths probably meet before that. `threshold`: percent of a branch's threads that may be ignored.
  [[nodiscard]] std::span<const simtflow::block_id> likely(likely_choice from, std::uint64_t threshold) const;
  /// Blocks by priority, and a block's place among them, 0 the highest.
  [[nodiscard]] std::span<const simtflow::block_id> layout(order_choice order) const;
  [[nodiscard]] std::span<const std::uint32_t> ranks(order_choice order) const;
  /// A block's place in the text that the graph was made from: its number.
  [[nodiscard]] std::span<const std::uint32_t> text_ranks() const;
  /// Where a warp that cannot look for lanes branches to.
  [[nodiscard]] std::span<const simtflow::block_id> conservative(order_choice order,
                                                                 simtflow::frontier_rule rule) const;
  [[nodiscard]] std::span<const std::uint32_t> weights() const { return weights_; }
  /// Non-zero: some branch reconverges here.
  [[nodiscard]] std::span<const unsigned char> reconvergence() const;
  /// Non-zero: no other branch decides whether this block runs.
  [[nodiscard]] std::span<const unsigned char> top_level() const;
  [[nodiscard]] std::span<const unsigned char> uniform(uniform_choice which) const;
  /// A convergence barrier at every immediate post-dominator, and yields.
  [[nodiscard]] const simtflow::policies::convergence_table& barriers(yield_choice yields) const;
  /// What each block opens; empty if the code is unstructured.
  [[nodiscard]] std::span<const simtflow::policies::structured_block> code() const;
  /// Blocks in the thread frontier of each block, by the sound fixpoint.
  [[nodiscard]] std::span<const std::uint32_t> frontier_sizes() const;

 private:
  struct priority_tables {
    std::vector<simtflow::block_id> layout;
    std::vector<std::uint32_t> ranks;
    std::map<simtflow::frontier_rule, std::vector<simtflow::block_id>> conservative;
    std::vector<std::uint32_t> frontier_sizes;
  };
  priority_tables& tables(order_choice order) const;

  const simtflow::csr_graph* graph_ = nullptr;
  const simtflow::csr_graph* bodies_ = nullptr;
  std::span<const std::uint32_t> depths_;
  order_choice order_ = order_choice::loop_contiguous;
  std::vector<unsigned char> has_barrier_, strong_reads_;
  std::vector<std::uint32_t> weights_;
  std::uint32_t warp_width_ = 32;
  std::optional<simtflow::post_dominator_tree<simtflow::csr_graph>> tree_;
  std::vector<std::uint64_t> edges_, exits_;  // of the profile
  mutable std::map<order_choice, priority_tables> priorities_;
  mutable std::map<std::pair<likely_choice, std::uint64_t>, std::vector<simtflow::block_id>> likely_;
  mutable std::map<uniform_choice, std::vector<unsigned char>> uniform_;
  mutable std::map<yield_choice, simtflow::policies::convergence_table> barriers_;
  mutable std::vector<std::uint32_t> text_ranks_;
  mutable std::vector<unsigned char> reconvergence_, top_level_;
  mutable std::optional<std::vector<simtflow::policies::structured_block>> code_;
};

}  // namespace lab
