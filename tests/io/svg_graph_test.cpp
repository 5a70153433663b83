// SPDX-License-Identifier: BSL-1.0
//
// The picture is read back: what stands in the SVG text must be the graph again, and lines must begin and end at the
// outlines of the boxes that they join. The layers, their order and the coordinates against brute force.
#include "io/read_xml.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/svg_graph.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::read_xml;
using simtflow_tests::tag;

namespace {

struct point {
  double x, y;
};
struct box {
  double x = 0, y = 0, width = 0, height = 0;
};

bool overlap(const box& a, const box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
constexpr double rounding = 0.02;  // of coordinates

bool is_inside(const point& p, const box& b) {
  return p.x > b.x + rounding && p.x < b.x + b.width - rounding && p.y > b.y + rounding &&
         p.y < b.y + b.height - rounding;
}
bool is_on_outline(const point& p, const box& b) {
  const bool near =
      p.x > b.x - rounding && p.x < b.x + b.width + rounding && p.y > b.y - rounding && p.y < b.y + b.height + rounding;
  return near && !is_inside(p, b);
}

box box_of(const tag& t) {
  return {std::stod(t.attributes.at("x")), std::stod(t.attributes.at("y")), std::stod(t.attributes.at("width")),
          std::stod(t.attributes.at("height"))};
}

// The points that a path of M, L and C goes through, many on each curve.
std::vector<point> points_of(const std::string& path) {
  std::vector<point> all;
  const char* at = path.c_str();
  const auto number = [&at] {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    REQUIRE(end != at);
    at = end;
    return x;
  };
  const auto next = [&number]() -> point {
    const double x = number();
    return {x, number()};
  };
  while (*at != '\0' && *at != 'z') {
    const char command = *at++;
    if (command == 'C') {
      const point a = all.back(), b = next(), c = next(), d = next();
      for (int i = 1; i <= 16; ++i) {
        const double t = i / 16.0, u = 1 - t;
        const auto mixed = [&](double pa, double pb, double pc, double pd) {
          return u * u * u * pa + 3 * u * u * t * pb + 3 * u * t * t * pc + t * t * t * pd;
        };
        all.push_back({mixed(a.x, b.x, c.x, d.x), mixed(a.y, b.y, c.y, d.y)});
      }
    } else {
      REQUIRE((command == 'M' || command == 'L' || command == ' '));
      all.push_back(next());
    }
  }
  return all;
}

struct drawn_block {
  box outline;  // of the box itself
  box outer;    // of the exit's second line or the frame too
  std::vector<tag> shapes;
  int times = 0;
};
struct drawn_edge {
  block_id from = no_block, to = no_block;
  std::string path, text, colour, dashes;
  point tip{}, text_at{};
  int times = 0;
};
struct picture {
  double width = 0, height = 0;
  std::vector<drawn_block> blocks;
  std::vector<drawn_edge> edges;
  std::vector<tag> others;
};

picture read(const csr_graph& g, const std::string& svg) {
  picture p;
  p.blocks.resize(g.num_blocks());
  p.edges.resize(g.num_edges());
  drawn_block* block = nullptr;
  drawn_edge* edge = nullptr;
  for (const tag& t : read_xml(svg)) {
    if (t.name == "svg") {
      p.width = std::stod(t.attributes.at("width"));
      p.height = std::stod(t.attributes.at("height"));
    } else if (t.name == "g" && t.attributes.at("class") == "block") {
      edge = nullptr;
      block = &p.blocks.at(std::stoul(t.attributes.at("data-block")));
      ++block->times;
    } else if (t.name == "g") {
      block = nullptr;
      REQUIRE(t.attributes.at("class") == "edge");
      edge = &p.edges.at(std::stoul(t.attributes.at("data-edge")));
      ++edge->times;
      edge->from = static_cast<block_id>(std::stoul(t.attributes.at("data-from")));
      edge->to = static_cast<block_id>(std::stoul(t.attributes.at("data-to")));
    } else if (block != nullptr) {
      block->shapes.push_back(t);
      if (t.name != "rect") continue;
      const std::string& kind = t.attributes.at("class");
      if (kind == "box") block->outline = box_of(t);
      if (block->outer.width == 0 && kind != "stripe") block->outer = box_of(t);  // the outermost comes first
    } else if (edge != nullptr && t.name == "text") {
      edge->text = t.text;
      edge->text_at = {std::stod(t.attributes.at("x")), std::stod(t.attributes.at("y"))};
    } else if (edge != nullptr && t.attributes.contains("class")) {
      edge->tip = points_of(t.attributes.at("d")).front();
    } else if (edge != nullptr) {
      edge->path = t.attributes.at("d");
      edge->colour = t.attributes.at("stroke");
      if (t.attributes.contains("stroke-dasharray")) edge->dashes = t.attributes.at("stroke-dasharray");
    } else {
      p.others.push_back(t);
    }
  }
  return p;
}

// The properties of every picture. `even`: all blocks are equally high, so that no line need pass a box.
void check_picture(const csr_graph& g, const dot_style& style, bool even) {
  const std::string svg = to_svg(g, style);
  CAPTURE(to_dot(g, style));
  CAPTURE(svg);
  const picture p = read(g, svg);
  const auto in_picture = [&p](const box& b) {
    return b.x >= 0 && b.y >= 0 && b.x + b.width <= p.width && b.y + b.height <= p.height;
  };
  std::string wrong;
  const auto expect = [&wrong](bool good, const char* what, std::uint32_t number) {
    if (!good) wrong += std::string(what) + ' ' + std::to_string(number) + "; ";
  };
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    expect(p.blocks[b].times == 1, "not once: block", b);
    expect(in_picture(p.blocks[b].outer), "beyond the margin: block", b);
    for (block_id c = 0; c < b; ++c) expect(!overlap(p.blocks[b].outer, p.blocks[c].outer), "over another: block", b);
  }
  std::set<std::string> paths;
  for (edge_id e = 0; e < g.num_edges(); ++e) {
    const drawn_edge& d = p.edges[e];
    expect(d.times == 1 && d.from == g.source(e) && d.to == g.target(e), "not once: edge", e);
    if (!wrong.empty()) break;
    expect(paths.insert(d.path).second, "hidden by another: edge", e);
    // The tip is at the target; the end of the line that is not after the tip is at the source.
    const std::vector<point> line = points_of(d.path);
    const double front = std::hypot(line.front().x - d.tip.x, line.front().y - d.tip.y);
    const double back = std::hypot(line.back().x - d.tip.x, line.back().y - d.tip.y);
    expect(is_on_outline(d.tip, p.blocks[d.to].outline), "does not touch its target: edge", e);
    expect(std::abs((d.from == d.to ? back : std::min(front, back)) - 6) < rounding, "does not touch its arrow: edge",
           e);
    const double written = 0.6 * 9 * static_cast<double>(detail::num_characters(d.text));
    expect(d.text_at.x >= 0 && d.text_at.x + written <= p.width && d.text_at.y <= p.height, "its text is cut off: edge",
           e);
    const point& start = d.from == d.to || front > back ? line.front() : line.back();
    expect(is_on_outline(start, p.blocks[d.from].outline), "does not touch its source: edge", e);
    for (const point& at : line) {
      expect(at.x >= 0 && at.y >= 0 && at.x <= p.width && at.y <= p.height, "beyond the margin: edge", e);
      for (block_id b = 0; even && b < g.num_blocks(); ++b)
        expect(!is_inside(at, p.blocks[b].outline), "through a block: edge", e);
    }
  }
  CHECK(wrong == "");
  CHECK(to_svg(g, style) == svg);
}

dot_style random_style(testing::rng& random, const csr_graph& g) {
  dot_style style;
  const char* const words[] = {"", "x", "ld.shared.u32 %r1, [%rd2];", "two\nlines", "a\n\n<b> & 'c'\n", "\u00e4\u4e2d"};
  const auto word = [&] { return std::string(words[random.below(6)]); };
  style.title = word();
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    style.labels.push_back(word());
    style.bodies.push_back(word());
    if (random.chance(50)) style.highlighted.push_back(b);
    if (random.chance(50)) style.divergent.push_back(b);
    style.roles.push_back(static_cast<dot_role>(random.below(4)));
    style.colours.push_back(random.chance(50) ? "#88ccee" : "");
    style.groups.push_back(random.chance(50) ? no_dot_group : static_cast<std::uint32_t>(random.below(g.num_blocks())));
    style.group_names.push_back(random.chance(50) ? "a group with a long name" : "");
  }
  for (edge_id e = 0; e < g.num_edges(); ++e) {
    if (random.chance(50)) style.dashed.push_back(e);
    if (random.chance(50)) style.marked.push_back(e);
    style.edge_notes.push_back(word());
  }
  return style;
}

