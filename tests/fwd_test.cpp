// SPDX-License-Identifier: BSL-1.0
#include <simtflow/fwd.hpp>

// Only the declarations are known here.
namespace {
const simtflow::csr_graph& same(const simtflow::csr_graph& g) { return g; }
}  // namespace

#include <simtflow/align/sequence.hpp>
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/plan.hpp>

#include <doctest/doctest.h>

using namespace simtflow;

// Every declared name is defined: a name that is declared but never defined would stay incomplete.
template <class... T>
constexpr bool all_defined = (... && (sizeof(T) > 0));
static_assert(all_defined<diagnostic, result<int>, graph_traits<csr_graph>, csr_graph, csr_builder, cfg_facts>);
static_assert(all_defined<lane_mask, fragment, group, partition, verdict, any_policy, launch, limits, counts,
                          block_paths, trace_program, event_trace>);
static_assert(all_defined<alignment, flow_plan, linearization, meld_plan>);
static_assert(all_defined<ptx::module, ptx::kernel, ptx::function, ptx::checked_function, ptx::decoded_kernel,
                          ptx::launch_config>);
static_assert(all_defined<recorded_graph, recorded_trace, dot_style, svg_timeline>);

TEST_CASE("a forward declaration names the class that is defined later") {
  const csr_graph g = testing::diamond();
  CHECK(same(g) == g);
}
