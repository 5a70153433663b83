// SPDX-License-Identifier: BSL-1.0
//
// The functions that code from nvcc calls by itself: before main() it registers fat binaries, kernels and variables;
// <<<>>> pushes a configuration, and the stub of the kernel pops it.
#include "cudart/core/process.hpp"

using cudart::error;
using cudart::returned;
using cudart::this_thread;

namespace {
cudart::registered_binary* binary_of(void** handle) { return reinterpret_cast<cudart::registered_binary*>(handle); }
}  // namespace

CUDART_CALL void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(cudart::register_binary(wrapper));
}

CUDART_CALL void __cudaRegisterFatBinaryEnd(void**) {}

CUDART_CALL void __cudaUnregisterFatBinary(void** handle) { cudart::unregister_binary(binary_of(handle)); }

CUDART_CALL char __cudaInitModule(void** handle) { return cudart::load_now(binary_of(handle)) == error::success; }

CUDART_CALL void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                                        void*, void*, int*) {
  cudart::register_kernel(binary_of(handle), host, name);
}

CUDART_CALL void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int,
                                   int) {
  cudart::register_variable(binary_of(handle), host, name, bytes, nullptr);
}

CUDART_CALL void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                                          int, int) {
  cudart::register_variable(binary_of(handle), host, name, bytes, host);
}

CUDART_CALL unsigned __cudaPushCallConfiguration(cudart::dim3 grid, cudart::dim3 block, std::size_t shared,
                                                 cudart::handle stream) {
  this_thread().configurations.push_back({grid, block, shared, stream});
  return 0;
}

CUDART_CALL int __cudaPopCallConfiguration(cudart::dim3* grid, cudart::dim3* block, std::size_t* shared, void* stream) {
  auto& pushed = this_thread().configurations;
  if (pushed.empty()) return returned(error::missing_configuration);
  const cudart::call_configuration top = pushed.back();
  pushed.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared_bytes;
  *static_cast<cudart::handle*>(stream) = top.stream;
  return 0;
}
