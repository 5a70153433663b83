// SPDX-License-Identifier: BSL-1.0
//
// The runs of `time` and of `suite --time`: each policy of each kernel is a piece of work for a host thread; what comes
// of it is judged in order.
#include "lab/compare.hpp"
#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/jobs.hpp"
#include "lab/launches.hpp"
#include "lab/progress.hpp"
#include "lab/registers.hpp"
#include "lab/source_text.hpp"
#include "lab/time.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/io/timed_trace.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// The instructions of each block by line, in the order of the text.
std::vector<line_costs> by_line(const kernel_file& file, const timing::program_costs& costs) {
  std::map<std::uint32_t, line_costs> lines;
  for (block_id b = 0; b < file.kernel.blocks.size(); ++b) {
    const auto rows = costs.of_block(b);
    if (rows.empty()) continue;
    const std::vector<written_instruction> text = file.instructions_of(b);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      line_costs& line = lines[text[i].line];
      line.line = text[i].line;
      const ptx::decoded_block& block = file.kernel.blocks[b];
      if (line.code.empty())
        line.source = file.kernel.source_of(block.last_instruction + 1 - block.weight + static_cast<std::uint32_t>(i));
      line.code += fmt::format("{}{}", line.code.empty() ? "" : "; ", text[i].code);
      line.costs += rows[i];
    }
  }
  std::vector<line_costs> all;
  for (auto& [number, line] : lines) all.push_back(std::move(line));
  return all;
}

// The instructions of each block by source line: lines of the kernel's file in order, then lines of others. Empty if
// the text has none.
std::vector<source_line_costs> by_source(const kernel_file& file, const timing::program_costs& costs) {
  const ptx::decoded_kernel& k = file.kernel;
  if (k.places.empty()) return {};
  source_text text(k.sources, file.path);
  std::map<std::vector<std::uint32_t>, source_line_costs> lines;  // by file and line of each call, the outermost first
  for (block_id b = 0; b < k.blocks.size(); ++b) {
    const auto rows = costs.of_block(b);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ptx::decoded_block& block = k.blocks[b];
      const std::uint32_t place = k.place_of(block.last_instruction + 1 - block.weight + static_cast<std::uint32_t>(i));
      source_line_costs& line = lines[line_key(k.sources, place)];
      line.source = k.sources.describe(place);
      line.text = text.line(place);
      line.instructions += 1;
      line.costs += rows[i];
    }
  }
  std::vector<source_line_costs> all;
  for (auto& [key, line] : lines) all.push_back(std::move(line));
  return all;
}

// The branches that were executed, and other blocks that cost something; then what no block is to blame for.
std::vector<branch_line> by_branch(const experiment& e, const timing::branch_costs& costs) {
  std::vector<branch_line> all;
  source_text text(e.kernel().sources, e.file().path);
  for (block_id b = 0; b < costs.by_block().size(); ++b) {
    const timing::branch_cost& c = costs.by_block()[b];
    const bool branches = e.graph().successors(b).size() + (e.graph().is_exit(b) ? 1 : 0) >= 2;
    const bool costs_something = c.blamed() != 0 || c.lost != timing::lost_time{};
    if (!costs_something && (!branches || c.executions == 0)) continue;
    const written_instruction last = e.file().instructions_of(b).back();
    all.push_back({b, branches ? "branch" : "no branch", e.kernel().blocks[b].label, last.line, last.code,
                   e.kernel().source_of_end(b), text.line(e.kernel().place_of(e.kernel().blocks[b].last_instruction)),
                   c});
  }
  const auto add = [&](const char* kind, std::uint64_t idle, const timing::lost_time& lost) {
    branch_line rest;
    rest.kind = kind;
    rest.costs.idle_lanes = idle;
    rest.costs.lost = lost;
    all.push_back(std::move(rest));
  };
  for (const idle_cause cause : causes_of_no_block) add(to_string(cause), costs.idle(cause), costs.lost(cause));
  add("converged", 0, costs.converged());
  return all;
}

// The trace of a run as text.
void write_events(event_log& log, const kernel_file& file, const timing::timed_trace& trace, timing::cycle cycles) {
  std::vector<std::vector<written_instruction>> text(file.kernel.blocks.size());
  for (block_id b = 0; b < text.size(); ++b) text[b] = file.instructions_of(b);
  const auto name = [&](block_id b, std::uint32_t i) {
    const ptx::decoded_block& block = file.kernel.blocks[b];
    const std::string source = file.kernel.source_of(block.last_instruction + 1 - block.weight + i);
    return fmt::format("{}: {}{}{}", text[b][i].line, text[b][i].code, source.empty() ? "" : "  ", source);
  };
  log.text =
      log.json ? trace_with(timed_event_rows, to_trace_json(trace, name)) : csv_with(timed_event_rows, to_csv(trace));
  if (trace.ends_at() != timing::never)
    log.cut = fmt::format("the first {} of {} cycles, {} records; later cycles are left out", trace.ends_at(), cycles,
                          log.most);
}

