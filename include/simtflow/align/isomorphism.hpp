// SPDX-License-Identifier: BSL-1.0
//
// Isomorphism of two pieces of control-flow graphs. A piece is what an entry block reaches without passing an exit
// block, which is not part of it; where threads leave the piece is where an edge leads to the exit. Two pieces are
// isomorphic if there is a bijection of their blocks that takes the entry to the entry, and for every block a bijection
// of its slots such that the edges in them lead to partners, or both to the exit. Blocks where threads may end are
// partners of such blocks only.
//
//   ordered       slot k is the partner of slot k
//   two_way_free  the two slots of a two-way branch may be exchanged (its condition is then inverted)
//   free          the slots of a block may be permuted in any way (a switch whose cases are renumbered)
//
// The map and its inverse are both kept: two paths of one piece that end in one block never match two paths of the
// other one that end in two. (A parallel walk that only asks for equal degrees takes such pieces for the same.)
//
// Construction: a walk through both pieces at once that undoes and varies its choices of slots. The edges of the first
// piece are taken in an order that does not depend on the choices, so that the walk is a loop over edge numbers.
// Ordered walks have no choice and are linear. Otherwise numbers that isomorphisms keep (degrees, distances from the
// entry and to the exit, and the numbers of the neighbours, a few rounds of them) tell most blocks apart beforehand;
// the work that is left is bounded, since no polynomial algorithm is known where degrees are not bounded.
//
// Literature: B. McKay, Practical graph isomorphism (1981), for refinement; R. Rocha et al., Function merging by
// sequence alignment (2019) and C. Saumya et al., DARM (2022), for what isomorphic pieces of code are good for.
#pragma once

#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// No block is passed over; see graph_piece.
struct no_block_is_empty {
  /// Of any block: false.
  constexpr bool operator()(block_id) const { return false; }  ///< false, whatever is asked
};

/// What an entry block reaches without passing an exit block, its blocks numbered anew: the entry is 0, and every other
/// block has an edge from one with a smaller number.
///
/// Blocks that `is_empty` holds for and that only go on, along one edge, are passed over: they are no blocks of the
/// piece, and an edge to one leads on to where it leads. (Where a cycle has only such blocks, one of them stays.) If
/// all are, the piece has no block.
class graph_piece {
 public:
  /// The piece without blocks.
  constexpr graph_piece() = default;
  /// See compute().
  template <class IsEmpty = no_block_is_empty>
  constexpr graph_piece(const csr_graph& g, block_id entry, block_id exit, const IsEmpty& is_empty = {}) {
    compute(g, entry, exit, is_empty);
  }

