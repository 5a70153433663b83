// SPDX-License-Identifier: BSL-1.0
//
// Partial control-flow linearization, for machines that execute one path and switch lanes off (vectorized code, SIMD
// with masks): branches on which lanes may disagree go, branches on which they agree stay. One path through the result
// visits the blocks of all lanes; a lane is active in the blocks of its own path and masked off in the others.
//
// Blocks are taken in a topological order in which every dominator subtree is a run (so is every loop then). A set of
// *deferred* targets comes with each block: blocks that some lanes wait for, and that the path has to visit after it.
//
//   lanes agree      each edge leads to the first, in this order, of its target and the deferred ones; the others are
//                    deferred further, on this side
//   lanes may not    the block jumps to the first of all its targets and the deferred ones; the others are deferred
//
// Loops have to be of one form: entered at the header, with one latch, the only block with edges out of the loop. The
// latch goes back as long as a lane wants to, whether lanes agree or not, and lanes that are done wait after the loop.
// Graphs that violate this are reported, not repaired (fix_irreducible.hpp, unify_loop_exits.hpp and guards can).
//
// Literature: S. Moll, S. Hack, Partial control-flow linearization (2018).
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How the path goes on after a block.
enum class linear_end : unsigned char {
  /// It ends.
  stop,
  /// To the only successor, whatever the lanes want.
  jump,
  /// Successor k for outcome k, on which the active lanes agree; any of them if no lane is active. If threads may end
  /// here, one more successor is for the case that all active lanes end (without it the path ends then).
  branch,
  /// A latch: to the header, successor 0, if an active lane goes there; else to successor 1, or to the end without one.
  repeat
};

