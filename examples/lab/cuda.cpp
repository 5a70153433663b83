// SPDX-License-Identifier: BSL-1.0
#include "lab/cuda.hpp"

#include "lab/child_process.hpp"
#include "lab/files.hpp"
#include "lab/policies.hpp"
#include "lab/program_file.hpp"
#include "lab/progress.hpp"
#include "lab/report.hpp"
#include "lab/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>
#include <utility>

extern char** environ;

namespace lab {
namespace {

namespace fs = std::filesystem;

// The figures of a launch, or the sums over launches.
struct figures {
  std::uint64_t launches = 0, warp_instructions = 0, thread_instructions = 0, lane_slots = 0, cycles = 0;

  void add(const figures& other) {
    launches += other.launches;
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    lane_slots += other.lane_slots;
    cycles += other.cycles;
  }
  std::string efficiency() const {
    if (lane_slots == 0) return "-";
    return fmt::format("{:.3f}", static_cast<double>(thread_instructions) / static_cast<double>(lane_slots));
  }
};

struct cuda_launch {
  std::string kernel, grid, verdict, fault, check;
  figures counts;
};

// One run of the program.
struct program_run {
  std::string policy;
  std::vector<cuda_launch> launches;
  std::vector<std::string> kernels;  // in the order of their first launches
  std::map<std::string, figures> by_kernel;
  figures all;
  std::string end;  // "exit 0", "signal 6 (Aborted)"
  bool good = false;
};

// The folder with libcudart.so.13: as asked for, beside the tool, or where it is installed beside the tool.
std::string library_folder(const cuda_options& options) {
  const auto has_library = [](const fs::path& folder) { return fs::exists(folder / "libcudart.so.13"); };
  if (!options.library.empty()) {
    if (!has_library(options.library)) throw input_error(options.library + ": holds no libcudart.so.13");
    return fs::absolute(options.library).string();
  }
  std::error_code ignored;
  fs::path tool = fs::read_symlink("/proc/self/exe", ignored);
  if (ignored) tool = fs::absolute(options.tool);
  for (const char* place : {"cudart/lib", "../lib/simtflow/cuda"}) {
    const fs::path folder = (tool.parent_path() / place).lexically_normal();
    if (has_library(folder)) return folder.string();
  }
  throw input_error(fmt::format(
      "no libcudart.so.13 beside {}: build the target cudart, or name the folder with --library", tool.string()));
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> all;
  for (char** old = environ; *old != nullptr; ++old) {
    const std::string_view entry = *old;
    if (changes.count(std::string(entry.substr(0, entry.find('=')))) == 0) all.emplace_back(entry);
  }
  for (const auto& [name, value] : changes) all.push_back(name + '=' + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::atomic<pid_t> running_child{0};

// Counts the lines that a file has gained.
class line_counter {
 public:
  explicit line_counter(const std::string& path) : path_(path) {}
  std::uint64_t count() {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(at_);
    char piece[4096];
    while (file.read(piece, sizeof piece) || file.gcount() > 0) {
      lines_ += static_cast<std::uint64_t>(std::count(piece, piece + file.gcount(), '\n'));
      at_ += file.gcount();
    }
    return lines_;
  }

 private:
  std::string path_;
  std::streamoff at_ = 0;
  std::uint64_t lines_ = 0;
};

// The status of the program when it has ended.
int run_child(const std::string& path, std::vector<std::string> words, std::vector<std::string> variables,
              const std::function<void()>& look) {
  std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
  // A signal that ends the tool ends the program first; the tool then prints what there is.
  const signals::on_stop forwarded([](int number) { return running_child > 0 && kill(running_child, number) == 0; });
  const usual_signals signals_of_child;
  pid_t child = 0;
  const int problem =
      posix_spawn(&child, path.c_str(), nullptr, signals_of_child.attributes(), arguments.data(), environment.data());
  if (problem != 0) throw input_error(path + ": cannot be started: " + std::strerror(problem));
  running_child = child;
  int status = 0;
  auto pause = std::chrono::milliseconds(1);
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(100));
    if (pause.count() == 100) look();
  }
  running_child = 0;
  return status;
}

// Adds the launches of a run to it, and their rows.
void read_report(const std::string& path, program_run& run, std::vector<table_row>& rows) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("{\"launch\"")) continue;
    if (line.ends_with(',')) line.pop_back();
    const nlohmann::ordered_json row = nlohmann::ordered_json::parse(line, nullptr, false);
    if (row.is_discarded()) break;  // the program died while it wrote
    table_row& out = rows.emplace_back();
    for (const auto& [name, value] : row.items()) {
      if (value.is_string())
        out.word(name, value.get<std::string>());
      else if (value.is_null())
        out.none(name);
      else
        out.add(name, literal{value.dump()});
    }
    cuda_launch launch;
    launch.kernel = row.value("kernel", "");
    launch.grid =
        fmt::format("{}x{}x{} of {}x{}x{}", row.value("grid_x", 0U), row.value("grid_y", 0U), row.value("grid_z", 0U),
                    row.value("block_x", 0U), row.value("block_y", 0U), row.value("block_z", 0U));
    launch.verdict = row.value("verdict", "");
    if (const std::string error = row.value("error", ""); error != "cudaSuccess" && launch.verdict == "finished")
      launch.verdict = error;
    launch.fault = row.value("fault", "");
    launch.check = row.value("check", "");
    const auto number = [&](const char* name) { return row.value(name, std::uint64_t{0}); };
    launch.counts = {1, number("warp_instructions"), number("thread_instructions"), number("lane_slots"),
                     number("cycles")};
    if (run.by_kernel.count(launch.kernel) == 0) run.kernels.push_back(launch.kernel);
    run.by_kernel[launch.kernel].add(launch.counts);
    run.all.add(launch.counts);
    run.launches.push_back(std::move(launch));
  }
}