csr_graph random_graph(testing::rng& random, std::size_t most_blocks) {
  const std::size_t n = random.between(1, most_blocks);
  csr_builder builder(n, static_cast<block_id>(random.below(n)));
  for (std::size_t edges = random.below(2 * n + 1); edges > 0; --edges)
    builder.add_edge(static_cast<block_id>(random.below(n)), static_cast<block_id>(random.below(n)));
  return builder.build();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("svg_graph: every named shape and every small graph, each block and edge once and where it belongs") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    check_picture(s.make(), {}, true);
  }
  for (std::size_t n = 0; n <= 2; ++n)
    testing::for_each_small_cfg(n, [](const csr_graph& g) { check_picture(g, {}, true); });
  for (std::uint64_t code = 0; code < testing::num_small_cfgs(3); code += 3)
    check_picture(testing::small_cfg(3, code), {}, true);
}

TEST_CASE("svg_graph: random graphs, with every style") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 25);
    check_picture(g, {}, true);
    check_picture(g, random_style(random, g), false);
  }
}

TEST_CASE("svg_graph: a style shows what it says") {
  const csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {}, {3}});
  dot_style style;
  style.title = "one & two";
  style.labels = {"if <a>", "", "", "\"end\""};
  style.bodies = {"", "mov %r1, 'x';\nret;\n"};
  style.notes = {"", "rank 3"};
  style.highlighted = {1};
  style.divergent = {0};
  style.dashed = {2};
  style.marked = {3};
  style.edge_notes = {"x > 0"};
  style.colours = {"", "", "#112233"};
  style.groups = {no_dot_group, 7, 7};
  style.group_names = std::vector<std::string>(8);
  style.group_names[7] = "arms";
  const picture p = read(g, to_svg(g, style));
  const auto texts = [&p](block_id b) {
    std::vector<std::string> lines;
    for (const tag& t : p.blocks[b].shapes)
      if (t.name == "text") lines.push_back(t.text);
    return lines;
  };
  const auto look = [&p](block_id b, const char* kind, const char* attribute) -> std::string {
    for (const tag& t : p.blocks[b].shapes)
      if (t.name == "rect" && t.attributes.at("class") == kind)
        return t.attributes.contains(attribute) ? t.attributes.at(attribute) : "";
    return "none";
  };
  CHECK(texts(0) == std::vector<std::string>{"if <a>"});
  CHECK(texts(1) == std::vector<std::string>{"arms", "b1", "mov %r1, 'x';", "ret;", "rank 3"});
  CHECK(texts(2) == std::vector<std::string>{"arms", "b2"});
  CHECK(texts(3) == std::vector<std::string>{"\"end\""});
  CHECK(look(1, "box", "fill") == "#ffe28a");
  CHECK(look(2, "box", "fill") == "#ffffff");
  CHECK(look(0, "box", "stroke") == "#8250df");
  CHECK(look(0, "box", "stroke-width") == "3");
  CHECK(look(2, "stripe", "fill") == "#112233");
  CHECK(look(1, "stripe", "fill") == "none");
  CHECK(look(3, "exit", "stroke") == "#222222");
  CHECK(look(0, "exit", "stroke") == "none");
  CHECK(look(4, "box", "stroke") == "#999999");  // never reached
  CHECK(look(0, "group", "stroke") == "none");
  CHECK(look(1, "group", "stroke") == "#cf222e");
  CHECK(p.edges[0].text == "T x > 0");
  CHECK(p.edges[1].text == "F");
  CHECK(p.edges[2].text.empty());
  CHECK(p.edges[2].dashes == "5 3");
  CHECK(p.edges[0].dashes.empty());
  CHECK(p.edges[3].colour == "#cf222e");
  REQUIRE(p.others.size() == 2);
  CHECK(p.others[1].text == "one & two");

  style = {.roles = {dot_role::guard, dot_role::copy, dot_role::empty}};
  const std::string roles = to_svg(g, style);
  CHECK(count(roles, "fill=\"#ddf4ff\"") == 1);
  CHECK(count(roles, "stroke-dasharray=\"5 3\"") == 1);
  CHECK(count(roles, "stroke-dasharray=\"1 2\"") == 1);
  CHECK(count(to_svg(testing::adjacency({{1, 1, 1}, {}})), "#444444") == 9);  // a switch: line, tip and slot
}

