// SPDX-License-Identifier: BSL-1.0
//
// How analyses scale: CPU time at n = 1,024, 2,048, ... 262,144 blocks of every family of testing/families.hpp, and the
// log-log slope from the smallest size that takes more than 8 ms to the largest (1: linear, 2: quadratic; 0 if no size
// takes that long). A size that takes more than 4 s is the last of its row.
//
// scale_bench [FAMILY ...]; with any option (CTest gives one) only sizes up to 2,048, to check that it works.
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/testing/families.hpp>
#include <simtflow/testing/ssa_programs.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace simtflow;
using testing::ssa_kind;
using testing::ssa_program;

enum class sources { none, all, chain };

// Each branch chooses by a value of its own block: a constant, a source, or a value that the block before computed.
ssa_program branches(const csr_graph& g, sources how) {
  ssa_program p;
  p.conditions.assign(g.num_blocks(), no_value);
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    if (g.successors(b).size() < 2) continue;
    const std::uint32_t v = static_cast<std::uint32_t>(p.values.size());
    p.conditions[b] = value_id{v};
    const bool source = how == sources::all || (how == sources::chain && v == 0);
    p.values.push_back({source ? ssa_kind::source : ssa_kind::compute, b, 0, {}, {}});
    if (how == sources::chain && v != 0) p.values.back().operands.push_back(value_id{v - 1});
  }
  return p;
}

// Keeps results alive.
std::size_t sink = 0;

struct analysis {
  const char* name;
  void (*run)(const csr_graph&);
};

constexpr analysis analyses[] = {
    {"dominators", [](const csr_graph& g) { sink += dominators(g).depth(0); }},
    {"post_dominators", [](const csr_graph& g) { sink += post_dominators(g).ipdom(0).has_value(); }},
    {"loops", [](const csr_graph& g) { sink += loops(g).num_loops(); }},
    {"uniformity, none divergent",
     [](const csr_graph& g) { sink += uniformity(g, branches(g, sources::none)).num_values(); }},
    {"uniformity, all divergent",
     [](const csr_graph& g) { sink += uniformity(g, branches(g, sources::all)).num_values(); }},
    {"uniformity, a chain of operands",
     [](const csr_graph& g) { sink += uniformity(g, branches(g, sources::chain)).num_values(); }},
};

// The least time of three runs; of one run if that takes long.
double seconds_of(const analysis& a, const csr_graph& g) {
  double least = 0;
  for (int run = 0; run < 3 && (run == 0 || least < 1); ++run) {
    const std::clock_t begin = std::clock();
    a.run(g);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (run == 0 || seconds < least) least = seconds;
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  block_id most = 262'144;
  std::vector<const char*> asked;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-')
      most = 2'048;
    else
      asked.push_back(argv[i]);
  }
  std::printf("%-22s %-32s %s\n", "family", "analysis", "slope; blocks: seconds");
  for (const testing::family& f : testing::families) {
    bool wanted = asked.empty();
    for (const char* name : asked) wanted = wanted || std::strcmp(name, f.name) == 0;
    if (!wanted) continue;
    for (const analysis& a : analyses) {
      double first = 0, first_blocks = 0, last = 0, last_blocks = 0;
      std::string row;
      for (block_id n = 1'024; n <= most && last < 4; n *= 2) {
        const csr_graph g = f.make(n);
        last = seconds_of(a, g);
        last_blocks = static_cast<double>(g.num_blocks());
        if (first == 0 && last > 0.008) first = last, first_blocks = last_blocks;
        char word[64];
        std::snprintf(word, sizeof word, "  %zu: %.4f", g.num_blocks(), last);
        row += word;
      }
      const double slope =
          first == 0 || first_blocks == last_blocks ? 0 : std::log(last / first) / std::log(last_blocks / first_blocks);
      std::printf("%-22s %-32s %4.2f;%s\n", f.name, a.name, slope, row.c_str());
      std::fflush(stdout);
    }
  }
  return sink == 1 ? 1 : 0;
}
