// SPDX-License-Identifier: BSL-1.0
#include "lab/transform_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// How a run ended.
std::string ended(const grid_run& r) { return r.how == outcome::finished ? "finished" : r.words; }

// The first difference between what two kernels left, in words. Variables of the module can be laid out in another
// order.
std::string memory_difference(const ptx::device_memory& now, const ptx::device_memory& old) {
  std::string first;
  std::size_t number = 0;
  for (const ptx::allocation& had : old.allocations()) {
    const ptx::allocation* has = now.find(had.name);
    if (has == nullptr) continue;  // a variable that only code has used to which nobody goes
    for (std::size_t i = 0; i < had.bytes.size(); ++i) {
      if (i < has->bytes.size() && has->bytes[i] == had.bytes[i]) continue;
      if (number++ == 0) first = fmt::format("byte {} of '{}' is another one", i, had.name);
    }
  }
  if (number > 1) first += fmt::format(", the first of {} that differ", number);
  return first;
}

// The kernel before and after under each policy.
class both_kernels {
 public:
  both_kernels(experiment& before, experiment& after, const comparison_options& options)
      : before_(before), after_(after), memory_(options.memory), every_metric_(options.every_metric) {}

  comparison run(const std::vector<chosen_policy>& chosen) {
    std::vector<std::string> remarks;
    std::string table = fmt::format("\n{:<22}{:>13}{:>13}{:>8}{:>12}{:>12}{:>7}{:>6}{:>9}{:>7}", "policy", "warp instr",
                                    "after", "ratio", "fetches", "after", "depth", "after", "eff. on", "after");
    if (memory_) table += fmt::format("{:>10}{:>10}{:>10}{:>10}", "shared", "after", "global", "after");
    table += '\n';
    kinds_ = fmt::format("\n{:<22}{:>12}{:>12}{:>8}{:>7}{:>7}{:>7}{:>7}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}\n",
                         "policy", "weighted", "after", "ratio", "ALU", "after", "on", "after", "v. loads", "after",
                         "v. stores", "after", "s. loads", "after", "s. stores", "after");
    for (const chosen_policy& c : chosen) one(c, table, remarks);
    std::string& out = made_.text;
    out += table;
    const std::size_t compared = made_.runs.size();
    if (memory_ && compared != 0) out += kinds_;
    if (compared != 0)
      out += fmt::format("memory: the same as before under {}\n", counted(compared, "policy", "policies"));
    for (const std::string& r : remarks) out += r + "\n";
    return std::move(made_);
  }

 private:
  void one(const chosen_policy& c, std::string& table, std::vector<std::string>& remarks) {
    for (experiment* e : {&before_, &after_})
      if (const std::string reason = e->not_applicable(c); !reason.empty()) {
        remarks.push_back(
            fmt::format("{}: left out, {}{}", c.name, reason, e == &after_ ? " in the transformed kernel" : ""));
        return;
      }
    full_metrics seen_before = before_.metrics({}), seen_after = after_.metrics({});
    watch_list watch_before, watch_after;
    if (memory_ || every_metric_) watch_before.metrics = &seen_before, watch_after.metrics = &seen_after;
    const grid_run old = before_.run(c, watch_before), now = after_.run(c, watch_after);
    if (!old.other_order.empty()) remarks.push_back(fmt::format("{}, before: {}", c.name, old.other_order));
    if (!now.other_order.empty()) remarks.push_back(fmt::format("{}, after: {}", c.name, now.other_order));
    if (old.how != outcome::finished) {
      remarks.push_back(fmt::format("{}: before, {}; after, {}", c.name, ended(old), ended(now)));
      return;
    }
    if (const std::string difference = difference_between(now, old); !difference.empty()) {
      made_.good = false;
      remarks.push_back(fmt::format("WRONG  {}: {}", c.name, difference));
      return;
    }
    add_row(c, before_, old, seen_before);
    add_row(c, after_, now, seen_after);
    made_.runs.push_back({c.name, old.counts.warp_instructions, now.counts.warp_instructions});
    table += fmt::format("{:<22}{:>13}{:>13}{:>8.3f}{:>12}{:>12}{:>7}{:>6}{:>9.3f}{:>7.3f}", c.name,
                         old.counts.warp_instructions, now.counts.warp_instructions,
                         static_cast<double>(now.counts.warp_instructions) /
                             static_cast<double>(std::max<std::uint64_t>(old.counts.warp_instructions, 1)),
                         old.counts.fetches, now.counts.fetches, depth(old), depth(now),
                         old.counts.simd_efficiency_on(), now.counts.simd_efficiency_on());
    if (memory_) {
      const memory_metrics &a = seen_before.memory(), &b = seen_after.memory();
      table += fmt::format("{:>10}{:>10}{:>10}{:>10}", a.shared_accesses, b.shared_accesses, a.global_accesses,
                           b.global_accesses);
      add_kinds(c, seen_before.figures(), seen_after.figures());
    }
    table += '\n';
  }
  void add_row(const chosen_policy& c, const experiment& e, const grid_run& run, const full_metrics& seen) {
    if (!every_metric_) return;
    report_row row{{}, c.name, run.counts, 0, std::string(to_string(run.how)), {}};
    row.metrics = seen.values(run.counts, scope_managed(c), nullptr, run.work);
    row.setting = e.setting(c, run.other_order);
    made_.rows.push_back(std::move(row));
  }
  // A row of the table by kinds of instructions.
  void add_kinds(const chosen_policy& c, const ptx::instruction_figures& a, const ptx::instruction_figures& b) {
    kinds_ += fmt::format("{:<22}{:>12}{:>12}{:>8.3f}{:>7.3f}{:>7.3f}{:>7.3f}{:>7.3f}", c.name, a.weighted, b.weighted,
                          static_cast<double>(b.weighted) / static_cast<double>(std::max<std::uint64_t>(a.weighted, 1)),
                          a.alu_utilization(), b.alu_utilization(), a.alu_utilization_on(), b.alu_utilization_on());
    kinds_ +=
        fmt::format("{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}\n", a.vector_loads, b.vector_loads, a.vector_stores,
                    b.vector_stores, a.shared_loads, b.shared_loads, a.shared_stores, b.shared_stores);
  }
  static std::string depth(const grid_run& r) {
    return r.counts.max_depth == 0 ? std::string("-") : fmt::format("{}", r.counts.max_depth);
  }

  experiment& before_;
  experiment& after_;
  bool memory_;
  bool every_metric_;
  std::string kinds_;  // the table by kinds of instructions
  comparison made_;
};

}  // namespace

std::string difference_between(const grid_run& now, const grid_run& old) {
  if (now.how != outcome::finished) return fmt::format("finished before, now {}", ended(now));
  if (const std::string memory = memory_difference(now.memory, old.memory); !memory.empty())
    return "memory differs from before: " + memory;
  return now.printed != old.printed ? "it prints something else" : "";
}

comparison compare_kernels(experiment& before, experiment& after, const std::vector<chosen_policy>& chosen,
                           const comparison_options& options) {
  return both_kernels(before, after, options).run(chosen);
}

}  // namespace lab
