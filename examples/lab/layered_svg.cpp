// SPDX-License-Identifier: BSL-1.0
//
// Layers (Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures, IEEE SMC 11,
// 1981): edges that close a cycle are turned round; blocks lie below what leads to them; an edge that crosses layers
// has a bend in each; layers are ordered by the medians of their neighbours while that removes crossings; then every
// layer is placed as near to its neighbours as the order allows, which is an isotonic regression (Gansner et al., A
// Technique for Drawing Directed Graphs, IEEE TSE 19, 1993, solve the same by simplex).
#include "lab/layered_svg.hpp"

#include <simtflow/io/detail/xml.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {
namespace {

using namespace simtflow;
using detail::append_attribute;
using detail::append_coordinate;
using detail::append_xml;

constexpr double font = 10, line_height = 13, character = 6.1, padding = 8, stripe = 6, between = 22, margin = 16;
constexpr std::size_t most_bends = 200'000;  // beyond that, edges are straight lines
constexpr int order_passes = 12, place_passes = 48;

// What lies in a layer: a block, or the bend of an edge.
struct item {
  std::uint32_t layer = 0;
  double width = 0, height = 0, x = 0;  // x of its middle
  std::vector<std::uint32_t> up{}, down{};
};

struct route {
  edge_id edge;
  block_id from, to;  // of the control-flow graph
  bool turned;        // drawn from below to above
  std::vector<std::uint32_t> bends{};
};

class layout {
 public:
  layout(const csr_graph& g, const dot_style& style) : g_(g), style_(style) {
    marked_.assign(g.num_edges(), 0);
    dashed_.assign(g.num_edges(), 0);
    filled_.assign(g.num_blocks(), 0);
    for (const edge_id e : style.marked) marked_[e] = 1;
    for (const edge_id e : style.dashed) dashed_[e] = 1;
    for (const block_id b : style.highlighted) filled_[b] = 1;
    parts_.assign(g.num_blocks(), 0);
    for (const block_id b : style.divergent) parts_[b] = 1;
    size_blocks();
    make_layers();
    order_layers();
    place_layers();
  }
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::string label(block_id b) const {
    const std::string_view own = detail::text_of(style_.labels, b);
    return own.empty() ? "b" + std::to_string(b) : std::string(own);
  }
  [[nodiscard]] std::vector<std::string> lines_of(block_id b) const {
    std::vector<std::string> lines;
    for (const std::string& part :
         {label(b), std::string(detail::text_of(style_.bodies, b)), std::string(detail::text_of(style_.notes, b))})
      for (std::size_t at = 0; at < part.size();) {
        const std::size_t end = std::min(part.find('\n', at), part.size());
        lines.push_back(part.substr(at, end - at));
        at = end + 1;
      }
    return lines;
  }

  void size_blocks() {
    items_.resize(g_.num_blocks());
    loops_.resize(g_.num_blocks());
    for (block_id b = 0; b < g_.num_blocks(); ++b) {
      const auto lines = lines_of(b);
      std::size_t widest = 3;
      for (const std::string& l : lines) widest = std::max(widest, l.size());
      items_[b].width = character * static_cast<double>(widest) + 2 * padding + stripe;
      items_[b].height = line_height * static_cast<double>(lines.size()) + 2 * padding - 4;
      for (const block_id s : g_.successors(b)) loops_[b] += s == b ? 1 : 0;
    }
  }

