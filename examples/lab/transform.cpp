// SPDX-License-Identifier: BSL-1.0
#include "lab/transform.hpp"

#include "lab/code_figures.hpp"
#include "lab/device.hpp"
#include "lab/diagnostics.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/launches.hpp"
#include "lab/registers.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/warp_profiler.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// How warps execute the kernel under the stack of post-dominators.
ptx::warp_profile profile_of(const launch_file& launch, const kernel_file& file, const run_conditions& conditions) {
  experiment one(launch, file, conditions);
  const chosen_policy pdom = parse_policy("pdom");
  if (const std::string reason = one.not_applicable(pdom); !reason.empty())
    throw input_error(fmt::format("--profile: {}: pdom is left out, {}", launch.path, reason));
  ptx::warp_profiler warps(one.kernel());
  const grid_run r = one.run(pdom, {.warps = &warps});
  if (r.how != outcome::finished)
    throw input_error(fmt::format("--profile: {}: the run under pdom does not finish: {}", launch.path, r.words));
  return warps.profile();
}

}  // namespace

transform_input read_input(const transform_options& options) {
  transform_input in{{}, {}, {}, options};
  if (!options.launch_path.empty()) {
    in.launch = read_launch(options.kernel_path, options.launch_path, options);
    if (!in.launch->module.empty() && !same_file(in.launch->module, options.kernel_path))
      throw input_error(fmt::format("{}: the launch runs a kernel of {}, not of {}", options.launch_path,
                                    in.launch->module, options.kernel_path));
    if (options.warp_width != 0) in.launch->warp_width = options.warp_width;
  }
  const bool by_launch = options.entry.empty() && in.launch && !in.launch->kernel.empty();
  in.file = load_kernel(options.kernel_path, by_launch ? in.launch->kernel : options.entry,
                        by_launch ? in.launch->place() + "/kernel" : std::string("--kernel"));
  in.module = in.file.module->module;
  if (options.profiles) in.settings.melding.profile = profile_of(*in.launch, in.file, options);
  return in;
}

kernel_file printed_kernel(const ptx::module& m, const std::string& name, const std::string& path) {
  kernel_file file{path + " (transformed)", ptx::print(m), {}};
  auto again = ptx::parse(file.text);
  refuse(again.diagnostics(), file.path);
  // It shares variables with the module before, which can have been written by earlier launches.
  if (again->functions.size() == m.functions.size()) again->id = m.id;
  auto kernel = ptx::decode(*again, *again->find(name));
  refuse(kernel.diagnostics(), file.path);
  file.kernel = *std::move(kernel);
  file.module = std::make_shared<const module_file>(module_file{file.path, file.text, *std::move(again)});
  return file;
}

namespace {

// The part of a core's warps that hold the kernel if its threads take the estimated registers; 0: none fits.
struct occupancy_change {
  occupancy_change(const timing::machine& machine, const experiment& old, const experiment& now) {
    const auto told = [&](const experiment& e, double& part) {
      const auto fit = occupancy_of_launch(machine, e.file(), config_of(e.launch()), registers_of(e.file()).estimate);
      part = occupied_part(machine, fit);
      return describe(machine, fit);
    };
    text = fmt::format("occupancy on {} with the estimated registers: {}\n", machine.name, told(old, before));
    text += fmt::format("  after: {}\n", told(now, after));
  }
  std::string text;
  double before = 0, after = 0;
};

// How many times as much the launch executes under pdom as before, by number or by weight, whichever is more. Nothing
// if it does not finish.
std::optional<double> growth_of(const transform_input& in, const ptx::module& made, const transform_options& options) {
  experiment old(*in.launch, in.file, options);
  experiment now(*in.launch, printed_kernel(made, in.file.kernel.name, options.kernel_path), options);
  const comparison runs = compare_kernels(old, now, {parse_policy("pdom")}, {false, true});
  if (runs.rows.size() != 2) return std::nullopt;
  const auto weighted = [](const report_row& row) {
    for (const metric& m : row.metrics)
      if (m.name == "weighted") return m.value;
    return 1.0;
  };
  const auto number = [](const report_row& row) { return static_cast<double>(row.counts.warp_instructions); };
  return std::max(number(runs.rows[1]) / number(runs.rows[0]), weighted(runs.rows[1]) / weighted(runs.rows[0]));
}

}  // namespace