TEST_CASE("svg_graph: control flows down, and loops turn up") {
  const csr_graph g = testing::adjacency({{1}, {2, 3}, {1}, {}});
  const picture p = read(g, to_svg(g));
  for (edge_id e = 0; e < g.num_edges(); ++e) {
    const bool down = p.blocks[g.source(e)].outline.y < p.blocks[g.target(e)].outline.y;
    CHECK(down == (e != 3));
  }
  // Arms stand side by side, the first slot to the right, and the branch above both.
  const csr_graph arms = testing::diamond();
  const picture q = read(arms, to_svg(arms));
  CHECK(q.blocks[1].outline.y == q.blocks[2].outline.y);
  CHECK(q.blocks[1].outline.x > q.blocks[2].outline.x);
  CHECK(q.blocks[0].outline.x == doctest::Approx((q.blocks[1].outline.x + q.blocks[2].outline.x) / 2));
  CHECK(q.blocks[0].outline.x == doctest::Approx(q.blocks[3].outline.x));
}

TEST_CASE("svg_graph: parallel edges and self loops are all to be seen") {
  for (const std::size_t k : {1U, 2U, 5U, 6U, 40U}) {
    csr_builder builder(3);
    for (std::size_t i = 0; i < k; ++i) builder.add_edge(0, 1).add_edge(1, 1).add_edge(1, 0).add_edge(0, 2);
    check_picture(builder.build(), {}, k <= 6);
  }
}