  // Depth first from the entry, then from what that does not reach: an edge to a block on the way there is turned
  // round.
  void make_layers() {
    const std::size_t n = g_.num_blocks();
    enum : unsigned char { fresh, open, closed };
    std::vector<unsigned char> state(n, fresh);
    std::vector<std::pair<block_id, std::size_t>> path;
    std::vector<block_id> finished;  // in post-order
    std::vector<unsigned char> turned(g_.num_edges(), 0);
    const auto search = [&](block_id root) {
      if (state[root] != fresh) return;
      state[root] = open;
      path.assign(1, {root, 0});
      while (!path.empty()) {
        const block_id b = path.back().first;
        const std::size_t slot = path.back().second++;
        if (slot == g_.successors(b).size()) {
          state[b] = closed;
          finished.push_back(b);
          path.pop_back();
          continue;
        }
        const block_id s = g_.successors(b)[slot];
        if (state[s] == open)
          turned[g_.first_edge(b) + slot] = 1;
        else if (state[s] == fresh) {
          state[s] = open;
          path.push_back({s, 0});
        }
      }
    };
    if (n > 0) search(g_.entry());
    reached_.assign(n, 0);
    for (const block_id b : finished) reached_[b] = 1;
    for (block_id b = 0; b < n; ++b) search(b);

    for (block_id b = 0; b < n; ++b)
      for (std::size_t slot = 0; slot < g_.successors(b).size(); ++slot) {
        const edge_id e = g_.first_edge(b) + static_cast<edge_id>(slot);
        if (g_.target(e) != b) routes_.push_back({e, b, g_.target(e), turned[e] != 0});
      }
    std::vector<std::vector<block_id>> below(n);
    std::vector<std::uint32_t> above(n, 0);
    for (const route& r : routes_) {
      const block_id upper = r.turned ? r.to : r.from, lower = r.turned ? r.from : r.to;
      below[upper].push_back(lower);
      ++above[lower];
    }
    std::vector<block_id> ready;
    for (block_id b = 0; b < n; ++b)
      if (above[b] == 0) ready.push_back(b);
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < ready.size(); ++i)
      for (const block_id s : below[ready[i]]) {
        items_[s].layer = std::max(items_[s].layer, items_[ready[i]].layer + 1);
        last = std::max(last, items_[s].layer);
        if (--above[s] == 0) ready.push_back(s);
      }

    std::size_t bends = 0;
    for (const route& r : routes_) bends += span_of(r) - 1;
    layers_.resize(n == 0 ? 0 : last + 1);
    // The blocks in the order in which the search left them, last first: arms side by side, first slots to the left.
    for (auto b = finished.rbegin(); b != finished.rend(); ++b) layers_[items_[*b].layer].push_back(*b);
    for (route& r : routes_) {
      const block_id upper = r.turned ? r.to : r.from, lower = r.turned ? r.from : r.to;
      std::uint32_t at = upper;
      if (bends <= most_bends)
        for (std::uint32_t l = items_[upper].layer + 1; l < items_[lower].layer; ++l) {
          const std::uint32_t bend = static_cast<std::uint32_t>(items_.size());
          items_.push_back({l, 4, 0, 0});
          layers_[l].push_back(bend);
          r.bends.push_back(bend);
          join(at, bend);
          at = bend;
        }
      if (r.bends.size() + 1 == span_of(r)) join(at, lower);
    }
  }
  [[nodiscard]] std::size_t span_of(const route& r) const {
    const std::uint32_t a = items_[r.from].layer, b = items_[r.to].layer;
    return a < b ? b - a : a - b;
  }
  void join(std::uint32_t upper, std::uint32_t lower) {
    items_[upper].down.push_back(lower);
    items_[lower].up.push_back(upper);
  }

