// SPDX-License-Identifier: BSL-1.0
#include "io/trace_mistakes.hpp"
#include "support/graphs.hpp"
#include "support/gz.hpp"
#include <simtflow/io/trace_text.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

// The graphs of a text that are sound, and what is wrong with the others.
struct sound_graphs {
  std::vector<recorded_graph> graphs;
  diagnostics found;
};

// read_graphs gives the same graphs, or the same diagnostics.
sound_graphs graphs_in(std::string_view text) {
  sound_graphs out;
  out.graphs = read_sound_graphs(text, out.found);
  const result<std::vector<recorded_graph>> all = read_graphs(text);
  CHECK(all.has_value() == out.found.empty());
  CHECK(all.diagnostics() == out.found);
  if (all) CHECK(*all == out.graphs);
  return out;
}

recorded_graph record(const csr_graph& g, const char* symbol) {
  recorded_graph r;
  r.suite = "shapes";
  r.stem = "named";
  r.variant = "v1";
  r.symbol = symbol;
  r.kind = graph_kind::kernel;
  r.graph = g;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    r.weights.push_back(b * 7);
    r.barriers.push_back(b % 3 == 1);
    r.branches.push_back(static_cast<branch_kind>(b % 4));
    if (g.num_blocks() % 5 == 3)
      r.named.push_back(b % 3 != 1 ? trace_barrier{} : trace_barrier{b % 16, 1 + b / 2, b % 4 == 1});
    if (g.num_blocks() % 4 == 2) r.strong_reads.push_back(b % 5 == 1);  // block 1 at least
  }
  return r;
}

// Equal but for where they were read.
bool same(recorded_graph a, recorded_graph b) {
  a.where = b.where = {};
  return a == b;
}

bool same(const recorded_trace& a, const recorded_trace& b) {
  return same(a.graph, b.graph) && a.paths.blocks == b.paths.blocks && a.paths.first == b.paths.first &&
         a.path_of_thread == b.path_of_thread && a.first_thread == b.first_thread && a.machine == b.machine &&
         a.code == b.code && a.addresses == b.addresses;
}

constexpr const char* good_graphs =
    "# two sections\n"
    "s suite stem O1\n"
    "g kernel 4 0 K\r\n"
    "0 3 bd 1 2\n"
    "  1 1\t- 2\n"
    "\n"
    "2 2 u? 3\n";

constexpr const char* good_trace =
    "k suite/stem O1 kernel\n"
    "g kernel 4 0 K\n"
    "0 3 d 1 2\n"
    "1 1 b 2\n"
    "2 2 ? 3 0\n"
    "3 0 x\n"
    "t 0 0 1 2\n"
    "t 1 0 2 0 1 2\n"
    "c 0 1 1\n"
    "c 1\n";

}  // namespace

TEST_CASE("a graph file") {
  const sound_graphs file = graphs_in(
      "# two sections\n"
      "s suite stem O1\n"
      "g kernel 4 0 K\r\n"
      "0 3 bd 1 2\n"
      "  1 1\t- 2\n"
      "\n"
      "2 2 ? 3 0\n"
      "3 0 x\n"
      "s suite - -\n"
      "# no kind, no sentinel, parallel edges, an entry that is not block 0\n"
      "g f 3 2\n"
      "0 0 -\n"
      "1 4294967295 u 0 0\n"
      "2 5 b 1");
  CHECK(said(file.found).empty());
  REQUIRE(file.graphs.size() == 2);
  const recorded_graph& k = file.graphs[0];
  CHECK(k.suite == "suite");
  CHECK(k.stem == "stem");
  CHECK(k.variant == "O1");
  CHECK(k.symbol == "kernel");
  CHECK(k.kind == graph_kind::kernel);
  CHECK(k.where == position{3, 1});
  CHECK(rows_of(k.graph) == rows{{1, 2}, {2}, {3, 0}, {}});
  CHECK(k.weights == std::vector<std::uint32_t>{3, 1, 2, 0});
  CHECK(k.barriers == std::vector<unsigned char>{1, 0, 0, 0});
  CHECK(k.branches == std::vector<branch_kind>{branch_kind::divergent, branch_kind::unmarked, branch_kind::unanalysed,
                                               branch_kind::unmarked});
  CHECK(k.sentinel == 3);
  CHECK(k.may_end(2));
  CHECK(k.may_end(3));
  CHECK_FALSE(k.may_end(0));
  const recorded_graph& f = file.graphs[1];
  CHECK(f.stem.empty());
  CHECK(f.variant.empty());
  CHECK(f.kind == graph_kind::unknown);
  CHECK(f.sentinel == no_block);
  CHECK(f.graph.entry() == 2);
  CHECK(rows_of(f.graph) == rows{{}, {0, 0}, {1}});
  CHECK(f.weights[1] == 4294967295U);
  CHECK(f.may_end(0));
}

