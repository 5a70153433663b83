// SPDX-License-Identifier: BSL-1.0
//
// Runs of kernels under policies of every kind, for the tests of ptx/.
#pragma once

#include "ptx/support.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow_tests {

using words = std::vector<std::uint32_t>;

/// Policies: stack, sorted list, by call depth, one lane at a time, warps formed anew; one lane at a time in turns,
/// groups that split and never join.
enum class way { pdom, frontier, depth_first, serial, compaction, mimd, apart };
inline constexpr way all_ways[] = {way::pdom, way::frontier, way::depth_first, way::serial, way::compaction};
/// Policies that run lanes together as long as nothing keeps the lanes apart.
inline constexpr way together[] = {way::pdom, way::frontier, way::compaction};
/// Policies that never join lanes: under them lanes wait for each other at collectives of the warp.
inline constexpr way never_joining[] = {way::serial, way::mimd, way::apart};
inline std::string_view name_of(way w) {
  constexpr std::string_view names[] = {"pdom", "frontier", "depth-first", "serial", "compaction", "mimd", "apart"};
  return names[static_cast<int>(w)];
}

struct machine_result {
  outcome how = outcome::finished;
  std::uint64_t steps = 0;
  std::string text;  // the verdict
  ptx::fault_info fault;
  words out;
  std::vector<ptx::printed_text> printed;
  std::vector<std::uint64_t> runs;  // by block: how often it was run
  counts count;
  std::vector<std::uint64_t> off;  // by thread of the grid: its instructions with a false guard
};

struct machine_setup {
  words in{};
  std::size_t out_words = 0;
  std::uint32_t n = 0;
  simtflow::limits limits{};
};

/// A grid, block by block, until a block does not finish. The kernel's parameters, as far as it has them: the addresses
/// of `in` and of `out_words` words, and `n`.
machine_result run_under(way w, const ptx::decoded_kernel& k, const ptx::launch_config& l, const machine_setup& setup);

/// The words that a grid writes, which must be the same under all these policies.
words agreed(const ptx::decoded_kernel& k, const ptx::launch_config& l, const words& in, std::size_t out_words,
             std::span<const way> ways = all_ways);
inline words agreed(std::string_view text, const ptx::launch_config& l, const words& in, std::size_t out_words,
                    std::span<const way> ways = all_ways) {
  return agreed(decoded(text), l, in, out_words, ways);
}

/// The grid of a program that the caller made, with memory and parameters of its own kind. \pre `how` forms no warps
/// anew.
verdict run_grid(ptx::interpreter<>& program, way how = way::frontier, counts* seen = nullptr);

struct bytes_result {
  std::vector<unsigned char> out;
  counts count;
};

/// One thread block of a kernel that has one parameter, the address of `bytes` bytes. It must finish; `says` is printed
/// if it does not.
bytes_result run_for_bytes(const ptx::module& m, const ptx::function& kernel, way how, std::size_t bytes,
                           std::uint32_t threads, const std::string& says = {});

/// A profile of the same run under pdom, and what its warps have paid by ptx::latencies: each instruction by its weight
/// if a lane executes it, else one issue.
struct profiled_run {
  ptx::warp_profile profile;
  double weighted = 0;
};
profiled_run run_for_profile(const ptx::module& m, const ptx::function& kernel, std::size_t bytes,
                             std::uint32_t threads);

inline ptx::launch_config block_of(std::uint32_t threads, std::uint32_t width = 32, std::uint32_t blocks = 1) {
  ptx::launch_config l;
  l.grid[0] = blocks;
  l.block[0] = threads;
  l.warp_width = width;
  return l;
}

/// A kernel "k"; its threads have their number in %t, and in %in and %out the addresses of word number %t of both
/// arrays.
inline std::string with_thread_number(std::string_view body, std::string_view before = {}) {
  return std::string(header) + std::string(before) +
         "\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<16>; .reg .b16 %h<8>; .reg .b32 %r<32>, %t; .reg .b64 %rd<16>, %in, %out, %word; .reg .f32 "
         "%f<8>;\n"
         "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "mov.u32 %r30, %ntid.x; mov.u32 %r31, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, %r30, %r31, %t;\n"
         "mul.wide.u32 %word, %t, 4; add.s64 %in, %in, %word; add.s64 %out, %out, %word;\n" +
         std::string(body) + "\nret;\n}\n";
}

}  // namespace simtflow_tests
