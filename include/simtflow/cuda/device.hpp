// SPDX-License-Identifier: BSL-1.0
//
// One simulated device: modules, memory, launches, streams and events, with CUDA's error codes. A runtime library is a
// translation of its calls.
//
// Each call is carried out when it is made, in the order of the calls, as with CUDA_LAUNCH_BLOCKING=1: a launch returns
// the error of its kernel. A fault of a kernel ends the context as on a GPU: each later call returns the same error
// until reset(). All calls are safe from several threads: one lock, held during a kernel also.
//
// A kernel that hangs ends: at settings::steps blocks of a thread block, at a deadlock that the policy proves, or when
// stop() is called from another thread or from a signal handler. The error is launch_timeout.
//
//   cuda::device gpu({.policy = "tf"});
//   const auto module = gpu.load(ptx_text);
//   const auto kernel = gpu.kernel(*module, "scale");
//   cuda::any_address data;
//   gpu.allocate(bytes, data);
//   void* arguments[] = {&data, &n};
//   gpu.launch(kernel, {.grid = {8, 1, 1}, .block = {128, 1, 1}}, arguments);
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/error.hpp>
#include <simtflow/cuda/kernel_runner.hpp>
#include <simtflow/cuda/launch_row.hpp>
#include <simtflow/cuda/memory_calls.hpp>
#include <simtflow/cuda/module_table.hpp>
#include <simtflow/cuda/settings.hpp>
#include <simtflow/cuda/stream_table.hpp>
#include <simtflow/cuda/texture.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/policy_names.hpp>
#include <simtflow/timing/machine.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// A simulated device.
class device {
 public:
  /// A device without modules and memory. \param s its settings \param listener hears of launches; null: nobody does.
  /// It outlives the device. \pre diagnose(s) finds nothing.
  SIMTFLOW_INLINE explicit device(settings s = {}, launch_listener* listener = nullptr);
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  SIMTFLOW_INLINE ~device();

  /// The settings.
  [[nodiscard]] const settings& how() const { return settings_; }
  /// The machine that launches take cycles on; null: none.
  [[nodiscard]] const timing::machine* machine() const { return machine_ ? &*machine_ : nullptr; }
  /// The error that ended the context; success: it goes on. Waiting for a stream or the device returns the same.
  [[nodiscard]] SIMTFLOW_INLINE error status();
  /// Frees all memory, streams and events, and ends a sticky error. Modules stay loaded, and their variables keep their
  /// values.
  SIMTFLOW_INLINE error reset();
  /// Makes the kernel that runs end soon, and each later one: from any thread, also from a signal handler.
  void stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  /// Time on the device's clock in milliseconds: of launches on the machine; without a machine of the host.
  [[nodiscard]] SIMTFLOW_INLINE double clock();

  /// Loads a module and its variables. \param text PTX \returns its handle, or diagnostics about the text.
  /// \pre none. Complexity: linear in the text. Errors: one diagnostic for each mistake; nothing is loaded then.
  /// \snippet device_test.cpp load
  [[nodiscard]] SIMTFLOW_INLINE result<module_handle> load(std::string_view text);
  /// Loads several modules as one: they are linked, as nvcc -rdc=true has it. \param texts PTX, one or more
  /// \returns the handle, or diagnostics that name the module
  [[nodiscard]] SIMTFLOW_INLINE result<module_handle> load(std::span<const std::string_view> texts);
  /// Unloads a module. \param m the module
  SIMTFLOW_INLINE error unload(module_handle m);
  /// The kernel of that name; 0 if there is none. \param m its module \param name as in the text
  [[nodiscard]] SIMTFLOW_INLINE kernel_handle kernel(module_handle m, std::string_view name);
  /// The names of a module's kernels, in the order of the text. \param m the module
  [[nodiscard]] SIMTFLOW_INLINE std::vector<std::string> kernel_names(module_handle m);
  /// The facts about a kernel; decodes it if that was not done yet. \param k the kernel \param found becomes them
  SIMTFLOW_INLINE error attributes(kernel_handle k, kernel_attributes& found);
  /// Sets the dynamic shared memory that launches may ask for. \param k the kernel \param bytes at most what a thread
  /// block can have beside the kernel's own
  SIMTFLOW_INLINE error set_max_dynamic_shared(kernel_handle k, std::uint64_t bytes);
  /// The thread blocks of a kernel that a core holds at a time. \param k the kernel \param threads of a thread block
  /// \param dynamic_shared_bytes of a thread block \param blocks becomes the number; 0: not even one fits
  SIMTFLOW_INLINE error occupancy(kernel_handle k, std::uint32_t threads, std::uint64_t dynamic_shared_bytes,
                                  std::uint32_t& blocks);
  /// A variable of a module. \param m the module \param name as in the text \param found becomes its place
  SIMTFLOW_INLINE error symbol(module_handle m, std::string_view name, symbol_place& found);

