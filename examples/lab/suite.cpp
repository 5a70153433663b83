// SPDX-License-Identifier: BSL-1.0
#include "lab/suite.hpp"

#include "lab/analyze.hpp"
#include "lab/commands.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/jobs.hpp"
#include "lab/launches.hpp"
#include "lab/progress.hpp"
#include "lab/spelling.hpp"
#include <simtflow/io/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lab {
namespace {

using namespace simtflow;

// The figures that the papers print about the program that a kernel stands for. Ours are small rewrites, so only the
// direction can be compared.
//   frontier_*, *_joins   Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011, Figure 5
//   stack                 Fung, Aamodt, Thread Block Compaction, HPCA 2011, Table 3: most entries of TBC with likely
//                         convergence points
struct paper_figures {
  std::string_view kernel;
  double frontier_average;  // 0: not in that table
  unsigned frontier_max, frontier_joins, pdom_joins;
  unsigned stack;  // 0: not in that table
};
constexpr paper_figures papers[] = {
    {"short_circuit", 1.0, 2, 14, 1, 0},
    {"exception_loop", 0.77, 2, 7, 1, 0},
    {"exception_call", 1.1, 2, 10, 2, 0},
    {"exception_cond", 0.77, 2, 6, 1, 0},
    {"mandelbrot", 2.3, 5, 38, 12, 0},
    {"suffix_tree", 3.6, 8, 11, 7, 13},
    {"path_finding", 3.1, 7, 22, 13, 0},
    {"photon_transport", 16, 33, 101, 100, 0},
    {"background_subtraction", 2.7, 6, 29, 14, 0},
    {"mcx", 4.3, 8, 71, 34, 0},
    {"ray_caster", 4.9, 8, 134, 33, 9},
    {"bytecode", 4.3, 7, 18, 9, 0},
    {"bfs", 0, 0, 0, 0, 3},
    {"face_detection", 0, 0, 0, 0, 5},
    {"hotspot", 0, 0, 0, 0, 2},
    {"laplace_3d", 0, 0, 0, 0, 5},
    {"nonbonded", 0, 0, 0, 0, 5},
    {"ray_queue", 0, 0, 0, 0, 5},
    {"aes", 0, 0, 0, 0, 1},
    {"back_propagation", 0, 0, 0, 0, 2},
    {"coulomb_potential", 0, 0, 0, 0, 1},
    {"heart_wall", 0, 0, 0, 0, 5},
    {"libor", 0, 0, 0, 0, 1},
    {"merge_sort", 0, 0, 0, 0, 38},
    {"neural_net", 0, 0, 0, 0, 3},
    {"stream_cluster", 0, 0, 0, 0, 3},
    {"weather", 0, 0, 0, 0, 8},
};

const paper_figures* paper_of(std::string_view kernel) {
  for (const paper_figures& p : papers)
    if (p.kernel == kernel) return &p;
  return nullptr;
}

using line = std::vector<std::string>;

std::string or_blank(double x, int decimals) { return x == 0 ? std::string() : fmt::format("{:.{}f}", x, decimals); }
std::string or_blank(unsigned x) { return x == 0 ? std::string() : fmt::format("{}", x); }

std::string static_table(const std::vector<suite_kernel>& kernels) {
  std::vector<line> lines{{"kernel", "blocks", "branches", "residue", "TF avg", "TF max", "TF joins", "PDOM joins",
                           "paper: avg", "max", "TF joins", "PDOM joins"}};
  for (const suite_kernel& k : kernels) {
    const graph_facts& f = k.facts;
    line l{k.name,
           fmt::format("{}", f.blocks),
           fmt::format("{}", f.branches),
           fmt::format("{}", f.residue),
           fmt::format("{:.2f}", f.swept.average_size),
           fmt::format("{}", f.swept.max_size),
           fmt::format("{}", f.swept.check_edges),
           fmt::format("{}", f.join_points)};
    const paper_figures* p = paper_of(k.name);
    if (p != nullptr && p->frontier_max != 0) {
      l.push_back(or_blank(p->frontier_average, 2));
      for (const unsigned x : {p->frontier_max, p->frontier_joins, p->pdom_joins}) l.push_back(or_blank(x));
    }
    lines.push_back(std::move(l));
  }
  return table(
      "Control-flow graphs (thread frontiers as in the thread frontiers paper's Figure 5; residue 1: structured)",
      lines);
}

// A table with a row for each kernel and a column for each policy; of(kernel, policy) is empty where there is nothing.
// The last row is the mean: of ratios the geometric one.
template <class Of>
std::string policy_table(const std::string& title, const std::vector<suite_kernel>& kernels,
                         const std::vector<chosen_policy>& chosen, int decimals, bool ratios, Of of,
                         const std::string& paper_column = {}) {
  std::vector<line> lines{{"kernel"}};
  for (const chosen_policy& c : chosen) lines[0].push_back(c.name);
  if (!paper_column.empty()) lines[0].push_back(paper_column);
  std::vector<double> sum(chosen.size(), 0);
  std::vector<std::size_t> number(chosen.size(), 0);
  for (const suite_kernel& k : kernels) {
    line l{k.name};
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const std::optional<double> x = of(k, p);
      l.push_back(x ? fmt::format("{:.{}f}", *x, decimals) : "-");
      if (!x) continue;
      sum[p] += ratios ? std::log(*x) : *x;
      ++number[p];
    }
    if (const paper_figures* paper = paper_of(k.name); !paper_column.empty() && paper != nullptr)
      l.push_back(or_blank(paper->stack));
    lines.push_back(std::move(l));
  }
  line mean{ratios ? "geometric mean" : "mean"};
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    const double average = number[p] == 0 ? 0 : sum[p] / static_cast<double>(number[p]);
    mean.push_back(
        number[p] == 0 ? "-" : fmt::format("{:.{}f}", ratios ? std::exp(average) : average, std::max(decimals, 2)));
  }
  lines.push_back(std::move(mean));
  return table(title, lines);
}

