// SPDX-License-Identifier: BSL-1.0
//
// Ways to take unstructured control flow away, compared on the 17 graphs of testing/transform_shapes.hpp: blocks,
// guards, constants that edges set, and blocks that one warp of 16 lanes fetches under a post-dominator stack. A hash
// of (lane, visit, number of the block) decides which way a lane goes, so that every column sees the same 16 paths.
//
// The columns for LLVM 19 (opt: fix-irreducible, unify-loop-exits, structurizecfg) are figures that were measured
// before with another hash; for fetches that hash and this one agree in the sum over the original graphs (545 and 546)
// and in 11 of the 17 rows. Blocks depend on no hash.
//
// A second table counts code: the graphs as LLVM IR (a call for each block and one for each condition), through opt
// with those passes where it is installed (opt-19, opt-14, ..., or /usr/lib/llvm-*/bin/opt), beside plans written as
// the same kind of IR and through opt's mem2reg: blocks, instructions but phis, phis. If the environment names the pass
// plugin (PLUGIN=.../libsimtflow-llvm-plugin-VERSION.so), the last column has what its pass simtflow-linearize<always>
// leaves of the original IR, in the opt of that version.
//
// Then the time of linearization beside the time of a dominator tree of the same graph, and the time of the proof that
// a plan is right.
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace simtflow;

constexpr std::uint64_t seed = 216'084;

struct walkers {
  const csr_graph* graph;
  std::span<const std::uint32_t> calls;
  std::vector<std::uint32_t> visits;

  walkers(const csr_graph& g, std::span<const std::uint32_t> numbers) : graph(&g), calls(numbers) {
    visits.assign(16 * g.num_blocks(), 0);
  }
  block_id operator()(std::uint32_t lane, block_id b) {
    const auto out = graph->successors(b);
    if (out.size() < 2) return out.empty() ? no_block : out[0];
    const std::uint32_t visit = visits[lane * graph->num_blocks() + b]++;
    const std::uint64_t hash = testing::mix_bits(testing::mix_bits(testing::mix_bits(seed + lane) + visit) + calls[b]);
    return out[(hash >> 32 & 1) != 0 ? 0 : 1];  // slot 0: true
  }
};

std::uint64_t fetches(const flow_plan& plan, const csr_graph& g, std::span<const std::uint32_t> calls) {
  const csr_graph shape = snapshot(plan);
  const auto pdom = post_dominators(shape);
  planned_program program(plan, g, callable_program(walkers(g, calls)));
  executor<policies::ipdom_stack> machine(policies::ipdom_stack(pdom.ids().ipdoms()));
  return machine.run(program, {.threads = 16, .warp_width = 16, .entry = plan.entry()}).steps;
}

struct figures {
  std::size_t original, llvm_blocks, llvm, before_blocks, before;  // measured before; see above
};
constexpr figures known[] = {{12, 11, 11, 10, 10},  {11, 11, 15, 11, 15}, {22, 11, 52, 11, 40},    {15, 7, 39, 8, 33},
                             {12, 10, 10, 9, 9},    {8, 10, 10, 8, 8},    {10, 11, 11, 10, 10},    {8, 20, 9, 13, 7},
                             {25, 17, 17, 14, 14},  {10, 19, 18, 15, 14}, {22, 18, 35, 15, 34},    {22, 14, 40, 11, 33},
                             {64, 14, 137, 14, 86}, {44, 9, 146, 9, 96},  {165, 17, 239, 16, 234}, {77, 24, 24, 24, 24},
                             {19, 16, 27, 12, 19}};

void print_table() {
  std::printf("                  |  original     |  LLVM 19      | linearized    | optimized\n");
  std::printf("graph             | blocks  fetch | blocks  fetch | blocks  fetch | blocks  fetch  guards  sets\n");
  std::size_t sum[8] = {}, i = 0;
  for (const testing::transform_shape& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    const flow_plan same(g);
    linearize_options plain;
    plain.optimize = guard_optimization::none;
    const flow_plan flat = linearize(g, plain).plan, best = linearize(g).plan;
    const plan_cost cost = best.cost();
    const std::size_t row[8] = {g.num_blocks(), fetches(same, g, s.calls), known[i].llvm_blocks,
                                known[i].llvm,  flat.cost().blocks(),      fetches(flat, g, s.calls),
                                cost.blocks(),  fetches(best, g, s.calls)};
    std::printf("%-17s | %6zu %6zu | %6zu %6zu | %6zu %6zu | %6zu %6zu %7zu %5zu\n", s.name, row[0], row[1], row[2],
                row[3], row[4], row[5], row[6], row[7], cost.guards, cost.assignments);
    for (int k = 0; k < 8; ++k) sum[k] += row[k];
    ++i;
  }
  std::printf("%-17s | %6zu %6zu | %6zu %6zu | %6zu %6zu | %6zu %6zu\n\n", "total", sum[0], sum[1], sum[2], sum[3],
              sum[4], sum[5], sum[6], sum[7]);
}

