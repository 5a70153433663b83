// SPDX-License-Identifier: BSL-1.0
//
// The policies the tool knows by name: `pdom` and `tf` are under test, `serial` runs each lane alone and is the oracle
// that always runs.
#pragma once

#include <simtflow/analysis/priorities.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

inline constexpr std::string_view oracle_name = "serial";

/// Every name that --policy takes besides "all", the oracle last.
[[nodiscard]] constexpr std::array<std::string_view, 3> policy_names() { return {"pdom", "tf", oracle_name}; }

/// The priority order of the thread frontier policy (analysis/priorities.hpp).
enum class order_choice : unsigned char { loop_contiguous, rpo, dominance_compact, barrier_aware, exit_distance };

/// The name that --order takes.
[[nodiscard]] std::string_view to_string(order_choice order);
/// All of them.
[[nodiscard]] constexpr std::array<order_choice, 5> order_choices() {
  return {order_choice::loop_contiguous, order_choice::rpo, order_choice::dominance_compact,
          order_choice::barrier_aware, order_choice::exit_distance};
}

/// \param barriers by block, non-zero: holds a barrier; for order_choice::barrier_aware.
[[nodiscard]] const simtflow::priority_order<simtflow::csr_graph>& priorities(
    simtflow::priority_maker<simtflow::csr_graph>& maker, const simtflow::csr_graph& graph, order_choice order,
    std::span<const unsigned char> barriers);

/// What the policies need to know about a graph.
struct schedule {
  std::vector<simtflow::block_id> ipdoms;  ///< by block: where its branch reconverges
  std::vector<std::uint32_t> ranks;        ///< by block: priority, 0 the highest
};
[[nodiscard]] schedule schedule_for(const simtflow::csr_graph& graph, order_choice order,
                                    std::span<const unsigned char> barriers);

/// Calls f(policy, barrier model) with the policy of that name. The schedule must outlive the policy.
template <class F>
auto with_policy(std::string_view name, const schedule& s, F&& f) {
  using simtflow::barrier_model;
  if (name == "pdom") return f(simtflow::ipdom_stack(s.ipdoms), barrier_model::whole_warp);
  if (name == "tf") return f(simtflow::thread_frontier(s.ranks), barrier_model::whole_warp);
  return f(simtflow::lane_serial(), barrier_model::thread_arrival);
}

/// The policies to show: each name once, in the order of policy_names(); all of them if none or "all" was given.
[[nodiscard]] std::vector<std::string_view> chosen_policies(std::span<const std::string> names);

}  // namespace lab
