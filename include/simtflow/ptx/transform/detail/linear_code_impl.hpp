// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/linear_code.hpp.
#pragma once

#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/detail/linear_code_writer.hpp>
#include <simtflow/ptx/transform/linear_code.hpp>
#include <simtflow/transform/partial_linearization.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {

// True from PTX 6.2 on, which has activemask and vote.sync.
inline bool has_votes(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot != 1) return true;  // 10.0
  return version[0] > '6' || (version[0] == '6' && version.substr(dot + 1) >= "2");
}

// The places that linear code cannot have.
inline simtflow::diagnostics linear_code_obstacles(const checked_function& f, const partial_linearization<>& path,
                                                   linear_branching branching) {
  simtflow::diagnostics found;
  const function_blocks& blocks = f.blocks();
  if (branching == linear_branching::whole_warp && !has_votes(f.owner().version)) {
    add_diagnostic(found, f.text().where, "not linearized: the votes of a whole warp need .version 6.2 or later");
    return found;
  }
  const auto place = [&](block_id b) {
    return blocks[b].first != blocks[b].last ? f.text().instructions[blocks[b].first].where : f.text().end;
  };
  if (const auto header = path.refused_loop()) {
    add_diagnostic(found, place(*header),
                   "not linearized: a loop around here has several entries; fix_irreducible gives it one");
    return found;
  }
  for (const block_id b : path.order()) {
    if (path.turns(b)) continue;
    const bool masked = branching == linear_branching::whole_warp ? !path.is_full(b) : !path.is_full_alone(b);
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const instruction& x = f.text().instructions[i];
      const auto head = opcode_head(x);
      if (blocks.is_convergent_instruction(i) && !path.is_full(b))
        add_diagnostic(found, x.where,
                       "not linearized: '" + x.opcode +
                           "' is for threads that are together, and here some of them may be masked off");
      else if (masked && head == "call")
        add_diagnostic(found, x.where, "not linearized: a call cannot be under a mask");
      else if (!f.text().is_entry && head == "exit")
        add_diagnostic(found, x.where, "not linearized: 'exit' in a device function ends threads before the function");
    }
  }
  return found;
}

}  // namespace detail

SIMTFLOW_INLINE result<linear_code> linearize_partially(const checked_function& f, const linear_code_options& options) {
  const function_blocks& blocks = f.blocks();
  const csr_graph& g = blocks.graph();
  const def_use values(f);
  const auto facts = uniformity(g, values);
  const auto agrees = [&](block_id b) {
    if (g.successors(b).size() > 1 || blocks[b].first == blocks[b].last) return !facts.is_divergent_branch(b);
    const std::uint32_t last = blocks[b].last - 1;  // a return under a guard has no condition in the graph
    for (const register_value_ref& r : values.reads(last))
      if (r.value == no_value || facts.is_divergent_at(r.value, b)) return false;
    return true;
  };
  const partial_linearization path(g, agrees);
  simtflow::diagnostics refused = detail::linear_code_obstacles(f, path, options.branching);
  if (!refused.empty()) return refused;
  detail::linear_code_writer writer(f, path, options.branching == linear_branching::whole_warp, agrees);
  linear_code result{writer.take(), {}};
  linear_code_report& report = result.report;
  report.removed_branches = path.num_removed_branches();
  report.kept_branches = path.num_kept_branches();
  report.loops = writer.num_loops();
  report.turns = writer.num_turns();
  report.blocks = writer.num_blocks();
  report.masked_blocks = writer.num_masked_blocks();
  report.masked_instructions = writer.num_masked_instructions();
  report.votes = writer.num_votes();
  report.instructions_before = f.text().instructions.size();
  report.instructions_after = result.code.instructions.size();
  return result;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
