// SPDX-License-Identifier: BSL-1.0
//
// An observer that takes a profile of a run (ptx/text/warp_profile.hpp): for each instruction the visits of warps, and
// how often its guard differed between the lanes. It works under every policy. Melding wants the profile of a run under
// the stack of post-dominators.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Counts visits over any number of thread blocks, one after the other. An event costs O(1); an issued block costs
/// O(groups of the warp that stand apart).
class warp_profiler {
 public:
  /// Nothing is counted yet. \param k the kernel that runs; it must outlive the observer
  explicit warp_profiler(const decoded_kernel& k)
      : kernel_(&k),
        fetches_(k.blocks.size(), 0),
        lanes_in_(k.blocks.size(), 0),
        diverged_(k.positions.size(), 0),
        failed_(k.positions.size(), 0),
        negated_(k.positions.size(), 0) {
    for (const decoded_op& op : k.ops)
      if (op.guard.negated) negated_[op.instruction] = 1;
    for (const decoded_block& b : k.blocks)
      if (b.weight != 0 && b.guard.negated) negated_[b.last_instruction] = 1;
  }

  /// The profile: every instruction of the kernel and of the functions that it calls. O(instructions)
  [[nodiscard]] warp_profile profile() const {
    warp_profile out;
    for (block_id b = 0; b < kernel_->blocks.size(); ++b) {
      const decoded_block& block = kernel_->blocks[b];
      for (std::uint32_t k = 0; k < block.weight; ++k) {
        const std::uint32_t i = first_of(block) + k;
        const auto visits = static_cast<double>(fetches_[b]), parted = static_cast<double>(diverged_[i]),
                   failed = static_cast<double>(failed_[i]);
        out.set(kernel_->positions[i], {visits, parted, negated_[i] != 0 ? failed : visits - parted - failed,
                                        static_cast<double>(lanes_in_[b])});
      }
    }
    return out;
  }

  /// A thread block starts.
  void operator()(const event::started&) { waiting_.clear(); }
  /// Counts a visit to each instruction of the block, and finds the way that the lanes' last branch has led them.
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    ++fetches_[e.block];
    lanes_in_[e.block] += e.lanes.count();
    lanes_ = widened(e.lanes);
    for (std::size_t k = 0; k < waiting_.size();) {
      if (waiting_[k].warp != e.warp || (waiting_[k].lanes & lanes_).none()) {
        ++k;
        continue;
      }
      const decoded_block& from = kernel_->blocks[waiting_[k].branch];
      if (e.block != from.target) ++failed_[from.last_instruction];
      waiting_[k] = waiting_.back();
      waiting_.pop_back();
    }
    const decoded_block& block = kernel_->blocks[e.block];
    if (block.weight != 0 && block.end == block_exit::branch && block.guard.index != no_index &&
        block.target != block.next)
      waiting_.push_back({e.warp, e.block, lanes_});
  }
  /// Counts a guard that is false for some lanes or for all of them.
  template <class Mask>
  void operator()(const event::predicated_off<Mask>& e) {
    const decoded_block& block = kernel_->blocks[e.block];
    const std::uint32_t i = first_of(block) + e.instruction;
    ++((lanes_ - widened(e.lanes)).none() ? failed_ : diverged_)[i];
  }
  /// Counts a branch at which the lanes diverge.
  template <class Mask>
  void operator()(const event::diverged<Mask>& e) {
    const decoded_block& block = kernel_->blocks[e.block];
    if (block.weight != 0) ++diverged_[block.last_instruction];
    for (std::size_t k = waiting_.size(); k-- > 0;) {
      if (waiting_[k].warp != e.warp || waiting_[k].branch != e.block) continue;
      if ((waiting_[k].lanes & widened(e.lanes)).none()) continue;
      waiting_[k] = waiting_.back();
      waiting_.pop_back();
    }
  }

 private:
  using lanes = basic_mask<16>;  // as wide as any warp
  template <class Mask>
  static lanes widened(const Mask& m) {
    lanes out;
    for (std::size_t i = 0; i < Mask::capacity / 64; ++i) out.add_word(i, m.word(i));
    return out;
  }

  // A branch after which its lanes have not run yet.
  struct taken {
    std::uint32_t warp;
    block_id branch;
    warp_profiler::lanes lanes;
  };

  static std::uint32_t first_of(const decoded_block& b) { return b.last_instruction + 1 - b.weight; }

  const decoded_kernel* kernel_;
  std::vector<std::uint64_t> fetches_;   // by block
  std::vector<std::uint64_t> lanes_in_;  // by block: lanes of its fetches
  std::vector<std::uint64_t> diverged_;  // by instruction
  std::vector<std::uint64_t> failed_;    // by instruction: the guard held in no lane
  std::vector<unsigned char> negated_;   // by instruction: its guard is negated
  std::vector<taken> waiting_;
  lanes lanes_;  // of the block that was issued last
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