// Columns as wide as they have to be; the first and the last are to the left.
class text_table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i != 0) line += "  ";
        line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string shortened(const std::string& name) {
  constexpr std::size_t most = 60;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

std::string cycles_of(const figures& f) { return f.cycles == 0 ? "-" : fmt::format("{}", f.cycles); }

std::string kernels_text(const program_run& run, bool each_launch) {
  text_table table;
  if (each_launch) {
    table.add({"kernel", "launch", "grid of blocks", "warp instr", "SIMD eff.", "cycles", "verdict"});
    for (std::size_t i = 0; i < run.launches.size(); ++i) {
      const cuda_launch& l = run.launches[i];
      table.add({shortened(l.kernel), fmt::format("{}", i + 1), l.grid, fmt::format("{}", l.counts.warp_instructions),
                 l.counts.efficiency(), cycles_of(l.counts), l.verdict});
    }
    return table.text();
  }
  table.add({"kernel", "launches", "warp instr", "thread instr", "SIMD eff.", "cycles"});
  const auto add = [&](const std::string& name, const figures& f) {
    table.add({shortened(name), fmt::format("{}", f.launches), fmt::format("{}", f.warp_instructions),
               fmt::format("{}", f.thread_instructions), f.efficiency(), cycles_of(f)});
  };
  for (const std::string& kernel : run.kernels) add(kernel, run.by_kernel.at(kernel));
  if (run.kernels.size() > 1) add("all", run.all);
  return table.text();
}

std::string policies_text(const std::vector<program_run>& runs) {
  text_table table;
  const program_run& first = runs.front();
  table.add({"policy", "launches", "warp instr", "x " + first.policy, "SIMD eff.", "cycles", "program"});
  const auto ratio = [](const figures& f, const figures& to) {
    if (to.warp_instructions == 0) return std::string("-");
    return fmt::format("{:.3f}", static_cast<double>(f.warp_instructions) / static_cast<double>(to.warp_instructions));
  };
  for (const program_run& run : runs)
    table.add({run.policy, fmt::format("{}", run.all.launches), fmt::format("{}", run.all.warp_instructions),
               ratio(run.all, first.all), run.all.efficiency(), cycles_of(run.all), run.end});
  std::string out = table.text() + '\n';

  text_table kernels;
  std::vector<std::string> head = {"warp instr by kernel", "launches"};
  for (const program_run& run : runs) head.push_back(run.policy);
  kernels.add(head);
  for (const std::string& kernel : first.kernels) {
    std::vector<std::string> row = {shortened(kernel), fmt::format("{}", first.by_kernel.at(kernel).launches)};
    for (const program_run& run : runs) {
      const auto found = run.by_kernel.find(kernel);
      row.push_back(found == run.by_kernel.end() ? "-" : fmt::format("{}", found->second.warp_instructions));
    }
    kernels.add(row);
  }
  return out + kernels.text();
}

// The launches that went wrong, a line for each, but not more than a few.
std::string remarks_text(const program_run& run) {
  std::string out;
  int shown = 0;
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const cuda_launch& l = run.launches[i];
    const bool differs = !l.check.empty() && l.check.starts_with("differs");
    if (l.verdict == "finished" && !differs) continue;
    if (++shown > 5) {
      out += fmt::format("{}: more launches did not finish\n", run.policy);
      break;
    }
    out += fmt::format("{}: launch {} of {}: {}\n", run.policy, i + 1, l.kernel,
                       differs           ? l.check
                       : l.fault.empty() ? l.verdict
                                         : l.verdict + ": " + l.fault);
  }
  return out;
}

}  // namespace

