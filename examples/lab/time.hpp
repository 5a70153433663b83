// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab time`: a kernel under policies in the cycle model (simtflow/timing/device.hpp says what that leaves
// out). README.md, section "time", says what each column means.
#pragma once

#include "lab/commands.hpp"
#include "lab/experiment.hpp"
#include "lab/policies.hpp"
#include "lab/report.hpp"
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/report.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab {

/// The policies of a timed run unless others are named: the mechanisms of the thread block compaction paper, and two.
inline constexpr const char* timed_policies = "pdom,tbc,dwf-majority,dwf-barrier,tf,volta";

/// The machine of a timed run.
struct time_machine {
  std::string name = "gtx480";   ///< of a shipped machine; or a machine file: it ends in .json or has a slash
  std::vector<std::string> set;  ///< changes: "l1.size=16K"
  std::uint32_t registers = 0;   ///< of a thread, for the occupancy; 0: no limit
  bool estimates = false;        ///< the registers are those that the kernel is estimated to need
};
/// The machine. \throws input_error for an unknown name, a bad file, unknown fields and impossible values.
[[nodiscard]] simtflow::timing::machine machine_of(const time_machine& asked);
/// The changes in one text, with spaces between them.
[[nodiscard]] std::string changes_of(const time_machine& asked);
/// The shipped machines, a line for each.
[[nodiscard]] std::string machine_list();

/// The costs of the instructions that begin in one line of the PTX text, over all warps.
struct line_costs {
  std::uint32_t line = 0;  ///< from 1
  std::string code;        ///< the instructions
  std::string source;      ///< the source line that the first one comes from: "my.cu:17"; empty: not known
  simtflow::timing::instruction_costs costs;
};

/// The costs of a line of the source.
struct source_line_costs {
  std::string source;              ///< "my.cu:17", with the calls that it is inlined at; empty: no line is known
  std::string text;                ///< the line, if its file can be read
  std::uint32_t instructions = 0;  ///< of the PTX text
  simtflow::timing::instruction_costs costs;
};

/// The costs that one static branch has caused, or that none has.
struct branch_line {
  simtflow::block_id block = simtflow::no_block;  ///< that it ends; no_block: a cause that no block is to blame for
  std::string kind;                               ///< "branch", "no branch"; for no_block the cause, or "converged"
  std::string label;                              ///< of the block, if it has one
  std::uint32_t line = 0;                         ///< of the last instruction of the block, from 1
  std::string code;                               ///< that instruction
  std::string source;                             ///< the source line that it comes from; empty: not known
  std::string text;                               ///< that line, if its file can be read
  simtflow::timing::branch_cost costs;
};

/// One policy's run of one kernel in the cycle model.
struct timed_row {
  std::string kernel;
  std::string policy;
  simtflow::timing::report report;
  double speedup = 0;                     ///< cycles of pdom over its own; 0: pdom is not there
  std::uint32_t registers = 0;            ///< of a thread, that limit the occupancy; 0: no limit
  std::uint32_t estimated_registers = 0;  ///< that a thread is estimated to need; 0: there is no text to tell from
  std::vector<line_costs> lines = {};
  std::vector<source_line_costs> source_lines = {};  ///< the same costs; empty if the text has no source lines
  std::vector<branch_line> branches = {};            ///< by block, then by cause
  run_setting setting = {};
  /// The row as a file has it that was written before (`suite --resume`); `report` then has what the overview needs.
  std::optional<table_row> kept = std::nullopt;
};

struct time_report {
  simtflow::timing::machine machine;
  std::vector<timed_row> rows;       ///< of runs that finished
  std::vector<std::string> remarks;  ///< the memory that was compared, runs that are left out
  bool good = true;                  ///< every verdict and comparison is as it must be
  std::string changes = {};          ///< of the machine, as they were given: "l1.size=16K l1.ways=4"
};

/// \{
/// The schemas of rows of timed runs, of their lines and of their branches.
inline constexpr row_schema time_rows = "simtflow.time/1", line_rows_of_time = "simtflow.time-lines/1",
                            branch_rows_of_time = "simtflow.time-branches/2";
/// \}

struct time_options : policy_options {
  std::string kernel_path;
  std::string launch_path;
  std::vector<std::string> files;  ///< for time_traces(): graph files, then a trace file
  time_machine machine;
  bool lines = false;                                      ///< also take the costs of the lines
  std::function<void(const time_report&)> timed_so_far{};  ///< gets the kernels that are over, after each
};
/// All launches of the file, or the one that is named; with several, sums of cycles come last.
[[nodiscard]] time_report time_kernel(const time_options& options);
/// The same for the traces of a file. \pre options.files is not empty.
[[nodiscard]] time_report time_traces(const time_options& options);

/// A kernel and its launch.
struct kernel_paths {
  std::string name;  ///< that rows have and remarks begin with; empty: the kernel's own name, no remark begins with it
  std::string kernel;
  std::string launch;
  std::shared_ptr<const launch_file> taken = {};  ///< the launch, if it was read already
};
/// Adds the runs of kernels to a report with a machine, on as many host threads as the options say; the report does not
/// depend on them. \returns the names of the kernels that the machine can run; remarks say why not.
/// \throws input_error if files cannot be used, or if the machine cannot run a kernel without a name.
[[nodiscard]] std::vector<std::string> time_kernels(std::span<const kernel_paths> kernels,
                                                    const std::vector<chosen_policy>& chosen,
                                                    const time_options& options, time_report& out);

/// `suite --time`: the cycles and speed-ups of every kernel.
struct timed_suite {
  std::string text;
  time_report report;
};
[[nodiscard]] std::string to_text(const timed_suite& r, report_format format);
/// \param so_far gets what there is after each kernel; nobody if empty
[[nodiscard]] timed_suite time_suite(const suite_options& suite, const time_machine& machine,
                                     const std::function<void(const timed_suite&)>& so_far = {});

/// The whole report as text that ends in a newline. CSV has the lines or the branches in place of the runs if
/// there are any.
[[nodiscard]] std::string to_text(const time_report& r, report_format format);

/// The columns of a run, without lines and branches.
[[nodiscard]] table_row columns_of(const time_report& r, const timed_row& run);

/// An SVG picture in the form of Figures 13 and 14 of the thread block compaction paper: for each kernel a bar for each
/// policy, as high as its cycles over pdom's (over the first policy's if pdom is not there), cut into classes of
/// scheduler-cycles.
[[nodiscard]] std::string to_bars(const time_report& r);

}  // namespace lab