  /// Makes this the piece of g between two blocks. exit = no_block: all that the entry reaches.
  /// \pre both are blocks of g, and differ. O(blocks + edges of the piece); O(blocks of g) when first used on a graph
  /// of its size. Memory is kept.
  template <class IsEmpty = no_block_is_empty>
  constexpr void compute(const csr_graph& g, block_id entry, block_id exit, const IsEmpty& is_empty = {}) {
    SIMTFLOW_EXPECTS(entry < g.num_blocks() && (exit < g.num_blocks() || exit == no_block) && entry != exit,
                     "a piece lies between two different blocks of its graph");
    while (number_.size() < g.num_blocks()) {
      number_.push_back(none);
      leads_to_.push_back(none);
    }
    block_.clear();
    row_.clear();
    target_.clear();
    ends_.clear();
    work_.clear();
    passed_.clear();
    const auto through = [&](block_id b) {
      const std::size_t first = passed_.size();
      while (b != exit && leads_to_[b] == none && g.successors(b).size() == 1 && !g.is_exit(b) && is_empty(b)) {
        leads_to_[b] = b;  // until more is known: who comes back here has walked a cycle of empty blocks
        passed_.push_back(b);
        b = g.successors(b)[0];
      }
      if (b != exit && leads_to_[b] != none) b = leads_to_[b];
      for (std::size_t k = first; k < passed_.size(); ++k) leads_to_[passed_[k]] = b;
      return b;
    };
    const block_id start = through(entry);
    if (start != exit) {
      work_.push_back(start);
      number_[start] = found;
    }
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      number_[b] = static_cast<std::uint32_t>(block_.size());
      block_.push_back(b);
      ends_.push_back(g.is_exit(b) ? 1 : 0);
      const std::span<const block_id> out = g.successors(b);
      for (std::size_t k = out.size(); k-- > 0;) {
        const block_id to = through(out[k]);
        if (to == exit || number_[to] != none) continue;
        number_[to] = found;
        work_.push_back(to);
      }
    }
    const std::uint32_t n = static_cast<std::uint32_t>(block_.size());
    for (const block_id b : block_) {
      row_.push_back(static_cast<std::uint32_t>(target_.size()));
      for (const block_id s : g.successors(b)) {
        const block_id to = through(s);
        target_.push_back(to == exit ? n : number_[to]);
      }
    }
    row_.push_back(static_cast<std::uint32_t>(target_.size()));
    for (const block_id b : block_) number_[b] = none;
    for (const block_id b : passed_) leads_to_[b] = none;
  }

  /// The same piece without the memory for further calls of compute(), which is as large as the graph.
  [[nodiscard]] constexpr graph_piece packed() const {
    graph_piece p;
    p.block_ = block_;
    p.row_ = row_;
    p.target_ = target_;
    p.ends_ = ends_;
    return p;
  }

  /// Its blocks; 0: all of them are passed over. O(1).
  [[nodiscard]] constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(block_.size()); }
  /// How many edges it has, those to the exit among them. O(1).
  [[nodiscard]] constexpr std::uint32_t num_edges() const { return static_cast<std::uint32_t>(target_.size()); }
  /// What successors() calls the exit: size().
  [[nodiscard]] constexpr std::uint32_t exit() const { return size(); }
  /// The block of the graph that has number i. \pre i < size(), here and below
  [[nodiscard]] constexpr block_id operator[](std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return block_[i];
  }
  /// By number, the entry first.
  [[nodiscard]] constexpr std::span<const block_id> blocks() const { return std::span<const block_id>(block_); }
  /// Where the edges of block i lead, as numbers, in slot order.
  [[nodiscard]] constexpr std::span<const std::uint32_t> successors(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return std::span<const std::uint32_t>(target_).subspan(row_[i], row_[i + 1] - row_[i]);
  }
  /// Edges are numbered by block, then by slot: the number of the one in slot 0 of block i.
  [[nodiscard]] constexpr std::uint32_t first_edge(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return row_[i];
  }
  /// Whether threads may end in block i.
  [[nodiscard]] constexpr bool is_end(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return ends_[i] != 0;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU, found = 0xFFFF'FFFEU;

  std::vector<block_id> block_, work_, passed_;
  std::vector<std::uint32_t> row_, target_;
  std::vector<std::uint32_t> number_;  // by block of the graph; none between calls, as in the next one
  std::vector<block_id> leads_to_;     // by block passed over: the block behind it
  std::vector<unsigned char> ends_;
};

/// Which slots of two blocks may be partners; see the top of this header.
enum class slot_order : unsigned char {
  ordered,       ///< of equal number
  two_way_free,  ///< of equal number; the two of a two-way branch may be exchanged
  free           ///< any
};

/// How to look for an isomorphism.
struct isomorphism_options {
  slot_order order = slot_order::two_way_free;  ///< which slots may be partners
  /// How many pairs of slots may be tried before the search gives up; 0: 1,000, and 64 for each edge.
  std::uint64_t max_steps = 0;
};

/// How the search ended.
enum class isomorphism_verdict : unsigned char {
  different,   ///< there is none
  isomorphic,  ///< one was found
  gave_up      ///< max_steps were not enough to tell
};

/// An isomorphism, if the verdict says so.
struct piece_isomorphism {
  isomorphism_verdict verdict = isomorphism_verdict::different;  ///< how the search ended
  std::vector<std::uint32_t> block;  ///< by block of the first piece: its partner in the second one
  std::vector<std::uint32_t> slot;   ///< by edge of the first piece: the slot of the edge's partner

  /// Whether there is one.
  [[nodiscard]] constexpr explicit operator bool() const { return verdict == isomorphism_verdict::isomorphic; }
  /// Whether the slots of block i of the first piece are exchanged. \pre it is isomorphic; O(1)
  [[nodiscard]] constexpr bool swapped(const graph_piece& first, std::uint32_t i) const {
    return first.successors(i).size() == 2 && slot[first.first_edge(i)] == 1;
  }
};

