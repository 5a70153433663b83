// SPDX-License-Identifier: BSL-1.0
#include "lab/cost.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/jobs.hpp"
#include "lab/launches.hpp"
#include "lab/progress.hpp"
#include "lab/suite.hpp"
#include <simtflow/timing/stack_spills.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// The paper on thread frontiers, section 5.2: "never more than three".
constexpr std::size_t few_entries = 3;

// Percents of a histogram at 1 .. few_entries, and above; dashes for an empty one.
void add_shares(std::vector<std::string>& line, std::span<const std::uint64_t> by_number) {
  std::uint64_t all = 0, few = 0;
  for (std::size_t n = 1; n < by_number.size(); ++n) all += by_number[n];
  const auto add = [&](std::uint64_t part) {
    line.push_back(all == 0 ? "-" : fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(all)));
  };
  for (std::size_t n = 1; n <= few_entries; ++n) {
    add(n < by_number.size() ? by_number[n] : 0);
    few += n < by_number.size() ? by_number[n] : 0;
  }
  add(all - few);
}

// The insertions by entries walked, from 0; the last element has all that walked so many or more.
std::vector<std::uint64_t> walks_of(const policy_work& work) {
  std::vector<std::uint64_t> walks{0};
  walks.insert(walks.end(), std::begin(work.walks), std::end(work.walks));
  while (walks.size() > 1 && walks.back() == 0) walks.pop_back();
  return walks;
}

void add_rows(std::vector<table_row>& rows, const std::string& kernel, const chosen_policy& policy,
              const run_setting& setting, const timing::depth_histogram& h, std::span<const std::uint64_t> walks) {
  const auto at = [](std::span<const std::uint64_t> all, std::size_t n) { return n < all.size() ? all[n] : 0; };
  for (std::size_t n = 1; n < std::max(h.steps().size(), walks.size()); ++n)
    rows.push_back(table_row()
                       .word("kernel", kernel)
                       .word("policy", policy.name)
                       .whole("entries", n)
                       .whole("blocks", at(h.steps(), n))
                       .whole("pushes", at(h.pushes(), n))
                       .whole("pops", at(h.pops(), n))
                       .whole("walks", at(walks, n))
                       .add(setting.columns()));
}

}  // namespace

