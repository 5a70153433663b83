// SPDX-License-Identifier: BSL-1.0
//
// The common part of the algorithms for thread frontiers: the graph by ranks, the frontiers as they are written, rank
// by rank, and sets of ranks as bits of 64-bit words.
#pragma once

#include <simtflow/analysis/dense/priority_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Makes room for n elements; old elements are lost if there is not enough room.
template <class T>
constexpr void enlarge(std::vector<T>& v, std::size_t n) {
  if (v.size() < n) v.assign(n, T{});
}

// Ranks as bits: rank r is bit r % 64 of word r / 64.
constexpr std::uint64_t rank_bit(std::uint32_t r) { return std::uint64_t{1} << (r % 64); }
constexpr std::uint64_t ranks_up_to(std::uint32_t r) { return ~std::uint64_t{0} >> (63 - r % 64); }
constexpr bool has_rank(const std::vector<std::uint64_t>& set, std::uint32_t r) {
  return (set[r / 64] & rank_bit(r)) != 0;
}
constexpr std::uint32_t lowest_rank(std::uint64_t bits) { return static_cast<std::uint32_t>(std::countr_zero(bits)); }
constexpr std::uint32_t highest_rank(std::uint64_t bits) {
  return 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
}

// The graph by ranks and the frontiers. Shape is csr_graph or has its members. The memory is kept for the next graph.
template <class Shape = csr_graph>
struct frontier_table {
  std::vector<std::size_t> begin;     // by rank: where its members begin; one more at the end
  std::vector<std::uint32_t> rank;    // by block
  std::vector<block_id> members;      // keeps its length when a smaller result is computed
  std::vector<block_id> jump;         // by rank: the conservative target
  std::vector<block_id> joins;        // targets of check edges
  std::vector<edge> check_edges;      // the check edges
  std::vector<std::uint64_t> met;     // ranks that were considered; of a one-pass count, the running set
  std::vector<std::uint64_t> joined;  // ranks that are targets of check edges
  std::size_t max_size = 0, num_considered = 0;
  // The graph, during the computation only.
  std::span<const block_id> order;
  std::vector<std::uint32_t> passes_to;       // by rank: every block that waits, up to this rank, can run next
  std::vector<std::uint32_t> out_begin, out;  // successors by rank
  std::vector<std::uint64_t> in_word;         // by rank: the successors if they are all in its word, else 0

  // Reads the graph.
  constexpr void start(const Shape& g, const dense::priority_order& given) {
    SIMTFLOW_EXPECTS(given.num_blocks() == g.num_blocks(), "the order is of this graph");
    order = given.order();
    rank.assign(given.ranks().begin(), given.ranks().end());
    const std::uint32_t n = static_cast<std::uint32_t>(order.size());
    enlarge(passes_to, n);
    enlarge(in_word, n);
    enlarge(out_begin, std::size_t{n} + 1);
    enlarge(out, g.num_edges());
    const edge_id* const offset = g.successor_offsets().data();
    const block_id* const target = g.targets().data();
    const std::uint32_t* const rank_of = rank.data();
    std::uint32_t* const ranks = out.data();
    std::uint32_t e = 0;
    for (std::uint32_t r = 0; r < n; ++r) {
      const block_id b = order[r];
      out_begin[r] = e;
      std::uint32_t last = 0, beyond = 0;
      std::uint64_t low_ranks = 0;
      for (edge_id k = offset[b]; k < offset[b + 1]; ++k) {
        const std::uint32_t to = rank_of[target[k]];
        ranks[e++] = to;
        if (to > last) last = to;
        low_ranks |= rank_bit(to);
        beyond |= to / 64 ^ r / 64;
      }
      passes_to[r] = last >= n ? no_number : g.is_exit(b) ? n - 1 : last;  // no_number: see `checked_rank`
      in_word[r] = beyond == 0 ? low_ranks : 0;
    }
    out_begin[n] = e;
    met.assign((n + 63) / 64, 0);
  }
  // Forgets the frontiers and begins to write.
  constexpr void begin_frontiers() {
    const std::size_t n = rank.size();
    enlarge(begin, n + 1);
    enlarge(jump, n);
    check_edges.clear();
    joins.clear();
    joined.assign((n + 63) / 64, 0);
    max_size = num_considered = 0;
    begin[0] = 0;
  }
  // Gives unlisted blocks empty frontiers and lists the join blocks. \pre the frontier of every listed rank is written.
  constexpr void finish_frontiers() {
    for (std::size_t r = order.size(); r < rank.size(); ++r) {
      begin[r + 1] = begin[r];
      jump[r] = no_block;
    }
    for (std::size_t w = 0; w < joined.size(); ++w)
      for (std::uint64_t rest = joined[w]; rest != 0; rest &= rest - 1)
        joins.push_back(order[64 * w + lowest_rank(rest)]);
  }

  [[nodiscard]] constexpr std::uint32_t checked_rank(std::uint32_t r) const {
    SIMTFLOW_EXPECTS(passes_to[r] < order.size(), "the order lists every block that the entry reaches");
    return r;
  }

  // Frontiers are written by ascending rank: for each rank nothing, or its members and then `finish`.

  constexpr void emit_nothing(std::uint32_t r) {
    begin[r + 1] = begin[r];
    jump[r] = no_block;
  }
  constexpr void make_room(std::size_t at, std::size_t words) {
    const std::size_t end = at + 64 * words;
    if (members.size() < end) members.insert(members.end(), end, no_block);
  }
  // Appends the ranks 64 * index + k for every bit k.
  constexpr std::size_t append(std::size_t at, std::uint32_t index, std::uint64_t bits) {
    const block_id* const block = order.data() + 64 * std::size_t{index};
    for (; bits != 0; bits &= bits - 1) members[at++] = block[lowest_rank(bits)];
    return at;
  }
  // `first`: the lowest member, or a large number. `member` tells whether a rank is one.
  template <class Has>
  constexpr void finish(std::uint32_t r, std::size_t end, std::uint32_t first, const Has& member) {
    const std::size_t count = end - begin[r];
    begin[r + 1] = end;
    if (count > max_size) max_size = count;
    ++num_considered;
    for (std::uint32_t e = out_begin[r]; e < out_begin[r + 1]; ++e) {
      const std::uint32_t s = out[e];
      if (s < first) first = s;
      if (s <= r || !member(s)) continue;
      check_edges.push_back({order[r], e - out_begin[r]});
      joined[s / 64] |= rank_bit(s);
    }
    jump[r] = first < order.size() ? order[first] : no_block;
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
