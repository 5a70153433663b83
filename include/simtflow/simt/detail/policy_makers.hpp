// SPDX-License-Identifier: BSL-1.0
//
// Makers of the families of simt/policy_names.hpp: each makes a policy of its parameters, the facts and a shape.
#pragma once

#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/config.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/policies/aware.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/path_order.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>
#include <simtflow/simt/policies/selection.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/policy_names.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The ingredients of a policy; each function reads one parameter.
struct policy_recipe {
  const policy_facts& facts;
  const policy_settings& settings;
  std::uint32_t warp_width;
  std::uint32_t threads;  // of a thread block

  [[nodiscard]] policies::path_order path() const { return settings.word<policies::path_order>("order"); }
  [[nodiscard]] priority_rule order() const {
    const auto at = settings.word<std::size_t>("priority");
    return at == 0 ? facts.order() : priority_rules()[at - 1];
  }
  [[nodiscard]] std::span<const std::uint32_t> pc() const {
    return settings.word<int>("pc") == 0 ? facts.ranks(order()) : facts.text_ranks();
  }
  [[nodiscard]] std::span<const block_id> likely() const {
    return facts.likely(settings.word<likely_source>("likely"), settings.number("threshold"));
  }
  [[nodiscard]] std::span<const unsigned char> uniform() const {
    return facts.uniform(settings.word<uniform_source>("uniform"));
  }
  [[nodiscard]] home_lanes lanes() const { return {warp_width, settings.word<lane_rule>("lanes")}; }
  [[nodiscard]] policies::dynamic_warp_options pool() const {
    policies::dynamic_warp_options o{lanes(), pc(), facts.reconvergence(),
                                     settings.word<policies::warp_scheduler>("scheduler")};
    o.pool = count("pool");
    o.table = count("table");
    if (settings.yes("scope")) {
      o.scope = policy_scope::core;
      o.lanes.threads = threads;
    }
    return o;
  }
  [[nodiscard]] std::uint32_t count(std::string_view parameter) const {
    return static_cast<std::uint32_t>(settings.number(parameter));
  }
};

template <class Mask>
struct policy_makers {
  using box = basic_any_policy<Mask>;
  using recipe = const policy_recipe&;

  static box pdom(recipe r) { return box(policies::basic_ipdom_stack<Mask>(r.facts.ipdoms(), r.path())); }
  static box lcp(recipe r) {
    return box(policies::basic_likely_convergence_stack<Mask>(r.facts.ipdoms(), r.likely(), r.path()));
  }
  static box predicate(recipe r) {
    return box(policies::basic_predicate_stack<Mask>(
        r.facts.code(), policies::predicate_options{r.settings.yes("empty"), r.uniform()}));
  }
  static box dual_path(recipe r) {
    return box(policies::basic_dual_path<Mask>(r.facts.ipdoms(), r.settings.word<policies::dual_path_turns>("turns"),
                                               r.path()));
  }
  static box multi_path(recipe r) {
    return box(policies::basic_multi_path<Mask>(
        r.facts.ipdoms(), policies::multi_path_options{r.settings.word<policies::split_schedule>("schedule"),
                                                       r.settings.yes("early-join"), r.settings.number("timeout")}));
  }
  static box aware(recipe r) {
    return box(
        policies::basic_aware<Mask>(r.facts.ipdoms(), r.settings.number("timeout"), r.settings.yes("early-join")));
  }
  static box tf(recipe r) { return box(policies::basic_thread_frontier<Mask>(r.facts.ranks(r.order()))); }
  static box tf_sandy(recipe r) {
    const priority_rule order = r.order();
    return box(policies::basic_conservative_branch<Mask>(
        r.facts.layout(order), r.facts.ranks(order),
        r.facts.conservative(order, r.settings.word<frontier_rule>("frontier")), r.facts.weights()));
  }
  static box min_pc(recipe r) { return box(policies::basic_min_pc<Mask>(r.pc(), r.facts.depths())); }
  static box volta(recipe r) {
    const policies::convergence_options options{r.settings.word<policies::selection_order>("select"),
                                                r.settings.yes("yielded"),
                                                r.count("registers"),
                                                r.count("patience"),
                                                r.settings.yes("parked"),
                                                r.facts.has_calls()};
    return box(policies::basic_convergence_barriers<Mask>(r.facts.barriers(r.settings.word<yield_rule>("yield")),
                                                          options, r.pc()));
  }
  static box subdivision(recipe r) {
    return box(policies::basic_warp_subdivision<Mask>(r.facts.ipdoms(), r.settings.word<policies::split_rule>("rule"),
                                                      r.settings.word<policies::selection_order>("select"), r.pc()));
  }
  static box dwf(recipe r) { return box(policies::basic_dynamic_warps<Mask>(r.pool())); }
  static box dwf_barrier(recipe r) {
    const auto top = r.settings.yes("arm") ? r.facts.top_level() : std::span<const unsigned char>();
    return box(policies::basic_dynamic_warps_barrier<Mask>(r.facts.ipdoms(), r.pool(), top));
  }
  static box tbc(recipe r) {
    return box(policies::basic_thread_block_compaction<Mask>(
        r.facts.ipdoms(), policies::compaction_options{r.lanes(), r.settings.word<policies::compaction>("mode"),
                                                       r.uniform(), r.likely()}));
  }
  static box large_warps(recipe r) {
    return box(
        policies::basic_large_warps<Mask>(r.facts.ipdoms(), policies::large_warp_options{r.lanes(), r.count("warps")}));
  }
  static box none(recipe) { return box(policies::basic_no_reconvergence<Mask>()); }
  static box mimd(recipe) { return box(policies::basic_mimd<Mask>()); }
  static box serial(recipe) { return box(policies::basic_lane_serial<Mask>()); }

  struct family {
    std::string_view name;
    box (*make)(recipe);
  };
  static constexpr family families[] = {
      {"pdom", pdom},
      {"lcp", lcp},
      {"predicate", predicate},
      {"dual-path", dual_path},
      {"multi-path", multi_path},
      {"aware", aware},
      {"tf", tf},
      {"tf-sandy", tf_sandy},
      {"min-pc", min_pc},
      {"volta", volta},
      {"subdivision", subdivision},
      {"dwf", dwf},
      {"dwf-barrier", dwf_barrier},
      {"tbc", tbc},
      {"large-warps", large_warps},
      {"none", none},
      {"mimd", mimd},
      {oracle_policy, serial},
  };
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
