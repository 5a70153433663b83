// SPDX-License-Identifier: BSL-1.0
//
// The tables of the papers that are about kernels.
#include "lab/diagnostics.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/graph_transforms.hpp"
#include "lab/papers.hpp"
#include "lab/report.hpp"
#include "lab/transform_steps.hpp"
#include <simtflow/io/graph_text.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/plan_instructions.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// A kernel of the linearization paper: its rows of Tables 1 and 4, and its counterpart here.
struct linearized_kernel {
  const char* paper;
  const char* ours;
  double instructions, blocks;  // Table 1: after the optimizations over before
  double executed[6];           // Table 4: before, without optimizations, O1 to O4
  const char* reason;
};
constexpr linearized_kernel linearized_kernels[] = {
    {"hotspot",
     "hotspot",
     1.02,
     1.05,
     {4.32e6, 4.90e6, 4.98e6, 4.88e6, 4.76e6, 4.57e6},
     "its counterpart has no unstructured edge"},
    {"heartwall", "heart_wall", 1.01, 1.02, {4.68e8, 4.69e8, 4.69e8, 4.69e8, 4.68e8, 4.71e8}, ""},
    {"mcx", "mcx", 1.04, 1.07, {2.64e10, 3.7e10, 3.36e10, 3.26e10, 3.18e10, 3.05e10}, ""},
    {"mum", "suffix_tree", 1.10, 1.27, {7.80e6, 6.90e6, 6.66e6, 6.66e6, 6.60e6, 6.43e6}, ""},
    {"nqueen", "n_queens", 1.03, 1.03, {5.94e4, 6.01e4, 6.05e4, 6.05e4, 6.03e4, 5.96e4}, ""},
    {"particlefilter", "particle_filter", 1.04, 1.0, {1.02e5, 1.77e5, 2.14e5, 1.86e5, 1.68e5, 1.49e5}, ""},
    {"ray",
     "ray_caster",
     1.03,
     1.07,
     {1.82e6, 2.50e6, 2.16e6, 2.13e6, 2.09e6, 1.89e6},
     "its counterpart has short circuits at each of its levels"},
};
constexpr double most_instructions = 1.10, most_blocks = 1.27;  // the largest growths of Table 1
constexpr const char* level_names[] = {"none", "o1", "o2", "o3", "o4"};

// A kernel with its launch, and what transforms make of it.
class paper_kernel {
 public:
  paper_kernel(const std::string& folder, const std::string& name)
      : name_(name),
        path_(fmt::format("{}/{}.ptx", folder, name)),
        launch_path_(fmt::format("{}/{}.launch.json", folder, name)) {
    const std::string text = read_text(path_);
    const auto parsed = ptx::parse(text);
    refuse(parsed.diagnostics(), path_);
    module_ = *parsed;
    if (module_.find(name) == nullptr) throw input_error(fmt::format("{} has no kernel \"{}\"", path_, name));
  }

  [[nodiscard]] ptx::checked_function code() const { return code_in(module_); }

  [[nodiscard]] transformed_kernel linearized(guard_optimization level) const {
    step_settings settings;
    settings.guards = level;
    settings.always = true;
    const transform_step step{transform_kind::linearize};
    return transformed(module_, name_, std::span(&step, 1), path_, settings);
  }

  // Warp instructions under pdom. The memory goes to `memory`.
  [[nodiscard]] std::uint64_t run(const ptx::module& m, ptx::device_memory& memory) const {
    const std::string text = ptx::print(m);
    const auto parsed = ptx::parse(text);
    refuse(parsed.diagnostics(), path_);
    kernel_file file{path_, text, {}};
    auto decoded = ptx::decode(*parsed, *parsed->find(name_));
    refuse(decoded.diagnostics(), path_);
    file.kernel = *std::move(decoded);
    experiment one(parse_launch_file(read_text(launch_path_), launch_path_), std::move(file), run_conditions{});
    grid_run r = one.run(parse_policy("pdom"));
    if (r.how != outcome::finished) throw input_error(fmt::format("{}: under pdom: {}", path_, r.words));
    memory = std::move(r.memory);
    return r.counts.warp_instructions;
  }
  // The code of the kernel in a module like this one.
  [[nodiscard]] ptx::checked_function code_in(const ptx::module& m) const { return checked(m, *m.find(name_), path_); }
  [[nodiscard]] const ptx::module& module() const { return module_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string name_, path_, launch_path_;
  ptx::module module_;
};

struct code_size {
  std::size_t instructions = 0, blocks = 0;
};
code_size size_of_code(const ptx::checked_function& f) {
  return {f.text().instructions.size(), flow_plan(f.blocks().graph()).cost().blocks()};
}

double over(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max(b, std::uint64_t{1}));
}

