// SPDX-License-Identifier: BSL-1.0
//
// Policies: who runs next. A reconvergence policy manages the lanes of one warp through three functions and never looks
// at instructions:
//
//   start(f)         all live lanes stand at f.block
//   next()           the fragment that runs now; empty when no lane is left that it could run
//   advance(f, out)  f ran; `out` holds its surviving lanes by next block (lanes of f that are missing have ended)
//
// Laws the executor holds every policy to (a breach is the verdict policy_error or lost_threads, never a wrong result):
// next() names lanes that all stand at that block, at least one; as long as a lane is live, next() names some fragment.
// The executor alone knows where lanes stand, so a thread's path is the same under every policy by construction.
#pragma once

#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

/// A type with the three functions above. A policy is copied for every warp, so a copy shares no state that changes.
template <class P>
concept reconvergence_policy = std::copyable<P> &&
    requires(P& p, const basic_fragment<typename P::mask_type>& f,
             std::span<const basic_fragment<typename P::mask_type>> out) {
  p.start(f);
  { p.next() } -> std::same_as<std::optional<basic_fragment<typename P::mask_type>>>;
  p.advance(f, out);
};

/// A policy from which part of a warp can be taken away to wait: park(f) removes lanes that ran and wait at a barrier
/// (instead of advance), release(f) puts lanes back at a block. Needed by barrier_model::thread_arrival only.
template <class P>
concept parking_policy = reconvergence_policy<P> && requires(P& p, const basic_fragment<typename P::mask_type>& f) {
  p.park(f);
  p.release(f);
};

/// A policy that can tell how many entries it holds, the running one included.
template <class P>
concept policy_with_depth = reconvergence_policy<P> && requires(const P& p) {
  { p.depth() } -> std::convertible_to<std::size_t>;
};

/// A policy whose mechanism executes operations of its own (inserted jumps, markers, no-op fetches): overhead() is their
/// number since start(). They are counted apart from the program's instructions.
template <class P>
concept policy_with_overhead = reconvergence_policy<P> && requires(const P& p) {
  { p.overhead() } -> std::convertible_to<std::size_t>;
};

}  // namespace v0
}  // namespace simtflow