// --- as LLVM IR ------------------------------------------------------------------------------------------------------

// For each block: 1 if the value of the variable at the block's beginning is ever tested.
std::vector<unsigned char> live_at(const flow_plan& p, std::uint32_t v) {
  std::vector<unsigned char> live(p.num_blocks(), 0);
  for (bool any = true; any;) {
    any = false;
    for (block_id b = 0; b < p.num_blocks(); ++b) {
      bool now = p[b].role == plan_role::guard && p[b].variable == v;
      for (const flow_plan::edge& e : p.successors(b)) {
        bool sets = false;
        p.for_each_assignment(e, [&](plan_assignment a) { sets = sets || a.variable == v; });
        now = now || (!sets && live[e.to] != 0);
      }
      any = any || (now && live[b] == 0);
      live[b] = now ? 1 : live[b];
    }
  }
  return live;
}

// Variables are memory, and what edges set is chosen in front of the branch; mem2reg makes SSA form of it.
std::string as_llvm(const flow_plan& p, std::span<const std::uint32_t> calls) {
  std::string text = "declare void @blk(i32)\ndeclare i1 @cond(i32)\n\ndefine void @k() {\nstart:\n";
  std::vector<std::vector<unsigned char>> live;
  for (std::uint32_t v = 0; v < p.num_variables(); ++v) {
    const std::string name = "%v" + std::to_string(v);
    text += "  " + name + " = alloca i32\n  store i32 0, ptr " + name + "\n";
    live.push_back(live_at(p, v));
  }
  text += "  br label %b" + std::to_string(p.entry()) + "\n";
  const csr_graph shape = snapshot(p);
  for (block_id b = 0; b < p.num_blocks(); ++b) {
    if (b != p.entry() && shape.predecessors(b).empty()) continue;
    const std::string n = std::to_string(b);
    const auto out = p.successors(b);
    text += "b" + n + ":\n";
    std::string condition;
    if (p[b].role == plan_role::guard) {
      const std::string v = "%v" + std::to_string(p[b].variable), low = std::to_string(p[b].low);
      text += "  %l" + n + " = load i32, ptr " + v + "\n";
      if (p[b].low == p[b].high) {
        text += "  %c" + n + " = icmp eq i32 %l" + n + ", " + low + "\n";
      } else {
        text += "  %s" + n + " = sub i32 %l" + n + ", " + low + "\n  %c" + n + " = icmp ule i32 %s" + n + ", " +
                std::to_string(p[b].high - p[b].low) + "\n";
      }
      condition = "%c" + n;
    } else if (p[b].role != plan_role::empty && calls[p[b].executes] != 0) {
      const std::string call = std::to_string(calls[p[b].executes]);
      text += "  call void @blk(i32 " + call + ")\n";
      if (out.size() > 1) text += "  %c" + n + " = call i1 @cond(i32 " + call + ")\n";
      condition = "%c" + n;
    }
    for (std::uint32_t v = 0; v < p.num_variables(); ++v) {
      constexpr std::uint32_t unset = 0xFFFF'FFFF;
      const std::uint32_t left = out.empty() ? unset : p.value_on(out[0], v, unset);
      const std::uint32_t right = out.size() > 1 ? p.value_on(out[1], v, unset) : left;
      if (left == unset && right == unset) continue;
      const std::string name = "%v" + std::to_string(v), id = n + "_" + std::to_string(v);
      std::string l = std::to_string(left), r = std::to_string(right);
      if (left == unset && live[v][out[0].to] == 0) l = r;
      if (right == unset && live[v][out[1].to] == 0) r = l;
      if (l != r && (left == unset || right == unset)) {
        text += "  %o" + id + " = load i32, ptr " + name + "\n";
        (left == unset ? l : r) = "%o" + id;
      }
      if (l != r) text += "  %n" + id + " = select i1 " + condition + ", i32 " + l + ", i32 " + r + "\n";
      text += "  store i32 " + (l == r ? l : "%n" + id) + ", ptr " + name + "\n";
    }
    const auto to = [&](std::size_t k) { return "label %b" + std::to_string(out[k].to); };
    text += out.empty()      ? std::string("  ret void\n")
            : out.size() > 1 ? "  br i1 " + condition + ", " + to(0) + ", " + to(1) + "\n"
                             : "  br " + to(0) + "\n";
  }
  return text + "}\n";
}

std::string find_opt(const std::string& version) {
  for (const std::string& path :
       {"/usr/bin/opt-" + version, "/usr/local/bin/opt-" + version, "/usr/lib/llvm-" + version + "/bin/opt"})
    if (std::filesystem::exists(path)) return path;
  return {};
}

