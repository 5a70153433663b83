// SPDX-License-Identifier: BSL-1.0
//
// The fast path of sequence alignment, for scores that ask of two elements only whether they are of one class: elements
// are mapped to dense class numbers once, a pair of one class is worth the class's weight, any other pair one and the
// same number for all, or is forbidden. Same results as align/sequence.hpp: score, stretches and pairs.
//
// Cells are computed in the widest vector registers of the machine (align/detail/strips.hpp); no compiler option is
// needed. Without such registers, in constant expressions, and for few cells the general alignment is used.
#pragma once

#include <simtflow/align/detail/strips.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// The scores of pairs of classes. The span must outlive its users.
struct class_scores {
  std::span<const std::int32_t> weight;    ///< by class: a pair of two elements of it
  std::int32_t mismatch = forbidden_pair;  ///< a pair of different classes
};

namespace detail {

// The scores as a function, for the cases that the fast path does not cover.
struct class_score_function {
  const class_scores* scores;
  constexpr std::int32_t operator()(std::uint16_t a, std::uint16_t b) const {
    return a == b ? scores->weight[a] : scores->mismatch;
  }
};

#if defined(SIMTFLOW_VECTORS)

// Solves the problem in strips; false if cells of this width do not do. Pairs: also the pairs (global alignment).
template <class Cell, alignment_mode Mode, bool Pairs>
bool align_in_strips(vector_unit unit, std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                     const class_scores& scores, const alignment_options& options, alignment& out) {
  constexpr std::uint16_t no_class = 0xFFFF;
  const gap_cost &first = options.first, &second = options.second;
  const std::int64_t starts = std::int64_t{first.open} + first.extend + second.open + second.extend;
  // A pair that is worth less than this is worse than both elements alone.
  const std::int64_t least = -starts - 1;
  const auto worth = [&](std::int32_t w) { return w < least ? least : std::int64_t{w}; };
  const std::int64_t miss = worth(scores.mismatch);
  std::int64_t most = miss > 0 ? miss : 0;
  for (const std::uint16_t k : a) {
    SIMTFLOW_EXPECTS(k < scores.weight.size(), "every class has a weight");
    if (scores.weight[k] > most) most = scores.weight[k];
  }
  strips<Cell> s;
  s.n = a.size();
  s.m = b.size();
  s.height = (unit == vector_unit::bytes_64 ? 128U : unit == vector_unit::bytes_32 ? 64U : 32U) / sizeof(Cell);
  // One more element in one of the sequences changes a score by at most `step`: it can be left unpaired, and a pair
  // that contains it can be given up. So until the base is checked again, the cells that are computed at the same time
  // are not farther from the base than `limit`, one `step` for each column and row in between, and a few for what is
  // added to cells.
  const std::int64_t step = most + starts + 1;
  const std::int64_t limit = static_cast<std::int64_t>(static_cast<std::make_unsigned_t<Cell>>(-1) >> 1) -
                             static_cast<std::int64_t>(2 * s.height + s.chunk + 8) * step;
  // Local: what lies past the ends must not be worth anything.
  if (limit < 0 || scores.weight.size() > no_class || (Mode == alignment_mode::local && miss > 0)) return false;
  if (Pairs && s.rows() > options.matrix_bytes / (s.words() * sizeof(Cell))) return false;
  s.limit = static_cast<std::int32_t>(limit);
  s.open1 = static_cast<Cell>(first.open);
  s.extend1 = static_cast<Cell>(first.extend);
  s.open2 = static_cast<Cell>(second.open);
  s.extend2 = static_cast<Cell>(second.extend);
  s.miss = static_cast<Cell>(miss);

  const std::size_t rows = s.rows(), columns = s.height - 1 + s.m + s.chunk + s.height;
  const raw_array<Cell> cells(2 * rows + columns);
  Cell *const x = cells.data(), *const w = x + rows, *const y = w + rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t at = i / s.height * s.height + s.height - 1 - i % s.height;
    x[at] = static_cast<Cell>(i < s.n ? a[i] : no_class);
    w[at] = static_cast<Cell>(i < s.n ? worth(scores.weight[a[i]]) : miss);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const bool inside = j >= s.height - 1 && j - (s.height - 1) < s.m;
    y[j] = static_cast<Cell>(inside ? b[j - (s.height - 1)] : no_class);
  }
  const raw_array<std::int32_t> above(2 * s.m);
  s.h = above.data();
  s.f = s.h + s.m;
  for (std::size_t j = 0; j < s.m; ++j) {
    s.h[j] = Mode == alignment_mode::global ? -second.open - static_cast<std::int32_t>(j + 1) * second.extend : 0;
    s.f[j] = s.h[j] - first.open;
  }
  s.x = x;
  s.w = w;
  s.y = y;
  const raw_array<unsigned char> matrix(Pairs ? rows * s.words() * sizeof(Cell) : 0);
  s.matrix = matrix.data();
  out.score = run_strips_of<Mode, Pairs>(unit, s);
  if constexpr (Pairs) {
    out.first_end = static_cast<std::uint32_t>(s.n);
    out.second_end = static_cast<std::uint32_t>(s.m);
    follow_back(0, out.first_end, 0, out.second_end, by_pair, out.pairs,
                [&](std::uint32_t i, std::uint32_t j) { return s.bits(i, j); });
  }
  return true;
}

