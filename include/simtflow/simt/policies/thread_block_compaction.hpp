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
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The action of a thread block's warps at a branch.
enum class compaction : unsigned char {
  always,        ///< they wait for each other and are packed
  static_warps,  ///< they wait, but threads stay in their static warps (for code that relies on static warps)
  predicted      ///< they wait and are packed at branches where packing saved warps last time (CAPRI)
};

/// "always", "static-warps", "predicted".
[[nodiscard]] constexpr const char* to_string(compaction mode) {
  switch (mode) {
    case compaction::always:
      return "always";
    case compaction::static_warps:
      return "static-warps";
    case compaction::predicted:
      return "predicted";
  }
  return "";
}

/// The options of thread block compaction. The spans must outlive the policy.
struct compaction_options {
  home_lanes lanes{};                    ///< width of a warp, and the lane of each thread
  compaction mode = compaction::always;  ///< when warps are packed
  /// By block: non-zero if all threads of the thread block leave it for one and the same block (a jump, an annotated
  /// branch, a branch that uniformity analysis proves uniform). Blocks beyond its end are not uniform.
  std::span<const unsigned char> uniform{};
  /// By block: where the paths of the branch that ends it probably reconverge before its post-dominator; no_block:
  /// nowhere. The paper takes the closest enclosing block that jumps backwards, which finds the reconvergence that
  /// `break` delays.
  std::span<const block_id> likely{};
};

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
      : ipdom_(ipdom), options_(options), packer_(options.lanes) {}

  /// One entry, in static warps. O(threads), plus O(blocks) with compaction::predicted.
  constexpr void start(const basic_fragment<Mask>& f) {
    stack_.assign(1, {f.block, no_block, no_block, 0, f.lanes});
    running_ = 0;
    parked_.clear();
    forget_arrivals();
    if (options_.mode == compaction::predicted) {
      while (history_.size() < ipdom_.size()) history_.push_back(passes{});
      for (passes& h : history_) {
        h.compact = true;
        h.entry = 0;
        h.targets.clear();  // so that a copy of the state has nothing left over to copy
      }
    }
    entries_run_ = 0;
    activate();
  }

  /// The warps of the top entry take turns. O(1), plus O(threads) when the last warp has arrived and the policy packs
  /// an entry: once for each entry that runs.
  constexpr std::optional<basic_fragment<Mask>> next() {
    while (running_ == 0 && parked_.empty() && !stack_.empty()) {
      if (stack_.back().block == no_block && stack_.back().threads.any()) break;  // a wrong table: nowhere to go on
      resolve();
      activate();
    }
    if (running_ == 0) return std::nullopt;
    const path& top = warps_[current_].paths.back();
    return basic_fragment<Mask>{top.block, top.threads};
  }

  /// \pre f is what next() named last. O(targets), plus O(depth) when threads have ended, plus O(threads) in
  ///      compaction::predicted mode when all threads have passed a branch.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(running_ > 0 && warps_[current_].paths.back().block == f.block,
                     "the fragment that advances is the one next() named");
    if (goes_on(current_, f, out))
      take_turn();
    else
      leave_ring();
  }

  /// The warp that ran waits. O(1).
  constexpr void park(const basic_fragment<Mask>& f) {
    warps_[current_].at = f;
    warps_[current_].away = f.lanes;
    warps_[current_].back.clear();
    parked_.push_back(current_);
    leave_ring();
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
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.size(); }

  /// Threads that wait for other threads of the thread block: all threads on the stack except the threads that could
  /// run now. O(entries + warps).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask all;
    for (const entry& e : stack_) all |= e.threads;
    for (std::size_t i = 0, w = current_; i < running_; ++i, w = next_[w]) all -= warps_[w].paths.back().threads;
    if (running_ == 0 && parked_.empty() && !stack_.empty() && stack_.back().block != no_block)
      all -= stack_.back().threads;  // all have arrived, and next() goes on with them
    return all;
  }

  /// The block-wide stack, bottom first. Until the first warp of the top entry has arrived, the top entry is shown as
  /// it was packed.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_); }
  /// WCnt: warps of the top entry that have not arrived at its next branch or its end.
  [[nodiscard]] constexpr std::size_t warp_count() const { return running_ + parked_.size(); }
  /// The warps into which the top entry was packed.
  [[nodiscard]] constexpr std::span<const Mask> packed() const { return std::span<const Mask>(packed_); }
  /// CAPRI: true if warps wait at the branch that ends b. \pre compaction::predicted, after start().
  [[nodiscard]] constexpr bool compacts(block_id b) const { return history_[b].compact; }

  /// The same stack, warps, arrivals and predictions. O(entries + threads), plus O(blocks) with compaction::predicted.
  friend constexpr bool operator==(const basic_thread_block_compaction& a, const basic_thread_block_compaction& b) {
    if (a.stack_ != b.stack_ || a.running_ != b.running_ || a.parked_.size() != b.parked_.size() ||
        a.arrivals_ != b.arrivals_ || a.arrived_from_ != b.arrived_from_ || a.mixed_ != b.mixed_ ||
        a.history_.size() != b.history_.size())
      return false;
    for (std::size_t i = 0, v = a.current_, w = b.current_; i < a.running_; ++i, v = a.next_[v], w = b.next_[w])
      if (a.warps_[v].paths != b.warps_[w].paths) return false;
    for (std::size_t i = 0; i < a.parked_.size(); ++i)
      if (!(a.warps_[a.parked_[i]] == b.warps_[b.parked_[i]])) return false;
    for (std::size_t i = 0; i < a.history_.size(); ++i) {
      const passes &g = a.history_[i], &h = b.history_[i];
      const bool open = g.entry == a.entries_run_;  // else only the bit is read again
      if (g.compact != h.compact || open != (h.entry == b.entries_run_)) return false;
      if (open &&
          (g.diverged != h.diverged || g.fragments != h.fragments || !(g.seen == h.seen) || g.targets != h.targets))
        return false;
    }
    return true;
  }

 private:
  struct path {
    block_id block, reconvergence;
    Mask threads;
    friend constexpr bool operator==(const path&, const path&) = default;
  };
  // Paths of a warp that diverged by itself, the running path last; one path: the warp follows its entry. For a parked
  // warp: its block, its threads that are still away, and where the other threads have come back.
  struct warp {
    std::vector<path> paths{};
    basic_fragment<Mask> at{};
    Mask away{};
    std::vector<basic_fragment<Mask>> back{};
    friend constexpr bool operator==(const warp&, const warp&) = default;
  };
  // The predictor's knowledge of a branch, and the threads of one entry that have passed it.
  struct passes {
    bool compact = true, diverged = false;
    std::uint64_t entry = 0;  // 0: none
    std::uint32_t fragments = 0;
    Mask seen{};
    std::vector<basic_fragment<Mask>> targets{};
  };

  static constexpr void add_to(std::vector<basic_fragment<Mask>>& all, const basic_fragment<Mask>& f) {
    for (auto& known : all)
      if (known.block == f.block) {
        known.lanes |= f.lanes;
        return;
      }
    all.push_back(f);
  }

  constexpr block_id ipdom(block_id b) const {
    SIMTFLOW_EXPECTS(b < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    return ipdom_[b];
  }
  constexpr bool uniform(block_id b) const { return b < options_.uniform.size() && options_.uniform[b] != 0; }
  constexpr bool ends_at(const entry& e, block_id b) const { return b == e.reconvergence || b == e.likely; }

  constexpr void forget(warp& w, const Mask& ended) {
    for (entry& e : stack_) e.threads -= ended;
    for (path& p : w.paths) p.threads -= ended;
  }

  // A warp has run a block. Returns true if it runs on; if not, it has arrived or ended.
  constexpr bool goes_on(std::size_t index, const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    std::vector<path>& paths = warps_[index].paths;
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any()) forget(warps_[index], ended);
    const bool branch = !uniform(f.block);
    if (branch && paths.size() == 1) {
      bool wait = true;
      if (options_.mode == compaction::predicted) {
        SIMTFLOW_EXPECTS(f.block < history_.size(),
                         "every block that runs has a place in the table of post-dominators");
        wait = history_[f.block].compact;
        learn(f, out);
      }
      if (wait) {
        for (const auto& o : out) arrive(f.block, o);
        return false;
      }
    }
    if (out.size() == 1 && !branch)
      paths.back().block = out[0].block;
    else if (!out.empty())
      diverge(paths, out, ipdom(f.block), stack_.back().reconvergence);
    // Paths that have come to the block where the path below waits are done, and so are paths without live threads.
    while (!paths.empty() &&
           (paths.back().threads.none() || (paths.size() > 1 && paths.back().block == paths.back().reconvergence)))
      paths.pop_back();
    if (paths.empty()) return false;
    if (paths.size() > 1 || !ends_at(stack_.back(), paths[0].block)) return true;
    arrive(f.block, {paths[0].block, paths[0].threads});
    return false;
  }

  // The top path becomes the path that waits at `meet`, with the targets above it. Targets without a reconvergence
  // point of their own (returns have no such point) go as far as the path did, or the entry.
  static constexpr void diverge(std::vector<path>& paths, std::span<const basic_fragment<Mask>> out, block_id meet,
                                block_id end_of_entry) {
    const block_id outer = paths.size() > 1 ? paths.back().reconvergence : end_of_entry;
    if (meet == no_block) meet = outer;
    if (meet == outer && paths.size() > 1) {
      paths.pop_back();  // the path below waits there already
    } else {
      paths.back().block = meet;
    }
    for (std::size_t i = out.size(); i-- > 0;) paths.push_back({out[i].block, meet, out[i].lanes});
  }

  constexpr void arrive(block_id from, const basic_fragment<Mask>& to) {
    if (arrived_from_ == no_block) arrived_from_ = from;
    if (arrived_from_ != from) mixed_ = true;
    add_to(arrivals_, to);
  }
  constexpr void forget_arrivals() {
    arrivals_.clear();
    arrived_from_ = no_block;
    mixed_ = false;
  }

  // All warps of the top entry have arrived: the entry goes on, ends, or becomes the entry that waits for its paths.
  constexpr void resolve() {
    const entry old = stack_.back();
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
      entry child{no_block, meet, no_block, 0, Mask{}};
      if (meet == old.reconvergence) {
        stack_.pop_back();  // the entry below waits there already
        child.likely = old.likely;
        child.likely_at = old.likely_at;
      } else {
        stack_.back().block = meet;
        stack_.back().threads -= done;
      }
      const block_id likely =
          !mixed_ && arrived_from_ < options_.likely.size() ? options_.likely[arrived_from_] : no_block;
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

  // Packs the top entry, after dropping entries without threads and entries that already are where they end.
  constexpr void activate() {
    for (; !stack_.empty(); stack_.pop_back()) {
      const entry& top = stack_.back();
      if (top.threads.none()) continue;
      if (top.block == no_block) return;
      if (top.block == top.reconvergence) continue;
      if (top.block != top.likely) break;
      stack_[top.likely_at].threads |= top.threads;
    }
    packed_.clear();
    if (stack_.empty()) return;
    ++entries_run_;
    const entry& top = stack_.back();
    if (options_.mode == compaction::static_warps)
      packer_.keep(top.threads, packed_);
    else
      packer_.pack(top.threads, packed_);
    while (warps_.size() < packed_.size()) {
      warps_.push_back(warp{});
      next_.push_back(0);
    }
    running_ = packed_.size();
    for (std::size_t i = 0; i < running_; ++i) {
      warps_[i].paths.assign(1, {top.block, no_block, packed_[i]});
      next_[i] = i + 1 < running_ ? i + 1 : 0;
    }
    current_ = 0;
    previous_ = running_ - 1;
  }

  // The running warps are a ring: next_[current_] comes after current_, which comes after previous_.
  constexpr void take_turn() {
    previous_ = current_;
    current_ = next_[current_];
  }
  constexpr void leave_ring() {
    --running_;
    current_ = next_[previous_] = next_[current_];
  }
  constexpr void enter_ring(std::size_t index) {
    if (running_++ == 0) {
      current_ = previous_ = next_[index] = index;
      return;
    }
    next_[index] = current_;
    previous_ = next_[previous_] = index;
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
    if (goes_on(index, w.at, std::span<const basic_fragment<Mask>>(w.back))) enter_ring(index);
  }

  constexpr void learn(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    passes& h = history_[f.block];
    if (h.entry != entries_run_ || (h.seen & f.lanes).any()) {  // another entry, or a thread comes again
      h.entry = entries_run_;
      h.diverged = false;
      h.fragments = 0;
      h.seen = Mask{};
      h.targets.clear();
    }
    h.seen |= f.lanes;
    h.diverged = h.diverged || out.size() > 1;
    h.fragments += static_cast<std::uint32_t>(out.size());
    for (const auto& o : out) add_to(h.targets, o);
    if (!stack_.back().threads.is_subset_of(h.seen)) return;
    h.entry = 0;
    if (!h.diverged) return;
    std::uint32_t warps = 0;
    for (const auto& t : h.targets) warps += packer_.count(t.lanes);
    h.compact = warps < h.fragments;
  }

  std::span<const block_id> ipdom_;
  compaction_options options_;
  warp_packer<Mask> packer_;
  std::vector<entry> stack_;
  // The top entry: its warps, and where the arrived warps go.
  std::vector<warp> warps_;
  std::vector<std::size_t> next_;
  std::vector<Mask> packed_;
  std::size_t running_ = 0, current_ = 0, previous_ = 0;
  std::vector<basic_fragment<Mask>> arrivals_;
  block_id arrived_from_ = no_block;
  bool mixed_ = false;
  std::vector<std::size_t> parked_;  // warps at a barrier
  // CAPRI.
  std::vector<passes> history_;
  std::uint64_t entries_run_ = 0;
};

/// Compaction of a thread block of up to 64 threads.
using thread_block_compaction = basic_thread_block_compaction<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
