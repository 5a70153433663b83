// SPDX-License-Identifier: BSL-1.0
#include "lab/timed_code.hpp"
#include <simtflow/block_name.hpp>
#include <simtflow/io/timed_replay.hpp>

#include <type_traits>

namespace lab {

using namespace simtflow;

timed_run run_timed_trace(const chosen_policy& chosen, schedule& plan, const timed_trace_input& input,
                          const timed_grid& how) {
  const recorded_graph& g = input.trace.graph;
  timed_code code{g.weights,
                  g.barriers,
                  input.graph,
                  input.bodies,
                  plan,
                  grid_of(input.trace, how.registers, input.barriers),
                  input.most_blocks,
                  input.trace.graph.symbol};
  code.weights.resize(input.graph.num_blocks(), 0);
  code.barriers.resize(input.graph.num_blocks(), 0);
  return with_mask_of(chosen, plan, [&]<class Mask>(const Mask&) {
    const auto make = [&]<class Program>(std::type_identity<Program>, const auto&... rows) {
      return Program(rows..., input.trace, input.graph, input.bodies);
    };
    return run_on_machine<Mask, timed_replay<Mask>>(chosen, code, how, make,
                                                    [](block_id b, bool) { return block_name(b, {}); });
  });
}

}  // namespace lab
