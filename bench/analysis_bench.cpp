// SPDX-License-Identifier: BSL-1.0
//
// The cost of the analyses, as multiples of one bare depth-first numbering of the same graphs (`x_floor`), beside the
// cost of the same answer from Boost.Graph and LLVM where they are installed. All of a set is timed in one run, in
// turns (ratio.hpp); Google Benchmark selects and prints. Sets:
//
//   cpu        14,143 functions of C and C++ programs at -O0 (corpus)
//   gpu        the kernels of the corpus of up to 1,000 blocks
//   vm         the interpreter kernel of the thread frontiers paper, 1,151 blocks: read its time, which is of one pass
//   programs   random structured programs of 300 statements with break and continue
//   chain, nest, ladder   one graph of 100,000 blocks or more: the worst cases of somebody's algorithm
#include "../tests/support/gz.hpp"
#include "floor.hpp"
#include "ratio.hpp"
#include <simtflow/analysis/components.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/regions.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/graph_text.hpp>
#include <simtflow/testing/generate.hpp>

#include <benchmark/benchmark.h>

#if defined(SIMTFLOW_BENCH_BOOST)
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dominator_tree.hpp>
namespace boost {
// BidirectionalGraph asks for it, and the library has none for its own CSR graph.
template <typename... T>
std::size_t degree(typename compressed_sparse_row_graph<T...>::vertex_descriptor v,
                   const compressed_sparse_row_graph<T...>& g) {
  return out_degree(v, g) + in_degree(v, g);
}
}  // namespace boost
#endif
#if defined(SIMTFLOW_BENCH_LLVM)
#include "llvm_peer.hpp"
#endif

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using graphs = std::vector<csr_graph>;
using lists = std::vector<std::vector<int>>;

// --- sets ------------------------------------------------------------------------------------------------------------

void add_file(graphs& all, const std::string& name, std::size_t least_blocks, std::size_t most_blocks) {
  const auto text = simtflow_tests::read_file(simtflow_tests::corpus_directory() + "/" + name);
  if (!text) return;
  const result<std::vector<recorded_graph>> file = read_graphs(*text);
  if (!file) return;
  for (const recorded_graph& g : *file)
    if (least_blocks <= g.graph.num_blocks() &&
        g.graph.num_blocks() <= most_blocks)  // without edges out of unreachable blocks, which Boost cannot take
      all.push_back(snapshot(g.graph));
}

graphs cpu_functions() {
  graphs all;
  add_file(all, "cpu-O0.cfg.gz", 0, ~std::size_t{0});
  return all;
}

graphs gpu_kernels() {
  graphs all;
  for (const char* name : {"thread-frontiers-kernels.cfg", "rodinia.nvcc.cfg.gz", "parboil.nvcc.cfg.gz",
                           "polybench.nvcc.cfg.gz", "rodinia.llvm.cfg.gz"})
    add_file(all, name, 0, 1000);
  return all;
}

graphs interpreter_kernel() {
  graphs all;
  add_file(all, "thread-frontiers-kernels.cfg", 1001, ~std::size_t{0});
  return all;
}

graphs programs() {
  graphs all;
  testing::rng random(300);
  for (int i = 0; i < 40; ++i)
    all.push_back(snapshot(
        testing::random_structured_program(random, {.statements = 300, .max_depth = 8, .break_continue = true}).graph));
  return all;
}

graphs one(const csr_builder& builder) { return {snapshot(builder.build())}; }

