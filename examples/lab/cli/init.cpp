// SPDX-License-Identifier: BSL-1.0
//
// `init`: a launch file for a kernel.
#include "lab/init.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/files.hpp"

#include <memory>
#include <span>
#include <string>

namespace lab::cli {

void add_init(command_table& table) {
  struct state {
    init_options init;
    std::string path;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("init", "Write a launch file for a kernel, from its signature", judges::no,
                                {"examples/kernels/figure1.ptx -o launch.json"});
  command.add_option("KERNEL.ptx", s->init.kernel_path, "PTX module, or CUDA source for nvcc")->required();
  command.add_option("--kernel", s->init.kernel, "The kernel, if there are several")->option_text("NAME");
  add_output(command, "-o,--output", s->path, "Write the launch file here (default: standard output)")
      ->option_text("LAUNCH.json");
  command.add_flag_callback("--verbose", lab::show_commands, "Show the commands that are run, nvcc for instance");
  table.runs(command, [s] {
    lab::refuse_to_overwrite(s->path, std::span(&s->init.kernel_path, 1));
    const lab::launch_template made = lab::make_launch_template(s->init);
    return show_view(made.text, made.remarks, true, s->path);
  });
}

}  // namespace lab::cli