TEST_CASE("barriers with numbers and thread counts") {
  const sound_graphs file = graphs_in(
      "g plain 2 0\n0 1 b 1\n1 1 b0 0\n"
      "g named 6 0\n0 1 - 1\n1 1 b15d 2 3\n2 1 ub0/32 3\n3 1 b2/4294967295 4\n4 1 a15/7? 0 5\n5 1 -\n");
  CHECK(said(file.found).empty());
  REQUIRE(file.graphs.size() == 2);
  CHECK(file.graphs[0].barriers == std::vector<unsigned char>{1, 1});
  CHECK(file.graphs[0].named.empty());
  const recorded_graph& g = file.graphs[1];
  CHECK(g.barriers == std::vector<unsigned char>{0, 1, 1, 1, 1, 0});
  CHECK(g.named ==
        std::vector<trace_barrier>{{}, {15, 0, true}, {0, 32, true}, {2, 4294967295U, true}, {15, 7, false}, {}});
  CHECK(g.branches[4] == branch_kind::unanalysed);
  CHECK(g.branches[2] == branch_kind::uniform);

  for (const char* flags : {"b25", "b1/0", "b1/", "b/4", "a", "a1", "a1/0", "a25/3", "b4294967297", "b1/4294967296"}) {
    CAPTURE(flags);
    CHECK(said(graphs_in(std::string("g k 1 0\n0 1 ") + flags + "\n").found) ==
          "line 2, column 5: a barrier is written b, b<number>, b<number>/<threads> or a<number>/<threads>: the number "
          "is below 25, the threads are at least 1\n");
  }
  CHECK(said(graphs_in("g k 1 0\n0 1 b1a2/3\n").found) ==
        "line 2, column 7: flag 'a' repeats or contradicts an earlier one\n");
}

