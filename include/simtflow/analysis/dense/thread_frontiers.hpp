// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers in dense ids. What they mean stands in analysis/thread_frontiers.hpp.
#pragma once

#include <simtflow/analysis/dense/order.hpp>
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

/// How frontiers are computed; the top of thread_frontiers.hpp says what each means.
enum class frontier_rule : unsigned char {
  fixpoint,     ///< the definition: sound for every order
  algorithm_1,  ///< the paper's Algorithm 1 as printed: unsound
  ocelot        ///< GPU Ocelot's variant: unsound on loops
};

/// The figures of merit of a graph under a priority order.
struct frontier_statistics {
  std::size_t blocks = 0;       ///< blocks that were considered, the sentinel left out
  double average_size = 0;      ///< mean frontier size over them; 0 if there are none
  std::size_t max_size = 0;     ///< largest frontier among them
  std::size_t check_edges = 0;  ///< edges from them into their own frontier, parallel edges each
  std::size_t join_blocks = 0;  ///< distinct targets of those edges
};

namespace dense {

// Everything in dense ids; inside, sets of blocks are sets of ranks. Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_frontier_sets {
 public:
  // How sets of blocks are kept while they grow: a word each up to `word` blocks (at most 64), a row of bits each up to
  // `rows` blocks (here 2 MiB in all), above that as many chunks of 64 bits as are not empty.
  struct limits {
    std::uint32_t word = 64, rows = 4096;
  };

