// SPDX-License-Identifier: BSL-1.0
//
// Thread block compaction (TBC): one post-dominator stack for the whole thread block. Its warps run freely until a
// branch that may diverge or a reconvergence point, where they wait for each other. When the last warp is there, the
// threads of the path on top of the stack are packed into new warps, each thread in its home lane. After reconvergence,
// threads are in the warps that they started in.
//
// Follows Fung, Aamodt: Thread Block Compaction (HPCA 2011), section 3; likely convergence points: section 4;
// compaction only where it pays: Rhu, Erez: CAPRI (ISCA 2012). Choices made here, because the papers leave them open:
//   - a block takes part in the synchronisation unless the table `uniform` says that all threads of the thread block
//     leave it for one block; so an empty table costs waiting, not warps. A warp that breaks the promise of the table
//     is not lost: it takes its paths one after the other on a stack of its own, up to their post-dominator
//   - warps of one entry that wait at different branches (again a broken promise) reconverge where the entry ends
//   - branches may have any number of targets; the path named first runs first. If a branch's post-dominator is the
//     block where its entry ends, the branch needs no new entry for it (as in ipdom_stack.hpp: loops do not grow the
//     stack). Paths that no thread takes get no entry; hardware pops such entries at once
//   - CAPRI: the predictor has one bit for each branch, set at first. Whenever all threads of an entry have passed the
//     branch and a warp has diverged, the bit changes: it then says whether packing would have saved (or has saved) a
//     warp. At a branch with a clear bit nobody waits: each warp takes its paths on a stack of its own, up to their
//     post-dominator
//
// Analysis: immediate post-dominators; uniformity and likely convergence points if wanted. Progress: none; a thread
// that spins delays every path below it on the stack, here for the whole thread block. Needs
// barrier_model::thread_arrival for programs with barriers (whole_warp would ask for the thread block in one warp); a
// barrier that only part of the thread block reaches is a deadlock.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/compaction_options.hpp>
#include <simtflow/simt/policies/detail/compaction_predictor.hpp>
#include <simtflow/simt/policies/detail/compaction_stack.hpp>
#include <simtflow/simt/policies/detail/turn_ring.hpp>
#include <simtflow/simt/policies/detail/warp_paths.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The block-wide stack of a thread block, and the warps that run its top entry.
template <class Mask>
class basic_thread_block_compaction {
 public:
  using mask_type = Mask;                                           ///< threads of one thread block
  static constexpr policy_scope scope = policy_scope::block;        ///< one instance for each thread block
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Threads that go on at `block` and stop at `reconvergence`, where an entry below waits for them (no_block:
  /// nowhere), or before that at `likely`, where they join the entry at position `likely_at`.
  struct entry {
    block_id block;          ///< where they go on
    block_id reconvergence;  ///< where they stop at the latest; no_block: nowhere
    block_id likely;         ///< where they stop before that; no_block: nowhere
    std::size_t likely_at;   ///< the entry that they join there, counted from the bottom
    Mask threads;            ///< the threads that have not ended
    friend constexpr bool operator==(const entry&, const entry&) = default;
  };

  /// `ipdom[b]` is the reconvergence point of a branch that ends b; no_block: its paths reconverge only at the exit
  /// (post_dominator_tree::ipdoms()). The span must outlive the policy.
  constexpr basic_thread_block_compaction(std::span<const block_id> ipdom, const compaction_options& options)
      : options_(options), packer_(options.lanes), stack_(ipdom, options.likely) {}

  /// One entry, in static warps. O(threads), plus O(blocks) with compaction::predicted.
  constexpr void start(const basic_fragment<Mask>& f) {
    stack_.start(f);
    running_.clear();
    parked_.clear();
    flying_.clear();
    if (options_.mode == compaction::predicted) predictor_.start(stack_.num_blocks());
    activate();
  }

  /// The warps of the top entry take turns. O(1), plus O(threads) when the last warp has arrived and the policy packs
  /// an entry: once for each entry that runs.
  constexpr std::optional<basic_fragment<Mask>> next() {
    while (running_.size() == 0 && nobody_is_away() && !stack_.empty()) {
      if (stack_.is_stuck()) break;
      stack_.resolve();
      activate();
    }
    if (running_.size() == 0) return std::nullopt;
    const auto& top = warps_[running_.current()].paths.top();
    return basic_fragment<Mask>{top.block, top.threads};
  }

  /// The warp that next() would name. It is out of turn until it advances or parks; the other warps of the top entry
  /// run meanwhile (overlapping_policy). As next().
  constexpr std::optional<basic_fragment<Mask>> take() {
    const auto f = next();
    if (f) {
      flying_.push_back(running_.current());
      running_.leave();
    }
    return f;
  }

  /// \pre f is what next() named last, or in flight. O(targets + warps in flight), plus O(depth) when threads have
  ///      ended, plus O(threads) in compaction::predicted mode when all threads have passed a branch.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    if (!flying_.empty()) return advance_in_flight(f, out);
    SIMTFLOW_EXPECTS(running_.size() > 0 && warps_[running_.current()].paths.top().block == f.block,
                     "the fragment that advances is the one next() named");
    if (goes_on(running_.current(), f, out))
      running_.take_turn();
    else
      running_.leave();
  }

