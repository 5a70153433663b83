// SPDX-License-Identifier: BSL-1.0
//
// Sequence alignment for melding: elements without a partner form runs, and a run costs the lesser of two prices: the
// sum of what its elements cost one by one, or a branch around it.
//
// Construction: Gotoh's recurrence with two kinds of gaps for each sequence, rows of scores and a byte a cell for the
// way back. Between two pairs the first sequence's run comes first, so that there is one run of each sequence.
//
// Literature: O. Gotoh, An improved algorithm for matching biological sequences (1982); O. Gotoh, Optimal sequence
// alignment allowing for long gaps (1990), for gap costs that are the least of several.
#pragma once

#include <simtflow/align/alignment.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

class run_aligner {
 public:
  static constexpr std::int64_t forbidden = -(std::int64_t{1} << 61);

  /// The pairs of a best alignment, in order. score(i, j): what a pair is worth, or `forbidden`; `alone0` and `alone1`:
  /// what elements of each sequence cost one by one; a branch around a run costs branch0 or branch1.
  /// \pre no cost is negative, and all scores and costs together are below 2^60. Complexity: O(n * m) time and memory
  template <class Score>
  constexpr void run(std::span<const std::int64_t> alone0, std::span<const std::int64_t> alone1, std::int64_t branch0,
                     std::int64_t branch1, const Score& score, std::vector<aligned_pair>& pairs) {
    pairs.clear();
    const std::size_t n = alone0.size(), m = alone1.size();
    if (n == 0 || m == 0) return;
    const std::size_t columns = m + 1;
    way_.assign((n + 1) * columns, 0);
    row_.assign(columns, {forbidden, forbidden, forbidden, forbidden});
    // Row 0: only a run of the second sequence.
    row_[0] = {0, 0, forbidden, forbidden};
    std::int64_t sum = 0;
    for (std::size_t j = 1; j <= m; ++j) {
      sum += alone1[j - 1];
      const bool by_branch = branch1 < sum;
      row_[j].best = -(by_branch ? branch1 : sum);
      way_[j] = static_cast<unsigned char>((by_branch ? second_branch : second_alone) |
                                           (j > 1 ? second_alone_goes_on | second_branch_goes_on : 0));
    }
    for (std::size_t i = 1; i <= n; ++i) {
      const std::int64_t one0 = alone0[i - 1];
      std::int64_t diagonal = row_[0].best;
      std::int64_t f1 = forbidden, f2 = forbidden, left = forbidden;
      unsigned char* const way = way_.data() + i * columns;
      for (std::size_t j = 0; j <= m; ++j) {
        cell& c = row_[j];
        unsigned bits = 0;
        // Runs of the first sequence begin after a pair.
        std::int64_t e1 = c.pair, e2 = c.pair - branch0;
        if (c.first_alone > e1) {
          e1 = c.first_alone;
          bits |= first_alone_goes_on;
        }
        e1 -= one0;
        if (c.first_branch > e2) {
          e2 = c.first_branch;
          bits |= first_branch_goes_on;
        }
        std::int64_t pair = forbidden;
        if (j > 0) {
          const std::int64_t worth = score(i - 1, j - 1);
          if (worth != forbidden) pair = diagonal + worth;
        }
        std::int64_t here = pair;
        if (e1 > here) {
          here = e1;
          bits |= first_alone;
        }
        if (e2 > here) {
          here = e2;
          bits = (bits & ~first_alone) | first_branch;
        }
        std::int64_t best = here;
        if (j > 0) {
          const std::int64_t one1 = alone1[j - 1];
          if (f1 > left)
            bits |= second_alone_goes_on;
          else
            f1 = left;
          f1 -= one1;
          if (f2 > left - branch1)
            bits |= second_branch_goes_on;
          else
            f2 = left - branch1;
          if (f1 > best) {
            best = f1;
            bits |= second_alone;
          }
          if (f2 > best) {
            best = f2;
            bits = (bits & ~second_alone) | second_branch;
          }
        }
        left = here;
        diagonal = c.best;
        c = {best, pair, e1, e2};
        way[j] = static_cast<unsigned char>(bits);
      }
    }
    follow_back(n, m, pairs);
  }

 private:
  // How a best alignment up to a cell ends: with a run of the second sequence, else with one of the first, else with a
  // pair; and which of the four kinds of runs began earlier than here.
  enum : unsigned {
    first_alone = 1,
    first_branch = 2,
    second_alone = 4,
    second_branch = 8,
    first_alone_goes_on = 16,
    first_branch_goes_on = 32,
    second_alone_goes_on = 64,
    second_branch_goes_on = 128
  };
  struct cell {
    std::int64_t best, pair, first_alone, first_branch;
  };

  constexpr void follow_back(std::size_t i, std::size_t j, std::vector<aligned_pair>& pairs) const {
    const std::size_t columns = j + 1;
    while (i > 0 || j > 0) {
      unsigned bits = way_[i * columns + j];
      if ((bits & (second_alone | second_branch)) != 0) {
        const unsigned on = (bits & second_alone) != 0 ? second_alone_goes_on : second_branch_goes_on;
        for (bool more = true; more; --j) more = (way_[i * columns + j] & on) != 0;
        bits = way_[i * columns + j];
      }
      if (i > 0 && (bits & (first_alone | first_branch)) != 0) {
        const unsigned on = (bits & first_alone) != 0 ? first_alone_goes_on : first_branch_goes_on;
        for (bool more = true; more; --i) more = (way_[i * columns + j] & on) != 0;
      }
      if (i == 0 || j == 0) break;
      --i;
      --j;
      pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    }
    for (std::size_t k = 0; k < pairs.size() / 2; ++k) {
      const aligned_pair other = pairs[pairs.size() - 1 - k];
      pairs[pairs.size() - 1 - k] = pairs[k];
      pairs[k] = other;
    }
  }

  std::vector<cell> row_;           // by column: the row above, and to the left the row itself
  std::vector<unsigned char> way_;  // by cell
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
