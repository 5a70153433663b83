// SPDX-License-Identifier: BSL-1.0
#include "lab/policies.hpp"

#include "lab/files.hpp"
#include "lab/spelling.hpp"
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
#include <simtflow/simt/policies/predicate_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lab {
namespace {

using namespace simtflow;

// --- parameters: the words of each stand in the order of the enumeration they choose from ---------------------------

constexpr parameter_info path_first{"order", "first|last|smaller|larger", "first",
                                    "which path of a branch runs first: first or last target, fewest or most lanes"};
constexpr parameter_info priority{"priority",
                                  "default|loop-contiguous|rpo|dominance-compact|barrier-aware|exit-distance",
                                  "default", "the priority order; default: what --order says"};
constexpr parameter_info lanes{"lanes", "identity|permuted|free", "identity", "home lanes of threads"};
constexpr parameter_info layout{"pc", "priority|text", "priority", "blocks lie in memory by priority, or as written"};
constexpr parameter_info selection{"select", "oldest|round-robin|min-pc|max-pc", "oldest", "which group runs next"};
constexpr parameter_info early_join{"early-join", "no|yes", "no",
                                    "splits at one block on their way to one meeting become one"};
constexpr parameter_info scheduler{"scheduler", "majority|minority|time|pc|pdom", "majority",
                                   "which warp of the pool runs next"};
constexpr parameter_info threshold{"threshold", "0..100", "10",
                                   "with likely=profile: percent of a branch's threads that may be ignored"};
constexpr parameter_info uniform{
    "uniform", "none|jumps|profile", "none",
    "branches known to be uniform: none, jumps, those that were so when each lane ran alone"};

constexpr parameter_info pdom_parameters[] = {path_first};
constexpr parameter_info lcp_parameters[] = {
    path_first, {"likely", "none|loops|profile", "loops", "where likely points come from"}, threshold};
constexpr parameter_info predicate_parameters[] = {
    {"empty", "fetch|skip", "skip", "code that no lane needs is fetched, or jumped over"}, uniform};
constexpr parameter_info dual_path_parameters[] = {
    {"turns", "alternating|one-then-other", "alternating", "whose turn it is in the top entry"}, path_first};
constexpr parameter_info multi_path_parameters[] = {
    {"schedule", "depth-first|fifo", "depth-first", "which split runs next"},
    early_join,
    {"timeout", "0..1000000000", "0", "executed blocks after which lanes at a meeting go on; 0: never"}};
constexpr parameter_info aware_parameters[] = {
    {"timeout", "1..1000000000", "100", "executed blocks after which lanes at a meeting go on"}, early_join};
constexpr parameter_info tf_parameters[] = {priority};
constexpr parameter_info sandy_parameters[] = {
    priority,
    {"frontier", "fixpoint|algorithm-1|ocelot", "fixpoint", "where lanes may wait: sound, or as the paper, as Ocelot"}};
constexpr parameter_info min_pc_parameters[] = {layout, priority};
constexpr parameter_info volta_parameters[] = {
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
constexpr parameter_info subdivision_parameters[] = {
    {"rule", "post-dominator|same-block|both", "both", "when splits become one"}, selection, layout, priority};
constexpr parameter_info dwf_parameters[] = {scheduler, lanes, layout, priority};
constexpr parameter_info dwf_barrier_parameters[] = {
    scheduler, lanes, {"arm", "all|top-level", "all", "branches that arm a barrier"}, layout, priority};
constexpr parameter_info tbc_parameters[] = {
    lanes,
    {"mode", "always|static|predicted", "always", "pack at branches; wait but keep static warps; pack where it paid"},
    {"likely", "none|loops|profile", "none", "where likely points come from"},
    threshold,
    uniform};
constexpr parameter_info large_warp_parameters[] = {{"warps", "1..1024", "8", "that share a stack"}, lanes};

// --- how each is made -----------------------------------------------------------------------------------------------

// A policy of warps; of masks that are wide enough.
template <template <class> class Policy, class... Arguments>
any_policy of_warps(const schedule& s, const Arguments&... arguments) {
  if (s.warp_width() <= lane_mask::capacity) return warp_policy(Policy<lane_mask>(arguments...));
  return wide_warp_policy(Policy<wide_mask>(arguments...));
}

policies::path_order path_of(const policy_settings& v) { return v.word<policies::path_order>("order"); }

order_choice order_of(const schedule& s, const policy_settings& v) {
  const auto at = v.word<std::size_t>("priority");
  return at == 0 ? s.order() : order_choices()[at - 1];
}

std::span<const std::uint32_t> pc_of(const schedule& s, const policy_settings& v) {
  return v.word<int>("pc") == 0 ? s.ranks(order_of(s, v)) : s.text_ranks();
}

std::span<const block_id> likely_of(const schedule& s, const policy_settings& v) {
  return s.likely(v.word<likely_choice>("likely"), v.number("threshold"));
}

home_lanes lanes_of(const schedule& s, const policy_settings& v) {
  return {s.warp_width(), v.word<lane_rule>("lanes")};
}

template <template <class, policies::warp_scheduler> class Policy, class Make>
any_policy scheduled(const policy_settings& v, Make make) {
  switch (v.word<policies::warp_scheduler>("scheduler")) {
    case policies::warp_scheduler::minority:
      return block_policy(make(std::type_identity<Policy<wide_mask, policies::warp_scheduler::minority>>()));
    case policies::warp_scheduler::time:
      return block_policy(make(std::type_identity<Policy<wide_mask, policies::warp_scheduler::time>>()));
    case policies::warp_scheduler::pc:
      return block_policy(make(std::type_identity<Policy<wide_mask, policies::warp_scheduler::pc>>()));
    case policies::warp_scheduler::post_dominators:
      return block_policy(make(std::type_identity<Policy<wide_mask, policies::warp_scheduler::post_dominators>>()));
    case policies::warp_scheduler::majority:
      break;
  }
  return block_policy(make(std::type_identity<Policy<wide_mask, policies::warp_scheduler::majority>>()));
}

policies::dynamic_warp_options pool_of(const schedule& s, const policy_settings& v) {
  return {lanes_of(s, v), pc_of(s, v), s.reconvergence()};
}

any_policy make_pdom(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_ipdom_stack>(s, s.ipdoms(), path_of(v));
}
any_policy make_lcp(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_likely_convergence_stack>(s, s.ipdoms(), likely_of(s, v), path_of(v));
}
any_policy make_predicate(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_predicate_stack>(
      s, s.code(), policies::predicate_options{v.yes("empty"), s.uniform(v.word<uniform_choice>("uniform"))});
}
any_policy make_dual_path(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_dual_path>(s, s.ipdoms(), v.word<policies::dual_path_turns>("turns"), path_of(v));
}
any_policy make_multi_path(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_multi_path>(s, s.ipdoms(),
                                              policies::multi_path_options{v.word<policies::split_schedule>("schedule"),
                                                                           v.yes("early-join"), v.number("timeout")});
}
any_policy make_aware(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_aware>(s, s.ipdoms(), v.number("timeout"), v.yes("early-join"));
}
any_policy make_tf(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_thread_frontier>(s, s.ranks(order_of(s, v)));
}
any_policy make_sandy(const schedule& s, const policy_settings& v) {
  const order_choice order = order_of(s, v);
  return of_warps<policies::basic_conservative_branch>(
      s, s.layout(order), s.ranks(order), s.conservative(order, v.word<frontier_rule>("frontier")), s.weights());
}
any_policy make_min_pc(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_min_pc>(s, pc_of(s, v), s.depths());
}
any_policy make_volta(const schedule& s, const policy_settings& v) {
  const policies::convergence_options options{v.word<policies::selection_order>("select"), v.yes("yielded"),
                                              static_cast<std::uint32_t>(v.number("registers")),
                                              static_cast<std::uint32_t>(v.number("patience")), v.yes("parked")};
  return of_warps<policies::basic_convergence_barriers>(s, s.barriers(v.word<yield_choice>("yield")), options,
                                                        pc_of(s, v));
}
any_policy make_subdivision(const schedule& s, const policy_settings& v) {
  return of_warps<policies::basic_warp_subdivision>(s, s.ipdoms(), v.word<policies::split_rule>("rule"),
                                                    v.word<policies::selection_order>("select"), pc_of(s, v));
}
any_policy make_dwf(const schedule& s, const policy_settings& v) {
  return scheduled<policies::basic_dynamic_warps>(v, [&]<class P>(std::type_identity<P>) { return P(pool_of(s, v)); });
}
any_policy make_dwf_barrier(const schedule& s, const policy_settings& v) {
  const auto top = v.yes("arm") ? s.top_level() : std::span<const unsigned char>();
  return scheduled<policies::basic_dynamic_warps_barrier>(
      v, [&]<class P>(std::type_identity<P>) { return P(s.ipdoms(), pool_of(s, v), top); });
}
any_policy make_tbc(const schedule& s, const policy_settings& v) {
  return block_policy(policies::basic_thread_block_compaction<wide_mask>(
      s.ipdoms(), policies::compaction_options{lanes_of(s, v), v.word<policies::compaction>("mode"),
                                               s.uniform(v.word<uniform_choice>("uniform")), likely_of(s, v)}));
}
any_policy make_large_warps(const schedule& s, const policy_settings& v) {
  return block_policy(policies::basic_large_warps<wide_mask>(
      s.ipdoms(), policies::large_warp_options{lanes_of(s, v), static_cast<std::uint32_t>(v.number("warps"))}));
}
any_policy make_none(const schedule& s, const policy_settings&) {
  return of_warps<policies::basic_no_reconvergence>(s);
}
any_policy make_mimd(const schedule& s, const policy_settings&) { return of_warps<policies::basic_mimd>(s); }
any_policy make_serial(const schedule& s, const policy_settings&) { return of_warps<policies::basic_lane_serial>(s); }

// --- the table ------------------------------------------------------------------------------------------------------

constexpr std::string_view by_ipdom = "post-dominators";
constexpr std::string_view by_order = "priority order";
constexpr std::string_view by_loops = "post-dominators, loops";
constexpr std::string_view micro_2007 = "Fung et al., MICRO 2007";
constexpr std::string_view hpca_2011 = "Fung, Aamodt, HPCA 2011";
constexpr std::string_view micro_2011 = "Diamos et al., MICRO 2011";

constexpr policy_info table[] = {
    {"pdom", "post-dominator stack, first target first", micro_2007, by_ipdom, false, "pdom", pdom_parameters, "",
     make_pdom},
    {"pdom-smaller", "post-dominator stack, fewest lanes first", micro_2007, by_ipdom, false, "pdom", pdom_parameters,
     "order=smaller", make_pdom},
    {"lcp", "post-dominator stack with likely convergence points, from loops", hpca_2011, by_loops, false, "lcp",
     lcp_parameters, "", make_lcp},
    {"predicate", "mask stack of structured code, skips code without lanes", "Diamos et al., MICRO 2011, 2.1",
     "structured code", false, "predicate", predicate_parameters, "", make_predicate},
    {"dual-path", "post-dominator stack, both paths of the top in turns", "Rhu, Erez, HPCA 2013", by_ipdom, false,
     "dual-path", dual_path_parameters, "", make_dual_path},
    {"multi-path", "splits and reconvergence tables", "ElTantawy et al., HPCA 2014", by_ipdom, false, "multi-path",
     multi_path_parameters, "", make_multi_path},
    {"aware", "multi-path, first in first out, time-out after 100 blocks", "ElTantawy, Aamodt, MICRO 2016", by_ipdom,
     true, "aware", aware_parameters, "", make_aware},
    {"tf", "thread frontiers, sorted stack", micro_2011, by_order, false, "tf", tf_parameters, "", make_tf},
    {"tf-sandy", "thread frontiers, per-thread PCs and conservative branches", micro_2011,
     "priority order, thread frontiers", false, "tf-sandy", sandy_parameters, "", make_sandy},
    {"min-pc", "stack-less, deepest call and lowest PC first", "Collange 2011", "layout", false, "min-pc",
     min_pc_parameters, "", make_min_pc},
    {"volta", "convergence barriers at post-dominators, lanes that spin give way", "US patent 10,067,768 B2", by_ipdom,
     true, "volta", volta_parameters, "", make_volta},
    {"subdivision", "dynamic warp subdivision on branches, joins at PC or post-dominator", "Meng et al., ISCA 2010",
     by_ipdom, true, "subdivision", subdivision_parameters, "", make_subdivision},
    {"dwf-majority", "dynamic warp formation, most frequent PC", micro_2007, "layout", true, "dwf", dwf_parameters, "",
     make_dwf},
    {"dwf-minority", "dynamic warp formation, least frequent PC", micro_2007, "layout", true, "dwf", dwf_parameters,
     "scheduler=minority", make_dwf},
    {"dwf-time", "dynamic warp formation, oldest warp", micro_2007, "layout", true, "dwf", dwf_parameters,
     "scheduler=time", make_dwf},
    {"dwf-pc", "dynamic warp formation, lowest PC", micro_2007, "layout", true, "dwf", dwf_parameters, "scheduler=pc",
     make_dwf},
    {"dwf-pdom", "dynamic warp formation, fewest post-dominators passed", micro_2007, by_ipdom, true, "dwf",
     dwf_parameters, "scheduler=pdom", make_dwf},
    {"dwf-barrier", "dynamic warp formation with warp barriers, majority", hpca_2011, by_ipdom, true, "dwf-barrier",
     dwf_barrier_parameters, "", make_dwf_barrier},
    {"tbc", "thread block compaction", hpca_2011, by_ipdom, true, "tbc", tbc_parameters, "", make_tbc},
    {"tbc-lcp", "thread block compaction with likely convergence points", hpca_2011, by_loops, true, "tbc",
     tbc_parameters, "likely=loops", make_tbc},
    {"tbc-permuted", "thread block compaction, permuted home lanes", "Rhu, Erez, ISCA 2013", by_ipdom, true, "tbc",
     tbc_parameters, "lanes=permuted", make_tbc},
    {"capri", "thread block compaction where it paid last time", "Rhu, Erez, ISCA 2012", by_ipdom, true, "tbc",
     tbc_parameters, "mode=predicted", make_tbc},
    {"large-warps", "large warps of 8", "Narasiman et al., MICRO 2011", by_ipdom, true, "large-warps",
     large_warp_parameters, "", make_large_warps},
    {"none", "groups split and never merge", "GPGPU-Sim", "nothing", true, "none", {}, "", make_none},
    {"mimd", "every lane for itself, in turns", "GPGPU-Sim", "nothing", true, "mimd", {}, "", make_mimd},
    {oracle_name, "every lane alone, to its end", "the oracle", "nothing", true, oracle_name, {}, "", make_serial},
};

// Names that the table does not list.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {{"dwf", "dwf-majority"}};

std::vector<std::string_view> pieces_of(std::string_view text, char between) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

// Sets what "a=x,b=y" says.
void apply(policy_settings& settings, std::string_view text) {
  std::vector<std::string_view> seen;
  for (const std::string_view piece : pieces_of(text, ',')) {
    const std::size_t equals = piece.find('=');
    const std::string_view name = piece.substr(0, equals);
    if (equals == std::string_view::npos)
      throw input_error(fmt::format("\"{}\" is not of the form PARAMETER=VALUE", piece));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw input_error(fmt::format("parameter \"{}\" stands twice", name));
    seen.push_back(name);
    settings.set(name, piece.substr(equals + 1));
  }
}

std::string_view promise(progress_class p) {
  return p == progress_class::fair ? "fair" : p == progress_class::lockstep_safe ? "lockstep-safe" : "none";
}

}  // namespace

policy_settings::policy_settings(std::span<const parameter_info> parameters) : parameters_(parameters) {
  for (const parameter_info& p : parameters) values_.emplace_back(p.normal);
}

std::size_t policy_settings::index(std::string_view parameter) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == parameter) return i;
    names.emplace_back(parameters_[i].name);
  }
  throw input_error(names.empty() ? fmt::format("it has no parameters, so no \"{}\"", parameter)
                                  : fmt::format("it has no parameter \"{}\"{}; there are {}", parameter,
                                                did_you_mean(parameter, names), fmt::join(names, ", ")));
}