std::optional<double> metric_of(const std::optional<report_row>& row, std::string_view name) {
  if (!finished(row)) return std::nullopt;
  for (const metric& m : row->metrics)
    if (m.name == name) return m.value;
  return std::nullopt;
}

// The tables of the papers, a column for each policy.
std::string tables(const std::vector<suite_kernel>& kernels, const std::vector<chosen_policy>& chosen) {
  const std::size_t pdom = find_policy(chosen, "pdom");
  std::string text = static_table(kernels);
  const auto columns = [&](const std::string& title, int decimals, auto of) {
    text += '\n' + policy_table(title, kernels, chosen, decimals, false, of);
  };
  // amount(row) over its value under pdom.
  const auto over_pdom = [&](const std::string& title, auto amount) {
    if (pdom == chosen.size()) return;
    const auto ratio = [&](const suite_kernel& k, std::size_t p) -> std::optional<double> {
      if (!finished(k.runs[p]) || !finished(k.runs[pdom])) return std::nullopt;
      const double part = amount(*k.runs[p]), whole = amount(*k.runs[pdom]);
      return part > 0 && whole > 0 ? std::optional(part / whole) : std::nullopt;
    };
    text += '\n' + policy_table(title, kernels, chosen, 3, true, ratio);
  };
  over_pdom("Dynamic warp instructions, overhead included, over pdom's", [](const report_row& row) {
    return static_cast<double>(row.counts.warp_instructions + row.counts.overhead_operations);
  });
  columns("SIMD efficiency", 3, [](const suite_kernel& k, std::size_t p) -> std::optional<double> {
    if (!finished(k.runs[p])) return std::nullopt;
    return k.runs[p]->counts.simd_efficiency();
  });
  columns("Activity factor, a thread block as one warp", 3,
          [](const suite_kernel& k, std::size_t p) { return k.activities[p]; });
  const bool memory = std::any_of(kernels.begin(), kernels.end(), [&](const suite_kernel& k) {
    return std::any_of(k.runs.begin(), k.runs.end(),
                       [](const auto& run) { return metric_of(run, "memory_efficiency").has_value(); });
  });
  if (memory) {
    columns("Memory efficiency: accesses over transactions", 3,
            [](const suite_kernel& k, std::size_t p) { return metric_of(k.runs[p], "memory_efficiency"); });
    over_pdom("Memory transactions over pdom's",
              [](const report_row& row) { return metric_of(std::optional(row), "transactions").value_or(0); });
  }
  text += '\n' + policy_table(
                     "Most entries held", kernels, chosen, 0, false,
                     [](const suite_kernel& k, std::size_t p) -> std::optional<double> {
                       if (!finished(k.runs[p]) || k.runs[p]->counts.max_depth == 0) return std::nullopt;
                       return static_cast<double>(k.runs[p]->counts.max_depth);
                     },
                     "paper: TBC-LCP");
  columns("Most blocks at which lanes of a warp stood (unique entries)", 0,
          [](const suite_kernel& k, std::size_t p) { return metric_of(k.runs[p], "places_max"); });
  return text + "\n-: the policy has no such figure, or no figure of the kernel at all, as said here\n";
}

}  // namespace