TEST_CASE("blocks in which a thread can see what another one did") {
  const sound_graphs file = graphs_in("g old 2 0\n0 1 - 1\n1 1 -\ng waits 4 0\n0 1 - 1\n1 1 wd 1 2\n2 1 bw 3\n3 0 x\n");
  CHECK(said(file.found).empty());
  REQUIRE(file.graphs.size() == 2);
  CHECK(file.graphs[0].strong_reads.empty());
  CHECK(file.graphs[1].strong_reads == std::vector<unsigned char>{0, 1, 1, 0});
  CHECK(file.graphs[1].branches[1] == branch_kind::divergent);
  CHECK(file.graphs[1].barriers[2] == 1);
  const std::string text = to_graph_text(file.graphs);
  CHECK(text.find("\n1 1 dw 1 2\n2 1 bw 3\n3 0 x\n") != std::string::npos);
  const sound_graphs again = graphs_in(text);
  REQUIRE(again.graphs.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(same(again.graphs[i], file.graphs[i]));
  CHECK(said(graphs_in("g k 1 0\n0 1 wbw\n").found) ==
        "line 2, column 7: flag 'w' repeats or contradicts an earlier one\n");
  CHECK(said(graphs_in("g k 1 0\n0 0 xw\n").found) == "line 2, column 5: the sentinel is written '0 0 x'\n");
}

TEST_CASE("nothing, comments only, and a graph without blocks") {
  for (const char* text : {"", "\n\n", "# g x 1 0\n  # 0 0 -\n", "\r\n", " "}) {
    const sound_graphs file = graphs_in(text);
    CHECK(file.graphs.empty());
    CHECK(file.found.empty());
    CHECK(traces_in(text).traces.empty());
    CHECK(traces_in(text).found.empty());
  }
  const sound_graphs file = graphs_in("g empty 0 0\n");
  REQUIRE(file.graphs.size() == 1);
  CHECK(file.graphs[0].graph == csr_graph{});
}

TEST_CASE("what is wrong with a graph file is named with its place") {
  struct mistake {
    const char* text;
    const char* said;
  };
  for (const mistake& m : {
           mistake{"g k 2 0\n0 1 - 1\n0 1 -\n", "line 3, column 1: block ids are in order: expected 1, found 0\n"},
           {"g k 2 0\n0 1 - 1\n2 1 -\n", "line 3, column 1: block ids are in order: expected 1, found 2\n"},
           {"g k 2 0\n0 1 - 1\n", "line 1, column 1: the graph has 2 blocks, but only 1 block lines follow\n"},
           {"g k 2 0\n0 1 - 1\ng l 1 0\n0 0 -\n",
            "line 1, column 1: the graph has 2 blocks, but only 1 block lines follow\n"},
           {"g k 1 0\n0 1 -\n1 1 -\n", "line 3, column 1: the graph has only 1 blocks\n"},
           {"g k 2 0\n0 1 - 1 2\n1 1 -\n",
            "line 2, column 9: the successor '2' is no block of the graph: there are 2\n"},
           {"g k 1 0\n0 1 - -1\n", "line 2, column 7: the successor '-1' is no block of the graph: there are 1\n"},
           {"g k 1 0\n0 1 bz\n", "line 2, column 6: unknown flag 'z'\n"},
           {"g k 1 0\n0 1 b-\n", "line 2, column 6: unknown flag '-'\n"},
           {"g k 1 0\n0 1 bb\n", "line 2, column 6: flag 'b' repeats or contradicts an earlier one\n"},
           {"g k 1 0\n0 1 du\n", "line 2, column 6: flag 'u' repeats or contradicts an earlier one\n"},
           {"g k 1 0\n0 4294967296 -\n", "line 2, column 3: the weight does not fit into 32 bits: '4294967296'\n"},
           {"g k 1 0\n0 99999999999999999999999999 -\n",
            "line 2, column 3: the weight does not fit into 32 bits: '99999999999999999999999999'\n"},
           {"g k 1 0\n0 18446744073709551617 -\n",  // 2^64 + 1
            "line 2, column 3: the weight does not fit into 32 bits: '18446744073709551617'\n"},
           {"g k 1 0\n0 1x -\n", "line 2, column 3: the weight is not a number: '1x'\n"},
           {"g k 1 0\n0\n", "line 2, column 2: the weight is missing\n"},
           {"g k 1 0\n0 1\n", "line 2, column 4: the flags are missing ('-' stands for none)\n"},
           {"g k 2 0\n0 0 x 1\n1 0 -\n", "line 2, column 7: the sentinel has no successors\n"},
           {"g k 1 0\n0 1 x\n", "line 2, column 5: the sentinel is written '0 0 x'\n"},
           {"g k 1 0\n0 0 bx\n", "line 2, column 5: the sentinel is written '0 0 x'\n"},
           {"g k 2 0\n0 0 x\n1 0 x\n", "line 3, column 5: a graph has one sentinel, block 0 is one already\n"},
           {"g k 1 1\n0 0 -\n", "line 1, column 7: the entry is no block of the graph: there are 1\n"},
           {"g k 1 0 Q\n0 0 -\n", "line 1, column 9: a graph is a kernel (K) or another function (F), not 'Q'\n"},
           {"g k 1 0 K 1\n0 0 -\n", "line 1, column 11: unexpected '1' at the end of the line\n"},
           {"g k 1\n0 0 -\n", "line 1, column 6: the entry is missing\n"},
           {"g\n", "line 1, column 2: a graph is written 'g <symbol> <blocks> <entry> [K|F]'\n"},
           {"g k x 0\n", "line 1, column 5: the number of blocks is not a number: 'x'\n"},
           {"g k 4294967295 0\n", "line 1, column 5: a graph has fewer than 4294967295 blocks\n"},
           {"g k 4294967294 0\n0 1 - 4000000000\n",
            "line 1, column 1: the graph has 4294967294 blocks, but only 1 block lines follow\n"},
           {"s a b\n", "line 1, column 6: a section is written 's <suite> <stem> <variant>'\n"},
           {"s a b c d\n", "line 1, column 9: unexpected 'd' at the end of the line\n"},
           {"0 1 -\n", "line 1, column 1: a block line outside of a graph\n"},
           {"\n\n  k a b c\n", "line 3, column 3: expected a section (s), a graph (g) or a block line, found 'k'\n"},
           {"\x01\x02\n", "line 1, column 1: expected a section (s), a graph (g) or a block line, found '?\?'\n"},
       }) {
    CAPTURE(m.text);
    const sound_graphs file = graphs_in(m.text);
    CHECK(said(file.found) == m.said);
    for (const recorded_graph& g : file.graphs) CHECK(g.symbol == "l");
  }
  CHECK(graphs_in(good_graphs).graphs.empty());  // truncated, and 'u?' contradicts itself
}

TEST_CASE("one diagnostic for a broken graph, and the others are still read") {
  const sound_graphs file =
      graphs_in("g a 3 0\n0 1 -\n5 5 5 5\n6 6 6 6\ng b 1 0\n0 1 -\ng c 1 0\nnonsense\n0 1 -\ng d 1 0\n0 2 -\n");
  CHECK(said(file.found) ==
        "line 3, column 1: block ids are in order: expected 1, found 5\n"
        "line 8, column 1: expected a section (s), a graph (g) or a block line, found 'nonsense'\n");
  REQUIRE(file.graphs.size() == 3);
  CHECK(file.graphs[0].symbol == "b");
  CHECK(file.graphs[2].weights[0] == 2);
}

TEST_CASE("diagnostics are limited") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "?\n";
  CHECK(graphs_in(text).found.size() == max_diagnostics);
  CHECK(traces_in(text).found.size() == max_diagnostics);
}