  // Crossings between a layer and the next: inversions, counted with a Fenwick tree.
  [[nodiscard]] std::uint64_t crossings() const {
    std::uint64_t all = 0;
    std::vector<std::uint32_t> tree, ends;
    for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
      tree.assign(layers_[l + 1].size() + 1, 0);
      std::uint64_t passed = 0;
      for (const std::uint32_t i : layers_[l]) {
        ends.clear();
        for (const std::uint32_t d : items_[i].down) ends.push_back(position_[d]);
        std::sort(ends.begin(), ends.end());
        for (const std::uint32_t e : ends) {
          std::uint64_t left_or_same = 0;
          for (std::uint32_t k = e + 1; k > 0; k &= k - 1) left_or_same += tree[k];
          all += passed - left_or_same;
        }
        for (const std::uint32_t e : ends)
          for (std::uint32_t k = e + 1; k < tree.size(); k += k & (~k + 1)) ++tree[k];
        passed += ends.size();
      }
    }
    return all;
  }
  void number(std::size_t l) {
    for (std::uint32_t i = 0; i < layers_[l].size(); ++i) position_[layers_[l][i]] = i;
  }

  void order_layers() {
    position_.assign(items_.size(), 0);
    for (std::size_t l = 0; l < layers_.size(); ++l) number(l);
    auto best = layers_;
    std::uint64_t fewest = crossings();
    std::vector<std::pair<double, std::uint32_t>> keys;
    std::vector<std::uint32_t> there;
    const auto sort_layer = [&](std::size_t l, bool by_upper) {
      keys.clear();
      for (const std::uint32_t i : layers_[l]) {
        there.clear();
        for (const std::uint32_t o : by_upper ? items_[i].up : items_[i].down) there.push_back(position_[o]);
        std::sort(there.begin(), there.end());
        const std::size_t half = there.size() / 2;
        const double median = there.empty()           ? position_[i]
                              : there.size() % 2 == 1 ? there[half]
                                                      : (there[half - 1] + there[half]) / 2.0;
        keys.emplace_back(median, i);
      }
      std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < keys.size(); ++k) layers_[l][k] = keys[k].second;
      number(l);
    };
    for (int pass = 0; pass < order_passes && fewest > 0; ++pass) {
      if (pass % 2 == 0)
        for (std::size_t l = 1; l < layers_.size(); ++l) sort_layer(l, true);
      else
        for (std::size_t l = layers_.size() - 1; l-- > 0;) sort_layer(l, false);
      if (const std::uint64_t now = crossings(); now < fewest) {
        fewest = now;
        best = layers_;
      }
    }
    layers_ = std::move(best);
    for (std::size_t l = 0; l < layers_.size(); ++l) number(l);
  }

  // The least distance of the middles of two neighbours.
  [[nodiscard]] double apart(std::uint32_t a, std::uint32_t b) const {
    const bool bends = a >= g_.num_blocks() && b >= g_.num_blocks();
    const double loop = a < g_.num_blocks() && loops_[a] > 0 ? 26 : 0;
    return (items_[a].width + items_[b].width) / 2 + (bends ? 12 : between) + loop;
  }

  // Every layer where it would like to be, as far as its order and the distances allow: pool adjacent violators.
  void place_layer(const std::vector<std::uint32_t>& layer, const std::vector<double>& wish,
                   const std::vector<double>& weight) {
    struct pool {
      double sum, weight;
      std::size_t first;
    };
    std::vector<pool> pools;
    std::vector<double> offset(layer.size(), 0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) offset[i] = offset[i - 1] + apart(layer[i - 1], layer[i]);
      pools.push_back({(wish[i] - offset[i]) * weight[i], weight[i], i});
      while (pools.size() > 1) {
        const pool top = pools.back();
        pool& under = pools[pools.size() - 2];
        if (under.sum / under.weight <= top.sum / top.weight) break;
        under.sum += top.sum;
        under.weight += top.weight;
        pools.pop_back();
      }
    }
    for (std::size_t k = 0; k < pools.size(); ++k) {
      const std::size_t end = k + 1 < pools.size() ? pools[k + 1].first : layer.size();
      for (std::size_t i = pools[k].first; i < end; ++i)
        items_[layer[i]].x = pools[k].sum / pools[k].weight + offset[i];
    }
  }

  void place_layers() {
    for (const auto& layer : layers_)
      for (std::size_t i = 0; i < layer.size(); ++i)
        items_[layer[i]].x = i == 0 ? 0 : items_[layer[i - 1]].x + apart(layer[i - 1], layer[i]);
    std::vector<double> wish, weight;
    const auto place = [&](std::size_t l, bool by_upper, bool by_lower) {
      wish.clear();
      weight.clear();
      for (const std::uint32_t i : layers_[l]) {
        double sum = 0, all = 0;
        const auto pull = [&](const std::vector<std::uint32_t>& others) {
          for (const std::uint32_t o : others) {
            const int bends = (i >= g_.num_blocks() ? 1 : 0) + (o >= g_.num_blocks() ? 1 : 0);
            const double w = bends == 2 ? 8 : bends == 1 ? 2 : 1;  // long edges are straight
            sum += w * items_[o].x;
            all += w;
          }
        };
        if (by_upper) pull(items_[i].up);
        if (by_lower) pull(items_[i].down);
        wish.push_back(all == 0 ? items_[i].x : sum / all);
        weight.push_back(all == 0 ? 0.01 : all);
      }
      place_layer(layers_[l], wish, weight);
    };
    for (int pass = 0; pass < place_passes; ++pass) {
      const bool last = 2 * pass >= place_passes;  // towards both sides
      if (pass % 2 == 0)
        for (std::size_t l = 1; l < layers_.size(); ++l) place(l, true, last);
      else
        for (std::size_t l = layers_.size(); l-- > 0;) place(l, last, true);
    }
    double least = 0, most = 0;
    bool first = true;
    for (block_id i = 0; i < items_.size(); ++i) {
      const double left = items_[i].x - items_[i].width / 2;
      const double right = items_[i].x + items_[i].width / 2 + (i < g_.num_blocks() && loops_[i] > 0 ? 40 : 0);
      least = first ? left : std::min(least, left);
      most = first ? right : std::max(most, right);
      first = false;
    }
    for (item& i : items_) i.x += margin - least;
    width_ = most - least + 2 * margin;

    std::vector<std::size_t> edges(layers_.size() + 1, 0);  // that leave a layer downwards
    for (const item& i : items_) edges[i.layer] += i.down.size();
    double y = margin;
    for (std::size_t at = 0, end = 0; at < style_.title.size(); at = end + 1) {
      end = std::min(style_.title.find('\n', at), style_.title.size());
      width_ = std::max(width_, 2 * margin + character * static_cast<double>(end - at));
      y += line_height + 2;
      title_.push_back(style_.title.substr(at, end - at));
    }
    if (!title_.empty()) y += 8;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      double height = 0;
      for (const std::uint32_t i : layers_[l]) height = std::max(height, items_[i].height);
      tops_.push_back(y);
      heights_.push_back(height);
      y += height + 36 + 1.5 * static_cast<double>(std::min<std::size_t>(edges[l], 30));
    }
    height_ = layers_.empty() ? y + margin : tops_.back() + heights_.back() + margin;
  }

  [[nodiscard]] double top(std::uint32_t i) const { return tops_[items_[i].layer]; }
  [[nodiscard]] double bottom(std::uint32_t i) const {
    return top(i) + (i < g_.num_blocks() ? items_[i].height : heights_[items_[i].layer]);
  }

  [[nodiscard]] bool framed(block_id b) const { return b < style_.groups.size() && style_.groups[b] != no_dot_group; }

  void draw_edges(std::string& out) const;
  void draw_edge(std::string& out, edge_id e, block_id from, std::size_t slot, std::string path,
                 const std::array<double, 2>& tip, const std::array<double, 2>& back,
                 const std::array<double, 2>& label_at) const;
  void draw_block(std::string& out, block_id b) const;

  const csr_graph& g_;
  const dot_style& style_;
  std::vector<item> items_;           // blocks, then bends
  std::vector<std::uint32_t> loops_;  // by block: edges to itself
  std::vector<unsigned char> marked_, dashed_, filled_, parts_, reached_;
  std::vector<route> routes_;
  std::vector<std::vector<std::uint32_t>> layers_;
  std::vector<std::uint32_t> position_;
  std::vector<double> tops_, heights_;  // by layer
  std::vector<std::string> title_;
  double width_ = 0, height_ = 0;
};

