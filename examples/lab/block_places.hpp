// SPDX-License-Identifier: BSL-1.0
//
// Finds the block of a kernel that contains an instruction of its text. Analyses and transforms number the blocks of
// the text (text/function_blocks.hpp); runs use the blocks of decode(), which also end at barriers and calls. A person
// always reads the number of decode() (simtflow/block_name.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lab {

/// The blocks of one kernel and of the functions it calls by the places of their instructions in the text.
class block_places {
 public:
  /// O(instructions log instructions).
  explicit block_places(const simtflow::ptx::decoded_kernel& kernel);

  /// The block that the instruction at this place is in; no_block if there is none. O(log instructions).
  [[nodiscard]] simtflow::block_id at(simtflow::position where) const;

  /// The block of the kernel that begins, or ends, with block b of the text. If the text has been rewritten: the block
  /// that held the first, or the last, instruction of b before; no_block if all of b is new.
  [[nodiscard]] simtflow::block_id begin_of(const simtflow::ptx::function& f,
                                            const simtflow::ptx::function_blocks& blocks, simtflow::block_id b) const;
  [[nodiscard]] simtflow::block_id end_of(const simtflow::ptx::function& f,
                                          const simtflow::ptx::function_blocks& blocks, simtflow::block_id b) const;

  /// "BB6 $L__BB0_6", the block where b of the text begins; for a new block its label, or "a new block".
  [[nodiscard]] std::string name(const simtflow::ptx::function& f, const simtflow::ptx::function_blocks& blocks,
                                 simtflow::block_id b) const;
  /// "BB6 $L__BB0_6", the block that ends with the branch at this place; `otherwise` if no instruction is there.
  [[nodiscard]] std::string name_at(simtflow::position where, const std::string& otherwise) const;

  /// The source line that the instruction at this place comes from, "my.cu:17"; empty if the text does not say it.
  [[nodiscard]] std::string source_at(simtflow::position where) const;
  /// "line 31, my.cu:17", the line of the text and the source line; "line 31" if the text does not say that.
  [[nodiscard]] std::string line_at(simtflow::position where) const;

 private:
  struct entry {
    simtflow::position where;
    simtflow::block_id block;
    std::uint32_t place;  // in sources_
  };
  [[nodiscard]] const entry* find(simtflow::position where) const;

  std::vector<entry> sorted_;
  std::vector<std::string> labels_;  // by block
  simtflow::ptx::source_map sources_;
};

}  // namespace lab