std::string table(const std::string& title, const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> width;
  for (const auto& l : lines) {
    width.resize(std::max(width.size(), l.size()));
    for (std::size_t i = 0; i < l.size(); ++i) width[i] = std::max(width[i], l[i].size());
  }
  std::string out = title + '\n';
  for (const auto& l : lines) {
    std::string row = fmt::format("  {:<{}}", l[0], width[0]);
    for (std::size_t i = 1; i < l.size(); ++i) row += fmt::format("  {:>{}}", l[i], width[i]);
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

std::vector<std::string> kernels_in(const suite_options& options, std::vector<std::string>& remarks) {
  std::error_code problem;
  if (!std::filesystem::is_directory(options.folder, problem))
    throw input_error(fmt::format("{}: is no folder", options.folder));
  const std::string ending = options.bench ? ".bench.launch.json" : ".launch.json";
  std::vector<std::string> names, others;
  std::filesystem::directory_iterator folder(options.folder, problem);
  if (problem) throw input_error(fmt::format("{}: {}", options.folder, problem.message()));
  for (const auto& entry : folder) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".ptx") continue;
    const std::string name = path.stem().string();
    const bool has_launch = std::filesystem::exists(std::filesystem::path(options.folder) / (name + ending), problem);
    (has_launch ? names : others).push_back(name);
  }
  std::sort(others.begin(), others.end());
  if (!others.empty() && options.kernels.empty())
    remarks.push_back(fmt::format("left out, no launch file NAME{}: {}", ending, fmt::join(others, ", ")));
  std::sort(names.begin(), names.end());
  if (names.empty()) throw input_error(fmt::format("{}: no kernel with a launch file NAME{}", options.folder, ending));
  if (options.kernels.empty()) return names;
  for (const std::string& name : options.kernels)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw input_error(fmt::format("--kernels {}: there is no such kernel{}; there are {}", name,
                                    did_you_mean(name, names), fmt::join(names, ", ")));
  std::erase_if(names, [&](const std::string& name) {
    return std::find(options.kernels.begin(), options.kernels.end(), name) == options.kernels.end();
  });
  return names;
}

void keep_inputs(const suite_options& options, std::span<const std::string> kernels) {
  std::vector<std::string> inputs;
  for (const std::string& name : kernels)
    for (const char* ending : {".ptx", ".launch.json", ".bench.launch.json"})
      inputs.push_back((std::filesystem::path(options.folder) / (name + ending)).string());
  for (const std::string& path : options.not_over) refuse_to_overwrite(path, inputs);
}

bool finished(const std::optional<report_row>& row) { return row && row->verdict == to_string(outcome::finished); }

std::string launch_path(const suite_options& options, const std::string& kernel) {
  return (std::filesystem::path(options.folder) / (kernel + (options.bench ? ".bench.launch.json" : ".launch.json")))
      .string();
}

namespace {

// A kernel of the suite, run or kept.
struct suite_piece {
  suite_kernel kernel;
  report runs;
  std::vector<std::pair<std::string, std::string>> blanks;  // why a policy has no figures
};

// Runs the kernels of a suite, each as a piece of work for a host thread.
class suite_runner {
 public:
  suite_runner(const suite_options& given, std::span<const std::string> names)
      : options_(given), names_(names), chosen_(chosen_policies(given.policies)), progress_(options_.progress) {
    options_.jobs = 1;  // host threads run kernels, not thread blocks
  }

  [[nodiscard]] const std::vector<chosen_policy>& chosen() const { return chosen_; }

  suite_piece run(std::size_t i) {
    suite_piece piece{{names_[i]}, {}, {}};
    suite_kernel& k = piece.kernel;
    const auto say = [&](const std::string& what) {
      if (!progress_) return;
      const std::size_t done = done_;
      progress_(fmt::format("[{}/{}{}] {}{}", done + 1, names_.size(), clock_.words(done, names_.size()), k.name,
                            what.empty() ? "" : ": " + what));
    };
    say("");
    const std::filesystem::path folder(options_.folder);
    const std::string ptx = (folder / (k.name + ".ptx")).string();
    const std::string launch = launch_path(options_, k.name);
    experiment e(ptx, launch, options_);
    if (const std::string number = number_of(e.launch()); !number.empty())
      piece.runs.remarks.push_back(fmt::format("{}: {}", k.name, number));
    k.facts = analyzer(priority_rule::rpo).facts(read_graph_inputs(ptx, e.kernel().name).front(), true);
    if (!take_kept(e, piece)) {
      suite_options told = options_;
      told.progress = say;
      if (!progress_) told.progress = nullptr;
      told.so_far = nullptr;
      judge(e, compare_policies(e, chosen_, told), say, piece);
    }
    for (std::size_t p = 0; p < chosen_.size(); ++p) {
      if (!k.runs[p])
        piece.blanks.emplace_back(fmt::format("{}: left out, {}", chosen_[p].name, e.not_applicable(chosen_[p])),
                                  k.name);
      else if (!finished(k.runs[p]))
        piece.blanks.emplace_back(fmt::format("{}: {}", chosen_[p].name, k.runs[p]->verdict), k.name);
    }
    ++done_;
    return piece;
  }