void append_point(std::string& path, double x, double y) {
  if (!path.empty() && path.back() != 'M' && path.back() != 'L' && path.back() != 'C') path += ' ';
  append_coordinate(path, x);
  path += ' ';
  append_coordinate(path, y);
}

// `tip` is where the arrow ends, `back` a point behind it.
void layout::draw_edge(std::string& out, edge_id e, block_id from, std::size_t slot, std::string path,
                       const std::array<double, 2>& tip, const std::array<double, 2>& back,
                       const std::array<double, 2>& label_at) const {
  const std::size_t ways = g_.successors(from).size();
  const bool marked = marked_[e] != 0;
  const std::string colour = marked ? "#cf222e" : ways != 2 ? "#444444" : slot == 0 ? "#1a7f37" : "#b35900";
  std::string text = ways == 2 ? (slot == 0 ? "T" : "F") : ways > 2 ? std::to_string(slot) : "";
  if (const std::string_view note = detail::text_of(style_.edge_notes, e); !note.empty())
    text += (text.empty() ? "" : " ") + std::string(note);
  out += "<g class=\"edge\" data-edge=\"" + std::to_string(e) + "\" data-from=\"" + std::to_string(from) +
         "\" data-to=\"" + std::to_string(g_.target(e)) + "\">\n<path fill=\"none\" stroke=\"" + colour +
         "\" stroke-width=\"" + (marked ? "2" : "1.2") + '"';
  if (dashed_[e] != 0) out += " stroke-dasharray=\"5 3\"";
  out += " d=\"" + path + "\"/>\n<path class=\"tip\" fill=\"" + colour + "\" d=\"M";
  const double dx = tip[0] - back[0], dy = tip[1] - back[1];  // along one axis
  const double ux = dx == 0 ? 0 : dx > 0 ? 1 : -1, uy = dy == 0 ? 0 : dy > 0 ? 1 : -1;
  std::string arrow;
  append_point(arrow, tip[0], tip[1]);
  arrow += 'L';
  append_point(arrow, tip[0] - 8 * ux + 3.5 * uy, tip[1] - 8 * uy + 3.5 * ux);
  append_point(arrow, tip[0] - 8 * ux - 3.5 * uy, tip[1] - 8 * uy - 3.5 * ux);
  out += arrow + "z\"/>\n";
  if (!text.empty()) {
    out += "<text";
    append_attribute(out, "x", label_at[0]);
    append_attribute(out, "y", label_at[1]);
    out += " font-size=\"9\" fill=\"" + colour + "\">";
    append_xml(out, text);
    out += "</text>\n";
  }
  out += "</g>\n";
}

