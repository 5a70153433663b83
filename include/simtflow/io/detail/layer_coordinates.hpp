// SPDX-License-Identifier: BSL-1.0
//
// The places of the items of ordered layers from left to right (io/detail/graph_layers.hpp): each as near to its
// neighbours above and below as the order and the distances within its layer allow. For one layer that is an isotonic
// regression, solved by pooling adjacent violators (Barlow, Bartholomew, Bremner, Brunk, Statistical Inference under
// Order Restrictions, Wiley 1972); layers are placed one after the other, downwards and upwards in turns. Lines between
// bends pull the most, so that long edges are straight.
#pragma once

#include <simtflow/io/detail/graph_layers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// `apart(a, b)` is the least distance of the middles of a and b, b being right of a in their row. The result is the
// middle of each item; some may be negative. O(items + lines) for a constant number of passes.
template <class Apart>
class layer_coordinates {
 public:
  layer_coordinates(const graph_layers& g, Apart apart) : g_(g), apart_(apart) {
    x_.assign(g.num_items(), 0);
    for (const auto& row : g.rows)
      for (std::size_t i = 1; i < row.size(); ++i) x_[row[i]] = x_[row[i - 1]] + apart_(row[i - 1], row[i]);
    const int passes = num_passes(48, g.num_items());
    for (int pass = 0; pass < passes; ++pass) {
      const bool both_sides = 2 * pass >= passes;
      if (pass % 2 == 0)
        for (std::size_t l = 1; l < g.rows.size(); ++l) place(l, true, both_sides);
      else
        for (std::size_t l = g.rows.size(); l-- > 0;) place(l, both_sides, true);
    }
  }

  // By item.
  [[nodiscard]] std::span<const double> middles() const& { return x_; }
  std::span<const double> middles() const&& = delete;

 private:
  // Neighbours that want to be closer than they may: they are placed as one, around a weighted mean.
  struct pool {
    double sum, weight;
    std::size_t first;
  };

  void place(std::size_t layer, bool by_upper, bool by_lower) {
    const std::vector<std::uint32_t>& row = g_.rows[layer];
    offset_.assign(row.size(), 0);
    pools_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      double sum = 0, all = 0;
      const auto pull = [&](std::span<const std::uint32_t> others) {
        for (const std::uint32_t o : others) {
          const int bends = (g_.is_bend(row[i]) ? 1 : 0) + (g_.is_bend(o) ? 1 : 0);
          const double w = bends == 2 ? 8 : bends == 1 ? 2 : 1;
          sum += w * x_[o];
          all += w;
        }
      };
      if (by_upper) pull(g_.up(row[i]));
      if (by_lower) pull(g_.down(row[i]));
      const double wish = all == 0 ? x_[row[i]] : sum / all, weight = all == 0 ? 0.01 : all;
      if (i > 0) offset_[i] = offset_[i - 1] + apart_(row[i - 1], row[i]);
      pools_.push_back({(wish - offset_[i]) * weight, weight, i});
      while (pools_.size() > 1) {
        const pool top = pools_.back();
        pool& under = pools_[pools_.size() - 2];
        if (under.sum / under.weight <= top.sum / top.weight) break;
        under.sum += top.sum;
        under.weight += top.weight;
        pools_.pop_back();
      }
    }
    for (std::size_t k = 0; k < pools_.size(); ++k) {
      const std::size_t end = k + 1 < pools_.size() ? pools_[k + 1].first : row.size();
      for (std::size_t i = pools_[k].first; i < end; ++i) x_[row[i]] = pools_[k].sum / pools_[k].weight + offset_[i];
    }
  }

  const graph_layers& g_;
  Apart apart_;
  std::vector<double> x_, offset_;
  std::vector<pool> pools_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
