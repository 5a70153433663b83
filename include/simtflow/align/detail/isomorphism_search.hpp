// SPDX-License-Identifier: BSL-1.0
//
// The search of isomorphism.hpp: numbers that isomorphisms keep, then a walk through both pieces at once.
#pragma once

#include <simtflow/align/alignment.hpp>
#include <simtflow/align/graph_piece.hpp>
#include <simtflow/align/piece_isomorphism.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
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

  // One round: the colours of a block and of its neighbours become its colour.
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
  // The worth of edges to i and to j as partners; forbidden_pair if they cannot be partners.
  template <class Worth>
  [[nodiscard]] constexpr std::int32_t value_of_edges(std::uint32_t i, std::uint32_t j, const Worth& worth,
                                                      const piece_isomorphism& out) const {
    if (i == a_->exit() || j == b_->exit()) return i == a_->exit() && j == b_->exit() ? 0 : forbidden_pair;
    if (out.block[i] != none || back_[j] != none) return out.block[i] == j ? 0 : forbidden_pair;
    return alike(i, j) ? value(i, j, worth) : forbidden_pair;
  }

  // Chooses the best partner of edge e that comes after the partner that it had before, if it had any. Partners that
  // are worth more come first, then the edge's own slot, then the slots after it, round and round.
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
}  // namespace v0
}  // namespace simtflow