/// What it is worth that two blocks (of the graphs) become partners; forbidden_pair: they must not.
template <class F>
concept block_pair_worth = requires(const F& f, block_id a, block_id b) {
  { f(a, b) } -> std::convertible_to<std::int32_t>;
};

/// Every pair may be made, all are worth the same.
struct any_block_pair {
  /// Of any pair: 0.
  constexpr std::int32_t operator()(block_id, block_id) const { return 0; }  ///< 0 for every pair
};

namespace detail {

template <class Piece = graph_piece>
class isomorphism_search {
 public:
  template <class Worth>
  constexpr void run(const Piece& a, const Piece& b, const isomorphism_options& options, const Worth& worth,
                     piece_isomorphism& out) {
    a_ = &a;
    b_ = &b;
    order_ = options.order;
    out.verdict = isomorphism_verdict::different;
    out.block.clear();
    out.slot.clear();
    if (a.size() != b.size() || a.num_edges() != b.num_edges()) return;
    if (a.size() == 0) {
      out.verdict = isomorphism_verdict::isomorphic;
      return;
    }
    if (order_ != slot_order::ordered && !colour()) return;
    out.block.assign(a.size(), none);
    out.slot.assign(a.num_edges(), none);
    back_.assign(b.size(), none);
    used_.assign(b.num_edges(), 0);
    made_.assign(a.num_edges(), 0);
    source_.assign(a.num_edges(), 0);
    for (std::uint32_t i = 0; i < a.size(); ++i)
      for (std::uint32_t k = 0; k < a.successors(i).size(); ++k) source_[a.first_edge(i) + k] = i;
    if (!alike(0, 0) || value(0, 0, worth) == forbidden_pair) return clear(out);
    out.block[0] = 0;
    back_[0] = 0;
    std::uint64_t left = options.max_steps != 0 ? options.max_steps : 1000 + std::uint64_t{64} * a.num_edges();
    if (order_ == slot_order::ordered) left = ~std::uint64_t{0};
    std::uint32_t e = 0;
    while (e < a.num_edges()) {
      if (left-- == 0) {
        clear(out);
        out.verdict = isomorphism_verdict::gave_up;
        return;
      }
      if (choose(e, worth, out)) {
        ++e;
        continue;
      }
      // No further choice for this edge: back to the last one that was a choice.
      do {
        if (e == 0) return clear(out);
        undo(--e, out);
      } while (made_[e] == 0);
    }
    out.verdict = isomorphism_verdict::isomorphic;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  static constexpr void clear(piece_isomorphism& out) {
    out.block.clear();
    out.slot.clear();
  }

  // --- numbers that isomorphisms keep --------------------------------------------------------------------------------

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBU;
    return x ^ (x >> 31);
  }
  static constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t y) { return mix(mix(x + 0x9E37'79B9U) + y); }

  [[nodiscard]] constexpr bool keeps_order(std::size_t degree) const {
    return order_ == slot_order::ordered || (order_ == slot_order::two_way_free && degree != 2);
  }

  // Colours both pieces; false if they cannot be isomorphic. Two numbers that are equal by accident only cost time.
  constexpr bool colour() {
    first_colours(*a_, colour_[0]);
    first_colours(*b_, colour_[1]);
    for (unsigned round = 0; round < rounds && round < a_->size(); ++round) {
      refine(*a_, colour_[0]);
      refine(*b_, colour_[1]);
      std::uint64_t sum[2] = {0, 0};
      for (unsigned side = 0; side < 2; ++side)
        for (const std::uint64_t c : colour_[side]) sum[side] += mix(c);
      if (sum[0] != sum[1]) return false;
    }
    return true;
  }

  constexpr void first_colours(const Piece& p, std::vector<std::uint64_t>& colours) {
    const std::uint32_t n = p.size();
    list_predecessors(p);
    distance_[0].assign(n, none);
    distance_[1].assign(n, none);
    queue_.clear();
    queue_.push_back(0);
    distance_[0][0] = 0;
    for (std::size_t at = 0; at < queue_.size(); ++at)
      for (const std::uint32_t s : p.successors(queue_[at]))
        if (s != p.exit()) reach(distance_[0], queue_[at], s);
    queue_.clear();
    for (std::uint32_t i = 0; i < n; ++i)
      for (const std::uint32_t s : p.successors(i))
        if (s == p.exit() && distance_[1][i] == none) {
          distance_[1][i] = 0;
          queue_.push_back(i);
        }
    for (std::size_t at = 0; at < queue_.size(); ++at)
      for (std::uint32_t k = into_[queue_[at]]; k < into_[queue_[at] + 1]; ++k)
        reach(distance_[1], queue_[at], from_[k]);
    colours.assign(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t degrees =
          (std::uint64_t{into_[i + 1] - into_[i]} << 32) + p.successors(i).size() * 2 + (p.is_end(i) ? 1 : 0);
      colours[i] = mix(mix(degrees, i == 0 ? 1 : 0), (std::uint64_t{distance_[0][i]} << 32) + distance_[1][i]);
    }
  }
  constexpr void reach(std::vector<std::uint32_t>& distance, std::uint32_t from, std::uint32_t to) {
    if (distance[to] != none) return;
    distance[to] = distance[from] + 1;
    queue_.push_back(to);
  }
  constexpr void list_predecessors(const Piece& p) {
    const std::uint32_t n = p.size();
    into_.assign(n + 2, 0);
    for (std::uint32_t i = 0; i < n; ++i)
      for (const std::uint32_t s : p.successors(i))
        if (s != p.exit()) ++into_[s + 2];
    for (std::uint32_t i = 2; i < n + 2; ++i) into_[i] += into_[i - 1];
    from_.assign(into_[n + 1], 0);
    for (std::uint32_t i = 0; i < n; ++i)
      for (const std::uint32_t s : p.successors(i))
        if (s != p.exit()) from_[into_[s + 1]++] = i;
  }

  // One round: a block's colour and those of its neighbours become its colour.
  constexpr void refine(const Piece& p, std::vector<std::uint64_t>& colours) {
    next_.assign(colours.begin(), colours.end());
    for (std::uint32_t i = 0; i < p.size(); ++i) {
      const std::span<const std::uint32_t> out = p.successors(i);
      const bool ordered = keeps_order(out.size());
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint64_t slot = ordered ? k + 1 : 0;
        sum += mix(out[k] == p.exit() ? 1 : colours[out[k]], slot);
        if (out[k] != p.exit()) next_[out[k]] += mix(colours[i] + 2, slot);
      }
      next_[i] += mix(sum);
    }
    for (std::uint64_t& c : next_) c = mix(c);
    colours.swap(next_);
  }

  // --- the walk ------------------------------------------------------------------------------------------------------

  // Whether blocks i and j look alike from where they stand.
  [[nodiscard]] constexpr bool alike(std::uint32_t i, std::uint32_t j) const {
    return a_->successors(i).size() == b_->successors(j).size() && a_->is_end(i) == b_->is_end(j) &&
           (order_ == slot_order::ordered || colour_[0][i] == colour_[1][j]);
  }
  template <class Worth>
  [[nodiscard]] constexpr std::int32_t value(std::uint32_t i, std::uint32_t j, const Worth& worth) const {
    return static_cast<std::int32_t>(worth((*a_)[i], (*b_)[j]));
  }
  // What it is worth that edges to i and to j become partners; forbidden_pair if they cannot.
  template <class Worth>
  [[nodiscard]] constexpr std::int32_t value_of_edges(std::uint32_t i, std::uint32_t j, const Worth& worth,
                                                      const piece_isomorphism& out) const {
    if (i == a_->exit() || j == b_->exit()) return i == a_->exit() && j == b_->exit() ? 0 : forbidden_pair;
    if (out.block[i] != none || back_[j] != none) return out.block[i] == j ? 0 : forbidden_pair;
    return alike(i, j) ? value(i, j, worth) : forbidden_pair;
  }

  // The best partner of edge e that is behind the one it has had before, if it has had one: those that are worth more
  // first, then its own slot, then by slots behind it, round and round.
  template <class Worth>
  constexpr bool choose(std::uint32_t e, const Worth& worth, piece_isomorphism& out) {
    const std::uint32_t i = source_[e], j = out.block[i];
    const std::span<const std::uint32_t> from = a_->successors(i), to = b_->successors(j);
    const std::uint32_t num_slots = static_cast<std::uint32_t>(from.size()), slot = e - a_->first_edge(i);
    const std::uint32_t ranks = keeps_order(num_slots) ? 1 : num_slots;
    const std::uint32_t before = out.slot[e];  // none: nothing has been tried
    const auto slot_of = [&](std::uint32_t rank) {
      return slot + rank < num_slots ? slot + rank : slot + rank - num_slots;
    };
    const auto worth_of = [&](std::uint32_t t) {
      if (used_[b_->first_edge(j) + t] != 0) return forbidden_pair;
      std::int32_t w = value_of_edges(from[slot], to[t], worth, out);
      if (w != forbidden_pair && ranks == 2 && slot == 0 && from[0] != from[1]) {
        const std::int32_t other = value_of_edges(from[1], to[1 - t], worth, out);
        // Both slots are decided at once; what is still open in the first pair cannot be the second one's partner too.
        w = other == forbidden_pair || to[0] == to[1] ? forbidden_pair : w + other;
      }
      return w;
    };
    std::int32_t had = 0;
    std::uint32_t had_rank = 0;
    if (before != none) {
      had = worth_of(before);
      had_rank = before >= slot ? before - slot : before + num_slots - slot;
    }
    std::int32_t best = forbidden_pair;
    std::uint32_t chosen = none;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t t = slot_of(rank);
      const std::int32_t w = worth_of(t);
      if (w == forbidden_pair || (chosen != none && w <= best)) continue;
      if (before != none && (w > had || (w == had && rank <= had_rank))) continue;
      bool same = before != none && to[t] == to[before];  // parallel edges are no further choice
      for (std::uint32_t r = 0; r < rank && !same; ++r)
        same = to[slot_of(r)] == to[t] && used_[b_->first_edge(j) + slot_of(r)] == 0;
      if (same) continue;
      best = w;
      chosen = t;
    }
    out.slot[e] = none;
    if (chosen == none) return false;
    out.slot[e] = chosen;
    used_[b_->first_edge(j) + chosen] = 1;
    const std::uint32_t x = from[slot], y = to[chosen];
    made_[e] = ranks > 1 ? may_vary : 0;
    if (x != a_->exit() && out.block[x] == none) {
      out.block[x] = y;
      back_[y] = x;
      made_[e] |= new_pair;
    }
    return true;
  }

  // Takes back the choice of edge e; out.slot[e] still tells which one it was.
  constexpr void undo(std::uint32_t e, piece_isomorphism& out) {
    const std::uint32_t i = source_[e], j = out.block[i], t = out.slot[e];
    used_[b_->first_edge(j) + t] = 0;
    if ((made_[e] & new_pair) != 0) {
      const std::uint32_t x = a_->successors(i)[e - a_->first_edge(i)];
      back_[out.block[x]] = none;
      out.block[x] = none;
    }
    if ((made_[e] & may_vary) == 0) out.slot[e] = none;
    made_[e] = (made_[e] & may_vary) != 0 ? 1 : 0;
  }

  static constexpr unsigned rounds = 8;
  static constexpr unsigned char may_vary = 1, new_pair = 2;

  const Piece *a_ = nullptr, *b_ = nullptr;
  slot_order order_ = slot_order::ordered;
  std::vector<std::uint64_t> colour_[2], next_;
  std::vector<std::uint32_t> distance_[2], queue_, into_, from_;
  std::vector<std::uint32_t> back_;         // by block of the second piece: its partner
  std::vector<std::uint32_t> source_;       // by edge of the first piece: its block
  std::vector<unsigned char> used_, made_;  // by edge of the second, of the first piece
};

}  // namespace detail

/// An isomorphism of two pieces: of those that the options allow, one that was found by taking what is worth most at
/// every branch first. `worth` says what may be partners at all.
///
/// gave_up: neither found nor excluded within max_steps. Ordered searches never give up.
/// Complexity: O(blocks + edges) if ordered. Else that for the numbers, and at most max_steps times the greatest number
/// of slots squared; a search that never goes back needs one step for each edge. No recursion.
template <block_pair_worth Worth = any_block_pair>
[[nodiscard]] constexpr piece_isomorphism find_isomorphism(const graph_piece& first, const graph_piece& second,
                                                           const isomorphism_options& options = {},
                                                           const Worth& worth = {}) {
  piece_isomorphism out;
  detail::isomorphism_search<> search;
  search.run(first, second, options, worth, out);
  return out;
}

}  // namespace v0
}  // namespace simtflow