void policy_settings::set(std::string_view parameter, std::string_view value) {
  const std::size_t i = index(parameter);
  const std::string_view values = parameters_[i].values;
  if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
    const auto low = whole_number(values.substr(0, dots)), high = whole_number(values.substr(dots + 2));
    const auto given = whole_number(value);
    if (!given || *given < *low || *given > *high)
      throw input_error(fmt::format("{} is a whole number from {} to {}, not \"{}\"", parameter, *low, *high, value));
    values_[i] = fmt::format("{}", *given);
    return;
  }
  const auto words = pieces_of(values, '|');
  if (std::find(words.begin(), words.end(), value) == words.end())
    throw input_error(fmt::format("{} is one of {}, not \"{}\"", parameter, fmt::join(words, ", "), value));
  values_[i] = value;
}

std::size_t policy_settings::place(std::string_view parameter) const {
  const std::size_t i = index(parameter);
  const auto words = pieces_of(parameters_[i].values, '|');
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), values_[i]) - words.begin());
}

std::uint64_t policy_settings::number(std::string_view parameter) const {
  return whole_number(values_[index(parameter)]).value_or(0);
}

std::string policy_settings::text() const {
  std::string all;
  for (std::size_t i = 0; i < values_.size(); ++i)
    all += fmt::format("{}{}={}", i == 0 ? "" : ",", parameters_[i].name, values_[i]);
  return all;
}

