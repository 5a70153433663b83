// SPDX-License-Identifier: BSL-1.0
//
// The order of items within the layers of a picture (io/detail/graph_layers.hpp), for few crossings of lines: layer
// after layer is sorted by the medians of its neighbours in the layer before, downwards and upwards in turns; the best
// order seen is kept.
//
// Literature: Gansner, Koutsofios, North, Vo, A Technique for Drawing Directed Graphs, IEEE TSE 19, 1993, section 3.
#pragma once

#include <simtflow/io/detail/graph_layers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class layer_order {
 public:
  // Orders g.rows. O((items + lines) log) for a constant number of passes; none if nothing crosses.
  static void improve(graph_layers& g) { layer_order(g).improve(); }

  // Pairs of lines that cross, each between a layer and the next. O(lines log).
  [[nodiscard]] static std::uint64_t crossings(graph_layers& g) { return layer_order(g).crossings(); }

 private:
  explicit layer_order(graph_layers& g) : g_(g) {
    position_.assign(g.num_items(), 0);
    number_all();
  }

  void number(std::size_t layer) {
    for (std::uint32_t i = 0; i < g_.rows[layer].size(); ++i) position_[g_.rows[layer][i]] = i;
  }
  void number_all() {
    for (std::size_t l = 0; l < g_.rows.size(); ++l) number(l);
  }

  // Inversions, counted with a Fenwick tree.
  [[nodiscard]] std::uint64_t crossings() {
    std::uint64_t all = 0;
    for (std::size_t l = 0; l + 1 < g_.rows.size(); ++l) {
      tree_.assign(g_.rows[l + 1].size() + 1, 0);
      std::uint64_t passed = 0;
      for (const std::uint32_t i : g_.rows[l]) {
        there_.clear();
        for (const std::uint32_t d : g_.down(i)) there_.push_back(position_[d]);
        for (const std::uint32_t e : there_) {
          std::uint64_t left_or_same = 0;
          for (std::uint32_t k = e + 1; k > 0; k &= k - 1) left_or_same += tree_[k];
          all += passed - left_or_same;
        }
        for (const std::uint32_t e : there_)
          for (std::uint32_t k = e + 1; k < tree_.size(); k += k & (~k + 1)) ++tree_[k];
        passed += there_.size();
      }
    }
    return all;
  }

  void sort(std::size_t layer, bool by_upper) {
    keys_.clear();
    for (const std::uint32_t i : g_.rows[layer]) {
      there_.clear();
      for (const std::uint32_t o : by_upper ? g_.up(i) : g_.down(i)) there_.push_back(position_[o]);
      std::sort(there_.begin(), there_.end());
      const std::size_t half = there_.size() / 2;
      const double median = there_.empty()           ? position_[i]
                            : there_.size() % 2 == 1 ? there_[half]
                                                     : (there_[half - 1] + there_[half]) / 2.0;
      keys_.emplace_back(median, i);
    }
    std::stable_sort(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < keys_.size(); ++k) g_.rows[layer][k] = keys_[k].second;
    number(layer);
  }

  void improve() {
    auto best = g_.rows;
    std::uint64_t fewest = crossings();
    const int passes = num_passes(12, g_.num_items());
    for (int pass = 0; pass < passes && fewest > 0; ++pass) {
      if (pass % 2 == 0)
        for (std::size_t l = 1; l < g_.rows.size(); ++l) sort(l, true);
      else
        for (std::size_t l = g_.rows.size() - 1; l-- > 0;) sort(l, false);
      if (const std::uint64_t now = crossings(); now < fewest) {
        fewest = now;
        best = g_.rows;
      }
    }
    g_.rows = std::move(best);
  }

  graph_layers& g_;
  std::vector<std::uint32_t> position_, tree_, there_;  // position_: by item, in its row
  std::vector<std::pair<double, std::uint32_t>> keys_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
