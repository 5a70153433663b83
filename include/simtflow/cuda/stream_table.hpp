// SPDX-License-Identifier: BSL-1.0
//
// Streams and events. Each call is carried out when it is made, so all work in every stream is done when the call
// returns: that is a legal order of streams, and each wait for an event is met. Streams and events are therefore
// handles, numbers that count what was put into each stream, and times.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Asynchronous Concurrent Execution"; CUDA Runtime API, "API
// synchronization behavior" (legacy and per-thread default streams).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/error.hpp>
#include <simtflow/cuda/launch_row.hpp>

#include <cstdint>
#include <unordered_map>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The stream that handle 0 names in programs without per-thread default streams.
inline constexpr stream_handle legacy_stream{1};
/// The default stream of the calling thread.
inline constexpr stream_handle per_thread_stream{2};

/// Flags of a stream: cudaStreamNonBlocking.
inline constexpr std::uint32_t stream_non_blocking = 1;
/// Flags of an event: cudaEventBlockingSync.
inline constexpr std::uint32_t event_blocking_sync = 1;
/// Flags of an event: cudaEventDisableTiming.
inline constexpr std::uint32_t event_disable_timing = 2;
/// Flags of an event: cudaEventInterprocess.
inline constexpr std::uint32_t event_interprocess = 4;

/// The priorities of streams: the least is 0, the greatest -5.
inline constexpr int least_stream_priority = 0;
/// The priorities of streams: the least is 0, the greatest -5.
inline constexpr int greatest_stream_priority = -5;

/// A stream.
struct stream_facts {
  std::uint32_t flags = 0;       ///< as given
  int priority = 0;              ///< within the limits
  std::uint64_t operations = 0;  ///< put into it so far: a number in the order of the stream
  std::uint64_t id = 0;          ///< another number than any other stream has
};

/// Streams and events by handle. Not thread-safe.
class stream_table {
 public:
  /// A new stream. \param flags 0 or stream_non_blocking \param priority is cut to the limits
  /// \param made becomes its handle
  error create(std::uint32_t flags, int priority, stream_handle& made) {
    made = {};
    if ((flags & ~stream_non_blocking) != 0) return error::invalid_value;
    if (priority > least_stream_priority) priority = least_stream_priority;
    if (priority < greatest_stream_priority) priority = greatest_stream_priority;
    made = static_cast<stream_handle>(++last_);
    streams_[last_] = {flags, priority, 0, last_};
    return error::success;
  }
  /// Ends a stream. Default streams cannot be ended.
  error destroy(stream_handle s) {
    return streams_.erase(static_cast<std::uint64_t>(s)) == 1 ? error::success : error::invalid_resource_handle;
  }
  /// A stream, a default one also; null if there is none.
  [[nodiscard]] stream_facts* find(stream_handle s) {
    const auto n = static_cast<std::uint64_t>(s);
    if (n <= static_cast<std::uint64_t>(per_thread_stream)) {
      stream_facts& of = n == 2 ? per_thread_ : legacy_;
      of.id = n == 0 ? 1 : n;
      return &of;
    }
    const auto at = streams_.find(n);
    return at == streams_.end() ? nullptr : &at->second;
  }
  /// Counts an operation that a stream is given; invalid_resource_handle if there is no such stream.
  error put(stream_handle s) {
    stream_facts* of = find(s);
    if (of == nullptr) return error::invalid_resource_handle;
    ++of->operations;
    return error::success;
  }

  /// A new event. \param flags of events \param made becomes its handle
  error create_event(std::uint32_t flags, event_handle& made) {
    made = {};
    if ((flags & ~(event_blocking_sync | event_disable_timing | event_interprocess)) != 0) return error::invalid_value;
    if ((flags & event_interprocess) != 0)
      return (flags & event_disable_timing) != 0 ? error::not_supported : error::invalid_value;
    made = static_cast<event_handle>(++last_);
    events_[last_] = {flags, false, 0};
    return error::success;
  }
  /// Ends an event.
  error destroy(event_handle e) {
    return events_.erase(static_cast<std::uint64_t>(e)) == 1 ? error::success : error::invalid_resource_handle;
  }
  /// Records an event in a stream. \param e the event \param s the stream \param milliseconds on the device's clock
  error record(event_handle e, stream_handle s, double milliseconds) {
    const auto at = events_.find(static_cast<std::uint64_t>(e));
    if (at == events_.end()) return error::invalid_resource_handle;
    if (const error wrong = put(s); wrong != error::success) return wrong;
    at->second.recorded = true;
    at->second.milliseconds = milliseconds;
    return error::success;
  }
  /// Success if there is such an event: everything before it is done. An event that was never recorded counts as done.
  [[nodiscard]] error query(event_handle e) const {
    return events_.count(static_cast<std::uint64_t>(e)) == 1 ? error::success : error::invalid_resource_handle;
  }
  /// The time from one event to another. \param from the first \param to the second \param milliseconds becomes it
  error elapsed(event_handle from, event_handle to, float& milliseconds) const {
    const auto a = events_.find(static_cast<std::uint64_t>(from)), b = events_.find(static_cast<std::uint64_t>(to));
    if (a == events_.end() || b == events_.end()) return error::invalid_resource_handle;
    if (((a->second.flags | b->second.flags) & event_disable_timing) != 0) return error::invalid_resource_handle;
    if (!a->second.recorded || !b->second.recorded) return error::invalid_resource_handle;
    milliseconds = static_cast<float>(b->second.milliseconds - a->second.milliseconds);
    return error::success;
  }
  /// Forgets everything.
  void reset() {
    streams_.clear();
    events_.clear();
    legacy_ = {};
    per_thread_ = {};
  }

 private:
  struct event_facts {
    std::uint32_t flags = 0;
    bool recorded = false;
    double milliseconds = 0;
  };
  std::unordered_map<std::uint64_t, stream_facts> streams_;
  std::unordered_map<std::uint64_t, event_facts> events_;
  stream_facts legacy_, per_thread_;
  std::uint64_t last_ = 0x1000;  // handle given out: none that a program makes up by accident
};

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