TEST_CASE("a trace file with its graph inline") {
  const sound_traces file = traces_in(good_trace);
  CHECK(said(file.found).empty());
  REQUIRE(file.traces.size() == 1);
  const recorded_trace& t = file.traces[0];
  CHECK(t.graph.suite == "suite");
  CHECK(t.graph.stem == "stem");
  CHECK(t.graph.variant == "O1");
  CHECK(t.graph.symbol == "kernel");
  REQUIRE(t.paths.size() == 2);
  CHECK(list(t.paths[0]) == std::vector<block_id>{0, 1, 2});
  CHECK(list(t.paths[1]) == std::vector<block_id>{0, 2, 0, 1, 2});
  REQUIRE(t.num_thread_blocks() == 2);
  CHECK(list(t.thread_block(0)) == std::vector<std::uint32_t>{0, 1, 1});
  CHECK(list(t.thread_block(1)) == std::vector<std::uint32_t>{1});
  const sound_traces again = traces_in(to_trace_text(file.traces));
  REQUIRE(again.traces.size() == 1);
  CHECK(same(again.traces[0], t));
}

TEST_CASE("a trace says which machine it was recorded on") {
  CHECK(traces_in(good_trace).traces.at(0).machine == trace_machine{});  // an old trace does not say
  for (const std::uint32_t width : {1U, 4U, 32U, 1024U})
    for (std::size_t model = 0; model <= std::size(barrier_models); ++model) {
      trace_machine machine{width, std::nullopt};
      if (model < std::size(barrier_models)) machine.barriers = barrier_models[model];
      std::string text = good_trace;
      text.insert(text.find("g kernel"),
                  "m " + std::to_string(width) + ' ' +
                      std::string(machine.barriers ? to_string(*machine.barriers) : std::string_view("-")) + '\n');
      const sound_traces file = traces_in(text);
      CHECK(said(file.found).empty());
      REQUIRE(file.traces.size() == 1);
      CHECK(file.traces[0].machine == machine);
      const sound_traces again = traces_in(to_trace_text(file.traces));
      REQUIRE(again.traces.size() == 1);
      CHECK(same(again.traces[0], file.traces[0]));
    }
}

