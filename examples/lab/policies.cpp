// SPDX-License-Identifier: BSL-1.0
#include "lab/policies.hpp"

#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
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
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/simt/structured_control.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace lab {
namespace {

using namespace simtflow;

constexpr std::string_view by_ipdom = "post-dominators";
constexpr std::string_view by_order = "priority order";

constexpr policy_info table[] = {
    {"pdom", "post-dominator stack, first target first", "Fung et al., MICRO 2007", by_ipdom, false},
    {"pdom-smaller", "post-dominator stack, fewest lanes first", "Fung et al., MICRO 2007", by_ipdom, false},
    {"lcp", "post-dominator stack with likely convergence points, from loops", "Fung, Aamodt, HPCA 2011",
     "post-dominators, loops", false},
    {"predicate", "mask stack of structured code, skips code without lanes", "Diamos et al., MICRO 2011, 2.1",
     "structured code", false},
    {"dual-path", "post-dominator stack, both paths of the top in turns", "Rhu, Erez, HPCA 2013", by_ipdom, false},
    {"multi-path", "splits and reconvergence tables", "ElTantawy et al., HPCA 2014", by_ipdom, false},
    {"aware", "multi-path, first in first out, time-out after 100 blocks", "ElTantawy, Aamodt, MICRO 2016", by_ipdom,
     true},
    {"tf", "thread frontiers, sorted stack", "Diamos et al., MICRO 2011", by_order, false},
    {"tf-sandy", "thread frontiers, per-thread PCs and conservative branches", "Diamos et al., MICRO 2011",
     "priority order, thread frontiers", false},
    {"min-pc", "stack-less, deepest call and lowest PC first", "Collange 2011", "layout", false},
    {"volta", "convergence barriers at post-dominators, oldest group first", "US patent 10,067,768 B2", by_ipdom, true},
    {"subdivision", "dynamic warp subdivision on branches, joins at PC or post-dominator", "Meng et al., ISCA 2010",
     by_ipdom, true},
    {"dwf-majority", "dynamic warp formation, most frequent PC", "Fung et al., MICRO 2007", "layout", true},
    {"dwf-minority", "dynamic warp formation, least frequent PC", "Fung et al., MICRO 2007", "layout", true},
    {"dwf-time", "dynamic warp formation, oldest warp", "Fung et al., MICRO 2007", "layout", true},
    {"dwf-pc", "dynamic warp formation, lowest PC", "Fung et al., MICRO 2007", "layout", true},
    {"dwf-pdom", "dynamic warp formation, fewest post-dominators passed", "Fung et al., MICRO 2007", by_ipdom, true},
    {"dwf-barrier", "dynamic warp formation with warp barriers, majority", "Fung, Aamodt, HPCA 2011", by_ipdom, true},
    {"tbc", "thread block compaction", "Fung, Aamodt, HPCA 2011", by_ipdom, true},
    {"tbc-lcp", "thread block compaction with likely convergence points", "Fung, Aamodt, HPCA 2011",
     "post-dominators, loops", true},
    {"tbc-permuted", "thread block compaction, permuted home lanes", "Rhu, Erez, ISCA 2013", by_ipdom, true},
    {"capri", "thread block compaction where it paid last time", "Rhu, Erez, ISCA 2012", by_ipdom, true},
    {"large-warps", "large warps of 8", "Narasiman et al., MICRO 2011", by_ipdom, true},
    {"none", "groups split and never merge", "GPGPU-Sim", "nothing", true},
    {"mimd", "every lane for itself, in turns", "GPGPU-Sim", "nothing", true},
    {oracle_name, "every lane alone, to its end", "the oracle", "nothing", true},
};

template <warp_scheduler Scheduler>
any_policy dynamic(const schedule& s) {
  return block_policy(
      basic_dynamic_warps<basic_mask<16>, Scheduler>({home_lanes{s.warp_width}, s.ranks, s.reconvergence}));
}

any_policy compacted(const schedule& s, lane_rule lanes, compaction mode, std::span<const block_id> likely) {
  return block_policy(basic_thread_block_compaction<basic_mask<16>>(
      s.ipdoms, compaction_options{home_lanes{s.warp_width, lanes}, mode, {}, likely}));
}

}  // namespace

std::string_view to_string(order_choice order) {
  switch (order) {
    case order_choice::loop_contiguous:
      return "loop-contiguous";
    case order_choice::rpo:
      return "rpo";
    case order_choice::dominance_compact:
      return "dominance-compact";
    case order_choice::barrier_aware:
      return "barrier-aware";
    case order_choice::exit_distance:
      return "exit-distance";
  }
  return "";
}

const priority_order<csr_graph>& priorities(priority_maker<csr_graph>& maker, const csr_graph& graph,
                                            order_choice order, std::span<const unsigned char> barriers) {
  switch (order) {
    case order_choice::rpo:
      return maker.reverse_post_order(graph);
    case order_choice::dominance_compact:
      return maker.dominance_compact(graph);
    case order_choice::barrier_aware:
      return maker.barrier_aware(graph, barriers);
    case order_choice::exit_distance:
      return maker.exit_distance(graph);
    case order_choice::loop_contiguous:
      break;
  }
  return maker.loop_contiguous(graph);
}

schedule schedule_for(const csr_graph& graph, order_choice order, std::span<const unsigned char> barriers,
                      std::uint32_t warp_width) {
  const auto tree = post_dominators(graph);
  priority_maker<csr_graph> maker;
  const auto& order_of_blocks = priorities(maker, graph, order, barriers);
  const auto frontiers = thread_frontiers(graph, order_of_blocks);
  const auto likely = likely_convergence(graph, loops(graph), tree);
  const auto copy = [](const auto& from) {
    return std::vector<std::remove_cvref_t<decltype(*from.begin())>>(from.begin(), from.end());
  };
  schedule s;
  s.warp_width = warp_width;
  s.ipdoms = copy(tree.ipdoms());
  s.likely = copy(likely.points());
  s.layout = copy(order_of_blocks.ids().order());
  s.ranks = copy(order_of_blocks.ranks());
  s.conservative = conservative_targets(frontiers.ids());
  s.reconvergence.assign(graph.num_blocks(), 0);
  for (block_id b = 0; b < graph.num_blocks(); ++b) {
    if (graph.successors(b).size() > 1 && s.ipdoms[b] != no_block) s.reconvergence[s.ipdoms[b]] = 1;
  }
  s.barriers = convergence_table(graph.num_blocks(), ipdom_barriers(graph, s.ipdoms));
  s.code = structured_control(graph).blocks;
  return s;
}

std::span<const policy_info> policies() { return table; }

any_policy make_policy(std::string_view name, const schedule& s) {
  if (name == "pdom") return warp_policy(ipdom_stack(s.ipdoms));
  if (name == "pdom-smaller") return warp_policy(ipdom_stack(s.ipdoms, path_order::smaller_first));
  if (name == "lcp") return warp_policy(likely_convergence_stack(s.ipdoms, s.likely));
  if (name == "predicate") return warp_policy(predicate_stack(s.code));
  if (name == "dual-path") return warp_policy(dual_path(s.ipdoms));
  if (name == "multi-path") return warp_policy(multi_path(s.ipdoms));
  if (name == "aware") return warp_policy(aware(s.ipdoms));
  if (name == "tf") return warp_policy(thread_frontier(s.ranks));
  if (name == "tf-sandy") return warp_policy(conservative_branch(s.layout, s.ranks, s.conservative));
  if (name == "min-pc") return warp_policy(min_pc(s.ranks));
  if (name == "volta") return warp_policy(convergence_barriers(s.barriers, {}, s.ranks));
  if (name == "subdivision") return warp_policy(warp_subdivision(s.ipdoms));
  if (name == "dwf-majority") return dynamic<warp_scheduler::majority>(s);
  if (name == "dwf-minority") return dynamic<warp_scheduler::minority>(s);
  if (name == "dwf-time") return dynamic<warp_scheduler::time>(s);
  if (name == "dwf-pc") return dynamic<warp_scheduler::pc>(s);
  if (name == "dwf-pdom") return dynamic<warp_scheduler::post_dominators>(s);
  if (name == "dwf-barrier")
    return block_policy(basic_dynamic_warps_barrier<basic_mask<16>>(s.ipdoms, {home_lanes{s.warp_width}, s.ranks, {}}));
  if (name == "tbc") return compacted(s, lane_rule::identity, compaction::always, {});
  if (name == "tbc-lcp") return compacted(s, lane_rule::identity, compaction::always, s.likely);
  if (name == "tbc-permuted") return compacted(s, lane_rule::permuted, compaction::always, {});
  if (name == "capri") return compacted(s, lane_rule::identity, compaction::predicted, {});
  if (name == "large-warps")
    return block_policy(basic_large_warps<basic_mask<16>>(s.ipdoms, {home_lanes{s.warp_width}, 8}));
  if (name == "none") return warp_policy(no_reconvergence());
  if (name == "mimd") return warp_policy(mimd());
  return warp_policy(lane_serial());
}

policy_scope scope_managed(const policy_info& info) {
  return make_policy(info.name, {}).index() == 0 ? policy_scope::warp : policy_scope::block;
}

std::string not_applicable(const policy_info& info, const schedule& s, std::size_t threads) {
  if (info.name == "predicate" && s.code.empty()) return "needs structured code";
  if (threads > block_policy::mask_type::capacity && scope_managed(info) == policy_scope::block)
    return fmt::format("manages at most {} threads", block_policy::mask_type::capacity);
  return {};
}

std::string policy_list() {
  const schedule nothing;
  const auto promise = [](progress_class p) {
    return p == progress_class::fair ? "fair" : p == progress_class::lockstep_safe ? "lockstep-safe" : "none";
  };
  std::string text =
      fmt::format("{:<13} {:<6} {:<9} {:<70} {:<31} {}\n", "policy", "scope", "progress", "mechanism", "from", "needs");
  for (const policy_info& p : policies()) {
    const any_policy made = make_policy(p.name, nothing);
    text += fmt::format("{:<13} {:<6} {:<9} {:<70} {:<31} {}\n", p.name, made.index() == 0 ? "warp" : "block",
                        std::visit([&](const auto& policy) { return promise(policy.promises()); }, made), p.what,
                        p.paper, p.needs);
  }
  return text;
}

std::vector<policy_info> chosen_policies(std::span<const std::string> names) {
  const auto asked = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const auto usual = [&](std::string_view name) { return name == "pdom" || name == "tf" || name == oracle_name; };
  std::vector<policy_info> chosen;
  for (const policy_info& p : policies())
    if (names.empty() ? usual(p.name) : asked("all") || asked(p.name)) chosen.push_back(p);
  return chosen;
}

}  // namespace lab
