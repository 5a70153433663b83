// SPDX-License-Identifier: BSL-1.0
//
// The functions that take or fill other structures in other versions of the runtime: compiled for each version.
#include "cudart/abi/device_prop.hpp"
#include "cudart/core/calls.hpp"
#include "cudart/core/contexts.hpp"
#include "cudart/core/device_properties.hpp"
#include "cudart/runtime/versioned/shared.hpp"

#include <cstddef>
#include <cstring>

using cudart::error;
using cudart::returned;

namespace {

// Copies the members that the version of the program has. \pre the device is 0
template <class Properties>
void fill(Properties& to) {
  to = {};
  const cudart::device_prop_12& from = cudart::device_properties();
  const auto copy = [](auto& member, const auto& value) { std::memcpy(&member, &value, sizeof member); };
#define COPY(type, name, bounds) \
  if constexpr (requires(Properties p) { p.name; }) copy(to.name, from.name);
#define ALWAYS COPY
#define BEFORE_13 COPY
#define FROM_12 COPY
#define FROM_13(type, name, bounds)
#include "cudart/abi/device_prop.def"
#undef COPY
}

template <class Properties>
int get_properties(Properties* to, int device) {
  if (to == nullptr) return returned(error::invalid_value);
  if (device != 0) return returned(error::invalid_device);
  cudart::begin_driver();
  fill(*to);
  return 0;
}

}  // namespace

CUDART_CALL int cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return returned(error::invalid_value);
  // The last version of each line that headers may ask for.
  *version = SIMTFLOW_CUDART_MAJOR == 13 ? 13000 : SIMTFLOW_CUDART_MAJOR == 12 ? 12090 : 11080;
  return 0;
}

#if SIMTFLOW_CUDART_MAJOR >= 13
CUDART_CALL int cudaGetDeviceProperties(cudart::device_prop_13* to, int device) { return get_properties(to, device); }
CUDART_CALL int cudaGetDeviceProperties_v2(cudart::device_prop_13* to, int device) {
  return get_properties(to, device);
}

CUDART_CALL int cudaPointerGetAttributes(cudart::pointer_attributes_13* to, const void* pointer) {
  if (to == nullptr) return returned(error::invalid_value);
  *to = {};
  return returned(cudart::get_pointer_attributes(*to, pointer));
}

// Managed memory is never elsewhere.
CUDART_CALL int cudaMemPrefetchAsync(const void*, std::size_t, cudart::memory_location, unsigned, cudart::handle) {
  return 0;
}
CUDART_CALL int cudaMemAdvise(const void*, std::size_t, int, cudart::memory_location) { return 0; }
#else
CUDART_CALL int cudaGetDeviceProperties(cudart::device_prop_11* to, int device) { return get_properties(to, device); }
CUDART_CALL int cudaGetDeviceProperties_v2(cudart::device_prop_12* to, int device) {
  return get_properties(to, device);
}

CUDART_CALL int cudaPointerGetAttributes(cudart::pointer_attributes* to, const void* pointer) {
  if (to == nullptr) return returned(error::invalid_value);
  return returned(cudart::get_pointer_attributes(*to, pointer));
}

CUDART_CALL int cudaMemPrefetchAsync(const void*, std::size_t, int, cudart::handle) { return 0; }
CUDART_CALL int cudaMemAdvise(const void*, std::size_t, int, int) { return 0; }
CUDART_CALL int cudaMemPrefetchAsync_v2(const void*, std::size_t, cudart::memory_location, unsigned, cudart::handle) {
  return 0;
}
CUDART_ALSO(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2)
CUDART_CALL int cudaMemAdvise_v2(const void*, std::size_t, int, cudart::memory_location) { return 0; }
#endif
CUDART_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync)

CUDART_CALL int cudaFuncGetAttributes(
#if SIMTFLOW_CUDART_MAJOR >= 12
    cudart::function_attributes_12* to,
#else
    cudart::function_attributes* to,
#endif
    const void* function) {
  if (to == nullptr) return returned(error::invalid_value);
  *to = {};
#if SIMTFLOW_CUDART_MAJOR >= 12
  return returned(cudart::get_function_attributes(to->known, function));
#else
  return returned(cudart::get_function_attributes(*to, function));
#endif
}