std::span<const policy_info> policies() { return table; }

chosen_policy parse_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  for (const auto& [alias, real] : aliases)
    if (name == alias) name = real;
  const auto info = std::find_if(std::begin(table), std::end(table), [&](const auto& p) { return p.name == name; });
  if (info == std::end(table)) {
    if (name == "all")
      throw input_error(fmt::format("--policy {}: \"all\" stands for several policies and takes no parameters", text));
    std::vector<std::string> names;
    for (const policy_info& p : table) names.emplace_back(p.name);
    throw input_error(fmt::format("--policy {}: there is no policy \"{}\"{}; there are {}", text, name,
                                  did_you_mean(name, names), fmt::join(names, ", ")));
  }
  chosen_policy chosen{info, std::string(text), policy_settings(info->parameters)};
  try {
    if (!info->preset.empty()) apply(chosen.settings, info->preset);
    if (colon != std::string_view::npos) apply(chosen.settings, text.substr(colon + 1));
  } catch (const input_error& e) {
    throw input_error(fmt::format("--policy {}: {}", text, e.what()));
  }
  return chosen;
}

std::vector<chosen_policy> chosen_policies(std::span<const std::string> texts) {
  std::vector<std::string> asked;
  for (const std::string& text : texts)
    for (const std::string_view piece : pieces_of(text, ',')) {
      const bool goes_on = piece.find('=') != std::string_view::npos && piece.find(':') == std::string_view::npos;
      if (goes_on && !asked.empty() && asked.back().find(':') != std::string::npos)
        asked.back() += fmt::format(",{}", piece);
      else
        asked.emplace_back(piece);
    }
  if (asked.empty()) asked = {"pdom", "tf", "volta", std::string(oracle_name)};
  std::vector<chosen_policy> chosen;
  const auto add = [&](std::string_view text) {
    chosen_policy c = parse_policy(text);
    if (std::none_of(chosen.begin(), chosen.end(), [&](const auto& other) { return other.name == c.name; }))
      chosen.push_back(std::move(c));
  };
  for (const std::string& text : asked) {
    if (text != "all")
      add(text);
    else
      for (const policy_info& p : table) add(p.name);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.info < b.info; });
  return chosen;
}