TEST_CASE("a trace file after its graphs were read") {
  const sound_graphs graphs = graphs_in(
      "s a b v\ng k 2 0\n0 1 - 1\n1 1 -\ng twin 1 0\n0 1 -\ng twin 2 0\n0 1 - 1\n1 1 -\n"
      "s a c v\ng k 1 0\n0 1 -\ng twin 1 0\n0 1 -\ng twin 1 0\n0 1 -\n");
  REQUIRE(graphs.graphs.size() == 6);
  const sound_traces file =
      traces_in("k a/b v k\nt 0 0 1\nc 0\nk a/c v k\nt 0 0\nc 0 0\nk a/c v twin\nt 0 0\nc 0\n", graphs.graphs);
  CHECK(said(file.found).empty());
  REQUIRE(file.traces.size() == 3);
  CHECK(same(file.traces[0].graph, graphs.graphs[0]));
  CHECK(same(file.traces[1].graph, graphs.graphs[3]));
  CHECK(said(traces_in("k a/b v twin\nt 0 0\n", graphs.graphs).found) ==
        "line 1, column 1: several graphs are called 'twin' in 'a/b', variant 'v'\n");
  CHECK(said(traces_in("k a/b w k\nt 0 9\nc 7\nk a/c v k\nt 0 0\n", graphs.graphs).found) ==
        "line 1, column 1: no graph 'k' in 'a/b', variant 'w': read its graph file first\n");
  CHECK(traces_in("k a/b w k\nt 0 9\nk a/c v k\nt 0 0\n", graphs.graphs).traces.size() == 1);
  CHECK(traces_in("k a/b v k\n", graphs.graphs).traces.size() == 1);  // a kernel that nobody ran
}

