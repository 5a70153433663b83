// SPDX-License-Identifier: BSL-1.0
//
// The fast path of sequence alignment, for scores that ask of two elements only whether they are of one class: elements
// are mapped to dense class numbers once, a pair of one class is worth the class's weight, any other pair one and the
// same number for all, or is forbidden. Same results as align/sequence.hpp: score, stretches and pairs.
//
// Construction: cells on one anti-diagonal do not depend on each other. With one sequence reversed, all that a diagonal
// reads lies in rows side by side, so that compilers vectorise the loop as it stands. Scores have 16 bits as long as
// they fit: what a diagonal can add to the greatest score is known, so that before it could overflow the run is given
// up and made again with 32.
//
// Literature: the anti-diagonal order is that of A. Wozniak, Using video-oriented instructions to speed up sequence
// comparison (1997); narrow scores with a wide second run are that of T. Rognes, E. Seeberg (2000).
#pragma once

#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What pairs of classes are worth. The span must outlive what uses it.
struct class_scores {
  std::span<const std::int32_t> weight;    ///< by class: a pair of two elements of it
  std::int32_t mismatch = forbidden_pair;  ///< a pair of different classes
};

namespace detail {

template <class Cell>
class diagonal_aligner {
 public:
  using classes = std::span<const std::uint16_t>;

  constexpr diagonal_aligner(classes a, classes b, const class_scores& scores, const alignment_options& options)
      : a_(a), b_(b), scores_(&scores), options_(options) {}

  // The best score; false if it might not fit.
  constexpr bool score(std::int32_t& best) {
    switch (options_.mode) {
      case alignment_mode::global:
        return sweep<alignment_mode::global, false>(best);
      case alignment_mode::local:
        return sweep<alignment_mode::local, false>(best);
      case alignment_mode::semi_global:
        return sweep<alignment_mode::semi_global, false>(best);
    }
    return false;
  }

  // A global alignment, on a matrix of a byte for each cell; false if it might not fit.
  constexpr bool pairs(alignment& out) {
    const std::size_t n = a_.size(), m = b_.size();
    matrix_.assign(n * m + width, 0);
    row_of_diagonal_.assign(n + m + 1, 0);
    if (!sweep<alignment_mode::global, true>(out.score)) return false;
    out.first_end = static_cast<std::uint32_t>(n);
    out.second_end = static_cast<std::uint32_t>(m);
    follow_back(0, out.first_end, 0, out.second_end, by_pair, out.pairs, [&](std::uint32_t i, std::uint32_t j) {
      const std::size_t d = std::size_t{i} + j;
      return static_cast<unsigned>(matrix_[row_of_diagonal_[d] + i - (d > m ? d - m : 1)]);
    });
    return true;
  }

 private:
  static constexpr std::int64_t most = (std::numeric_limits<Cell>::max)();
  // Diagonals are filled up to a multiple of this many cells, so that no loop has a rest. What lies behind a diagonal's
  // last cell is never read by one of the matrix, and if local no greater than they are: all its pairs are mismatches.
  static constexpr std::size_t width = 64 / sizeof(Cell);
  // Narrow cells behind the last may wrap around, wide ones must not: for them there is more room.
  static constexpr std::uint16_t no_class = 0xFFFF;
  static constexpr std::int64_t room = sizeof(Cell) == 2 ? 4 : 8;
  static constexpr Cell never = static_cast<Cell>(-2 * most / room);
  static constexpr std::uint32_t diagonals_per_check = 16;

  // What one pair can change a score by.
  constexpr std::int64_t step() const {
    std::int64_t s = 0;
    const auto take = [&s](std::int64_t by) {
      if (by < 0) by = -by;
      if (by > s) s = by;
    };
    for (const std::int32_t w : scores_->weight) take(w);
    if (scores_->mismatch != forbidden_pair) take(scores_->mismatch);
    return s;
  }
  // The least that a cell can have, no worse than all elements alone, fits; and what checks let pass in between.
  constexpr bool fits(std::int64_t by_one) const {
    const auto cost = [](const gap_cost& g, std::size_t n) {
      return std::int64_t{g.open} + static_cast<std::int64_t>(n + 1) * g.extend;
    };
    const bool clamped = options_.mode == alignment_mode::local;
    if (scores_->weight.size() > no_class || (clamped && scores_->mismatch > 0)) return false;
    const std::int64_t least =
        cost(options_.first, clamped ? 0 : a_.size()) + cost(options_.second, clamped ? 0 : b_.size());
    const std::int64_t starts =
        std::int64_t{options_.first.open} + options_.first.extend + options_.second.open + options_.second.extend;
    return by_one * diagonals_per_check < most / room && least + by_one + starts < most / room &&
           (sizeof(Cell) == 2 || starts * static_cast<std::int64_t>(width) < most / room);
  }

