// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab advise`: one run of a kernel, and a ranked prediction of what every mechanism and every transform would
// make of it. Predictions are warp instructions, the mechanism's own operations included, over the run's.
//
// The run gives a profile: a sample of whole thread blocks with the path of each thread (simtflow/advice/), how often
// branches were taken, and what memory accesses cost. A mechanism is predicted by a replay of the sample. A transform
// is done, and the sample's paths are followed through the code that it makes; that code is not run. `check` runs
// everything and tells the truth beside the prediction.
#pragma once

#include "lab/commands.hpp"
#include "lab/transform.hpp"
#include <simtflow/advice/estimate.hpp>
#include <simtflow/advice/hints.hpp>
#include <simtflow/advice/path_sample.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

struct advice_report;

struct advise_options : run_conditions {
  std::string kernel_path;
  std::string launch_path;
  std::vector<std::string> policies;  ///< texts for chosen_policies(); empty: all that reconverge
  /// Told what is predicted now: "[3/60, 2 min left] tf". Nobody if empty.
  std::function<void(const std::string&)> progress{};
  std::function<void(const advice_report&)> so_far{};  ///< gets what there is, now and then; nobody if empty
  simtflow::advice::sample_options sample{};
  bool check = false;  ///< run what is predicted
};

enum class advice_kind : unsigned char { as_it_is, mechanism, transform };
[[nodiscard]] std::string_view to_string(advice_kind kind);

/// One mechanism or one transform, predicted.
struct advice_row {
  advice_kind kind = advice_kind::mechanism;
  std::string name;                       ///< of the policy; options of `transform`
  simtflow::advice::ratio_estimate work;  ///< warp instructions over the run's
  simtflow::advice::confidence trust = simtflow::advice::confidence::low;
  std::string reason;                   ///< what it is predicted from, and what is assumed; or why there is nothing
  bool predicted = true;                ///< false: it does not finish, cannot be done, or changes nothing; see reason
  bool recommended = false;             ///< it saves half a percent at least, and nothing speaks against it
  std::optional<double> measured = {};  ///< the same ratio, measured
  std::string wrong = {};               ///< how the measured run ended, if it did not finish or computes another result
  std::vector<double> idle = {};        ///< by block of the kernel: idle lane slots over all of the run; may be empty
};

/// A branch that loses lane slots. Shares are of all lane slots of the run.
struct branch_advice {
  std::string block;                              ///< "BB6 $L__BB0_6"
  std::string place;                              ///< "k.ptx:42 my.cu:17"
  std::uint64_t executions = 0, divergences = 0;  ///< in the sample
  double idle = 0;                                ///< share that the branch loses
  std::string mechanism, transform;               ///< the best row of each kind there; empty: none leaves less
  double idle_mechanism = 0, idle_transform = 0;  ///< what it loses then
};

/// A line of the source that loses lane slots: all branches of the line. Shares are of all idle lane slots of the run.
struct line_advice {
  std::string place;                 ///< "my.cu:17", with the calls that the code is inlined at
  std::string text;                  ///< the line, if its file can be read
  double idle = 0;                   ///< share that the line loses
  double slots = 0;                  ///< the same of all lane slots, idle or not
  std::string mechanism, transform;  ///< recommended rows of each kind: the greatest saving that takes a tenth from it
  double left_mechanism = 0, left_transform = 0;    ///< what the line loses then, of the idle slots of the run now
  double saves_mechanism = 0, saves_transform = 0;  ///< part of all warp instructions that the row saves
  std::vector<std::string> hints;                   ///< for branches of the line; else those for the whole kernel
};

/// A hint with its evidence in words.
struct hint_advice {
  simtflow::advice::hint hint;
  std::string place;
  std::string text;
};

/// The schema of its rows.
inline constexpr row_schema advice_rows = "simtflow.advise/1";

struct advice_report {
  std::string kernel, path, launch_path;
  std::string baseline;                 ///< the policy of the run
  std::uint64_t work = 0;               ///< its warp instructions and overhead
  simtflow::counts counts;              ///< of the run
  std::vector<advice_row> rows;         ///< recommended ones first, then `as it is`, then the others that are predicted
  std::vector<branch_advice> branches;  ///< those that lose 1 % at least, the worst first
  std::vector<line_advice> lines;       ///< those that lose 1 % of the idle slots at least, the worst first
  std::vector<hint_advice> hints;       ///< the weightiest first
  std::vector<std::string> remarks;     ///< about the profile
  std::size_t sampled = 0;              ///< thread blocks
  std::uint64_t thread_blocks = 0, seed = 0;
  run_setting setting;  ///< of the run
  bool checked = false;
  bool good = true;  ///< nothing that was run computes something else
};

/// \throws input_error if the files cannot be used, no policy finishes, or no thread block fits into the sample.
[[nodiscard]] advice_report advise(const advise_options& options);

/// The command that does what a row of a transform says, on the same kernel and launch.
[[nodiscard]] std::string command_of(const advice_report& report, const advice_row& row);

[[nodiscard]] std::string to_text(const advice_report& report, report_format format);

}  // namespace lab
