// SPDX-License-Identifier: BSL-1.0
//
// Classes of instructions with the same timing. A machine states latency, initiation interval and unit of each class;
// a program states the class of each instruction.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The operation of an instruction, as far as its timing goes.
enum class instruction_class : unsigned char {
  simple,    ///< move, logic, shift, conversion, comparison, selection, and whatever has no class of its own
  int_add,   ///< addition and subtraction of integers
  int_max,   ///< minimum and maximum of integers
  int_mul,   ///< multiplication of integers
  int_mad,   ///< multiplication and addition of integers in one instruction
  int_div,   ///< division and remainder of integers
  fp_add,    ///< addition of numbers in single or half precision
  fp_max,    ///< minimum and maximum in single or half precision
  fp_mul,    ///< multiplication in single or half precision
  fp_mad,    ///< multiplication and addition in one instruction, in single or half precision
  fp_div,    ///< division in single or half precision
  dp_add,    ///< addition in double precision
  dp_max,    ///< minimum and maximum in double precision
  dp_mul,    ///< multiplication in double precision
  dp_mad,    ///< multiplication and addition in one instruction, in double precision
  dp_div,    ///< division in double precision
  special,   ///< reciprocal, square root, sine, cosine, logarithm, power of two
  control,   ///< branch, call, return, exit
  barrier,   ///< barrier of a thread block
  exchange,  ///< shuffle and vote between the lanes of a warp
  load,      ///< reads memory
  store,     ///< writes memory
  atomic     ///< reads and writes memory in one step
};

/// The number of classes.
inline constexpr std::size_t num_instruction_classes = 23;

/// The name of a class as an enumerator spells it: "int_add". \returns "" for a value that is no class.
[[nodiscard]] constexpr const char* to_string(instruction_class kind) {
  constexpr const char* names[num_instruction_classes] = {
      "simple",  "int_add", "int_max", "int_mul",  "int_mad", "int_div", "fp_add", "fp_max",
      "fp_mul",  "fp_mad",  "fp_div",  "dp_add",   "dp_max",  "dp_mul",  "dp_mad", "dp_div",
      "special", "control", "barrier", "exchange", "load",    "store",   "atomic"};
  const std::size_t at = static_cast<std::size_t>(kind);
  return at < num_instruction_classes ? names[at] : "";
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
