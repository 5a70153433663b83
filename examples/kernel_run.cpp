// SPDX-License-Identifier: BSL-1.0
#include "kernel_run.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

using namespace simtflow;

namespace {

// Takes the events of a run of blocks and records each instruction of a block on its own.
class instruction_recorder {
 public:
  instruction_recorder(const ptx::decoded_kernel& kernel, std::vector<std::string>& operations, event_trace& trace)
      : kernel_(kernel), operations_(operations), trace_(trace) {}

  void operator()(const event::issued<lane_mask>& e) {
    flush();
    block_ = e;
  }
  void operator()(const event::predicated_off<lane_mask>& e) { off_.push_back(e); }
  void operator()(const event::exited<lane_mask>& e) { exits_.push_back(e); }
  void operator()(const event::ended&) { flush(); }
  void flush() {
    const std::uint32_t weight = std::exchange(block_.weight, 0);
    const std::uint32_t first = weight == 0 ? 0 : kernel_.blocks[block_.block].last_instruction + 1 - weight;
    for (std::uint32_t i = 0; i < weight; ++i) {
      const std::string& code = kernel_.opcodes[first + i];
      const std::string name = code.substr(0, code.find('.'));
      auto one = block_;
      one.weight = 1;
      one.block = block_id(std::find(operations_.begin(), operations_.end(), name) - operations_.begin());
      if (one.block == operations_.size()) operations_.push_back(name);
      trace_(one);
      for (auto e : off_)
        if (std::exchange(e.instruction, 0) == i) trace_(e);
    }
    off_.clear();
    for (const auto& e : exits_) trace_(e);
    exits_.clear();
  }

 private:
  const ptx::decoded_kernel& kernel_;
  std::vector<std::string>& operations_;
  event_trace& trace_;
  event::issued<lane_mask> block_{};
  std::vector<event::predicated_off<lane_mask>> off_;  // of the block
  std::vector<event::exited<lane_mask>> exits_;        // at its end
};

}  // namespace

ptx::module parse_kernel(std::string_view text) {
  auto parsed = ptx::parse(text);
  for (const diagnostic& d : parsed.diagnostics())
    std::fprintf(stderr, "%u:%u: %s\n", d.where.line, d.where.column, d.message.c_str());
  if (!parsed.diagnostics().empty()) std::exit(1);
  return *parsed;
}

kernel_run run_kernel(const ptx::module& module, const launch& shape, const kernel_arrays& arrays,
                      std::vector<std::string>& operations, lane_order order) {
  kernel_run r;
  const result<ptx::decoded_kernel> decoded = ptx::decode(module, module.kernels.front());
  if (!decoded) {
    r.problem = decoded.diagnostics().front().message;
    return r;
  }
  const ptx::decoded_kernel& kernel = *decoded;
  ptx::device_memory memory;
  ptx::arguments arguments(kernel);
  std::vector<std::uint64_t> addresses;
  for (const auto& a : arrays) {
    addresses.push_back(memory.allocate(a.size() * sizeof(std::uint32_t), "array"));
    memory.write(addresses.back(), std::span<const std::uint32_t>(a));
    arguments.set(unsigned(addresses.size() - 1), addresses.back());
  }
  const ptx::launch_config threads{.block = {shape.threads, 1, 1}, .warp_width = shape.warp_width};
  if (const auto wrong = ptx::check_launch(kernel, threads, arguments); !wrong.empty()) {
    r.problem = wrong.front().message;
    return r;
  }
  instruction_recorder recorder(kernel, operations, r.instructions);
  both figures(r.figures, recorder);
  ptx::interpreter<lane_mask, memory_metrics> program(kernel, threads, memory, arguments, r.memory);
  const auto meet = post_dominators(kernel.cfg());
  const any_policy policy = order == lane_order::stack ? any_policy(policies::ipdom_stack(meet.ipdoms()))
                                                       : any_policy(policies::no_reconvergence());
  const auto end = run(policy, program, shape, figures);
  recorder.flush();
  if (!end.finished()) r.problem = end.how == outcome::fault ? program.fault().describe() : describe(end);
  r.arrays = arrays;
  for (std::size_t i = 0; i < arrays.size(); ++i) memory.read(addresses[i], std::span<std::uint32_t>(r.arrays[i]));
  return r;
}
