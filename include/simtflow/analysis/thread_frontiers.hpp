// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers. A warp always runs the waiting block of highest priority. The frontier of a block b is the set of
// blocks where other threads of the warp may wait while b runs; all of them have lower priority than b. Re-convergence
// checks belong on the edges b -> t with t in the frontier of b.
//
// thread_frontiers(g, order) is the least solution of (S: set of successors, F: frontier, ranks: smaller = higher)
//
//   F(entry) = {}
//   for every reachable b, with C = F(b) u S(b), and every n that can run next:
//     F(n) includes { x in C : rank(x) > rank(n) }
//   where n can run next if   n in S(b), or
//                             n in F(b) and the threads of b may all end there, or go to some s in S(b) with
//                             rank(s) >= rank(n)
//   If the threads of b stay together (one distinct successor, or b is marked uniform), they go to one place: next to
//   an n in S(b) that is not in F(b) no other member of S(b) waits.
//
// It is sound for every order: compared with all states (running block, set of blocks where threads wait) that a warp
// of any size can reach, no pair is missing. On reverse post-orders and loop-contiguous orders without uniform marks it
// is also exact; on other orders, and on some graphs with uniform branches (two blocks wait, but never at the same
// time), it may hold too much.
//
// thread_frontiers_algorithm_1(g, order) is the paper's one pass over the blocks, as printed. It is neither sound nor
// exact: targets of branches that do not diverge are left out (A -> {B, C}, B -> D, C -> D with B before C gives C an
// empty frontier although threads of B wait at D), and back edges are.
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4.1 and Algorithm 1.
#pragma once

