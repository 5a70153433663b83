// SPDX-License-Identifier: BSL-1.0
//
// The calls of a device that are not launches.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/core_of_capability.hpp>
#include <simtflow/cuda/device.hpp>
#include <simtflow/cuda/kernel_transforms.hpp>
#include <simtflow/timing/machines.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

inline double host_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace detail

SIMTFLOW_INLINE diagnostics diagnose(const settings& s) {
  diagnostics wrong = diagnose_policy(s);
  if (!s.machine.empty())
    if (const result<timing::machine> m = timing::machine_named(s.machine); !m)
      for (const diagnostic& d : m.diagnostics()) add_diagnostic(wrong, d.where, d.message);
  for (const std::string& name : s.transforms) {
    bool known = false;
    std::string all;
    for (const kernel_transform& t : kernel_transforms()) {
      known = known || t.name == name;
      all += (all.empty() ? "" : ", ") + std::string(t.name);
    }
    if (!known) add_diagnostic(wrong, {}, "no transform '" + name.substr(0, 60) + "': the transforms are " + all);
  }
  return wrong;
}

SIMTFLOW_INLINE device::device(settings s, launch_listener* listener)
    : settings_(std::move(s)),
      listener_(listener == nullptr ? &nobody_ : listener),
      policy_(choose_policy(settings_.policy)),
      memory_(settings_.memory_bytes),
      host_start_(detail::host_milliseconds()) {
  SIMTFLOW_EXPECTS(diagnose(settings_).empty(), "settings without a diagnostic");
  if (!settings_.machine.empty()) machine_ = *timing::machine_named(settings_.machine);
}

SIMTFLOW_INLINE device::~device() { memory_.reset(); }

template <class Call>
error device::locked(const Call& call) {
  const lock held(mutex_);
  return sticky_ != error::success ? sticky_ : call();
}

SIMTFLOW_INLINE void device::tell(std::string line) { listener_->remark(line); }

SIMTFLOW_INLINE double device::now() const {
  return machine_ ? milliseconds_ : detail::host_milliseconds() - host_start_;
}

SIMTFLOW_INLINE error device::status() {
  return locked([] { return error::success; });
}

SIMTFLOW_INLINE error device::reset() {
  const lock held(mutex_);
  sticky_ = error::success;
  memory_.reset();
  textures_.reset();
  streams_.reset();
  return error::success;
}

SIMTFLOW_INLINE double device::clock() {
  const lock held(mutex_);
  return now();
}

SIMTFLOW_INLINE result<module_handle> device::load(std::string_view text) {
  const lock held(mutex_);
  return modules_.load(text, memory_.memory());
}

SIMTFLOW_INLINE result<module_handle> device::load(std::span<const std::string_view> texts) {
  const lock held(mutex_);
  return modules_.load(texts, memory_.memory());
}

SIMTFLOW_INLINE error device::unload(module_handle m) {
  const lock held(mutex_);
  return modules_.unload(m) ? error::success : error::invalid_resource_handle;
}

SIMTFLOW_INLINE kernel_handle device::kernel(module_handle m, std::string_view name) {
  const lock held(mutex_);
  return modules_.kernel(m, name);
}

SIMTFLOW_INLINE std::vector<std::string> device::kernel_names(module_handle m) {
  const lock held(mutex_);
  return modules_.kernel_names(m);
}

// A kernel that is decoded; null, and `wrong` is why.
SIMTFLOW_INLINE loaded_kernel* device::ready(kernel_handle k, error& wrong) {
  loaded_kernel* of = modules_.find(k);
  if (of == nullptr) {
    wrong = error::invalid_device_function;
    return nullptr;
  }
  const bool fresh = !of->runnable && of->refused.empty();
  const bool can = modules_.prepare(*of, settings_.transforms);
  if (fresh)
    for (const std::string& line : of->remarks) tell(line);
  if (can) return of;
  if (fresh)
    for (const diagnostic& d : of->refused) tell("kernel '" + of->name + "': " + to_string(d));
  wrong = error::invalid_ptx;
  return nullptr;
}

