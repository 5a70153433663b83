// SPDX-License-Identifier: BSL-1.0
#include "lab/transform_table.hpp"

#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/progress.hpp"
#include "lab/registers.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

constexpr const char* compared_policies = "pdom,tf,volta,serial";

std::vector<transform_recipe> made_recipes() {
  using kind = transform_kind;
  std::vector<transform_recipe> all;
  for (const guard_optimization level : guard_levels)  // the last one is the default
    if (level != guard_optimization::o4) all.push_back({{{kind::linearize}}, level});
  const std::vector<std::vector<transform_step>> without_guards = {
      {{kind::linearize}},
      {{kind::copies}},
      {{kind::hub, "unstructured"}},
      {{kind::fix_irreducible}},
      {{kind::unify_exits}},
      {{kind::merge_loops, "auto"}},
      {{kind::merge_loops, "all"}},
      {{kind::interleave, "auto"}},
      {{kind::linearize}, {kind::stack_depth, "2"}},
      {{kind::linearize}, {kind::stack_depth, "4"}},
      {{kind::tail_merge}},
      {{kind::fuse}},
      {{kind::meld}},
      {{kind::linearize}, {kind::meld}},
      {{kind::meld}, {kind::linearize}},
      {{kind::copies}, {kind::meld}},
      {{kind::meld}, {kind::copies}},
      {{kind::linearize}, {kind::merge_loops, "auto"}},
      {{kind::merge_loops, "auto"}, {kind::meld}},
      {{kind::linearize}, {kind::interleave, "auto"}},
      {{kind::meld}, {kind::interleave, "auto"}},
      {{kind::linearize}, {kind::stack_depth, "2"}, {kind::meld}},
      {{kind::fix_irreducible}, {kind::unify_exits}, {kind::linearize}},
      {{kind::partial, "thread"}},
      {{kind::partial, "warp"}},
      {{kind::fix_irreducible}, {kind::partial, "thread"}},
      {{kind::meld}, {kind::partial, "thread"}},
  };
  for (const std::vector<transform_step>& steps : without_guards) {
    all.push_back({steps});
    if (all.back().text() == "--linearize") all.push_back({steps, {}, true});
  }
  return all;
}

// A kernel as it is given, and its runs.
class tabulation {
 public:
  tabulation(const transform_options& options, const std::optional<time_machine>& machine)
      : options_(options), in_(read_input(options)), name_(in_.file.kernel.name) {
    estimates_ = machine && machine->estimates;
    if (machine) timed_.emplace(timed_grid{machine_of(*machine), machine->registers});
    table_.kernel = name_;
    table_.has_cycles = timed_.has_value();
    if (machine) table_.machine = timed_->machine.name;
    if (machine) table_.changes = changes_of(*machine);
  }

