// SPDX-License-Identifier: BSL-1.0
//
// Faults: something that a lane cannot do; who, where, and in words.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The ways in which a run can fail.
enum class fault_kind : std::uint8_t {
  none,           ///< nothing happened
  out_of_bounds,  ///< the bytes are not all in one allocation, or outside shared, local or parameter memory
  misaligned,     ///< the address is no multiple of the access size
  read_only,      ///< a store to constant memory or a parameter
  trap,           ///< the kernel says so itself
  call_overflow,  ///< calls nested too deep, or more local memory for recursive functions than there is
  bad_target,     ///< a call of what is no function or another kind of function, a brx.idx beyond its table
  bad_exchange,   ///< lanes of a warp that are to exchange values are not together, or not all meant
  bad_barrier,    ///< a barrier number or a number of threads that no barrier has
  bad_texture,    ///< a handle of no texture or surface, another shape, an access outside a surface that traps
  assertion,      ///< an assert() of the kernel does not hold
  bad_mbarrier,   ///< no mbarrier is there, or it cannot count that
  bad_free,       ///< free() of what malloc() has not given, or of what was freed before
  bad_stack       ///< alloca of more local memory than there is; stackrestore of what stacksave has not given
};

/// The name of a kind of fault; fault_info::describe() makes a sentence.
[[nodiscard]] constexpr std::string_view to_string(fault_kind e) {
  constexpr std::string_view names[] = {"none",          "out_of_bounds", "misaligned",   "read_only",   "trap",
                                        "call_overflow", "bad_target",    "bad_exchange", "bad_barrier", "bad_texture",
                                        "assertion",     "bad_mbarrier",  "bad_free",     "bad_stack"};
  return names[static_cast<std::size_t>(e)];
}

namespace detail {
inline std::string hexadecimal(std::uint64_t v) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string s;
  do {
    s.insert(s.begin(), digits[v % 16]);
    v /= 16;
  } while (v != 0);
  return "0x" + s;
}
}  // namespace detail

/// A fault: something that a lane cannot do. Memory written before stays written.
struct fault_info {
  fault_kind kind = fault_kind::none;         ///< what happened; none: nothing, and nothing below means anything
  std::string kernel;                         ///< its name
  std::string function;                       ///< of the kernel, in which it happened; empty: in the kernel's own code
  std::string opcode;                         ///< the instruction in full
  position where;                             ///< in the PTX text
  std::string source;                         ///< the source line, such as "my.cu:17"; empty: the text does not say it
  block_id block = no_block;                  ///< where the lane was
  std::string block_name;                     ///< decoded_kernel::block_name() of it
  std::uint32_t thread[3] = {0, 0, 0};        ///< which thread: %tid
  std::uint32_t thread_block[3] = {0, 0, 0};  ///< the thread block: %ctaid
  std::uint64_t address = 0;                  ///< of the memory access, or of the called function
  std::uint32_t size = 0;                     ///< bytes of the memory access
  state_space space = state_space::generic;   ///< of the memory access
  std::string hint;  ///< what lies near the address; what is wrong with a call, an exchange, a barrier; the assertion

  /// One sentence with everything in it.
  [[nodiscard]] std::string describe() const {
    if (kind == fault_kind::none) return "no fault";
    const auto three = [](const std::uint32_t(&s)[3]) {
      return "(" + std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]) + ")";
    };
    std::string s = "kernel '" + kernel + "', ";
    if (!function.empty()) s += "function '" + function + "', ";
    s += to_string(where) + ", ";
    if (!source.empty()) s += "at " + source + ", ";
    s += block_name + ", thread " + three(thread) + " of thread block " + three(thread_block) + ": '" + opcode + "' ";
    switch (kind) {
      case fault_kind::trap:
        return s + "stops the kernel";
      case fault_kind::call_overflow:
        return s + "nests calls too deep: " + hint;
      case fault_kind::bad_target:
        return s + "goes nowhere: " + hint;
      case fault_kind::bad_exchange:
        return s + "is not for the lanes that run it: " + hint;
      case fault_kind::bad_barrier:
        return s + "is no barrier: " + hint;
      case fault_kind::bad_texture:
        return s + "reaches no texel: " + hint;
      case fault_kind::bad_free:
        return s + "frees what is not there: " + hint;
      case fault_kind::bad_stack:
        return s + "leaves the stack: " + hint;
      case fault_kind::assertion:
        return s + "stops the kernel: " + hint;
      case fault_kind::bad_mbarrier:
        return s + "cannot be done: " + hint;
      default:
        break;
    }
    s += kind == fault_kind::out_of_bounds ? "is out of bounds"
         : kind == fault_kind::misaligned  ? "is misaligned"
                                           : "writes to read-only memory";
    s += ": " + std::to_string(size) + (size == 1 ? " byte" : " bytes") + " at " +
         (space == state_space::generic ? std::string("generic") : "." + std::string(to_string(space))) + " address " +
         detail::hexadecimal(address);
    if (!hint.empty()) s += " (" + hint + ")";
    return s;
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
