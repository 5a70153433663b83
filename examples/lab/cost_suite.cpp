// SPDX-License-Identifier: BSL-1.0
#include "lab/cost.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/launches.hpp"
#include "lab/progress.hpp"
#include "lab/suite.hpp"
#include <simtflow/timing/stack_spills.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
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

std::string rows_of(const std::string& kernel, const std::string& policy, const timing::depth_histogram& h,
                    std::span<const std::uint64_t> walks) {
  std::string rows;
  const auto at = [](std::span<const std::uint64_t> all, std::size_t n) { return n < all.size() ? all[n] : 0; };
  for (std::size_t n = 1; n < std::max(h.steps().size(), walks.size()); ++n)
    rows += fmt::format("{},{},{},{},{},{},{}\n", kernel, csv_word(policy), n, at(h.steps(), n), at(h.pushes(), n),
                        at(h.pops(), n), at(walks, n));
  return rows;
}

}  // namespace

stack_report stacks_of_suite(const suite_options& suite, std::size_t on_chip) {
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
  result.csv = "kernel,policy,entries,blocks,pushes,pops,walks\n";
  struct tally {
    std::size_t kernels = 0;
    std::vector<std::string> deep, deeper;  // with more than few_entries; with one more beside the running one
  };
  std::vector<tally> tallies(chosen.size());

  const std::vector<std::string> names = kernels_in(suite, remarks);
  const auto path_of = [&](const std::string& name) {
    return (std::filesystem::path(suite.folder) / (name + ".ptx")).string();
  };
  keep_inputs(suite, names);
  const time_left clock;
  for (std::size_t i = 0; i < names.size(); ++i) {
    run_conditions conditions = suite;
    conditions.launch_number = 1;  // of launch files with several
    experiment e(path_of(names[i]), launch_path(suite, names[i]), conditions);
    if (const std::string number = number_of(e.launch()); !number.empty())
      remarks.push_back(fmt::format("{}: {}", names[i], number));
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      if (suite.progress)
        suite.progress(fmt::format("[{}/{}{}] {}: {}", i + 1, names.size(), clock.words(i, names.size()), names[i],
                                   chosen[p].name));
      const std::string who = fmt::format("{}: {}: left out, ", names[i], chosen[p].name);
      if (const std::string why = e.not_applicable(chosen[p]); !why.empty()) {
        remarks.push_back(who + why);
        continue;
      }
      if (const std::string verdict = e.expected_verdict(chosen[p]); verdict != to_string(outcome::finished)) {
        remarks.push_back(fmt::format("{}the launch file expects: {}", who, verdict));
        continue;
      }
      if (chosen[p].name.find("profile") != std::string::npos) e.oracle();
      timing::stack_depths depths;
      const grid_run run = e.run(chosen[p], {.depths = &depths});
      if (run.how != outcome::finished) {
        remarks.push_back(who + run.words);
        result.good = false;
        continue;
      }
      const timing::depth_histogram h = depths.histogram();
      const std::vector<std::uint64_t> walks = walks_of(run.work);
      if (h.steps().size() <= 1) {
        remarks.push_back(who + "it does not tell how many entries it holds");
        continue;
      }
      const timing::stack_spills spills = timing::spills_of(h, {.on_chip = on_chip});
      std::vector<std::string> line{names[i], chosen[p].name, fmt::format("{}", spills.steps)};
      add_shares(line, h.steps());
      line.push_back(fmt::format("{}", h.steps().size() - 1));
      line.push_back(run.work.insertions == 0 ? "-" : fmt::format("{}", run.work.insertions));
      add_shares(line, walks);
      line.push_back(fmt::format("{}", spills.spilled));
      line.push_back(fmt::format("{}", spills.bytes));
      lines.push_back(std::move(line));
      result.csv += rows_of(names[i], chosen[p].name, h, walks);
      ++tallies[p].kernels;
      if (h.steps().size() - 1 > few_entries) tallies[p].deep.push_back(names[i]);
      if (h.steps().size() - 1 > few_entries + 1) tallies[p].deeper.push_back(names[i]);
    }
  }
  result.text =
      table(fmt::format("Entries of a stack while blocks execute; entries beyond {} are in memory", on_chip), lines);
  for (std::size_t p = 0; p < chosen.size(); ++p)
    result.text += fmt::format(
        "{}: of {} kernels {} have more than {} entries{}{}; {} have more than {} beside the running one{}{}\n",
        chosen[p].name, tallies[p].kernels, tallies[p].deep.size(), few_entries, tallies[p].deep.empty() ? "" : ": ",
        fmt::join(tallies[p].deep, ", "), tallies[p].deeper.size(), few_entries, tallies[p].deeper.empty() ? "" : ": ",
        fmt::join(tallies[p].deeper, ", "));
  for (const std::string& remark : remarks) result.text += remark + '\n';
  return result;
}

}  // namespace lab
