// SPDX-License-Identifier: BSL-1.0
//
// The error codes of CUDA. The runtime (cudaError_t) and the driver (CUresult) use one numbering: a code that both have
// means the same. Some codes belong to one of them only; driver_code() gives the nearest code of the driver.
//
// Literature: NVIDIA, CUDA Runtime API, "Data types used by CUDA Runtime", enum cudaError; CUDA Driver API, "Data types
// used by CUDA driver", enum CUresult.
#pragma once

#include <simtflow/cuda/detail/error_table.hpp>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// A code of CUDA. The value is the number in CUDA's own header.
enum class error : int {
  success = 0,                       ///< no error
  invalid_value = 1,                 ///< invalid argument
  memory_allocation = 2,             ///< out of memory
  initialization_error = 3,          ///< initialization error
  cudart_unloading = 4,              ///< driver shutting down
  profiler_disabled = 5,             ///< profiler disabled while using external profiling tool
  profiler_not_initialized = 6,      ///< profiler not initialized: call cudaProfilerInitialize()
  profiler_already_started = 7,      ///< profiler already started
  profiler_already_stopped = 8,      ///< profiler already stopped
  invalid_configuration = 9,         ///< invalid configuration argument
  invalid_pitch_value = 12,          ///< invalid pitch argument
  invalid_symbol = 13,               ///< invalid device symbol
  invalid_host_pointer = 16,         ///< invalid host pointer
  invalid_device_pointer = 17,       ///< invalid device pointer
  invalid_texture = 18,              ///< invalid texture reference
  invalid_texture_binding = 19,      ///< texture is not bound to a pointer
  invalid_channel_descriptor = 20,   ///< invalid channel descriptor
  invalid_memcpy_direction = 21,     ///< invalid copy direction for memcpy
  address_of_constant = 22,          ///< invalid address of constant
  texture_fetch_failed = 23,         ///< fetch from texture failed
  texture_not_bound = 24,            ///< cannot fetch from a texture that is not bound
  synchronization_error = 25,        ///< incorrect use of __syncthreads()
  invalid_filter_setting = 26,       ///< linear filtering not supported for non-float type
  invalid_norm_setting = 27,         ///< read as normalized float not supported for data type
  mixed_device_execution = 28,       ///< device emulation mode and device execution mode cannot be mixed
  not_yet_implemented = 31,          ///< feature not yet implemented
  memory_value_too_large = 32,       ///< memory size or pointer value too large to fit in 32 bit
  stub_library = 34,                 ///< CUDA driver is a stub library
  insufficient_driver = 35,          ///< CUDA driver version is insufficient for CUDA runtime version
  call_requires_newer_driver = 36,   ///< API call is not supported in the installed CUDA driver
  invalid_surface = 37,              ///< invalid surface reference
  duplicate_variable_name = 43,      ///< duplicate global variable looked up by string name
  duplicate_texture_name = 44,       ///< duplicate texture looked up by string name
  duplicate_surface_name = 45,       ///< duplicate surface looked up by string name
  devices_unavailable = 46,          ///< CUDA-capable device(s) is/are busy or unavailable
  incompatible_driver_context = 49,  ///< incompatible driver context
  missing_configuration = 52,        ///< __global__ function call is not configured
  prior_launch_failure = 53,         ///< unspecified launch failure in prior launch
  launch_max_depth_exceeded = 65,    ///< launch would exceed maximum depth of nested launches
  launch_file_scoped_tex = 66,       ///< a kernel uses textures of file scope
  launch_file_scoped_surf = 67,      ///< a kernel uses surfaces of file scope
  sync_depth_exceeded =
      68,  ///< cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth
  launch_pending_count_exceeded =
      69,                        ///< launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount
  invalid_device_function = 98,  ///< invalid device function
  no_device = 100,               ///< no CUDA-capable device is detected
  invalid_device = 101,          ///< invalid device ordinal
  device_not_licensed = 102,     ///< device doesn't have valid Grid license
  software_validity_not_established = 103,  ///< integrity checks failed
  startup_failure = 127,                    ///< startup failure in cuda runtime
  invalid_kernel_image = 200,               ///< device kernel image is invalid
  device_uninitialized = 201,               ///< invalid device context
  context_already_current = 202,            ///< driver only: the context is current already
  map_buffer_object_failed = 205,           ///< mapping of buffer object failed
  unmap_buffer_object_failed = 206,         ///< unmapping of buffer object failed
  array_is_mapped = 207,                    ///< array is mapped
  already_mapped = 208,                     ///< resource already mapped
  no_kernel_image_for_device = 209,         ///< no kernel image is available for execution on the device
  already_acquired = 210,                   ///< resource already acquired
  not_mapped = 211,                         ///< resource not mapped
  not_mapped_as_array = 212,                ///< resource not mapped as array
  not_mapped_as_pointer = 213,              ///< resource not mapped as pointer
  ecc_uncorrectable = 214,                  ///< uncorrectable ECC error encountered
  unsupported_limit = 215,                  ///< limit is not supported on this architecture
  device_already_in_use = 216,              ///< exclusive-thread device already in use by a different thread
  peer_access_unsupported = 217,            ///< peer access is not supported between these two devices
  invalid_ptx = 218,                        ///< a PTX JIT compilation failed
  invalid_graphics_context = 219,           ///< invalid OpenGL or DirectX context
  nvlink_uncorrectable = 220,               ///< uncorrectable NVLink error detected during the execution
  jit_compiler_not_found = 221,             ///< PTX JIT compiler library not found
  unsupported_ptx_version = 222,            ///< the provided PTX was compiled with an unsupported toolchain.
  jit_compilation_disabled = 223,           ///< PTX JIT compilation was disabled
  unsupported_exec_affinity = 224,          ///< the provided execution affinity is not supported
  unsupported_dev_side_sync = 225,          ///< the provided PTX contains unsupported call to cudaDeviceSynchronize
  contained = 226,                          ///< Invalid access of peer GPU memory over nvlink or a hardware error
  invalid_source = 300,                     ///< device kernel image is invalid
  file_not_found = 301,                     ///< file not found
  shared_object_symbol_not_found = 302,     ///< shared object symbol not found
  shared_object_init_failed = 303,          ///< shared object initialization failed
  operating_system = 304,                   ///< OS call failed or operation not supported on this OS
  invalid_resource_handle = 400,            ///< invalid resource handle
  illegal_state = 401,                      ///< the operation cannot be performed in the present state
  lossy_query = 402,                        ///< attempted introspection would be semantically lossy
  symbol_not_found = 500,                   ///< named symbol not found
  not_ready = 600,                          ///< device not ready
  illegal_address = 700,                    ///< an illegal memory access was encountered
  launch_out_of_resources = 701,            ///< too many resources requested for launch
  launch_timeout = 702,                     ///< the launch timed out and was terminated
  launch_incompatible_texturing = 703,      ///< launch uses incompatible texturing mode
  peer_access_already_enabled = 704,        ///< peer access is already enabled
  peer_access_not_enabled = 705,            ///< peer access has not been enabled
  set_on_active_process = 708,              ///< cannot set while device is active in this process
  context_is_destroyed = 709,               ///< context is destroyed
  assertion = 710,                          ///< device-side assert triggered
  too_many_peers = 711,                     ///< peer mapping resources exhausted
  host_memory_already_registered = 712,     ///< part or all of the requested memory range is already mapped
  host_memory_not_registered = 713,         ///< pointer does not correspond to a registered memory region
  hardware_stack_error = 714,               ///< hardware stack error
  illegal_instruction = 715,                ///< an illegal instruction was encountered
  misaligned_address = 716,                 ///< misaligned address
  invalid_address_space = 717,              ///< operation not supported on global/shared address space
  invalid_pc = 718,                         ///< invalid program counter
  launch_failure = 719,                     ///< unspecified launch failure
  cooperative_launch_too_large = 720,       ///< too many blocks in cooperative launch
  tensor_memory_leak = 721,                 ///< tensor memory not completely freed
  not_permitted = 800,                      ///< operation not permitted
  not_supported = 801,                      ///< operation not supported
  system_not_ready = 802,                   ///< system not yet initialized
  system_driver_mismatch = 803,             ///< system has unsupported display driver / cuda driver combination
  compat_not_supported_on_device = 804,     ///< forward compatibility was attempted on non supported HW
  mps_connection_failed = 805,    ///< MPS client failed to connect to the MPS control daemon or the MPS server
  mps_rpc_failure = 806,          ///< the remote procedural call between the MPS server and the MPS client failed
  mps_server_not_ready = 807,     ///< MPS server is not ready to accept new MPS client requests
  mps_max_clients_reached = 808,  ///< the hardware resources required to create MPS client have been exhausted
  mps_max_connections_reached =
      809,                      ///< the hardware resources required to support device connections have been exhausted
  mps_client_terminated = 810,  ///< the MPS client has been terminated by the server
  cdp_not_supported =
      811,  ///< is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it
  cdp_version_mismatch = 812,        ///< unsupported interaction between different versions of CUDA Dynamic Parallelism
  stream_capture_unsupported = 900,  ///< operation not permitted when stream is capturing
  stream_capture_invalidated = 901,  ///< operation failed due to a previous error during capture
  stream_capture_merge = 902,        ///< operation would result in a merge of separate capture sequences
  stream_capture_unmatched = 903,    ///< capture was not ended in the same stream as it began
  stream_capture_unjoined = 904,     ///< capturing stream has unjoined work
  stream_capture_isolation = 905,    ///< dependency created on uncaptured work in another stream
  stream_capture_implicit = 906,     ///< operation would make the legacy stream depend on a capturing blocking stream
  captured_event = 907,              ///< operation not permitted on an event last recorded in a capturing stream
  stream_capture_wrong_thread = 908,  ///< attempt to terminate a thread-local capture sequence from another thread
  timeout = 909,                      ///< wait operation timed out
  graph_exec_update_failure = 910,    ///< a graph update would change what instantiation fixed
  external_device = 911,              ///< an async error has occured in external entity outside of CUDA
  invalid_cluster_size = 912,         ///< a kernel launch error has occurred due to cluster misconfiguration
  function_not_loaded = 913,  ///< the function handle is not loaded when calling an API that requires a loaded function
  invalid_resource_type = 914,  ///< one or more resources passed in are not valid resource types for the operation
  invalid_resource_configuration = 915,  ///< one or more resources are insufficient or non-applicable for the operation
  key_rotation = 916,                    ///< driver only: keys are being rotated
  unknown = 999,                         ///< unknown error
};