 private:
  // Adds what the suite says of a kernel beyond its runs.
  template <class Say>
  void judge(const experiment& e, report r, const Say& say, suite_piece& piece) {
    suite_kernel& k = piece.kernel;
    piece.runs.good = r.good;
    std::vector<std::string>& remarks = piece.runs.remarks;
    for (const std::string& remark : r.remarks)
      if (remark.starts_with("WRONG")) remarks.push_back(fmt::format("{}: {}", k.name, remark));
    // The thread frontiers paper's activity factor has warps as wide as the thread block.
    run_conditions wide = options_;
    wide.warp_width = e.launch().threads_per_block();
    experiment one_warp(e.file().path, e.launch().path, wide);
    for (const chosen_policy& c : chosen_) {
      const auto row = std::find_if(r.rows.begin(), r.rows.end(), [&](const auto& x) { return x.policy == c.name; });
      k.runs.emplace_back();
      k.activities.emplace_back();
      if (row == r.rows.end()) continue;
      const auto other_order = [&](const std::string& policy, const std::string& words) {
        if (!words.empty()) remarks.push_back(fmt::format("{}: {}: {}", k.name, policy, words));
      };
      other_order(c.name, row->other_order);
      if (options_.metrics && scope_managed(c) == policy_scope::warp && row->verdict == to_string(outcome::finished) &&
          one_warp.not_applicable(c).empty()) {
        say(c.name + ", one warp");
        const grid_run run = one_warp.run(c);
        other_order(c.name + ", one warp", run.other_order);
        if (run.how == outcome::finished) k.activities.back() = run.counts.activity_factor();
      }
      const auto add = [&](const char* name, double value, bool whole) {
        if (options_.metrics) row->metrics.push_back({name, value, whole});
      };
      if (k.activities.back()) add(activity_column, *k.activities.back(), false);
      add("blocks", static_cast<double>(k.facts.blocks), true);
      add("branches", static_cast<double>(k.facts.branches), true);
      add("residue", static_cast<double>(k.facts.residue), true);
      add("static_frontier_mean", k.facts.swept.average_size, false);
      add("static_frontier_max", static_cast<double>(k.facts.swept.max_size), true);
      add("static_frontier_joins", static_cast<double>(k.facts.swept.check_edges), true);
      add("static_pdom_joins", static_cast<double>(k.facts.join_points), true);
      row->kernel = k.name;
      k.runs.back() = *row;
    }
    k.memory = r.memory;
    if (!options_.tables) {
      say("what to try next");
      const std::size_t pdom = find_policy(chosen_, "pdom");
      k.next = pdom == chosen_.size() ? "-" : try_next(options_, k, k.runs[pdom]);
    }
    for (report_row& row : r.rows) {
      row.memory = k.memory;
      row.next = k.next;
    }
    piece.runs.rows = std::move(r.rows);
  }

