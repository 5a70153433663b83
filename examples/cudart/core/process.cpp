// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/process.hpp"

#include "cudart/core/contexts.hpp"
#include "cudart/core/environment.hpp"
#include "cudart/core/listener.hpp"
#include "cudart/core/unpack.hpp"
#include <simtflow/cuda/fat_binary.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace cudart {

/// A fat binary of the program.
struct registered_binary {
  const void* wrapper = nullptr;
  std::vector<const void*> hosts;  // of kernels and variables
  std::optional<error> loaded;     // nothing: nobody has asked yet
  cuda::module_handle module{};
};

namespace {

std::atomic<bool> device_used = false;

[[noreturn]] void stop(const std::string& line) {
  complain(line);
  _exit(2);
}

void complain_of_leaks();

// Everything lives until the process ends: programs call the runtime from their own last destructors.
struct everything {
  launch_log log;
  std::unique_ptr<cuda::device> device;

  everything() {
    auto chosen = read_environment([](const char* name) -> const char* { return std::getenv(name); });
    if (!chosen) stop(to_string(chosen.diagnostics().front()));
    if (const std::string problem = log.open(*chosen); !problem.empty()) stop(problem);
    device = std::make_unique<cuda::device>(chosen->device, &log);
    log.watch(*device);
    device_used = true;
    if (chosen->leaks) std::atexit(complain_of_leaks);
  }
};

everything& all() {
  static everything& one = *new everything;
  return one;
}

void complain_of_leaks() {
  for (const simtflow::diagnostic& d : all().device->leaks()) complain("leak: " + to_string(d));
}

struct registry {
  std::recursive_mutex lock;
  std::set<std::unique_ptr<registered_binary>> binaries;
  std::unordered_map<const void*, std::unique_ptr<registered_kernel>> kernels;  // by host function
  std::set<const registered_kernel*> handles;
  std::vector<std::unique_ptr<registered_kernel>> kept;
  std::unordered_map<const void*, registered_variable> variables;  // by host variable
};

registry& registered() {
  static registry& one = *new registry;
  return one;
}

void complain_of(const simtflow::diagnostics& why, std::string_view what, std::string* log) {
  constexpr std::size_t shown = 5;
  const auto say = [&](const std::string& words) {
    complain(std::string(what) + ": " + words);
    if (log != nullptr) *log += words + '\n';
  };
  for (std::size_t i = 0; i < why.size() && i < shown; ++i) say(to_string(why[i]));
  if (why.size() > shown) say(std::to_string(why.size() - shown) + " more diagnostics");
}

// Adds the PTX of a container to the texts. False if it has none.
error add_ptx(std::span<const std::byte> container, std::vector<std::string>& texts, std::string* log) {
  const auto binary = cuda::read_fat_binary(container);
  if (!binary) {
    complain_of(binary.diagnostics(), "fat binary", log);
    return error::invalid_kernel_image;
  }
  const cuda::fat_image* image = cuda::best_ptx(*binary);
  if (image == nullptr) return error::no_kernel_image_for_device;
  auto text = cuda::ptx_text(*image, unpack);
  if (!text) {
    complain_of(text.diagnostics(), "fat binary", log);
    return error::invalid_kernel_image;
  }
  texts.push_back(*std::move(text));
  return error::success;
}

void complain_of_machine_code() {
  complain("the program holds machine code and no PTX: compile it with nvcc -arch=sm_XX, which embeds both");
}

error load_texts(const std::vector<std::string>& texts, cuda::module_handle& module, std::string* log) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto loaded = process_device().load(views);
  if (!loaded) {
    complain_of(loaded.diagnostics(), "PTX of the program", log);
    return error::invalid_ptx;
  }
  module = *loaded;
  return error::success;
}

error read_wrapper(const void* wrapper, std::vector<std::string>& texts, std::string* log) {
  const auto containers = cuda::containers_of(wrapper);
  if (!containers) {
    complain_of(containers.diagnostics(), "fat binary", log);
    return error::invalid_kernel_image;
  }
  const std::size_t before = texts.size();
  error first = error::success;
  for (const auto container : *containers)
    if (const error e = add_ptx(container, texts, log); e != error::success && first == error::success) first = e;
  // Among linked images the machine code and NVIDIA's device runtime may stand alone; the program's own images may not.
  if (texts.size() != before) return error::success;
  if (first == error::no_kernel_image_for_device) complain_of_machine_code();
  return first;
}

error load_wrapper(const void* wrapper, cuda::module_handle& module) {
  std::vector<std::string> texts;
  const error e = read_wrapper(wrapper, texts, nullptr);
  return e == error::success ? load_texts(texts, module, nullptr) : e;
}

// \pre the registry is locked
error load(registered_binary& binary) {
  if (binary.loaded) return *binary.loaded;
  binary.loaded = load_wrapper(binary.wrapper, binary.module);
  if (*binary.loaded != error::success) return *binary.loaded;
  cuda::device& device = process_device();
  for (const void* host : binary.hosts) {
    if (const auto kernel = registered().kernels.find(host); kernel != registered().kernels.end())
      if (kernel->second->owner == &binary) {
        kernel->second->handle = device.kernel(binary.module, kernel->second->name);
        kernel->second->module = binary.module;
      }
    const auto variable = registered().variables.find(host);
    if (variable == registered().variables.end() || variable->second.owner != &binary) continue;
    registered_variable& v = variable->second;
    cuda::symbol_place place;
    if (device.symbol(binary.module, v.name, place) != error::success) continue;
    v.address = place.address;
    if (place.bytes != 0) v.bytes = place.bytes;
    if (v.pointer != nullptr && place.address != 0) *v.pointer = cuda::pointer_to(place.address);
  }
  return error::success;
}

}  // namespace

