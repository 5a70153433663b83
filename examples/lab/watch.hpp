// SPDX-License-Identifier: BSL-1.0
//
// The one observer of the tool's runs: what is asked for is there, the rest is a null pointer. So a run is compiled once
// for each kind of policy box, whatever is watched.
#pragma once

#include "lab/metrics.hpp"
#include "lab/schedule.hpp"
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab {

/// The event trace of a run as a file: what kind, and what came of it.
struct event_log {
  bool json = false;
  std::size_t most = 1'000'000;  ///< records; what comes behind them is left out
  std::string text;              ///< set when the run is over
  std::uint64_t left_out = 0;
};

/// What to watch beside the counts.
struct watch_list {
  simtflow::lower_bound* bound = nullptr;
  edge_counter* edges = nullptr;
  full_metrics* metrics = nullptr;
  simtflow::thread_paths* paths = nullptr;
  event_log* events = nullptr;
};

template <class Mask>
class run_watcher {
 public:
  run_watcher(simtflow::counts& c, const watch_list& list) : counts_(&c), list_(list) {}

  /// The events it takes: all.
  template <class Event>
    requires(std::invocable<simtflow::basic_event_trace<Mask>&, const Event&> ||
             std::invocable<full_metrics&, const Event&>)
  void operator()(const Event& e) {
    tell(counts_, e);
    tell(list_.bound, e);
    tell(list_.edges, e);
    tell(list_.metrics, e);
    tell(list_.paths, e);
    if constexpr (std::invocable<simtflow::basic_event_trace<Mask>&, const Event&>)
      if (list_.events != nullptr) {
        if (events_.records().size() < list_.events->most)
          events_(e);
        else
          ++list_.events->left_out;
      }
  }

  [[nodiscard]] const simtflow::basic_event_trace<Mask>& events() const { return events_; }

 private:
  template <class Observer, class Event>
  static void tell(Observer* observer, const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>)
      if (observer != nullptr) (*observer)(e);
  }

  simtflow::counts* counts_;
  watch_list list_;
  simtflow::basic_event_trace<Mask> events_;
};

}  // namespace lab
