// SPDX-License-Identifier: BSL-1.0
//
// The blocks of a kernel that may have been rewritten, by the names that a person reads and writes: a label, or the
// number of the block in the kernel as it was given.
#pragma once

#include "lab/block_places.hpp"
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <span>
#include <string>
#include <string_view>

namespace lab {

/// Names of blocks, and blocks of names. \pre both arguments of the constructor outlive it
class named_blocks {
 public:
  named_blocks(const simtflow::ptx::checked_function& f, const block_places& places)
      : function_(&f.text()), blocks_(&f.blocks()), places_(&places) {}

  /// The name: "BB6 $L__BB0_6".
  [[nodiscard]] std::string operator()(simtflow::block_id b) const { return places_->name(*function_, *blocks_, b); }
  /// The names of several, each with its first convergent instruction (a barrier, a vote, a call, ...) and the line of
  /// that; with the line where its code begins if it has none.
  [[nodiscard]] std::string joined(std::span<const simtflow::block_id> list) const;
  /// The name of the block that ends with the branch at this place; `otherwise` if no instruction is there.
  [[nodiscard]] std::string at(simtflow::position where, const std::string& otherwise) const {
    return places_->name_at(where, otherwise);
  }

  /// "line 31, my.cu:17": block_places::line_at() and source_at().
  [[nodiscard]] std::string line_at(simtflow::position where) const { return places_->line_at(where); }
  [[nodiscard]] std::string source_at(simtflow::position where) const { return places_->source_at(where); }

  /// The block of that name: a label, or the number of the block that held its last instruction before; no_block if
  /// there is none. \param option for the message: "--hub"
  /// \throws input_error if there are several of that number
  [[nodiscard]] simtflow::block_id find(std::string_view word, std::string_view option) const;

 private:
  const simtflow::ptx::function* function_;
  const simtflow::ptx::function_blocks* blocks_;
  const block_places* places_;
};

}  // namespace lab
