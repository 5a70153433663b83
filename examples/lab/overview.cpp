// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"
#include "lab/suite.hpp"
#include "lab/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace lab {
namespace {

using namespace simtflow;

using line = std::vector<std::string>;
using line_widths = std::array<std::size_t, 6>;

constexpr double worth_a_try = 0.98;  // of the warp instructions: a transform that leaves more is not named
constexpr double little_lost = 10;    // % of the lane slots: nothing to look for below

double warp_work(const report_row& row) {
  return static_cast<double>(row.counts.warp_instructions + row.counts.overhead_operations);
}

double lost(const report_row& row) { return 100 * (1 - row.counts.simd_efficiency()); }

// True if the policy has a mechanism that brings divergent lanes together again. The policies of
// simt/policies/no_reconvergence.hpp have none: they are references, and no hardware to choose.
bool reconverges(const chosen_policy& chosen) {
  const std::string_view family = chosen.info->family;
  return family != "none" && family != "mimd" && family != oracle_name;
}

// The policy that reconverges and finishes with the fewest warp instructions; chosen.size() if no such policy finishes.
// Pdom keeps its place unless another policy saves half a percent.
std::size_t best_policy(const suite_kernel& k, std::span<const chosen_policy> chosen, std::size_t pdom) {
  const bool has_pdom = pdom < k.runs.size() && finished(k.runs[pdom]);
  std::size_t best = has_pdom ? pdom : k.runs.size();
  double least = has_pdom ? 0.995 * warp_work(*k.runs[pdom]) : 0;
  for (std::size_t p = 0; p < k.runs.size(); ++p) {
    if (!finished(k.runs[p]) || !reconverges(chosen[p])) continue;
    if (best != k.runs.size() && warp_work(*k.runs[p]) >= least) continue;
    best = p;
    least = warp_work(*k.runs[p]);
  }
  return best;
}

// Warp instructions of the kernel after the transform over those before, under pdom; nothing if it cannot be done.
std::optional<double> ratio_after(const suite_options& options, const suite_kernel& kernel, transform_kind kind) {
  const std::filesystem::path folder(options.folder);
  transform_options transformation;
  static_cast<run_conditions&>(transformation) = options;
  transformation.kernel_path = (folder / (kernel.name + ".ptx")).string();
  transformation.launch_path = launch_path(options, kernel.name);
  transformation.policies = {"pdom"};
  transformation.steps = {{kind}};
  try {
    const transform_result made = transform_kernel(transformation);
    if (!made.good || made.runs.empty() || made.runs.front().before == 0) return std::nullopt;
    return static_cast<double>(made.runs.front().after) / static_cast<double>(made.runs.front().before);
  } catch (const input_error&) {
    return std::nullopt;  // it only was a suggestion
  }
}

}  // namespace

std::size_t find_policy(std::span<const chosen_policy> chosen, std::string_view name) {
  return static_cast<std::size_t>(
      std::find_if(chosen.begin(), chosen.end(), [&](const chosen_policy& c) { return c.info->name == name; }) -
      chosen.begin());
}

std::string try_next(const suite_options& options, const suite_kernel& kernel, const std::optional<report_row>& pdom) {
  if (!pdom) return "-";
  if (!finished(pdom)) return "explore";
  std::string best = lost(*pdom) >= little_lost ? "analyze" : "-";
  double least = worth_a_try;
  if (kernel.facts.branches == 0) return best;
  for (const transform_info& t : transforms()) {
    if (t.kind != transform_kind::linearize && t.kind != transform_kind::meld) continue;
    if (t.kind == transform_kind::linearize && kernel.facts.residue <= 1) continue;
    const std::optional<double> ratio = ratio_after(options, kernel, t.kind);
    if (!ratio || *ratio > least) continue;
    least = *ratio;
    best = fmt::format("transform --{} {:.2f}", t.option, *ratio);
  }
  return best;
}

std::string overview(const suite_options& options, std::span<const suite_kernel> kernels,
                     std::span<const chosen_policy> chosen) {
  const std::size_t pdom = find_policy(chosen, "pdom");
  struct ranked {
    double lost;  // a run that did not finish has lost everything
    line columns;
  };
  std::vector<ranked> rows;
  std::size_t runs = 0, same = 0;
  for (const suite_kernel& k : kernels) {
    line l{k.name};
    double had = 0;
    const bool has_pdom = pdom < chosen.size() && k.runs[pdom];
    if (!has_pdom) {
      l.emplace_back("-");
    } else if (!finished(k.runs[pdom])) {
      had = 100;
      l.push_back(k.runs[pdom]->verdict);
    } else {
      had = lost(*k.runs[pdom]);
      l.push_back(fmt::format("{:.1f} %", had));
    }
    const std::size_t best = best_policy(k, chosen, pdom);
    l.push_back(best == chosen.size() ? "-" : chosen[best].name);
    const bool compares = best != chosen.size() && has_pdom && finished(k.runs[pdom]) && warp_work(*k.runs[pdom]) > 0;
    l.push_back(compares ? fmt::format("{:.2f}", warp_work(*k.runs[best]) / warp_work(*k.runs[pdom])) : "-");
    l.push_back(k.memory.empty() ? "-" : k.memory);
    l.push_back(k.next);
    rows.push_back({had, std::move(l)});
    if (k.memory.starts_with("=")) ++same;
    for (const auto& run : k.runs) runs += run ? 1 : 0;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ranked& a, const ranked& b) { return a.lost > b.lost; });
  // A kernel to go on with: the first that a transform helps.
  const auto helped =
      std::find_if(rows.begin(), rows.end(), [](const ranked& row) { return row.columns[5].starts_with("transform"); });
  const line& chosen_row = (helped == rows.end() ? rows.front() : *helped).columns;
  const struct { std::string name, next; } example{chosen_row[0], chosen_row[5]};
  rows.insert(rows.begin(), {0, {"kernel", "lost", "best", "x pdom", "memory", "try next"}});
  line_widths width{};
  for (const ranked& row : rows)
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], row.columns[i].size());
  std::string out =
      fmt::format("{}, {} under {}; {} leave the memory that they must\n", counted(kernels.size(), "kernel", "kernels"),
                  counted(runs, "run", "runs"), counted(chosen.size(), "policy", "policies"),
                  same == kernels.size() ? std::string("all") : fmt::format("only {}", same));
  for (const ranked& row : rows) {
    const line& l = row.columns;
    std::string one = fmt::format("{:<{}}  {:>{}}  {:<{}}  {:>{}}  {:<{}}  {}", l[0], width[0], l[1], width[1], l[2],
                                  width[2], l[3], width[3], l[4], width[4], l[5]);
    one.erase(one.find_last_not_of(' ') + 1);
    out += one + '\n';
  }
  out +=
      "lost: lane slots without an active lane under pdom. x pdom: warp instructions of the best policy over pdom's.\n"
      "try next: a subcommand; for a transform with the warp instructions after it over those before, under pdom.\n"
      "More, for instance:\n";
  const std::string files =
      fmt::format("{} --launch {}", (std::filesystem::path(options.folder) / (example.name + ".ptx")).string(),
                  launch_path(options, example.name));
  out += fmt::format("  {} run {} --policy all\n", options.program, files);
  if (const std::size_t space = example.next.rfind(' '); space != std::string::npos)
    out += fmt::format("  {} {} {}\n", options.program, example.next.substr(0, space), files);
  out += fmt::format("  {} suite {} --tables\n", options.program, options.folder);
  return out;
}

}  // namespace lab