TEST_CASE("svg_graph: text of any kind leaves the picture well-formed") {
  dot_style style;
  const std::string odd = "<&>\"'\x01\x7f\xff\xc3 \xe4\xb8\xad]]>";
  style.title = odd;
  style.labels = {odd};
  style.notes = {odd};
  style.edge_notes = {odd};
  style.colours = {odd};
  style.groups = {0};
  style.group_names = {odd};
  const picture p = read(testing::self_loop_at_entry(), to_svg(testing::self_loop_at_entry(), style));
  CHECK(p.edges[0].text == "T <&>\"'  ?? \xe4\xb8\xad]]>");
  // A block is as wide as its characters, not as their bytes.
  const auto width = [](const char* label) {
    const csr_graph one = testing::adjacency({{}});
    return read(one, to_svg(one, {.labels = {label}})).blocks[0].outline.width;
  };
  CHECK(width("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad") == width("abcd"));
  CHECK(width("abcde") > width("abcd"));
}

TEST_CASE("svg_graph: nothing, and nearly nothing") {
  const picture none = read({}, to_svg(csr_graph{}));
  CHECK(none.width > 0);
  CHECK(none.height > 0);
  CHECK(none.others.size() == 1);
  const picture title = read({}, to_svg(csr_graph{}, {.title = "first\nsecond"}));
  CHECK(title.others.size() == 3);
  CHECK(title.height > none.height);
  CHECK(title.width > none.width);
  check_picture(testing::adjacency({{}}), {.title = "a title that is wider than the only block"}, true);
}