graphs chain() {
  csr_builder b(200'000);
  for (block_id i = 0; i + 1 < 200'000; ++i) b.add_edge(i, i + 1);
  return one(b);
}

// Loops in one another: headers, then latches from the innermost out.
graphs nest() {
  constexpr block_id depth = 50'000;
  csr_builder b(2 * depth + 1);
  for (block_id i = 0; i + 1 < depth; ++i) b.add_edge(i, i + 1);
  b.add_edge(depth - 1, 2 * depth - 1);
  for (block_id i = 0; i < depth; ++i) b.add_edge(depth + i, i).add_edge(depth + i, i == 0 ? 2 * depth : depth + i - 1);
  return one(b);
}

// Pairs of blocks; each block goes to both blocks of the next pair.
graphs ladder() {
  constexpr block_id rungs = 50'000;
  csr_builder b(2 * rungs);
  for (block_id i = 0; i + 2 < 2 * rungs; i += 2)
    for (block_id from = i; from < i + 2; ++from) b.add_edge(from, i + 2).add_edge(from, i + 3);
  return one(b);
}

// --- the same graphs as users and peers have them --------------------------------------------------------------------

struct node {
  std::size_t id = 0;
  std::vector<const node*> successors{};
};
struct nodes {
  std::vector<std::unique_ptr<node>> all;
};

}  // namespace

template <>
struct simtflow::graph_traits<nodes> {
  using vertex = const node*;
  static std::size_t num_vertices(const nodes& g) { return g.all.size(); }
  static std::size_t index(const nodes&, vertex v) { return v->id; }
  static vertex vertex_at(const nodes& g, std::size_t i) { return g.all[i].get(); }
  static vertex entry(const nodes& g) { return g.all[0].get(); }
  static const std::vector<const node*>& successors(const nodes&, vertex v) { return v->successors; }
};

namespace {

// The other forms enter at block 0, as all graphs here do.
lists to_lists(const csr_graph& g) {
  lists out(g.num_blocks());
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) out[b].push_back(static_cast<int>(s));
  return out;
}

nodes to_nodes(const csr_graph& g) {
  nodes out;
  for (block_id b = 0; b < g.num_blocks(); ++b) out.all.push_back(std::make_unique<node>(node{b}));
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) out.all[b]->successors.push_back(out.all[s].get());
  return out;
}

#if defined(SIMTFLOW_BENCH_BOOST)
using boost_lists = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using boost_csr = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, boost::no_property,
                                                     boost::no_property, std::uint32_t, std::uint32_t>;

std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_of(const csr_graph& g) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) all.emplace_back(b, s);
  return all;
}

// Lengauer-Tarjan with every buffer handed in and kept.
template <class G>
class boost_dominators {
 public:
  using vertex = typename boost::graph_traits<G>::vertex_descriptor;
  void compute(const G& g) {
    const std::size_t n = num_vertices(g);
    number_.assign(n, 0);
    parent_.assign(n, boost::graph_traits<G>::null_vertex());
    idom_.assign(n, boost::graph_traits<G>::null_vertex());
    by_number_.assign(n, vertex());
    const auto index = get(boost::vertex_index, g);
    boost::lengauer_tarjan_dominator_tree(g, vertex(0), index,
                                          boost::make_iterator_property_map(number_.begin(), index),
                                          boost::make_iterator_property_map(parent_.begin(), index), by_number_,
                                          boost::make_iterator_property_map(idom_.begin(), index));
  }
  [[nodiscard]] bool agrees(std::span<const block_id> idoms) const {
    for (std::size_t b = 0; b < idoms.size(); ++b)
      if (idom_[b] != boost::graph_traits<G>::null_vertex() ? idoms[b] != idom_[b] : idoms[b] != no_block) return false;
    return true;
  }

 private:
  std::vector<std::size_t> number_;
  std::vector<vertex> parent_, idom_, by_number_;
};
#endif

// --- the table -------------------------------------------------------------------------------------------------------

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "analysis_bench: %s\n", what);
  std::exit(1);
}

struct graph_set {
  std::string name;
  graphs all;
  std::vector<simtflow_bench::standing> result;  // measured when it is asked for first
  double size = 0;                               // blocks and edges
};

// True if the results are not quadratic on nests of loops.
bool has_result(const std::string& set, const std::string& name) {
  return set != "nest" || (!name.starts_with("thread frontiers") && name != "idoms + dominance frontiers" &&
                           name != "post-dominators + control dependence");
}

