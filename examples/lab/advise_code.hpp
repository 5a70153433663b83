// SPDX-License-Identifier: BSL-1.0
//
// A transformed kernel beside the kernel that it was made of, by the places of instructions in the text: these survive
// every transform.
#pragma once

#include "lab/transform_steps.hpp"
#include <simtflow/advice/changed_paths.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// The block that an instruction of the text is in, and its number there.
struct instruction_place {
  simtflow::block_id block = simtflow::no_block;
  std::uint32_t number = 0;
  std::string opcode;
};
/// By line and column. Branches are not in it: transforms write them anew.
using place_map = std::map<std::pair<std::uint32_t, std::uint32_t>, instruction_place>;

/// O(instructions log instructions).
[[nodiscard]] place_map places_of(const simtflow::ptx::decoded_kernel& kernel);

/// The pieces of the old kernel in a transformed one. An instruction that two have become is in the blocks of both.
/// \pre `now` was decoded from the module that the transform made, and not from its text
[[nodiscard]] std::vector<simtflow::advice::code_piece> pieces_of(const simtflow::ptx::decoded_kernel& now,
                                                                  const place_map& old, const melded_places& pairs);

}  // namespace lab
