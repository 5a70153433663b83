// SPDX-License-Identifier: BSL-1.0
//
// The least solution of the equations for thread frontiers (analysis/thread_frontiers.hpp), over sets of ranks that
// grow: a 64-bit word for each rank in small graphs, a row of bits in larger ones, chunks of bits in the largest.
#pragma once

#include <simtflow/analysis/detail/frontier_table.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// 64 ranks: bit k stands for rank 64 * index + k. A set is an array of non-empty chunks by ascending index.
struct rank_chunk {
  std::uint64_t bits;
  std::uint32_t index;
};
// True if r is in the set.
constexpr bool in_chunks(std::span<const rank_chunk> set, std::uint32_t r) {
  for (const rank_chunk& c : set)
    if (c.index >= r / 64) return c.index == r / 64 && (c.bits & rank_bit(r)) != 0;
  return false;
}
// Adds r to a set.
constexpr void insert_rank(std::vector<rank_chunk>& set, std::uint32_t r) {
  std::size_t at = set.size();
  while (at > 0 && set[at - 1].index > r / 64) --at;
  if (at > 0 && set[at - 1].index == r / 64) {
    set[at - 1].bits |= rank_bit(r);
    return;
  }
  set.push_back({rank_bit(r), r / 64});
  for (std::size_t i = set.size() - 1; i > at; --i) set[i] = set[i - 1];
  set[at] = {rank_bit(r), r / 64};
}

// Writes a set as the frontier of rank r.
template <class Shape>
constexpr void write_row(frontier_table<Shape>& t, std::uint32_t r, std::span<const rank_chunk> set) {
  std::size_t at = t.begin[r];
  t.make_room(at, set.size());
  for (const rank_chunk& c : set) at = t.append(at, c.index, c.bits);
  t.finish(r, at, set.empty() ? no_number : 64 * set[0].index + lowest_rank(set[0].bits),
           [set](std::uint32_t s) { return in_chunks(set, s); });
}

// The sets while they grow, kept for the next computation as memory only.
struct frontier_workspace {
  // The set of one rank, in store.
  struct row {
    std::size_t begin;
    std::uint32_t size, capacity;
  };

  std::vector<std::uint64_t> pending;  // ranks
  std::uint32_t words = 0;             // in a row of bits
  std::vector<std::uint64_t> bits, row_words;
  std::vector<std::uint32_t> end;  // the words of row r that are in use: r / 64 .. end[r]
  std::vector<row> rows;
  std::vector<rank_chunk> store, both, before;
  std::size_t stored = 0;
};