/// The end in a word: "stop", "jump", "branch" or "repeat".
[[nodiscard]] constexpr std::string_view to_string(linear_end end) {
  switch (end) {
    case linear_end::stop:
      return "stop";
    case linear_end::jump:
      return "jump";
    case linear_end::branch:
      return "branch";
    case linear_end::repeat:
      return "repeat";
  }
  return "";
}

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class partial_linear_index {
 public:
  // `uniform(b)` is asked about blocks with two or more edges, or with edges and a way to end.
  template <class Uniform>
  constexpr void compute(const Shape& g, Uniform uniform) {
    const std::size_t n = g.num_blocks();
    clear(n);
    loops_.recompute(g);
    if (!check_loops(g)) return;
    if (n == 0) return;
    arrange(g);
    for (const block_id b : order_) {
      waiting_.clear();
      swap(waiting_, deferred_[b]);
      const loop_id l = loops_.innermost(b);
      const bool latch = l != no_loop && latch_[l] == b;
      const std::span<const block_id> out = g.successors(b);
      row& r = row_[b];
      r.first = static_cast<std::uint32_t>(target_.size());
      if (latch) {
        target_.push_back(loops_.header(l));
        r.end = linear_end::repeat;
        for (const block_id s : out)
          if (s != loops_.header(l)) insert(waiting_, s);
        go_on(waiting_);
      } else if (out.size() + (g.is_exit(b) ? 1U : 0U) < 2 || !uniform(b)) {
        // Also without a branch: then there is one target, or none.
        const bool decides = differ(out) || (g.is_exit(b) && !out.empty());
        removed_ += decides ? 1 : 0;
        for (const block_id s : out) insert(waiting_, s);
        r.end = waiting_.empty() ? linear_end::stop : linear_end::jump;
        go_on(waiting_);
      } else {
        r.end = linear_end::branch;
        for (const block_id s : out) {
          set_ = waiting_;
          insert(set_, s);
          go_on(set_);
        }
        if (g.is_exit(b)) {
          set_ = waiting_;
          if (l != no_loop) insert(set_, latch_[l]);  // lanes that are done may wait after the loop
          r.ends = set_.empty();
          go_on(set_);
        }
        const auto made = std::span<const block_id>(target_).subspan(r.first);
        (r.ends || differ(made) ? kept_ : removed_) += differ(out) || g.is_exit(b) ? 1 : 0;
      }
      r.count = static_cast<std::uint32_t>(target_.size()) - r.first;
      if (r.end == linear_end::repeat && r.count == 1) r.ends = true;
      if (r.end == linear_end::stop) r.ends = true;
    }
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return row_.size(); }
  [[nodiscard]] constexpr block_id entry() const { return entry_; }
  [[nodiscard]] constexpr block_id refused() const { return refused_; }
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id b) const {
    return std::span<const block_id>(target_).subspan(row_[checked(b)].first, row_[b].count);
  }
  [[nodiscard]] constexpr linear_end end(block_id b) const { return row_[checked(b)].end; }
  [[nodiscard]] constexpr bool may_end(block_id b) const { return row_[checked(b)].ends; }
  [[nodiscard]] constexpr std::size_t kept() const { return kept_; }
  [[nodiscard]] constexpr std::size_t removed() const { return removed_; }

 private:
  struct row {
    std::uint32_t first = 0, count = 0;
    linear_end end = linear_end::stop;
    bool ends = false;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < row_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }
  static constexpr void swap(std::vector<block_id>& a, std::vector<block_id>& b) { a.swap(b); }
  static constexpr bool differ(std::span<const block_id> blocks) {
    for (const block_id b : blocks)
      if (b != blocks[0]) return true;
    return false;
  }

  constexpr void clear(std::size_t n) {
    entry_ = refused_ = no_block;
    kept_ = removed_ = 0;
    order_.clear();
    target_.clear();
    row_.assign(n, row{});
    if (deferred_.size() < n) deferred_.assign(n, {});
    for (std::vector<block_id>& d : deferred_) d.clear();
  }

  constexpr bool check_loops(const Shape& g) {
    const std::size_t count = loops_.num_loops();
    latch_.assign(count, no_block);
    for (const loop_id l : ids_below<loop_id>(count)) {
      const std::span<const block_id> latches = loops_.latches(l);
      if (loops_.is_irreducible(l) || latches.size() != 1 || loops_.innermost(latches[0]) != l) return refuse(l);
      latch_[l] = latches[0];
    }
    // An edge that leaves loops comes from the latch of each of them, and that is in one only.
    for (const block_id b : loops_.rpo()) {
      const loop_id l = loops_.innermost(b);
      if (l == no_loop) continue;
      for (const block_id s : g.successors(b)) {
        if (loops_.contains(l, s)) continue;
        const loop_id up = loops_.parent(l);
        if (latch_[l] != b) return refuse(l);
        if (up != no_loop && !loops_.contains(up, s)) return refuse(up);
      }
    }
    return true;
  }
  constexpr bool refuse(loop_id l) {
    refused_ = loops_.header(l);
    return false;
  }

  // Preorder of the dominator tree, children in RPO. An edge that goes forward leads from the subtree of a child, or
  // from the parent, to a later child.
  constexpr void arrange(const Shape& g) {
    const std::size_t n = g.num_blocks();
    entry_ = g.entry();
    tree_.recompute(g);
    child_.assign(n, no_block);
    sibling_.assign(n, no_block);
    place_.assign(n, 0);
    const std::span<const block_id> rpo = loops_.rpo();
    for (const block_id b : rpo) {  // the last one becomes the first child here, and is pushed first below
      const block_id up = tree_.idom(b);
      if (up == no_block) continue;
      sibling_[b] = child_[up];
      child_[up] = b;
    }
    work_.clear();
    work_.push_back(entry_);
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      place_[b] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(b);
      for (block_id c = child_[b]; c != no_block; c = sibling_[c]) work_.push_back(c);
    }
  }

  // Sets are sorted with the first block, in the order, at the back; what comes in is mostly near.
  constexpr void insert(std::vector<block_id>& set, block_id b) const {
    std::size_t i = set.size();
    while (i > 0 && place_[set[i - 1]] < place_[b]) --i;
    if (i > 0 && set[i - 1] == b) return;
    set.insert(set.begin() + static_cast<std::ptrdiff_t>(i), b);
  }
  // The next successor: the first block of the set. The others are deferred there.
  constexpr void go_on(std::vector<block_id>& set) {
    if (set.empty()) return;
    const block_id next = set.back();
    set.pop_back();
    target_.push_back(next);
    std::vector<block_id>& there = deferred_[next];
    if (there.empty()) {
      swap(there, set);
      return;
    }
    merged_.clear();
    std::size_t i = 0, j = 0;
    while (i < set.size() || j < there.size()) {
      const bool second = i == set.size() || (j < there.size() && place_[there[j]] > place_[set[i]]);
      const block_id b = second ? there[j] : set[i];
      i += i < set.size() && set[i] == b ? 1 : 0;
      j += j < there.size() && there[j] == b ? 1 : 0;
      merged_.push_back(b);
    }
    swap(there, merged_);
  }

  block_id entry_ = no_block, refused_ = no_block;
  std::size_t kept_ = 0, removed_ = 0;
  std::vector<block_id> order_, target_;
  std::vector<row> row_;
  // Workspace.
  dense::basic_loop_forest<Shape> loops_;
  dense::immediate_dominator_map tree_;
  id_map<loop_id, block_id> latch_;
  std::vector<block_id> child_, sibling_, work_, waiting_, set_, merged_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<block_id>> deferred_;
};

}  // namespace detail