#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class frontier_index {
  // Sets of ranks, one per rank, as rows of bits.
  class bit_rows {
   public:
    constexpr void reset(std::uint32_t n) {
      words_ = (n + 63) / 64;
      bits_.assign(std::size_t{words_} * n, 0);
    }
    // row(to) gets every member above `to` of `members` (ascending); tells whether it grew.
    constexpr bool add_above(std::uint32_t to, std::span<const std::uint32_t> members) {
      std::uint64_t* const row = bits_.data() + std::size_t{to} * words_;
      std::uint64_t fresh = 0;
      for (std::size_t i = members.size(); i-- > 0 && members[i] > to;) {
        const std::uint64_t bit = std::uint64_t{1} << (members[i] % 64);
        fresh |= bit & ~row[members[i] / 64];
        row[members[i] / 64] |= bit;
      }
      return fresh != 0;
    }
    constexpr void read(std::uint32_t r, std::vector<std::uint32_t>& members) const {
      members.clear();
      const std::uint64_t* const row = bits_.data() + std::size_t{r} * words_;
      for (std::uint32_t w = r / 64; w < words_; ++w)
        for (std::uint64_t rest = row[w]; rest != 0; rest &= rest - 1)
          members.push_back(64 * w + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

   private:
    std::uint32_t words_ = 0;
    std::vector<std::uint64_t> bits_;
  };

  // The same as sorted lists, for graphs whose bits would not fit.
  class list_rows {
   public:
    constexpr void reset(std::uint32_t n) {
      rows_.clear();
      for (std::uint32_t r = 0; r < n; ++r) rows_.push_back({});
    }
    constexpr bool add_above(std::uint32_t to, std::span<const std::uint32_t> members) {
      std::vector<std::uint32_t>& row = rows_[to];
      std::size_t first = members.size();
      while (first > 0 && members[first - 1] > to) --first;
      merged_.clear();
      std::size_t i = 0;
      for (std::size_t k = first; k < members.size(); ++k) {
        while (i < row.size() && row[i] < members[k]) merged_.push_back(row[i++]);
        if (i < row.size() && row[i] == members[k]) ++i;
        merged_.push_back(members[k]);
      }
      while (i < row.size()) merged_.push_back(row[i++]);
      if (merged_.size() == row.size()) return false;
      row.assign(merged_.begin(), merged_.end());
      return true;
    }
    constexpr void read(std::uint32_t r, std::vector<std::uint32_t>& members) const {
      members.assign(rows_[r].begin(), rows_[r].end());
    }

   private:
    std::vector<std::vector<std::uint32_t>> rows_;
    std::vector<std::uint32_t> merged_;
  };

  // The smallest of a set of numbers below n, in a tree of bits with 64-fold branching.
  class rank_queue {
   public:
    constexpr void reset(std::uint32_t n) {
      levels_.clear();
      std::size_t width = n;
      do {
        width = (width + 63) / 64;
        levels_.push_back({});
        levels_.back().assign(width, 0);
      } while (width > 1);
    }
    [[nodiscard]] constexpr bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }
    constexpr void insert(std::uint32_t r) {
      for (std::vector<std::uint64_t>& level : levels_) {
        level[r / 64] |= std::uint64_t{1} << (r % 64);
        r /= 64;
      }
    }
    constexpr std::uint32_t pop() {
      std::uint32_t r = 0;
      for (std::size_t l = levels_.size(); l-- > 0;)
        r = 64 * r + static_cast<std::uint32_t>(std::countr_zero(levels_[l][r]));
      std::uint32_t at = r;
      for (std::vector<std::uint64_t>& level : levels_) {
        std::uint64_t& word = level[at / 64];
        word &= word - 1;
        if (word != 0) break;
        at /= 64;
      }
      return r;
    }

   private:
    std::vector<std::vector<std::uint64_t>> levels_;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < begin_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }

  constexpr void prepare(const Shape& g, const priority_index<>& order) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(order.num_blocks() == n, "the order is of this graph");
    SIMTFLOW_EXPECTS(n == 0 || order.rank(g.entry()) < order.order().size(), "the order lists the entry");
    begin_.assign(n, 0);
    size_.assign(n, 0);
    rank_.assign(order.ranks().begin(), order.ranks().end());
    members_.clear();
    check_.clear();
    max_ = 0;
    reachable_ = 0;
  }

  // `ranks` ascending: the blocks come out sorted by priority.
  constexpr void append(const priority_index<>& order, block_id b, std::span<const std::uint32_t> ranks) {
    begin_[b] = members_.size();
    size_[b] = ranks.size();
    for (const std::uint32_t r : ranks) members_.push_back(order.order()[r]);
    if (ranks.size() > max_) max_ = ranks.size();
    ++reachable_;
  }

  constexpr void finish(const Shape& g, const priority_index<>& order) {
    for (const block_id b : order.order()) {
      if (size_[b] == 0) continue;
      const std::span<const block_id> out = g.successors(b);
      for (std::uint32_t k = 0; k < out.size(); ++k)
        if (contains(b, out[k])) check_.push_back({b, k});
    }
  }

  template <class Rows>
  constexpr void solve(const Shape& g, const priority_index<>& order, std::span<const unsigned char> uniform,
                       Rows& rows) {
    const std::uint32_t n = static_cast<std::uint32_t>(order.order().size());
    std::vector<unsigned char> met;
    std::vector<std::uint32_t> waiting, targets, both;
    rank_queue queue, later;  // sweeps from high to low priority: what lies behind waits for the next one
    met.assign(n, 0);
    rows.reset(n);
    queue.reset(n);
    later.reset(n);
    if (n != 0) {
      const std::uint32_t start = order.rank(g.entry());
      met[start] = 1;
      queue.insert(start);
    }
    // By rank: when this block has run, any block that waits up to this rank can be next.
    std::vector<std::uint32_t> passes_to;
    passes_to.assign(n, 0);
    for (std::uint32_t r = 0; r < n; ++r) {
      const block_id b = order.order()[r];
      if (g.is_exit(b)) passes_to[r] = n;
      for (const block_id s : g.successors(b))
        if (order.rank(s) > passes_to[r]) passes_to[r] = order.rank(s);
    }
    while (!queue.empty() || !later.empty()) {
      if (queue.empty()) {
        rank_queue swept = static_cast<rank_queue&&>(queue);
        queue = static_cast<rank_queue&&>(later);
        later = static_cast<rank_queue&&>(swept);
      }
      const std::uint32_t r = queue.pop();
      const block_id b = order.order()[r];
      targets.clear();
      for (const block_id s : g.successors(b)) insert_sorted(targets, order.rank(s));
      rows.read(r, waiting);
      unite(std::span<const std::uint32_t>(waiting), std::span<const std::uint32_t>(targets), both);
      const bool together = targets.size() < 2 || (!uniform.empty() && uniform[b]);
      // A block of lower priority than b passes threads on as well. What F(b) says about blocks that it passes them on
      // to need not be said here: its own turn will do that. Only threads that choose a place together break the rule.
      const bool relay = targets.size() < 2 || !together;
      std::uint32_t relayed = 0;  // ranks below this have been dealt with
      std::size_t t = 0, w = 0;
      for (const std::uint32_t to : both) {
        const bool target = t < targets.size() && targets[t] == to;
        const bool waits = w < waiting.size() && waiting[w] == to;
        t += target;
        w += waits;
        if (!target && passes_to[r] < to) break;
        if (to >= relayed && (rows.add_above(to, target && together && !waits ? waiting : both) || !met[to])) {
          met[to] = 1;
          (to > r ? queue : later).insert(to);
        }
        if (relay && to > r && passes_to[to] >= relayed) relayed = passes_to[to] + 1;
      }
    }
    for (std::uint32_t r = 0; r < n; ++r) {
      if (!met[r]) continue;
      rows.read(r, waiting);
      append(order, order.order()[r], std::span<const std::uint32_t>(waiting));
    }
    finish(g, order);
  }

  // Keeps `ranks` ascending and without duplicates.
  static constexpr void insert_sorted(std::vector<std::uint32_t>& ranks, std::uint32_t r) {
    std::size_t at = ranks.size();
    while (at > 0 && ranks[at - 1] > r) --at;
    if (at > 0 && ranks[at - 1] == r) return;
    ranks.push_back(r);
    for (std::size_t i = ranks.size() - 1; i > at; --i) ranks[i] = ranks[i - 1];
    ranks[at] = r;
  }
  static constexpr void unite(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                              std::vector<std::uint32_t>& both) {
    both.clear();
    std::size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
      if (k == b.size() || (i < a.size() && a[i] < b[k])) {
        both.push_back(a[i++]);
      } else {
        if (i < a.size() && a[i] == b[k]) ++i;
        both.push_back(b[k++]);
      }
    }
  }

 public:
  // Above this many blocks (8 MiB of bits) sorted lists instead of bits.
  static constexpr std::uint32_t default_bit_limit = 8192;

  constexpr void fixpoint(const Shape& g, const priority_index<>& order, std::span<const unsigned char> uniform,
                          std::uint32_t bit_limit = default_bit_limit) {
    prepare(g, order);
    SIMTFLOW_EXPECTS(uniform.empty() || uniform.size() == g.num_blocks(), "one uniformity flag per block, or none");
    if (order.order().size() <= bit_limit) {
      bit_rows rows;
      solve(g, order, uniform, rows);
    } else {
      list_rows rows;
      solve(g, order, uniform, rows);
    }
  }

  constexpr void algorithm_1(const Shape& g, const priority_index<>& order) {
    prepare(g, order);
    std::vector<std::uint32_t> waiting;  // the printed tset: ranks, ascending
    for (const block_id b : order.order()) {
      const std::uint32_t r = order.rank(b);
      if (!waiting.empty() && waiting[0] == r) {
        for (std::size_t i = 1; i < waiting.size(); ++i) waiting[i - 1] = waiting[i];
        waiting.pop_back();
      }
      append(order, b, std::span<const std::uint32_t>(waiting));
      const std::span<const block_id> out = g.successors(b);
      if (out.size() < 2) continue;
      for (const block_id t : out) {
        const std::uint32_t s = order.rank(t);
        if (s > r && s < order.order().size()) insert_sorted(waiting, s);
      }
    }
    finish(g, order);
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return begin_.size(); }
  [[nodiscard]] constexpr std::span<const block_id> of(block_id b) const {
    return std::span<const block_id>(members_).subspan(begin_[checked(b)], size_[b]);
  }
  [[nodiscard]] constexpr std::size_t size(block_id b) const { return size_[checked(b)]; }
  [[nodiscard]] constexpr bool contains(block_id b, block_id x) const {
    const std::span<const block_id> f = of(b);
    const std::uint32_t rank = rank_[checked(x)];
    std::size_t low = 0, high = f.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      (rank_[f[middle]] < rank ? low : high) = rank_[f[middle]] < rank ? middle + 1 : middle;
    }
    return low < f.size() && f[low] == x;
  }
  [[nodiscard]] constexpr std::size_t max_size() const { return max_; }
  [[nodiscard]] constexpr std::size_t total_size() const { return members_.size(); }
  [[nodiscard]] constexpr std::size_t num_reachable() const { return reachable_; }
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const { return check_; }

 private:
  std::vector<std::size_t> begin_, size_;
  std::vector<std::uint32_t> rank_;
  std::vector<block_id> members_;
  std::vector<edge> check_;
  std::size_t max_ = 0, reachable_ = 0;
};

}  // namespace detail