TEST_CASE("what is wrong with a trace file is named with its place") {
  check_mistakes(
      good_trace,
      {
          {"t 0 0 1 2\n", "t 0 1 2\n", "line 7, column 5: a path starts at the entry, block 0, not at 1\n"},
          {"t 0 0 1 2\n", "t 0 0 1 0 2\n", "line 7, column 9: the graph has no edge 1 -> 0\n"},
          {"t 0 0 1 2\n", "t 0 0 1\n", "line 7, column 8: the path ends at block 1, where no thread can end\n"},
          {"t 0 0 1 2\n", "t 0 0 1 2 3\n", "line 7, column 11: a path does not list the sentinel, block 3\n"},
          {"t 0 0 1 2\n", "t 0 0 4\n", "line 7, column 7: '4' is no block of the graph: there are 4\n"},
          {"t 0 0 1 2\n", "t 0 0 -\n", "line 7, column 7: '-' is no block of the graph: there are 4\n"},
          {"t 0 0 1 2\n", "t 0\n", "line 7, column 4: a path has at least one block\n"},
          {"t 0 0 1 2\n", "t\n", "line 7, column 2: the path id is missing\n"},
          {"t 0 0 1 2\n", "t 1 0 1 2\n", "line 7, column 3: path ids count from 0: expected 0, found 1\n"},
          {"t 1 0 2", "t 0 0 2", "line 8, column 3: path ids count from 0: expected 1, found 0\n"},
          {"c 0 1 1", "c 0 2 1", "line 9, column 5: no path '2': there are 2\n"},
          {"c 0 1 1", "c 0 x", "line 9, column 5: no path 'x': there are 2\n"},
          {"c 0 1 1", "c", "line 9, column 2: a thread block has at least one thread\n"},
          {"k suite/stem O1 kernel\n", "k suite/stem O1\n",
           "line 1, column 16: a kernel is written 'k <suite/stem> <variant> <symbol>'\n"},
          {"k suite/stem O1 kernel\n", "k suite/stem O1 colonel\n",
           "line 2, column 1: the graph is called 'kernel', the kernel 'colonel'\n"},
          {"k suite/stem O1 kernel\n", "", "line 1, column 1: a graph directly follows its 'k' line\n"},
          {"c 0 1 1", "q 0",
           "line 9, column 1: expected a kernel (k), its machine (m), its code (n, h, i, a), a path (t), a thread "
           "block "
           "(c), its addresses (d, e), a graph (g) or a block line, found 'q'\n"},
          {"kernel\ng", "kernel\nm\ng", "line 2, column 2: the warp width is missing\n"},
          {"kernel\ng", "kernel\nm 0 -\ng", "line 2, column 3: a warp has at least one thread\n"},
          {"kernel\ng", "kernel\nm 32\ng",
           "line 2, column 5: no barrier model '': there are whole-warp, warp-arrival, thread-arrival, uniform, and "
           "-\n"},
          {"kernel\ng", "kernel\nm 4 warp\ng",
           "line 2, column 5: no barrier model 'warp': there are whole-warp, warp-arrival, thread-arrival, uniform, "
           "and "
           "-\n"},
          {"kernel\ng", "kernel\nm 4 - 5\ng", "line 2, column 7: unexpected '5' at the end of the line\n"},
          {"kernel\ng", "kernel\nm 4 -\nm 4 -\ng", "line 3, column 1: a machine directly follows its 'k' line, once\n"},
          {"t 0 0 1 2\n", "m 4 -\nt 0 0 1 2\n", "line 7, column 1: a machine directly follows its 'k' line, once\n"},
          {"c 0 1 1\n", "g kernel 1 0 K\n0 0 -\n", "line 9, column 1: a graph directly follows its 'k' line\n"},
          {"3 0 x\n", "", "line 2, column 1: the graph has 4 blocks, but only 3 block lines follow\n"},
          {"c 0 1 1\n", "5 5 -\n", "line 9, column 1: a block line outside of a graph\n"},
      });
  CHECK(said(traces_in("t 0 0\n").found) == "line 1, column 1: no 'k' line names the kernel\n");
}

TEST_CASE("named shapes and random graphs survive writing and reading") {
  std::vector<recorded_graph> graphs;
  for (const testing::shape& s : testing::shapes)
    if (s.make() != testing::predicated_exit()) graphs.push_back(record(s.make(), s.name));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::rng random(seed);
    graphs.push_back(record(testing::random_cfg(random, {.blocks = random.between(0, 30), .max_successors = 4}), "r"));
    if (seed % 10 == 0) graphs.back().suite.clear();
    graphs.back().kind = static_cast<graph_kind>(seed % 3);
  }
  const sound_graphs again = graphs_in(to_graph_text(graphs));
  CHECK(said(again.found).empty());
  REQUIRE(again.graphs.size() == graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) CHECK(same(again.graphs[i], graphs[i]));
}

TEST_CASE("broken text never harms the reader") {
  const char* words[] = {"4294967295", "4294967296", "99999999999999999999",
                         "-1",         "0",          "1",
                         "2",          "x",          "-",
                         "b",          "g",          "k",
                         "t",          "c",          "s",
                         "m 8 -\n",    "m",          "uniform",
                         "#",          "\n",         "\t",
                         " ",          "?",          "du",
                         "K",          "F",          "\r\n"};
  const sound_graphs graphs = graphs_in("s suite stem O1\ng kernel 3 0\n0 1 - 1\n1 1 - 2\n2 1 - 0\n");
  testing::rng random(20);
  for (int round = 0; round < 4000; ++round) {
    std::string text = std::string("s a b c\n") + (round % 2 ? good_trace : good_trace + 23);
    for (std::size_t edits = random.between(1, 6); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, random.between(1, 8));
          break;
        case 2:
          text.insert(at, words[random.below(std::size(words))]);
          break;
        case 3:
          text.resize(at);
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.between(1, 30)));
      }
    }
    CAPTURE(text);
    const sound_graphs g = graphs_in(text);
    const sound_traces t = traces_in(text, graphs.graphs);
    // An accepted text can be written and means the same.
    const sound_graphs g2 = graphs_in(to_graph_text(g.graphs));
    REQUIRE(g2.graphs.size() == g.graphs.size());
    CHECK(g2.found.empty());
    for (std::size_t i = 0; i < g.graphs.size(); ++i) CHECK(same(g.graphs[i], g2.graphs[i]));
    const sound_traces t2 = traces_in(to_trace_text(t.traces));
    REQUIRE(t2.traces.size() == t.traces.size());
    for (std::size_t i = 0; i < t.traces.size(); ++i) CHECK(same(t.traces[i], t2.traces[i]));
  }
}

