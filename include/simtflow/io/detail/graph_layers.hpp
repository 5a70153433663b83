// SPDX-License-Identifier: BSL-1.0
//
// A control-flow graph in layers, for pictures: blocks lie below the blocks that lead to them, and an edge that crosses
// layers has a bend in each layer. Edges that close a cycle, back to a block on the current path of a depth-first
// search, are turned round, so that loops turn upwards.
//
// Literature: Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures, IEEE SMC 11,
// 1981.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The most bends: with more, all edges are straight lines.
inline constexpr std::size_t most_bends = 200'000;

// The number of passes that improve a picture, an even number: as many as asked, but fewer for large pictures, so that
// they do not take seconds.
inline int num_passes(int asked, std::size_t items) {
  constexpr std::size_t most_visits = 500'000;
  const std::size_t affordable = most_visits / (items + 1);
  return affordable >= static_cast<std::size_t>(asked) ? asked : affordable < 4 ? 4 : static_cast<int>(affordable) & ~1;
}

// The layers have items: the blocks, by their ids, then the bends.
class graph_layers {
 public:
  // An edge between two blocks. (An edge from a block to itself is in no layer.)
  struct route {
    edge_id edge;
    block_id upper, lower;         // its ends, as they lie
    bool turned;                   // it leads upwards
    std::uint32_t first_bend = 0;  // numbers of bends ascend downwards
    std::uint32_t num_bends = 0;
  };

  // Linear in the graph and the bends.
  explicit graph_layers(const csr_graph& g) : num_blocks_(static_cast<std::uint32_t>(g.num_blocks())) {
    std::vector<unsigned char> turned;
    const std::vector<block_id> finished = search(g, turned);
    for (block_id b = 0; b < num_blocks_; ++b)
      for (edge_id e = g.first_edge(b); e < g.first_edge(b) + g.successors(b).size(); ++e) {
        const block_id to = g.target(e);
        if (to != b) routes_.push_back({e, turned[e] ? to : b, turned[e] ? b : to, turned[e] != 0});
      }
    const std::uint32_t num_layers = assign_layers();
    rows.resize(num_layers);
    // The blocks in the order in which the search left them, last first: arms side by side, last slots to the left.
    for (std::size_t i = finished.size(); i-- > 0;) rows[layer_[finished[i]]].push_back(finished[i]);
    add_bends();
  }

  // By layer: its items from left to right. Ordering moves them about.
  std::vector<std::vector<std::uint32_t>> rows;

  [[nodiscard]] std::uint32_t num_blocks() const { return num_blocks_; }
  [[nodiscard]] std::uint32_t num_items() const { return static_cast<std::uint32_t>(layer_.size()); }
  [[nodiscard]] bool is_bend(std::uint32_t item) const { return item >= num_blocks_; }
  [[nodiscard]] std::uint32_t layer(std::uint32_t item) const { return layer_[item]; }
  // True if the entry reaches a block.
  [[nodiscard]] bool is_reached(block_id b) const { return reached_[b] != 0; }
  // By edge id.
  [[nodiscard]] std::span<const route> routes() const { return routes_; }
  // The items one layer above, or below, that a line joins to this one; parallel edges count.
  [[nodiscard]] std::span<const std::uint32_t> up(std::uint32_t item) const { return up_.of(item); }
  [[nodiscard]] std::span<const std::uint32_t> down(std::uint32_t item) const { return down_.of(item); }

 private:
  // Lists of numbers, by item, in one array.
  struct lists {
    std::vector<std::uint32_t> first, all;
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t i) const {
      return {all.data() + first[i], all.data() + first[i + 1]};
    }
    // Makes the lists from pairs (item, other); the order is kept.
    void make(std::size_t items, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, bool swapped) {
      first.assign(items + 1, 0);
      for (const auto& [a, b] : pairs) ++first[(swapped ? b : a) + 1];
      for (std::size_t i = 0; i < items; ++i) first[i + 1] += first[i];
      all.assign(pairs.size(), 0);
      std::vector<std::uint32_t> next = first;
      for (const auto& [a, b] : pairs) all[next[swapped ? b : a]++] = swapped ? a : b;
    }
  };

  // Depth first from the entry, then from the blocks that the entry does not reach. Returns the blocks as the search
  // leaves them.
  std::vector<block_id> search(const csr_graph& g, std::vector<unsigned char>& turned) {
    enum : unsigned char { fresh, open, closed };
    std::vector<unsigned char> state(num_blocks_, fresh);
    std::vector<std::pair<block_id, std::size_t>> path;
    std::vector<block_id> finished;
    turned.assign(g.num_edges(), 0);
    reached_.assign(num_blocks_, 0);
    const auto from = [&](block_id root) {
      if (state[root] != fresh) return;
      state[root] = open;
      path.assign(1, {root, 0});
      while (!path.empty()) {
        const block_id b = path.back().first;
        const std::size_t slot = path.back().second++;
        if (slot == g.successors(b).size()) {
          state[b] = closed;
          finished.push_back(b);
          path.pop_back();
          continue;
        }
        const block_id s = g.successors(b)[slot];
        if (state[s] == open) {
          turned[g.first_edge(b) + slot] = 1;
        } else if (state[s] == fresh) {
          state[s] = open;
          path.push_back({s, 0});
        }
      }
    };
    if (num_blocks_ != 0) from(g.entry());
    for (const block_id b : finished) reached_[b] = 1;
    for (block_id b = 0; b < num_blocks_; ++b) from(b);
    return finished;
  }

  // Puts each block one layer below the lowest block that leads to it. Returns the number of layers.
  std::uint32_t assign_layers() {
    layer_.assign(num_blocks_, 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::uint32_t> above(num_blocks_, 0);
    for (const route& r : routes_) {
      pairs.emplace_back(r.upper, r.lower);
      ++above[r.lower];
    }
    lists below;
    below.make(num_blocks_, pairs, false);
    std::vector<block_id> ready;
    for (block_id b = 0; b < num_blocks_; ++b)
      if (above[b] == 0) ready.push_back(b);
    std::uint32_t layers = num_blocks_ == 0 ? 0 : 1;
    for (std::size_t i = 0; i < ready.size(); ++i)
      for (const block_id s : below.of(ready[i])) {
        if (layer_[s] <= layer_[ready[i]]) layer_[s] = layer_[ready[i]] + 1;
        if (layer_[s] >= layers) layers = layer_[s] + 1;
        if (--above[s] == 0) ready.push_back(s);
      }
    return layers;
  }

  void add_bends() {
    std::size_t bends = 0;
    for (const route& r : routes_) bends += layer_[r.lower] - layer_[r.upper] - 1;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;  // from above, each to the next layer
    for (route& r : routes_) {
      std::uint32_t at = r.upper;
      r.first_bend = num_items();
      if (bends <= most_bends)
        for (std::uint32_t l = layer_[r.upper] + 1; l < layer_[r.lower]; ++l) {
          const std::uint32_t bend = num_items();
          layer_.push_back(l);
          rows[l].push_back(bend);
          lines.emplace_back(at, bend);
          at = bend;
        }
      r.num_bends = num_items() - r.first_bend;
      if (layer_[at] + 1 == layer_[r.lower]) lines.emplace_back(at, r.lower);
    }
    up_.make(num_items(), lines, true);
    down_.make(num_items(), lines, false);
  }

  std::uint32_t num_blocks_;
  std::vector<std::uint32_t> layer_;    // by item
  std::vector<unsigned char> reached_;  // by block
  std::vector<route> routes_;
  lists up_, down_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