  transform_table make() {
    transform_table_row& as_it_is = table_.rows.emplace_back();
    as_it_is.code = figures_of(in_.module);
    rows_by_text_.emplace(ptx::print(in_.module), 0);
    rows_by_text_.emplace(unchanged_text(), 0);
    if (in_.launch) run_before(as_it_is);
    const time_left clock;
    for (std::size_t i = 0; i < all_recipes().size(); ++i) {
      const transform_recipe& recipe = all_recipes()[i];
      if (options_.progress)
        options_.progress(
            fmt::format("[{}/{}{}] {}", i, all_recipes().size(), clock.words(i, all_recipes().size()), recipe.text()));
      if (options_.so_far) {
        transform_table there = table_;
        there.remarks.push_back(fmt::format("stopped: {} of {} transforms are there", i, all_recipes().size()));
        options_.so_far(there);
      }
      add(recipe);
    }
    const auto work = [&](const transform_figures& f) { return timed_ ? f.cycles : f.warp_instructions; };
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const transform_table_row& row = table_.rows[i];
      table_.good = table_.good && row.good;
      if (row.run && row.good && (!table_.best || work(*row.run) < work(*table_.rows[*table_.best].run)))
        table_.best = i;
    }
    return std::move(table_);
  }

 private:
  std::vector<code_figure> figures_of(const ptx::module& m) const {
    return code_figures(checked(m, *m.find(name_), options_.kernel_path));
  }

  // The text of the module with the kernel written by a plan that changes nothing: inner braces are gone.
  std::string unchanged_text() const {
    ptx::module copy = in_.module;
    ptx::kernel& k = *std::find_if(copy.kernels.begin(), copy.kernels.end(),
                                   [&](const ptx::kernel& one) { return one.name == name_; });
    const ptx::checked_function code = checked(copy, k, options_.kernel_path);
    result<ptx::function> written = ptx::rewrite(code, flow_plan(code.blocks().graph()));
    if (written) k = *std::move(written);
    return ptx::print(copy);
  }

  // Runs the kernel under each policy; policies that cannot are left out of the table.
  void run_before(transform_table_row& row) {
    const std::vector<std::string> usual{compared_policies};
    const std::uint32_t width = in_.launch->warp_width;
    if (timed_ && timed_->machine.core.warp_width != width)
      throw input_error(fmt::format(
          "{}: warps of {} threads, but the machine '{}' has warps of {}; --warp-width {} or --set core.warp_width={} "
          "makes them equal",
          in_.launch->path, width, timed_->machine.name, timed_->machine.core.warp_width,
          timed_->machine.core.warp_width, width));
    before_ = std::make_unique<experiment>(*in_.launch, std::move(in_.file), options_);
    for (const chosen_policy& c : chosen_policies(options_.policies.empty() ? usual : options_.policies)) {
      std::string why = before_->not_applicable(c);
      transform_figures figures;
      grid_run r;
      if (why.empty()) {
        if (c.identity().find("=profile") != std::string::npos) (void)before_->oracle();
        r = run(*before_, c, figures);
        if (r.how != outcome::finished) why = "before, " + r.words;
      }
      if (!why.empty()) {
        table_.remarks.push_back(fmt::format("{}: left out, {}", c.name, why));
        continue;
      }
      if (runs_.empty()) {
        row.run = figures;
        table_.setting = before_->setting(c, r.other_order);
        run_timed(*before_, c, row);
      }
      row.warp_instructions.push_back(r.counts.warp_instructions);
      table_.policies.push_back(c.name);
      runs_.push_back({c, std::move(r)});
    }
    if (runs_.empty()) throw input_error(fmt::format("{}: no policy runs the kernel", options_.launch_path));
  }

  // Runs it with the figures of the table.
  static grid_run run(experiment& e, const chosen_policy& c, transform_figures& figures) {
    full_metrics seen = e.metrics({});
    grid_run r = e.run(c, {.metrics = &seen});
    figures.warp_instructions = r.counts.warp_instructions;
    figures.weighted = seen.figures().weighted;
    figures.shared = seen.memory().shared_accesses;
    figures.global = seen.memory().global_accesses;
    return r;
  }

  // Runs it on the machine, if there is one, with the figures of the row.
  void run_timed(experiment& e, const chosen_policy& c, transform_table_row& row) const {
    if (!timed_) return;
    timed_grid how = *timed_;
    const std::uint32_t estimate = registers_of(e.file()).estimate;
    if (estimates_) how.registers = estimate;
    row.run->occupancy =
        occupied_part(timed_->machine, occupancy_of_launch(timed_->machine, e.file(), config_of(e.launch()), estimate));
    const timed_run r = e.run_timed(c, how);
    row.run->cycles = r.report.cycles;
    if (r.how == outcome::finished) return;
    row.good = false;
    row.verdict = fmt::format("WRONG  on the machine: {}", r.words);
  }

  void add(const transform_recipe& recipe) {
    transform_table_row& row = table_.rows.emplace_back();
    row.transform = recipe.text();
    step_settings settings = in_.settings;
    settings.guards = recipe.guards;
    settings.always = recipe.always;
    std::optional<transformed_kernel> made;
    try {
      made = transformed(in_.module, name_, recipe.steps, options_.kernel_path, settings);
    } catch (const wrong_plan& why) {
      row.good = false;
      row.verdict = fmt::format("WRONG  {}", why.what());
      return;
    } catch (const input_error& why) {
      row.verdict = fmt::format("cannot be done: {}", why.what());
      return;
    }
    std::string reason;
    if (!made->remarks.empty()) reason = ": " + (made->done ? made->remarks.front() : made->remarks.back());
    if (made->done && made->remarks.size() > 1) reason += fmt::format(" (and {} more)", made->remarks.size() - 1);
    if (!made->done) {
      row.verdict = "cannot be done" + reason;
      return;
    }
    const auto [same, is_new] = rows_by_text_.emplace(ptx::print(made->module), table_.rows.size() - 1);
    if (!is_new) {
      row.verdict = same->second == 0 ? "changes nothing" + reason
                                      : fmt::format("the same code as {}", table_.rows[same->second].transform);
      return;
    }
    row.code = figures_of(made->module);
    if (made->proved != 0) row.verdict = made->rewritten ? "proved but for --partial" : "proved";
    if (in_.launch) run_after(printed_kernel(made->module, name_, options_.kernel_path), row);
  }

  // Runs a transformed kernel under each policy of the table.
  void run_after(kernel_file file, transform_table_row& row) {
    experiment after(*in_.launch, std::move(file), options_);
    std::string left_out;
    std::size_t equal = 0;
    for (const auto& [c, old] : runs_) {
      row.warp_instructions.push_back(0);
      if (const std::string reason = after.not_applicable(c); !reason.empty()) {
        left_out += fmt::format("; {} left out, {}", c.name, reason);
        continue;
      }
      if (c.identity().find("=profile") != std::string::npos) (void)after.oracle();
      transform_figures figures;
      const grid_run now = run(after, c, figures);
      if (const std::string difference = difference_between(now, old); !difference.empty()) {
        row.good = false;
        row.verdict = fmt::format("WRONG  {}: {}", c.name, difference);
        return;
      }
      ++equal;
      row.warp_instructions.back() = figures.warp_instructions;
      if (&old != &runs_.front().second) continue;
      row.run = figures;
      run_timed(after, c, row);
      if (!row.good) return;
    }
    row.verdict += fmt::format("{}memory equal under {}{}", row.verdict.empty() ? "" : ", ",
                               counted(equal, "policy", "policies"), left_out);
    if (!row.run) return;
    const transform_figures& was = *table_.rows.front().run;
    if (timed_ ? row.run->cycles > was.cycles : row.run->warp_instructions > was.warp_instructions)
      row.verdict += "; costs more than it saves";
  }

  const transform_options& options_;
  transform_input in_;
  std::string name_;
  std::optional<timed_grid> timed_;
  bool estimates_ = false;  // each row has the registers that its code is estimated to need
  std::unique_ptr<experiment> before_;
  std::vector<std::pair<chosen_policy, grid_run>> runs_;  // of the kernel as it is
  std::map<std::string, std::size_t> rows_by_text_;
  transform_table table_;
};

