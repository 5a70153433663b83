// SPDX-License-Identifier: BSL-1.0
//
// The end of a run: how it ended, and for every live thread where it stood and why. `describe` (io/describe.hpp) turns
// it into words.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The ways a run can end.
enum class outcome : unsigned char {
  finished,          ///< every thread ran to its end
  barrier_deadlock,  ///< threads wait at barriers that can never open: for lanes of their own warp that do not come
                     ///< (barrier_model::whole_warp), for threads at other barriers, or for threads that have ended; or
                     ///< at collectives of their warp to which lanes never come
  barrier_misaligned,  ///< lanes come to a barrier that their warp passed without them (barrier_model::warp_arrival)
  barrier_misuse,      ///< a barrier in divergent flow (barrier_model::uniformity_error), or wrong thread counts: two
                       ///< counts that disagree, more threads than the count, an arrival without a count
  nothing_runnable,  ///< every live thread waits, and the policy holds some of them that are at no barrier (blocked())
  livelock,          ///< proven: the whole state of the run has come back, so it repeats forever
  lost_threads,      ///< the policy offers no fragment although lanes are live and do not wait
  policy_error,      ///< the policy named lanes that do not stand at the block it named, no lane at all, or too many
  step_limit,        ///< the limit on executed blocks was reached
  fault              ///< the program stopped the run; it can say why
};

/// The outcome's name in words, "barrier deadlock" for instance.
[[nodiscard]] constexpr const char* to_string(outcome how) {
  switch (how) {
    case outcome::finished:
      return "finished";
    case outcome::barrier_deadlock:
      return "barrier deadlock";
    case outcome::barrier_misaligned:
      return "barrier misaligned";
    case outcome::barrier_misuse:
      return "barrier misuse";
    case outcome::nothing_runnable:
      return "nothing runnable";
    case outcome::livelock:
      return "livelock";
    case outcome::lost_threads:
      return "lost threads";
    case outcome::policy_error:
      return "policy error";
    case outcome::step_limit:
      return "step limit reached";
    case outcome::fault:
      return "fault";
  }
  return "";
}

/// The reason why lanes do not go on.
enum class standing_reason : unsigned char {
  ready,          ///< could run the block, but the policy does not select it
  at_barrier,     ///< ran the block and waits at the barrier that ends it
  faulted,        ///< executed the block in which the program stopped
  at_collective,  ///< ran a part of the block and waits inside it for lanes of its warp (program_with_collectives)
  blocked,        ///< the policy holds it until other lanes have moved
  spinning        ///< runs in the cycle of a livelock, again and again; lanes that are `ready` then never run
};

/// "ready", "at barrier", "faulted", "at collective", "blocked", "spinning".
[[nodiscard]] constexpr const char* to_string(standing_reason reason) {
  switch (reason) {
    case standing_reason::ready:
      return "ready";
    case standing_reason::at_barrier:
      return "at barrier";
    case standing_reason::faulted:
      return "faulted";
    case standing_reason::at_collective:
      return "at collective";
    case standing_reason::blocked:
      return "blocked";
    case standing_reason::spinning:
      return "spinning";
  }
  return "";
}

/// Lanes of one warp (of one instance of the policy, if its scope is wider) that stand together.
template <class Mask>
struct basic_standing {
  std::uint32_t warp = 0;                           ///< number of the warp (of the instance)
  block_id block = no_block;                        ///< where they stand
  Mask lanes{};                                     ///< the lanes that stand there
  standing_reason reason = standing_reason::ready;  ///< why they do not go on
  std::uint32_t barrier = 0;                        ///< the barrier's number, if at_barrier
};

/// The result of a run.
template <class Mask>
struct basic_verdict {
  outcome how = outcome::finished;             ///< how the run ended
  std::uint64_t steps = 0;                     ///< blocks executed, over all warps
  std::vector<basic_standing<Mask>> standing;  ///< every live thread, when the run did not finish
  std::uint64_t period = 0;                    ///< blocks after which the state comes back, if livelock
  policy_scope scope = policy_scope::warp;     ///< what an instance of the policy managed; `standing` holds its lanes

  /// True if every thread ran to its end.
  [[nodiscard]] constexpr bool finished() const { return how == outcome::finished; }
};

/// The verdict on warps of up to 64 lanes.
using verdict = basic_verdict<lane_mask>;

}  // namespace v0
}  // namespace simtflow