TEST_CASE("svg_graph: any graph that fits") {
  const std::vector<std::vector<int>> user{{1, 2}, {3}, {3}, {}};
  CHECK(to_svg(user) == to_svg(snapshot(user)));
  CHECK(to_svg(user, {.title = "t"}) == to_svg(testing::diamond(), {.title = "t"}));
}

TEST_CASE("svg_graph: large graphs take neither long nor deep recursion") {
  const std::clock_t begin = std::clock();
  const auto drawn = [](const csr_graph& g) {
    const std::string svg = to_svg(g);
    CHECK(count(svg, "data-block=") == g.num_blocks());
    CHECK(count(svg, "data-edge=") == g.num_edges());
  };
  testing::rng random(1);
  csr_builder any(1000), chain(30'000), tree(1000), fan(1000), crossed(1000);
  for (std::size_t e = 0; e < 2000; ++e)
    any.add_edge(static_cast<block_id>(random.below(1000)), static_cast<block_id>(random.below(1000)));
  for (block_id b = 1; b < 30'000; ++b) chain.add_edge(b - 1, b);
  for (block_id b = 1; b < 1000; ++b) tree.add_edge((b - 1) / 2, b);
  for (block_id b = 1; b < 999; ++b) fan.add_edge(0, b).add_edge(b, 999);
  for (block_id b = 1; b < 1000; ++b) crossed.add_edge(b - 1, b).add_edge(b, 999 - b);  // too many bends to draw
  drawn(any.build());
  drawn(chain.build());
  drawn(tree.build());
  drawn(fan.build());
  drawn(crossed.build());
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 20);  // one second, with room for sanitizers
}

TEST_CASE("svg_graph: layers") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const bool reducible = seed % 2 == 0;
    const csr_graph g = reducible
                            ? testing::random_cfg(random, {.blocks = 20, .reducible = true, .unreachable_percent = 10})
                            : random_graph(random, 20);
    CAPTURE(to_dot(g));
    const auto tree = dominators(g);
    const detail::graph_layers layers(g);
    std::size_t self_loops = 0, next = 0;
    for (edge_id e = 0; e < g.num_edges(); ++e) {
      const block_id from = g.source(e), to = g.target(e);
      self_loops += from == to ? 1U : 0U;
      if (from == to) continue;
      const detail::graph_layers::route& r = layers.routes()[next++];
      CHECK(r.edge == e);
      CHECK(r.upper == (r.turned ? to : from));
      CHECK(r.lower == (r.turned ? from : to));
      REQUIRE(layers.layer(r.upper) < layers.layer(r.lower));
      CHECK(r.num_bends == layers.layer(r.lower) - layers.layer(r.upper) - 1);
      for (std::uint32_t i = 0; i < r.num_bends; ++i) {
        CHECK(layers.is_bend(r.first_bend + i));
        CHECK(layers.layer(r.first_bend + i) == layers.layer(r.upper) + 1 + i);
        CHECK(layers.up(r.first_bend + i).size() == 1);
        CHECK(layers.down(r.first_bend + i).size() == 1);
      }
      CHECK(layers.is_reached(from) == tree.is_reachable(from));
      // In a reducible graph an edge closes a cycle exactly if its target dominates its source.
      if (reducible && tree.is_reachable(from)) CHECK(r.turned == tree.dominates(to, from));
    }
    CHECK(next == layers.routes().size());
    CHECK(next + self_loops == g.num_edges());
    std::vector<int> times(layers.num_items(), 0);
    std::size_t up = 0, down = 0;
    for (std::uint32_t l = 0; l < layers.rows.size(); ++l)
      for (const std::uint32_t i : layers.rows[l]) {
        CHECK(layers.layer(i) == l);
        ++times[i];
        up += layers.up(i).size();
        down += layers.down(i).size();
        for (const std::uint32_t o : layers.down(i)) {
          CHECK(layers.layer(o) == l + 1);
          CHECK(std::count(layers.down(i).begin(), layers.down(i).end(), o) ==
                std::count(layers.up(o).begin(), layers.up(o).end(), i));
        }
      }
    CHECK(up == down);
    CHECK(times == std::vector<int>(layers.num_items(), 1));
  }
}