struct code_size {
  std::size_t blocks = 0, instructions = 0, phis = 0;
};
// The function after opt, without the block that only makes variables.
// \param plugin loaded by opt; empty: none
bool through_opt(const std::string& opt, const std::string& plugin, const std::string& passes, const std::string& ir,
                 code_size& size) {
  const std::filesystem::path in = std::filesystem::temp_directory_path() / "simtflow_transform_bench.ll";
  const std::string out = in.string() + ".out";
  std::ofstream(in) << ir;
  std::string more = opt.find("14") == std::string::npos ? "" : " -opaque-pointers";
  if (!plugin.empty()) more += " '-load-pass-plugin=" + plugin + "'";
  const std::string command = opt + more + " -S -passes='" + passes + "' " + in.string() + " -o " + out;
  const bool good = std::system(command.c_str()) == 0;
  std::ifstream text(out);
  for (std::string line; good && std::getline(text, line);) {
    if (line.find(':') != std::string::npos && line[0] != ' ' && line[0] != ';') ++size.blocks;
    if (line.size() < 2 || line[0] != ' ' || line[2] == ';') continue;
    ++(line.find(" = phi ") != std::string::npos ? size.phis : size.instructions);
  }
  size.blocks -= 1;
  size.instructions -= 1;
  std::filesystem::remove(in);
  std::filesystem::remove(out);
  return good;
}

void print_code_sizes() {
  const std::string opts[2] = {find_opt("19"), find_opt("14")};
  const char* const named = std::getenv("PLUGIN");
  const std::string plugin = named == nullptr ? "" : named;
  const std::size_t end = plugin.rfind(".so");
  const std::string of_plugin = end == std::string::npos || end < 2 ? "" : find_opt(plugin.substr(end - 2, 2));
  const std::string any = !opts[0].empty() ? opts[0] : opts[1];
  if (any.empty()) {
    std::printf("code sizes: skipped, neither opt-19 nor opt-14 is installed\n\n");
    return;
  }
  std::printf("blocks/instructions/phis as LLVM IR%s%s\n", opts[0].empty() ? "; no opt-19" : "",
              opts[1].empty() ? "; no opt-14" : "");
  std::printf("%-17s | %11s | %11s | %11s | %11s | %11s | %11s\n", "graph", "original", "opt-19", "opt-14",
              "linearized", "optimized", "the pass");
  code_size sum[6];
  for (const testing::transform_shape& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    const flow_plan same(g);
    linearize_options plain;
    plain.optimize = guard_optimization::none;
    const flow_plan flat = linearize(g, plain).plan, best = linearize(g).plan;
    const char* const structure = "fix-irreducible,unify-loop-exits,structurizecfg";
    std::printf("%-17s", s.name);
    const auto cell = [&](int k, const std::string& opt, const char* passes, const flow_plan& p,
                          const std::string& loaded = {}) {
      code_size size;
      if (opt.empty() || !through_opt(opt, loaded, passes, as_llvm(p, s.calls), size)) {
        std::printf(" | %11s", "-");
        return;
      }
      std::printf(" | %11s", (std::to_string(size.blocks) + '/' + std::to_string(size.instructions) + '/' +
                              std::to_string(size.phis))
                                 .c_str());
      sum[k].blocks += size.blocks;
      sum[k].instructions += size.instructions;
      sum[k].phis += size.phis;
    };
    cell(0, any, "mem2reg", same);
    cell(1, opts[0], structure, same);
    cell(2, opts[1], structure, same);
    cell(3, any, "mem2reg", flat);
    cell(4, any, "mem2reg", best);
    cell(5, of_plugin, "simtflow-linearize<always>", same, plugin);
    std::printf("\n");
  }
  std::printf("%-17s", "total");
  for (const code_size& c : sum)
    std::printf(
        " | %11s",
        (std::to_string(c.blocks) + '/' + std::to_string(c.instructions) + '/' + std::to_string(c.phis)).c_str());
  std::printf("\n\n");
}

csr_graph irreducible(std::size_t blocks) {
  testing::rng random(7);
  return testing::random_cfg(random, {.blocks = blocks, .exits = 2, .terminating = true});
}

void dominator_tree_time(benchmark::State& state) {
  const csr_graph g = irreducible(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(dominators(g));
}
void linearize_time(benchmark::State& state) {
  const csr_graph g = irreducible(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(linearize(g));
}
BENCHMARK(dominator_tree_time)->Arg(1000)->Arg(100'000);
BENCHMARK(linearize_time)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

// The proof of a plan with the guards of one level; the time beside linearize_time is what it costs.
void check_plan_time(benchmark::State& state, guard_optimization level) {
  const csr_graph g = irreducible(static_cast<std::size_t>(state.range(0)));
  linearize_options o;
  o.optimize = level;
  const flow_plan plan = linearize(g, o).plan;
  for (auto _ : state) benchmark::DoNotOptimize(check_plan(g, plan).has_value());
}
BENCHMARK_CAPTURE(check_plan_time, none, guard_optimization::none)
    ->Arg(1000)
    ->Arg(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_plan_time, o4, guard_optimization::o4)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  print_table();
  print_code_sizes();
  benchmark::RunSpecifiedBenchmarks();
}
