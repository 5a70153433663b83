// SPDX-License-Identifier: BSL-1.0
//
// The facts about a control-flow graph that policies are made from: the analyses' results as plain tables by block. The
// first call that needs a table makes it; later calls reuse it. Policies refer to the tables, so the facts must outlive
// the policies.
//
//   simtflow::policy_facts facts(graph);
//   simtflow::policies::ipdom_stack stack(facts.ipdoms());
//   simtflow::result<simtflow::any_policy> tf = simtflow::make_policy("tf", facts);   // simt/policy_factory.hpp
#pragma once

#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
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

namespace simtflow {
inline namespace v0 {

/// The priority orders of analysis/priorities.hpp.
enum class priority_rule : unsigned char {
  loop_contiguous,    ///< loop_contiguous_order()
  rpo,                ///< reverse_post_order()
  dominance_compact,  ///< dominance_compact_order()
  barrier_aware,      ///< barrier_aware_order()
  exit_distance       ///< exit_distance_order()
};

/// "loop-contiguous", "rpo", "dominance-compact", "barrier-aware", "exit-distance".
[[nodiscard]] constexpr std::string_view to_string(priority_rule rule) {
  switch (rule) {
    case priority_rule::loop_contiguous:
      return "loop-contiguous";
    case priority_rule::rpo:
      return "rpo";
    case priority_rule::dominance_compact:
      return "dominance-compact";
    case priority_rule::barrier_aware:
      return "barrier-aware";
    case priority_rule::exit_distance:
      return "exit-distance";
  }
  return "";
}

/// All of them, in their order.
[[nodiscard]] constexpr std::array<priority_rule, 5> priority_rules() {
  return {priority_rule::loop_contiguous, priority_rule::rpo, priority_rule::dominance_compact,
          priority_rule::barrier_aware, priority_rule::exit_distance};
}

/// The source of likely-convergence points (analysis/convergence.hpp).
enum class likely_source : unsigned char {
  none,    ///< there is none
  loops,   ///< the loops around the branch
  profile  ///< a profile of a run
};

/// "none", "loops", "profile".
[[nodiscard]] constexpr std::string_view to_string(likely_source from) {
  switch (from) {
    case likely_source::none:
      return "none";
    case likely_source::loops:
      return "loops";
    case likely_source::profile:
      return "profile";
  }
  return "";
}

/// The branches that are annotated as uniform.
enum class uniform_source : unsigned char {
  none,      ///< no branch
  jumps,     ///< blocks with one successor only
  analysis,  ///< these, and the branches of set_uniform_branches()
  profile    ///< blocks that all threads left one way in a profile
};

/// "none", "jumps", "analysis", "profile".
[[nodiscard]] constexpr std::string_view to_string(uniform_source from) {
  switch (from) {
    case uniform_source::none:
      return "none";
    case uniform_source::jumps:
      return "jumps";
    case uniform_source::analysis:
      return "analysis";
    case uniform_source::profile:
      return "profile";
  }
  return "";
}

/// The loop headers at which a group of lanes gives way to others.
enum class yield_rule : unsigned char {
  never,  ///< no header
  spins,  ///< headers of loops in which a thread can wait for another thread
  loops   ///< all headers
};

/// "never", "spins", "loops".
[[nodiscard]] constexpr std::string_view to_string(yield_rule rule) {
  switch (rule) {
    case yield_rule::never:
      return "never";
    case yield_rule::spins:
      return "spins";
    case yield_rule::loops:
      return "loops";
  }
  return "";
}

/// Further knowledge of a program, all by block. The spans are copied; empty: nothing of the kind.
struct policy_fact_options {
  /// The functions side by side, with an edge over each call: for post-dominators, loops, structure. This graph may
  /// have one more block, an entry. Null: the graph itself, because no function is called.
  const csr_graph* bodies = nullptr;
  priority_rule order = priority_rule::loop_contiguous;  ///< the priority order of policies that do not name one
  std::span<const unsigned char> barriers = {};          ///< non-zero: holds a barrier
  std::span<const std::uint32_t> weights = {};           ///< instructions
};

/// The tables of one graph. The result of each member function lives as long as the object. Without a graph it is
/// empty. Do not share it between host threads while calls may still make tables.
class policy_facts {
 public:
  /// The facts of no graph.
  policy_facts() = default;
  /// \param graph where threads can go. The graph and options.bodies must outlive the facts.
  /// \param options further inputs; each has a default.
  explicit policy_facts(const csr_graph& graph, const policy_fact_options& options = {});
  explicit policy_facts(const csr_graph&& graph, const policy_fact_options& options = {}) = delete;

  /// True if the program calls functions: the bodies have an entry of their own.
  [[nodiscard]] bool has_calls() const { return graph_ != nullptr && bodies_->num_blocks() != graph_->num_blocks(); }
  /// The priority order of policies that do not name one.
  [[nodiscard]] priority_rule order() const { return order_; }
  /// Sets order() from now on.
  void set_order(priority_rule order) { order_ = order; }
  /// True if order() can lead lanes of a warp past each other at a barrier (analysis/barrier_order.hpp).
  [[nodiscard]] bool may_split_at_barriers() const;

  /// Sets the table in which the run will keep the call depth of each thread (simt/calls.hpp). Empty: no such table.
  void set_depths(std::span<const std::uint32_t> depths) { depths_ = depths; }
  /// The table of set_depths().
  [[nodiscard]] std::span<const std::uint32_t> depths() const { return depths_; }

  /// Sets, by block: non-zero if a thread can see there what another thread did (ptx/machine/other_threads.hpp). Call
  /// it before yield_rule::spins is used. Without it no loop counts as waiting for another thread. \pre at most one
  /// element a block.
  void set_strong_reads(std::vector<unsigned char> reads) { strong_reads_ = std::move(reads); }

  /// Sets, by block: non-zero if all threads that run the block together leave it by one edge, as
  /// analysis/uniformity.hpp proves or an annotation in the text says. For uniform_source::analysis; call it first.
  /// \pre at most one element a block.
  void set_uniform_branches(std::vector<unsigned char> uniform) { uniform_branches_ = std::move(uniform); }

  /// Sets the ways that branches took in a run, for likely_source::profile and uniform_source::profile. Call it first.
  /// \pre a count for every edge and for every block of the graph.
  void set_profile(const edge_profile& run);
  /// The ways that set_profile() set; empty without it. Valid until the next call of it.
  [[nodiscard]] edge_profile profile() const { return {edges_, exits_}; }

  /// The block where a block's branch reconverges: post_dominator_tree::ipdoms().
  [[nodiscard]] std::span<const block_id> ipdoms() const;
  /// The block where the paths of a branch probably join before that. `threshold`: percent of a branch's threads that
  /// may be ignored, for likely_source::profile.
  [[nodiscard]] std::span<const block_id> likely(likely_source from, std::uint64_t threshold = 0) const;
  /// Blocks by priority, the highest first.
  [[nodiscard]] std::span<const block_id> layout(priority_rule order) const;
  /// A block's place in layout(order); 0 is the highest priority.
  [[nodiscard]] std::span<const std::uint32_t> ranks(priority_rule order) const;
  /// A block's place in the text that the graph was made from: its number.
  [[nodiscard]] std::span<const std::uint32_t> text_ranks() const;
  /// The branch target of a warp that cannot look for waiting lanes (policies/conservative_branch.hpp).
  [[nodiscard]] std::span<const block_id> conservative(priority_rule order, frontier_rule rule) const;
  /// Instructions of each block.
  [[nodiscard]] std::span<const std::uint32_t> weights() const { return weights_; }
  /// Non-zero: some branch reconverges here.
  [[nodiscard]] std::span<const unsigned char> reconvergence() const;
  /// Non-zero: no other branch decides whether this block runs.
  [[nodiscard]] std::span<const unsigned char> top_level() const;
  /// Non-zero: the block's branch counts as uniform.
  [[nodiscard]] std::span<const unsigned char> uniform(uniform_source which) const;
  /// A convergence barrier at every immediate post-dominator, and yields.
  [[nodiscard]] const policies::convergence_table& barriers(yield_rule yields) const;
  /// The constructs that each block opens (simt/structured_control.hpp); empty if the code is unstructured or calls
  /// functions.
  [[nodiscard]] std::span<const policies::structured_block> code() const;
  /// Blocks in the thread frontier of each block, by the sound fixpoint, in the order order().
  [[nodiscard]] std::span<const std::uint32_t> frontier_sizes() const;

 private:
  struct priority_tables {
    std::optional<priority_order<csr_graph>> order;
    std::map<frontier_rule, std::vector<block_id>> conservative;
    std::vector<std::uint32_t> frontier_sizes;
  };
  [[nodiscard]] priority_order<csr_graph> make_order(priority_rule order) const;
  priority_tables& tables(priority_rule order) const;

  const csr_graph* graph_ = nullptr;
  const csr_graph* bodies_ = nullptr;
  std::span<const std::uint32_t> depths_;
  priority_rule order_ = priority_rule::loop_contiguous;
  std::vector<unsigned char> has_barrier_, strong_reads_, uniform_branches_;
  std::vector<std::uint32_t> weights_;
  std::optional<post_dominator_tree<csr_graph>> tree_;
  std::vector<std::uint64_t> edges_, exits_;  // of the profile
  mutable std::map<priority_rule, priority_tables> priorities_;
  mutable std::map<std::pair<likely_source, std::uint64_t>, std::vector<block_id>> likely_;
  mutable std::map<uniform_source, std::vector<unsigned char>> uniform_;
  mutable std::map<yield_rule, policies::convergence_table> barriers_;
  mutable std::vector<std::uint32_t> text_ranks_;
  mutable std::vector<unsigned char> reconvergence_, top_level_;
  mutable std::optional<std::vector<policies::structured_block>> code_;
};

}  // namespace v0
}  // namespace simtflow

#include <simtflow/simt/detail/policy_facts_impl.hpp>