void layout::draw_edges(std::string& out) const {
  // Where edges leave and come in: side by side in the order of where they go.
  struct port {
    double there;
    std::size_t route;
  };
  std::vector<std::vector<port>> uppers(g_.num_blocks()), lowers(g_.num_blocks());
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    const route& e = routes_[r];
    const block_id upper = e.turned ? e.to : e.from, lower = e.turned ? e.from : e.to;
    lowers[upper].push_back({items_[e.bends.empty() ? lower : e.bends.front()].x, r});
    uppers[lower].push_back({items_[e.bends.empty() ? upper : e.bends.back()].x, r});
  }
  std::vector<double> from_x(routes_.size()), to_x(routes_.size());
  const auto spread = [this](std::vector<std::vector<port>>& ports, std::vector<double>& x) {
    for (block_id b = 0; b < ports.size(); ++b) {
      std::stable_sort(ports[b].begin(), ports[b].end(),
                       [](const port& a, const port& c) { return a.there < c.there; });
      const double k = static_cast<double>(ports[b].size());
      const double step = std::min(22.0, 0.8 * items_[b].width / std::max(k, 1.0));
      for (std::size_t i = 0; i < ports[b].size(); ++i)
        x[ports[b][i].route] = items_[b].x + step * (static_cast<double>(i) - (k - 1) / 2);
    }
  };
  spread(lowers, from_x);
  spread(uppers, to_x);

  for (std::size_t r = 0; r < routes_.size(); ++r) {
    const route& e = routes_[r];
    const block_id upper = e.turned ? e.to : e.from, lower = e.turned ? e.from : e.to;
    const double begin = bottom(upper), end = top(lower);
    double x = from_x[r], y = begin + (e.turned ? 6 : 0);
    std::string path = "M";
    append_point(path, x, y);
    const auto curve_to = [&](double to, double at) {
      const double half = (at - y) / 2;
      path += 'C';
      append_point(path, x, y + half);
      append_point(path, to, at - half);
      append_point(path, to, at);
      x = to;
      y = at;
    };
    for (const std::uint32_t bend : e.bends) {
      curve_to(items_[bend].x, top(bend));
      path += 'L';
      append_point(path, x, y = bottom(bend));
    }
    curve_to(to_x[r], end - (e.turned ? 0 : 6));
    const std::size_t slot = e.edge - g_.first_edge(e.from);
    if (e.turned)
      draw_edge(out, e.edge, e.from, slot, path, {from_x[r], begin}, {from_x[r], begin + 8},
                {to_x[r] + 4, end - (framed(e.from) ? 12 : 4)});
    else
      draw_edge(out, e.edge, e.from, slot, path, {to_x[r], end}, {to_x[r], end - 8},
                {from_x[r] + 4, begin + (framed(e.from) ? 17 : 10)});
  }
  for (block_id b = 0; b < g_.num_blocks(); ++b) {
    double size = 8;
    for (std::size_t slot = 0; slot < g_.successors(b).size(); ++slot) {
      if (g_.successors(b)[slot] != b) continue;
      const double right = items_[b].x + items_[b].width / 2, middle = (top(b) + bottom(b)) / 2;
      std::string path = "M";
      append_point(path, right, middle - size);
      path += 'C';
      append_point(path, right + 12 + 2 * size, middle - size);
      append_point(path, right + 12 + 2 * size, middle + size);
      append_point(path, right + 6, middle + size);
      draw_edge(out, g_.first_edge(b) + static_cast<edge_id>(slot), b, slot, path, {right, middle + size},
                {right + 8, middle + size}, {right + 6, middle - size - 3});
      size += 5;
    }
  }
}

