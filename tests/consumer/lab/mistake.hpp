// SPDX-License-Identifier: BSL-1.0
//
// A policy with a mistake: it has room for two groups, and forgets the lanes for which there is no room. Many kernels
// never notice.
#pragma once

#include <lab/lab.hpp>

#include <optional>
#include <span>
#include <vector>

class two_groups {
 public:
  using mask_type = simtflow::lane_mask;
  void start(const simtflow::fragment& f) { groups_.assign(1, f); }
  std::optional<simtflow::fragment> next() {
    if (groups_.empty()) return std::nullopt;
    const simtflow::fragment f = groups_.back();
    groups_.pop_back();
    return f;
  }
  void advance(const simtflow::fragment&, std::span<const simtflow::fragment> out) {
    for (const simtflow::fragment& f : out) add(f);
  }

 private:
  void add(const simtflow::fragment& f) {
    for (simtflow::fragment& g : groups_)
      if (g.block == f.block) return void(g.lanes |= f.lanes);
    if (groups_.size() < 2) groups_.push_back(f);
  }
  std::vector<simtflow::fragment> groups_;
};

inline const bool has_mistake = lab::register_policy<two_groups>("two-groups");
