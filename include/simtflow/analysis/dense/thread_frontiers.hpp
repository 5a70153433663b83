// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers in dense ids. analysis/thread_frontiers.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/dense/frontier_rules.hpp>
#include <simtflow/analysis/dense/priority_order.hpp>
#include <simtflow/analysis/detail/frontier_fixpoint.hpp>
#include <simtflow/analysis/detail/frontier_table.hpp>
#include <simtflow/analysis/detail/one_pass_frontiers.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace dense {

/// The frontiers of all blocks, with dense ids in and out. A question about a block that the graph does not have is a
/// contract violation. Every question is O(1) unless it says otherwise; const questions never write.
template <class Shape = csr_graph>
class basic_frontier_sets {
 public:
  /// The representation of sets of blocks while they grow: a word each up to `word` listed blocks (at most 64), a row
  /// of bits each up to `rows` listed blocks (here 2 MiB in all), above that as many chunks of 64 bits as are not
  /// empty.
  struct limits {
    std::uint32_t word = 64;    ///< most blocks for words
    std::uint32_t rows = 4096;  ///< most blocks for rows
  };

  /// Computes the frontiers of g by a rule and reuses every buffer. The limits have no effect on the result.
  /// \pre and complexity: as for simtflow::frontier_sets.
  constexpr void recompute(const Shape& g, const priority_order& order, std::span<const unsigned char> uniform,
                           frontier_rule rule = frontier_rule::fixpoint, limits limit = {}) {
    const std::size_t n = g.num_blocks(), listed = order.order().size();
    SIMTFLOW_EXPECTS(order.num_blocks() == n, "the order is of this graph");
    SIMTFLOW_EXPECTS(n == 0 || order.rank(g.entry()) < listed, "the order lists the entry");
    SIMTFLOW_EXPECTS(uniform.empty() || uniform.size() == n, "one uniformity flag per block, or none");
    table_.start(g, order);
    table_.begin_frontiers();
    if (rule != frontier_rule::fixpoint) {
      detail::sweep_once(table_, workspace_.both, uniform, rule);
    } else if (listed != 0) {
      detail::frontier_fixpoint<Shape> fixpoint(g, table_, workspace_, uniform);
      if (listed <= limit.word)
        fixpoint.solve_in_words();
      else if (listed <= limit.rows)
        fixpoint.solve_in_rows();
      else
        fixpoint.solve_in_chunks();
    }
    table_.finish_frontiers();
    table_.order = {};
  }

  /// Computes only the statistics of a one-pass rule, without frontiers; other questions may not be asked afterwards.
  /// \pre `rule` is not the fixpoint; otherwise as recompute(). Linear in time and memory.
  constexpr frontier_statistics count(const Shape& g, const priority_order& order,
                                      std::span<const unsigned char> uniform, frontier_rule rule, block_id sentinel) {
    table_.start(g, order);
    const frontier_statistics s = detail::count_once(table_, uniform, rule, sentinel);
    table_.order = {};
    return s;
  }

  /// The number of blocks of the graph.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return table_.rank.size(); }
  /// The frontier of b, highest priority first; empty for unreachable b.
  [[nodiscard]] constexpr std::span<const block_id> of(block_id b) const {
    const std::uint32_t r = table_.rank[checked(b)];
    return std::span<const block_id>(table_.members.data() + table_.begin[r], table_.begin[r + 1] - table_.begin[r]);
  }
  /// The number of blocks in the frontier of b.
  [[nodiscard]] constexpr std::size_t size(block_id b) const {
    const std::uint32_t r = table_.rank[checked(b)];
    return table_.begin[r + 1] - table_.begin[r];
  }
  /// True if x is in the frontier of b. O(log size).
  [[nodiscard]] constexpr bool contains(block_id b, block_id x) const {
    const std::span<const block_id> f = of(b);
    const std::uint32_t rank = table_.rank[checked(x)];
    const std::size_t at = detail::first_without(0, f.size(), [&](std::size_t i) { return table_.rank[f[i]] < rank; });
    return at < f.size() && f[at] == x;
  }
  /// The block of highest priority among the successors and the frontier of b; no_block if there is none.
  [[nodiscard]] constexpr block_id conservative_target(block_id b) const {
    return table_.jump[table_.rank[checked(b)]];
  }
  /// The size of the largest frontier.
  [[nodiscard]] constexpr std::size_t max_size() const { return table_.max_size; }
  /// The sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const {
    return table_.rank.empty() ? 0 : table_.begin[table_.rank.size()];
  }
  /// The number of blocks that were considered (fixpoint: reachable; other rules: listed).
  [[nodiscard]] constexpr std::size_t num_considered() const { return table_.num_considered; }
  /// The edges with a target in the frontier of their source, in priority order of the sources.
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const { return table_.check_edges; }
  /// The distinct targets of the check edges, highest priority first.
  [[nodiscard]] constexpr std::span<const block_id> join_blocks() const {
    return std::span<const block_id>(table_.joins);
  }

  /// The figures for a report, without a block that stands for the end of the program. \pre `sentinel` has no
  /// successors (so no check edge leaves it), or is no_block: there is no such block. O(blocks) at worst.
  [[nodiscard]] constexpr frontier_statistics statistics(block_id sentinel) const {
    frontier_statistics s{table_.num_considered, 0, table_.max_size, table_.check_edges.size(), table_.joins.size()};
    std::size_t total = total_size();
    const std::uint32_t rank = sentinel == no_block ? no_number : table_.rank[checked(sentinel)];
    if (rank != no_number && rank / 64 < table_.met.size() &&
        detail::has_rank(table_.met, rank)) {  // table_.met ends with the listed blocks
      --s.blocks;
      total -= size(sentinel);
      if (size(sentinel) == table_.max_size) {
        s.max_size = 0;
        for (block_id b = 0; b < table_.rank.size(); ++b)
          if (b != sentinel && size(b) > s.max_size) s.max_size = size(b);
      }
    }
    if (s.blocks != 0) s.average_size = static_cast<double>(total) / static_cast<double>(s.blocks);
    return s;
  }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < table_.rank.size(), "a question about a block that is not in the graph of this result");
    return b;
  }

  detail::frontier_table<Shape> table_;
  detail::frontier_workspace workspace_;
};

/// Over a csr_graph.
using frontier_sets = basic_frontier_sets<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