transform_result transform_kernel(const transform_options& options) {
  if (options.steps.empty()) {
    std::string names;
    for (const transform_info& t : transforms()) names += (names.empty() ? "--" : ", --") + std::string(t.option);
    throw input_error("nothing to do: name a transform: " + names);
  }
  std::vector<std::string> texts = options.policies;
  if (texts.empty()) texts.emplace_back("all");
  const std::vector<chosen_policy> chosen = chosen_policies(texts);
  transform_input in = read_input(options);
  const std::string name = in.file.kernel.name;
  std::string drawing;
  const auto transform = [&] {
    return transformed(in.module, name, options.steps, options.kernel_path, in.settings,
                       options.draws ? &drawing : nullptr);
  };
  transformed_kernel made = transform();
  bool melds = false, plans = false, linearizes = false;
  for (const transform_step& s : options.steps) {
    (info_of(s.kind).melds ? melds : plans) = true;
    linearizes = linearizes || s.kind == transform_kind::linearize;
  }
  // Estimates can be wrong, so the launch has the last word. With a profile it also chooses between the regions that
  // pay by the profile, those that pay by guesses, and all.
  if (in.launch && linearizes && !options.always && made.done) {
    double least = options.profiles ? 1 : 1.05;
    transformed_kernel best;
    std::string best_drawing;
    bool found = false;
    const auto attempt = [&](transformed_kernel one) {
      const std::optional<double> growth = one.done ? growth_of(in, one.module, options) : 1;
      if (growth.value_or(1) > least || (found && growth.value_or(1) == least)) return;
      least = growth.value_or(1);
      best = std::move(one);
      best_drawing = drawing;
      found = true;
    };
    attempt(std::move(made));
    if (options.profiles) {
      in.settings.guesses = true;
      attempt(transform());
      in.settings.always = true;
      attempt(transform());
      in.settings.always = false;
    }
    in.settings.leaves_regions = !found;
    made = found ? std::move(best) : transform();
    if (found) drawing = std::move(best_drawing);
  }

  transform_result result;
  result.good = made.done;
  result.drawing = std::move(drawing);
  result.text = ptx::print(made.module);
  const auto figures = [&](const ptx::module& m) {
    return code_figures(checked(m, *m.find(name), options.kernel_path));
  };
  const std::vector<code_figure> before = figures(in.module), after = figures(made.module);
  std::string steps;
  for (const transform_step& s : options.steps) steps += ' ' + option_of(s);
  if (options.guards) steps += fmt::format(" --guards {}", to_string(*options.guards));
  std::string& out = result.report;
  out = fmt::format("kernel '{}' of {}:{}\n{:<22}{:>10}{:>10}\n", name, options.kernel_path, steps, "", "before",
                    "after");
  for (std::size_t i = 0; i < before.size(); ++i)
    out += fmt::format("{:<22}{:>10}{:>10}\n", before[i].name, before[i].text, after[i].text);
  if (plans)
    out += fmt::format("added: {} on {}, {}, {}\n", counted(made.added.guards, "guard", "guards"),
                       counted(made.added.variables, "variable", "variables"),
                       counted(made.added.copies, "copy of a block", "copies of blocks"),
                       counted(made.added.empties, "empty block", "empty blocks"));
  if (melds) out += fmt::format("melded: {} {}\n", made.melded, made.melded == 1 ? "branch" : "branches");
  if (made.done && !made.changed()) out += "nothing had to be changed\n";
  for (const std::string& r : made.remarks) out += r + "\n";
  if (!in.launch || !made.done) return result;

  kernel_file rewritten = printed_kernel(made.module, name, options.kernel_path);
  launch_file same = *in.launch;
  experiment old(*std::move(in.launch), std::move(in.file), options);
  experiment now(std::move(same), std::move(rewritten), options);
  std::optional<occupancy_change> occupancy;
  if (options.machine) {
    occupancy.emplace(machine_of(*options.machine), old, now);
    out += occupancy->text;
  }
  bool profile = false;
  for (const chosen_policy& c : chosen) profile = profile || c.identity().find("=profile") != std::string::npos;
  if (profile) {
    (void)old.oracle();
    (void)now.oracle();
  }
  comparison runs = compare_kernels(old, now, chosen, {melds, options.every_metric});
  out += runs.text;
  result.good = result.good && runs.good;
  for (std::size_t i = 0; i < runs.rows.size(); ++i) {
    report_row& row = runs.rows[i];
    row.kernel = i % 2 == 0 ? name : name + steps;
    for (const code_figure& f : i % 2 == 0 ? before : after)
      if (!f.column.empty()) row.metrics.push_back({std::string(f.column), f.value, true});
    if (occupancy) row.metrics.push_back({"occupancy", i % 2 == 0 ? occupancy->before : occupancy->after, false});
  }
  result.rows.rows = std::move(runs.rows);
  result.runs = std::move(runs.runs);
  return result;
}

}  // namespace lab
