// SPDX-License-Identifier: BSL-1.0
//
// A dominator tree in the columns of the search that has found it: for each block its parent and its node, for each
// position its block.
#pragma once

#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/config.hpp>

#include <cstddef>

namespace simtflow {
inline namespace v0 {
namespace detail {

struct tree_columns {
  // Three ids that lie side by side, constant ones or not.
  template <class Id>
  struct node_column {
    struct node {
      Id* at;
      constexpr Id& position() const { return at[0]; }  // no_block: unreachable
      constexpr Id& size() const { return at[1]; }      // blocks that it dominates; 0: unreachable
      constexpr Id& depth() const { return at[2]; }
      constexpr void set(block_id position, block_id size, block_id depth) const {
        at[0] = position;
        at[1] = size;
        at[2] = depth;
      }
    };
    Id* first;
    constexpr node operator[](block_id b) const { return {first + 3 * std::size_t{b}}; }
  };

  [[nodiscard]] constexpr node_column<block_id> nodes() { return {search.tree_nodes()}; }
  [[nodiscard]] constexpr auto node(block_id b) { return node_column<block_id>{search.tree_nodes()}[b]; }
  [[nodiscard]] constexpr auto node(block_id b) const { return node_column<const block_id>{search.tree_nodes()}[b]; }
  [[nodiscard]] constexpr block_id& up(block_id b) { return search.tree_parents()[b]; }
  [[nodiscard]] constexpr block_id up(block_id b) const { return search.tree_parents()[b]; }
  [[nodiscard]] constexpr block_id& placed(block_id position) { return search.tree_order()[position]; }
  [[nodiscard]] constexpr block_id placed(block_id position) const { return search.tree_order()[position]; }

  // Block b is unreachable.
  constexpr void forget(block_id b) {
    node(b).set(no_block, 0, 0);
    up(b) = no_block;
  }

  semi_nca<> search;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
