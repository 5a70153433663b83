// SPDX-License-Identifier: BSL-1.0
//
// Modules, libraries, and what is linked at run time (CUDA Driver API, Module Management, Library Management).
#include "cudart/driver/driver.hpp"

#include <cstring>
#include <string>
#include <vector>

using cudart::code;
using cudart::device_pointer;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::initialised;
using cudart::missing;
using cudart::module_of;
using cudart::process_device;
using cudart::to_program;
namespace cuda = simtflow::cuda;

namespace {

// The buffers of the program for what the compiler says (CUjit_option).
class compiler_log {
 public:
  compiler_log(unsigned count, const int* options, void** values) {
    enum option : int { wall_time = 2, info = 3, info_size = 4, errors = 5, errors_size = 6 };
    if (missing(options, values)) return;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == wall_time) time_ = &values[i];
      if (options[i] == info) info_.text = static_cast<char*>(values[i]);
      if (options[i] == info_size) info_.size = &values[i];
      if (options[i] == errors) errors_.text = static_cast<char*>(values[i]);
      if (options[i] == errors_size) errors_.size = &values[i];
    }
  }

  // Writes what is wrong. The sizes become the bytes that are used.
  void write(const std::string& errors) const {
    info_.write({});
    errors_.write(errors);
    const float milliseconds = 0;
    if (time_ != nullptr) std::memcpy(time_, &milliseconds, sizeof milliseconds);
  }

 private:
  struct buffer {
    char* text = nullptr;
    void** size = nullptr;

    void write(const std::string& from) const {
      if (size == nullptr) return;
      unsigned room = 0;
      std::memcpy(&room, size, sizeof room);
      if (text == nullptr || room == 0) return;
      const std::size_t used = from.size() < room ? from.size() : room - 1;
      std::memcpy(text, from.data(), used);
      text[used] = '\0';
      *size = reinterpret_cast<void*>(static_cast<std::uintptr_t>(used == 0 ? 0 : used + 1));
    }
  };
  buffer info_, errors_;
  void** time_ = nullptr;
};

error load(handle* module, const void* image, const compiler_log& log) {
  if (missing(module, image)) return error::invalid_value;
  cuda::module_handle made{};
  std::string said;
  const error e = cudart::load_image(image, made, &said);
  if (e == error::success) *module = to_program(made);
  log.write(said);
  return e;
}

error load_file(handle* module, const char* path, const compiler_log& log) {
  std::string bytes;
  if (missing(module, path)) return error::invalid_value;
  return cudart::read_file(path, bytes) ? load(module, bytes.c_str(), log) : error::file_not_found;
}

error find_function(handle* function, handle module, const char* name) {
  if (missing(function, name)) return error::invalid_value;
  const cudart::registered_kernel* found = cudart::keep_kernel(module_of(module), name);
  if (found == nullptr) return error::symbol_not_found;
  *function = const_cast<cudart::registered_kernel*>(found);
  return error::success;
}

error find_variable(device_pointer* pointer, std::size_t* bytes, handle module, const char* name) {
  if (name == nullptr) return error::invalid_value;
  cuda::symbol_place place;
  if (const error e = process_device().symbol(module_of(module), name, place); e != error::success)
    return is_sticky(e) ? e : error::symbol_not_found;
  if (pointer != nullptr) *pointer = place.address;
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(place.bytes);
  return error::success;
}

error count_functions(unsigned* count, handle module) {
  if (count == nullptr) return error::invalid_value;
  *count = static_cast<unsigned>(process_device().kernel_names(module_of(module)).size());
  return error::success;
}

error list_functions(handle* functions, unsigned count, handle module) {
  if (functions == nullptr) return error::invalid_value;
  unsigned i = 0;
  for (const std::string& name : process_device().kernel_names(module_of(module)))
    if (i < count)
      if (const error e = find_function(&functions[i++], module, name.c_str()); e != error::success) return e;
  return error::success;
}

// A link that is being made. The image that it gives is PTX, which cuModuleLoadData() takes.
struct link_state {
  compiler_log log;
  std::vector<std::string> texts;
  std::string linked;
};

error add_to_link(link_state* state, int kind, const void* data, std::size_t bytes) {
  enum input : int { machine_code, ptx, fat_binary, object, library };
  if (missing(state, data)) return error::invalid_value;
  const std::size_t before = state->texts.size();
  std::string said;
  error e = error::success;
  if (kind == ptx) {
    const auto* text = static_cast<const char*>(data);
    state->texts.emplace_back(text, bytes == 0 ? std::strlen(text) : bytes);
    if (const std::size_t end = state->texts.back().find('\0'); end != std::string::npos)
      state->texts.back().resize(end);
  } else if (kind == fat_binary && bytes >= 16) {
    e = cudart::read_image(data, state->texts, &said);
  } else {
    e = cudart::refused_by_driver("cuLinkAddData with machine code, an object or a library",
                                  "only PTX and fat binaries can be linked");
  }
  std::string checked;
  for (std::size_t i = before; i < state->texts.size() && e == error::success; ++i)
    e = cudart::link_texts({state->texts[i]}, checked, &said);
  if (e != error::success) state->texts.resize(before);
  state->log.write(said);
  return e;
}

}  // namespace

