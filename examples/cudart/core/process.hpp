// SPDX-License-Identifier: BSL-1.0
//
// The CUDA state of a process: one simulated device, and the kernels and variables that its programs have registered.
// A program registers by the addresses of its host functions and host variables; PTX is unpacked and loaded when one of
// them is first used. All functions are thread-safe.
#pragma once

#include "cudart/core/calls.hpp"
#include <simtflow/cuda/device.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudart {

namespace cuda = simtflow::cuda;

/// The device. The first call reads the environment: a value that is no good ends the process with one line and status
/// 2, before any launch.
CUDART_SHARED cuda::device& process_device();
/// The device for a function of the runtime, which uses the primary context: it becomes current on the thread if no
/// context is.
CUDART_SHARED cuda::device& the_device();

/// True if the process uses the device already.
CUDART_SHARED bool is_device_used();

struct registered_binary;

/// A kernel that a program has registered. Its address is the program's cudaKernel_t and cudaFunction_t.
struct registered_kernel {
  registered_binary* owner = nullptr;
  std::string name;
  cuda::kernel_handle handle{};  ///< 0 until its binary is loaded
  cuda::module_handle module{};  ///< its module, likewise
};

/// A variable that a program has registered.
struct registered_variable {
  registered_binary* owner = nullptr;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< 0 until its binary is loaded
  void** pointer = nullptr;   ///< of a managed variable: where the program keeps its address
};

/// Takes a fat binary's wrapper. \returns the program's handle for it
CUDART_SHARED registered_binary* register_binary(const void* wrapper);
/// Takes the images of a container, PTX text or a file in memory, for cuModuleLoadData and cudaLibraryLoadData.
/// \param image as those take it \param module becomes its handle \param log gets the lines that say what is wrong with
/// the PTX; null: they are on standard error only \returns an error if there is no PTX, or it is wrong
CUDART_SHARED error load_image(const void* image, cuda::module_handle& module, std::string* log = nullptr);
/// The PTX of an image of these kinds. \param texts get it
CUDART_SHARED error read_image(const void* image, std::vector<std::string>& texts, std::string* log = nullptr);
/// Links texts of PTX to one. \param text becomes the PTX of all \param log as for load_image()
CUDART_SHARED error link_texts(const std::vector<std::string>& texts, std::string& text, std::string* log = nullptr);
CUDART_SHARED void register_kernel(registered_binary* binary, const void* host, const char* name);
CUDART_SHARED void register_variable(registered_binary* binary, const void* host, const char* name, std::uint64_t bytes,
                                     void** pointer);
/// Loads a binary with managed variables, so that the program finds their addresses.
CUDART_SHARED error load_now(registered_binary* binary);
/// Forgets a binary with all that is registered for it.
CUDART_SHARED void unregister_binary(registered_binary* binary);

/// The kernel of a host function, of a cudaKernel_t or of a cudaFunction_t, loaded. \param kernel null if there is none
/// \returns invalid_device_function if nothing is registered there; else what loading it says
CUDART_SHARED error find_kernel(const void* host, const registered_kernel*& kernel);
/// The kernel of a host function without loading it; null if there is none.
CUDART_SHARED const registered_kernel* registered_at(const void* host);
/// A kernel of a module of its own, for libraries: its address is a cudaKernel_t.
/// \param module its module \param name in the text \returns null if the module has no such kernel
CUDART_SHARED const registered_kernel* keep_kernel(cuda::module_handle module, const std::string& name);
/// The variable of a host variable, loaded. \returns invalid_symbol if nothing is registered there
CUDART_SHARED error find_variable(const void* host, registered_variable& variable);

}  // namespace cudart
