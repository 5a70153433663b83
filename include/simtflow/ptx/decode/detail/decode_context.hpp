// SPDX-License-Identifier: BSL-1.0
//
// The state that the parts of the decoder share: the module, the kernel, the functions that are decoded with it, the
// result so far.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

struct decode_context {
  // The place of a variable.
  struct place {
    enum class what : std::uint8_t { none, offset, frame, dynamic, global };
    what kind = what::none;
    std::uint64_t offset = 0;  // in its memory, in the frame, or the index of a global
  };

  // The agreement between a call and a function: where in the callee's frame parameters and results lie.
  struct formal {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    friend bool operator==(const formal&, const formal&) = default;
  };
  struct formals {
    std::vector<formal> parameters;
    std::vector<formal> results;
    std::uint64_t bytes = 0;
    friend bool operator==(const formals&, const formals&) = default;
  };

  // A function while it is decoded.
  struct function_body {
    const function* text = nullptr;
    std::vector<operation> parsed;          // shown by `operations`, unless the caller has verified the function
    std::span<const operation> operations;  // by instruction
    std::vector<place> places;              // by variable
    formals signature;
    std::uint64_t frame_align = 16;
    std::uint32_t first_instruction = 0;
    block_id first_block = 0, last_block = 0;
    std::vector<slot_ref> registers;
  };

  decode_context(const module& m, const ptx::kernel& k) : owner(m), kernel(k), aliases(resolve_aliases(m)) {
    out.from_module = m.id;
    out.name = k.name;
    out.address_size = k.address_size;
    for (int i = 0; i < 3; ++i) {
      out.max_threads[i] = k.max_threads[i];
      out.required_threads[i] = k.required_threads[i];
    }
    out.function_at.assign(m.functions.size(), no_index);
  }

  void fail(position where, std::string message) { add_diagnostic(found, where, std::move(message)); }
  // The function that is decoded now, and its text. The kernel comes first.
  function_body& body() { return bodies[current]; }
  const function_body& body() const { return bodies[current]; }
  const function& text() const { return *bodies[current].text; }
  bool in_kernel() const { return current == 0; }
  const std::vector<slot_ref>& registers() const { return body().registers; }

  static std::uint64_t align_up(std::uint64_t v, std::uint64_t a) { return (v + a - 1) / a * a; }

  // The module's function that has the code of a function: itself, or the function that its name is an alias of.
  std::uint32_t behind_alias(std::uint32_t f) const { return aliases[f]; }

  static bool is_call(const instruction& i) { return opcode_head(i) == "call"; }
  static bool is_guarded(const instruction& i) { return i.guard != no_index; }
  bool stops(const instruction& i) const { return never_returns(owner, text(), i); }

  // True if a function takes memory from the stack of its thread while it runs.
  bool allocates(std::size_t f) const {
    for (const operation& o : bodies[f].operations)
      if (o.name == mnemonic::alloca_) return true;
    return false;
  }

  enum class system_function : std::uint8_t { none, vprintf, assert_fail, allocate, release };
  system_function system_function_of(const function& f) const {
    if (f.has_body) return system_function::none;
    const system_function named = f.name == "vprintf"        ? system_function::vprintf
                                  : f.name == "__assertfail" ? system_function::assert_fail
                                  : f.name == "malloc"       ? system_function::allocate
                                  : f.name == "free"         ? system_function::release
                                                             : system_function::none;
    return has_system_shape(f, named) ? named : system_function::none;
  }
  // True if a function takes and returns what that operation reads and writes: addresses, the line of an assertion, the
  // size of a block.
  bool has_system_shape(const function& f, system_function named) const {
    const auto scalar = [](const variable& v) { return v.extents.empty() && v.width == 1; };
    if (named == system_function::allocate || named == system_function::release) {
      const std::size_t results = named == system_function::allocate ? 1 : 0;
      return f.parameters.size() == 1 && f.results.size() == results && scalar(f.parameters[0]) &&
             f.parameters[0].size == 8 && (results == 0 || (scalar(f.results[0]) && f.results[0].size == 8));
    }
    const bool asserts = named == system_function::assert_fail;
    if (f.parameters.size() != (asserts ? 5U : 2U) || f.results.size() > 1) return false;
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
      const variable& v = f.parameters[n];
      const bool line = asserts && n == 2;
      if (!scalar(v) || !(line ? v.size == 4 : v.size == 8 || v.size * 8 == kernel.address_size)) return false;
    }
    return f.results.empty() || (scalar(f.results[0]) && f.results[0].size == 4);
  }

  // Bytes of a parameter in a register (for a vector: of each register); a predicate takes one byte, 0 or 1.
  static std::uint32_t register_bytes(const variable& v) { return v.type == scalar_type::pred ? 1 : info(v.type).size; }
  scalar_type address_type() const { return kernel.address_size == 32 ? scalar_type::u32 : scalar_type::u64; }
  const operation& operation_of(std::size_t i) const { return body().operations[i]; }

  const module& owner;
  const ptx::kernel& kernel;
  decoded_kernel out;
  simtflow::diagnostics found;
  std::vector<function_body> bodies;   // by function of the result
  std::size_t current = 0;             // in bodies
  std::vector<std::uint32_t> aliases;  // by function of the module
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