// The figures of the code that the text shows; CSV has all.
struct shown_figure {
  std::string_view column, heading;
};
constexpr shown_figure shown_figures[] = {
    {"blocks", "blocks"}, {"instructions", "instr"}, {"estimated_registers", "regs"}};

std::string text_of(const std::vector<code_figure>& figures, std::string_view column) {
  for (const code_figure& f : figures)
    if (f.column == column) return f.text;
  return "-";
}

double ratio(std::uint64_t now, std::uint64_t was) {
  return static_cast<double>(now) / static_cast<double>(std::max<std::uint64_t>(was, 1));
}

std::vector<table_row> rows_of(const transform_table& table) {
  std::vector<table_row> rows;
  const bool runs = !table.policies.empty();
  const std::vector<code_figure>& figures = table.rows.front().code;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const transform_table_row& one = table.rows[i];
    table_row& out = rows.emplace_back();
    // A figure, or nothing if there is no run.
    const auto whole = [&](std::string name, bool there, std::uint64_t n) {
      there ? out.whole(std::move(name), n) : out.none(std::move(name));
    };
    out.word("kernel", table.kernel).word("transform", one.transform);
    for (std::size_t f = 0; f < figures.size(); ++f)
      if (!figures[f].column.empty())
        whole(std::string(figures[f].column), !one.code.empty(),
              one.code.empty() ? 0 : static_cast<std::uint64_t>(one.code[f].value));
    const bool ran = one.run.has_value();
    const transform_figures now = one.run.value_or(transform_figures{}),
                            was = table.rows.front().run.value_or(transform_figures{});
    const auto real = [&](const char* name, double x) { ran ? out.real(name, x) : out.none(name); };
    if (runs) {
      whole("warp_instructions", ran, now.warp_instructions);
      real("ratio", ratio(now.warp_instructions, was.warp_instructions));
      whole("weighted", ran, now.weighted);
      real("weighted_ratio", ratio(now.weighted, was.weighted));
      whole("shared_accesses", ran, now.shared);
      whole("global_accesses", ran, now.global);
    }
    if (runs && table.has_cycles) {
      whole("cycles", ran, now.cycles);
      real("cycles_ratio", ratio(now.cycles, was.cycles));
      real("occupancy", now.occupancy);
    }
    for (std::size_t p = 0; p < table.policies.size(); ++p) {
      const std::uint64_t n = p < one.warp_instructions.size() ? one.warp_instructions[p] : 0;
      whole("warp_instructions_" + table.policies[p], n != 0, n);
    }
    out.flag("best", table.best == i).flag("good", one.good).word("verdict", one.verdict);
    out.word("policy", runs ? table.policies.front() : "").word("machine", table.machine);
    out.word("machine_changes", table.changes).add(table.setting.columns());
  }
  return rows;
}

}  // namespace

