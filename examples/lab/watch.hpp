// SPDX-License-Identifier: BSL-1.0
//
// The one observer of the tool's runs: what is asked for is there, the rest is not. So a run is compiled once for each
// kind of policy box, whatever is watched.
//
// A run may be cut into parts (ptx/machine/grid.hpp). Each has an observer of its own; report() adds what it has seen
// to what was asked for. Sums can be cut so; for what depends on the order of all events, ask for a run in one piece
// (in_order()).
#pragma once

#include "lab/advice_profile.hpp"
#include "lab/history.hpp"
#include "lab/metrics.hpp"
#include "lab/progress.hpp"
#include "lab/rows.hpp"
#include "lab/schedule.hpp"
#include <simtflow/block_name.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/warp_profiler.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/memory_conflicts.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/timing/stack_spills.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lab {

/// \{
/// The schemas of event traces: of a run, and of a run in the cycle model.
inline constexpr row_schema event_rows = "simtflow.events/1", timed_event_rows = "simtflow.timed-events/1";
/// \}

/// The event trace of a run as a file: what kind, and what came of it.
struct event_log {
  bool json = false;
  std::size_t most = 1'000'000;  ///< records; later records are left out
  std::string text;              ///< set when the run is over
  std::string cut;               ///< set if the text ends before the run: where
  std::uint64_t left_out = 0;
};

/// The name of a block in a trace of events: "BB6 $L__BB0_6 (g)". Perfetto takes the colour of a slice from the letters
/// of its name, without digits; so the number stands there in letters also.
[[nodiscard]] inline std::string slice_name(simtflow::block_id block, const std::string& label) {
  std::string letters;
  for (std::size_t n = block + std::size_t{1}; n != 0; n = (n - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('a' + (n - 1) % 26));
  return simtflow::block_name(block, label) + " (" + letters + ")";
}

/// The things to watch beside the counts. A run adds to the objects that it points to, so they begin empty.
struct watch_list {
  least_work* bound = nullptr;
  edge_counter* edges = nullptr;
  full_metrics* metrics = nullptr;
  simtflow::branch_profile* branches = nullptr;
  simtflow::memory_conflicts* conflicts = nullptr;
  simtflow::thread_paths* paths = nullptr;
  event_log* events = nullptr;
  run_history* history = nullptr;
  simtflow::timing::stack_depths* depths = nullptr;
  simtflow::ptx::warp_profiler* warps = nullptr;
  advice_profile* advice = nullptr;
  progress_meter* progress = nullptr;
  std::function<void()> after{};  ///< called when a thread block has run to its end

  /// True if it needs memory accesses.
  [[nodiscard]] bool accesses() const { return metrics != nullptr || conflicts != nullptr || advice != nullptr; }
  /// Whether it needs the events of all thread blocks one after the other.
  [[nodiscard]] bool in_order() const {
    return accesses() || paths != nullptr || events != nullptr || history != nullptr || depths != nullptr ||
           warps != nullptr || after;
  }
};

/// \tparam Accesses true: it observes memory accesses, which takes time; for metrics and conflicts.
template <class Mask, bool Accesses>
class run_watcher {
 public:
  /// The objects that the list points to outlive it. \param num_blocks of the graph.
  run_watcher(const watch_list& list, std::size_t num_blocks) : list_(list) {
    if (list.bound != nullptr) bound_.emplace(num_blocks);
    if (list.edges != nullptr) edges_ = *list.edges;
    if (list.branches != nullptr) branches_.emplace();
  }

  /// The events it takes: all, but for accesses.
  template <class Event>
    requires(
        (std::invocable<simtflow::basic_event_trace<Mask>&, const Event&> ||
         std::invocable<full_metrics&, const Event&>)&&(Accesses ||
                                                        !std::same_as<Event, simtflow::event::memory_access<Mask>>))
  void operator()(const Event& e) {
    tell(&counts_, e);
    if (bound_) tell(&*bound_, e);
    if (edges_) tell(&*edges_, e);
    if (branches_) tell(&*branches_, e);
    tell(list_.metrics, e);
    tell(list_.conflicts, e);
    tell(list_.paths, e);
    tell(list_.history, e);
    tell(list_.depths, e);
    tell(list_.warps, e);
    tell(list_.advice, e);
    if constexpr (std::invocable<simtflow::basic_event_trace<Mask>&, const Event&>)
      if (list_.events != nullptr) {
        if (events_.records().size() < list_.events->most)
          events_(e);
        else
          ++list_.events->left_out;
      }
    if constexpr (std::same_as<Event, simtflow::event::issued<Mask>>)
      if (list_.progress != nullptr && ++unsaid_ == blocks_at_once) {
        list_.progress->count(unsaid_);
        unsaid_ = 0;
      }
    if constexpr (std::same_as<Event, simtflow::event::ended>)
      if (list_.after) list_.after();
  }

  [[nodiscard]] const simtflow::basic_event_trace<Mask>& events() const { return events_; }

  /// Adds what it has seen.
  void report(simtflow::counts& sum) const {
    simtflow::ptx::add_counts{}(sum, counts_);
    if (bound_) list_.bound->add({bound_->fetches(), bound_->warp_instructions()});
    if (edges_) list_.edges->add(*edges_);
    if (branches_) *list_.branches += *branches_;
  }

 private:
  static constexpr std::uint32_t blocks_at_once = 1 << 16;

  template <class Observer, class Event>
  static void tell(Observer* observer, const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>)
      if (observer != nullptr) (*observer)(e);
  }

  simtflow::counts counts_;
  std::optional<simtflow::lower_bound> bound_;
  std::optional<edge_counter> edges_;
  std::optional<simtflow::branch_profile> branches_;
  watch_list list_;
  simtflow::basic_event_trace<Mask> events_;
  std::uint32_t unsaid_ = 0;  // blocks that the progress meter does not know of
};

}  // namespace lab
