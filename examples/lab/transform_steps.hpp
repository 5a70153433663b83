// SPDX-License-Identifier: BSL-1.0
//
// Transforms of a kernel's control flow, one after the other, each on the code that the one before it has made.
//
// A kind of step is a row of the list in transform_steps.cpp: its option, and a function from the code as it is to a
// plan (which is then written) or to new code. A new kind needs an entry of transform_kind, that function, and a row;
// the command line is made from the rows.
#pragma once

#include "lab/files.hpp"
#include "lab/named_blocks.hpp"
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/transform/guard_tree.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

enum class transform_kind : unsigned char {
  linearize,
  copies,
  hub,
  fix_irreducible,
  unify_exits,
  merge_loops,
  interleave,
  stack_depth,
  partial,
  meld,
  fuse,
  tail_merge
};

struct transform_step {
  transform_kind kind = transform_kind::linearize;
  std::string operand = {};  ///< what the option was given, if its kind takes something
};

/// Settings of meld, fuse and tail_merge. The profile is also for linearize.
struct meld_settings {
  double threshold = 0.2;  ///< simtflow::meld_options::threshold
  simtflow::ptx::meld_code_options code{};
  simtflow::meld_score score = simtflow::meld_score::expected;  ///< `paper`: with the weights of the paper
  simtflow::ptx::warp_profile profile{};                        ///< of the kernel as it is given; empty: none
};

/// Settings of all steps.
struct step_settings {
  std::size_t most_copies = 65'536;  ///< blocks that `copies` may make of the kernel
  bool always = false;               ///< `linearize` takes every region, whether or not it pays
  bool leaves_regions = false;       ///< `linearize` takes none: a run has told that it does not pay
  bool guesses = false;              ///< `linearize` does not ask the profile
  /// Guards of linearize, merge_loops, interleave and stack_depth; empty: as each of them has them by default.
  std::optional<simtflow::guard_optimization> guards = {};
  meld_settings melding;
  bool proves = true;  ///< every plan is proved before it is applied
};

/// A step that is to be done.
struct step_input {
  const transform_step& step;
  const step_settings& settings;
  const simtflow::ptx::checked_function& code;  ///< as it is now
  const named_blocks& name_of;                  ///< the blocks of `code`
  const std::string& path;                      ///< for messages
};

/// Places of instructions in the text that have become one: left and right. The one that is left has the left place.
using melded_places = std::vector<std::pair<simtflow::position, simtflow::position>>;

/// The outcome of a step: a plan for the code, or new code, or new code with a plan for that.
struct step_outcome {
  std::optional<simtflow::flow_plan> plan = {};
  std::optional<simtflow::ptx::function> code = {};
  std::size_t melded = 0;  ///< branches
  bool rewritten = false;  ///< the code was changed without a plan and without melding
  std::vector<std::string> remarks = {};
  melded_places pairs = {};  ///< of instructions that have become one: left and right
  bool done = true;          ///< false: it could not be done, and the last remark says why
};

/// A kind of step.
struct transform_info {
  transform_kind kind;
  std::string_view option;     ///< without the dashes
  std::string_view operand;    ///< what it is given: "EDGES"; empty: nothing
  std::string_view otherwise;  ///< the operand that stands for none: the option takes it as in --merge-loops=BB3
  std::string_view what;
  bool guards;  ///< step_settings::guards is for it
  bool melds;   ///< the settings of melding are for it, and it has no plan
  step_outcome (*make)(const step_input&);
};
/// All kinds, in the order of the help.
[[nodiscard]] std::span<const transform_info> transforms();
/// One of them.
[[nodiscard]] const transform_info& info_of(transform_kind kind);
/// A step as the command line has it: "--hub unstructured"; "--merge-loops=BB3"; without an operand "--linearize".
[[nodiscard]] std::string option_of(const transform_step& step);

/// The levels of guards, the least first. to_string() names them as the command line does.
inline constexpr simtflow::guard_optimization guard_levels[] = {
    simtflow::guard_optimization::none, simtflow::guard_optimization::o1, simtflow::guard_optimization::o2,
    simtflow::guard_optimization::o3, simtflow::guard_optimization::o4};

/// A plan is wrong: a mistake of the transform.
class wrong_plan : public input_error {
 public:
  using input_error::input_error;
};
/// Proves the plan that a step has made. \throws wrong_plan with the way of one thread if it is wrong.
void prove(const simtflow::flow_plan& plan, const step_input& in);

/// The result of transforming a kernel.
struct transformed_kernel {
  simtflow::ptx::module module;  ///< with the kernel as it is now
  simtflow::plan_cost added{};   ///< by all steps
  std::size_t melded = 0;        ///< branches
  std::size_t proved = 0;        ///< plans and melded branches; partial linearization has neither
  bool rewritten = false;        ///< by a step without a plan that does not meld
  std::vector<std::string> remarks{};
  melded_places pairs{};  ///< by all steps
  bool done =
      true;  ///< false: a step could not be done, and the kernel is as it was before that; the last remark says why

  /// True if something was added or melded.
  [[nodiscard]] bool changed() const { return added.guards + added.copies + added.empties + melded != 0 || rewritten; }
};

/// Transforms one kernel of a module. `path` is for messages.
/// `drawing`, if there is one, takes the plan of the last step that has one (melding has none) as DOT text.
/// \throws input_error if the kernel has mistakes, or an edge is none of it; or a plan is wrong, which is a mistake of
/// the transform.
[[nodiscard]] transformed_kernel transformed(const simtflow::ptx::module& module, std::string_view kernel,
                                             std::span<const transform_step> steps, const std::string& path,
                                             const step_settings& settings = {}, std::string* drawing = nullptr);

/// A kernel of a module, checked. \throws input_error if it has mistakes. \pre both outlive the result
[[nodiscard]] simtflow::ptx::checked_function checked(const simtflow::ptx::module& m, const simtflow::ptx::kernel& k,
                                                      const std::string& path);

}  // namespace lab