TEST_CASE("svg_graph: crossings are counted right and do not become more") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 20);
    detail::graph_layers layers(g);
    const auto crossings = [&layers] {  // pair by pair
      std::uint64_t all = 0;
      for (std::size_t l = 0; l + 1 < layers.rows.size(); ++l) {
        const auto& row = layers.rows[l + 1];
        const auto position = [&row](std::uint32_t i) { return std::find(row.begin(), row.end(), i) - row.begin(); };
        for (std::size_t i = 0; i < layers.rows[l].size(); ++i)
          for (std::size_t j = i + 1; j < layers.rows[l].size(); ++j)
            for (const std::uint32_t a : layers.down(layers.rows[l][i]))
              for (const std::uint32_t b : layers.down(layers.rows[l][j])) all += position(a) > position(b) ? 1U : 0U;
      }
      return all;
    };
    CAPTURE(to_dot(g));
    const std::uint64_t before = crossings();
    CHECK(detail::layer_order::crossings(layers) == before);
    auto sorted = layers.rows;
    detail::layer_order::improve(layers);
    CHECK(crossings() <= before);
    CHECK(crossings() == detail::layer_order::crossings(layers));
    auto now = layers.rows;
    for (auto* rows : {&sorted, &now})
      for (auto& row : *rows) std::sort(row.begin(), row.end());
    CHECK(sorted == now);  // every item stays in its layer
  }
  // One step untangles these: a row of blocks each joined to one block below, in the opposite order.
  csr_builder builder(41);
  for (block_id b = 1; b <= 20; ++b) builder.add_edge(0, b).add_edge(b, 41 - b);
  detail::graph_layers layers(builder.build());
  std::reverse(layers.rows[2].begin(), layers.rows[2].end());
  CHECK(detail::layer_order::crossings(layers) == 190);
  detail::layer_order::improve(layers);
  CHECK(detail::layer_order::crossings(layers) == 0);
}

TEST_CASE("svg_graph: columns keep their distance, and the layer placed last is the isotonic regression") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 20);
    CAPTURE(to_dot(g));
    detail::graph_layers layers(g);
    detail::layer_order::improve(layers);
    const auto apart = [](std::uint32_t a, std::uint32_t b) { return 10.0 + a % 7 + b % 5; };
    const detail::layer_coordinates placed(layers, apart);
    const auto x = placed.middles();
    for (const auto& row : layers.rows)
      for (std::size_t i = 1; i < row.size(); ++i) CHECK(x[row[i]] - x[row[i - 1]] >= apart(row[i - 1], row[i]) - 1e-6);
    // The first layer comes last, pulled by the items below it: y_i is the greatest over all a <= i of the least over
    // all b >= i of the weighted mean of a..b (Barlow et al. 1972). Items that nothing pulls stay where they were.
    const auto& row = layers.rows.front();
    std::vector<double> wish, weight, offset;
    bool pulled = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      double sum = 0, all = 0;
      for (const std::uint32_t o : layers.down(row[i])) {
        const double w = layers.is_bend(o) ? 2 : 1;
        sum += w * x[o];
        all += w;
      }
      pulled = pulled && all > 0;
      offset.push_back(i == 0 ? 0 : offset.back() + apart(row[i - 1], row[i]));
      wish.push_back(sum / all - offset.back());
      weight.push_back(all);
    }
    for (std::size_t i = 0; pulled && i < row.size(); ++i) {
      double greatest = -1e9;
      for (std::size_t a = 0; a <= i; ++a) {
        double least = 1e9, sum = 0, all = 0;
        for (std::size_t b = a; b < row.size(); ++b) {
          sum += wish[b] * weight[b];
          all += weight[b];
          if (b >= i) least = std::min(least, sum / all);
        }
        greatest = std::max(greatest, least);
      }
      CHECK(x[row[i]] == doctest::Approx(greatest + offset[i]));
    }
  }
}
