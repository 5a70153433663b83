// SPDX-License-Identifier: BSL-1.0
//
// The dynamic programme of sequence.hpp, with the path in linear memory or in bits.
#pragma once

#include <simtflow/align/alignment.hpp>
#include <simtflow/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Lower than any score, and still so after a gap or a forbidden pair was added.
inline constexpr std::int32_t no_score = -(1 << 29);

// A stretch of each sequence.
struct stretch {
  std::uint32_t i0, i1, j0, j1;
  [[nodiscard]] constexpr std::uint32_t rows() const { return i1 - i0; }
  [[nodiscard]] constexpr std::uint32_t columns() const { return j1 - j0; }
};

// Four bits a cell: how its best score came about; whether the gap in the rows, in the columns, that ends here goes on
// from a cell before.
inline constexpr unsigned by_pair = 0, by_first = 1, by_second = 2, by_what = 3, first_goes_on = 4, second_goes_on = 8;

// Appends the pairs from the last cell back to the first one (of elements i0 and j0), in order.
// `bits(i, j)`: of the cell past i rows and j columns, both at least 1. `in`: by_first if the last cell is in a gap.
template <class BitsOf>
constexpr void follow_back(std::uint32_t i0, std::uint32_t i1, std::uint32_t j0, std::uint32_t j1, unsigned in,
                           std::vector<aligned_pair>& out, const BitsOf& bits_of) {
  const std::size_t first = out.size();
  std::uint32_t i = i1 - i0, j = j1 - j0;
  bool choose = in == by_pair;
  while (i > 0 && j > 0) {
    const unsigned bits = bits_of(i, j);
    if (choose) in = bits & by_what;
    if (in == by_pair) {
      out.push_back({i0 + --i, j0 + --j});
      choose = true;
    } else if (in == by_first) {
      out.push_back({i0 + --i, no_element});
      choose = (bits & first_goes_on) == 0;
    } else {
      out.push_back({no_element, j0 + --j});
      choose = (bits & second_goes_on) == 0;
    }
  }
  while (i > 0) out.push_back({i0 + --i, no_element});
  while (j > 0) out.push_back({no_element, j0 + --j});
  for (std::size_t low = first, high = out.size(); low + 1 < high; ++low) {
    const aligned_pair swapped = out[low];
    out[low] = out[--high];
    out[high] = swapped;
  }
}

template <class A, class B, class Score>
class aligner {
 public:
  constexpr aligner(const A& a, const B& b, const Score& score, const alignment_options& options)
      : a_(&a), b_(&b), score_(&score), options_(options) {
    SIMTFLOW_EXPECTS(
        options.first.open >= 0 && options.first.extend >= 0 && options.second.open >= 0 && options.second.extend >= 0,
        "the cost of a gap is not negative");
  }

  // The score of the best alignment, and where it ends: the first such cell by rows.
  constexpr std::int32_t best(std::uint32_t& i_end, std::uint32_t& j_end) {
    const stretch all{0, static_cast<std::uint32_t>(a_->size()), 0, static_cast<std::uint32_t>(b_->size())};
    switch (options_.mode) {
      case alignment_mode::global:
        i_end = all.i1;
        j_end = all.j1;
        return sweep<where::corner, false>(all, options_.first.open, i_end, j_end);
      case alignment_mode::local:
        return sweep<where::anywhere, false>(all, 0, i_end, j_end);
      case alignment_mode::semi_global:
        return sweep<where::sides, false>(all, 0, i_end, j_end);
    }
    return 0;
  }

  constexpr alignment run() {
    alignment out;
    stretch box{0, static_cast<std::uint32_t>(a_->size()), 0, static_cast<std::uint32_t>(b_->size())};
    if (options_.mode != alignment_mode::global) {
      std::uint32_t i = 0, j = 0;
      best(i, j);
      box = {0, i, 0, j};
      // Backward from the end: the start is where the same score is reached.
      std::uint32_t back_i = 0, back_j = 0;
      if (options_.mode == alignment_mode::local)
        sweep<where::from_corner, true>(box, options_.first.open, back_i, back_j);
      else
        sweep<where::from_corner_to_sides, true>(box, options_.first.open, back_i, back_j);
      box.i0 = i - back_i;
      box.j0 = j - back_j;
    }
    out.first_begin = box.i0;
    out.first_end = box.i1;
    out.second_begin = box.j0;
    out.second_end = box.j1;
    out.score = divide(box, out.pairs);
    return out;
  }

