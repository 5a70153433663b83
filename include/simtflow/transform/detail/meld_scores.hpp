// SPDX-License-Identifier: BSL-1.0
//
// The savings of melding two blocks, or parts of blocks: their instructions, aligned.
#pragma once

#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_costs.hpp>
#include <simtflow/transform/detail/run_aligner.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meldable_code.hpp>
#include <simtflow/transform/profitability.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Instructions of a block that follow each other: all of it, or a part.
struct block_instructions {
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] constexpr std::size_t size() const { return count; }
  constexpr std::uint32_t operator[](std::size_t k) const { return first + static_cast<std::uint32_t>(k); }

  friend constexpr bool operator==(const block_instructions&, const block_instructions&) = default;
};

/// Instructions of both arms, aligned, and what that saves.
struct aligned_code {
  std::vector<aligned_pair> pairs;  ///< in order; both are numbers within their sequences
  std::int64_t net = 0;             ///< expected, less runs of one side; in units of 1 / meld_costs::one
  std::int64_t parted = 0;          ///< the same for one visit of a warp with threads of both arms, in units of 1
  std::int64_t gross = 0;           ///< the same without runs of one side
};

/// The scores of pairs of blocks, the first of arm 0 and the second of arm 1.
template <class M>
class meld_scores {
 public:
  constexpr meld_scores(const csr_graph& g, const M& model, const meld_options& how)
      : graph(&g), code(&model), options(how), costs(how) {
    if (g.num_blocks() == 0) return;
    fingerprint.compute(g.num_blocks(), model);
    if constexpr (classes_decide()) number_classes();
  }

  /// Takes up the arms of a branch, which begin with these two blocks. `right_first`: arm 0 is the right one.
  constexpr void take_up(block_id branch, block_id entry0, block_id entry1, bool right_first) {
    exchanged = right_first;
    const branch_likelihood how = likelihood_of(*code, branch);
    costs.take_up(how.parted, exchanged ? how.all_second() : how.all_first(),
                  exchanged ? how.all_first() : how.all_second());
    entry_[0] = frequency_of(*code, entry0);
    entry_[1] = frequency_of(*code, entry1);
    whole_ = costs.visits(1, 1);
    last_first_ = last_second_ = {};
  }
  /// How often a warp executes a block for each time that it enters the arm. O(1)
  [[nodiscard]] constexpr double in_arm(unsigned arm, block_id b) const {
    return entry_[arm] > 0 ? frequency_of(*code, b) / entry_[arm] : 1;
  }
  /// The visits of a block of arm 0 and a block of arm 1 made one. O(1)
  [[nodiscard]] constexpr meld_visits visits(block_id a, block_id b) const {
    return costs.visits(in_arm(0, a), in_arm(1, b));
  }
  /// The visits of something that every warp does once.
  [[nodiscard]] constexpr const meld_visits& once() const { return whole_; }

  [[nodiscard]] constexpr block_instructions of(block_id b) const {
    return {code->first(b), code->last(b) - code->first(b)};
  }
  /// Aligns instructions of a block of arm 0 and of a block of arm 1, which become one block with these visits. The
  /// result is good until the next call.
  constexpr const aligned_code& align_code(const block_instructions& x, const block_instructions& y,
                                           const meld_visits& v) {
    if (x.count != 0 && x == last_first_ && y == last_second_) return found_;
    last_first_ = x;
    last_second_ = y;
    if (options.mode == meld_mode::tail)
      pair_tails(x, y);
    else if (options.score == meld_score::paper)
      pair_with_gaps(x, y, printed_gap);
    else
      pair_by_cost(x, y, v);
    weigh(x, y, v);
    return found_;
  }
  /// The cost of a run of one side under a predicate, or under a branch if that is cheaper. O(run)
  struct run_cost {
    std::int64_t cost = 0;
    bool by_branch = false;  ///< True if the branch is cheaper
  };
  [[nodiscard]] constexpr run_cost cost_of_run(const block_instructions& run, unsigned arm,
                                               const meld_visits& v) const {
    std::int64_t sum = 0;
    for (std::uint32_t k = 0; k < run.count; ++k) sum += costs.issue(code->latency(run[k]));
    sum *= v.without(arm);
    const std::int64_t branch = costs.branch(v);
    return branch < sum ? run_cost{branch, true} : run_cost{sum, false};
  }
  /// True if a profit is worth the melding.
  [[nodiscard]] constexpr bool reaches(const melding_profit& p) const {
    const bool any = options.mode == meld_mode::tail && options.score != meld_score::paper;
    return p.reaches(any ? 0.0 : options.threshold);
  }
  /// The saving of one instruction in place of i of arm 0 and j of arm 1; run_aligner::forbidden if there is none.
  [[nodiscard]] constexpr std::int64_t saves(std::uint32_t i, std::uint32_t j, const meld_visits& v) const {
    if (code->opcode_class(i) != code->opcode_class(j)) return run_aligner::forbidden;
    const std::uint32_t left = exchanged ? j : i, right = exchanged ? i : j;
    if (!code->compatible(left, right)) return run_aligner::forbidden;
    const std::int64_t a = code->latency(i), b = code->latency(j);
    const std::int64_t selects = code->overhead(left, right);
    // Below zero it may still be cheaper than runs of one side.
    return v.first * a + v.second * b - v.all * ((a > b ? a : b) + selects);
  }
  /// Lists the cost of each instruction without a partner, under a predicate.
  constexpr void list_alone(const block_instructions& x, unsigned arm, const meld_visits& v,
                            std::vector<std::int64_t>& out) const {
    const std::int64_t visits = v.without(arm);
    for (std::uint32_t k = 0; k < x.count; ++k) out.push_back(visits * costs.issue(code->latency(x[k])));
  }

