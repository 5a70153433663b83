// SPDX-License-Identifier: BSL-1.0
//
// A function that makes sense, as a type: verify() (verifier.hpp) returns one if nothing is wrong with the text.
// Everything that reads the meaning of PTX takes it: decode(), def_use, melding_model, rewrite(), meld().
// Spelling is read once: the operations are parsed here, the basic blocks are found here, and nobody does it again.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {
struct checked_maker;
}  // namespace detail

/// A kernel or device function without mistakes, with its parsed operations and its basic blocks. verify() makes it.
///
/// It points to the module and to the function. Both must outlive it and must not change while it is in use. A copy
/// copies the operations and blocks. A declaration has no operation and one empty block.
class checked_function {
 public:
  /// The module that the function belongs to. O(1).
  [[nodiscard]] const module& owner() const { return *module_; }
  /// The function as it stands in the module. O(1).
  [[nodiscard]] const function& text() const { return *function_; }

  /// The operation of each instruction, by its number in the function. O(1).
  [[nodiscard]] std::span<const operation> operations() const& { return operations_; }
  std::span<const operation> operations() const&& = delete;
  /// The operation of instruction i. \pre i is an instruction of the function. O(1).
  [[nodiscard]] const operation& operation_of(std::uint32_t i) const& {
    SIMTFLOW_EXPECTS(i < operations_.size(), "an instruction of the function");
    return operations_[i];
  }
  const operation& operation_of(std::uint32_t i) const&& = delete;

  /// The basic blocks and their graph. O(1).
  [[nodiscard]] const function_blocks& blocks() const& { return blocks_; }
  const function_blocks& blocks() const&& = delete;

 private:
  friend struct detail::checked_maker;
  checked_function(const module& m, const function& f, std::vector<operation> operations)
      : module_(&m), function_(&f), operations_(std::move(operations)), blocks_(m, f) {}

  const module* module_;
  const function* function_;
  std::vector<operation> operations_;  // by instruction
  function_blocks blocks_;
};

namespace detail {

// The two ways to a checked_function.
struct checked_maker {
  // \pre the verifier found nothing wrong with f, and the operations are those that it parsed.
  static checked_function verified(const module& m, const function& f, std::vector<operation> operations) {
    return checked_function(m, f, std::move(operations));
  }
  // A function that a transform has written, correct by construction. Each spelling is parsed once.
  static checked_function written(const module& m, const function& f) {
    std::unordered_map<std::string_view, operation> known;
    std::vector<operation> operations;
    operations.reserve(f.instructions.size());
    for (const instruction& i : f.instructions) {
      const auto found = known.find(i.opcode);
      operations.push_back(found != known.end() ? found->second
                                                : known.emplace(i.opcode, *parse_operation(i.opcode)).first->second);
    }
    return checked_function(m, f, std::move(operations));
  }
};

}  // namespace detail

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