bool same_memory(const ptx::device_memory& a, const ptx::device_memory& b) {
  for (const ptx::allocation& had : a.allocations()) {
    const ptx::allocation* has = b.find(had.name);
    if (has != nullptr && has->bytes != had.bytes) return false;
  }
  return true;
}

std::string verdict(bool holds) { return holds ? "holds" : "FAILS"; }

}  // namespace

std::vector<paper_row> growth_rows(const std::string& folder) {
  std::vector<paper_row> rows;
  const std::string table = "CFL Table 1";
  for (const linearized_kernel& k : linearized_kernels) {
    const paper_kernel kernel(folder, k.ours);
    const transformed_kernel linear = kernel.linearized(guard_optimization::o4);
    const code_size before = size_of_code(kernel.code());
    const code_size after = size_of_code(kernel.code_in(linear.module));
    const std::string item = fmt::format("{} ({})", k.paper, k.ours);
    const auto row = [&](const char* what, double paper, double limit, std::size_t now, std::size_t old,
                         const std::string& why) {
      const double growth = over(now, old);
      rows.push_back({table, item, what, fmt::format("{:.2f}", paper), fmt::format("{:.2f}", growth),
                      verdict(growth < limit + 0.005), fmt::format("{} -> {}{}", old, now, why)});
    };
    const plan_cost& added = linear.added;
    std::string why = added.guards == 0
                          ? std::string()
                          : fmt::format(": {} of 2, the rest sets {}", counted(added.guards, "guard", "guards"),
                                        counted(added.variables, "variable", "variables"));
    if (*k.reason != 0) why += fmt::format("; {}", k.reason);
    row("instructions", k.instructions, most_instructions, after.instructions, before.instructions, why);
    row("blocks", k.blocks, most_blocks, after.blocks, before.blocks, "");
  }
  return rows;
}

std::vector<paper_row> level_rows(const std::string& folder) {
  std::vector<paper_row> rows;
  const std::string table = "CFL Table 4";
  std::size_t never_above = 0, monotone = 0, monotone_in_paper = 0;
  for (const linearized_kernel& k : linearized_kernels) {
    const paper_kernel kernel(folder, k.ours);
    ptx::device_memory old;
    const std::uint64_t before = kernel.run(kernel.module(), old);
    std::array<std::uint64_t, 5> after{};
    std::string wrong;
    for (std::size_t i = 0; i < after.size(); ++i) {
      ptx::device_memory now;
      after[i] = kernel.run(kernel.linearized(guard_levels[i]).module, now);
      if (!same_memory(old, now)) wrong = fmt::format("memory differs at {}", level_names[i]);
      rows.push_back({table, fmt::format("{} ({}), {}", k.paper, k.ours, level_names[i]), "warp instructions",
                      fmt::format("{:.3f}", k.executed[i + 1] / k.executed[0]),
                      fmt::format("{:.3f}", over(after[i], before)), wrong.empty() ? "" : "FAILS",
                      !wrong.empty() ? wrong
                      : i == 0       ? fmt::format("{} before{}{}", before, *k.reason != 0 ? "; " : "", k.reason)
                                     : ""});
    }
    const auto rises = [](const auto* first, const auto* last) {
      return !std::is_sorted(first, last, std::greater<>());
    };
    never_above += after.back() <= after.front();
    monotone += !rises(after.data(), after.data() + after.size());
    monotone_in_paper += !rises(k.executed + 1, k.executed + 6);
  }
  const std::size_t all = std::size(linearized_kernels);
  rows.push_back({table, "all", "kernels with o4 <= none", "6 of 7", fmt::format("{} of {}", never_above, all),
                  verdict(never_above == all), "claim: o4 never above none"});
  rows.push_back({table, "all", "kernels that no level makes worse", fmt::format("{} of 7", monotone_in_paper),
                  fmt::format("{} of {}", monotone, all), verdict(monotone + 1 >= all), "claim: at least 6"});
  return rows;
}

