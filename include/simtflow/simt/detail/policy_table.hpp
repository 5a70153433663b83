// SPDX-License-Identifier: BSL-1.0
//
// The table of simt/policy_names.hpp: a row for each name, and the parameters of each family.
#pragma once

#include <simtflow/simt/policy_info.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {
namespace named_policies {

// The words of each parameter stand in the order of the enumeration that they choose from.
inline constexpr policy_parameter path_first{
    "order", "first|last|smaller|larger", "first",
    "which path of a branch runs first: first or last target, fewest or most lanes"};
inline constexpr policy_parameter priority{"priority",
                                           "default|loop-contiguous|rpo|dominance-compact|barrier-aware|exit-distance",
                                           "default", "the priority order; default: what --order says"};
inline constexpr policy_parameter lanes{"lanes", "identity|permuted|free", "identity", "home lanes of threads"};
inline constexpr policy_parameter layout{"pc", "priority|text", "priority",
                                         "blocks lie in memory by priority, or as written"};
inline constexpr policy_parameter selection{"select", "oldest|round-robin|min-pc|max-pc", "oldest",
                                            "which group runs next"};
inline constexpr policy_parameter early_join{"early-join", "no|yes", "no",
                                             "splits at one block on their way to one meeting become one"};
inline constexpr policy_parameter scheduler{"scheduler", "majority|minority|time|pc|pdom", "majority",
                                            "which warp of the pool runs next"};
inline constexpr policy_parameter scope{"scope", "block|core", "block",
                                        "warps are formed of the threads of: a thread block, all of a core"};
inline constexpr policy_parameter pool{
    "pool", "0..1000000", "0", "warps that the pool holds; full: threads wait until a warp issues; 0: no limit"};
inline constexpr policy_parameter table_entries{
    "table", "0..1000000", "0", "entries of the PC-warp table; evicted: no more threads join; 0: no limit"};
inline constexpr policy_parameter threshold{"threshold", "0..100", "10",
                                            "with likely=profile: percent of a branch's threads that may be ignored"};
inline constexpr policy_parameter uniform{
    "uniform", "none|jumps|analysis|profile", "none",
    "branches known to be uniform: none, jumps, those proved to be, those that were so when each lane ran alone"};

inline constexpr policy_parameter pdom_parameters[] = {path_first};
inline constexpr policy_parameter lcp_parameters[] = {
    path_first, {"likely", "none|loops|profile", "loops", "where likely points come from"}, threshold};
inline constexpr policy_parameter predicate_parameters[] = {
    {"empty", "fetch|skip", "skip", "code that no lane needs is fetched, or jumped over"}, uniform};
inline constexpr policy_parameter dual_path_parameters[] = {
    {"turns", "alternating|one-then-other", "alternating", "which path of the top entry runs next"}, path_first};
inline constexpr policy_parameter multi_path_parameters[] = {
    {"schedule", "depth-first|fifo", "depth-first", "which split runs next"},
    early_join,
    {"timeout", "0..1000000000", "0", "executed blocks after which lanes at a meeting go on; 0: never"}};
inline constexpr policy_parameter aware_parameters[] = {
    {"timeout", "1..1000000000", "100", "executed blocks after which lanes at a meeting go on"}, early_join};
inline constexpr policy_parameter tf_parameters[] = {priority};
inline constexpr policy_parameter sandy_parameters[] = {
    priority,
    {"frontier", "fixpoint|algorithm-1|ocelot", "fixpoint", "where lanes may wait: sound, or as the paper, as Ocelot"}};
inline constexpr policy_parameter min_pc_parameters[] = {layout, priority};
inline constexpr policy_parameter volta_parameters[] = {
    selection,
    {"yield", "never|spins|loops", "spins",
     "a group gives way to others at headers of: no loops, loops with atomics or volatile loads, all loops"},
    {"patience", "0..1000000000", "100", "executed blocks that lanes wait at a barrier before others give way"},
    {"yielded", "wait|count", "count", "whether a barrier opens when those it misses have yielded"},
    {"parked", "wait|count", "count",
     "whether one opens when nothing runs and those it misses wait at __syncthreads()"},
    {"registers", "1..1000000", "16", "barriers that can be armed without being moved"},
    layout,
    priority};
inline constexpr policy_parameter subdivision_parameters[] = {
    {"rule", "post-dominator|same-block|both", "both", "when splits become one"}, selection, layout, priority};
inline constexpr policy_parameter dwf_parameters[] = {scheduler, scope, pool, table_entries, lanes, layout, priority};
inline constexpr policy_parameter dwf_barrier_parameters[] = {
    scheduler, scope,   pool, table_entries, lanes, {"arm", "all|top-level", "all", "branches that arm a barrier"},
    layout,    priority};
inline constexpr policy_parameter tbc_parameters[] = {
    lanes,
    {"mode", "always|static|predicted", "always", "pack at branches; wait but keep static warps; pack where it paid"},
    {"likely", "none|loops|profile", "none", "where likely points come from"},
    threshold,
    {"uniform", uniform.values, "analysis", uniform.meaning}};
inline constexpr policy_parameter large_warp_parameters[] = {{"warps", "1..1024", "8", "that share a stack"}, lanes};

inline constexpr std::string_view by_ipdom = "post-dominators";
inline constexpr std::string_view by_order = "priority order";
inline constexpr std::string_view by_loops = "post-dominators, loops";
inline constexpr std::string_view structured = "structured code";
inline constexpr std::string_view micro_2007 = "Fung et al., MICRO 2007";
inline constexpr std::string_view hpca_2011 = "Fung, Aamodt, HPCA 2011";
inline constexpr std::string_view micro_2011 = "Diamos et al., MICRO 2011";

inline constexpr barrier_model whole = barrier_model::whole_warp;

inline constexpr policy_info table[] = {
    {"pdom", "post-dominator stack, first target first", micro_2007, by_ipdom, "pdom", pdom_parameters, "", whole},
    {"pdom-smaller", "post-dominator stack, fewest lanes first", micro_2007, by_ipdom, "pdom", pdom_parameters,
     "order=smaller", whole},
    {"lcp", "post-dominator stack with likely convergence points, from loops", hpca_2011, by_loops, "lcp",
     lcp_parameters, "", whole},
    {"predicate", "mask stack of structured code, skips code without lanes", "Diamos et al., MICRO 2011, 2.1",
     structured, "predicate", predicate_parameters, "", whole},
    {"dual-path", "post-dominator stack, both paths of the top in turns", "Rhu, Erez, HPCA 2013", by_ipdom, "dual-path",
     dual_path_parameters, "", whole},
    {"multi-path", "splits and reconvergence tables", "ElTantawy et al., HPCA 2014", by_ipdom, "multi-path",
     multi_path_parameters, "", whole},
    {"aware", "multi-path, first in first out, time-out after 100 blocks", "ElTantawy, Aamodt, MICRO 2016", by_ipdom,
     "aware", aware_parameters},
    {"tf", "thread frontiers, sorted stack", micro_2011, by_order, "tf", tf_parameters, "", whole},
    {"tf-sandy", "thread frontiers, per-thread PCs and conservative branches", micro_2011,
     "priority order, thread frontiers", "tf-sandy", sandy_parameters, "", whole},
    {"min-pc", "stack-less, deepest call and lowest PC first", "Collange 2011", "layout", "min-pc", min_pc_parameters,
     "", whole},
    {"volta", "convergence barriers at post-dominators, lanes that spin give way", "US patent 10,067,768 B2", by_ipdom,
     "volta", volta_parameters},
    {"subdivision", "dynamic warp subdivision on branches, joins at PC or post-dominator", "Meng et al., ISCA 2010",
     by_ipdom, "subdivision", subdivision_parameters},
    {"dwf-majority", "dynamic warp formation, most frequent PC", micro_2007, "layout", "dwf", dwf_parameters},
    {"dwf-minority", "dynamic warp formation, least frequent PC", micro_2007, "layout", "dwf", dwf_parameters,
     "scheduler=minority"},
    {"dwf-time", "dynamic warp formation, oldest warp", micro_2007, "layout", "dwf", dwf_parameters, "scheduler=time"},
    {"dwf-pc", "dynamic warp formation, lowest PC", micro_2007, "layout", "dwf", dwf_parameters, "scheduler=pc"},
    {"dwf-pdom", "dynamic warp formation, fewest post-dominators passed", micro_2007, by_ipdom, "dwf", dwf_parameters,
     "scheduler=pdom"},
    {"dwf-core", "dynamic warp formation over all of a core, majority", micro_2007, "layout", "dwf", dwf_parameters,
     "scope=core"},
    {"dwf-barrier", "dynamic warp formation with warp barriers, majority", hpca_2011, by_ipdom, "dwf-barrier",
     dwf_barrier_parameters},
    {"dwf-barrier-core", "dynamic warp formation with warp barriers over all of a core", hpca_2011, by_ipdom,
     "dwf-barrier", dwf_barrier_parameters, "scope=core"},
    {"tbc", "thread block compaction", hpca_2011, by_ipdom, "tbc", tbc_parameters},
    {"tbc-lcp", "thread block compaction with likely convergence points", hpca_2011, by_loops, "tbc", tbc_parameters,
     "likely=loops"},
    {"tbc-permuted", "thread block compaction, permuted home lanes", "Rhu, Erez, ISCA 2013", by_ipdom, "tbc",
     tbc_parameters, "lanes=permuted"},
    {"capri", "thread block compaction where it paid last time", "Rhu, Erez, ISCA 2012", by_ipdom, "tbc",
     tbc_parameters, "mode=predicted"},
    {"large-warps", "large warps of 8", "Narasiman et al., MICRO 2011", by_ipdom, "large-warps", large_warp_parameters,
     ""},
    {"none", "groups split and never merge", "GPGPU-Sim", "nothing", "none", {}},
    {"mimd", "every lane for itself, in turns", "GPGPU-Sim", "nothing", "mimd", {}},
    {oracle_policy, "every lane alone, to its end", "the oracle", "nothing", oracle_policy, {}},
};

inline constexpr policy_alias aliases[] = {{"dwf", "dwf-majority"}};

}  // namespace named_policies
}  // namespace detail
}  // namespace v0
}  // namespace simtflow