void layout::draw_block(std::string& out, block_id b) const {
  const double w = items_[b].width, h = items_[b].height, x = items_[b].x - w / 2, y = top(b);
  const bool filled = filled_[b] != 0;
  const dot_role role = b < style_.roles.size() ? style_.roles[b] : dot_role::plain;
  const std::string line = reached_[b] != 0 ? "#222222" : "#999999";
  const std::string outline = reached_[b] != 0 && parts_[b] != 0 ? "#8250df" : line;
  const auto box = [&out](const char* name, double left, double upper, double width, double height,
                          const std::string& more) {
    out += "<rect class=\"" + std::string(name) + '"';
    append_attribute(out, "x", left);
    append_attribute(out, "y", upper);
    append_attribute(out, "width", width);
    append_attribute(out, "height", height);
    out += ' ' + more + "/>\n";
  };
  out += "<g class=\"block\" data-block=\"" + std::to_string(b) + "\">\n";
  if (framed(b)) {
    box("group", x - 7, y - 7, w + 14, h + 14, "rx=\"6\" fill=\"none\" stroke=\"#cf222e\" stroke-dasharray=\"4 3\"");
    if (const std::string_view name = detail::text_of(style_.group_names, style_.groups[b]); !name.empty()) {
      out += "<text";
      append_attribute(out, "x", x + w + 6);
      append_attribute(out, "y", y - 9);
      out += " text-anchor=\"end\" font-size=\"8\" fill=\"#cf222e\">";
      append_xml(out, name);
      out += "</text>\n";
    }
  }
  if (g_.is_exit(b)) box("exit", x - 3, y - 3, w + 6, h + 6, "fill=\"#ffffff\" stroke=\"" + line + '"');
  box("box", x, y, w, h,
      "fill=\"" +
          std::string(filled                    ? "#ffe28a"
                      : role == dot_role::guard ? "#ddf4ff"
                                                : "#ffffff") +
          "\" stroke=\"" + outline + "\" stroke-width=\"" +
          (parts_[b] != 0    ? "3"
           : b == g_.entry() ? "2.2"
                             : "1") +
          '"' +
          (role == dot_role::copy    ? " stroke-dasharray=\"5 3\""
           : role == dot_role::empty ? " stroke-dasharray=\"1 2\""
                                     : ""));
  if (const std::string_view colour = detail::text_of(style_.colours, b); !colour.empty())
    box("stripe", x + 1.5, y + 1.5, stripe, h - 3, "fill=\"" + std::string(colour) + '"');
  double at = y + padding + font - 2;
  for (const std::string& text : lines_of(b)) {
    out += "<text xml:space=\"preserve\"";
    append_attribute(out, "x", x + stripe + padding);
    append_attribute(out, "y", at);
    out += " fill=\"" + line + "\">";
    append_xml(out, text);
    out += "</text>\n";
    at += line_height;
  }
  out += "</g>\n";
}

std::string layout::text() const {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  append_attribute(out, "width", width_);
  append_attribute(out, "height", height_);
  out += " viewBox=\"0 0 ";
  append_coordinate(out, width_);
  out += ' ';
  append_coordinate(out, height_);
  out += "\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"10\" role=\"img\">\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  double y = margin + font;
  for (const std::string& line : title_) {
    out += "<text";
    append_attribute(out, "x", margin);
    append_attribute(out, "y", y);
    out += y == margin + font ? " font-weight=\"bold\" fill=\"#222222\">" : " fill=\"#222222\">";
    append_xml(out, line);
    out += "</text>\n";
    y += line_height + 2;
  }
  draw_edges(out);
  for (block_id b = 0; b < g_.num_blocks(); ++b) draw_block(out, b);
  out += "</svg>\n";
  return out;
}

}  // namespace

std::string layered_svg(const csr_graph& graph, const dot_style& style) { return layout(graph, style).text(); }

}  // namespace lab