  /// The warp that ran waits. O(1 + warps in flight).
  constexpr void park(const basic_fragment<Mask>& f) {
    const bool flew = !flying_.empty();
    const std::size_t index = flew ? land(f) : running_.current();
    warps_[index].at = f;
    warps_[index].away = f.lanes;
    warps_[index].back.clear();
    parked_.push_back(index);
    if (!flew) running_.leave();
  }
  /// Threads come back. Their warp goes on when each of its threads has come back or ended.
  /// \pre they were parked together. O(parked warps), and for a warp's last threads as advance().
  constexpr void release(const basic_fragment<Mask>& f) {
    const std::size_t at = find_parked(f.lanes);
    warps_[parked_[at]].back.push_back(f);
    come_back(at, f.lanes);
  }
  /// Threads that were parked together have ended. O(parked warps + entries), and for a warp's last threads as
  /// advance().
  constexpr void ended(const Mask& threads) {
    const std::size_t at = find_parked(threads);
    warp& w = warps_[parked_[at]];
    w.at.lanes -= threads;
    forget(w, threads);
    come_back(at, threads);
  }

  /// Entries of the block-wide stack. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.entries().size(); }

  /// Threads that wait for other threads of the thread block: all threads on the stack except the threads that could
  /// run now. O(entries + warps).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask all;
    for (const entry& e : stack_.entries()) all |= e.threads;
    for (std::size_t i = 0, w = running_.current(); i < running_.size(); ++i, w = running_.after(w))
      all -= warps_[w].paths.top().threads;
    for (const std::size_t w : flying_) all -= warps_[w].paths.top().threads;
    if (running_.size() == 0 && nobody_is_away() && !stack_.empty() && stack_.top().block != no_block)
      all -= stack_.top().threads;  // all have arrived, and next() goes on with them
    return all;
  }

  /// The block-wide stack, bottom first. Until the first warp of the top entry has arrived, the top entry is shown as
  /// it was packed.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_.entries()); }
  /// WCnt: warps of the top entry that have not arrived at its next branch or its end.
  [[nodiscard]] constexpr std::size_t warp_count() const { return running_.size() + parked_.size() + flying_.size(); }
  /// The warps into which the top entry was packed.
  [[nodiscard]] constexpr std::span<const Mask> packed() const { return std::span<const Mask>(packed_); }
  /// CAPRI: true if warps wait at the branch that ends b. \pre compaction::predicted, after start().
  [[nodiscard]] constexpr bool compacts(block_id b) const { return predictor_.compacts(b); }

  /// The same stack, warps, arrivals and predictions. O(entries + threads), plus O(blocks) with compaction::predicted.
  friend constexpr bool operator==(const basic_thread_block_compaction& a, const basic_thread_block_compaction& b) {
    if (!(a.stack_ == b.stack_) || a.running_.size() != b.running_.size() || a.parked_.size() != b.parked_.size() ||
        !(a.predictor_ == b.predictor_))
      return false;
    std::size_t v = a.running_.current(), w = b.running_.current();
    for (std::size_t i = 0; i < a.running_.size(); ++i, v = a.running_.after(v), w = b.running_.after(w))
      if (a.warps_[v].paths != b.warps_[w].paths) return false;
    for (std::size_t i = 0; i < a.parked_.size(); ++i)
      if (!(a.warps_[a.parked_[i]] == b.warps_[b.parked_[i]])) return false;
    return true;
  }

 private:
  // A warp that has not diverged by itself follows its entry. For a parked warp: its block, its threads that are still
  // away, and where the other threads have come back.
  struct warp {
    detail::warp_paths<Mask> paths{};
    basic_fragment<Mask> at{};
    Mask away{};
    std::vector<basic_fragment<Mask>> back{};
    friend constexpr bool operator==(const warp&, const warp&) = default;
  };

  [[nodiscard]] constexpr bool nobody_is_away() const { return parked_.empty() && flying_.empty(); }

  // Apart from advance(), so that advance() is inlined where no warp is in flight.
  [[gnu::noinline]] constexpr void advance_in_flight(const basic_fragment<Mask>& f,
                                                     std::span<const basic_fragment<Mask>> out) {
    const std::size_t index = land(f);
    if (goes_on(index, f, out)) running_.enter(index);
  }
  // A warp in flight has run: returns its number.
  constexpr std::size_t land(const basic_fragment<Mask>& f) {
    std::size_t i = 0;
    while (i < flying_.size() && (warps_[flying_[i]].paths.top().threads & f.lanes).none()) ++i;
    SIMTFLOW_EXPECTS(i < flying_.size(), "the fragment that advances is in flight");
    const std::size_t index = flying_[i];
    flying_[i] = flying_.back();
    flying_.pop_back();
    return index;
  }

  constexpr bool uniform(block_id b) const { return b < options_.uniform.size() && options_.uniform[b] != 0; }

  constexpr void forget(warp& w, const Mask& ended) {
    stack_.remove(ended);
    w.paths.remove(ended);
  }

  // A warp has run a block. Returns true if it runs on; if not, it has arrived or ended.
  constexpr bool goes_on(std::size_t index, const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    detail::warp_paths<Mask>& paths = warps_[index].paths;
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any()) forget(warps_[index], ended);
    const bool branch = !uniform(f.block);
    if (branch && !paths.diverged()) {
      bool wait = true;
      if (options_.mode == compaction::predicted) {
        SIMTFLOW_EXPECTS(f.block < predictor_.num_blocks(),
                         "every block that runs has a place in the table of post-dominators");
        wait = predictor_.compacts(f.block);
        predictor_.learn(f, out, stack_.top().threads, packer_);
      }
      if (wait) {
        for (const auto& o : out) stack_.arrive(f.block, o);
        return false;
      }
    }
    if (out.size() == 1 && !branch)
      paths.go_to(out[0].block);
    else if (!out.empty())
      paths.diverge(out, stack_.ipdom(f.block), stack_.top().reconvergence);
    paths.drop_finished();
    if (paths.empty()) return false;
    if (paths.diverged() || !stack_.top_ends_at(paths.top().block)) return true;
    stack_.arrive(f.block, {paths.top().block, paths.top().threads});
    return false;
  }

  // Packs the entry that runs next.
  constexpr void activate() {
    if (!stack_.drop_finished()) return;
    packed_.clear();
    if (stack_.empty()) return;
    predictor_.begin_entry();
    const entry& top = stack_.top();
    if (options_.mode == compaction::static_warps)
      packer_.keep(top.threads, packed_);
    else
      packer_.pack(top.threads, packed_);
    while (warps_.size() < packed_.size()) warps_.push_back(warp{});
    for (std::size_t i = 0; i < packed_.size(); ++i) warps_[i].paths.start(top.block, packed_[i]);
    running_.start(packed_.size());
  }

  constexpr std::size_t find_parked(const Mask& threads) const {
    std::size_t i = 0;
    while (i < parked_.size() && (warps_[parked_[i]].away & threads).none()) ++i;
    SIMTFLOW_EXPECTS(i < parked_.size() && threads.is_subset_of(warps_[parked_[i]].away),
                     "threads come back that were parked");
    return i;
  }
  // A parked warp goes on when all its threads that have not ended have come back.
  constexpr void come_back(std::size_t at, const Mask& threads) {
    const std::size_t index = parked_[at];
    warp& w = warps_[index];
    w.away -= threads;
    if (w.away.any()) return;
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(at));
    if (goes_on(index, w.at, std::span<const basic_fragment<Mask>>(w.back))) running_.enter(index);
  }

  compaction_options options_;
  warp_packer<Mask> packer_;
  detail::compaction_stack<entry, Mask> stack_;
  detail::compaction_predictor<Mask> predictor_;  // compaction::predicted only
  std::vector<warp> warps_;                       // the warps of the top entry
  std::vector<Mask> packed_;                      // their threads when it was packed
  detail::turn_ring running_;                     // the warps that run
  std::vector<std::size_t> parked_;               // the warps at a barrier
  std::vector<std::size_t> flying_;               // the warps in flight
};

/// Compaction of a thread block of up to 64 threads.
using thread_block_compaction = basic_thread_block_compaction<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
