// SPDX-License-Identifier: BSL-1.0
//
// The block-wide stack of thread block compaction: entries of threads, and the arrivals of the warps of the top entry.
// When the last warp has arrived, the top entry goes on, ends, or becomes the entry that waits for its paths.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/policies/detail/fragment_list.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

// An Entry has the members block, reconvergence, likely, likely_at and threads (basic_thread_block_compaction::entry).
template <class Entry, class Mask>
class compaction_stack {
 public:
  // By block: post-dominators, and likely convergence points (compaction_options::likely).
  constexpr compaction_stack(std::span<const block_id> ipdom, std::span<const block_id> likely)
      : ipdom_(ipdom), likely_(likely) {}

  constexpr void start(const basic_fragment<Mask>& f) {
    stack_.assign(1, {f.block, no_block, no_block, 0, f.lanes});
    forget_arrivals();
  }

  [[nodiscard]] constexpr bool empty() const { return stack_.empty(); }
  [[nodiscard]] constexpr const Entry& top() const { return stack_.back(); }
  // Bottom first.
  [[nodiscard]] constexpr const std::vector<Entry>& entries() const { return stack_; }
  // True if the top entry has threads and nowhere to go on: a wrong table.
  [[nodiscard]] constexpr bool is_stuck() const { return top().block == no_block && top().threads.any(); }
  // True if the top entry ends at b. \pre !empty()
  [[nodiscard]] constexpr bool top_ends_at(block_id b) const { return ends_at(top(), b); }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return ipdom_.size(); }
  [[nodiscard]] constexpr block_id ipdom(block_id b) const {
    SIMTFLOW_EXPECTS(b < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    return ipdom_[b];
  }

  // Threads end. O(entries).
  constexpr void remove(const Mask& ended) {
    for (Entry& e : stack_) e.threads -= ended;
  }

  // Threads of the top entry leave the block `from` and wait at another one. O(arrivals).
  constexpr void arrive(block_id from, const basic_fragment<Mask>& to) {
    if (arrived_from_ == no_block) arrived_from_ = from;
    if (arrived_from_ != from) mixed_ = true;
    join_fragment(arrivals_, to);
  }

  // All warps of the top entry have arrived: the entry goes on, ends, or becomes the entry that waits for its paths.
  constexpr void resolve() {
    const Entry old = stack_.back();
    const bool divergent = arrivals_.size() > 1;
    Mask done;  // threads that have come to where the entry ends
    std::size_t kept = 0;
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      const basic_fragment<Mask> a = arrivals_[i];
      if (ends_at(old, a.block)) {
        done |= a.lanes;
        if (a.block != old.reconvergence) stack_[old.likely_at].threads |= a.lanes;
      } else {
        arrivals_[kept++] = a;
      }
    }
    while (arrivals_.size() > kept) arrivals_.pop_back();

    if (kept == 0) {
      stack_.pop_back();
    } else if (!divergent) {
      stack_.back().block = arrivals_[0].block;
    } else {
      const block_id meet = mixed_ ? old.reconvergence : ipdom(arrived_from_);
      Entry child{no_block, meet, no_block, 0, Mask{}};
      if (meet == old.reconvergence) {
        stack_.pop_back();  // the entry below waits there already
        child.likely = old.likely;
        child.likely_at = old.likely_at;
      } else {
        stack_.back().block = meet;
        stack_.back().threads -= done;
      }
      const block_id likely = !mixed_ && arrived_from_ < likely_.size() ? likely_[arrived_from_] : no_block;
      if (likely != no_block && likely != meet && likely != child.likely) {
        child.block = likely;
        stack_.push_back(child);  // empty as yet, and popped without running if nobody comes
        child.likely = likely;
        child.likely_at = stack_.size() - 1;
      }
      for (std::size_t i = kept; i-- > 0;) {  // the first path ends up on top and runs first
        child.block = arrivals_[i].block;
        child.threads = arrivals_[i].lanes;
        if (child.block == child.likely)
          stack_[child.likely_at].threads |= child.threads;
        else if (child.block != meet)
          stack_.push_back(child);
      }
    }
    forget_arrivals();
  }

  // Drops entries without threads and entries that already are where they end. The entry that runs next is then on top.
  // Returns false if it has nowhere to go on.
  constexpr bool drop_finished() {
    for (; !stack_.empty(); stack_.pop_back()) {
      const Entry& top = stack_.back();
      if (top.threads.none()) continue;
      if (top.block == no_block) return false;
      if (top.block == top.reconvergence) continue;
      if (top.block != top.likely) break;
      stack_[top.likely_at].threads |= top.threads;
    }
    return true;
  }

  // The same entries and arrivals. O(entries).
  friend constexpr bool operator==(const compaction_stack& a, const compaction_stack& b) {
    return a.stack_ == b.stack_ && a.arrivals_ == b.arrivals_ && a.arrived_from_ == b.arrived_from_ &&
           a.mixed_ == b.mixed_;
  }

 private:
  static constexpr bool ends_at(const Entry& e, block_id b) { return b == e.reconvergence || b == e.likely; }

  constexpr void forget_arrivals() {
    arrivals_.clear();
    arrived_from_ = no_block;
    mixed_ = false;
  }

  std::span<const block_id> ipdom_, likely_;
  std::vector<Entry> stack_;
  std::vector<basic_fragment<Mask>> arrivals_;  // where the arrived warps of the top entry go
  block_id arrived_from_ = no_block;            // the block that they left, the first one
  bool mixed_ = false;                          // true if they left different blocks
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