SIMTFLOW_INLINE error device::attributes(kernel_handle k, kernel_attributes& found) {
  return locked([&] {
    error wrong = error::success;
    const loaded_kernel* of = ready(k, wrong);
    if (of != nullptr) found = of->attributes;
    return wrong;
  });
}

SIMTFLOW_INLINE error device::set_max_dynamic_shared(kernel_handle k, std::uint64_t bytes) {
  return locked([&] {
    error wrong = error::success;
    loaded_kernel* of = ready(k, wrong);
    if (of == nullptr) return wrong;
    const std::uint64_t most = max_block_shared_bytes(
        machine_ ? machine_->core : core_of_capability(settings_.capability), settings_.capability);
    if (bytes + of->attributes.shared_bytes > most) return error::invalid_value;
    of->attributes.max_dynamic_shared_bytes = bytes;
    return error::success;
  });
}

SIMTFLOW_INLINE error device::occupancy(kernel_handle k, std::uint32_t threads, std::uint64_t dynamic_shared_bytes,
                                        std::uint32_t& blocks) {
  return locked([&] {
    blocks = 0;
    error wrong = error::success;
    const loaded_kernel* of = ready(k, wrong);
    if (of == nullptr) return wrong;
    if (threads == 0 || threads > 1024) return error::invalid_value;
    const timing::core_parameters core = machine_ ? machine_->core : core_of_capability(settings_.capability);
    const std::uint64_t shared =
        of->attributes.shared_bytes + dynamic_shared_bytes + reserved_shared_bytes(settings_.capability);
    if (threads > of->attributes.max_threads || shared > 0xFFFF'FFFFU) return error::success;
    const auto fit =
        timing::occupancy_of(core, {threads, of->attributes.registers, static_cast<std::uint32_t>(shared)});
    if (fit) blocks = fit->blocks;
    return error::success;
  });
}

SIMTFLOW_INLINE error device::symbol(module_handle m, std::string_view name, symbol_place& found) {
  return locked([&] {
    found = modules_.symbol(m, name, memory_.memory());
    return found.address == 0 ? error::invalid_symbol : error::success;
  });
}

SIMTFLOW_INLINE error device::allocate(std::uint64_t bytes, any_address& at) {
  at = 0;
  return locked([&] { return memory_.allocate(bytes, at); });
}
SIMTFLOW_INLINE error device::allocate_pitched(const box_extent& size, std::uint64_t& pitch, any_address& at) {
  at = pitch = 0;
  return locked([&] { return memory_.allocate_pitched(size, pitch, at); });
}
SIMTFLOW_INLINE error device::allocate_host(std::uint64_t bytes, memory_kind kind, std::uint32_t flags, void*& at) {
  at = nullptr;
  return locked([&] { return memory_.allocate_host(bytes, kind, flags, at); });
}
SIMTFLOW_INLINE error device::register_host(void* host, std::uint64_t bytes, std::uint32_t flags) {
  return locked([&] { return memory_.register_host(host, bytes, flags); });
}
SIMTFLOW_INLINE error device::unregister_host(const void* host) {
  return locked([&] { return memory_.unregister_host(host); });
}
SIMTFLOW_INLINE error device::free(any_address at) {
  return locked([&] {
    std::string why;
    const error e = memory_.free(at, false, why);
    if (!why.empty()) tell("free of device memory: " + why);
    return e;
  });
}
SIMTFLOW_INLINE error device::free_host(void* host) {
  return locked([&] {
    std::string why;
    const error e = memory_.free(address_of(host), true, why);
    if (!why.empty()) tell("free of pinned memory: " + why);
    return e;
  });
}
SIMTFLOW_INLINE error device::copy(any_address to, any_address from, std::uint64_t bytes, copy_kind kind,
                                   stream_handle stream) {
  return copy({to, bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1}, kind, stream);
}
SIMTFLOW_INLINE error device::copy(const byte_box& to, const byte_box& from, const box_extent& size, copy_kind kind,
                                   stream_handle stream) {
  return locked([&] {
    const error e = streams_.put(stream);
    return e != error::success ? e : memory_.copy(to, from, size, kind);
  });
}
SIMTFLOW_INLINE error device::fill(any_address at, std::uint32_t value, std::uint32_t bytes, std::uint64_t count,
                                   stream_handle stream) {
  return locked([&] {
    const error e = streams_.put(stream);
    return e != error::success ? e : memory_.fill(at, value, bytes, count);
  });
}
SIMTFLOW_INLINE error device::fill(const byte_box& to, std::uint32_t value, std::uint32_t bytes, const box_extent& size,
                                   stream_handle stream) {
  return locked([&] {
    const error e = streams_.put(stream);
    return e != error::success ? e : memory_.fill(to, value, bytes, size);
  });
}
SIMTFLOW_INLINE memory_note device::pointer(any_address at) {
  const lock held(mutex_);
  return memory_.find(at);
}
SIMTFLOW_INLINE std::uint64_t device::available_memory(std::uint64_t& all) {
  const lock held(mutex_);
  all = memory_.total();
  return memory_.available();
}

SIMTFLOW_INLINE void device::limit_heap(std::uint64_t bytes) {
  const lock held(mutex_);
  memory_.memory().heap().set_limit(bytes);
}
SIMTFLOW_INLINE void device::limit_stack(std::uint64_t bytes) {
  const lock held(mutex_);
  const std::uint32_t least = ptx::launch_config().stack_bytes;
  const std::uint64_t most = bytes < ptx::max_local_bytes ? bytes : ptx::max_local_bytes;
  stack_bytes_ = most > least ? static_cast<std::uint32_t>(most) : least;
}
SIMTFLOW_INLINE diagnostics device::leaks() {
  const lock held(mutex_);
  return memory_.leaks();
}

SIMTFLOW_INLINE error device::create_stream(std::uint32_t flags, int priority, stream_handle& made) {
  return locked([&] { return streams_.create(flags, priority, made); });
}
SIMTFLOW_INLINE error device::destroy_stream(stream_handle s) {
  return locked([&] { return streams_.destroy(s); });
}
SIMTFLOW_INLINE error device::stream(stream_handle s, stream_facts& found) {
  return locked([&] {
    const stream_facts* of = streams_.find(s);
    if (of == nullptr) return error::invalid_resource_handle;
    found = *of;
    return error::success;
  });
}
SIMTFLOW_INLINE error device::synchronize(stream_handle s) {
  return locked([&] { return streams_.find(s) == nullptr ? error::invalid_resource_handle : error::success; });
}
SIMTFLOW_INLINE error device::wait(stream_handle s, event_handle e) {
  return locked([&] {
    const error wrong = streams_.query(e);
    return wrong != error::success ? wrong : streams_.put(s);
  });
}
SIMTFLOW_INLINE error device::call_host(stream_handle s, void (*f)(void*), void* data) {
  if (f == nullptr) return error::invalid_value;
  const error wrong = locked([&] { return streams_.put(s); });
  if (wrong == error::success) f(data);
  return wrong;
}
SIMTFLOW_INLINE error device::create_event(std::uint32_t flags, event_handle& made) {
  return locked([&] { return streams_.create_event(flags, made); });
}
SIMTFLOW_INLINE error device::destroy_event(event_handle e) {
  return locked([&] { return streams_.destroy(e); });
}
SIMTFLOW_INLINE error device::record(event_handle e, stream_handle s) {
  return locked([&] { return streams_.record(e, s, now()); });
}
SIMTFLOW_INLINE error device::synchronize(event_handle e) {
  return locked([&] { return streams_.query(e); });
}
SIMTFLOW_INLINE error device::elapsed(event_handle from, event_handle to, float& milliseconds) {
  return locked([&] { return streams_.elapsed(from, to, milliseconds); });
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#include <simtflow/cuda/detail/device_launch_impl.hpp>
