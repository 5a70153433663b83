// SPDX-License-Identifier: BSL-1.0
//
// `advise`: what would help a kernel, predicted from one run.
#include "lab/advise.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_advise(command_table& table) {
  struct state {
    advise_options advice;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add(
      "advise", "Run a PTX kernel once and predict what every mechanism and transform would save, ranked, with hints",
      judges::yes,
      {"examples/kernels/srad.ptx --launch examples/kernels/srad.launch.json",
       "examples/kernels/srad.ptx --launch examples/kernels/srad.launch.json --policy tf,volta --check"});
  command.add_option("KERNEL.ptx", s->advice.kernel_path, "PTX module")->required();
  command.add_option("--launch", s->advice.launch_path, "Launch file")->required()->option_text("LAUNCH.json");
  add_policy_names(command, s->advice.policies, "every policy that reconverges");
  command.add_flag("--check", s->advice.check, "Also run all that is predicted, and print what it really costs");
  command
      .add_option("--sample", s->advice.sample.thread_blocks,
                  fmt::format("Predict from the paths of so many thread blocks, chosen at random (default {})",
                              s->advice.sample.thread_blocks))
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  command
      .add_option("--sample-visits", s->advice.sample.visits,
                  fmt::format("Leave out a thread block if its threads execute more basic blocks in all (default {})",
                              s->advice.sample.visits))
      ->check(CLI::Range(1, 1'000'000'000))
      ->option_text("N");
  command
      .add_option("--seed", s->advice.sample.seed,
                  fmt::format("Another seed chooses other thread blocks (default {})", s->advice.sample.seed))
      ->option_text("N");
  add_rows(command, s->rows, "a row for each mechanism and transform");
  add_conditions(command, s->advice, launch_says);
  add_launch(command, s->advice);
  table.runs(command, [s] {
    s->rows.check(std::vector<std::string>{s->advice.kernel_path, s->advice.launch_path});
    const advice_report report = [&] {
      const progress_line line(s->advice.progress);
      partial_result last;
      s->advice.so_far = keep_in<advice_report>(last, s->rows);
      return advise(s->advice);
    }();
    return deliver(
        s->rows, [&](report_format format) { return to_text(report, format); }, report.good);
  });
}

}  // namespace lab::cli