// One computation. Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class frontier_fixpoint {
 public:
  // \pre table.start(g, order) and table.begin_frontiers() were called; g has an entry that the order lists.
  constexpr frontier_fixpoint(const Shape& g, frontier_table<Shape>& table, frontier_workspace& workspace,
                              std::span<const unsigned char> uniform)
      : g_(g), t_(table), w_(workspace), uniform_(uniform) {}

  // For up to 64 listed blocks.
  constexpr void solve_in_words() {
    const std::uint32_t n = static_cast<std::uint32_t>(t_.order.size());
    if (n == 0) return;
    std::uint64_t out[64], passes_to[64], waiting[64];
    for (std::uint32_t r = 0; r < n; ++r) {
      out[r] = waiting[r] = 0;
      for (std::uint32_t e = t_.out_begin[r]; e < t_.out_begin[r + 1]; ++e) out[r] |= rank_bit(t_.out[e]);
      passes_to[r] = ranks_up_to(t_.passes_to[r]);
    }
    const std::uint64_t first = rank_bit(t_.rank[g_.entry()]);
    std::uint64_t met = first;
    for (std::uint64_t pending = first; pending != 0;) {  // as in `sweep`
      for (std::uint64_t ahead = ~std::uint64_t{0}; (pending & ahead) != 0;) {
        const std::uint32_t r = t_.checked_rank(lowest_rank(pending & ahead));
        pending &= ~rank_bit(r);
        ahead = ~ranks_up_to(r);
        const std::uint64_t before = waiting[r], both = before | out[r];
        const bool apart = (out[r] & (out[r] - 1)) == 0 || uniform_.empty() || !uniform_[t_.order[r]];
        for (std::uint64_t next = both & passes_to[r]; next != 0;) {
          const std::uint32_t to = lowest_rank(next);
          const std::uint64_t old = waiting[to];
          waiting[to] |= (apart || (before & rank_bit(to)) != 0 ? both : before) & ~ranks_up_to(to);
          if (waiting[to] != old || (met & rank_bit(to)) == 0) pending |= rank_bit(to);
          met |= rank_bit(to);
          next &= next - 1;
          if (apart && to > r) next &= ~passes_to[to];  // see run_row
        }
      }
    }
    t_.met[0] = met;
    for (std::uint32_t r = 0; r < n; ++r) {
      const std::uint64_t members = waiting[r];
      t_.make_room(t_.begin[r], 1);
      if ((met & rank_bit(r)) == 0) {
        t_.emit_nothing(r);
      } else {
        t_.finish(r, t_.append(t_.begin[r], 0, members), members == 0 ? no_number : lowest_rank(members),
                  [members](std::uint32_t s) { return (members & rank_bit(s)) != 0; });
      }
    }
  }
  // Quadratic in the listed blocks, in bits.
  constexpr void solve_in_rows() {
    const std::uint32_t n = static_cast<std::uint32_t>(t_.order.size());
    if (n == 0) return;
    w_.words = (n + 63) / 64;
    enlarge(w_.bits, std::size_t{n} * w_.words);
    enlarge(w_.row_words, w_.words);
    enlarge(w_.end, n);
    for (std::uint32_t r = 0; r < n; ++r) {
      w_.end[r] = r / 64 + 1;
      w_.bits[std::size_t{r} * w_.words + r / 64] = 0;
    }
    sweep(t_.rank[g_.entry()],
          [this](std::uint32_t r) { return t_.in_word[r] != 0 && w_.end[r] == r / 64 + 1 ? run_word(r) : run_row(r); });
    for (std::uint32_t r = 0; r < n; ++r) {
      if (!has_rank(t_.met, r)) {
        t_.emit_nothing(r);
        continue;
      }
      const std::uint64_t* const members = w_.bits.data() + std::size_t{r} * w_.words;
      const std::uint32_t end = w_.end[r];
      std::uint32_t first = no_number;
      std::size_t at = t_.begin[r];
      t_.make_room(at, end - r / 64);
      for (std::uint32_t w = r / 64; w < end; ++w) {
        if (members[w] == 0) continue;
        if (first == no_number) first = 64 * w + lowest_rank(members[w]);
        at = t_.append(at, w, members[w]);
      }
      t_.finish(r, at, first,
                [members, end](std::uint32_t s) { return s / 64 < end && (members[s / 64] & rank_bit(s)) != 0; });
    }
  }
  // Memory for the members only.
  constexpr void solve_in_chunks() {
    const std::uint32_t n = static_cast<std::uint32_t>(t_.order.size());
    if (n == 0) return;
    w_.stored = 0;
    w_.rows.assign(n, frontier_workspace::row{0, 0, 0});
    sweep(t_.rank[g_.entry()], [this](std::uint32_t r) { return run_chunks(r); });
    for (std::uint32_t r = 0; r < n; ++r) {
      if (!has_rank(t_.met, r)) {
        t_.emit_nothing(r);
      } else {
        write_row(t_, r, std::span<const rank_chunk>(w_.store.data() + w_.rows[r].begin, w_.rows[r].size));
      }
    }
  }

 private:
  // Sweeps from high to low priority until no rank is pending. A rank that the sweep has passed waits for the next
  // sweep: run(r) returns the first word of w_.pending with such a rank, or a large number. If threads can go back step
  // by step through many blocks, that would take a sweep for each step. So from the third sweep on a sweep in the other
  // direction follows each sweep.
  template <class Run>
  constexpr void sweep(std::uint32_t first, const Run& run) {
    w_.pending.assign(t_.met.size(), 0);
    t_.met[first / 64] = w_.pending[first / 64] = rank_bit(first);
    const std::uint32_t words = static_cast<std::uint32_t>(w_.pending.size());
    std::uint32_t sweeps = 0;
    for (std::uint32_t from = first / 64; from < words;) {
      std::uint32_t w = from;
      from = words;
      for (; w < words; ++w) {
        std::uint64_t ahead = ~std::uint64_t{0};
        while ((w_.pending[w] & ahead) != 0) {
          const std::uint32_t r = t_.checked_rank(64 * w + lowest_rank(w_.pending[w] & ahead));
          w_.pending[w] &= ~rank_bit(r);
          ahead = ~ranks_up_to(r);
          const std::uint32_t passed = run(r);
          if (passed < from) from = passed;
        }
      }
      if (++sweeps < 3 || from == words) continue;
      from = words;
      for (w = words; w-- > 0;) {
        std::uint64_t ahead = ~std::uint64_t{0};
        while ((w_.pending[w] & ahead) != 0) {
          const std::uint32_t r = t_.checked_rank(64 * w + highest_rank(w_.pending[w] & ahead));
          w_.pending[w] &= ~rank_bit(r);
          ahead = rank_bit(r) - 1;
          run(r);
        }
      }
      for (w = words; w-- > 0;)
        if (w_.pending[w] != 0) from = w;
    }
  }

  // --- rows of bits --------------------------------------------------------------------------------------------------

  // Hands on the set of rank r if its members and its successors are in one word.
  constexpr std::uint32_t run_word(std::uint32_t r) {
    const std::uint32_t w = r / 64;
    std::uint64_t* const column = w_.bits.data() + w;
    const std::uint64_t targets = t_.in_word[r], before = column[std::size_t{r} * w_.words], both = before | targets;
    const bool apart = (targets & (targets - 1)) == 0 || uniform_.empty() || !uniform_[t_.order[r]];
    std::uint64_t woken = 0;
    for (std::uint64_t next = both & passes_in_word(r); next != 0;) {
      const std::uint32_t to = 64 * w + lowest_rank(next);
      next &= next - 1;
      std::uint64_t& into = column[std::size_t{to} * w_.words];
      const std::uint64_t old = into;
      into |= (apart || (before & rank_bit(to)) != 0 ? both : before) & ~ranks_up_to(to);
      if (into != old || !has_rank(t_.met, to)) woken |= rank_bit(to);
      if (apart && to > r) next &= ~passes_in_word(to);  // see run_row
    }
    t_.met[w] |= woken;
    w_.pending[w] |= woken;
    return (woken & ranks_up_to(r)) != 0 ? w : no_number;
  }
  [[nodiscard]] constexpr std::uint64_t passes_in_word(std::uint32_t r) const {
    const std::uint32_t last = t_.passes_to[r];
    return last / 64 > r / 64 ? ~std::uint64_t{0} : last / 64 < r / 64 ? 0 : ranks_up_to(last);
  }

  // The same in any number of words.
  constexpr std::uint32_t run_row(std::uint32_t r) {
    const std::uint32_t* const out = t_.out.data() + t_.out_begin[r];
    const std::uint32_t* const out_end = t_.out.data() + t_.out_begin[r + 1];
    const std::uint64_t* const members = w_.bits.data() + std::size_t{r} * w_.words;
    std::uint64_t* const both = w_.row_words.data();
    std::uint32_t low = r / 64, end = w_.end[r];
    bool several = false;
    for (const std::uint32_t* s = out; s != out_end; ++s) {
      if (*s / 64 < low) low = *s / 64;
      if (*s / 64 >= end) end = *s / 64 + 1;
      several = several || *s != *out;
    }
    for (std::uint32_t w = low; w < r / 64; ++w) both[w] = 0;
    for (std::uint32_t w = r / 64; w < w_.end[r]; ++w) both[w] = members[w];
    for (std::uint32_t w = w_.end[r]; w < end; ++w) both[w] = 0;
    for (const std::uint32_t* s = out; s != out_end; ++s) both[*s / 64] |= rank_bit(*s);
    const bool apart = !several || uniform_.empty() || !uniform_[t_.order[r]];
    const std::uint32_t last = t_.passes_to[r];
    std::uint32_t passed = no_number;
    for (std::uint32_t w = low; w < end;) {
      std::uint64_t next = both[w];
      while (next != 0) {
        const std::uint32_t to = 64 * w + lowest_rank(next);
        if (to > last) return passed;
        next &= next - 1;
        const bool all = apart || (w < w_.end[r] && w >= r / 64 && (members[w] & rank_bit(to)) != 0);
        const bool grew = all ? add_row(to, both, low, end) : add_row(to, members, r / 64, w_.end[r]);
        if (grew || !has_rank(t_.met, to)) {
          t_.met[w] |= rank_bit(to);
          w_.pending[w] |= rank_bit(to);
          if (to <= r && w < passed) passed = w;
        }
        // A block of lower priority than b passes threads on as well, in its own turn. Only threads that choose a place
        // together break the rule.
        if (apart && to > r && t_.passes_to[to] > to) {
          const std::uint32_t done = t_.passes_to[to];
          if (done >= last) return passed;
          if (done / 64 != w) {
            w = done / 64;
            if (w >= end) return passed;
            next = both[w];
          }
          next &= ~ranks_up_to(done);
        }
      }
      ++w;
    }
    return passed;
  }
  // Row `to` gets the ranks above it of from[w .. end).
  constexpr bool add_row(std::uint32_t to, const std::uint64_t* from, std::uint32_t w, std::uint32_t end) {
    std::uint64_t* const into = w_.bits.data() + std::size_t{to} * w_.words;
    for (; w_.end[to] < end; ++w_.end[to]) into[w_.end[to]] = 0;
    std::uint64_t fresh = 0;
    if (w <= to / 64) {
      w = to / 64;
      if (w >= end) return false;
      const std::uint64_t set = from[w] & ~ranks_up_to(to);
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

  // The row of rank `to` gets the members above `to` of `set`, which are in set[k] and the chunks after it. \returns
  // true if the row grew.
  constexpr bool add_above(std::uint32_t to, const std::vector<rank_chunk>& set, std::size_t k) {
    frontier_workspace::row& into = w_.rows[to];
    rank_chunk* at = w_.store.data() + into.begin;
    const rank_chunk* const end = at + into.size;
    std::uint64_t fresh = 0, bits = set[k].bits;
    if (set[k].index == to / 64) bits &= ~ranks_up_to(to);
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
    rank_chunk* const base = w_.store.data() + into.begin;
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
  constexpr void move_row(frontier_workspace::row& r, std::uint32_t size) {
    const std::size_t begin = w_.stored;
    r.capacity = 2 * size;
    w_.stored += r.capacity;
    while (w_.store.size() < w_.stored) w_.store.push_back({0, 0});
    for (std::uint32_t i = 0; i < r.size; ++i) w_.store[begin + i] = w_.store[r.begin + i];
    r.begin = begin;
  }

  constexpr std::uint32_t run_chunks(std::uint32_t r) {
    const rank_chunk* const members = w_.store.data() + w_.rows[r].begin;
    w_.both.assign(members, members + w_.rows[r].size);
    bool several = false;
    for (std::uint32_t e = t_.out_begin[r]; e < t_.out_begin[r + 1]; ++e) {
      insert_rank(w_.both, t_.out[e]);
      several = several || t_.out[e] != t_.out[t_.out_begin[r]];
    }
    const bool apart = !several || uniform_.empty() || !uniform_[t_.order[r]];
    if (!apart) w_.before.assign(members, members + w_.rows[r].size);
    const std::uint32_t last = t_.passes_to[r];
    std::uint32_t passed = no_number;
    std::uint32_t from = 0;  // ranks below this need no more
    for (std::size_t k = 0; k < w_.both.size(); ++k) {
      if (w_.both[k].index < from / 64) continue;
      std::uint64_t next = w_.both[k].bits;
      if (w_.both[k].index == from / 64) next &= ~std::uint64_t{0} << (from % 64);
      while (next != 0) {
        const std::uint32_t to = 64 * w_.both[k].index + lowest_rank(next);
        if (to > last) return passed;
        next &= next - 1;
        bool grew = false;
        if (apart || in_chunks(std::span<const rank_chunk>(w_.before), to)) {
          grew = add_above(to, w_.both, k);
        } else {
          std::size_t i = 0;
          while (i < w_.before.size() && w_.before[i].index < to / 64) ++i;
          grew = i < w_.before.size() && add_above(to, w_.before, i);
        }
        if (grew || !has_rank(t_.met, to)) {
          t_.met[to / 64] |= rank_bit(to);
          w_.pending[to / 64] |= rank_bit(to);
          if (to <= r && to / 64 < passed) passed = to / 64;
        }
        if (apart && to > r && t_.passes_to[to] > to) {  // as in run_row
          from = t_.passes_to[to] + 1;
          next = from / 64 == w_.both[k].index ? next & ~std::uint64_t{0} << (from % 64) : 0;
        }
      }
    }
    return passed;
  }

  const Shape& g_;
  frontier_table<Shape>& t_;
  frontier_workspace& w_;
  std::span<const unsigned char> uniform_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