namespace {

// An application of the thread frontiers paper: its row of Figure 5, its counterpart here, and its graph in the file of
// recorded graphs.
struct structured_application {
  const char* paper;
  const char* ours;
  const char* graph;
  std::size_t forward, backward, cuts;
  double expansion;  // percent
  const char* reason;
};
constexpr structured_application structured_applications[] = {
    {"short-circuit", "short_circuit", "", 12, 0, 0, 390, ""},
    {"exception-loop", "exception_loop", "", 1, 0, 1, 13.7, ""},
    {"exception-call", "exception_call", "", 2, 0, 0, 81.8, ""},
    {"exception-cond", "exception_cond", "", 1, 0, 0, 0.44, ""},
    {"mandelbrot", "mandelbrot", "mandelbrot_f32", 1, 0, 0, 11.7, ""},
    {"gpumummer", "suffix_tree", "mummergpu", 36, 0, 0, 122, ""},
    {"path-finding", "path_finding", "", 2, 0, 0, 9.89, ""},
    {"photon-trans", "photon_transport", "mcgpu_track_particles", 35, 0, 0, 13.6, ""},
    {"background-sub", "background_subtraction", "background_update", 8, 0, 0, 7.63, ""},
    {"mcx", "mcx", "mcx_main_loop", 1433, 0, 18, 97.4, ""},
    {"raytrace", "ray_caster", "renderer_core_loop", 179, 0, 943, 58.9, ""},
    {"optix", "bytecode", "optix_megakernel", 22, 0, 22, 29.0, "another megakernel than the paper's"},
};

void add_struct_rows(std::vector<paper_row>& rows, const structured_application& a, const std::string& name,
                     const csr_graph& g, const copied_plan& made, double expansion, const std::string& reason) {
  const std::string item = fmt::format("{} ({})", a.paper, name), table = "TF Figure 5";
  if (!made.report.done()) {
    rows.push_back({table, item, "STRUCT", "done", "not done", "",
                    made.report.fits ? "it takes copies of barriers, or a new way around them"
                                     : fmt::format("the {} takes too many blocks", to_string(made.report.step))});
    return;
  }
  const structural_transforms& t = made.report.applied;
  const auto row = [&](const char* quantity, std::size_t paper, std::size_t ours, const std::string& why) {
    rows.push_back({table, item, quantity, fmt::to_string(paper), fmt::to_string(ours), "", why});
  };
  const plan_cost cost = made.plan.cost();
  row("forward copies", a.forward, t.forward_copies,
      cost.copies == 0 ? "" : counted(cost.copies, "block copied", "blocks copied"));
  row("backward copies", a.backward, t.backward_copies, "");
  row("cuts", a.cuts, t.cuts,
      made.report.cuts == 0
          ? ""
          : fmt::format("{} of a graph of {} blocks", counted(made.report.cuts, "loop", "loops"), g.num_blocks()));
  rows.push_back({table, item, "code expansion", fmt::format("{:.1f} %", a.expansion),
                  fmt::format("{:.1f} %", expansion), "", reason});
}

}  // namespace

std::vector<paper_row> struct_rows(const papers_options& options) {
  std::vector<paper_row> rows;
  std::vector<recorded_graph> graphs;
  if (!options.graphs.empty()) {
    graphs = value_of(read_graphs(read_text(options.graphs)), options.graphs);
    std::size_t known = 0;
    for (const structured_application& a : structured_applications)
      for (const recorded_graph& g : graphs) known += g.symbol == a.graph;
    if (known == 0) throw input_error(fmt::format("{}: no graph of the thread frontiers paper", options.graphs));
  }
  for (const structured_application& a : structured_applications) {
    const auto graph =
        std::find_if(graphs.begin(), graphs.end(), [&](const recorded_graph& g) { return g.symbol == a.graph; });
    if (graph != graphs.end()) {
      const csr_graph g = without_sentinel(*graph);
      const auto weight = [&](block_id b) { return graph->weights[b]; };
      const copied_plan made = structure_by_copies(g, {}, [&](block_id b) { return graph->barriers[b] != 0; });
      const double expansion =
          100 * over(plan_instructions(made.plan, weight), plan_instructions(flow_plan(g), weight)) - 100;
      add_struct_rows(rows, a, fmt::format("graph {}", a.graph), g, made, expansion, a.reason);
    }
    const paper_kernel kernel(options.folder, a.ours);
    const ptx::checked_function code = kernel.code();
    const csr_graph& g = code.blocks().graph();
    const copied_plan made = structure_by_copies(g, {}, [&](block_id b) { return code.blocks().is_convergent(b); });
    double expansion = 0;
    if (made.report.done()) {
      const result<ptx::function> written = ptx::rewrite(code, made.plan);
      refuse(written.diagnostics(), kernel.path());
      expansion = 100 * over(written->instructions.size(), code.text().instructions.size()) - 100;
    }
    add_struct_rows(rows, a, a.ours, g, made, expansion, "");
  }
  return rows;
}

}  // namespace lab
