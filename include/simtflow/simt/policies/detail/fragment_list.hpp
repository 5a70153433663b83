// SPDX-License-Identifier: BSL-1.0
//
// Fragments by block: threads that come to a block join the threads that are there.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/policy.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

// Adds the threads of f to the fragment at their block, or as a new fragment. O(fragments).
template <class Mask>
constexpr void join_fragment(std::vector<basic_fragment<Mask>>& all, const basic_fragment<Mask>& f) {
  for (auto& known : all)
    if (known.block == f.block) {
      known.lanes |= f.lanes;
      return;
    }
  all.push_back(f);
}

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
