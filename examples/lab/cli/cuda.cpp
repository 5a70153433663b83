// SPDX-License-Identifier: BSL-1.0
//
// `cuda`: a CUDA program, unmodified, under each policy.
#include "lab/cuda.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"

#include <memory>
#include <string>

namespace lab::cli {

namespace {

void add_cuda_options(CLI::App& command, lab::cuda_options& options) {
  command.add_option("PROGRAM", options.program, "The program and its arguments, after --")->required();
  add_policy_names(command, options.policies, "pdom");
  command
      .add_option("--machine", options.machine,
                  "Take cycles on this machine (`simtflow-lab time --list-machines` has the names)")
      ->option_text("MACHINE");
  command.add_option("--jobs", options.jobs, "Host threads for the thread blocks of a grid (default 1; 0: all)")
      ->check(CLI::Range(0U, 1024U))
      ->option_text("N");
  command
      .add_option("--most-blocks", options.steps,
                  "Give a launch up after this many basic blocks in one thread block: cudaErrorLaunchTimeout")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
  command
      .add_option("--transform", options.transforms, "Rewrite each kernel before it runs first: meld, linearize, ...")
      ->option_text("NAME,...");
  command.add_flag("--check", options.check, "Run every launch also under the oracle and compare memory");
  command.add_flag("--leaks", options.leaks, "List memory that the program has not freed");
  command.add_flag("--launches", options.launches, "Print a row for each launch instead of each kernel");
  command.add_option("--profile", options.profile, "Write how often each branch ran and diverged: FILE.csv")
      ->option_text("FILE");
  command
      .add_option("--record", options.record,
                  "Write each launch as a launch file with its data, for `simtflow-lab run`")
      ->option_text("FOLDER");
  command.add_option("--library", options.library, "The folder with libcudart.so.13 (default: beside this tool)")
      ->option_text("FOLDER");
}

}  // namespace

void add_cuda(command_table& table) {
  struct state {
    cuda_options cuda;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  s->cuda.tool = table.program();
  CLI::App& command =
      table.add("cuda", "Run a CUDA program, unmodified, under each policy: cuda [options] -- ./a.out arguments",
                judges::yes, {"--policy pdom,volta -- ./program its arguments"});
  add_cuda_options(command, s->cuda);
  add_rows(command, s->rows, "a row for each launch of each run");
  table.runs(command, [s] {
    s->rows.check(s->cuda.program);
    const lab::cuda_result result = [&] {
      const progress_line line(s->cuda.progress);
      return lab::run_cuda_program(s->cuda);
    }();
    return deliver(
        s->rows, [&](report_format format) { return lab::to_text(result, format); }, result.good);
  });
}

}  // namespace lab::cli