  template <alignment_mode Mode, bool Bits>
  constexpr bool sweep(std::int32_t& best) {
    const std::int64_t by_a_pair = step();
    if (!fits(by_a_pair)) return false;
    const std::size_t n = a_.size(), m = b_.size();
    const Cell miss = scores_->mismatch == forbidden_pair ? never : static_cast<Cell>(scores_->mismatch);
    reversed_.assign(m + width, no_class);  // of no element: a pair with it is a mismatch
    for (std::size_t j = 0; j < m; ++j) reversed_[m - 1 - j] = b_[j];
    forward_.assign(n + width, 0);
    weight_.assign(n + width, miss);  // behind the ends nothing is worth more
    for (std::size_t i = 0; i < n; ++i) {
      forward_[i] = a_[i];
      SIMTFLOW_EXPECTS(a_[i] < scores_->weight.size(), "every class has a weight");
      weight_[i] = static_cast<Cell>(scores_->weight[a_[i]]);
    }
    for (std::vector<Cell>* v : {&h_[0], &h_[1], &h_[2], &e_, &f_[0], &f_[1]}) v->assign(n + 1 + width, never);
    const auto edge = [](const gap_cost& g, std::size_t k) {
      if (Mode != alignment_mode::global || k == 0) return Cell{0};
      return static_cast<Cell>(-g.open - static_cast<std::int64_t>(k) * g.extend);
    };
    Cell highest = 0;
    std::int32_t ends = (std::numeric_limits<std::int32_t>::min)();  // semi-global: the last row and column
    std::size_t bits_at = 0;
    // Element i of a diagonal d is cell (i, d - i): the best for the first i and the first d - i elements.
    for (std::size_t d = 0; d <= n + m; ++d) {
      std::vector<Cell>& h = h_[d % 3];
      const std::size_t first = d > m ? d - m : 1,
                        last = d <= n ? d : n + 1;  // of the cells that have three neighbours
      if (first < last) {
        const Cell high = diagonal<Mode == alignment_mode::local, Bits>(
            last - first, h.data() + first, h_[(d + 2) % 3].data() + first - 1, h_[(d + 1) % 3].data() + first - 1,
            e_.data() + first, f_[d % 2].data() + first, f_[(d + 1) % 2].data() + first - 1,
            forward_.data() + first - 1, reversed_.data() + (m + first - d), weight_.data() + first - 1,
            Bits ? matrix_.data() + bits_at : nullptr, miss, options_.first, options_.second);
        if (Mode == alignment_mode::local && high > highest) highest = high;
        if constexpr (Bits) {
          row_of_diagonal_[d] = bits_at;
          bits_at += last - first;
        }
      }
      if (d <= m) {
        h[0] = edge(options_.second, d);
        f_[d % 2][0] = never;
      }
      if (d <= n) {
        h[d] = edge(options_.first, d);
        e_[d] = never;
      }
      if constexpr (Mode == alignment_mode::semi_global) {
        if (d >= m && h[d - m] > ends) ends = h[d - m];
        if (d >= n && h[n] > ends) ends = h[n];
      }
      if (d % diagonals_per_check == 0) {
        Cell high = never;
        for (std::size_t i = first - 1; i < last; ++i) high = h[i] > high ? h[i] : high;
        if (high > most - 2 * diagonals_per_check * by_a_pair) return false;
      }
    }
    best = Mode == alignment_mode::global ? h_[(n + m) % 3][n] : Mode == alignment_mode::local ? highest : ends;
    return true;
  }