any_policy make_policy(const chosen_policy& chosen, const schedule& s) { return chosen.info->make(s, chosen.settings); }

policy_scope scope_managed(const chosen_policy& chosen) {
  return std::visit([](const auto& policy) { return std::remove_cvref_t<decltype(policy)>::scope; },
                    make_policy(chosen, {}));
}

bool may_need_other_order(const chosen_policy& chosen, const schedule& s, barrier_model barriers) {
  if (s.order() != order_choice::loop_contiguous || barriers != barrier_model::whole_warp) return false;
  for (const parameter_info& p : chosen.info->parameters)
    if (p.name == priority.name) return chosen.settings.word<std::size_t>(p.name) == 0 && s.may_split_at_barriers();
  return false;
}

std::string not_applicable(const chosen_policy& chosen, const schedule& s, std::size_t threads,
                           std::optional<barrier_model> barriers) {
  if (chosen.info->family == "predicate" && s.code().empty()) return "needs structured code";
  if (threads > wide_mask::capacity && scope_managed(chosen) == policy_scope::block)
    return fmt::format("manages at most {} threads", wide_mask::capacity);
  if (barriers == barrier_model::thread_arrival &&
      !std::visit([](const auto& policy) { return policy.parks(); }, make_policy(chosen, {})))
    return "its lanes cannot wait one by one";
  return {};
}