  const csr_graph* graph;
  const M* code;
  meld_options options;
  meld_costs costs;
  bool exchanged = false;  // arm 0 is the right one
  code_fingerprints fingerprint;

 private:
  static constexpr bool classes_decide() {
    if constexpr (requires { M::classes_decide; })
      return M::classes_decide;
    else
      return false;
  }
  // Vectors pay from here on, if classes decide.
  static constexpr std::size_t least_cells_for_classes = 1U << 14;
  // The cost of a run in the paper's alignment.
  static constexpr std::int32_t printed_gap = 2;
  // With a longer matrix the pairs are found with a branch around every run, in linear memory.
  static constexpr std::size_t most_cells = std::size_t{1} << 26;

  constexpr void pair_by_cost(const block_instructions& x, const block_instructions& y, const meld_visits& v) {
    found_.pairs.clear();
    if (x.count == 0 || y.count == 0) return;
    if (std::size_t{x.count} + 1 > most_cells / (std::size_t{y.count} + 1)) {
      return pair_with_gaps(x, y, static_cast<std::int32_t>(costs.parted_branch()));
    }
    alone_[0].clear();
    alone_[1].clear();
    list_alone(x, 0, v, alone_[0]);
    list_alone(y, 1, v, alone_[1]);
    const std::int64_t branch = costs.branch(v);
    if constexpr (classes_decide()) {
      const bool is_long = std::size_t{x.count} * y.count >= least_cells_for_classes;
      if (few_classes_ && is_long && pair_long(x, y, v)) return;
      found_.pairs.clear();
    }
    aligner_.run(
        alone_[0], alone_[1], branch, branch, [&](std::size_t i, std::size_t j) { return saves(x[i], y[j], v); },
        found_.pairs);
  }
  // Long sequences, if classes decide: the better one of two alignments, which find the best pairs if all runs are
  // predicated and if all runs have branches. Vectors compute both. False if neither saves anything; the best pairs,
  // with a form for each run, still may.
  constexpr bool pair_long(const block_instructions& x, const block_instructions& y, const meld_visits& v) {
    const std::int64_t idle = v.without(0) + v.without(1);
    std::int64_t most = costs.branch(v);
    for (const std::int32_t w : class_weight_) {
      const std::int64_t pair = v.both() * w + idle * costs.issue(static_cast<std::uint32_t>(w));
      most = pair > most ? pair : most;
    }
    // Small numbers fit narrow cells.
    std::int64_t unit = 1;
    while (most / unit > 128) unit *= 2;
    std::int64_t best = 0;
    for (const bool branches : {false, true}) {
      worth_.clear();
      for (const std::int32_t w : class_weight_) {
        const std::int64_t saved = v.both() * w;
        worth_.push_back(static_cast<std::int32_t>(
            (branches ? saved : saved + idle * costs.issue(static_cast<std::uint32_t>(w))) / unit));
      }
      if (branches) pairs_.swap(found_.pairs);
      pair_classes(x, y, worth_, branches ? static_cast<std::int32_t>(costs.branch(v) / unit) : 0);
      weigh(x, y, v);
      if (branches && best >= found_.net) pairs_.swap(found_.pairs);
      best = found_.net > best ? found_.net : best;
    }
    return best > 0;
  }
  // Pairs are worth their latency, and runs cost the same whatever their length.
  constexpr void pair_with_gaps(const block_instructions& x, const block_instructions& y, std::int32_t gap) {
    if constexpr (classes_decide())
      if (few_classes_) return pair_classes(x, y, class_weight_, gap);
    alignment_options how;
    how.first.open = how.second.open = gap;
    take_pairs(align(
        x, y,
        [this](std::uint32_t i, std::uint32_t j) {
          if (code->opcode_class(i) != code->opcode_class(j)) return forbidden_pair;
          if (!(exchanged ? code->compatible(j, i) : code->compatible(i, j))) return forbidden_pair;
          const std::uint32_t a = code->latency(i), b = code->latency(j);
          return static_cast<std::int32_t>(a < b ? a : b);
        },
        how));
  }
  constexpr void pair_classes(const block_instructions& x, const block_instructions& y,
                              const std::vector<std::int32_t>& worth, std::int32_t gap) {
    alignment_options how;
    how.first.open = how.second.open = gap;
    const std::span<const std::uint16_t> all(class_);
    take_pairs(align(all.subspan(x.count == 0 ? 0 : x.first, x.count), all.subspan(y.count == 0 ? 0 : y.first, y.count),
                     class_scores{std::span<const std::int32_t>(worth)}, how));
  }
  constexpr void take_pairs(const alignment& from) {
    found_.pairs.clear();
    for (const aligned_pair& p : from.pairs)
      if (p.first != no_element && p.second != no_element) found_.pairs.push_back(p);
  }