// The outcome of one policy on one kernel.
struct timed_piece {
  std::string left_out;          // why there is no run
  std::string unusable;          // why the machine can run nothing of the kernel
  std::optional<timed_run> run;  // none with either of them
};

// A kernel under policies, one after the other or side by side.
class kernel_runs {
 public:
  // \param alone true if no other host thread uses it
  kernel_runs(kernel_paths paths, const time_options& options, const timing::machine& machine, bool alone)
      : paths_(std::move(paths)), options_(&options), machine_(&machine), alone_(alone) {}

  // Runs a policy. Host threads call it side by side.
  timed_piece run(const chosen_policy& chosen, policy_progress& progress) {
    timed_piece piece;
    try {
      piece = run_prepared(chosen, progress);
    } catch (const input_error& why) {
      if (paths_.name.empty()) throw;
      piece.unusable = why.what();
    }
    progress.finish_one();
    return piece;
  }

  // Judges the outcomes of the policies, in their order.
  void judge(const chosen_policy& chosen, timed_piece piece) {
    const std::scoped_lock lock(one_at_a_time_);
    if (!piece.unusable.empty()) {
      if (unusable_.empty()) unusable_ = piece.unusable;
    } else if (!piece.left_out.empty()) {
      remark(fmt::format("{}: left out, {}", chosen.name, piece.left_out));
    } else {
      judge_run(chosen, *std::move(piece.run));
    }
  }

  // Adds the rows and remarks to a report. Returns false if the machine cannot run the kernel.
  bool finish(time_report& out) {
    if (!unusable_.empty()) {
      out.remarks.push_back(fmt::format("{}: left out, {}", paths_.name, unusable_));
      return false;
    }
    for (timed_row& row : rows_) {
      if (!paths_.name.empty()) row.kernel = paths_.name;
      if (row.report.cycles != 0) row.speedup = pdom_cycles_ / static_cast<double>(row.report.cycles);
      out.rows.push_back(std::move(row));
    }
    if (judged_ && !agree_.empty()) {
      agree_.emplace_back(oracle_name);
      for (const std::string& broken : check_expectations(e_->oracle().memory, e_->launch(), e_->file()).broken)
        wrong(broken);
    }
    if (e_ && !paths_.taken && e_->launch().launches.size() > 1) remark(number_of(e_->launch()));
    if (paths_.name.empty() && e_) remark(about_registers());
    if (paths_.name.empty() && !agree_.empty()) remark(fmt::format("memory: {}", fmt::join(agree_, " = ")));
    for (std::string& words : remarks_) out.remarks.push_back(std::move(words));
    out.good = out.good && good_;
    return true;
  }

 private:
  std::string prefix() const { return paths_.name.empty() ? std::string() : paths_.name + ": "; }
  void remark(const std::string& words) { remarks_.push_back(prefix() + words); }
  void wrong(const std::string& words) {
    good_ = false;
    remarks_.push_back(fmt::format("{}WRONG  {}", prefix(), words));
  }

  // The kernel with its oracle's run, made by the host thread that comes first.
  experiment& prepared(policy_progress& progress) {
    if (e_) return *e_;
    run_conditions conditions = *options_;
    conditions.jobs = 1;  // host threads run policies, not thread blocks
    auto e = paths_.taken ? std::make_unique<experiment>(paths_.kernel, *paths_.taken, conditions)
                          : std::make_unique<experiment>(paths_.kernel, paths_.launch, conditions);
    if (e->launch().warp_width != machine_->core.warp_width)
      throw input_error(
          fmt::format("{}: warps of {} threads, but the machine '{}' has warps of {}; --warp-width {} or "
                      "--set core.warp_width={} makes them equal",
                      e->launch().path, e->launch().warp_width, machine_->name, machine_->core.warp_width,
                      machine_->core.warp_width, e->launch().warp_width));
    const running now(progress, prefix() + std::string(oracle_name));
    const grid_run& oracle = e->oracle(progress.meter());
    needed_ = registers_of(e->file()).estimate;
    company_ = ptx::first_view_of_company(e->kernel()) != ptx::no_index;
    judged_ = oracle.how == outcome::finished && !company_ && e->not_applicable(parse_policy(oracle_name)).empty();
    e_ = std::move(e);
    return *e_;
  }

  timed_piece run_prepared(const chosen_policy& chosen, policy_progress& progress) {
    timed_piece piece;
    std::optional<experiment> own;
    experiment* e = nullptr;
    {
      const std::scoped_lock lock(one_at_a_time_);
      e = &prepared(progress);
      piece.left_out = e->not_applicable(chosen);
      if (const std::string expected = e->expected_verdict(chosen);
          piece.left_out.empty() && expected != to_string(outcome::finished))
        piece.left_out = fmt::format("the launch file expects: {}", expected);
      if (!piece.left_out.empty()) return piece;
      if (!alone_) e = &own.emplace(*e);
    }
    const running now(progress, prefix() + chosen.name);
    piece.run = e->run_timed(chosen, {*machine_, registers(), progress.meter(),
                                      options_->events == nullptr ? 0 : options_->events->most, options_->branches});
    return piece;
  }