/// A graph from which the branches are taken on which lanes may disagree, as defined at the top of this header. It has
/// the same vertices; it is a flow_graph itself (over dense block ids), so that it can be drawn and analysed.
///
/// The law: take lanes that all start at the entry and agree wherever `uniform` said they would among those that are
/// together. Then every lane's own sequence of blocks is a subsequence of the path.
///
/// Threads that end in a block (is_exit) are masked off there. Unreachable vertices have no successors.
template <flow_graph G = csr_graph>
class partial_linearization {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// `uniform(v)`: lanes that are active at v together always take the same edge out of it; asked about vertices from
  /// which there are two ways to go on.
  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: near-linear, times the number of blocks deferred at one place; no recursion.
  template <class Uniform>
  constexpr partial_linearization(const G& g, Uniform uniform) : map_(g) {
    recompute(g, uniform);
  }
  template <class Uniform>
  partial_linearization(const G&&, Uniform) requires detail::keeps_pointer<G>
  = delete;

  /// Computes it for g (the same graph, changed, or another), reusing buffers.
  template <class Uniform>
  constexpr void recompute(const G& g, Uniform uniform) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), [&](block_id b) { return static_cast<bool>(uniform(map_.at(b))); });
  }

  /// False if a loop is not of the form that this needs; then nothing else here means anything.
  [[nodiscard]] constexpr bool applies() const { return index_.refused() == no_block; }
  /// The header of such a loop.
  [[nodiscard]] constexpr std::optional<vertex> refused_loop() const { return map_.maybe(index_.refused()); }

  /// The reachable vertices in the order that the path follows, but for ways back.
  [[nodiscard]] constexpr range order() const& { return map_.over(index_.order()); }
  range order() const&& = delete;
  /// How v ends now. O(1).
  [[nodiscard]] constexpr linear_end end(const vertex& v) const { return index_.end(map_.index(v)); }
  /// The blocks to which the path goes from v; end(v) tells what the slots mean.
  [[nodiscard]] constexpr range successors(const vertex& v) const& {
    return map_.over(index_.successors(map_.index(v)));
  }
  range successors(const vertex&) const&& = delete;
  /// Branches that still lead to different blocks. Latches are not counted.
  [[nodiscard]] constexpr std::size_t num_kept_branches() const { return index_.kept(); }
  /// Branches that do not any more. Latches are not counted.
  [[nodiscard]] constexpr std::size_t num_removed_branches() const { return index_.removed(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::partial_linear_index<>& ids() const& { return index_; }
  const detail::partial_linear_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::partial_linear_index<> index_;
};

/// `partial_linearization p(g, uniform)`.
template <flow_graph G, class Uniform>
partial_linearization(const G&, Uniform) -> partial_linearization<G>;

/// The linearized graph; empty if it does not apply.
template <flow_graph G>
struct graph_traits<partial_linearization<G>> {
  /// @{
  /// As flow_graph asks; O(1).
  using vertex = block_id;
  using graph = partial_linearization<G>;
  static constexpr std::size_t num_vertices(const graph& g) { return g.applies() ? g.ids().num_blocks() : 0; }
  static constexpr std::size_t index(const graph&, vertex b) { return b; }
  static constexpr vertex vertex_at(const graph&, std::size_t i) { return static_cast<vertex>(i); }
  static constexpr vertex entry(const graph& g) { return g.ids().entry(); }
  static constexpr std::span<const block_id> successors(const graph& g, vertex b) { return g.ids().successors(b); }
  static constexpr bool is_exit(const graph& g, vertex b) { return g.ids().may_end(b); }
  /// @}
};

}  // namespace v0
}  // namespace simtflow
