// SPDX-License-Identifier: BSL-1.0
//
// The paths of one warp that has diverged by itself: it takes them one after the other, up to where they reconverge.
// A warp with one path has not diverged.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

template <class Mask>
class warp_paths {
 public:
  struct path {
    block_id block, reconvergence;
    Mask threads;
    friend constexpr bool operator==(const path&, const path&) = default;
  };

  // One path.
  constexpr void start(block_id block, const Mask& threads) { path_.assign(1, {block, no_block, threads}); }

  [[nodiscard]] constexpr bool empty() const { return path_.empty(); }
  [[nodiscard]] constexpr bool diverged() const { return path_.size() > 1; }
  // The path that runs. \pre !empty()
  [[nodiscard]] constexpr const path& top() const { return path_.back(); }

  // Threads end. O(paths).
  constexpr void remove(const Mask& ended) {
    for (path& p : path_) p.threads -= ended;
  }
  // The running path goes on at a block.
  constexpr void go_to(block_id block) { path_.back().block = block; }

  // The running path becomes the path that waits at `meet`, with the targets above it. Targets without a reconvergence
  // point of their own (returns have no such point) go as far as the path did, or to the end of the warp's entry.
  constexpr void diverge(std::span<const basic_fragment<Mask>> out, block_id meet, block_id end_of_entry) {
    const block_id outer = diverged() ? path_.back().reconvergence : end_of_entry;
    if (meet == no_block) meet = outer;
    if (meet == outer && diverged()) {
      path_.pop_back();  // the path below waits there already
    } else {
      path_.back().block = meet;
    }
    for (std::size_t i = out.size(); i-- > 0;) path_.push_back({out[i].block, meet, out[i].lanes});
  }

  // Drops paths that have come to the block where the path below waits, and paths without live threads. O(paths).
  constexpr void drop_finished() {
    while (!path_.empty() &&
           (path_.back().threads.none() || (path_.size() > 1 && path_.back().block == path_.back().reconvergence)))
      path_.pop_back();
  }

  friend constexpr bool operator==(const warp_paths&, const warp_paths&) = default;

 private:
  std::vector<path> path_;  // the running path last
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
