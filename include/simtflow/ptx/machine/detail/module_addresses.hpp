// SPDX-License-Identifier: BSL-1.0
//
// The addresses that loaded modules have in a memory: of their variables and of their functions.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/detail/by_name.hpp>
#include <simtflow/ptx/machine/memory_bytes.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class module_addresses {
 public:
  // One module. Its functions have the addresses after `code`.
  struct loaded {
    std::uint64_t code = 0;  // 0: its functions have no addresses yet
    std::uint32_t functions = 0;
    by_name<std::uint64_t> symbols;      // addresses of variables
    by_name<std::uint64_t> on_the_host;  // addresses of variables that lie in borrowed memory, loaded or not
  };

  // Forgets all variables of a module: their addresses.
  std::vector<std::uint64_t> forget_variables(module_id id) {
    const auto m = all_.find(id);
    std::vector<std::uint64_t> addresses;
    if (m == all_.end()) return addresses;
    for (const auto& [name, address] : m->second.symbols) addresses.push_back(address);
    for (const auto& [name, address] : m->second.on_the_host)
      if (m->second.symbols.find(std::string_view(name)) == m->second.symbols.end()) addresses.push_back(address);
    m->second.symbols.clear();
    m->second.on_the_host.clear();
    return addresses;
  }
  // The module, known from now on.
  loaded& of(module_id id) { return all_[id]; }
  // The module, with addresses for its functions.
  loaded& of(module_id id, std::uint32_t functions) {
    loaded& m = all_[id];
    if (m.code == 0) {
      SIMTFLOW_EXPECTS(functions < (first_global_address - next_code_) / code_stride, "addresses for all functions");
      m.code = next_code_;
      m.functions = functions;
      next_code_ += code_stride * (std::uint64_t{functions} + 1);
    }
    SIMTFLOW_EXPECTS(m.functions == functions, "copies of a module have the same functions");
    return m;
  }

  [[nodiscard]] std::uint64_t symbol(module_id id, std::string_view name) const {
    const auto m = all_.find(id);
    if (m == all_.end()) return 0;
    const auto found = m->second.symbols.find(name);
    return found == m->second.symbols.end() ? 0 : found->second;
  }
  [[nodiscard]] std::uint64_t function_address(module_id id, std::uint32_t function) const {
    const auto m = all_.find(id);
    if (m == all_.end() || function >= m->second.functions) return 0;
    return m->second.code + code_stride * (std::uint64_t{function} + 1);
  }
  [[nodiscard]] std::uint32_t function_at(module_id id, std::uint64_t address) const {
    const auto m = all_.find(id);
    if (m == all_.end() || address <= m->second.code) return no_index;
    const std::uint64_t bytes = address - m->second.code;
    if (bytes % code_stride != 0 || bytes / code_stride > m->second.functions) return no_index;
    return static_cast<std::uint32_t>(bytes / code_stride - 1);
  }
  [[nodiscard]] module_id module_at(std::uint64_t address) const {
    for (const auto& [id, m] : all_)
      if (function_at(id, address) != no_index) return id;
    return {};
  }

 private:
  struct id_hash {
    std::size_t operator()(module_id m) const noexcept { return static_cast<std::size_t>(m); }
  };
  std::unordered_map<module_id, loaded, id_hash> all_;
  std::uint64_t next_code_ = code_window;
};

// Writes the addresses that the initialiser of a loaded variable takes. \pre all of them are of loaded variables, or of
// functions given by number.
inline void relocate(const variable& v, module_id id, const module_addresses& known, memory_bytes& bytes) {
  for (const relocation& r : v.relocations) {
    const std::uint64_t target =
        r.function != no_index ? known.function_address(id, r.function) : known.symbol(id, r.symbol);
    const std::uint64_t value = (target + r.addend) >> r.shift;
    for (std::uint32_t i = 0; i < r.size && r.offset + i < bytes.size(); ++i)
      bytes[static_cast<std::size_t>(r.offset + i)] = static_cast<unsigned char>(value >> (8 * i));
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
