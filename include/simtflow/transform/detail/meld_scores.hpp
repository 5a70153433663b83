// SPDX-License-Identifier: BSL-1.0
//
// The savings of melding two blocks: their instructions, aligned.
#pragma once

#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/profitability.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// The instructions of a block.
struct block_instructions {
  std::uint32_t first, count;
  [[nodiscard]] constexpr std::size_t size() const { return count; }
  constexpr std::uint32_t operator[](std::size_t k) const { return first + static_cast<std::uint32_t>(k); }
};

/// The scores of pairs of blocks, the first of arm 0 and the second of arm 1.
template <class M>
class meld_scores {
 public:
  constexpr meld_scores(const csr_graph& g, const M& model, const meld_options& how)
      : graph(&g), code(&model), options(how) {
    if (g.num_blocks() == 0) return;
    fingerprint.compute(g.num_blocks(), model);
    if constexpr (classes_decide()) number_classes();
  }

  [[nodiscard]] constexpr block_instructions of(block_id b) const {
    return {code->first(b), code->last(b) - code->first(b)};
  }
  // Aligns the instructions of a block of arm 0 and of a block of arm 1.
  [[nodiscard]] constexpr alignment align_blocks(block_id a, block_id b) const {
    const block_instructions x = of(a), y = of(b);
    if (options.mode == meld_mode::tail) return common_tail(x, y);
    const gap_cost gap{static_cast<std::int32_t>(options.predication_cost), 0};
    alignment_options how;
    how.first = gap;
    how.second = gap;
    if constexpr (classes_decide()) {
      if (few_classes_) {
        const std::span<const std::uint16_t> all(class_);
        const std::size_t from_x = x.count == 0 ? 0 : x.first, from_y = y.count == 0 ? 0 : y.first;
        alignment found = align(all.subspan(from_x, x.count), all.subspan(from_y, y.count),
                                class_scores{std::span<const std::int32_t>(class_weight_)}, how);
        return found;
      }
    }
    return align(
        x, y, [this](std::uint32_t i, std::uint32_t j) { return saves(i, j); }, how);
  }
  // The weight that an alignment's pairs save, without the cost of its gaps.
  [[nodiscard]] constexpr std::int64_t gross(const alignment& found) const {
    const auto cost = static_cast<std::int64_t>(options.predication_cost);
    std::int64_t sum = found.score;
    bool first_alone = false, second_alone = false;
    for (const aligned_pair& p : found.pairs) {
      if (p.second == no_element && !first_alone) sum += cost;
      if (p.first == no_element && !second_alone) sum += cost;
      first_alone = p.second == no_element;
      second_alone = p.first == no_element;
    }
    return sum;
  }
  // True if a profit is worth the melding.
  [[nodiscard]] constexpr bool reaches(const melding_profit& p) const {
    return p.reaches(options.mode == meld_mode::tail ? 0.0 : options.threshold);
  }

  const csr_graph* graph;
  const M* code;
  meld_options options;
  bool exchanged = false;  // arm 0 is the right one
  code_fingerprints fingerprint;

 private:
  static constexpr bool classes_decide() {
    if constexpr (requires { M::classes_decide; })
      return M::classes_decide;
    else
      return false;
  }

  // The weight that one instruction saves in place of i of arm 0 and j of arm 1.
  [[nodiscard]] constexpr std::int32_t saves(std::uint32_t i, std::uint32_t j) const {
    if (code->opcode_class(i) != code->opcode_class(j)) return forbidden_pair;
    const std::uint32_t left = exchanged ? j : i, right = exchanged ? i : j;
    if (!code->compatible(left, right)) return forbidden_pair;
    const std::uint32_t a = code->latency(i), b = code->latency(j);
    // Below zero it may still be cheaper than a branch around either.
    return static_cast<std::int32_t>(a < b ? a : b) - static_cast<std::int32_t>(code->overhead(left, right));
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

  // Pairs from the ends on, as long as no pair needs a select.
  [[nodiscard]] constexpr alignment common_tail(const block_instructions& x, const block_instructions& y) const {
    std::uint32_t common = 0;
    alignment out;
    while (common < x.count && common < y.count) {
      const std::uint32_t i = x[x.count - 1 - common], j = y[y.count - 1 - common];
      const std::uint32_t left = exchanged ? j : i, right = exchanged ? i : j;
      if (code->opcode_class(i) != code->opcode_class(j) || !code->compatible(left, right) ||
          code->overhead(left, right) != 0)
        break;
      const std::uint32_t a = code->latency(i), b = code->latency(j);
      out.score += static_cast<std::int32_t>(a < b ? a : b);
      ++common;
    }
    const auto cost = static_cast<std::int32_t>(options.predication_cost);
    if (common < x.count) out.score -= cost;
    if (common < y.count) out.score -= cost;
    for (std::uint32_t k = 0; k + common < x.count; ++k) out.pairs.push_back({k, no_element});
    for (std::uint32_t k = 0; k + common < y.count; ++k) out.pairs.push_back({no_element, k});
    for (std::uint32_t k = common; k > 0; --k) out.pairs.push_back({x.count - k, y.count - k});
    return out;
  }

  std::vector<std::uint16_t> class_;        // by instruction, if classes decide
  std::vector<std::int32_t> class_weight_;  // by class
  bool few_classes_ = false;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