std::string policy_list() {
  const schedule nothing;
  std::string text = fmt::format("{:<13} {:<6} {:<13} {:<70} {:<31} {}\n", "policy", "scope", "progress", "mechanism",
                                 "from", "needs");
  for (const policy_info& p : policies()) {
    const chosen_policy chosen = parse_policy(p.name);
    const bool warps = scope_managed(chosen) == policy_scope::warp;
    text += fmt::format(
        "{:<13} {:<6} {:<13} {:<70} {:<31} {}\n", p.name, warps ? "warp" : "block",
        std::visit([&](const auto& policy) { return promise(policy.promises()); }, make_policy(chosen, nothing)),
        p.what, p.paper, p.needs);
  }
  for (const auto& [alias, real] : aliases) text += fmt::format("{:<13} is {}\n", alias, real);
  text += fmt::format("\n{:<12} {:<74} {}\n", "parameter", "values, * the default", "of NAME:PARAMETER=VALUE,...");
  std::string_view family;
  for (const policy_info& p : policies()) {
    if (p.family == family || p.parameters.empty()) continue;
    family = p.family;
    std::string heading;
    for (const policy_info& member : policies())
      if (member.family == family)
        heading += fmt::format("{}{}{}{}", heading.empty() ? "" : ", ", member.name, member.preset.empty() ? "" : ":",
                               member.preset);
    text += heading + '\n';
    for (const parameter_info& q : p.parameters) {
      std::string values(q.values);
      if (const std::size_t at = values.find(q.normal); q.values.find('|') != std::string_view::npos)
        values.insert(at, "*");
      else
        values += fmt::format(" *{}", q.normal);
      text += fmt::format("  {:<10} {:<74} {}\n", q.name, values, q.meaning);
    }
  }
  return text;
}

}  // namespace lab
