// SPDX-License-Identifier: BSL-1.0
//
// Loading of modules and decoding of kernels.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/kernel_transforms.hpp>
#include <simtflow/cuda/module_table.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/register_pressure.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

// The digits of "sm_75" or "8.0" as one number: 75, 80; 0 if there is none.
inline std::uint32_t digits_of(std::string_view text) {
  std::uint32_t n = 0;
  for (const char c : text)
    if (c >= '0' && c <= '9' && n < 100'000) n = 10 * n + static_cast<std::uint32_t>(c - '0');
  return n;
}

inline kernel_attributes attributes_of(const ptx::module& m, const ptx::decoded_kernel& k, std::uint32_t registers) {
  kernel_attributes a;
  a.name = k.name;
  a.shared_bytes = k.shared_bytes;
  for (const ptx::variable& v : k.globals)
    if (v.space == ptx::state_space::constant) a.constant_bytes += v.size;
  a.local_bytes = k.local_bytes;
  for (const auto& size : {k.max_threads, k.required_threads}) {
    const std::uint64_t most = std::uint64_t{size[0]} * size[1] * size[2];
    if (most != 0 && most < a.max_threads) a.max_threads = static_cast<std::uint32_t>(most);
  }
  a.registers = registers;
  // Registers are given out by 256 for a warp and to four warps at a time; a core has 65536.
  const std::uint32_t of_warp = (registers * 32 + 255) / 256 * 256;
  const std::uint32_t by_registers = of_warp == 0 ? 1024 : 65536 / of_warp / 4 * 4 * 32;
  if (by_registers < a.max_threads) a.max_threads = by_registers;
  a.ptx_version = digits_of(m.version);
  a.capability = digits_of(m.target);
  const std::uint64_t plain = std::uint64_t{48} << 10;
  a.max_dynamic_shared_bytes = k.shared_bytes < plain ? plain - k.shared_bytes : 0;
  for (const ptx::variable& p : k.parameters) a.parameter_sizes.push_back(p.size);
  a.parameter_offsets = k.parameter_offsets;
  return a;
}

// True for the device runtime that nvcc links to every program of several modules: it keeps a table of its kernels, to
// launch them itself. It is a library, and programs that launch nothing from the device reach nothing of it.
inline bool has_addresses_of_kernels(const ptx::module& m) {
  for (const ptx::variable& v : m.variables)
    for (const ptx::relocation& r : v.relocations)
      if (m.find(r.symbol) != nullptr) return true;
  return false;
}

inline result<ptx::module> linked_module_of(std::span<const std::string_view> texts) {
  SIMTFLOW_EXPECTS(!texts.empty(), "there is at least one text");
  if (texts.size() == 1) return ptx::parse(texts.front());
  std::vector<ptx::module> modules;
  modules.reserve(texts.size());
  std::vector<std::string> names;
  names.reserve(texts.size());
  std::vector<ptx::link_input> inputs;
  for (const std::string_view text : texts) {
    result<ptx::module> parsed = ptx::parse(text);
    if (!parsed) return std::move(parsed).diagnostics();
    modules.push_back(*std::move(parsed));
    names.push_back("module " + std::to_string(names.size() + 1));
    inputs.push_back({&modules.back(), names.back(), has_addresses_of_kernels(modules.back())});
  }
  result<ptx::linked_module> linked = ptx::link(inputs);
  if (!linked) return std::move(linked).diagnostics();
  return std::move(linked->module);
}

}  // namespace detail

SIMTFLOW_INLINE result<std::string> link_texts(std::span<const std::string_view> texts) {
  const result<ptx::module> linked = detail::linked_module_of(texts);
  if (!linked) return linked.diagnostics();
  return texts.size() == 1 ? std::string(texts.front()) : ptx::print(*linked);
}

SIMTFLOW_INLINE result<module_handle> module_table::load(std::string_view text, ptx::device_memory& memory) {
  result<ptx::module> parsed = ptx::parse(text);
  if (!parsed) return std::move(parsed).diagnostics();
  return keep(std::string(text), *std::move(parsed), memory);
}

SIMTFLOW_INLINE result<module_handle> module_table::load(std::span<const std::string_view> texts,
                                                         ptx::device_memory& memory) {
  result<ptx::module> linked = detail::linked_module_of(texts);
  if (!linked) return std::move(linked).diagnostics();
  std::string text = texts.size() == 1 ? std::string(texts.front()) : ptx::print(*linked);
  return keep(std::move(text), *std::move(linked), memory);
}