 private:
  // The cells in which an alignment may start and end.
  enum class where : unsigned char {
    corner,               // from the first cell to the last one
    anywhere,             // from any cell to any
    sides,                // from the first row or column to the last row or column
    from_corner,          // from the first cell to any
    from_corner_to_sides  // from the first cell to the last row or column
  };

  // One row more: `up` is the row above (up[j]: the first j columns), `here` the new row; its first cell is there.
  // Only the gap along the row is a chain through its cells: the best of what ends in one at column j is
  //   max over k < j of across[k] - start2 - (j - 1 - k) * extend2,
  // so with (k + 1) * extend2 added to each it is a running maximum. All else is loops that vectorise. Gives the row's
  // greatest cell if Local. With Bits, bits_[j] has the bits of the cell past column j, but the bit of a gap in the
  // columns stands one cell before.
  template <bool Backward, bool Local, bool Bits>
  constexpr std::int32_t row(const stretch& s, std::uint32_t i, const std::int32_t* __restrict up,
                             std::int32_t* __restrict here) {
    const std::size_t columns = s.columns();
    const std::int32_t m = static_cast<std::int32_t>(columns);
    const std::int32_t extend1 = options_.first.extend, start1 = options_.first.open + extend1;
    const std::int32_t extend2 = options_.second.extend, start2 = options_.second.open + extend2;
    std::int32_t* __restrict const f = f_.data();
    std::int32_t* __restrict const worth = worth_.data();
    std::int32_t* __restrict const across = across_.data();
    std::int32_t* __restrict const along = along_.data();
    [[maybe_unused]] unsigned char* __restrict const bits = bits_.data();
    const auto& x = (*a_)[Backward ? s.i1 - 1 - i : s.i0 + i];
    const B& b = *b_;
    const Score& score = *score_;
    const std::size_t first = Backward ? s.j1 - 1 : s.j0;  // a copy: what is stored might be the stretch
    for (std::size_t j = 0; j < columns; ++j)
      worth[j] = static_cast<std::int32_t>(score(x, b[Backward ? first - j : first + j]));
    for (std::int32_t j = 0; j < m; ++j) {
      const std::int32_t f1 = f[j + 1] - extend1, f2 = up[j + 1] - start1;
      const std::int32_t gap = f1 > f2 ? f1 : f2, beside = up[j] + worth[j];
      if constexpr (Bits)  // the worth is not needed any more
        worth[j] = (f1 > f2 ? std::int32_t{first_goes_on} : 0) | (gap > beside ? std::int32_t{by_first} : 0);
      f[j + 1] = gap;
      const std::int32_t cell = gap > beside ? gap : beside;
      across[j] = cell;
      along[j] = cell - start2 + (j + 1) * extend2;
    }
    std::int32_t high = here[0] - start2;
    std::int32_t j4 = 0;
    const auto larger = [](std::int32_t u, std::int32_t v) { return u > v ? u : v; };
    for (; j4 + 4 <= m; j4 += 4) {  // four at a time, so that the chain is one step long for them
      const std::int32_t g0 = along[j4], g1 = larger(g0, along[j4 + 1]), g2 = larger(g1, along[j4 + 2]),
                         g3 = larger(g1, larger(along[j4 + 2], along[j4 + 3]));
      along[j4] = high;
      along[j4 + 1] = larger(high, g0);
      along[j4 + 2] = larger(high, g1);
      along[j4 + 3] = larger(high, g2);
      high = larger(high, g3);
    }
    for (; j4 < m; ++j4) {
      const std::int32_t before = high;
      high = larger(along[j4], high);
      along[j4] = before;
    }
    std::int32_t most = here[0];
    for (std::int32_t j = 0; j < m; ++j) {
      const std::int32_t gap = along[j] - j * extend2, cell = across[j];
      std::int32_t best = gap > cell ? gap : cell;
      if constexpr (Bits) {
        const std::int32_t goes_on = gap - extend2 > cell - start2 ? std::int32_t{second_goes_on} : 0;
        const std::int32_t what =
            gap > cell ? (worth[j] & std::int32_t{first_goes_on}) | std::int32_t{by_second} : worth[j];
        bits[j] = static_cast<unsigned char>(goes_on | what);
      }
      if constexpr (Local) {
        best = best > 0 ? best : 0;
        most = best > most ? best : most;
      }
      here[j + 1] = best;
    }
    return most;
  }