TEST_CASE("the corpus is read without a diagnostic") {
  const std::string directory = corpus_directory();
  if (directory.empty()) {
    MESSAGE("skipped: this build has no corpus (SIMTFLOW_CORPUS_DIR)");
    return;
  }
  struct expectation {
    const char* file;
    std::size_t graphs, sentinels;
  };
  std::vector<recorded_graph> all;
  for (const expectation& e : {expectation{"thread-frontiers-kernels.cfg", 8, 0},
                               {"rodinia.nvcc.cfg.gz", 68, 68},
                               {"parboil.nvcc.cfg.gz", 52, 52},
                               {"polybench.nvcc.cfg.gz", 30, 30},
                               {"rodinia.llvm.cfg.gz", 170, 170},
                               {"cpu-O0.cfg.gz", 14'143, 0}}) {
    CAPTURE(e.file);
    const auto text = read_file(directory + "/" + e.file);
    REQUIRE(text.has_value());
    const sound_graphs file = graphs_in(*text);
    CHECK(said(file.found).empty());
    CHECK(file.graphs.size() == e.graphs);
    std::size_t sentinels = 0;
    for (const recorded_graph& g : file.graphs) {
      if (g.sentinel == no_block) continue;
      ++sentinels;
      CHECK(g.sentinel == g.graph.num_blocks() - 1);
    }
    CHECK((sentinels == e.sentinels || e.file == std::string("rodinia.llvm.cfg.gz")));
    const sound_graphs again = graphs_in(to_graph_text(file.graphs));
    REQUIRE(again.graphs.size() == file.graphs.size());
    CHECK(std::equal(again.graphs.begin(), again.graphs.end(), file.graphs.begin(),
                     [](const recorded_graph& a, const recorded_graph& b) { return same(a, b); }));
    if (e.graphs < 1000) all.insert(all.end(), file.graphs.begin(), file.graphs.end());
  }

  const auto mandelbrot = read_file(directory + "/traces/mandelbrot-ptx23.trace.gz");
  REQUIRE(mandelbrot.has_value());
  const sound_traces inline_graph = traces_in(*mandelbrot);
  CHECK(said(inline_graph.found).empty());
  REQUIRE(inline_graph.traces.size() == 1);
  CHECK(inline_graph.traces[0].num_thread_blocks() == 8);
  CHECK(inline_graph.traces[0].path_of_thread.size() == 2048);
  const auto nw = read_file(directory + "/traces/nw.trace.gz");
  REQUIRE(nw.has_value());
  const sound_traces looked_up = traces_in(*nw, all);
  CHECK(said(looked_up.found).empty());
  REQUIRE(looked_up.traces.size() == 2);
  std::uint64_t instructions[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const recorded_trace& t = looked_up.traces[i];
    for (const std::uint32_t p : t.path_of_thread)
      for (const block_id b : t.paths[p]) instructions[i] += t.graph.weights[b];
  }
  CHECK(instructions[0] == 418'356);  // the corpus' own count of thread instructions
  CHECK(instructions[1] == 326'284);
}

TEST_CASE("kinds of graphs and branches have names") {
  CHECK(to_string(graph_kind::kernel) == "kernel");
  CHECK(to_string(graph_kind::function) == "function");
  CHECK(to_string(graph_kind::unknown) == "unknown");
  CHECK(to_string(branch_kind::divergent) == "divergent");
  CHECK(to_string(branch_kind::unmarked) == "unmarked");
}