/// A frontier per block: see the top of this header for what the two ways to make one mean.
template <flow_graph G = csr_graph>
class frontier_sets {
 public:
  using vertex = vertex_t<G>;
  using range = typename detail::vertex_map<G>::range;

  /// Made by thread_frontiers and thread_frontiers_algorithm_1.
  constexpr frontier_sets(const G& g, detail::frontier_index<> index)
      : map_(g), index_(static_cast<detail::frontier_index<>&&>(index)) {}

  /// The frontier of v, highest priority first; empty for unreachable v. O(1).
  [[nodiscard]] constexpr range of(const vertex& v) const& { return map_.over(index_.of(map_.index(v))); }
  range of(const vertex&) const&& = delete;
  [[nodiscard]] constexpr std::size_t size(const vertex& v) const { return index_.size(map_.index(v)); }
  /// x is in the frontier of v. O(log size).
  [[nodiscard]] constexpr bool contains(const vertex& v, const vertex& x) const {
    return index_.contains(map_.index(v), map_.index(x));
  }
  /// The largest frontier; 0 for an empty graph.
  [[nodiscard]] constexpr std::size_t max_size() const { return index_.max_size(); }
  /// Sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const { return index_.total_size(); }
  /// Mean size over the blocks that were considered (reachable; algorithm 1: listed); 0 for an empty graph.
  [[nodiscard]] constexpr double average_size() const {
    return index_.num_reachable() == 0
               ? 0.0
               : static_cast<double>(index_.total_size()) / static_cast<double>(index_.num_reachable());
  }
  /// The edges whose target is in the frontier of their source, in priority order of the sources: where re-convergence
  /// is checked for. Parallel edges are listed each. In dense block ids.
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const& { return index_.check_edges(); }
  const std::vector<edge>& check_edges() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::frontier_index<>& ids() const& { return index_; }
  const detail::frontier_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::frontier_index<> index_;
};

