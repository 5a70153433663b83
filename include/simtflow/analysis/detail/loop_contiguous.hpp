// SPDX-License-Identifier: BSL-1.0
//
// The loop-contiguous order of the blocks, for priorities and weak topological orders.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The reachable blocks with the blocks of every loop as neighbours: RPO within each loop, an inner loop as one element
// where its header stands. On the way through the RPO the header of a loop comes first: reserve places for all of the
// loop there, the others then take theirs. `next` is workspace.
template <class Shape>
constexpr void list_loop_contiguous(const dense::basic_loop_forest<Shape>& loops, std::vector<block_id>& order,
                                    std::vector<std::uint32_t>& next) {
  const std::span<const block_id> rpo = loops.rpo();
  order.assign(rpo.size(), no_block);
  next.assign(loops.num_loops(), 0);  // by loop: the next free place in it
  std::uint32_t outside = 0;
  for (const block_id b : rpo) {
    const loop_id l = loops.innermost(b);
    if (l != no_loop && loops.header(l) == b) {
      const loop_id up = loops.parent(l);
      std::uint32_t& reserve = up == no_loop ? outside : next[index_of(up)];
      next[index_of(l)] = reserve;
      reserve += static_cast<std::uint32_t>(loops.blocks(l).size());
    }
    std::uint32_t& at = l == no_loop ? outside : next[index_of(l)];
    order[at++] = b;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
