// SPDX-License-Identifier: BSL-1.0
//
// Sequence alignment: pairs up elements of two sequences, in order, so that the sum of the pairs' scores minus the cost
// of the gaps is greatest. Elements are of any type; what a pair is worth is asked from a function object that the
// compiler can inline, and a pair can be forbidden.
//
//   global       all elements of both, gaps at the ends included (Needleman, Wunsch)
//   local        the best-scoring stretch of each; nothing, if nothing scores above zero (Smith, Waterman)
//   semi-global  all elements, but gaps at either end of either sequence are free
//
// A gap is a run of elements of one sequence that have no partner in the other; k of them cost open + k * extend. Costs
// may differ for the two sequences. A gap in the one next to a gap in the other is two gaps.
//
// Construction: Gotoh's recurrence on two rows for scores, and on a matrix of four bits a cell for the pairs. If the
// matrix would be larger than the caller allows, Myers and Miller's divide and conquer halves the problem until it is
// not: about twice the time, memory linear in the lengths. Local and semi-global alignments are found by their score
// alone, forward for the end and backward for the start; what lies between is a global alignment.
//
// Among several best alignments every machine finds the same one: within a matrix a pair is preferred to a gap, and
// a gap in the second sequence (an element of the first left alone) to one in the first, seen from the end.
//
// Literature: O. Gotoh, An improved algorithm for matching biological sequences (1982); E. Myers, W. Miller, Optimal
// alignments in linear space (1988); T. Smith, M. Waterman, Identification of common molecular subsequences (1981).
#pragma once

#include <simtflow/align/alignment.hpp>
#include <simtflow/align/detail/aligner.hpp>
#include <simtflow/config.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
/// The score of a best alignment. \pre lengths below 2^31, and neither the scores and gap costs on any path nor the
/// scores and costs of all gaps together add up to 2^28 or more. Empty sequences are ordinary. Complexity: O(n * m)
/// time, O(m) memory.
template <indexed_sequence A, indexed_sequence B, pair_score<A, B> Score>
[[nodiscard]] constexpr std::int32_t alignment_score(const A& a, const B& b, const Score& score,
                                                     const alignment_options& options = {}) {
  std::uint32_t i = 0, j = 0;
  return detail::aligner<A, B, Score>(a, b, score, options).best(i, j);
}

/// A best alignment. Empty sequences are ordinary: no pairs. \pre as alignment_score
/// Complexity: O(n * m) time; memory at most options.matrix_bytes plus O(n + m).
/// Errors: a negative gap cost is a contract violation.
/// \snippet reference_test.cpp align
template <indexed_sequence A, indexed_sequence B, pair_score<A, B> Score>
[[nodiscard]] constexpr alignment align(const A& a, const B& b, const Score& score,
                                        const alignment_options& options = {}) {
  return detail::aligner<A, B, Score>(a, b, score, options).run();
}

/// The score of an alignment by definition: the sum over its pairs, gap by gap; forbidden_pair if it has such a pair.
/// O(pairs).
template <indexed_sequence A, indexed_sequence B, pair_score<A, B> Score>
[[nodiscard]] constexpr std::int32_t score_of(const alignment& x, const A& a, const B& b, const Score& score,
                                              const alignment_options& options = {}) {
  std::int32_t sum = 0;
  bool first_alone = false, second_alone = false;
  for (const aligned_pair& p : x.pairs) {
    if (p.second == no_element) {
      sum -= options.first.extend + (first_alone ? 0 : options.first.open);
    } else if (p.first == no_element) {
      sum -= options.second.extend + (second_alone ? 0 : options.second.open);
    } else {
      const auto worth = static_cast<std::int32_t>(score(a[p.first], b[p.second]));
      if (worth == forbidden_pair) return forbidden_pair;
      sum += worth;
    }
    first_alone = p.second == no_element;
    second_alone = p.first == no_element;
  }
  return sum;
}

}  // namespace v0
}  // namespace simtflow