/// The thread frontiers of g under a priority order: the least fixpoint at the top of this header.
///
/// A branch diverges if it has two or more distinct successors and is not marked in `uniform` (by dense block id,
/// non-zero = the threads of a group stay together; empty = no block is). Threads may end where is_exit holds. Blocks
/// that the entry does not reach have empty frontiers and are in none. Parallel edges have no effect.
/// \pre the order was made for g and lists every block that the entry reaches; `uniform` is empty or has an element for
///      every block.
/// Complexity: every block is looked at again only when its frontier grew; blocks x frontier size x passes. Blocks^2 /
///             8 bytes up to 8,192 blocks, the size of the result above that. No recursion.
template <flow_graph G>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers(const G& g, const priority_order<G>& order,
                                                          std::span<const unsigned char> uniform = {}) {
  detail::frontier_index<> index;
  index.fixpoint(detail::shape_of(g), order.ids(), uniform);
  return frontier_sets<G>(g, static_cast<detail::frontier_index<>&&>(index));
}
template <detail::keeps_pointer G>
frontier_sets<G> thread_frontiers(const G&&, const priority_order<G>&, std::span<const unsigned char> = {}) = delete;

/// The paper's Algorithm 1 as printed, with every block of two or more successor slots taken for a divergent branch.
/// For comparison with published numbers; unsound, see the top of this header. Linear in edges and result.
/// \pre the order was made for g.
template <flow_graph G>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers_algorithm_1(const G& g, const priority_order<G>& order) {
  detail::frontier_index<> index;
  index.algorithm_1(detail::shape_of(g), order.ids());
  return frontier_sets<G>(g, static_cast<detail::frontier_index<>&&>(index));
}
template <detail::keeps_pointer G>
frontier_sets<G> thread_frontiers_algorithm_1(const G&&, const priority_order<G>&) = delete;

}  // namespace v0
}  // namespace simtflow