  /// Runs a kernel. \param k the kernel \param shape its grid \param arguments pointers to the values of
  /// all parameters, in the order of the text \param stream the stream
  /// \returns success; a refusal (invalid_configuration, launch_out_of_resources, invalid_value, invalid_ptx, ...); or
  /// the error of the kernel, with settings::blocking. \pre the pointers point to values of the parameters' sizes.
  /// Complexity: as for the run. Errors: listener.remark() says in words what a code cannot.
  /// \snippet device_test.cpp launch
  SIMTFLOW_INLINE error launch(kernel_handle k, const launch_shape& shape, void* const* arguments,
                               stream_handle stream = {});
  /// The same with the bytes of all parameters at their offsets. \param k the kernel \param shape its grid
  /// \param bytes of all parameters \param stream the stream
  SIMTFLOW_INLINE error launch_packed(kernel_handle k, const launch_shape& shape, std::span<const unsigned char> bytes,
                                      stream_handle stream = {});

  /// As memory_calls::allocate(). \param bytes how many \param at becomes the address
  SIMTFLOW_INLINE error allocate(std::uint64_t bytes, any_address& at);
  /// As memory_calls::allocate_pitched(). \param size of the box \param pitch becomes the distance of rows
  /// \param at becomes the address
  SIMTFLOW_INLINE error allocate_pitched(const box_extent& size, std::uint64_t& pitch, any_address& at);
  /// As memory_calls::allocate_host(). \param bytes how many \param kind host or managed \param flags kept
  /// \param at becomes the address on both sides
  SIMTFLOW_INLINE error allocate_host(std::uint64_t bytes, memory_kind kind, std::uint32_t flags, void*& at);
  /// As memory_calls::register_host(). \param host the first byte \param bytes how many \param flags kept
  SIMTFLOW_INLINE error register_host(void* host, std::uint64_t bytes, std::uint32_t flags);
  /// Ends that. \param host as registered
  SIMTFLOW_INLINE error unregister_host(const void* host);
  /// Frees device or managed memory. \param at its address; 0 is no error
  SIMTFLOW_INLINE error free(any_address at);
  /// Frees pinned memory. \param host its address; null is no error
  SIMTFLOW_INLINE error free_host(void* host);
  /// Copies bytes. \param to destination \param from source \param bytes how many \param kind the direction
  /// \param stream the stream
  SIMTFLOW_INLINE error copy(any_address to, any_address from, std::uint64_t bytes,
                             copy_kind kind = copy_kind::inferred, stream_handle stream = {});
  /// Copies a box. \param to destination \param from source \param size of both \param kind the direction
  /// \param stream the stream
  SIMTFLOW_INLINE error copy(const byte_box& to, const byte_box& from, const box_extent& size,
                             copy_kind kind = copy_kind::inferred, stream_handle stream = {});
  /// Fills elements. \param at the first \param value its lowest bytes \param bytes of an element: 1, 2 or 4
  /// \param count elements \param stream the stream
  SIMTFLOW_INLINE error fill(any_address at, std::uint32_t value, std::uint32_t bytes, std::uint64_t count,
                             stream_handle stream = {});
  /// Fills a box. \param to the box \param value its lowest bytes \param bytes of an element \param size of the box
  /// \param stream the stream
  SIMTFLOW_INLINE error fill(const byte_box& to, std::uint32_t value, std::uint32_t bytes, const box_extent& size,
                             stream_handle stream = {});
  /// The allocation that an address points into; address 0 in it if there is none. \param at the address
  [[nodiscard]] SIMTFLOW_INLINE memory_note pointer(any_address at);
  /// Memory that is not allocated. \param all becomes the memory of the device \returns bytes
  [[nodiscard]] SIMTFLOW_INLINE std::uint64_t available_memory(std::uint64_t& all);