  // Takes the rows that were kept, if every policy that can run the kernel has one, made with the same settings.
  bool take_kept(const experiment& e, suite_piece& piece) const {
    suite_kernel& k = piece.kernel;
    std::vector<report_row> rows;
    std::vector<std::optional<report_row>> runs;
    std::vector<std::optional<double>> activities;
    for (const chosen_policy& c : chosen_) {
      runs.emplace_back();
      activities.emplace_back();
      if (!e.not_applicable(c).empty()) continue;
      const table_row* kept = find_kept(options_.kept, k.name, c, e.setting(c, {}));
      if (kept == nullptr || (!options_.tables && kept->text("try_next").empty())) return false;
      report_row row{k.name, c.name, {}, 0, kept->text("verdict"), {}};
      const auto number = [&](const char* name) { return static_cast<std::uint64_t>(kept->number(name)); };
      row.counts.warp_instructions = number("warp_instructions");
      row.counts.overhead_operations = number("overhead");
      row.counts.thread_instructions = number("thread_instructions");
      row.counts.lane_slots = number("lane_slots");
      row.counts.max_depth = number("max_depth");
      for (const auto& [name, value] : kept->fields())
        if (!std::holds_alternative<std::monostate>(value)) row.metrics.push_back({name, kept->number(name), false});
      if (kept->find(activity_column) != nullptr && !kept->text(activity_column).empty())
        activities.back() = kept->number(activity_column);
      k.memory = kept->text("memory");
      k.next = kept->text("try_next");
      row.kept = *kept;
      runs.back() = row;
      rows.push_back(std::move(row));
    }
    if (rows.empty()) return false;
    k.runs = std::move(runs);
    k.activities = std::move(activities);
    piece.runs.rows = std::move(rows);
    piece.runs.good = k.memory != "WRONG";
    if (!piece.runs.good) piece.runs.remarks.push_back(fmt::format("{}: WRONG  as its kept rows say", k.name));
    return true;
  }

  static constexpr const char* activity_column = "activity_of_one_warp";

  suite_options options_;
  std::span<const std::string> names_;
  std::vector<chosen_policy> chosen_;
  std::function<void(const std::string&)> progress_;
  time_left clock_;
  std::atomic<std::size_t> done_{0};
};

}  // namespace

std::string to_text(const suite_result& r, report_format format) {
  return format == report_format::text ? r.text : to_text(r.rows, format);
}

const table_row* find_kept(std::span<const table_row> kept, const std::string& kernel, const chosen_policy& chosen,
                           const run_setting& setting) {
  const table_row same = setting.columns();
  for (const table_row& one : kept) {
    if (one.text("kernel") != kernel || one.text("policy") != chosen.name) continue;
    const bool fits = std::all_of(same.fields().begin(), same.fields().end(), [&](const auto& field) {
      const std::string& name = field.first;
      const std::string safe(to_string(priority_rule::barrier_aware));  // it may have had to run in this order
      return one.text(name) == same.text(name) || (name == "order" && one.text(name) == safe);
    });
    if (fits) return &one;
  }
  return nullptr;
}

suite_result run_suite(const suite_options& given) {
  suite_options options = given;
  options.metrics = options.tables || options.metrics;
  options.launch_number = 1;  // of launch files with several
  if (options.policies.empty())
    options.policies = {options.tables ? "pdom,lcp,tf-sandy,tf,dwf-majority,dwf-barrier,tbc,tbc-lcp" : "all"};
  std::vector<std::string> first_remarks;
  const std::vector<std::string> names = kernels_in(options, first_remarks);
  keep_inputs(options, names);
  suite_runner runner(options, names);

  suite_result result;
  std::vector<suite_kernel> kernels;
  std::vector<std::string> remarks = first_remarks;
  std::vector<std::pair<std::string, std::vector<std::string>>> blanks;  // why no figures; kernels without
  const auto finish = [&](std::size_t done) {
    std::vector<std::string> all = remarks;
    if (options.tables) {
      result.text = tables(kernels, runner.chosen());
      for (const auto& [why, where] : blanks) all.push_back(fmt::format("{}: {}", why, fmt::join(where, ", ")));
    } else {
      result.text = overview(options, kernels, runner.chosen());
    }
    if (done != names.size()) all.push_back(fmt::format("stopped: {} of {} kernels are there", done, names.size()));
    for (const std::string& remark : all) result.text += remark + '\n';
    result.rows.remarks = std::move(all);
  };
  in_order(
      given.jobs, names.size(), [&](std::size_t i) { return runner.run(i); },
      [&](std::size_t i, suite_piece piece) {
        result.rows.good = result.rows.good && piece.runs.good;
        std::move(piece.runs.remarks.begin(), piece.runs.remarks.end(), std::back_inserter(remarks));
        std::move(piece.runs.rows.begin(), piece.runs.rows.end(), std::back_inserter(result.rows.rows));
        for (const auto& [why, kernel] : piece.blanks) {
          auto at = std::find_if(blanks.begin(), blanks.end(), [&](const auto& one) { return one.first == why; });
          if (at == blanks.end()) at = blanks.insert(at, {why, {}});
          at->second.push_back(kernel);
        }
        kernels.push_back(std::move(piece.kernel));
        if (!options.suite_so_far || i + 1 == names.size()) return;
        finish(i + 1);
        options.suite_so_far(result);
      });
  finish(names.size());
  return result;
}

}  // namespace lab
