// SPDX-License-Identifier: BSL-1.0
//
// The parameters in `pass<one;two=X>`.
#pragma once

#include <simtflow/interop/llvm_meld.hpp>
#include <simtflow/transform/guard_tree.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>
#include <optional>

namespace plugin {

using namespace simtflow;

// Sets `out` to the choice with this name. Returns false if no choice has it.
template <class T, class... Choices>
bool take_choice(llvm::StringRef name, T& out, const Choices&... choices) {
  return ((name == llvm::StringRef(to_string(choices).data(), to_string(choices).size()) && (out = choices, true)) ||
          ...);
}

// Parameters of the passes that apply a plan.
struct plan_parameters {
  std::optional<guard_optimization> guards;  // without: the default of the transform
  bool always = false;                       // linearize: also where it does not pay
  bool prove = true;                         // check_plan
  std::uint32_t number = 0;                  // stack-depth: the limit; struct: the most blocks
  std::uint32_t memory = 0;                  // interleave: cycles of a load; 0: the default
  std::uint32_t warps = 1;                   // interleave: warps that take turns
  bool alone = false;                        // partial: one lane runs the result
};

// One parameter; each of these returns false if it is wrong.
inline bool take_proof(llvm::StringRef text, plan_parameters& out) {
  if (text == "no-proof") out.prove = false;
  return text == "no-proof";
}
inline bool take_guards(llvm::StringRef text, plan_parameters& out) {
  const auto [name, value] = text.split('=');
  using level = guard_optimization;
  if (name == "guards") return take_choice(value, out.guards, level::none, level::o1, level::o2, level::o3, level::o4);
  return take_proof(text, out);
}
inline bool take_linearize(llvm::StringRef text, plan_parameters& out) {
  if (text == "always") out.always = true;
  return text == "always" || take_guards(text, out);
}
inline bool take_depth(llvm::StringRef text, plan_parameters& out) {
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') return !text.getAsInteger(10, out.number) && out.number >= 2;
  return take_guards(text, out);
}
inline bool take_interleave(llvm::StringRef text, plan_parameters& out) {
  const auto [name, value] = text.split('=');
  if (name == "memory") return !value.getAsInteger(10, out.memory) && out.memory > 0;
  if (name == "warps") return !value.getAsInteger(10, out.warps) && out.warps > 0;
  return take_proof(text, out);
}
inline bool take_partial(llvm::StringRef text, plan_parameters& out) {
  if (text == "alone") out.alone = true;
  return text == "alone";
}
inline bool take_struct(llvm::StringRef text, plan_parameters& out) {
  const auto [name, value] = text.split('=');
  if (name == "blocks") return !value.getAsInteger(10, out.number) && out.number > 0;
  return take_proof(text, out);
}
inline bool take_meld(llvm::StringRef text, llvm_meld_options& options) {
  const auto [name, value] = text.split('=');
  if (text == "fuse") {
    options.search.mode = meld_mode::fusion;
  } else if (text == "tail") {
    options.search.mode = meld_mode::tail;
  } else if (name == "threshold") {
    return !value.getAsDouble(options.search.threshold) && options.search.threshold >= 0 &&
           options.search.threshold <= 1;
  } else if (name == "score") {
    return take_choice(value, options.search.score, meld_score::expected, meld_score::paper);
  } else if (name == "unpredicate") {
    return take_choice(value, options.code.unpredicate, meld_unpredication::automatic, meld_unpredication::always,
                       meld_unpredication::never);
  } else {
    return false;
  }
  return true;
}

// Reads `text` as `pass` with parameters, each by take(parameter, out). Returns nothing if it is another pass, or is
// wrong; then a message says which of the `known` parameters there are.
template <class Out, class Take>
std::optional<Out> parameters(llvm::StringRef text, llvm::StringRef pass, const char* known, const Take& take) {
  Out out;
  if (!text.consume_front(pass)) return std::nullopt;
  if (text.empty()) return out;
  if (!text.consume_front("<") || !text.consume_back(">")) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> list;
  text.split(list, ';');
  for (const llvm::StringRef one : list) {
    if (take(one, out)) continue;
    llvm::errs() << pass << ": '" << one << "' is none of " << known << '\n';
    return std::nullopt;
  }
  return out;
}

}  // namespace plugin
