// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab analyze`: the figures of the GPU corpus as text, and one report of each kind word for word.
#include "support/gz.hpp"

#include <doctest/doctest.h>
#include <lab/analyze.hpp>
#include <lab/commands.hpp>
#include <lab/files.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A file that is there as long as the test runs.
class scratch_file {
 public:
  scratch_file(std::string path, const std::string& text) : path_(std::move(path)) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    REQUIRE(file != nullptr);
    REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    REQUIRE(std::fclose(file) == 0);
  }
  ~scratch_file() { std::remove(path_.c_str()); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// 0 -> the loop 1, 2 -> 3, which ends; 2 leaves the loop as well, 4 is a loop without an end, nothing leads to 5.
constexpr const char* two_graphs = R"(s suite file,1 variant
g odd 7 0 K
0 3 d 1 4
1 2 u 3 2
2 4 bd 1 3
3 1 - 6
4 5 - 4
5 9 - 3
6 0 x
g even 2 0 F
0 2 - 1
1 0 x
)";

// The lines of the CSV without the columns at the end that are the same in each row: order, schema, version.
std::vector<std::string> rows_of(const lab::analyze_options& options) {
  std::vector<std::string> lines = lines_of(lab::to_text(lab::analyze_graphs(options), lab::report_format::csv));
  for (std::string& line : lines)
    for (int i = 0; i < 3; ++i) line.resize(line.rfind(','));
  return lines;
}

}  // namespace

TEST_CASE("analyze: the figures of every GPU kernel of the corpus, as text") {
  const std::string corpus = simtflow_tests::corpus_directory();
  if (corpus.empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  lab::analyze_options options;
  for (const char* name : {"rodinia.nvcc", "parboil.nvcc", "polybench.nvcc", "rodinia.llvm"})
    options.paths.push_back(corpus + "/" + name + ".cfg.gz");
  options.rows_only = true;
  std::vector<std::string> found = rows_of(options);
  const auto text = simtflow_tests::read_file(corpus + "/expected.csv.gz");
  REQUIRE(text.has_value());
  std::vector<std::string> expected = lines_of(*text);
  CHECK(found.front() == expected.front());
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == expected[i]);
}

TEST_CASE("analyze: every graph of ordinary programs has a row and a report") {
  const std::string corpus = simtflow_tests::corpus_directory();
  if (corpus.empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  lab::analyze_options options;
  options.paths = {corpus + "/cpu-O0.cfg.gz"};
  options.rows_only = true;
  CHECK(rows_of(options).size() == 14'144);
  options.rows_only = false;
  options.order = simtflow::priority_rule::loop_contiguous;
  const std::vector<std::string> report = lines_of(lab::analyze_graphs(options).text);
  CHECK(std::count(report.begin(), report.end(), "all 14143 graphs") == 1);
  CHECK(std::count(report.begin(), report.end(),
                   "  0 where the loop-contiguous order puts a loop's exit between its blocks") == 1);
}

TEST_CASE("analyze: rows of graphs with every oddity") {
  const scratch_file file("analyze_test.cfg", two_graphs);
  lab::analyze_options options;
  options.paths = {file.path()};
  options.rows_only = true;
  const std::vector<std::string> rows = rows_of(options);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1] == "suite,\"file,1\",variant,odd,K,5,8,15,3,2,1,2,0,1,1,6,0.4,1,1,1,1,1,0");
  CHECK(rows[2] == "suite,\"file,1\",variant,even,F,1,1,2,0,0,0,0,0,0,0,1,0.0,0,0,0,0,0,0");
}

TEST_CASE("analyze: a report, word for word") {
  const scratch_file file("analyze_test.cfg", two_graphs);
  lab::analyze_options options;
  options.paths = {file.path()};
  options.blocks = true;
  options.kernel = "odd";
  const std::string expected = R"(suite/file,1 variant odd
  5 blocks, 8 edges, 15 instructions, 1 barrier block, 1 exit, 1 unreachable, 1 endless
  3 branches: 2 divergent, 1 uniform; dominator tree of depth 3
  unstructured, 6 nodes remain after reduction; structured if a loop may be left from several places to one block
    region 1: 2 blocks between BB0 and BB3: BB1 BB2
      BB1 -> BB3  out of a loop: leaves the loop at BB1 (2 blocks), but BB1 does not post-dominate all of it
      BB2 -> BB3  out of a loop: leaves the loop at BB1 (2 blocks), but BB2 does not post-dominate all of it
  2 loops, nested 1 deep, 0 irreducible, 1 with several exits
    header  depth  blocks  latches  entries  exits
    BB4         1       1        1        1      0
    BB1         1       2        1        1      2
  priorities: rpo; topological, loop-contiguous, dominance-compact
    thread frontiers  average  max  join edges  join blocks
    Algorithm 1          0.40    1           1            1
    Ocelot's sweep       0.40    1           1            1
    sound fixpoint       0.60    1           2            1
    post-dominators                                       1
    block      successors  idom  ipdom   priority  loops  instr  frontier
    BB0        BB1 BB4     -     -              0      0      3
    BB1        BB3 BB2     BB0   BB3            2      1      2  BB3
    BB2 (bar)  BB1 BB3     BB1   BB3            3      1      4  BB3
    BB3        end         BB1   end            4      0      1
    BB4        BB4         BB0   -              1      1      5  BB1
    BB5        BB3         -     -      unreached      0      9
    end                    BB3   -              5      0      0
)";
  CHECK(lab::analyze_graphs(options).text == expected);
}

TEST_CASE("analyze: the paper's benchmark kernels under RPO, by the sweep of its emulator") {
  const std::string corpus = simtflow_tests::corpus_directory();
  if (corpus.empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  struct figure {
    const char* kernel;
    double average;
    std::size_t largest;
  };
  const std::vector<lab::graph_input> inputs = lab::read_graph_inputs(corpus + "/thread-frontiers-kernels.cfg", "");
  lab::analyzer analyzer(simtflow::priority_rule::rpo);
  for (const figure& paper : {figure{"mcx_main_loop", 4.3, 8}, figure{"mandelbrot_f32", 2.3, 5}}) {
    const auto in = std::find_if(inputs.begin(), inputs.end(),
                                 [&](const lab::graph_input& i) { return i.graph.symbol == paper.kernel; });
    REQUIRE(in != inputs.end());
    const lab::graph_facts f = analyzer.facts(in->graph, true);
    CHECK(f.swept.average_size == doctest::Approx(paper.average).epsilon(0.02));
    CHECK(f.swept.max_size == paper.largest);
    CHECK(f.printed.average_size < f.swept.average_size);
    CHECK(f.swept.average_size < f.solved.average_size);
  }
}

TEST_CASE("analyze: every kernel of a module, and only the one that is asked for") {
  const std::string kernels = std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels/";
  lab::analyze_options options;
  options.paths = {kernels + "mandelbrot.ptx", kernels + "figure1.ptx"};
  options.rows_only = true;
  std::vector<std::string> rows = rows_of(options);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].starts_with(",mandelbrot,,mandelbrot,K,13,19,98,6,3,0,3,0,1,1,"));
  CHECK(rows[2].starts_with(",figure1,,figure1,K,6,10,39,4,4,0,0,0,0,0,"));
  options.kernel = "figure1";
  rows = rows_of(options);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].starts_with(",figure1,,figure1,K,"));
}