stack_report stacks_of_suite(const suite_options& suite, std::size_t on_chip,
                             const std::function<void(const stack_report&)>& so_far) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(suite.policies.empty() ? std::vector<std::string>{"pdom,tf"} : suite.policies);
  stack_report result;
  std::vector<std::string> remarks, heads{"kernel", "policy", "blocks"};
  for (const char* what : {"= ", "walk "})
    for (const char* number : {"1 %", "2 %", "3 %", "> 3 %"})
      heads.push_back(number[0] == '>' && what[0] == '=' ? number : fmt::format("{}{}", what, number));
  heads.insert(heads.begin() + 7, "deepest");
  heads.insert(heads.begin() + 8, "insertions");
  for (const char* head : {"spilled", "bytes"}) heads.emplace_back(head);
  std::vector<std::vector<std::string>> lines{heads};
  struct tally {
    std::size_t kernels = 0;
    std::vector<std::string> deep, deeper;  // with more than few_entries; with one more beside the running one
  };
  std::vector<tally> tallies(chosen.size());

  const auto finish = [&](std::size_t done, std::size_t all) {
    result.text =
        table(fmt::format("Entries of a stack while blocks execute; entries beyond {} are in memory", on_chip), lines);
    for (std::size_t p = 0; p < chosen.size(); ++p)
      result.text += fmt::format(
          "{}: of {} kernels {} have more than {} entries{}{}; {} have more than {} beside the running one{}{}\n",
          chosen[p].name, tallies[p].kernels, tallies[p].deep.size(), few_entries, tallies[p].deep.empty() ? "" : ": ",
          fmt::join(tallies[p].deep, ", "), tallies[p].deeper.size(), few_entries,
          tallies[p].deeper.empty() ? "" : ": ", fmt::join(tallies[p].deeper, ", "));
    result.remarks = remarks;
    if (done != all) result.remarks.push_back(fmt::format("stopped: {} of {} kernels are there", done, all));
    for (const std::string& remark : result.remarks) result.text += remark + '\n';
  };
  const std::vector<std::string> names = kernels_in(suite, remarks);
  keep_inputs(suite, names);
  // The stacks of one kernel under each policy; host threads make them side by side.
  struct stacks {
    timing::depth_histogram h;
    std::uint64_t insertions = 0;
    std::vector<std::uint64_t> walks;
    run_setting setting;
  };
  struct piece {
    std::vector<std::optional<stacks>> by_policy;
    std::vector<std::string> remarks;
    bool good = true;
  };
  const time_left clock;
  std::atomic<std::size_t> done{0};
  const auto look_at = [&](std::size_t i) {
    piece made;
    run_conditions conditions = suite;
    conditions.launch_number = 1;  // of launch files with several
    conditions.jobs = 1;           // host threads run kernels
    experiment e((std::filesystem::path(suite.folder) / (names[i] + ".ptx")).string(), launch_path(suite, names[i]),
                 conditions);
    if (const std::string number = number_of(e.launch()); !number.empty())
      made.remarks.push_back(fmt::format("{}: {}", names[i], number));
    for (const chosen_policy& c : chosen) {
      std::optional<stacks>& one = made.by_policy.emplace_back();
      if (suite.progress)
        suite.progress(
            fmt::format("[{}/{}{}] {}: {}", done + 1, names.size(), clock.words(done, names.size()), names[i], c.name));
      const std::string who = fmt::format("{}: {}: left out, ", names[i], c.name);
      if (const std::string why = e.not_applicable(c); !why.empty()) {
        made.remarks.push_back(who + why);
        continue;
      }
      if (const std::string verdict = e.expected_verdict(c); verdict != to_string(outcome::finished)) {
        made.remarks.push_back(fmt::format("{}the launch file expects: {}", who, verdict));
        continue;
      }
      if (c.name.find("profile") != std::string::npos) e.oracle();
      timing::stack_depths depths;
      const grid_run run = e.run(c, {.depths = &depths});
      if (run.how != outcome::finished) {
        made.remarks.push_back(who + run.words);
        made.good = false;
        continue;
      }
      const timing::depth_histogram h = depths.histogram();
      if (h.steps().size() <= 1)
        made.remarks.push_back(who + "it does not tell how many entries it holds");
      else
        one = stacks{h, run.work.insertions, walks_of(run.work), e.setting(c, run.other_order)};
    }
    ++done;
    return made;
  };
  in_order(suite.jobs, names.size(), look_at, [&](std::size_t i, piece made) {
    result.good = result.good && made.good;
    std::move(made.remarks.begin(), made.remarks.end(), std::back_inserter(remarks));
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      if (!made.by_policy[p]) continue;
      const stacks& one = *made.by_policy[p];
      const timing::depth_histogram& h = one.h;
      const timing::stack_spills spills = timing::spills_of(h, {.on_chip = on_chip});
      std::vector<std::string> line{names[i], chosen[p].name, fmt::format("{}", spills.steps)};
      add_shares(line, h.steps());
      line.push_back(fmt::format("{}", h.steps().size() - 1));
      line.push_back(one.insertions == 0 ? "-" : fmt::format("{}", one.insertions));
      add_shares(line, one.walks);
      line.push_back(fmt::format("{}", spills.spilled));
      line.push_back(fmt::format("{}", spills.bytes));
      lines.push_back(std::move(line));
      add_rows(result.rows, names[i], chosen[p], one.setting, h, one.walks);
      ++tallies[p].kernels;
      if (h.steps().size() - 1 > few_entries) tallies[p].deep.push_back(names[i]);
      if (h.steps().size() - 1 > few_entries + 1) tallies[p].deeper.push_back(names[i]);
    }
    if (!so_far || i + 1 == names.size()) return;
    finish(i + 1, names.size());
    so_far(result);
  });
  finish(names.size(), names.size());
  return result;
}

std::string to_text(const stack_report& r, report_format format) {
  constexpr std::array names{"kernel", "policy", "entries", "blocks", "pushes", "pops", "walks"};
  table_row columns;
  for (const char* name : names) columns.none(name);
  if (format == report_format::csv) return csv_of(stack_rows, r.rows, columns.add(run_setting{}.columns()));
  return format == report_format::json ? json_text_of(stack_rows, r.rows, r.remarks) : r.text;
}

}  // namespace lab
