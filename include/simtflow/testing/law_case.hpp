// SPDX-License-Identifier: BSL-1.0
//
// Input and output of checking the laws of a policy (policy_laws.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// How much is tried.
struct policy_law_options {
  std::uint64_t first_seed = 1;         ///< programs have the seeds from this one on
  std::size_t programs = 300;           ///< how many
  std::size_t max_blocks = 12;          ///< of unstructured graphs; structured programs may have more
  std::uint32_t max_warp_width = 12;    ///< at most the capacity of the policy's mask
  std::uint32_t max_threads = 24;       ///< of a run; policies of wider scope than a warp: at most the capacity
  std::uint64_t optimum_states = 2000;  ///< of the search for the best schedule; 0: none
  bool merges = true;  ///< false: law 5 is not asked for, the policy runs every thread alone on purpose
};

/// A program to make a policy for.
struct law_case {
  std::uint64_t seed = 0;                 ///< it decides on everything below
  csr_graph graph{};                      ///< the blocks of the program
  std::vector<unsigned char> uniform{};   ///< by block: threads that come together go the same way
  std::vector<unsigned char> barriers{};  ///< by block: it ends in a barrier; empty: none does
  launch shape{};                         ///< threads, width of a warp, entry; of core scope also thread blocks
};

/// One step: a block and the threads that executed it.
struct law_step {
  block_id block = no_block;             ///< the executed block
  std::vector<std::uint32_t> threads{};  ///< who executed it, ascending
  friend constexpr bool operator==(const law_step&, const law_step&) = default;
};

/// A broken law, and everything that is needed to see it again.
struct broken_law {
  const char* sentence = "";              ///< the broken law, in words
  law_case program{};                     ///< its seed makes the same program again
  outcome how = outcome::finished;        ///< how the run ended
  std::optional<std::uint32_t> thread{};  ///< the thread that it happened to
  block_id named = no_block;              ///< where next() saw that thread
  block_id stands = no_block;             ///< where it stands
  std::uint64_t got = 0,                  ///< of a law about numbers: what was counted
      expected = 0;                       ///< what the law wants
  std::vector<block_id> path{},           ///< of law 1: the thread's blocks
      alone{};                            ///< of law 1: its blocks when it runs alone
  std::vector<law_step> schedule{};       ///< all that was executed
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
