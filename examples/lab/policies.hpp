// SPDX-License-Identifier: BSL-1.0
//
// The policies the tool knows by name. `serial` runs each lane alone: it is the oracle that always runs, and what every
// other policy must agree with.
#pragma once

#include "lab/boxed_policy.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab {

inline constexpr std::string_view oracle_name = "serial";

/// The priority order of the policies that need one (analysis/priorities.hpp).
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

/// What the policies need to know about a graph and the machine. They refer to it.
struct schedule {
  std::uint32_t warp_width = 32;
  std::vector<simtflow::block_id> ipdoms;        ///< by block: where its branch reconverges
  std::vector<simtflow::block_id> likely;        ///< by block: where its paths probably meet before that
  std::vector<simtflow::block_id> layout;        ///< blocks by priority
  std::vector<std::uint32_t> ranks;              ///< by block: priority, 0 the highest
  std::vector<simtflow::block_id> conservative;  ///< by block: where a warp that cannot look for lanes branches to
  std::vector<unsigned char> reconvergence;      ///< by block: some branch reconverges here
  simtflow::convergence_table barriers;          ///< a convergence barrier at every immediate post-dominator
  std::vector<simtflow::structured_block> code;  ///< by block: what it opens; empty if the code is unstructured
};
[[nodiscard]] schedule schedule_for(const simtflow::csr_graph& graph, order_choice order,
                                    std::span<const unsigned char> barriers, std::uint32_t warp_width);

/// One line of `simtflow-lab policies`.
struct policy_info {
  std::string_view name;
  std::string_view what;  ///< the mechanism and its parameters as they are set here
  std::string_view paper;
  std::string_view needs;  ///< analyses
  bool parks;              ///< part of a warp can wait at a barrier: run with barrier_model::thread_arrival
};
/// All policies, the oracle last.
[[nodiscard]] std::span<const policy_info> policies();

using warp_policy = boxed_policy<simtflow::lane_mask, simtflow::policy_scope::warp>;
using block_policy = boxed_policy<simtflow::basic_mask<16>, simtflow::policy_scope::block>;
using any_policy = std::variant<warp_policy, block_policy>;

/// The policy of that name. The schedule must outlive it. \pre the name is one of policies(), not_applicable() is empty.
[[nodiscard]] any_policy make_policy(std::string_view name, const schedule& s);

/// The table of all policies: name, scope, progress class, what it is, where it comes from, what it needs.
[[nodiscard]] std::string policy_list();

/// What one instance of the policy manages. No lower bound for static warps holds for policies that form warps anew.
[[nodiscard]] simtflow::policy_scope scope_managed(const policy_info& info);

/// Why a policy cannot run this code with so many threads in a thread block, in words; empty if it can.
[[nodiscard]] std::string not_applicable(const policy_info& info, const schedule& s, std::size_t threads);

/// Calls f(policy, barrier model) with the policy of that name.
template <class F>
auto with_policy(const policy_info& info, const schedule& s, F&& f) {
  const auto model = info.parks ? simtflow::barrier_model::thread_arrival : simtflow::barrier_model::whole_warp;
  return std::visit([&](auto policy) { return f(std::move(policy), model); }, make_policy(info.name, s));
}

/// The policies to show, each once, in the order of policies(): `pdom`, `tf` and the oracle if none was named, all of
/// them for "all".
[[nodiscard]] std::vector<policy_info> chosen_policies(std::span<const std::string> names);

}  // namespace lab