  /// Limits the bytes that kernels hold by malloc() at one time. \param bytes the limit
  SIMTFLOW_INLINE void limit_heap(std::uint64_t bytes);
  /// Gives each thread of later launches a larger stack in local memory, for recursive functions and alloca.
  /// \param bytes of the stack; it never gets less than ptx::launch_config gives, nor more than ptx::max_local_bytes
  SIMTFLOW_INLINE void limit_stack(std::uint64_t bytes);
  /// Memory that the program has not freed: a diagnostic for each allocation, and for each instruction of a kernel that
  /// allocated blocks which are still there. Variables of modules and registered memory of the host do not count.
  [[nodiscard]] SIMTFLOW_INLINE diagnostics leaks();

  /// Carries out calls on arrays, textures and surfaces: texture.hpp.
  /// \param call takes a texture_calls& and gives an error \returns that error; or the error that ended the context
  template <class Call>
  error textures(const Call& call) {
    const lock hold(mutex_);
    return sticky_ != error::success ? sticky_ : call(textures_);
  }

  /// A new stream. \param flags 0 or stream_non_blocking \param priority of it \param made becomes its handle
  SIMTFLOW_INLINE error create_stream(std::uint32_t flags, int priority, stream_handle& made);
  /// Ends a stream. \param s the stream
  SIMTFLOW_INLINE error destroy_stream(stream_handle s);
  /// The facts about a stream. \param s the stream \param found becomes them
  SIMTFLOW_INLINE error stream(stream_handle s, stream_facts& found);
  /// Waits for a stream or asks for its state: all its work is done. \param s the stream
  SIMTFLOW_INLINE error synchronize(stream_handle s);
  /// Lets a stream wait for an event: nothing to wait for. \param s the stream \param e the event
  SIMTFLOW_INLINE error wait(stream_handle s, event_handle e);
  /// Calls a function of the host in the order of the stream, on the calling thread and not under the lock. It must not
  /// call the device. \param s the stream \param f the function \param data its argument
  SIMTFLOW_INLINE error call_host(stream_handle s, void (*f)(void*), void* data);
  /// A new event. \param flags of events \param made becomes its handle
  SIMTFLOW_INLINE error create_event(std::uint32_t flags, event_handle& made);
  /// Ends an event. \param e the event
  SIMTFLOW_INLINE error destroy_event(event_handle e);
  /// Records an event. \param e the event \param s the stream
  SIMTFLOW_INLINE error record(event_handle e, stream_handle s);
  /// Waits for an event or asks for its state: it has happened. \param e the event
  SIMTFLOW_INLINE error synchronize(event_handle e);
  /// The time between two events. \param from the first \param to the second \param milliseconds becomes it
  SIMTFLOW_INLINE error elapsed(event_handle from, event_handle to, float& milliseconds);

 private:
  using lock = std::scoped_lock<std::mutex>;
  template <class Call>
  error locked(const Call& call);
  SIMTFLOW_INLINE void tell(std::string line);
  [[nodiscard]] SIMTFLOW_INLINE loaded_kernel* ready(kernel_handle k, error& wrong);
  [[nodiscard]] SIMTFLOW_INLINE error refused(const loaded_kernel& k, const launch_shape& shape);
  SIMTFLOW_INLINE error run(loaded_kernel& k, const launch_shape& shape, const ptx::arguments& arguments,
                            stream_handle stream);
  SIMTFLOW_INLINE void compare(loaded_kernel& k, const ptx::launch_config& config, const ptx::arguments& arguments,
                               ptx::device_memory& before, launch_row& row);
  [[nodiscard]] SIMTFLOW_INLINE double now() const;

  settings settings_;
  launch_listener nobody_;
  launch_listener* listener_;
  result<policy_choice> policy_;
  std::optional<timing::machine> machine_;
  std::mutex mutex_;
  std::atomic<bool> stop_{false};
  error sticky_ = error::success;
  module_table modules_;
  memory_calls memory_;
  texture_calls textures_{memory_};
  stream_table streams_;
  std::uint64_t launches_ = 0;
  std::uint32_t stack_bytes_ = ptx::launch_config().stack_bytes;
  double milliseconds_ = 0;  // of launches on the machine
  double host_start_ = 0;    // of the host's clock
};

/// The diagnostics about settings: an unknown policy, machine or transform. \param s the settings
[[nodiscard]] SIMTFLOW_INLINE diagnostics diagnose(const settings& s);

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/device_impl.hpp>
#endif
