// SPDX-License-Identifier: BSL-1.0
//
// One thread block's run as it happened: the events, and after each step of the policy what it held. Pictures of runs
// are made from this and from nothing else.
#pragma once

#include "lab/policies.hpp"
#include "lab/watched_policy.hpp"
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// An observer; masks of every width become wide ones. Events of other thread blocks are passed over.
class run_history {
 public:
  using trace_type = simtflow::basic_event_trace<wide_mask>;
  using entry = simtflow::policy_state_entry<wide_mask>;

  /// \param thread_block which one, in the order in which they run. \param most events; later events are left out.
  run_history(std::uint64_t thread_block, std::size_t most) : wanted_(thread_block), most_(most) {}
  run_history(const run_history&) = delete;
  run_history& operator=(const run_history&) = delete;

  [[nodiscard]] const trace_type& trace() const { return trace_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Threads of the thread block; 0 if it never ran.
  [[nodiscard]] std::uint32_t threads() const { return threads_; }

  /// The policy's name for its state ("stack"), empty if it does not tell; and whether the state has the lanes that
  /// run.
  [[nodiscard]] const std::string& state_name() const { return state_name_; }
  [[nodiscard]] bool state_has_running() const { return state_has_running_; }
  /// The entries that the policy held while block number `issue` of the trace ran, counted from 0.
  [[nodiscard]] std::span<const entry> state(std::size_t issue) const {
    return std::span<const entry>(entries_).subspan(first_[issue], first_[issue + 1] - first_[issue]);
  }

  /// The entries that an instance of the policy held when the run was over; known even if some events were left out.
  struct last_state {
    std::uint32_t first_thread = 0;  ///< the instance of the warp that begins with this thread
    std::vector<entry> entries;
    bool has_named =
        false;  ///< the last block that it ran ended the run: its lanes are no longer in the entries, unless
                ///< those that run are (state_has_running())
  };
  [[nodiscard]] std::span<const last_state> last_states() const { return last_; }
  /// The places where threads that had not ended stood when the run was over, and why.
  [[nodiscard]] std::span<const simtflow::basic_standing<wide_mask>> standing() const { return standing_; }

  /// Called when the run is over, with the thread block in which it ended.
  template <class Mask>
  void stopped(std::uint64_t thread_block, const simtflow::basic_verdict<Mask>& v) {
    if (thread_block != wanted_) return;
    for (const simtflow::basic_standing<Mask>& s : v.standing)
      standing_.push_back({s.warp, s.block, widened(s.lanes), s.reason, s.barrier});
  }

  /// For the policy that runs. This must outlive it.
  template <class Mask>
  [[nodiscard]] state_listener<Mask> listener() {
    return [this](const watched_state<Mask>& s) {
      if (!recording_) return;
      state_name_ = s.what;
      state_has_running_ = s.with_running;
      now_.clear();
      for (const simtflow::policy_state_entry<Mask>& e : s.entries)
        now_.push_back({e.block, e.until, e.likely, widened(e.lanes), e.role});
      auto at = std::partition_point(last_.begin(), last_.end(),
                                     [&](const last_state& l) { return l.first_thread < s.first_thread; });
      if (at == last_.end() || at->first_thread != s.first_thread) at = last_.insert(at, {s.first_thread, {}, false});
      at->entries = now_;
      at->has_named = s.has_named;
    };
  }

  void operator()(const simtflow::event::started& e) {
    recording_ = seen_++ == wanted_;
    if (!recording_) return;
    threads_ = e.threads;
    trace_(e);
  }
  template <class Mask>
  void operator()(const simtflow::event::issued<Mask>& e) {
    if (!takes_more()) return;
    trace_(simtflow::event::issued<wide_mask>{e.step, e.warp, e.first_thread, e.threads, e.block, e.weight,
                                              widened(e.lanes), widened(e.live), e.groups, e.depth});
    entries_.insert(entries_.end(), now_.begin(), now_.end());
    first_.push_back(entries_.size());
  }
  template <class Mask>
  void operator()(const simtflow::event::diverged<Mask>& e) {
    if (takes_more()) trace_(simtflow::event::diverged<wide_mask>{e.step, e.warp, e.block, widened(e.lanes), e.ways});
  }
  template <class Mask>
  void operator()(const simtflow::event::exited<Mask>& e) {
    if (takes_more()) trace_(simtflow::event::exited<wide_mask>{e.step, e.warp, e.block, widened(e.lanes)});
  }
  template <class Mask>
  void operator()(const simtflow::event::waits<Mask>& e) {
    if (takes_more()) trace_(simtflow::event::waits<wide_mask>{e.step, e.warp, e.block, widened(e.lanes), e.barrier});
  }
  void operator()(const simtflow::event::released& e) {
    if (takes_more()) trace_(e);
  }
  void operator()(const simtflow::event::ended& e) {
    if (takes_more()) trace_(e);
    recording_ = false;
  }

 private:
  template <class Mask>
  static wide_mask widened(const Mask& mask) {
    wide_mask wide;
    mask.for_each([&wide](std::uint32_t lane) { wide.set(lane); });
    return wide;
  }
  bool takes_more() {
    if (!recording_) return false;
    if (trace_.records().size() < most_) return true;
    ++left_out_;
    return false;
  }

  std::uint64_t wanted_, seen_ = 0, left_out_ = 0;
  std::size_t most_;
  std::uint32_t threads_ = 0;
  bool recording_ = false, state_has_running_ = false;
  std::string state_name_;
  trace_type trace_;
  std::vector<entry> now_, entries_;
  std::vector<last_state> last_;  // by first thread
  std::vector<simtflow::basic_standing<wide_mask>> standing_;
  std::vector<std::size_t> first_{0};  // of each issued block: its entries; one more at the end
};

}  // namespace lab
