// SPDX-License-Identifier: BSL-1.0
//
// The convergent blocks and the divergent branches, as callers of transforms name them: predicates over vertices, made
// tables by dense id.
#pragma once

#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// For calls without a predicate.
struct nothing_convergent {
  template <class V>
  constexpr bool operator()(const V&) const {
    return false;
  }
};

// For calls without that one.
struct everything_divergent {
  template <class V>
  constexpr bool operator()(const V&) const {
    return true;
  }
};

// One entry a block; empty if there is no predicate.
template <class G, class Predicate>
constexpr std::vector<unsigned char> block_table(const G& g, Predicate& predicate) {
  std::vector<unsigned char> table;
  if constexpr (!std::is_same_v<Predicate, nothing_convergent> && !std::is_same_v<Predicate, everything_divergent>) {
    const auto blocks = static_cast<std::size_t>(graph_traits<G>::num_vertices(g));
    table.assign(blocks, 0);
    for (std::size_t b = 0; b < blocks; ++b) table[b] = predicate(graph_traits<G>::vertex_at(g, b)) ? 1 : 0;
  }
  return table;
}
// Ascending, each once.
constexpr std::vector<block_id> each_once(std::span<const block_id> list) {
  std::vector<block_id> out(list.begin(), list.end());
  sort_ascending(out);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (i == 0 || out[i] != out[kept - 1]) out[kept++] = out[i];
  out.resize(kept);
  return out;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
