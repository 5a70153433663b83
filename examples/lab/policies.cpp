// SPDX-License-Identifier: BSL-1.0
#include "lab/policies.hpp"

#include "lab/files.hpp"
#include "lab/policy_box.hpp"
#include <simtflow/simt/policy_factory.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace lab {
namespace {

using namespace simtflow;

std::vector<std::string_view> pieces_of(std::string_view text, char between) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

std::string promise(progress_class p) {
  return p == progress_class::fair ? "fair" : p == progress_class::lockstep_safe ? "lockstep-safe" : "none";
}

// Whether the policy takes the order of the schedule: it has the parameter, and it says "default".
bool takes_default_order(const chosen_policy& chosen) {
  return std::any_of(chosen.info->parameters.begin(), chosen.info->parameters.end(), [&](const policy_parameter& p) {
    return p.name == "priority" && chosen.settings.word<std::size_t>(p.name) == 0;
  });
}

}  // namespace

std::vector<const policy_info*> all_policies() {
  std::vector<const policy_info*> all;
  for (const policy_info& p : known_policies()) all.push_back(&p);
  const std::vector<const policy_info*> own = registered_policies();
  all.insert(all.end() - 1, own.begin(), own.end());
  return all;
}

chosen_policy parse_policy(std::string_view text) {
  if (text.substr(0, text.find(':')) == "all")
    throw input_error(fmt::format("--policy {}: \"all\" stands for several policies and takes no parameters", text));
  result<policy_choice> choice = choose_policy(text);
  if (!choice) throw input_error(fmt::format("--policy {}: {}", text, choice.diagnostics()[0].message));
  return {*std::move(choice)};
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
  if (asked.empty()) {
    asked = {"pdom", "tf", "volta", std::string(oracle_name)};
    for (const policy_info* own : registered_policies()) asked.emplace_back(own->name);
  }
  const std::vector<const policy_info*> order = all_policies();
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
      for (const policy_info* p : order) add(p->name);
  }
  const auto place = [&](const chosen_policy& c) { return std::find(order.begin(), order.end(), c.info); };
  std::stable_sort(chosen.begin(), chosen.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return chosen;
}

policy_abilities abilities_of(const chosen_policy& chosen) {
  if (chosen.planted != nullptr) return chosen.planted().abilities();
  return simtflow::abilities_of(static_cast<const policy_choice&>(chosen));
}

any_watched_policy make_policy(const chosen_policy& chosen, const schedule& s) {
  if (chosen.planted != nullptr) return watched_policy<lane_mask>(chosen.planted());
  if (scope_managed(chosen) == policy_scope::warp && s.warp_width() <= lane_mask::capacity)
    return watched_policy<lane_mask>(boxed_policy<lane_mask>(chosen, s, s.warp_width()));
  return watched_policy<wide_mask>(boxed_policy<wide_mask>(chosen, s, s.warp_width()));
}

result<any_policy> box_policy(const chosen_policy& chosen, const policy_facts& facts, const launch& shape) {
  return simtflow::make_policy(static_cast<const policy_choice&>(chosen), facts, shape);
}

bool may_need_other_order(const chosen_policy& chosen, const schedule& s, barrier_model barriers) {
  return s.order() == priority_rule::loop_contiguous && barriers == barrier_model::whole_warp &&
         takes_default_order(chosen) && s.may_split_at_barriers();
}

std::string not_applicable(const chosen_policy& chosen, const schedule& s, std::size_t threads,
                           std::optional<barrier_model> barriers) {
  if (chosen.planted != nullptr) return {};
  const launch shape{.threads = static_cast<std::uint32_t>(threads),
                     .warp_width = s.warp_width(),
                     .barriers = barriers.value_or(barrier_model::whole_warp)};
  return why_not(chosen, s, shape, wide_mask::capacity);
}

std::string policy_list() {
  std::string text = fmt::format("{:<16} {:<6} {:<13} {:<70} {:<31} {}\n", "policy", "scope", "progress", "mechanism",
                                 "from", "needs");
  const std::vector<const policy_info*> all = all_policies();
  for (const policy_info* one : all) {
    const policy_info& p = *one;
    const chosen_policy chosen = parse_policy(p.name);
    const policy_abilities can = abilities_of(chosen);
    text += fmt::format("{:<16} {:<6} {:<13} {:<70} {:<31} {}\n", p.name, to_string(can.scope), promise(can.progress),
                        p.what, p.paper, p.needs);
  }
  for (const auto& [alias, real] : policy_aliases()) text += fmt::format("{:<16} is {}\n", alias, real);
  text += fmt::format("\n{:<12} {:<74} {}\n", "parameter", "values, * the default", "of NAME:PARAMETER=VALUE,...");
  std::string_view family;
  for (const policy_info* one : all) {
    const policy_info& p = *one;
    if (p.family == family || p.parameters.empty()) continue;
    family = p.family;
    std::string heading;
    for (const policy_info* member : all)
      if (member->family == family)
        heading += fmt::format("{}{}{}{}", heading.empty() ? "" : ", ", member->name, member->preset.empty() ? "" : ":",
                               member->preset);
    text += heading + '\n';
    for (const policy_parameter& q : p.parameters) {
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

std::vector<table_row> policy_rows() {
  std::vector<table_row> rows;
  for (const policy_info* one : all_policies()) {
    const policy_info& p = *one;
    const chosen_policy chosen = parse_policy(p.name);
    const policy_abilities can = abilities_of(chosen);
    std::string aliases, values;
    for (const auto& [alias, real] : policy_aliases())
      if (real == p.name) aliases += (aliases.empty() ? "" : ",") + std::string(alias);
    for (const policy_parameter& q : p.parameters)
      values += fmt::format("{}{}={}", values.empty() ? "" : ";", q.name, q.values);
    rows.push_back(table_row()
                       .word("policy", p.name)
                       .word("aliases", aliases)
                       .word("family", p.family)
                       .word("scope", to_string(can.scope))
                       .word("progress", promise(can.progress))
                       .word("mechanism", p.what)
                       .word("from", p.paper)
                       .word("needs", p.needs)
                       .word("parameters", chosen.settings.text())
                       .word("values", values));
  }
  return rows;
}

}  // namespace lab
