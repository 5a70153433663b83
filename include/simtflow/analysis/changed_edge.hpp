// SPDX-License-Identifier: BSL-1.0
//
// A change of a graph, as analyses that follow changes are told of it.
#pragma once

namespace simtflow {
inline namespace v0 {

/// An edge that was put into a graph or taken out of it.
template <class V>
struct changed_edge {
  V from,  ///< its source
      to;  ///< its target; the slot does not matter
};

}  // namespace v0
}  // namespace simtflow
