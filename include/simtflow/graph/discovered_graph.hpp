// SPDX-License-Identifier: BSL-1.0
//
// Numbers for blocks that have none: starting at an entry (a pointer, a handle), everything a successor callable leads
// to is found once and numbered. The result is a graph by itself; the callable is not kept.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// A total order on handles: `<=>` as compare_three_way has it (total for pointers), else `<`.
template <class V>
concept ordered_handle = std::three_way_comparable<V> || requires(const V& a, const V& b) {
  { a < b } -> std::convertible_to<bool>;
};

struct handle_less {
  template <class V>
  constexpr bool operator()(const V& a, const V& b) const {
    if constexpr (std::three_way_comparable<V>)
      return std::compare_three_way{}(a, b) < 0;
    else
      return a < b;
  }
};

// Finds handles by binary search while they come in. Keeps sorted runs with different powers of two as lengths, like
// the digits of a binary counter: a new handle is a run of one, and runs of equal length are merged. An element is
// merged O(log V) times; a search looks into O(log V) runs.
template <class V>
class handle_index {
 public:
  [[nodiscard]] const std::vector<V>& handles() const { return handles_; }  // in order of insertion

  [[nodiscard]] block_id find(const V& v) const {
    std::size_t end = sorted_.size();
    for (std::size_t run = run_begin_.size(); run-- > 0;) {
      const std::size_t low =
          first_without(run_begin_[run], end, [&](std::size_t i) { return handle_less{}(handles_[sorted_[i]], v); });
      if (low < end && handles_[sorted_[low]] == v) return sorted_[low];
      end = run_begin_[run];
    }
    return no_block;
  }

  // \pre find(v) == no_block
  block_id insert(const V& v) {
    const block_id number = static_cast<block_id>(handles_.size());
    handles_.push_back(v);
    run_begin_.push_back(sorted_.size());
    sorted_.push_back(number);
    while (run_begin_.size() > 1 &&
           sorted_.size() - run_begin_.back() == run_begin_.back() - run_begin_[run_begin_.size() - 2])
      merge_last_runs();
    return number;
  }

  // All numbers in the order of their handles.
  [[nodiscard]] const std::vector<block_id>& sorted() {
    while (run_begin_.size() > 1) merge_last_runs();
    return sorted_;
  }

 private:
  void merge_last_runs() {
    const std::size_t middle = run_begin_.back();
    run_begin_.pop_back();
    const std::size_t begin = run_begin_.back(), end = sorted_.size();
    merged_.clear();
    for (std::size_t a = begin, b = middle; a < middle || b < end;) {
      const bool right = a == middle || (b < end && handle_less{}(handles_[sorted_[b]], handles_[sorted_[a]]));
      merged_.push_back(sorted_[right ? b++ : a++]);
    }
    for (std::size_t i = 0; i < merged_.size(); ++i) sorted_[begin + i] = merged_[i];
  }

  std::vector<V> handles_;
  std::vector<block_id> sorted_, merged_;
  std::vector<std::size_t> run_begin_;
};

template <class V, class F>
using successor_of = range_value_of<std::remove_cvref_t<std::invoke_result_t<F&, const V&>>>;

}  // namespace detail

/// The graph of everything that `successors` leads to from `entry`:
///
///   discovered_graph g(&function.front(), [](const block* b) -> auto& { return b->successors; });
///
/// Vertices are handles V: cheap to copy, with == and an order (`<=>` or `<`; std::hash is not needed). Blocks are
/// numbered in reverse post-order of a depth-first search that takes successors in their order, so the entry is block 0
/// and the ids of an acyclic graph are a topological order. The order of handles in memory has no influence on the
/// numbers. There are no unreachable blocks. Parallel edges and self loops are kept.
/// Complexity: O((V + E) log^2 V) to make, in comparisons of handles, index() is O(log V). No recursion.
template <class V>
class discovered_graph {
  static_assert(std::copyable<V> && std::equality_comparable<V> && detail::ordered_handle<V>,
                "simtflow: discovered_graph needs handles with == and an order (<=> or <)");

 public:
  /// \pre successors(v) returns a range of V (or of what converts to V), the same one each time.
  template <class F>
  discovered_graph(V entry, F successors) {
    discover(entry, successors, [](const V&) { return false; });
  }

  /// Also tells where threads may end although there are successors.
  template <class F, class E>
  discovered_graph(V entry, F successors, E is_exit) {
    discover(entry, successors, is_exit);
  }

  [[nodiscard]] std::size_t num_blocks() const { return vertices_.size(); }  ///< at least 1: the entry
  [[nodiscard]] const V& entry() const { return vertices_.front(); }         ///< the vertex of block 0

  /// The handle of block b. \pre b < num_blocks(). O(1).
  [[nodiscard]] const V& vertex(block_id b) const {
    SIMTFLOW_EXPECTS(b < vertices_.size(), "vertex of a block that is not in the graph");
    return vertices_[b];
  }