cuda::device& process_device() { return *all().device; }

cuda::device& the_device() {
  enter_primary_context();
  return process_device();
}

bool is_device_used() { return device_used; }

registered_binary* register_binary(const void* wrapper) {
  (void)all();  // a bad environment stops the program here, before main()
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  auto binary = std::make_unique<registered_binary>();
  binary->wrapper = wrapper;
  return r.binaries.insert(std::move(binary)).first->get();
}

error read_image(const void* image, std::vector<std::string>& texts, std::string* log) {
  switch (cuda::format_of(image)) {
    case cuda::image_format::wrapper:
      return read_wrapper(image, texts, log);
    case cuda::image_format::container: {
      std::uint64_t size = 0;
      std::memcpy(&size, static_cast<const char*>(image) + 8, sizeof size);
      const error e = add_ptx({static_cast<const std::byte*>(image), static_cast<std::size_t>(size + 16)}, texts, log);
      if (e == error::no_kernel_image_for_device) complain_of_machine_code();
      return e;
    }
    case cuda::image_format::elf:
      complain_of_machine_code();
      return error::no_kernel_image_for_device;
    case cuda::image_format::text:
      texts.emplace_back(static_cast<const char*>(image));
  }
  return error::success;
}

error load_image(const void* image, cuda::module_handle& module, std::string* log) {
  std::vector<std::string> texts;
  const error e = read_image(image, texts, log);
  return e == error::success ? load_texts(texts, module, log) : e;
}

error link_texts(const std::vector<std::string>& texts, std::string& text, std::string* log) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  auto linked = cuda::link_texts(views);
  if (!linked) {
    complain_of(linked.diagnostics(), "PTX of the program", log);
    return error::invalid_ptx;
  }
  text = *std::move(linked);
  return error::success;
}

void register_kernel(registered_binary* binary, const void* host, const char* name) {
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  auto kernel = std::make_unique<registered_kernel>();
  kernel->owner = binary;
  kernel->name = name;
  // An instance of a template may come from several files; the first one serves all.
  const auto [at, is_new] = r.kernels.try_emplace(host, std::move(kernel));
  if (!is_new) return;
  r.handles.insert(at->second.get());
  binary->hosts.push_back(host);
}

void register_variable(registered_binary* binary, const void* host, const char* name, std::uint64_t bytes,
                       void** pointer) {
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  if (!r.variables.try_emplace(host, registered_variable{binary, name, bytes, 0, pointer}).second) return;
  binary->hosts.push_back(host);
}

error load_now(registered_binary* binary) {
  const std::lock_guard guard(registered().lock);
  return load(*binary);
}

void unregister_binary(registered_binary* binary) {
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  for (const void* host : binary->hosts) {
    if (const auto kernel = r.kernels.find(host); kernel != r.kernels.end() && kernel->second->owner == binary) {
      r.handles.erase(kernel->second.get());
      r.kernels.erase(kernel);
    }
    if (const auto v = r.variables.find(host); v != r.variables.end() && v->second.owner == binary)
      r.variables.erase(v);
  }
  for (auto at = r.binaries.begin(); at != r.binaries.end(); ++at) {
    if (at->get() != binary) continue;
    if (binary->module != cuda::module_handle{}) process_device().unload(binary->module);
    r.binaries.erase(at);
    return;
  }
}

const registered_kernel* registered_at(const void* host) {
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  if (const auto found = r.kernels.find(host); found != r.kernels.end()) return found->second.get();
  const auto* kernel = static_cast<const registered_kernel*>(host);
  return r.handles.count(kernel) != 0 ? kernel : nullptr;
}

error find_kernel(const void* host, const registered_kernel*& kernel) {
  const std::lock_guard guard(registered().lock);
  kernel = registered_at(host);
  if (kernel == nullptr) return error::invalid_device_function;
  if (kernel->owner != nullptr)
    if (const error e = load(*kernel->owner); e != error::success) return e;
  return kernel->handle == cuda::kernel_handle{} ? error::invalid_device_function : error::success;
}

const registered_kernel* keep_kernel(cuda::module_handle module, const std::string& name) {
  const cuda::kernel_handle of_module = process_device().kernel(module, name);
  if (of_module == cuda::kernel_handle{}) return nullptr;
  registry& r = registered();
  const std::lock_guard guard(r.lock);
  for (const auto& kernel : r.kept)
    if (kernel->handle == of_module) return kernel.get();
  r.kept.push_back(std::make_unique<registered_kernel>(registered_kernel{nullptr, name, of_module, module}));
  r.handles.insert(r.kept.back().get());
  return r.kept.back().get();
}

error find_variable(const void* host, registered_variable& variable) {
  const std::lock_guard guard(registered().lock);
  const auto found = registered().variables.find(host);
  if (found == registered().variables.end()) return error::invalid_symbol;
  if (const error e = load(*found->second.owner); e != error::success) return e;
  variable = found->second;
  return variable.address == 0 ? error::invalid_symbol : error::success;
}

}  // namespace cudart
