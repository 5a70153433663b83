// SPDX-License-Identifier: BSL-1.0
//
// The transforms of a device: each makes a plan or code, which is proved before it takes the kernel's place.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/kernel_transforms.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/check_rewrite.hpp>
#include <simtflow/ptx/transform/interleave.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/merge_loops.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

// The outcome of a transform: new code, a plan for it, both, or nothing.
struct transform_result {
  std::string words{};                // what was done, or why nothing was
  std::vector<ptx::function> code{};  // at most one
  std::vector<flow_plan> plan{};      // at most one: for `code`, else for the kernel as it was
};

inline std::string counted(std::size_t n, const char* one, const char* several) {
  return std::to_string(n) + " " + (n == 1 ? one : several);
}

inline transform_result linearize_kernel(const ptx::checked_function& f) {
  const ptx::latencies weights;
  const ptx::warp_profile unknown;
  const ptx::melding_model model(f, weights, unknown);
  const auto convergent = [&](block_id b) { return f.blocks().is_convergent(b); };
  linearization made =
      linearize_where_it_pays(f.blocks().graph(), model, {}, convergent,
                              linearization_costs::of_instructions(weights[ptx::latency_class::other]));
  transform_result out;
  out.words = counted(made.regions.size(), "region", "regions") + " linearized, " + std::to_string(made.kept.size()) +
              " would not pay";
  if (!made.regions.empty()) out.plan.push_back(std::move(made.plan));
  return out;
}

inline transform_result meld_kernel(const ptx::checked_function& f, meld_mode mode) {
  ptx::melding_options options;
  options.search.mode = mode;
  result<ptx::melding> made = ptx::meld(f, options);
  if (!made) return {"refused: " + to_string(made.diagnostics().front())};
  transform_result out;
  out.words = counted(made->report.melded.size(), "branch", "branches") + " melded, " +
              std::to_string(made->report.refused.size()) + " not";
  if (!made->report.melded.empty()) out.code.push_back(std::move(made->code));
  return out;
}

inline transform_result fully_meld_kernel(const ptx::checked_function& f) { return meld_kernel(f, meld_mode::full); }
inline transform_result fuse_kernel(const ptx::checked_function& f) { return meld_kernel(f, meld_mode::fusion); }
inline transform_result tail_merge_kernel(const ptx::checked_function& f) { return meld_kernel(f, meld_mode::tail); }

inline transform_result interleave_kernel(const ptx::checked_function& f) {
  result<ptx::interleaving> made = ptx::interleave(f);
  if (!made) return {"refused: " + to_string(made.diagnostics().front())};
  transform_result out;
  out.words = std::to_string(made->interleaved) + " of " + counted(made->branches.size(), "branch", "branches") +
              " interleaved";
  if (made->interleaved == 0) return out;
  out.code.push_back(std::move(made->code));
  out.plan.push_back(std::move(made->plan));
  return out;
}

inline transform_result merge_kernel_loops(const ptx::checked_function& f) {
  ptx::loop_merging made = ptx::merge_loops(f);
  transform_result out;
  out.words = std::to_string(made.merged) + " of " + counted(made.nests.size(), "nest", "nests") + " merged";
  if (made.merged != 0) out.plan.push_back(std::move(made.plan));
  return out;
}

struct transform_maker {
  kernel_transform row;
  transform_result (*make)(const ptx::checked_function& f);
};

inline constexpr transform_maker transform_makers[] = {
    {{"linearize", "guard linearization of unstructured regions"}, linearize_kernel},
    {{"merge-loops", "inner loops merged with the loops around them"}, merge_kernel_loops},
    {{"interleave", "arms of branches cut where they wait for memory"}, interleave_kernel},
    {{"meld", "control-flow melding of the arms of divergent branches"}, fully_meld_kernel},
    {{"fuse", "branch fusion: melding of arms that are single blocks"}, fuse_kernel},
    {{"tail-merge", "the instructions in which both arms end alike"}, tail_merge_kernel}};

// The kernel after one transform; `f` itself if nothing was done. `words` says what was done.
inline bool apply_transform(const ptx::module& m, ptx::function& kernel, const transform_maker& maker,
                            std::string& words) {
  const result<ptx::checked_function> before = (ptx::verify)(m, kernel);
  if (!before) {
    words = "refused: " + to_string(before.diagnostics().front());
    return false;
  }
  transform_result made = maker.make(*before);
  words = made.words;
  if (made.code.empty() && made.plan.empty()) return false;
  ptx::function code = made.code.empty() ? kernel : std::move(made.code.front());
  if (!made.plan.empty()) {
    const result<ptx::checked_function> base = (ptx::verify)(m, code);
    if (!base || check_plan(base->blocks().graph(), made.plan.front())) {
      words += "; the plan is wrong and was not applied";
      return false;
    }
    result<ptx::function> written = ptx::rewrite(*base, made.plan.front());
    if (!written) {
      words = "refused: " + to_string(written.diagnostics().front());
      return false;
    }
    if (!ptx::check_rewrite(*base, made.plan.front(), *written).empty()) {
      words += "; the code is wrong and was not applied";
      return false;
    }
    code = *std::move(written);
  }
  kernel = std::move(code);
  return true;
}

}  // namespace detail

SIMTFLOW_INLINE std::span<const kernel_transform> kernel_transforms() {
  static const std::vector<kernel_transform> all = [] {
    std::vector<kernel_transform> rows;
    for (const detail::transform_maker& maker : detail::transform_makers) rows.push_back(maker.row);
    return rows;
  }();
  return all;
}

SIMTFLOW_INLINE transformed_module transform_kernel(const ptx::module& m, std::string_view kernel,
                                                    std::span<const std::string> names) {
  transformed_module out;
  out.module = m;
  ptx::function* k = nullptr;
  for (ptx::function& one : out.module.kernels)
    if (one.name == kernel) k = &one;
  if (k == nullptr) return out;
  for (const std::string& name : names) {
    std::string words = "there is no such transform";
    for (const detail::transform_maker& maker : detail::transform_makers)
      if (maker.row.name == name) out.changed = detail::apply_transform(out.module, *k, maker, words) || out.changed;
    out.remarks.push_back("kernel '" + k->name + "', " + name + ": " + words);
  }
  return out;
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