  /// The number of v; no_block if v was not discovered. O(log V).
  [[nodiscard]] block_id find(const V& v) const {
    const std::size_t low = detail::first_without(
        0, by_vertex_.size(), [&](std::size_t i) { return detail::handle_less{}(vertices_[by_vertex_[i]], v); });
    return low < by_vertex_.size() && vertices_[by_vertex_[low]] == v ? by_vertex_[low] : no_block;
  }

  /// The number of v. \pre v was discovered.
  [[nodiscard]] block_id index(const V& v) const {
    const block_id b = find(v);
    SIMTFLOW_EXPECTS(b != no_block, "index of a vertex that the entry does not reach");
    return b;
  }

  /// The successors of v in slot order. \pre v was discovered.
  [[nodiscard]] std::span<const V> successors(const V& v) const {
    const block_id b = index(v);
    return std::span<const V>(targets_).subspan(shape_.first_edge(b), shape_.successors(b).size());
  }

  /// The graph by numbers; a snapshot costs a copy of this. O(1).
  [[nodiscard]] const csr_graph& shape() const { return shape_; }

 private:
  template <class F, class E>
  void discover(const V& entry, F& successors, E&& is_exit) {
    // Handles get preliminary numbers in order of discovery; the final ones are known when the search is over.
    detail::handle_index<V> number;
    std::vector<std::vector<block_id>> out;  // by preliminary number
    std::vector<block_id> finished;          // post-order
    struct frame {
      block_id block;
      std::size_t slot;
      std::vector<V> successors;  // asked for once per block
    };
    std::vector<frame> path;
    const auto enter = [&](const V& v) {
      const block_id b = number.insert(v);
      SIMTFLOW_EXPECTS(b + 1 < no_block, "a graph has fewer than 2^32 - 1 blocks");
      out.emplace_back();
      frame next{b, 0, {}};
      auto&& range = successors(v);
      for (auto&& s : range) next.successors.push_back(static_cast<V>(s));
      path.push_back(std::move(next));
    };
    enter(entry);
    while (!path.empty()) {
      frame& top = path.back();
      if (top.slot == top.successors.size()) {
        finished.push_back(top.block);
        path.pop_back();
        continue;
      }
      const V v = top.successors[top.slot++];
      const block_id known = number.find(v);
      out[top.block].push_back(known != no_block ? known : static_cast<block_id>(out.size()));
      if (known == no_block) enter(v);
    }

    const std::vector<V>& found = number.handles();
    const std::size_t n = found.size();
    std::vector<block_id> final_number(n, 0);
    vertices_.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      final_number[finished[n - 1 - i]] = static_cast<block_id>(i);
      vertices_.push_back(found[finished[n - 1 - i]]);
    }
    csr_builder builder(n);
    for (std::size_t i = 0; i < n; ++i) {
      const block_id preliminary = finished[n - 1 - i];
      if (is_exit(static_cast<const V&>(vertices_[i]))) builder.mark_exit(static_cast<block_id>(i));
      for (const block_id to : out[preliminary]) {
        builder.add_edge(static_cast<block_id>(i), final_number[to]);
        targets_.push_back(found[to]);
      }
    }
    shape_ = builder.build();
    by_vertex_.reserve(n);
    for (const block_id preliminary : number.sorted()) by_vertex_.push_back(final_number[preliminary]);
  }

  csr_graph shape_;
  std::vector<V> vertices_;          // by block
  std::vector<V> targets_;           // by edge
  std::vector<block_id> by_vertex_;  // blocks in the order of their handles
};

/// The vertex type is what the callable yields: `const block*` even if the entry is a `block*`.
template <class V, class F>
discovered_graph(V, F) -> discovered_graph<detail::successor_of<V, F>>;
/// The same with a predicate for exits.
template <class V, class F, class E>
discovered_graph(V, F, E) -> discovered_graph<detail::successor_of<V, F>>;

/// A discovered_graph is a flow_graph over its handles. index, successors and is_exit are O(log V), the others O(1).
template <class V>
struct graph_traits<discovered_graph<V>> {
  /// @{
  /// As flow_graph asks.
  using vertex = V;
  static std::size_t num_vertices(const discovered_graph<V>& g) { return g.num_blocks(); }
  static std::size_t index(const discovered_graph<V>& g, const V& v) { return g.index(v); }
  static vertex vertex_at(const discovered_graph<V>& g, std::size_t i) { return g.vertex(static_cast<block_id>(i)); }
  static vertex entry(const discovered_graph<V>& g) { return g.entry(); }
  static std::span<const V> successors(const discovered_graph<V>& g, const V& v) { return g.successors(v); }
  static bool is_exit(const discovered_graph<V>& g, const V& v) { return g.shape().is_exit(g.index(v)); }
  /// @}
};

/// The snapshot is there already. O(V + E).
template <class V>
[[nodiscard]] csr_graph snapshot(const discovered_graph<V>& g) {
  return g.shape();
}

}  // namespace v0
}  // namespace simtflow
