// SPDX-License-Identifier: BSL-1.0
//
// The branch profile of a run as rows (simtflow/simt/observers/branch_profile.hpp), for `run --branches` and
// `replay --branches`. README.md, section "Columns of --branches", says what each column means.
#pragma once

#include "lab/rows.hpp"
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/idle_cause.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab {

/// The place of a branch in the text.
struct branch_place {
  std::string label;        ///< of the block, if it has one
  std::uint32_t line = 0;   ///< of its last instruction, from 1; 0: there is no text
  std::string code;         ///< that instruction
  std::string source;       ///< the source line that it comes from: "my.cu:17"; empty: the text does not say it
  std::string source_text;  ///< the text of that line, if the file can be read
};

/// A block that ends in a branch, or that idle lane slots are charged to.
struct branch_row {
  simtflow::block_id block = simtflow::no_block;
  branch_place place;
  /// "diverged": lanes diverged here in this run. If it did not: "could": the analysis says that it can; "uniform": it
  /// cannot; "unknown": nobody has looked; "no branch": there is one way on.
  std::string kind;
  simtflow::branch_figures figures;
};

/// The profile of one run.
struct branch_rows {
  std::vector<branch_row> rows;                                 ///< most blamed first; equal ones by block
  std::array<std::uint64_t, simtflow::num_idle_causes> idle{};  ///< idle lane slots by cause
  std::uint64_t lane_slots = 0;                                 ///< of the run, idle or not

  /// All idle lane slots.
  [[nodiscard]] std::uint64_t all_idle() const;
};

/// Rows of the blocks that ran and have two ways on, or that idle slots are charged to.
/// \param kinds what an analysis says of each block's branch; may be empty. \param place of a block
[[nodiscard]] branch_rows branch_rows_of(const simtflow::branch_profile& profile, const simtflow::csr_graph& graph,
                                         std::span<const simtflow::branch_kind> kinds,
                                         const std::function<branch_place(simtflow::block_id)>& place);

/// A table with the name of the policy above it.
[[nodiscard]] std::string branch_table(const std::string& policy, const branch_rows& profile);

/// Adds the rows of one run.
void add_branch_rows(std::vector<table_row>& rows, const std::string& kernel, const std::string& policy,
                     const branch_rows& profile);
/// The columns of these rows.
[[nodiscard]] table_row branch_columns();

/// Adds the members "idle" and "branches".
void add_branches(nlohmann::ordered_json& run, const branch_rows& profile);

}  // namespace lab
