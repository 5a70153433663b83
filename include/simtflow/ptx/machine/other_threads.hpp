// SPDX-License-Identifier: BSL-1.0
//
// The instructions through which a thread of a kernel learns what other threads did, or which lanes happen to run with
// it. Two questions, both answered from the text alone:
//
//   strong reads   a thread that waits for another without a barrier reads until it sees what it waits for. Such a read
//                  is an atomic operation with a result or a volatile, relaxed or acquiring load; a compiler may hoist
//                  any other load out of the loop. A loop without strong reads waits for nobody
//   company        activemask, %clock, and exchanges without a member mask give a thread what depends on the lanes that
//                  run together, or on the order in which they run
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Memory Consistency Model" (strong operations); CUDA C++
// Programming Guide, "Independent Thread Scheduling"; ISO C++, [intro.progress].
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// By block: 1 if it holds a strong read or calls a function that may execute one, directly or through other calls.
/// Whether a loop without such a block terminates does not depend on what other threads do. O(operations + calls times
/// functions).
[[nodiscard]] inline std::vector<unsigned char> strong_reads(const decoded_kernel& k) {
  const auto is_strong = [&](const decoded_op& op) {
    if (op.kind == op_kind::atomic) return op.result != no_slot || op.count > 1;  // results of a vector are a list
    if (op.kind != op_kind::load || op.instruction >= k.opcodes.size()) return false;
    const std::string_view opcode = k.opcodes[op.instruction];
    for (const std::string_view word : {".volatile", ".relaxed", ".acquire", ".mmio"})
      if (opcode.find(word) != std::string_view::npos) return true;
    return false;
  };
  std::vector<unsigned char> strong(k.blocks.size(), 0);
  std::vector<unsigned char> functions(k.functions.size(), 0);  // 1: may execute a strong read
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const decoded_block& block = k.blocks[b];
    for (std::size_t i = 0; i < block.num_ops && strong[b] == 0; ++i)
      strong[b] = is_strong(k.ops[block.first_op + i]) ? 1 : 0;
    if (strong[b] != 0 && block.function < functions.size()) functions[block.function] = 1;
  }
  for (bool grows = true; grows;) {  // each round adds a function
    grows = false;
    for (std::size_t b = 0; b < k.blocks.size(); ++b) {
      const decoded_block& block = k.blocks[b];
      if (strong[b] != 0 || block.end != block_exit::call) continue;
      for (const std::uint32_t f : k.sites[block.detail].targets)
        if (functions[f] != 0) strong[b] = 1;
      if (strong[b] != 0 && functions[block.function] == 0) functions[block.function] = 1;
      grows = grows || strong[b] != 0;
    }
  }
  return strong;
}

/// Tells whether an operation exchanges values among lanes of a warp: a shuffle, vote, match, reduction, election, or
/// an operation on matrices. source[3] names the lanes that take part; no_slot there: the lanes that happen to run it
/// together. O(1).
[[nodiscard]] inline bool is_exchange(const decoded_op& op) {
  return op.kind == op_kind::shuffle || op.kind == op_kind::vote || op.kind == op_kind::match ||
         op.kind == op_kind::reduce || op.kind == op_kind::elect || is_matrix(op.kind);
}

/// The first instruction that tells a thread which lanes run with it, or when it runs, as an index into positions and
/// opcodes; no_index: there is none. O(operations).
[[nodiscard]] inline std::uint32_t first_view_of_company(const decoded_kernel& k) {
  for (const decoded_op& op : k.ops)
    if (op.kind == op_kind::clock || op.kind == op_kind::active_mask || (is_exchange(op) && op.source[3] == no_slot))
      return op.instruction;
  return no_index;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
