// SPDX-License-Identifier: BSL-1.0
//
// A total order of the blocks in dense ids. analysis/priority_order.hpp tells what it is for.
#pragma once

#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace dense {

/// A priority for every block: rank 0 is the highest. The listed blocks come first, all others follow by ascending id.
template <class Shape = csr_graph>
class basic_priority_order {
 public:
  /// Takes an order of the blocks 0 .. num_blocks - 1 and reuses every buffer.
  /// \pre `listed`: distinct blocks below num_blocks, the highest priority first. O(num_blocks).
  constexpr void recompute(std::size_t num_blocks, std::span<const block_id> listed) {
    order_.assign(listed.begin(), listed.end());
    rank_.assign(num_blocks, no_number);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      SIMTFLOW_EXPECTS(order_[i] < num_blocks && rank_[order_[i]] == no_number,
                       "an order lists blocks of the graph, each once");
      rank_[order_[i]] = static_cast<std::uint32_t>(i);
    }
    std::uint32_t next = static_cast<std::uint32_t>(order_.size());
    if (next == num_blocks) return;
    for (std::uint32_t& r : rank_)
      if (r == no_number) r = next++;
  }

  /// The number of blocks, listed or not. O(1).
  [[nodiscard]] constexpr std::size_t num_blocks() const { return rank_.size(); }
  /// The listed blocks, highest priority first. O(1).
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  /// The ranks by block: a permutation of 0 .. num_blocks() - 1. O(1).
  [[nodiscard]] constexpr std::span<const std::uint32_t> ranks() const { return std::span<const std::uint32_t>(rank_); }
  /// The rank of b. O(1). \pre b < num_blocks().
  [[nodiscard]] constexpr std::uint32_t rank(block_id b) const {
    SIMTFLOW_EXPECTS(b < rank_.size(), "the rank of a block that is not in the graph of this order");
    return rank_[b];
  }

 private:
  std::vector<block_id> order_;
  std::vector<std::uint32_t> rank_;
};

/// Over a csr_graph.
using priority_order = basic_priority_order<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