  // The cells h, e, f of a diagonal and what they are made of: h1 is one diagonal before (the cell above, behind it the
  // one to the left), h2 two before; x and y are the classes, w the weights. Bits as in sequence.hpp. All are arguments,
  // because compilers believe what is said of those: that they do not overlap.
  template <bool Local, bool Bits>
  static constexpr Cell diagonal(std::size_t cells, Cell* __restrict h, const Cell* __restrict h1,
                                 const Cell* __restrict h2, Cell* __restrict e, Cell* __restrict f,
                                 const Cell* __restrict f1, const std::uint16_t* __restrict x,
                                 const std::uint16_t* __restrict y, const Cell* __restrict w,
                                 [[maybe_unused]] unsigned char* __restrict bits, Cell miss, const gap_cost& first,
                                 const gap_cost& second) {
    const Cell extend1 = static_cast<Cell>(first.extend), start1 = static_cast<Cell>(first.open + first.extend);
    const Cell extend2 = static_cast<Cell>(second.extend), start2 = static_cast<Cell>(second.open + second.extend);
    const std::size_t count = (cells + width - 1) / width * width;
    Cell high = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Cell go1 = static_cast<Cell>(f1[k] - extend1), new1 = static_cast<Cell>(h1[k] - start1);
      const Cell go2 = static_cast<Cell>(e[k] - extend2), new2 = static_cast<Cell>(h1[k + 1] - start2);
      const Cell gap1 = go1 > new1 ? go1 : new1, gap2 = go2 > new2 ? go2 : new2;
      const Cell beside = static_cast<Cell>(h2[k] + (x[k] == y[k] ? w[k] : miss));
      const Cell across = gap1 > beside ? gap1 : beside;
      Cell cell = gap2 > across ? gap2 : across;
      if constexpr (Bits) {
        const Cell from = gap2 > across ? Cell{by_second} : gap1 > beside ? Cell{by_first} : Cell{by_pair};
        const Cell goes_on = static_cast<Cell>((go1 > new1 ? first_goes_on : 0) | (go2 > new2 ? second_goes_on : 0));
        bits[k] = static_cast<unsigned char>(from | goes_on);
      }
      if constexpr (Local) {
        cell = cell > 0 ? cell : Cell{0};
        high = cell > high ? cell : high;
      }
      f[k] = gap1;
      e[k] = gap2;
      h[k] = cell;
    }
    return high;
  }

  classes a_, b_;
  const class_scores* scores_;
  alignment_options options_;
  std::vector<std::uint16_t> forward_, reversed_;
  std::vector<Cell> weight_, h_[3], e_, f_[2];
  std::vector<unsigned char> matrix_;
  std::vector<std::size_t> row_of_diagonal_;
};

// The scores as a function, for what has no path of its own.
struct class_score_function {
  const class_scores* scores;
  constexpr std::int32_t operator()(std::uint16_t a, std::uint16_t b) const {
    return a == b ? scores->weight[a] : scores->mismatch;
  }
};

}  // namespace detail

/// The score of a best alignment of sequences of class numbers. \pre every class has a weight; as for the general one
/// Complexity: O(n * m) time, O(n + m) memory.
[[nodiscard]] constexpr std::int32_t alignment_score(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                                     const class_scores& scores,
                                                     const alignment_options& options = {}) {
  std::int32_t best = 0;
  if (detail::diagonal_aligner<std::int16_t>(a, b, scores, options).score(best)) return best;
  if (detail::diagonal_aligner<std::int32_t>(a, b, scores, options).score(best)) return best;
  return alignment_score(a, b, detail::class_score_function{&scores}, options);
}

/// A best alignment of sequences of class numbers: the one that align() finds with the same scores. The fast path is
/// that of global alignments whose matrix, of a byte for each cell, is within options.matrix_bytes; all others are left
/// to align(). \pre as alignment_score
/// Complexity: as align().
[[nodiscard]] constexpr alignment align(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                        const class_scores& scores, const alignment_options& options = {}) {
  if (options.mode == alignment_mode::global && (a.empty() || b.size() <= options.matrix_bytes / a.size())) {
    alignment out;
    if (detail::diagonal_aligner<std::int16_t>(a, b, scores, options).pairs(out)) return out;
    if (detail::diagonal_aligner<std::int32_t>(a, b, scores, options).pairs(out)) return out;
  }
  return align(a, b, detail::class_score_function{&scores}, options);
}

}  // namespace v0
}  // namespace simtflow