SIMTFLOW_INLINE result<module_handle> module_table::keep(std::string text, ptx::module m, ptx::device_memory& memory) {
  auto made = std::make_unique<entry>();
  made->text = std::move(text);
  made->module = std::move(m);
  for (const ptx::variable& v : made->module.variables) {
    if (!v.managed || v.is_extern || v.size == 0) continue;
    const std::size_t size = static_cast<std::size_t>(v.size);
    std::vector<unsigned char>& bytes = managed_.emplace_back(size + v.align);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(bytes.data()) % v.align;
    const std::size_t skipped = past == 0 ? 0 : v.align - past;
    if (std::string wrong = memory.place(made->module.id, v.name, {bytes.data() + skipped, size}); !wrong.empty())
      return diagnostics{{v.where, "managed variable '" + v.name + "': " + wrong}};
  }
  if (diagnostics wrong = memory.load(made->module); !wrong.empty()) return wrong;
  const auto handle = static_cast<module_handle>(++last_);
  modules_.emplace(last_, std::move(made));
  return handle;
}

SIMTFLOW_INLINE bool module_table::unload(module_handle m) {
  const auto at = modules_.find(static_cast<std::uint64_t>(m));
  if (at == modules_.end()) return false;
  for (const auto& [name, k] : at->second->kernels) kernels_.erase(static_cast<std::uint64_t>(k));
  modules_.erase(at);
  return true;
}

SIMTFLOW_INLINE kernel_handle module_table::kernel(module_handle m, std::string_view name) {
  const auto at = modules_.find(static_cast<std::uint64_t>(m));
  if (at == modules_.end()) return {};
  entry& of = *at->second;
  std::string key(name);
  if (const auto known = of.kernels.find(key); known != of.kernels.end()) return known->second;
  if (of.module.find(name) == nullptr) return {};
  const auto handle = static_cast<kernel_handle>(++last_);
  auto made = std::make_unique<loaded_kernel>();
  made->owner = m;
  made->name = key;
  kernels_.emplace(last_, std::move(made));
  of.kernels.emplace(std::move(key), handle);
  return handle;
}

SIMTFLOW_INLINE std::vector<std::string> module_table::kernel_names(module_handle m) const {
  std::vector<std::string> names;
  if (const ptx::module* of = find(m))
    for (const ptx::kernel& k : of->kernels) names.push_back(k.name);
  return names;
}

SIMTFLOW_INLINE loaded_kernel* module_table::find(kernel_handle k) {
  const auto at = kernels_.find(static_cast<std::uint64_t>(k));
  return at == kernels_.end() ? nullptr : at->second.get();
}

SIMTFLOW_INLINE bool module_table::prepare(loaded_kernel& k, std::span<const std::string> transforms) {
  if (k.runnable) return true;
  if (!k.refused.empty()) return false;
  const ptx::module* of = find(k.owner);
  SIMTFLOW_EXPECTS(of != nullptr, "a kernel of a module that is loaded");
  const ptx::module* text = of;
  transformed_module changed;
  if (!transforms.empty()) {
    changed = transform_kernel(*of, k.name, transforms);
    k.remarks = std::move(changed.remarks);
    if (changed.changed) text = &changed.module;
  }
  const auto checked = (ptx::verify)(*text, *text->find(k.name));
  if (!checked) {
    k.refused = checked.diagnostics();
    return false;
  }
  result<ptx::decoded_kernel> decoded = ptx::decode(*checked);
  if (!decoded) {
    k.refused = std::move(decoded).diagnostics();
    return false;
  }
  k.attributes = detail::attributes_of(*of, *decoded, ptx::register_pressure_of(*checked).estimate);
  k.runnable = std::make_unique<runnable_kernel>(*std::move(decoded));
  return true;
}

SIMTFLOW_INLINE symbol_place module_table::symbol(module_handle m, std::string_view name,
                                                  const ptx::device_memory& memory) const {
  const ptx::module* of = find(m);
  if (of == nullptr) return {};
  for (const ptx::variable& v : of->variables)
    if (v.name == name && !v.is_extern)
      return {memory.symbol(of->id, name), v.size, v.space == ptx::state_space::constant};
  return {};
}

SIMTFLOW_INLINE std::string_view module_table::text(module_handle m) const {
  const auto at = modules_.find(static_cast<std::uint64_t>(m));
  return at == modules_.end() ? std::string_view() : std::string_view(at->second->text);
}

SIMTFLOW_INLINE const ptx::module* module_table::find(module_handle m) const {
  const auto at = modules_.find(static_cast<std::uint64_t>(m));
  return at == modules_.end() ? nullptr : &at->second->module;
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