cuda_result run_cuda_program(const cuda_options& options) {
  std::vector<std::string> policies;
  std::string left_out;  // remarks
  if (!options.policies.empty())
    for (const chosen_policy& chosen : chosen_policies(options.policies)) {
      const std::vector<const simtflow::policy_info*> own = simtflow::registered_policies();
      if (std::find(own.begin(), own.end(), chosen.info) == own.end())
        policies.push_back(chosen.name);
      else
        left_out += fmt::format(
            "{}: left out, the CUDA runtime is a library of its own and knows the policies that ship\n", chosen.name);
    }
  if (policies.empty() && !left_out.empty()) throw input_error(left_out.substr(0, left_out.size() - 1));
  if (policies.empty()) policies = {"pdom"};
  const std::string path = find_program(options.program.front());
  if (path.empty()) throw input_error(options.program.front() + ": no such program");
  {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::string problem =
        why_not_simulated(path, facts_of_program(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    if (!problem.empty()) throw input_error(problem);
  }
  if (!options.profile.empty() && policies.size() > 1) throw input_error("--profile: goes with one policy");
  if (!options.record.empty() && policies.size() > 1) throw input_error("--record: goes with one policy");

  const std::string library = library_folder(options);
  const scratch_folder scratch("a CUDA program");
  std::vector<table_row> rows;
  std::vector<program_run> runs;
  const time_left clock;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    program_run run;
    run.policy = policies[i];
    const std::string report = scratch.file(fmt::format("{}.json", i));
    const char* old = std::getenv("LD_LIBRARY_PATH");
    std::map<std::string, std::string> changes = {
        {"LD_LIBRARY_PATH", old == nullptr || *old == '\0' ? library : library + ':' + old},
        {"SIMTFLOW_POLICY", run.policy},
        {"SIMTFLOW_REPORT", report}};
    const auto set = [&](const char* name, const std::string& value) {
      if (!value.empty()) changes[name] = value;
    };
    set("SIMTFLOW_MACHINE", options.machine);
    set("SIMTFLOW_JOBS", options.jobs);
    set("SIMTFLOW_STEPS", options.steps);
    set("SIMTFLOW_TRANSFORM", options.transforms);
    set("SIMTFLOW_PROFILE", options.profile);
    set("SIMTFLOW_RECORD", options.record);
    set("SIMTFLOW_CHECK", options.check ? "1" : "");
    set("SIMTFLOW_LEAKS", options.leaks ? "1" : "");
    line_counter lines(report);
    const int status = run_child(path, options.program, environment_with(changes), [&] {
      if (options.progress)
        options.progress(fmt::format("[{}/{}{}] {}, {}", i + 1, policies.size(), clock.words(i, policies.size()),
                                     run.policy, counted(lines.count(), "launch", "launches")));
    });
    read_report(report, run, rows);
    const bool exited = WIFEXITED(status);
    run.end = exited ? fmt::format("exit {}", WEXITSTATUS(status)) : fmt::format("signal {}", WTERMSIG(status));
    run.good = exited && WEXITSTATUS(status) == 0 && remarks_text(run).empty();
    runs.push_back(std::move(run));
    if (signals::caught() != 0) break;
  }

  cuda_result result;
  result.good = runs.size() == policies.size();
  result.text = '\n' + (runs.size() == 1 ? kernels_text(runs.front(), options.launches) : policies_text(runs));
  if (runs.size() > 1 && options.launches)
    for (const program_run& run : runs) result.text += "\npolicy " + run.policy + '\n' + kernels_text(run, true);
  for (const program_run& run : runs) {
    result.good = result.good && run.good;
    result.text += remarks_text(run);
    if (run.end != "exit 0") result.text += fmt::format("{}: the program ended with {}\n", run.policy, run.end);
    if (run.launches.empty()) result.text += fmt::format("{}: the program launched no kernel\n", run.policy);
  }
  result.text += left_out;
  result.rows = std::move(rows);
  return result;
}

std::string to_text(const cuda_result& r, report_format format) {
  if (format == report_format::csv) return csv_of(cuda_rows, r.rows);
  return format == report_format::json ? json_text_of(cuda_rows, r.rows) : r.text;
}

}  // namespace lab
