// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/report.hpp"

#include <simtflow/io/detail/csv.hpp>
#include <simtflow/io/detail/json.hpp>
#include <simtflow/version.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace cudart {
namespace {

using simtflow::detail::csv_word;

std::FILE* opened(const std::string& path, std::string& problem) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) problem = path + ": " + std::strerror(errno);
  return file;
}

std::string json_word(std::string_view s) {
  std::string out;
  simtflow::detail::append_json_string(out, s);
  return out;
}

// The schemas of the rows; all tables of the tool have schema and version (examples/lab/rows.hpp).
constexpr std::string_view launch_schema = "simtflow.cuda/1", branch_schema = "simtflow.cuda-branches/2";

std::string library_version() {
  return fmt::format("{}.{}.{}", simtflow::version.major_number, simtflow::version.minor_number,
                     simtflow::version.patch_number);
}

// Calls see(name, value) for each column, in their order.
template <class See>
void for_each_column(const simtflow::cuda::launch_row& r, See see) {
  see("launch", r.number);
  see("kernel", readable_name(r.kernel));
  see("symbol", r.kernel);
  see("grid_x", r.shape.grid[0]);
  see("grid_y", r.shape.grid[1]);
  see("grid_z", r.shape.grid[2]);
  see("block_x", r.shape.block[0]);
  see("block_y", r.shape.block[1]);
  see("block_z", r.shape.block[2]);
  see("dynamic_shared_bytes", r.shape.dynamic_shared_bytes);
  see("stream", r.stream);
  see("policy", r.policy);
  see("machine", r.machine);
  see("warp_instructions", r.counts.warp_instructions);
  see("thread_instructions", r.counts.thread_instructions);
  see("thread_instructions_on", r.counts.thread_instructions_on());
  see("lane_slots", r.counts.lane_slots);
  see("simd_efficiency", r.counts.simd_efficiency());
  see("simd_efficiency_on", r.counts.simd_efficiency_on());
  see("activity_factor", r.counts.activity_factor());
  see("divergent_branches", r.counts.divergent_branches);
  see("merges", r.counts.merges);
  see("barrier_waits", r.counts.barrier_waits);
  see("max_depth", r.counts.max_depth);
  see("overhead_operations", r.counts.overhead_operations);
  see("thread_blocks", r.counts.thread_blocks);
  see("cycles", r.cycles);
  see("milliseconds", r.milliseconds);
  see("verdict", std::string(to_string(r.how)));
  see("error", std::string(error_name(r.code)));
  see("other_order", r.other_order);
  see("check", r.check);
  see("fault", r.fault);
}

std::string csv_field(const std::string& value) { return csv_word(value); }
std::string json_field(const std::string& value) { return json_word(value); }
std::string csv_field(double value) { return fmt::format("{:.6f}", value); }
std::string json_field(double value) { return fmt::format("{:.6f}", value); }
template <class Number>
std::string csv_field(Number value) {
  return fmt::format("{}", value);
}
template <class Number>
std::string json_field(Number value) {
  return fmt::format("{}", value);
}

}  // namespace