CUDART_CALL int cuModuleLoadDataEx(handle* module, const void* image, unsigned count, int* options, void** values) {
  return in_context([&] { return load(module, image, compiler_log(count, options, values)); });
}
CUDART_CALL int cuModuleLoadData(handle* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUDART_ALSO(cuModuleLoadFatBinary, cuModuleLoadData)
CUDART_CALL int cuModuleLoad(handle* module, const char* path) {
  return in_context([&] { return load_file(module, path, compiler_log(0, nullptr, nullptr)); });
}
CUDART_CALL int cuModuleUnload(handle module) {
  return in_context([&] { return process_device().unload(module_of(module)); });
}
CUDART_CALL int cuModuleGetLoadingMode(int* mode) {
  return initialised([&] {
    if (mode == nullptr) return error::invalid_value;
    *mode = 2;  // CU_MODULE_LAZY_LOADING
    return error::success;
  });
}
CUDART_CALL int cuModuleGetFunction(handle* function, handle module, const char* name) {
  return in_context([&] { return find_function(function, module, name); });
}
CUDART_CALL int cuModuleGetFunctionCount(unsigned* count, handle module) {
  return in_context([&] { return count_functions(count, module); });
}
CUDART_CALL int cuModuleEnumerateFunctions(handle* functions, unsigned count, handle module) {
  return in_context([&] { return list_functions(functions, count, module); });
}
CUDART_CALL int cuModuleGetGlobal_v2(device_pointer* pointer, std::size_t* bytes, handle module, const char* name) {
  return in_context([&] { return find_variable(pointer, bytes, module, name); });
}
CUDART_ALSO(cuModuleGetGlobal, cuModuleGetGlobal_v2)

CUDART_CALL int cuLinkCreate_v2(unsigned count, int* options, void** values, handle* state) {
  return in_context([&] {
    if (state == nullptr) return error::invalid_value;
    *state = new link_state{compiler_log(count, options, values), {}, {}};
    return error::success;
  });
}
CUDART_ALSO(cuLinkCreate, cuLinkCreate_v2)
CUDART_CALL int cuLinkAddData_v2(handle state, int kind, void* data, std::size_t bytes, const char*, unsigned, int*,
                                 void**) {
  return in_context([&] { return add_to_link(static_cast<link_state*>(state), kind, data, bytes); });
}
CUDART_ALSO(cuLinkAddData, cuLinkAddData_v2)
CUDART_CALL int cuLinkAddFile_v2(handle state, int kind, const char* path, unsigned, int*, void**) {
  return in_context([&] {
    std::string bytes;
    if (path == nullptr) return error::invalid_value;
    if (!cudart::read_file(path, bytes)) return error::file_not_found;
    return add_to_link(static_cast<link_state*>(state), kind, bytes.c_str(), bytes.size());
  });
}
CUDART_ALSO(cuLinkAddFile, cuLinkAddFile_v2)
CUDART_CALL int cuLinkComplete(handle state, void** image, std::size_t* bytes) {
  return in_context([&] {
    auto* const link = static_cast<link_state*>(state);
    if (missing(link, image) || link->texts.empty()) return error::invalid_value;
    std::string said;
    const error e = cudart::link_texts(link->texts, link->linked, &said);
    link->log.write(said);
    if (e != error::success) return e;
    *image = link->linked.data();
    if (bytes != nullptr) *bytes = link->linked.size() + 1;
    return error::success;
  });
}
CUDART_CALL int cuLinkDestroy(handle state) {
  return in_context([&] {
    delete static_cast<link_state*>(state);
    return error::success;
  });
}

// A library is a module that every context has.
CUDART_CALL int cuLibraryLoadData(handle* library, const void* image, int* options, void** values, unsigned count, int*,
                                  void**, unsigned) {
  return initialised([&] { return load(library, image, compiler_log(count, options, values)); });
}
CUDART_CALL int cuLibraryLoadFromFile(handle* library, const char* path, int* options, void** values, unsigned count,
                                      int*, void**, unsigned) {
  return initialised([&] { return load_file(library, path, compiler_log(count, options, values)); });
}
CUDART_CALL int cuLibraryUnload(handle library) {
  return initialised([&] { return process_device().unload(module_of(library)); });
}
CUDART_CALL int cuLibraryGetKernel(handle* kernel, handle library, const char* name) {
  return initialised([&] { return find_function(kernel, library, name); });
}
CUDART_CALL int cuLibraryGetKernelCount(unsigned* count, handle library) {
  return initialised([&] { return count_functions(count, library); });
}
CUDART_CALL int cuLibraryEnumerateKernels(handle* kernels, unsigned count, handle library) {
  return initialised([&] { return list_functions(kernels, count, library); });
}
CUDART_CALL int cuLibraryGetModule(handle* module, handle library) {
  return in_context([&] {
    if (module == nullptr) return error::invalid_value;
    *module = library;
    return error::success;
  });
}
CUDART_CALL int cuLibraryGetGlobal(device_pointer* pointer, std::size_t* bytes, handle library, const char* name) {
  return in_context([&] { return find_variable(pointer, bytes, library, name); });
}
CUDART_ALSO(cuLibraryGetManaged, cuLibraryGetGlobal)
