// SPDX-License-Identifier: BSL-1.0
//
// The most that melding two blocks, or two isomorphic pieces, can save, before anything is aligned: code is reduced to
// how much weight (latency) each of its opcode classes has, and two pieces of code can share of every class at most
// what the lighter one has. With lat(b) for the weight of block b and w(c, b) for the weight of its instructions of
// class c,
//
//   MP_B(b1, b2) = sum over c of min(w(c, b1), w(c, b2)) / (lat(b1) + lat(b2))
//   MP_S(s1, s2) = sum over the pairs of blocks of MP_B * (lat + lat) / sum over the pairs of (lat + lat)
//
// Both lie between 0 and 0.5; equal blocks have 0.5. They ignore the order of instructions, so that no alignment saves
// more: a pair that is below the threshold here needs no alignment.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM (2022), which defines both; F. Rocha et al., HyFM: function
// merging for free (2021), for frequencies of opcodes as fingerprints.
#pragma once

#include <simtflow/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The weight that instructions of one class have together.
struct class_weight {
  std::uint32_t opcode_class = 0;  ///< which class
  std::uint64_t weight = 0;        ///< the sum of the latencies

  friend constexpr bool operator==(const class_weight&, const class_weight&) = default;
};

/// The code of a function as far as fingerprints need it: block b has the instructions [first(b), last(b)); each
/// is of a class (numbered densely from 0 on) and takes its time.
template <class M>
concept weighed_code = requires(const M& m, block_id b, std::uint32_t i) {
  { m.first(b) } -> std::convertible_to<std::uint32_t>;
  { m.last(b) } -> std::convertible_to<std::uint32_t>;
  { m.opcode_class(i) } -> std::convertible_to<std::uint32_t>;
  { m.latency(i) } -> std::convertible_to<std::uint32_t>;
};

/// The fingerprints of a function's blocks: for each a list of classes and weights, by ascending class.
class code_fingerprints {
 public:
  /// The fingerprints of no block.
  constexpr code_fingerprints() = default;
  /// See compute().
  template <weighed_code M>
  constexpr code_fingerprints(std::size_t num_blocks, const M& code) {
    compute(num_blocks, code);
  }

  /// Computes the fingerprints of the blocks 0 .. num_blocks - 1. \pre no instruction is in two blocks. Memory is kept.
  /// Complexity: O(blocks + instructions + classes), also where instruction numbers have holes.
  template <weighed_code M>
  constexpr void compute(std::size_t num_blocks, const M& code) {
    row_.assign(1, 0);
    total_.assign(num_blocks, 0);
    block_.clear();
    class_.clear();
    own_.clear();
    begin_.clear();
    for (block_id b = 0; b < num_blocks; ++b) {
      const std::uint32_t first = code.first(b), last = code.last(b);
      for (std::uint32_t i = first; i < last; ++i) {
        const std::uint32_t c = code.opcode_class(i), weight = code.latency(i);
        while (begin_.size() < std::size_t{c} + 2) begin_.push_back(0);
        ++begin_[c + 1];
        block_.push_back(b);
        class_.push_back(c);
        own_.push_back(weight);
        total_[b] += weight;
      }
      row_.push_back(block_.size());
    }
    // By class first; taken in this order, each block's instructions come by ascending class.
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    order_.assign(block_.size(), 0);
    for (std::uint32_t k = 0; k < block_.size(); ++k) order_[begin_[class_[k]]++] = k;
    size_.assign(num_blocks, 0);
    entry_.assign(block_.size(), {});
    for (const std::uint32_t k : order_) {
      const std::size_t at = row_[block_[k]];
      std::size_t& size = size_[block_[k]];
      if (size == 0 || entry_[at + size - 1].opcode_class != class_[k]) entry_[at + size++] = {class_[k], 0};
      entry_[at + size - 1].weight += own_[k];
    }
  }

  /// How many blocks there are.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return total_.size(); }
  /// The classes of a block and what they weigh, by ascending class. \pre b < num_blocks(), here and below. O(1)
  [[nodiscard]] constexpr std::span<const class_weight> operator[](block_id b) const {
    SIMTFLOW_EXPECTS(b < total_.size(), "the fingerprint of a block of the function");
    return std::span<const class_weight>(entry_).subspan(row_[b], size_[b]);
  }
  /// lat(b): the weight of all its instructions. O(1)
  [[nodiscard]] constexpr std::uint64_t weight(block_id b) const {
    SIMTFLOW_EXPECTS(b < total_.size(), "the weight of a block of the function");
    return total_[b];
  }

 private:
  std::vector<std::size_t> row_, size_;
  std::vector<class_weight> entry_;  // row_[b] .. row_[b] + size_[b]: of block b
  std::vector<std::uint64_t> total_;
  // By instruction, block by block.
  std::vector<std::uint32_t> block_, class_, own_, order_;
  std::vector<std::size_t> begin_;  // by class: where its instructions begin in order_
};

/// The most that melding can save of two fingerprints: for each class the smaller of its two weights. O(lengths).
[[nodiscard]] constexpr std::uint64_t shared_weight(std::span<const class_weight> a, std::span<const class_weight> b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].opcode_class == b[j].opcode_class) {
      sum += a[i].weight < b[j].weight ? a[i].weight : b[j].weight;
      ++i;
      ++j;
    } else if (a[i].opcode_class < b[j].opcode_class) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

/// A profitability: the saved part of the weight. For one pair of blocks it is MP_B; with all pairs of two pieces
/// added it is MP_S. Also good for what an alignment has really saved.
struct melding_profit {
  std::uint64_t saved = 0;  ///< at best, or really
  std::uint64_t total = 0;  ///< the weight of both

  /// Adds a pair of blocks at its best. \pre both are blocks of the function
  constexpr void add(const code_fingerprints& f, block_id a, block_id b) {
    saved += shared_weight(f[a], f[b]);
    total += f.weight(a) + f.weight(b);
  }
  /// Between 0 and 0.5; 0 if nothing weighs anything.
  [[nodiscard]] constexpr double value() const {
    return total == 0 ? 0.0 : static_cast<double>(saved) / static_cast<double>(total);
  }
  /// Whether something is saved, and at least that part of the whole.
  [[nodiscard]] constexpr bool reaches(double threshold) const { return saved != 0 && value() >= threshold; }

  friend constexpr bool operator==(const melding_profit&, const melding_profit&) = default;
};

/// MP_B of two blocks.
[[nodiscard]] constexpr melding_profit block_profit(const code_fingerprints& f, block_id a, block_id b) {
  melding_profit p;
  p.add(f, a, b);
  return p;
}

}  // namespace v0
}  // namespace simtflow
