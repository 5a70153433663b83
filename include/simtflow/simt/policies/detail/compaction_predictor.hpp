// SPDX-License-Identifier: BSL-1.0
//
// The predictor of CAPRI (Rhu, Erez, ISCA 2012): it has one bit for each branch, set at first. Whenever all threads of
// an entry have passed the branch and a warp has diverged, the bit changes: it then says whether packing would have
// saved (or has saved) a warp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/policies/detail/fragment_list.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

template <class Mask>
class compaction_predictor {
 public:
  // Every bit is set. O(num_blocks).
  constexpr void start(std::size_t num_blocks) {
    entries_ = 0;
    while (history_.size() < num_blocks) history_.push_back(passes{});
    for (passes& h : history_) {
      h.compact = true;
      h.entry = 0;
      h.targets.clear();  // so that a copy of the state has nothing left over to copy
    }
  }

  // The next entry runs.
  constexpr void begin_entry() { ++entries_; }

  // The bit of the branch that ends b: true if its warps wait and are packed. \pre b < num_blocks of start().
  [[nodiscard]] constexpr bool compacts(block_id b) const { return history_[b].compact; }
  [[nodiscard]] constexpr std::size_t num_blocks() const { return history_.size(); }

  // A warp of the running entry passes the branch that ends f.block. O(targets), plus O(threads) when all threads of
  // the entry have passed it. \pre f.block < num_blocks().
  template <class Packer>
  constexpr void learn(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out,
                       const Mask& threads_of_entry, Packer& packer) {
    passes& h = history_[f.block];
    if (h.entry != entries_ || (h.seen & f.lanes).any()) {  // another entry, or a thread comes again
      h.entry = entries_;
      h.diverged = false;
      h.fragments = 0;
      h.seen = Mask{};
      h.targets.clear();
    }
    h.seen |= f.lanes;
    h.diverged = h.diverged || out.size() > 1;
    h.fragments += static_cast<std::uint32_t>(out.size());
    for (const auto& o : out) join_fragment(h.targets, o);
    if (!threads_of_entry.is_subset_of(h.seen)) return;
    h.entry = 0;
    if (!h.diverged) return;
    std::uint32_t warps = 0;
    for (const auto& t : h.targets) warps += packer.count(t.lanes);
    h.compact = warps < h.fragments;
  }

  // True if both will answer alike forever, given the same calls. O(num_blocks).
  friend constexpr bool operator==(const compaction_predictor& a, const compaction_predictor& b) {
    if (a.history_.size() != b.history_.size()) return false;
    for (std::size_t i = 0; i < a.history_.size(); ++i) {
      const passes &g = a.history_[i], &h = b.history_[i];
      const bool open = g.entry == a.entries_;  // else only the bit is read again
      if (g.compact != h.compact || open != (h.entry == b.entries_)) return false;
      if (open &&
          (g.diverged != h.diverged || g.fragments != h.fragments || !(g.seen == h.seen) || g.targets != h.targets))
        return false;
    }
    return true;
  }

 private:
  // The predictor's knowledge of a branch, and the threads of one entry that have passed it.
  struct passes {
    bool compact = true, diverged = false;
    std::uint64_t entry = 0;  // 0: none
    std::uint32_t fragments = 0;
    Mask seen{};
    std::vector<basic_fragment<Mask>> targets{};
  };

  std::vector<passes> history_;  // by block
  std::uint64_t entries_ = 0;    // that have run
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