  // Two cells a byte: k and n + k.
  static constexpr void pack(const unsigned char* __restrict bits, unsigned char* __restrict to, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) to[k] = static_cast<unsigned char>(bits[k] | bits[n + k] << 4);
  }

  constexpr void begin_rows(std::uint32_t m, bool free_start) {
    h_.assign(m + 1, 0);
    other_.assign(m + 1, 0);
    f_.assign(m + 1, no_score);
    worth_.assign(m, 0);
    across_.assign(m, 0);
    along_.assign(m, 0);
    if (free_start) return;
    for (std::uint32_t j = 1; j <= m; ++j)
      h_[j] = -options_.second.open - static_cast<std::int32_t>(j) * options_.second.extend;
  }

  // Row after row; afterwards h_[j] and f_[j] are the last row: the best score of an alignment of all rows with the
  // first j columns, and of one that ends in a gap of the rows. Such a gap that starts in the first row costs `open`
  // instead of first.open. Returns the best score of an allowed end, and the first cell by rows that has it.
  template <where Mode, bool Backward>
  constexpr std::int32_t sweep(const stretch& s, std::int32_t open, std::uint32_t& i_end, std::uint32_t& j_end) {
    constexpr bool free_start = Mode == where::anywhere || Mode == where::sides;
    constexpr bool free_end = Mode == where::anywhere || Mode == where::from_corner;
    constexpr bool side_end = Mode == where::sides || Mode == where::from_corner_to_sides;
    const std::uint32_t n = s.rows(), m = s.columns();
    begin_rows(m, free_start);
    std::int32_t found = no_score;
    const auto end_at = [&](std::uint32_t i, std::uint32_t j, std::int32_t score) {
      if (score <= found) return;
      found = score;
      i_end = i;
      j_end = j;
    };
    if constexpr (free_end)
      for (std::uint32_t j = 0; j <= m; ++j) end_at(0, j, h_[j]);
    if (side_end && n > 0) end_at(0, m, h_[m]);
    for (std::uint32_t i = 0; i < n; ++i) {
      other_[0] = free_start ? 0 : -open - static_cast<std::int32_t>(i + 1) * options_.first.extend;
      if (!free_start) f_[0] = other_[0];
      std::int32_t most = row<Backward, Mode == where::anywhere, false>(s, i, h_.data(), other_.data());
      h_.swap(other_);
      if constexpr (Mode == where::from_corner)
        for (const std::int32_t cell : h_) most = cell > most ? cell : most;
      if (free_end && most > found)
        for (std::uint32_t j = 0; j <= m; ++j) end_at(i + 1, j, h_[j]);
      if (side_end && i + 1 < n) end_at(i + 1, m, h_[m]);
    }
    if constexpr (side_end)
      for (std::uint32_t j = 0; j <= m; ++j) end_at(n, j, h_[j]);
    if constexpr (Mode == where::corner) found = h_[m];
    return found;
  }

  // A global alignment of a stretch. A gap of the rows at its very start costs `open` to open, one at its very end
  // `close`: 0 if it goes on from, or goes on in, the neighbouring part.
  struct part {
    stretch s;
    std::int32_t open, close;
    bool gap = false;  // only a gap: all rows alone
  };

  // Appends the pairs and returns the score of the whole box, which is known as soon as the first part is done.
  constexpr std::int32_t divide(const stretch& box, std::vector<aligned_pair>& out) {
    const std::int32_t open1 = options_.first.open;
    std::int32_t score = no_score;
    bool scored = false;
    std::vector<part> work;
    work.push_back({box, open1, open1, false});
    std::vector<std::int32_t> upper_h, upper_f;
    while (!work.empty()) {
      const part p = work.back();
      work.pop_back();
      const stretch& s = p.s;
      if (p.gap) {
        for (std::uint32_t i = s.i0; i < s.i1; ++i) out.push_back({i, no_element});
        continue;
      }
      const std::size_t cells = std::size_t{s.rows()} * s.columns();
      if (s.rows() <= 1 || cells / 2 <= options_.matrix_bytes) {
        const std::int32_t of_part = read_off(p, out);
        if (!scored) score = of_part;
        scored = true;
        continue;
      }
      const std::uint32_t middle = s.i0 + s.rows() / 2, m = s.columns();
      std::uint32_t i = 0, j = 0;
      sweep<where::corner, false>({s.i0, middle, s.j0, s.j1}, p.open, i, j);
      upper_h.assign(h_.begin(), h_.end());
      upper_f.assign(f_.begin(), f_.end());
      sweep<where::corner, true>({middle, s.i1, s.j0, s.j1}, p.close, i, j);
      // Column k: the two halves meet between elements, or in the middle of a gap that is opened but once.
      std::uint32_t at = 0;
      bool in_gap = false;
      std::int32_t most = 2 * no_score;
      for (std::uint32_t k = 0; k <= m; ++k) {
        const std::int32_t apart = upper_h[k] + h_[m - k], joined = upper_f[k] + f_[m - k] + open1;
        if (apart > most || joined > most) {
          in_gap = joined > apart;
          most = in_gap ? joined : apart;
          at = k;
        }
      }
      if (!scored) score = most;
      scored = true;
      const std::uint32_t cut = s.j0 + at;
      if (in_gap) {  // the rows on both sides of the middle are in it
        work.push_back({{middle + 1, s.i1, cut, s.j1}, 0, p.close, false});
        work.push_back({{middle - 1, middle + 1, cut, cut}, 0, 0, true});
        work.push_back({{s.i0, middle - 1, s.j0, cut}, p.open, 0, false});
      } else {
        work.push_back({{middle, s.i1, cut, s.j1}, open1, p.close, false});
        work.push_back({{s.i0, middle, s.j0, cut}, p.open, open1, false});
      }
    }
    return score;
  }

  // A global alignment on the matrix; returns its score.
  constexpr std::int32_t read_off(const part& p, std::vector<aligned_pair>& out) {
    const stretch& s = p.s;
    const std::uint32_t n = s.rows(), m = s.columns();
    const std::size_t row_bytes = (std::size_t{m} + 1) / 2;
    matrix_.assign(row_bytes * n, 0);
    bits_.assign(row_bytes * 2, 0);
    begin_rows(m, false);
    for (std::uint32_t i = 0; i < n; ++i) {
      other_[0] = f_[0] = -p.open - static_cast<std::int32_t>(i + 1) * options_.first.extend;
      row<false, false, true>(s, i, h_.data(), other_.data());
      h_.swap(other_);
      pack(bits_.data(), matrix_.data() + i * row_bytes, row_bytes);
    }
    const auto bits_of = [&](std::uint32_t i, std::uint32_t j) {
      const std::size_t k = j - 1, row = (i - 1) * row_bytes;
      return k < row_bytes ? matrix_[row + k] & 15U : static_cast<unsigned>(matrix_[row + k - row_bytes]) >> 4;
    };
    // A gap of the rows that ends in the last cell may cost less.
    const bool ends_in_gap = n > 0 && f_[m] + options_.first.open - p.close > h_[m];
    follow_back(s.i0, s.i1, s.j0, s.j1, ends_in_gap ? by_first : by_pair, out, [&](std::uint32_t i, std::uint32_t j) {
      const unsigned left = j > 1 ? bits_of(i, j - 1) : 0U;
      return (bits_of(i, j) & (by_what | first_goes_on)) | (left & second_goes_on);
    });
    return ends_in_gap ? f_[m] + options_.first.open - p.close : h_[m];
  }

  const A* a_;
  const B* b_;
  const Score* score_;
  alignment_options options_;
  std::vector<std::int32_t> h_, other_, f_;   // a row and the next one; gaps in the rows
  std::vector<std::int32_t> worth_;           // of a row's pairs
  std::vector<std::int32_t> across_, along_;  // the best without a gap along the row; see row()
  std::vector<unsigned char> bits_, matrix_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
