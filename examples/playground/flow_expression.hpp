// SPDX-License-Identifier: BSL-1.0
//
// Conditions and numbers of the playground's notation (flow_program.hpp), as postfix code. A condition is a number:
// 0 is false.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace playground {

enum class flow_op : unsigned char {
  number,   ///< pushes the value
  thread,   ///< pushes the number of the thread in its thread block
  lane,     ///< pushes the number of the thread in its warp
  warp,     ///< pushes the number of the warp
  threads,  ///< pushes the number of threads
  visits,   ///< pushes how often the thread ran this block before
  random,   ///< pushes a number from 0 to 99 that depends on thread, block and visits
  is,       ///< pushes 1 if the flag is set
  take,     ///< pushes 1 and sets the flag if it was clear, else pushes 0
  add,
  subtract,
  multiply,
  divide,     ///< by 0: 0
  remainder,  ///< by 0: 0
  negate,
  equal,
  unequal,
  less,
  at_most,
  opposite,  ///< 1 for 0, else 0
  truth,     ///< 0 for 0, else 1
  and_then,  ///< if the value is 0, skips so many operations; else pops it
  or_else    ///< if the value is not 0, skips so many operations; else pops it
};

struct flow_operation {
  flow_op op = flow_op::number;
  std::int64_t value = 0;  ///< a number; a flag; operations to skip
};

using flow_code = std::vector<flow_operation>;

/// The thread that asks.
struct flow_thread {
  std::int64_t thread = 0, lane = 0, warp = 0, threads = 0;
  std::int64_t block = 0, visits = 0;
};

/// The value of an expression for a thread. Sums and products are modulo 2^64. O(operations). `flags`: non-zero is set.
/// \pre the code is an expression as parse_flow() makes it.
[[nodiscard]] std::int64_t value_of(std::span<const flow_operation> code, const flow_thread& t,
                                    std::span<unsigned char> flags);

/// True if the code has that operation.
[[nodiscard]] bool uses(std::span<const flow_operation> code, flow_op op);

}  // namespace playground