  void judge_run(const chosen_policy& c, timed_run run) {
    if (!run.other_order.empty()) remark(fmt::format("{}: {}", c.name, run.other_order));
    if (run.trace) write_events(*options_->events, e_->file(), *run.trace, run.report.cycles);
    if (run.how != outcome::finished)
      return wrong(fmt::format("{}: {} after {} cycles: {}", c.name, to_string(run.how), run.report.cycles, run.words));
    if (c.name == "pdom") pdom_cycles_ = static_cast<double>(run.report.cycles);
    timed_row& row = rows_.emplace_back(timed_row{e_->kernel().name, c.name, std::move(run.report)});
    row.setting = e_->setting(c, run.other_order);
    row.registers = registers();
    row.estimated_registers = needed_;
    if (options_->lines) {
      row.lines = by_line(e_->file(), row.report.costs);
      row.source_lines = by_source(e_->file(), row.report.costs);
    }
    if (run.branches) row.branches = by_branch(*e_, *run.branches);

    if (!judged_ && !kept_) {
      against_ = c.name;
      agree_.push_back(c.name);
      kept_ = std::move(run.memory);
      return expect(c, *kept_);
    }
    const std::string difference = first_difference(run.memory, judged_ ? e_->oracle().memory : *kept_, e_->launch());
    if (difference.empty()) {
      agree_.push_back(c.name);
      return;
    }
    // Thread blocks run side by side here, one after the other elsewhere.
    const bool blocks_show = ptx::order_of_blocks_shows(e_->kernel());
    const std::string why = blocks_show && !company_
                                ? "atomic operations tell the order of thread blocks, which run side by side"
                                : e_->schedule_matters();
    if (!company_ && !blocks_show)
      return wrong(fmt::format("{}: memory differs from {}'s: {}{}", c.name, against_, difference,
                               why.empty() ? "" : "; " + why));
    remark(fmt::format("{}: memory differs from {}'s: {}; that is no error: {}", c.name, against_, difference, why));
    expect(c, run.memory);
  }

  // The registers of a thread that limit the occupancy; 0: no limit. \pre prepared() was called.
  std::uint32_t registers() const { return options_->machine.estimates ? needed_ : options_->machine.registers; }
  std::string about_registers() const {
    const auto fit = [&](std::uint32_t of_thread) {
      return describe(*machine_, occupancy_of_launch(*machine_, e_->file(), config_of(e_->launch()), of_thread));
    };
    std::string text = describe(e_->file(), registers_of(e_->file()));
    if (options_->machine.estimates) return text + ", which the occupancy has: " + fit(needed_);
    return text + fmt::format(" would leave {}; the occupancy has {}", fit(needed_),
                              registers() == 0 ? std::string("no limit by registers (--registers)")
                                               : fmt::format("{} (--registers)", registers()));
  }

  void expect(const chosen_policy& c, const ptx::device_memory& memory) {
    for (const std::string& broken : check_expectations(memory, e_->launch(), e_->file()).broken)
      wrong(c.name + ": " + broken);
  }

  // A run that the progress shows as long as this lives.
  struct running {
    running(policy_progress& to, std::string what) : progress(to), name(std::move(what)) { progress.begin(name); }
    ~running() { progress.end(name); }
    running(const running&) = delete;
    running& operator=(const running&) = delete;
    policy_progress& progress;
    std::string name;
  };

  kernel_paths paths_;
  const time_options* options_;
  const timing::machine* machine_;
  bool alone_;
  std::mutex one_at_a_time_;       // for e_
  std::unique_ptr<experiment> e_;  // with the oracle's run
  bool company_ = false, judged_ = false, good_ = true;
  std::optional<ptx::device_memory> kept_;  // that others are compared with, if not the oracle's
  std::string against_{oracle_name}, unusable_;
  std::vector<std::string> agree_, remarks_;
  std::vector<timed_row> rows_;
  double pdom_cycles_ = 0;
  std::uint32_t needed_ = 0;  // registers of a thread, estimated
};

}  // namespace

std::vector<std::string> time_kernels(std::span<const kernel_paths> kernels, const std::vector<chosen_policy>& chosen,
                                      const time_options& options, time_report& out) {
  std::vector<std::string> ran;
  if (chosen.empty()) return ran;
  const std::size_t pieces = kernels.size() * chosen.size();
  const bool alone = host_threads(options.jobs) == 1 || pieces == 1;
  std::deque<std::optional<kernel_runs>> all(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) all[k].emplace(kernels[k], options, out.machine, alone);
  policy_progress progress(options.progress, pieces);
  in_order(
      options.jobs, pieces,
      [&](std::size_t i) { return all[i / chosen.size()]->run(chosen[i % chosen.size()], progress); },
      [&](std::size_t i, timed_piece piece) {
        std::optional<kernel_runs>& k = all[i / chosen.size()];
        k->judge(chosen[i % chosen.size()], std::move(piece));
        if (i % chosen.size() + 1 != chosen.size()) return;
        if (k->finish(out)) ran.push_back(kernels[i / chosen.size()].name);
        k.reset();  // its memory
        if (options.timed_so_far) options.timed_so_far(out);
      });
  return ran;
}

}  // namespace lab