#endif

// Tries the fast path; false if the general one has to be used. The result does not depend on the unit.
template <class Cell>
bool score_in_strips([[maybe_unused]] vector_unit unit, [[maybe_unused]] std::span<const std::uint16_t> a,
                     [[maybe_unused]] std::span<const std::uint16_t> b, [[maybe_unused]] const class_scores& scores,
                     [[maybe_unused]] const alignment_options& options, [[maybe_unused]] std::int32_t& score) {
#if defined(SIMTFLOW_VECTORS)
  if (unit == vector_unit::none || a.empty() || b.empty()) return false;
  alignment out;
  bool done = false;
  if (options.mode == alignment_mode::global)
    done = align_in_strips<Cell, alignment_mode::global, false>(unit, a, b, scores, options, out);
  else if (options.mode == alignment_mode::local)
    done = align_in_strips<Cell, alignment_mode::local, false>(unit, a, b, scores, options, out);
  else
    done = align_in_strips<Cell, alignment_mode::semi_global, false>(unit, a, b, scores, options, out);
  score = out.score;
  return done;
#else
  return false;
#endif
}
template <class Cell>
bool pairs_in_strips([[maybe_unused]] vector_unit unit, [[maybe_unused]] std::span<const std::uint16_t> a,
                     [[maybe_unused]] std::span<const std::uint16_t> b, [[maybe_unused]] const class_scores& scores,
                     [[maybe_unused]] const alignment_options& options, [[maybe_unused]] alignment& out) {
#if defined(SIMTFLOW_VECTORS)
  if (unit == vector_unit::none || a.empty() || b.empty() || options.mode != alignment_mode::global) return false;
  return align_in_strips<Cell, alignment_mode::global, true>(unit, a, b, scores, options, out);
#else
  return false;
#endif
}

// With fewer cells the preparation does not pay.
inline constexpr std::size_t least_cells_in_strips = 64;

// The narrowest registers that hold all rows in one strip, else the widest of this machine: wider ones gain nothing.
inline vector_unit unit_for(std::size_t rows, std::size_t cell_bytes) {
  const vector_unit widest = widest_vector_unit();
  if (rows * cell_bytes <= 32 && widest > vector_unit::bytes_16) return vector_unit::bytes_16;
  if (rows * cell_bytes <= 64 && widest > vector_unit::bytes_32) return vector_unit::bytes_32;
  return widest;
}

}  // namespace detail

/// The score of a best alignment of sequences of class numbers. \pre every class has a weight; as for the general one
/// Complexity: O(n * m) time, O(n + m) memory.
[[nodiscard]] constexpr std::int32_t alignment_score(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                                     const class_scores& scores,
                                                     const alignment_options& options = {}) {
  if (!std::is_constant_evaluated() && a.size() * b.size() >= detail::least_cells_in_strips) {
    std::int32_t score = 0;
    if (detail::score_in_strips<std::int16_t>(detail::unit_for(a.size(), 2), a, b, scores, options, score))
      return score;
    if (detail::score_in_strips<std::int32_t>(detail::unit_for(a.size(), 4), a, b, scores, options, score))
      return score;
  }
  return alignment_score(a, b, detail::class_score_function{&scores}, options);
}

/// A best alignment of sequences of class numbers: the one that align() finds with the same scores. The fast path takes
/// global alignments with a matrix, half a byte for each cell, within options.matrix_bytes; the general align() takes
/// all others. \pre as alignment_score
/// Complexity: as align().
[[nodiscard]] constexpr alignment align(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                        const class_scores& scores, const alignment_options& options = {}) {
  if (!std::is_constant_evaluated() && a.size() * b.size() >= detail::least_cells_in_strips) {
    alignment out;
    if (detail::pairs_in_strips<std::int16_t>(detail::unit_for(a.size(), 2), a, b, scores, options, out)) return out;
    if (detail::pairs_in_strips<std::int32_t>(detail::unit_for(a.size(), 4), a, b, scores, options, out)) return out;
  }
  return align(a, b, detail::class_score_function{&scores}, options);
}

}  // namespace v0
}  // namespace simtflow