void measure(graph_set& set) {
  const graphs& all = set.all;
  std::vector<lists> as_lists;
  std::vector<nodes> as_nodes;
  for (const csr_graph& g : all) {
    must(g.entry() == 0, "every graph here begins with its entry");
    as_lists.push_back(to_lists(g));
    as_nodes.push_back(to_nodes(g));
    set.size += static_cast<double>(g.num_blocks() + g.num_edges());
  }
  std::vector<simtflow_bench::contestant> run;
  const auto add = [&](const char* name, std::function<void(std::size_t)> f) {
    if (has_result(set.name, name)) run.push_back({name, std::move(f)});
  };
  const csr_graph no_graph;
  const lists no_lists;
  const nodes no_nodes;

  simtflow_bench::bare_search floor;
  add("floor", [&](std::size_t i) { floor.compute(all[i]); });
  immediate_dominator_map<csr_graph> parents(no_graph);
  add("idoms", [&](std::size_t i) { parents.recompute(all[i]); });
  dominator_tree<csr_graph> tree(no_graph);
  add("dominator tree", [&](std::size_t i) { tree.recompute(all[i]); });
  add("dominator tree, fresh object", [&](std::size_t i) {
    const dominator_tree<csr_graph> fresh(all[i]);
    benchmark::DoNotOptimize(fresh.depth(0));
  });
  immediate_post_dominator_map<csr_graph> post_parents(no_graph);
  add("ipdoms", [&](std::size_t i) { post_parents.recompute(all[i]); });
  post_dominator_tree<csr_graph> post_tree(no_graph);
  add("post-dominator tree", [&](std::size_t i) { post_tree.recompute(all[i]); });
  immediate_dominator_map<csr_graph> frontier_parents(no_graph);
  dominance_frontier_sets<csr_graph> frontiers(no_graph, frontier_parents);
  add("idoms + dominance frontiers", [&](std::size_t i) {
    frontier_parents.recompute(all[i]);
    frontiers.recompute(all[i], frontier_parents);
  });
  control_dependences<csr_graph> dependences(no_graph, post_dominator_tree<csr_graph>(no_graph));
  post_dominator_tree<csr_graph> dependence_tree(no_graph);
  add("post-dominators + control dependence", [&](std::size_t i) {
    dependence_tree.recompute(all[i]);
    dependences.recompute(all[i], dependence_tree);
  });
  loop_forest<csr_graph> forest(no_graph);
  add("loop forest", [&](std::size_t i) { forest.recompute(all[i]); });
  strong_components<csr_graph> components(no_graph);
  add("strong components", [&](std::size_t i) { components.recompute(all[i]); });
  weak_topological_order<csr_graph> hierarchy(no_graph);
  add("weak topological order", [&](std::size_t i) { hierarchy.recompute(all[i]); });
  program_structure_tree<csr_graph> regions(no_graph);
  add("program structure tree", [&](std::size_t i) { regions.recompute(all[i]); });
  structural_reduction<csr_graph> structure(no_graph);
  add("structural reduction", [&](std::size_t i) { structure.recompute(all[i]); });
  depth_first_order<csr_graph> order(no_graph);
  add("depth-first order", [&](std::size_t i) { order.recompute(all[i]); });
  dense::order_maker make;
  add("loop-contiguous order", [&](std::size_t i) { benchmark::DoNotOptimize(make.loop_contiguous(all[i])); });
  std::vector<priority_order<csr_graph>> orders;
  for (const csr_graph& g : all) orders.push_back(loop_contiguous_order(g));
  if (has_result(set.name, "thread frontiers")) {
    add("thread frontiers",
        [&, sets = thread_frontiers(all[0], orders[0])](std::size_t i) mutable { sets.recompute(all[i], orders[i]); });
    add("thread frontiers, Algorithm 1", [&, sets = thread_frontiers(all[0], orders[0])](std::size_t i) mutable {
      sets.recompute(all[i], orders[i], {}, frontier_rule::algorithm_1);
    });
  }
  detail::snapshot_buffer<lists> snapshots;
  add("snapshot of lists", [&](std::size_t i) { benchmark::DoNotOptimize(snapshots.take(as_lists[i])); });
  immediate_dominator_map<lists> list_parents(no_lists);
  add("idoms of lists", [&](std::size_t i) { list_parents.recompute(as_lists[i]); });
  dominator_tree<lists> list_tree(no_lists);
  add("dominator tree of lists", [&](std::size_t i) { list_tree.recompute(as_lists[i]); });
  immediate_dominator_map<nodes> node_parents(no_nodes);
  add("idoms of pointers", [&](std::size_t i) { node_parents.recompute(as_nodes[i]); });
  dominator_tree<nodes> node_tree(no_nodes);
  add("dominator tree of pointers", [&](std::size_t i) { node_tree.recompute(as_nodes[i]); });

#if defined(SIMTFLOW_BENCH_BOOST)
  std::vector<boost_csr> as_boost_csr;
  std::vector<boost_lists> as_boost_lists;
  for (const csr_graph& g : all) {
    const auto edges = edges_of(g);
    as_boost_csr.emplace_back(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), g.num_blocks());
    as_boost_lists.emplace_back(edges.begin(), edges.end(), g.num_blocks());
  }
  boost_dominators<boost_csr> in_csr;
  boost_dominators<boost_lists> in_lists;
  for (std::size_t i = 0; i < all.size(); ++i) {
    parents.recompute(all[i]);
    in_csr.compute(as_boost_csr[i]);
    in_lists.compute(as_boost_lists[i]);
    must(in_csr.agrees(parents.idoms()) && in_lists.agrees(parents.idoms()), "Boost finds other dominators");
  }
  add("Boost lengauer_tarjan, CSR", [&](std::size_t i) { in_csr.compute(as_boost_csr[i]); });
  add("Boost lengauer_tarjan, adjacency_list", [&](std::size_t i) { in_lists.compute(as_boost_lists[i]); });