  // Pairs from the ends on, as long as no pair needs a select; as the paper prints it, pairs may need selects.
  constexpr void pair_tails(const block_instructions& x, const block_instructions& y) {
    std::uint32_t common = 0;
    for (; common < x.count && common < y.count; ++common) {
      const std::uint32_t i = x[x.count - 1 - common], j = y[y.count - 1 - common];
      const std::uint32_t left = exchanged ? j : i, right = exchanged ? i : j;
      if (code->opcode_class(i) != code->opcode_class(j) || !code->compatible(left, right) ||
          (options.score != meld_score::paper && code->overhead(left, right) != 0))
        break;
    }
    found_.pairs.clear();
    for (std::uint32_t k = common; k > 0; --k) found_.pairs.push_back({x.count - k, y.count - k});
  }

  // Adds up what the pairs save and what the runs between them cost.
  constexpr void weigh(const block_instructions& x, const block_instructions& y, const meld_visits& v) {
    found_.net = found_.parted = found_.gross = 0;
    const bool as_printed = options.score == meld_score::paper;
    std::uint32_t i = 0, j = 0;
    const auto run = [&](const block_instructions& all, std::uint32_t from, std::uint32_t to, unsigned arm) {
      const run_cost c = cost_of_run({all.first + from, to - from}, arm, v);
      found_.net -= c.cost;
      if (c.by_branch) found_.parted -= costs.parted_branch();
    };
    for (const aligned_pair& p : found_.pairs) {
      run(x, i, p.first, 0);
      run(y, j, p.second, 1);
      i = p.first + 1;
      j = p.second + 1;
      const std::uint32_t one = x[p.first], other = y[p.second];
      const std::int64_t a = code->latency(one), b = code->latency(other);
      const std::int64_t selects = exchanged ? code->overhead(other, one) : code->overhead(one, other);
      found_.net += v.first * a + v.second * b - v.all * ((a > b ? a : b) + selects);
      found_.gross += (a < b ? a : b) - (as_printed ? 0 : selects);
      found_.parted += (a < b ? a : b) - selects;
    }
    run(x, i, x.count, 0);
    run(y, j, y.count, 1);
  }

  constexpr void number_classes() {
    std::uint32_t most = 0;
    for (block_id b = 0; b < graph->num_blocks(); ++b)
      for (std::uint32_t i = code->first(b); i < code->last(b); ++i) {
        const std::uint32_t c = code->opcode_class(i);
        most = c > most ? c : most;
        while (class_.size() <= i) class_.push_back(0);
        while (class_weight_.size() <= c && c <= 0xFFFFU) class_weight_.push_back(0);
        class_[i] = static_cast<std::uint16_t>(c);
        if (c <= 0xFFFFU) class_weight_[c] = static_cast<std::int32_t>(code->latency(i));
      }
    few_classes_ = most <= 0xFFFFU;
  }

  std::vector<std::uint16_t> class_;        // by instruction, if classes decide
  std::vector<std::int32_t> class_weight_;  // by class
  bool few_classes_ = false;
  double entry_[2] = {1, 1};  // by arm: the frequency of its first block
  meld_visits whole_;
  run_aligner aligner_;
  std::vector<std::int64_t> alone_[2];
  std::vector<std::int32_t> worth_;  // by class
  std::vector<aligned_pair> pairs_;
  aligned_code found_;
  block_instructions last_first_, last_second_;  // what found_ belongs to; no instructions: to nothing
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