  constexpr void recompute(const Shape& g, const priority_order& order, std::span<const unsigned char> uniform,
                           frontier_rule rule = frontier_rule::fixpoint, limits limit = {}) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(order.num_blocks() == n, "the order is of this graph");
    SIMTFLOW_EXPECTS(n == 0 || order.rank(g.entry()) < order.order().size(), "the order lists the entry");
    SIMTFLOW_EXPECTS(uniform.empty() || uniform.size() == n, "one uniformity flag per block, or none");
    order_ = order.order();
    rank_.assign(order.ranks().begin(), order.ranks().end());
    enlarge(begin_, n + 1);
    enlarge(jump_, n);
    check_.clear();
    joins_.clear();
    joined_.assign((n + 63) / 64, 0);
    max_ = num_considered_ = 0;
    begin_[0] = 0;
    const std::uint32_t listed = static_cast<std::uint32_t>(order_.size());
    start(g);
    if (rule != frontier_rule::fixpoint) {
      sweep_once(uniform, rule);
    } else if (listed <= limit.word) {
      solve_in_words(g, uniform);
    } else if (listed <= limit.rows) {
      solve_in_rows(g, uniform);
    } else {
      solve_in_chunks(g, uniform);
    }
    for (std::size_t r = listed; r < n; ++r) {
      begin_[r + 1] = begin_[r];
      jump_[r] = no_block;
    }
    for (std::size_t w = 0; w < joined_.size(); ++w)
      for (std::uint64_t rest = joined_[w]; rest != 0; rest &= rest - 1)
        joins_.push_back(order_[64 * w + static_cast<std::uint32_t>(std::countr_zero(rest))]);
    order_ = {};
  }

  // Computes only the statistics of a one-pass rule: no set but the running one is kept, there are no frontiers.
  constexpr frontier_statistics count(const Shape& g, const priority_order& order,
                                      std::span<const unsigned char> uniform, frontier_rule rule, block_id sentinel) {
    SIMTFLOW_EXPECTS(rule != frontier_rule::fixpoint, "the fixpoint is more than one pass");
    SIMTFLOW_EXPECTS(order.num_blocks() == g.num_blocks(), "the order is of this graph");
    SIMTFLOW_EXPECTS(uniform.empty() || uniform.size() == g.num_blocks(), "one uniformity flag per block, or none");
    order_ = order.order();
    rank_.assign(order.ranks().begin(), order.ranks().end());
    start(g);
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    joined_.assign(met_.size(), 0);
    frontier_statistics s;
    std::size_t total = 0, size = 0;
    for (std::uint32_t r = 0; r < n; ++r) {  // met_ is the running set
      if (has(met_, r)) {
        met_[r / 64] &= ~bit(r);
        --size;
      }
      if (order_[r] != sentinel) {
        ++s.blocks;
        total += size;
        if (size > s.max_size) s.max_size = size;
      }
      const std::span<const std::uint32_t> out(out_.data() + out_begin_[r], out_begin_[r + 1] - out_begin_[r]);
      for (const std::uint32_t to : out) {
        if (to <= r || to >= n || !has(met_, to)) continue;
        ++s.check_edges;
        if (!has(joined_, to)) ++s.join_blocks;
        joined_[to / 64] |= bit(to);
      }
      if (!leaves_behind(r, size == 0, uniform, rule)) continue;
      for (const std::uint32_t to : out) {
        if (to <= r || to >= n || has(met_, to)) continue;
        met_[to / 64] |= bit(to);
        ++size;
      }
    }
    if (s.blocks != 0) s.average_size = static_cast<double>(total) / static_cast<double>(s.blocks);
    order_ = {};
    return s;
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return rank_.size(); }
  [[nodiscard]] constexpr std::span<const block_id> of(block_id b) const {
    const std::uint32_t r = rank_[checked(b)];
    return std::span<const block_id>(members_.data() + begin_[r], begin_[r + 1] - begin_[r]);
  }
  [[nodiscard]] constexpr std::size_t size(block_id b) const {
    const std::uint32_t r = rank_[checked(b)];
    return begin_[r + 1] - begin_[r];
  }
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
  [[nodiscard]] constexpr block_id conservative_target(block_id b) const { return jump_[rank_[checked(b)]]; }
  [[nodiscard]] constexpr std::size_t max_size() const { return max_; }
  [[nodiscard]] constexpr std::size_t total_size() const { return rank_.empty() ? 0 : begin_[rank_.size()]; }
  [[nodiscard]] constexpr std::size_t num_considered() const { return num_considered_; }
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const { return check_; }
  [[nodiscard]] constexpr std::span<const block_id> join_blocks() const { return std::span<const block_id>(joins_); }

  // `sentinel` has no successors, so no check edge leaves it; no_block: there is none.
  [[nodiscard]] constexpr frontier_statistics statistics(block_id sentinel) const {
    frontier_statistics s{num_considered_, 0, max_, check_.size(), joins_.size()};
    std::size_t total = total_size();
    const std::uint32_t rank = sentinel == no_block ? no_number : rank_[checked(sentinel)];
    if (rank != no_number && rank / 64 < met_.size() && has(met_, rank)) {  // met_ ends with the listed blocks
      --s.blocks;
      total -= size(sentinel);
      if (size(sentinel) == max_) {
        s.max_size = 0;
        for (block_id b = 0; b < rank_.size(); ++b)
          if (b != sentinel && size(b) > s.max_size) s.max_size = size(b);
      }
    }
    if (s.blocks != 0) s.average_size = static_cast<double>(total) / static_cast<double>(s.blocks);
    return s;
  }

 private:
  // 64 ranks: bit k stands for rank 64 * index + k. A set is an array of non-empty chunks by ascending index.
  struct chunk {
    std::uint64_t bits;
    std::uint32_t index;
  };
  // The set of one rank, in store_.
  struct row {
    std::size_t begin;
    std::uint32_t size, capacity;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < rank_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }
  constexpr std::uint32_t checked_rank(std::uint32_t r) const {
    SIMTFLOW_EXPECTS(passes_to_[r] < order_.size(), "the order lists every block that the entry reaches");
    return r;
  }
  template <class T>
  static constexpr void enlarge(std::vector<T>& v, std::size_t n) {
    if (v.size() < n) v.assign(n, T{});
  }
  static constexpr std::uint64_t bit(std::uint32_t r) { return std::uint64_t{1} << (r % 64); }
  static constexpr std::uint64_t up_to(std::uint32_t r) { return ~std::uint64_t{0} >> (63 - r % 64); }
  static constexpr bool has(const std::vector<std::uint64_t>& set, std::uint32_t r) {
    return (set[r / 64] & bit(r)) != 0;
  }
  static constexpr std::uint32_t lowest(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  static constexpr std::uint32_t highest(std::uint64_t bits) {
    return 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  }

  // --- results: for every rank, ascending, nothing, or its members and then `finish` ---------------------------------

  constexpr void emit_nothing(std::uint32_t r) {
    begin_[r + 1] = begin_[r];
    jump_[r] = no_block;
  }
  constexpr void make_room(std::size_t at, std::size_t words) {
    const std::size_t end = at + 64 * words;
    if (members_.size() < end) members_.insert(members_.end(), end, no_block);
  }
  // Appends the ranks 64 * index + k for every bit k.
  constexpr std::size_t append(std::size_t at, std::uint32_t index, std::uint64_t bits) {
    const block_id* const block = order_.data() + 64 * std::size_t{index};
    for (; bits != 0; bits &= bits - 1) members_[at++] = block[lowest(bits)];
    return at;
  }
  // `first`: the lowest member, or a large number. `has`: tells of a rank whether it is a member.
  template <class Has>
  constexpr void finish(std::uint32_t r, std::size_t end, std::uint32_t first, const Has& member) {
    const std::size_t count = end - begin_[r];
    begin_[r + 1] = end;
    if (count > max_) max_ = count;
    ++num_considered_;
    for (std::uint32_t e = out_begin_[r]; e < out_begin_[r + 1]; ++e) {
      const std::uint32_t s = out_[e];
      if (s < first) first = s;
      if (s <= r || !member(s)) continue;
      check_.push_back({order_[r], e - out_begin_[r]});
      joined_[s / 64] |= bit(s);
    }
    jump_[r] = first < order_.size() ? order_[first] : no_block;
  }

  // --- what rows and chunks have in common ---------------------------------------------------------------------------

  constexpr void start(const Shape& g) {
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    enlarge(passes_to_, n);
    enlarge(near_, n);
    enlarge(out_begin_, std::size_t{n} + 1);
    enlarge(out_, g.num_edges());
    const edge_id* const offset = g.successor_offsets().data();
    const block_id* const target = g.targets().data();
    const std::uint32_t* const rank = rank_.data();
    std::uint32_t* const out = out_.data();
    std::uint32_t e = 0;
    for (std::uint32_t r = 0; r < n; ++r) {
      const block_id b = order_[r];
      out_begin_[r] = e;
      std::uint32_t last = 0, beyond = 0;
      std::uint64_t low_ranks = 0;
      for (edge_id k = offset[b]; k < offset[b + 1]; ++k) {
        const std::uint32_t to = rank[target[k]];
        out[e++] = to;
        if (to > last) last = to;
        low_ranks |= bit(to);
        beyond |= to / 64 ^ r / 64;
      }
      passes_to_[r] = last >= n ? no_number : g.is_exit(b) ? n - 1 : last;  // no_number: see `checked_rank`
      near_[r] = beyond == 0 ? low_ranks : 0;
    }
    out_begin_[n] = e;
    met_.assign((n + 63) / 64, 0);
  }
  // Sweeps from high to low priority until nothing is pending. What comes up behind the sweep waits for the next one:
  // run(r) returns the first word of pending_ with such a rank, or a large number. If threads can go back step by step
  // through many blocks, that would take a sweep for each step; so from the third sweep on the other method follows
  // each sweep.
  template <class Run>
  constexpr void sweep(std::uint32_t first, const Run& run) {
    pending_.assign(met_.size(), 0);
    met_[first / 64] = pending_[first / 64] = bit(first);
    const std::uint32_t words = static_cast<std::uint32_t>(pending_.size());
    std::uint32_t sweeps = 0;
    for (std::uint32_t from = first / 64; from < words;) {
      std::uint32_t w = from;
      from = words;
      for (; w < words; ++w) {
        std::uint64_t ahead = ~std::uint64_t{0};
        while ((pending_[w] & ahead) != 0) {
          const std::uint32_t r = checked_rank(64 * w + lowest(pending_[w] & ahead));
          pending_[w] &= ~bit(r);
          ahead = ~up_to(r);
          const std::uint32_t behind = run(r);
          if (behind < from) from = behind;
        }
      }
      if (++sweeps < 3 || from == words) continue;
      from = words;
      for (w = words; w-- > 0;) {
        std::uint64_t ahead = ~std::uint64_t{0};
        while ((pending_[w] & ahead) != 0) {
          const std::uint32_t r = checked_rank(64 * w + highest(pending_[w] & ahead));
          pending_[w] &= ~bit(r);
          ahead = bit(r) - 1;
          run(r);
        }
      }
      for (w = words; w-- > 0;)
        if (pending_[w] != 0) from = w;
    }
  }

  // --- words ---------------------------------------------------------------------------------------------------------

  constexpr void solve_in_words(const Shape& g, std::span<const unsigned char> uniform) {
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    if (n == 0) return;
    std::uint64_t out[64], passes_to[64], waiting[64];
    for (std::uint32_t r = 0; r < n; ++r) {
      out[r] = waiting[r] = 0;
      for (std::uint32_t e = out_begin_[r]; e < out_begin_[r + 1]; ++e) out[r] |= bit(out_[e]);
      passes_to[r] = up_to(passes_to_[r]);
    }
    const std::uint64_t first = bit(rank_[g.entry()]);
    std::uint64_t met = first;
    for (std::uint64_t pending = first; pending != 0;) {  // as in `sweep`
      for (std::uint64_t ahead = ~std::uint64_t{0}; (pending & ahead) != 0;) {
        const std::uint32_t r = checked_rank(lowest(pending & ahead));
        pending &= ~bit(r);
        ahead = ~up_to(r);
        const std::uint64_t before = waiting[r], both = before | out[r];
        const bool apart = (out[r] & (out[r] - 1)) == 0 || uniform.empty() || !uniform[order_[r]];
        for (std::uint64_t next = both & passes_to[r]; next != 0;) {
          const std::uint32_t to = lowest(next);
          const std::uint64_t old = waiting[to];
          waiting[to] |= (apart || (before & bit(to)) != 0 ? both : before) & ~up_to(to);
          if (waiting[to] != old || (met & bit(to)) == 0) pending |= bit(to);
          met |= bit(to);
          next &= next - 1;
          if (apart && to > r) next &= ~passes_to[to];  // see run_row
        }
      }
    }
    met_[0] = met;
    for (std::uint32_t r = 0; r < n; ++r) {
      const std::uint64_t members = waiting[r];
      make_room(begin_[r], 1);
      if ((met & bit(r)) == 0) {
        emit_nothing(r);
      } else {
        finish(r, append(begin_[r], 0, members), members == 0 ? no_number : lowest(members),
               [members](std::uint32_t s) { return (members & bit(s)) != 0; });
      }
    }
  }

  // --- rows of bits --------------------------------------------------------------------------------------------------

  constexpr void solve_in_rows(const Shape& g, std::span<const unsigned char> uniform) {
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    if (n == 0) return;
    words_ = (n + 63) / 64;
    enlarge(bits_, std::size_t{n} * words_);
    enlarge(row_words_, words_);
    enlarge(end_, n);
    for (std::uint32_t r = 0; r < n; ++r) {
      end_[r] = r / 64 + 1;
      bits_[std::size_t{r} * words_ + r / 64] = 0;
    }
    sweep(rank_[g.entry()], [this, uniform](std::uint32_t r) {
      return near_[r] != 0 && end_[r] == r / 64 + 1 ? run_word(uniform, r) : run_row(uniform, r);
    });
    for (std::uint32_t r = 0; r < n; ++r) {
      if (!has(met_, r)) {
        emit_nothing(r);
        continue;
      }
      const std::uint64_t* const members = bits_.data() + std::size_t{r} * words_;
      const std::uint32_t end = end_[r];
      std::uint32_t first = no_number;
      std::size_t at = begin_[r];
      make_room(at, end - r / 64);
      for (std::uint32_t w = r / 64; w < end; ++w) {
        if (members[w] == 0) continue;
        if (first == no_number) first = 64 * w + lowest(members[w]);
        at = append(at, w, members[w]);
      }
      finish(r, at, first, [members, end](std::uint32_t s) { return s / 64 < end && (members[s / 64] & bit(s)) != 0; });
    }
  }

  // What follows from rank r if its members and its successors are in one word.
  constexpr std::uint32_t run_word(std::span<const unsigned char> uniform, std::uint32_t r) {
    const std::uint32_t w = r / 64;
    std::uint64_t* const column = bits_.data() + w;
    const std::uint64_t targets = near_[r], before = column[std::size_t{r} * words_], both = before | targets;
    const bool apart = (targets & (targets - 1)) == 0 || uniform.empty() || !uniform[order_[r]];
    std::uint64_t woken = 0;
    for (std::uint64_t next = both & passes_in_word(r); next != 0;) {
      const std::uint32_t to = 64 * w + lowest(next);
      next &= next - 1;
      std::uint64_t& into = column[std::size_t{to} * words_];
      const std::uint64_t old = into;
      into |= (apart || (before & bit(to)) != 0 ? both : before) & ~up_to(to);
      if (into != old || !has(met_, to)) woken |= bit(to);
      if (apart && to > r) next &= ~passes_in_word(to);  // see run_row
    }
    met_[w] |= woken;
    pending_[w] |= woken;
    return (woken & up_to(r)) != 0 ? w : no_number;
  }
  [[nodiscard]] constexpr std::uint64_t passes_in_word(std::uint32_t r) const {
    const std::uint32_t last = passes_to_[r];
    return last / 64 > r / 64 ? ~std::uint64_t{0} : last / 64 < r / 64 ? 0 : up_to(last);
  }

  constexpr std::uint32_t run_row(std::span<const unsigned char> uniform, std::uint32_t r) {
    const std::uint32_t* const out = out_.data() + out_begin_[r];
    const std::uint32_t* const out_end = out_.data() + out_begin_[r + 1];
    const std::uint64_t* const members = bits_.data() + std::size_t{r} * words_;
    std::uint64_t* const both = row_words_.data();
    std::uint32_t low = r / 64, end = end_[r];
    bool several = false;
    for (const std::uint32_t* s = out; s != out_end; ++s) {
      if (*s / 64 < low) low = *s / 64;
      if (*s / 64 >= end) end = *s / 64 + 1;
      several = several || *s != *out;
    }
    for (std::uint32_t w = low; w < r / 64; ++w) both[w] = 0;
    for (std::uint32_t w = r / 64; w < end_[r]; ++w) both[w] = members[w];
    for (std::uint32_t w = end_[r]; w < end; ++w) both[w] = 0;
    for (const std::uint32_t* s = out; s != out_end; ++s) both[*s / 64] |= bit(*s);
    const bool apart = !several || uniform.empty() || !uniform[order_[r]];
    const std::uint32_t last = passes_to_[r];
    std::uint32_t behind = no_number;
    for (std::uint32_t w = low; w < end;) {
      std::uint64_t next = both[w];
      while (next != 0) {
        const std::uint32_t to = 64 * w + lowest(next);
        if (to > last) return behind;
        next &= next - 1;
        const bool all = apart || (w < end_[r] && w >= r / 64 && (members[w] & bit(to)) != 0);
        const bool grew = all ? add_row(to, both, low, end) : add_row(to, members, r / 64, end_[r]);
        if (grew || !has(met_, to)) {
          met_[w] |= bit(to);
          pending_[w] |= bit(to);
          if (to <= r && w < behind) behind = w;
        }
        // A block of lower priority than b passes threads on as well, in its own turn. Only threads that choose a place
        // together break the rule.
        if (apart && to > r && passes_to_[to] > to) {
          const std::uint32_t done = passes_to_[to];
          if (done >= last) return behind;
          if (done / 64 != w) {
            w = done / 64;
            if (w >= end) return behind;
            next = both[w];
          }
          next &= ~up_to(done);
        }
      }
      ++w;
    }
    return behind;
  }
  // Row `to` gets the ranks above it of from[w .. end).
  constexpr bool add_row(std::uint32_t to, const std::uint64_t* from, std::uint32_t w, std::uint32_t end) {
    std::uint64_t* const into = bits_.data() + std::size_t{to} * words_;
    for (; end_[to] < end; ++end_[to]) into[end_[to]] = 0;
    std::uint64_t fresh = 0;
    if (w <= to / 64) {
      w = to / 64;
      if (w >= end) return false;
      const std::uint64_t set = from[w] & ~up_to(to);
      fresh = set & ~into[w];
      into[w++] |= set;
    }
    for (; w < end; ++w) {
      fresh |= from[w] & ~into[w];
      into[w] |= from[w];
    }
    return fresh != 0;
  }

  // --- chunks --------------------------------------------------------------------------------------------------------

  static constexpr void insert(std::vector<chunk>& set, std::uint32_t r) {
    std::size_t at = set.size();
    while (at > 0 && set[at - 1].index > r / 64) --at;
    if (at > 0 && set[at - 1].index == r / 64) {
      set[at - 1].bits |= bit(r);
      return;
    }
    set.push_back({bit(r), r / 64});
    for (std::size_t i = set.size() - 1; i > at; --i) set[i] = set[i - 1];
    set[at] = {bit(r), r / 64};
  }

  // The row of rank `to` gets the members above `to` of `set`, which are in set[k] and behind; tells whether it grew.
  constexpr bool add_above(std::uint32_t to, const std::vector<chunk>& set, std::size_t k) {
    row& into = row_[to];
    chunk* at = store_.data() + into.begin;
    const chunk* const end = at + into.size;
    std::uint64_t fresh = 0, bits = set[k].bits;
    if (set[k].index == to / 64) bits &= ~up_to(to);
    if (bits == 0) {
      if (++k == set.size()) return false;
      bits = set[k].bits;
    }
    const std::size_t first = k;
    const std::uint64_t first_bits = bits;
    std::uint32_t missing = 0;
    while (true) {
      while (at != end && at->index < set[k].index) ++at;
      if (at != end && at->index == set[k].index) {
        fresh |= bits & ~at->bits;
        at->bits |= bits;
      } else {
        ++missing;
      }
      if (++k == set.size()) break;
      bits = set[k].bits;
    }
    if (missing == 0) return fresh != 0;
    if (into.size + missing > into.capacity) move_row(into, into.size + missing);
    // Merge from the back, so that nothing is overwritten before it has moved.
    chunk* const base = store_.data() + into.begin;
    std::uint32_t from = into.size;
    into.size += missing;
    for (std::uint32_t w = into.size; w != from;) {
      const std::uint32_t index = set[k - 1].index;
      if (from != 0 && base[from - 1].index >= index) {
        if (base[from - 1].index == index) --k;
        --from;
        base[--w] = base[from];
      } else {
        --k;
        base[--w] = {k == first ? first_bits : set[k].bits, index};
      }
    }
    return true;
  }
  constexpr void move_row(row& r, std::uint32_t size) {
    const std::size_t begin = stored_;
    r.capacity = 2 * size;
    stored_ += r.capacity;
    while (store_.size() < stored_) store_.push_back({0, 0});
    for (std::uint32_t i = 0; i < r.size; ++i) store_[begin + i] = store_[r.begin + i];
    r.begin = begin;
  }

  constexpr void solve_in_chunks(const Shape& g, std::span<const unsigned char> uniform) {
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    if (n == 0) return;
    stored_ = 0;
    row_.assign(n, row{0, 0, 0});
    sweep(rank_[g.entry()], [this, uniform](std::uint32_t r) { return run_chunks(uniform, r); });
    for (std::uint32_t r = 0; r < n; ++r) {
      if (!has(met_, r)) {
        emit_nothing(r);
      } else {
        write_row(r, std::span<const chunk>(store_.data() + row_[r].begin, row_[r].size));
      }
    }
  }
  constexpr void write_row(std::uint32_t r, std::span<const chunk> set) {
    std::size_t at = begin_[r];
    make_room(at, set.size());
    for (const chunk& c : set) at = append(at, c.index, c.bits);
    finish(r, at, set.empty() ? no_number : 64 * set[0].index + lowest(set[0].bits),
           [set](std::uint32_t s) { return in_set(set, s); });
  }
  static constexpr bool in_set(std::span<const chunk> set, std::uint32_t r) {
    for (const chunk& c : set)
      if (c.index >= r / 64) return c.index == r / 64 && (c.bits & bit(r)) != 0;
    return false;
  }

  constexpr std::uint32_t run_chunks(std::span<const unsigned char> uniform, std::uint32_t r) {
    const chunk* const members = store_.data() + row_[r].begin;
    both_.assign(members, members + row_[r].size);
    bool several = false;
    for (std::uint32_t e = out_begin_[r]; e < out_begin_[r + 1]; ++e) {
      insert(both_, out_[e]);
      several = several || out_[e] != out_[out_begin_[r]];
    }
    const bool apart = !several || uniform.empty() || !uniform[order_[r]];
    if (!apart) before_.assign(members, members + row_[r].size);
    const std::uint32_t last = passes_to_[r];
    std::uint32_t behind = no_number;
    std::uint32_t from = 0;  // ranks below this need no more
    for (std::size_t k = 0; k < both_.size(); ++k) {
      if (both_[k].index < from / 64) continue;
      std::uint64_t next = both_[k].bits;
      if (both_[k].index == from / 64) next &= ~std::uint64_t{0} << (from % 64);
      while (next != 0) {
        const std::uint32_t to = 64 * both_[k].index + lowest(next);
        if (to > last) return behind;
        next &= next - 1;
        bool grew = false;
        if (apart || in_set(std::span<const chunk>(before_), to)) {
          grew = add_above(to, both_, k);
        } else {
          std::size_t i = 0;
          while (i < before_.size() && before_[i].index < to / 64) ++i;
          grew = i < before_.size() && add_above(to, before_, i);
        }
        if (grew || !has(met_, to)) {
          met_[to / 64] |= bit(to);
          pending_[to / 64] |= bit(to);
          if (to <= r && to / 64 < behind) behind = to / 64;
        }
        if (apart && to > r && passes_to_[to] > to) {  // as in run_row
          from = passes_to_[to] + 1;
          next = from / 64 == both_[k].index ? next & ~std::uint64_t{0} << (from % 64) : 0;
        }
      }
    }
    return behind;
  }

  // --- the one-pass algorithms ---------------------------------------------------------------------------------------

  // True if threads of rank r are put into the running set.
  constexpr bool leaves_behind(std::uint32_t r, bool nobody_waits, std::span<const unsigned char> uniform,
                               frontier_rule rule) const {
    const bool marked = !uniform.empty() && uniform[order_[r]];
    const bool branch = out_begin_[r + 1] - out_begin_[r] > 1;
    return rule == frontier_rule::algorithm_1 ? !marked && branch : !marked || !nobody_waits;
  }
  constexpr void sweep_once(std::span<const unsigned char> uniform, frontier_rule rule) {
    const std::uint32_t n = static_cast<std::uint32_t>(order_.size());
    both_.clear();  // the running set
    for (std::uint32_t r = 0; r < n; ++r) {
      met_[r / 64] |= bit(r);
      // No member has a higher priority than r, so r is the first bit or not there.
      if (!both_.empty() && both_[0].index == r / 64) {
        both_[0].bits &= ~bit(r);
        if (both_[0].bits == 0) both_.erase(both_.begin());
      }
      write_row(r, std::span<const chunk>(both_));
      if (!leaves_behind(r, both_.empty(), uniform, rule)) continue;
      for (std::uint32_t e = out_begin_[r]; e < out_begin_[r + 1]; ++e)
        if (out_[e] > r && out_[e] < n) insert(both_, out_[e]);
    }
  }

  std::vector<std::size_t> begin_;   // by rank: where its members begin; one more at the end
  std::vector<std::uint32_t> rank_;  // by block
  std::vector<block_id> members_;    // not shortened when a smaller result is computed
  std::vector<block_id> jump_;       // by rank
  std::vector<block_id> joins_;
  std::vector<edge> check_;
  std::vector<std::uint64_t> met_, joined_;  // ranks: considered, target of a check edge
  std::size_t max_ = 0, num_considered_ = 0;
  // Workspace, kept for the next computation.
  std::span<const block_id> order_;
  std::vector<std::uint32_t> passes_to_;        // by rank: any block that waits up to this rank can run next
  std::vector<std::uint32_t> out_begin_, out_;  // successors by rank
  std::vector<std::uint64_t> pending_;          // ranks
  std::vector<std::uint64_t> near_;             // by rank: the successors if they are all in its word, else 0
  std::uint32_t words_ = 0;                     // in a row of bits_
  std::vector<std::uint64_t> bits_, row_words_;
  std::vector<std::uint32_t> end_;  // the words of row r that are in use: r / 64 .. end_[r]
  std::vector<row> row_;
  std::vector<chunk> store_, both_, before_;
  std::size_t stored_ = 0;
};

/// Over a csr_graph.
using frontier_sets = basic_frontier_sets<>;

}  // namespace dense

}  // namespace v0
}  // namespace simtflow
