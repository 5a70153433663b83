// SPDX-License-Identifier: BSL-1.0
//
// The analyses on the control-flow graphs of real kernels, against the figures of an independent implementation, and on
// the graphs of ordinary programs against verify().
#include "analysis/oracles.hpp"
#include "support/gz.hpp"
#include <simtflow/analysis/frontier_baselines.hpp>
#include <simtflow/io/graph_text.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow_tests;

namespace {

using row = std::map<std::string, std::string>;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::vector<row> read_rows(const std::string& text) {
  std::vector<row> rows;
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::vector<std::string> fields = split(std::string_view(text).substr(at, end - at));
    at = end + 1;
    if (names.empty()) {
      names = fields;
      continue;
    }
    REQUIRE(fields.size() == names.size());
    row r;
    for (std::size_t i = 0; i < names.size(); ++i) r[names[i]] = fields[i];
    rows.push_back(r);
  }
  return rows;
}

std::vector<recorded_graph> read_all(const std::vector<std::string>& files) {
  std::vector<recorded_graph> graphs;
  for (const std::string& name : files) {
    const auto text = read_file(corpus_directory() + "/" + name);
    REQUIRE_MESSAGE(text.has_value(), name);
    const result<std::vector<recorded_graph>> file = read_graphs(*text);
    REQUIRE(file);
    graphs.insert(graphs.end(), file->begin(), file->end());
  }
  return graphs;
}

bool no_corpus() {
  if (!corpus_directory().empty()) return false;
  MESSAGE("skipped: no corpus");
  return true;
}

const std::vector<std::string> gpu_files{"thread-frontiers-kernels.cfg", "rodinia.nvcc.cfg.gz", "parboil.nvcc.cfg.gz",
                                         "polybench.nvcc.cfg.gz", "rodinia.llvm.cfg.gz"};

// The columns that these analyses give.
std::map<std::string, double> columns(const recorded_graph& r) {
  const csr_graph& g = r.graph;
  std::map<std::string, double> c;
  const auto forest = loops(g);
  double irreducible = 0, depth = 0, several_exits = 0;
  for (const loop_id l : ids_below<loop_id>(forest.num_loops())) {
    irreducible += forest.is_irreducible(l);
    if (forest.depth(l) > depth) depth = forest.depth(l);
    several_exits += forest.exiting_blocks(l).size() > 1;
  }
  c["loops"] = static_cast<double>(forest.num_loops());
  c["irr"] = irreducible;
  c["depth"] = depth;
  c["multiexit"] = several_exits;

  const auto order = reverse_post_order(g);
  const auto frontiers = thread_frontiers_algorithm_1(g, order);
  const std::size_t real = order.blocks().size() - (r.sentinel == no_block ? 0 : 1);
  CHECK((r.sentinel == no_block || frontiers.size(r.sentinel) == 0));
  c["tf_avg"] = static_cast<double>(frontiers.total_size()) / static_cast<double>(real);
  c["tf_max"] = static_cast<double>(frontiers.max_size());
  c["tf_edges"] = static_cast<double>(frontiers.check_edges().size());
  std::vector<unsigned char> is_target(g.num_blocks(), 0), is_join(g.num_blocks() + 1, 0);
  double targets = 0, joins = 0;
  for (const edge& e : frontiers.check_edges()) {
    unsigned char& mark = is_target[g.successors(e.from)[e.slot]];
    targets += mark == 0;
    mark = 1;
  }
  c["tf_blocks"] = targets;

  const auto tree = post_dominators(g);
  double endless = 0;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    endless += tree.is_reachable(b) && !tree.reaches_exit(b);
    if (g.successors(b).size() < 2 || !tree.ipdom(b)) continue;
    unsigned char& mark = is_join[*tree.ipdom(b)];
    joins += mark == 0;
    mark = 1;
  }
  c["pdom_blocks"] = joins;
  c["noexit"] = endless;

  // Is the target of an edge out of a loop numbered between the loop's header and its last block?
  double hazard = 0;
  for (const loop_id l : ids_below<loop_id>(forest.num_loops())) {
    std::uint32_t last = 0;
    for (const block_id b : forest.blocks(l)) last = order.rank(b) > last ? order.rank(b) : last;
    for (const block_id b : forest.blocks(l))
      for (const block_id s : g.successors(b))
        if (!forest.contains(l, s) && order.rank(s) < last && order.rank(s) > order.rank(forest.header(l))) hazard = 1;
  }
  c["rpohaz"] = hazard;
  return c;
}

}  // namespace

TEST_CASE("corpus: every figure of the GPU kernels that these analyses give") {
  if (no_corpus()) return;
  const auto text = read_file(corpus_directory() + "/expected.csv.gz");
  REQUIRE(text.has_value());
  std::map<std::string, row> expected;
  for (const row& r : read_rows(*text))
    expected[r.at("suite") + "/" + r.at("file") + "/" + r.at("variant") + "/" + r.at("name")] = r;
  std::size_t compared = 0;
  std::map<std::string, std::size_t> wrong;
  for (const recorded_graph& r : read_all(gpu_files)) {
    const std::string name = r.suite + "/" + r.stem + "/" + r.variant + "/" + r.symbol;
    const auto found = expected.find(name);
    if (found == expected.end()) continue;
    ++compared;
    for (const auto& [column, value] : columns(r)) {
      const double listed = std::strtod(found->second.at(column).c_str(), nullptr);
      if (std::fabs(listed - value) < 0.00051) continue;
      if (wrong[column]++ >= 3) continue;
      const std::string what =
          name + ": " + column + " is " + std::to_string(value) + ", listed is " + std::to_string(listed);
      MESSAGE(what);
    }
  }
  CHECK(compared == expected.size());
  for (const auto& entry : wrong) {
    CAPTURE(entry.first);
    CHECK(entry.second == 0);
  }
}

TEST_CASE("corpus: verify dominators and post-dominators of every graph") {
  if (no_corpus()) return;
  std::vector<std::string> files = gpu_files;
  files.push_back("cpu-O0.cfg.gz");
  dominator_tree<csr_graph> up{csr_graph{}};
  post_dominator_tree<csr_graph> down{csr_graph{}};
  std::size_t seen = 0;
  for (const recorded_graph& r : read_all(files)) {
    const effort how = r.graph.num_blocks() < 60 ? effort::full : effort::normal;
    up.recompute(r.graph);
    down.recompute(r.graph);
    const tree_check a = verify(up, r.graph, how), b = verify(down, r.graph, how);
    if (!a) report({r.symbol.c_str(), seen, r.graph}, a.broken);
    if (!b) report({r.symbol.c_str(), seen, r.graph}, b.broken);
    ++seen;
  }
  CHECK(seen > 14'000);
}
