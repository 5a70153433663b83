// SPDX-License-Identifier: BSL-1.0
//
// The barrier models that executors take, and their names in files and on command lines.
#pragma once

namespace simtflow {
inline namespace v0 {

/// The effect of lanes that reach a barrier; published mechanisms disagree. A barrier without a thread count opens when
/// all live threads of its thread block have arrived. Under a policy of wider scope, "warp" means the threads that
/// would form a warp by their numbers.
enum class barrier_model : unsigned char {
  /// The warp arrives as a whole and is suspended: a fragment that lacks live lanes of its warp is a deadlock. (Thread
  /// frontiers paper, section 4.2.)
  whole_warp,
  /// The warp counts as arrived, and is suspended, once any of its lanes arrives; the other lanes do not matter. If
  /// lanes that were left out arrive next, the barrier is misaligned. The exception is that the whole warp arrives,
  /// including the lanes that were there before. (GPUs before Volta; GPGPU-Sim.) Under a policy of wider scope only the
  /// lanes that arrived are suspended.
  warp_arrival,
  /// Each thread arrives for itself: its lanes are taken from the policy until the barrier opens. Needs a
  /// parking_policy. (Volta and later.)
  thread_arrival,
  /// A fragment that lacks live lanes of its warp is an error of the program. (WGSL, SPIR-V.)
  uniformity_error
};

/// Every model, in the order of their names below.
inline constexpr barrier_model barrier_models[] = {barrier_model::whole_warp, barrier_model::warp_arrival,
                                                   barrier_model::thread_arrival, barrier_model::uniformity_error};

/// The model's name: "whole-warp", "warp-arrival", "thread-arrival", "uniform".
[[nodiscard]] constexpr const char* to_string(barrier_model model) {
  switch (model) {
    case barrier_model::whole_warp:
      return "whole-warp";
    case barrier_model::warp_arrival:
      return "warp-arrival";
    case barrier_model::thread_arrival:
      return "thread-arrival";
    case barrier_model::uniformity_error:
      return "uniform";
  }
  return "";
}

}  // namespace v0
}  // namespace simtflow