#endif
#if defined(SIMTFLOW_BENCH_LLVM)
  std::vector<std::unique_ptr<simtflow_bench::llvm_function>> as_llvm;
  llvm::DominatorTreeBase<simtflow_bench::llvm_block, false> llvm_tree;
  for (const csr_graph& g : all) {
    as_llvm.push_back(std::make_unique<simtflow_bench::llvm_function>(g));
    parents.recompute(g);
    llvm_tree.recalculate(*as_llvm.back());
    for (const auto& b : as_llvm.back()->blocks) {
      const auto* at = llvm_tree.getNode(b.get());
      const auto* up = at == nullptr ? nullptr : at->getIDom();
      const block_id expected = parents.idoms()[b->number];
      must(up == nullptr ? expected == no_block : up->getBlock()->number == expected, "LLVM finds other dominators");
    }
  }
  add("LLVM DominatorTree", [&](std::size_t i) { llvm_tree.recalculate(*as_llvm[i]); });
#endif
  // Every contestant is to find its memory as it left it, and no branch predictor is to know the graphs by heart.
  set.result = simtflow_bench::compete(run, all.size(), 512, all.size() > 1000 ? 12 : 40);
}

void report(benchmark::State& state, graph_set& set, const std::string& name) {
  if (set.result.empty()) measure(set);
  const simtflow_bench::standing* mine = nullptr;
  for (const simtflow_bench::standing& s : set.result)
    if (s.name == name) mine = &s;
  if (mine == nullptr) {
    state.SkipWithError("not measured on this set");
    return;
  }
  for (auto _ : state) state.SetIterationTime(mine->seconds);
  state.counters["x_floor"] = mine->seconds / set.result[0].seconds;
  state.counters["ns_per_block+edge"] = mine->seconds * 1e9 / set.size;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  std::vector<graph_set> sets;
  const auto add_set = [&](const char* name, graphs all) {
    if (all.empty())
      std::printf("no corpus (SIMTFLOW_CORPUS is empty): the set \"%s\" is left out\n", name);
    else
      sets.push_back({name, std::move(all), {}, 0});
  };
  add_set("cpu", cpu_functions());
  add_set("gpu", gpu_kernels());
  add_set("vm", interpreter_kernel());
  add_set("programs", programs());
  add_set("chain", chain());
  add_set("nest", nest());
  add_set("ladder", ladder());
  std::vector<const char*> names{"floor",
                                 "idoms",
                                 "dominator tree",
                                 "dominator tree, fresh object",
                                 "ipdoms",
                                 "post-dominator tree",
                                 "idoms + dominance frontiers",
                                 "post-dominators + control dependence",
                                 "loop forest",
                                 "strong components",
                                 "weak topological order",
                                 "program structure tree",
                                 "structural reduction",
                                 "depth-first order",
                                 "loop-contiguous order",
                                 "thread frontiers",
                                 "thread frontiers, Algorithm 1",
                                 "snapshot of lists",
                                 "idoms of lists",
                                 "dominator tree of lists",
                                 "idoms of pointers",
                                 "dominator tree of pointers"};
#if defined(SIMTFLOW_BENCH_BOOST)
  names.insert(names.end(), {"Boost lengauer_tarjan, CSR", "Boost lengauer_tarjan, adjacency_list"});
#else
  std::puts("Boost.Graph was not found: left out");
#endif
#if defined(SIMTFLOW_BENCH_LLVM)
  names.push_back("LLVM DominatorTree");
#else
  std::puts("LLVM was not found: left out");
#endif
  for (graph_set& set : sets)
    for (const char* name : names) {
      if (!has_result(set.name, name)) continue;
      benchmark::RegisterBenchmark((set.name + "/" + name).c_str(),
                                   [&set, name](benchmark::State& state) { report(state, set, name); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  benchmark::RunSpecifiedBenchmarks();
}