/// The name in the runtime: "cudaErrorInvalidValue"; "unrecognized error code" if the runtime has none.
[[nodiscard]] constexpr const char* error_name(error e) {
  const detail::error_row* row = detail::error_row_of(static_cast<int>(e));
  return row == nullptr || row->name[0] == '\0' ? "unrecognized error code" : row->name;
}

/// The words of cudaGetErrorString(): "invalid argument"; "unrecognized error code" if the runtime has none.
[[nodiscard]] constexpr const char* error_text(error e) {
  const detail::error_row* row = detail::error_row_of(static_cast<int>(e));
  return row == nullptr || row->name[0] == '\0' ? "unrecognized error code" : row->text;
}

/// The name in the driver: "CUDA_ERROR_INVALID_VALUE"; null if the driver has no such code.
[[nodiscard]] constexpr const char* driver_error_name(error e) {
  const detail::error_row* row = detail::error_row_of(static_cast<int>(e));
  return row == nullptr || row->driver[0] == '\0' ? nullptr : row->driver;
}

/// The words of cuGetErrorString(); null if the driver has no such code.
[[nodiscard]] constexpr const char* driver_error_text(error e) {
  const detail::error_row* row = detail::error_row_of(static_cast<int>(e));
  return row == nullptr || row->driver[0] == '\0' ? nullptr : row->text;
}

/// The code that the driver returns where the runtime returns `e`: `e` if the driver has it, else the nearest one.
[[nodiscard]] constexpr error driver_code(error e) {
  if (driver_error_name(e) != nullptr) return e;
  switch (e) {
    case error::invalid_symbol:
    case error::invalid_device_function:
      return error::symbol_not_found;
    case error::initialization_error:
    case error::startup_failure:
      return error::initialization_error;
    case error::insufficient_driver:
      return error::call_requires_newer_driver;
    case error::not_yet_implemented:
      return error::not_supported;
    case error::prior_launch_failure:
      return error::launch_failure;
    default:
      return error::invalid_value;
  }
}

/// True if the error ends the context: each later call on the device returns it until the device is reset.
/// (CUDA Runtime API, enum cudaError: "This leaves the process in an inconsistent state".)
[[nodiscard]] constexpr bool is_sticky(error e) {
  switch (e) {
    case error::ecc_uncorrectable:
    case error::illegal_address:
    case error::launch_timeout:
    case error::assertion:
    case error::hardware_stack_error:
    case error::illegal_instruction:
    case error::misaligned_address:
    case error::invalid_address_space:
    case error::invalid_pc:
    case error::launch_failure:
      return true;
    default:
      return false;
  }
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