std::string readable_name(const std::string& symbol) {
  int status = 0;
  char* full = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (full == nullptr) return symbol;
  std::string name = full;
  std::free(full);
  // The parameters are the last pair of parentheses; a template's result stands before the name.
  if (!name.empty() && name.back() == ')') {
    int open = 0;
    std::size_t at = name.size();
    while (at-- > 0) {
      if (name[at] == ')') ++open;
      if (name[at] == '(' && --open == 0) break;
    }
    if (at < name.size()) name.resize(at);
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  return name.empty() ? symbol : name;
}

report_file::~report_file() {
  if (file_ != nullptr) std::fclose(file_);
}

std::string report_file::open(const std::string& path) {
  std::string problem;
  file_ = opened(path, problem);
  if (file_ == nullptr) return problem;
  is_json_ = path.ends_with(".json");
  std::string head;
  if (is_json_)
    head =
        fmt::format("{{\"schema\": \"{}\", \"version\": \"{}\", \"rows\": [\n]}}\n", launch_schema, library_version());
  else
    for_each_column({}, [&](const char* name, const auto&) { head += name + std::string(","); });
  if (!is_json_) head += "schema,version\n";
  std::fputs(head.c_str(), file_);
  std::fflush(file_);
  return {};
}

void report_file::add(const simtflow::cuda::launch_row& row) {
  if (file_ == nullptr) return;
  std::string line;
  if (is_json_) {
    std::fseek(file_, is_empty_ ? -3 : -4, SEEK_END);  // over "]}\n", and over the end of the row before
    line = is_empty_ ? "{" : ",\n{";
    bool first = true;
    for_each_column(row, [&](const char* name, const auto& value) {
      line += fmt::format("{}\"{}\": {}", first ? "" : ", ", name, json_field(value));
      first = false;
    });
    line += "}\n]}\n";
  } else {
    for_each_column(row, [&](const char*, const auto& value) { line += csv_field(value) + ','; });
    line += fmt::format("{},{}\n", launch_schema, library_version());
  }
  is_empty_ = false;
  std::fputs(line.c_str(), file_);
  std::fflush(file_);
}

profile_file::~profile_file() {
  if (file_ != nullptr) std::fclose(file_);
}

std::string profile_file::open(const std::string& path) {
  std::string problem;
  file_ = opened(path, problem);
  if (file_ == nullptr) return problem;
  std::fputs(
      "launch,kernel,kind,block,line,column,executions,divergences,lanes,idle_lanes,exited_lanes,barrier_lanes,issues,"
      "wait_cycles,memory_cycles,source,policy,machine,schema,version\n",
      file_);
  std::fflush(file_);
  return {};
}

namespace {

// The rows of one launch.
class profile_rows {
 public:
  explicit profile_rows(const simtflow::cuda::launch_row& row)
      : code_(*row.decoded),
        begin_(fmt::format("{},{}", row.number, csv_word(readable_name(row.kernel)))),
        end_(fmt::format("{},{},{},{}", csv_word(row.policy), csv_word(row.machine), branch_schema,
                         library_version())) {}

  // The figures of a block; those that are not taken are empty.
  struct figures {
    std::uint64_t executions, divergences, lanes, idle_lanes, exited_lanes, barrier_lanes;
    std::optional<simtflow::timing::lost_time> lost{};
  };
  void add(simtflow::block_id b, const figures& f) {
    const auto& block = code_.blocks[b];
    const bool is_branch = block.weight != 0 && block.end == simtflow::ptx::block_exit::branch;
    const bool costs =
        f.idle_lanes + f.exited_lanes + f.barrier_lanes != 0 || (f.lost && *f.lost != simtflow::timing::lost_time{});
    if (!costs && (!is_branch || f.executions == 0)) return;
    const simtflow::position where = block.weight != 0 ? code_.positions[block.last_instruction] : block.where;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", begin_, is_branch ? "branch" : "no branch",
                        csv_word(code_.block_name(b)), where.line, where.column, f.executions, f.divergences, f.lanes,
                        f.idle_lanes, f.exited_lanes, f.barrier_lanes, in_words(f.lost),
                        csv_word(code_.source_of_end(b)), end_);
  }
  // The row of a cause that no block is to blame for.
  void add(const char* kind, std::uint64_t idle_lanes, const std::optional<simtflow::timing::lost_time>& lost) {
    if (idle_lanes != 0 || (lost && *lost != simtflow::timing::lost_time{}))
      text += fmt::format("{},{},,,,,,,{},,,{},,{}\n", begin_, kind, idle_lanes, in_words(lost), end_);
  }

  std::string text;

 private:
  static std::string in_words(const std::optional<simtflow::timing::lost_time>& lost) {
    return lost ? fmt::format("{},{},{}", lost->issues, lost->wait_cycles, lost->memory_cycles) : std::string(",,");
  }

  const simtflow::ptx::decoded_kernel& code_;
  std::string begin_, end_;
};

}  // namespace

void profile_file::add(const simtflow::cuda::launch_row& row) {
  if (file_ == nullptr || row.decoded == nullptr) return;
  profile_rows rows(row);
  if (row.branches != nullptr) {
    const auto branches = row.branches->branches();
    for (simtflow::block_id b = 0; b < branches.size(); ++b) {
      const simtflow::branch_figures& f = branches[b];
      rows.add(b, {f.executions, f.divergences, f.lanes, f.idle_lanes, f.exited_lanes, f.barrier_lanes});
    }
    for (const simtflow::idle_cause cause : simtflow::causes_of_no_block)
      rows.add(to_string(cause), row.branches->idle(cause), {});
  } else if (row.costs != nullptr) {
    const auto branches = row.costs->by_block();
    for (simtflow::block_id b = 0; b < branches.size(); ++b) {
      const simtflow::timing::branch_cost& c = branches[b];
      rows.add(b, {c.executions, c.divergences, c.lanes, c.idle_lanes, c.exited_lanes, c.barrier_lanes, c.lost});
    }
    for (const simtflow::idle_cause cause : simtflow::causes_of_no_block)
      rows.add(to_string(cause), row.costs->idle(cause), row.costs->lost(cause));
    rows.add("converged", 0, row.costs->converged());
  }
  std::fputs(rows.text.c_str(), file_);
  std::fflush(file_);
}

}  // namespace cudart
