// SPDX-License-Identifier: BSL-1.0
//
// Modules that a program loads by itself (CUDA Runtime API, Library Management). A cudaLibrary_t is the handle of a
// module, a cudaKernel_t the address of a registered kernel.
#include "cudart/core/shared_calls.hpp"

#include <cstdint>
#include <string>

using cudart::error;
using cudart::handle;
using cudart::returned;
using cudart::the_device;
using cudart::to_program;
namespace cuda = simtflow::cuda;

namespace {
cuda::module_handle module_of(handle library) {
  return static_cast<cuda::module_handle>(reinterpret_cast<std::uintptr_t>(library));
}
}  // namespace

CUDART_CALL int cudaLibraryLoadData(handle* library, const void* image, int*, void**, unsigned, int*, void**,
                                    unsigned) {
  if (library == nullptr || image == nullptr) return returned(error::invalid_value);
  (void)the_device();
  cuda::module_handle module{};
  const error e = cudart::load_image(image, module);
  if (e == error::success) *library = to_program(module);
  return returned(e);
}
CUDART_CALL int cudaLibraryLoadFromFile(handle* library, const char* path, int* options, void** values, unsigned count,
                                        int* library_options, void** library_values, unsigned library_count) {
  if (library == nullptr || path == nullptr) return returned(error::invalid_value);
  std::string bytes;
  if (!cudart::read_file(path, bytes)) return returned(error::file_not_found);
  return cudaLibraryLoadData(library, bytes.c_str(), options, values, count, library_options, library_values,
                             library_count);
}
CUDART_CALL int cudaLibraryUnload(handle library) { return returned(the_device().unload(module_of(library))); }

CUDART_CALL int cudaLibraryGetKernel(handle* kernel, handle library, const char* name) {
  if (kernel == nullptr || name == nullptr) return returned(error::invalid_value);
  const cudart::registered_kernel* found = cudart::keep_kernel(module_of(library), name);
  if (found == nullptr) return returned(error::symbol_not_found);
  *kernel = const_cast<cudart::registered_kernel*>(found);
  return 0;
}
CUDART_CALL int cudaLibraryGetKernelCount(unsigned* count, handle library) {
  if (count == nullptr) return returned(error::invalid_value);
  *count = static_cast<unsigned>(the_device().kernel_names(module_of(library)).size());
  return 0;
}
CUDART_CALL int cudaLibraryEnumerateKernels(handle* kernels, unsigned count, handle library) {
  if (kernels == nullptr) return returned(error::invalid_value);
  unsigned i = 0;
  for (const std::string& name : the_device().kernel_names(module_of(library)))
    if (i < count)
      if (const int e = cudaLibraryGetKernel(&kernels[i++], library, name.c_str()); e != 0) return e;
  return 0;
}
CUDART_CALL int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, handle library, const char* name) {
  if (name == nullptr) return returned(error::invalid_value);
  cuda::symbol_place place;
  if (const error e = the_device().symbol(module_of(library), name, place); e != error::success) return returned(e);
  if (pointer != nullptr) *pointer = cuda::pointer_to(place.address);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(place.bytes);
  return 0;
}
CUDART_ALSO(cudaLibraryGetManaged, cudaLibraryGetGlobal)