std::string transform_recipe::text() const {
  std::string all;
  for (const transform_step& s : steps) all += (all.empty() ? "" : " ") + option_of(s);
  if (guards) all += fmt::format(" --guards {}", to_string(*guards));
  if (always) all += " --always";
  return all;
}

const std::vector<transform_recipe>& all_recipes() {
  static const std::vector<transform_recipe> all = made_recipes();
  return all;
}

transform_table tabulate_transforms(const transform_options& options, const std::optional<time_machine>& machine) {
  return tabulation(options, machine).make();
}

std::string to_text(const transform_table& table, report_format format) {
  if (format == report_format::csv) return csv_of(transform_rows, rows_of(table));
  if (format == report_format::json) return json_text_of(transform_rows, rows_of(table), table.remarks);
  const bool runs = !table.policies.empty();
  std::string out = fmt::format("kernel '{}': every transform", table.kernel);
  if (runs)
    out += fmt::format("; figures under {}, memory compared under {}", table.policies.front(),
                       fmt::join(table.policies, ", "));
  std::size_t width = 0;
  for (const transform_table_row& row : table.rows) width = std::max(width, row.transform.size() + 2);
  out += fmt::format("\n\n{:<{}}", "  transform", width);
  for (const shown_figure& f : shown_figures) out += fmt::format("{:>8}", f.heading);
  if (runs)
    out +=
        fmt::format("{:>12}{:>7}{:>12}{:>7}{:>9}{:>9}", "warp instr", "ratio", "weighted", "ratio", "shared", "global");
  if (runs && table.has_cycles) out += fmt::format("{:>12}{:>7}{:>7}", "cycles", "ratio", "occ.");
  out += "  verdict\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const transform_table_row& row = table.rows[i];
    std::string line =
        fmt::format("{:<{}}", (table.best == i ? "* " : "  ") + (i == 0 ? "as it is" : row.transform), width);
    if (!row.code.empty())
      for (const shown_figure& f : shown_figures) line += fmt::format("{:>8}", text_of(row.code, f.column));
    if (runs && row.run) {
      const transform_figures &now = *row.run, &was = *table.rows.front().run;
      line += fmt::format("{:>12}{:>7.3f}{:>12}{:>7.3f}{:>9}{:>9}", now.warp_instructions,
                          ratio(now.warp_instructions, was.warp_instructions), now.weighted,
                          ratio(now.weighted, was.weighted), now.shared, now.global);
      if (table.has_cycles)
        line += fmt::format("{:>12}{:>7.3f}{:>7.3f}", now.cycles, ratio(now.cycles, was.cycles), now.occupancy);
    }
    line += "  " + row.verdict;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (table.best) out += fmt::format("\n* the fewest {}\n", table.has_cycles ? "cycles" : "warp instructions");
  for (const std::string& r : table.remarks) out += r + "\n";
  return out;
}

}  // namespace lab
