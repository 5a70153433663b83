// SPDX-License-Identifier: BSL-1.0
//
// A small program with a story: a graph, a path for each thread, and what must happen (fixtures.hpp has them).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// The figures of a mechanism on a fixture. Zero: not stated.
struct fixture_result {
  outcome how = outcome::finished;   ///< how the run ends
  std::uint64_t fetches = 0;         ///< blocks executed, if it finished
  std::uint64_t max_depth = 0;       ///< most entries held
  std::vector<block_id> schedule{};  ///< the blocks in order, for one warp
};

/// A program as a graph and the path that each thread takes through it, and what must happen.
struct fixture {
  const char* name = "";                  ///< unique among the fixtures
  const char* source = "";                ///< paper and figure
  const char* story = "";                 ///< what it shows
  csr_graph graph{};                      ///< the blocks of the program
  block_paths paths{};                    ///< thread t follows path t
  std::uint32_t warp_width = 32;          ///< barriers are whole-warp barriers
  std::vector<unsigned char> barriers{};  ///< by block: it ends in a barrier; empty: none does
  std::vector<std::uint32_t> ranks{};     ///< by block: the priority order of the story, 0 the highest
  std::vector<block_id> likely{};         ///< by block: likely convergence point, no_block: none; empty: not part of it
  fixture_result ipdom{};                 ///< post-dominator stack, the path of the lowest lane first
  fixture_result frontier{};              ///< sorted stack with `ranks`
  std::uint64_t least = 0;                ///< lower bound (simt/lower_bound.hpp)
  std::uint64_t optimum = 0;              ///< best schedule (simt/optimal_schedule.hpp)
  std::uint64_t converged = 0;            ///< M (simt/maximal_convergence.hpp)
  std::uint64_t likely_fetches = 0;       ///< post-dominator stack with likely convergence points
  std::uint64_t compacted_fetches = 0;    ///< thread block compaction
  std::uint64_t no_ops = 0;               ///< fetches without an active lane under conservative branches and `ranks`
};

/// A fixture as a program: copy or make a new one for every run. The fixture must outlive it.
class fixture_threads {
 public:
  /// Every thread stands at the beginning of its path.
  constexpr explicit fixture_threads(const fixture& f) : fixture_(&f) { at_.assign(f.paths.size(), 0); }
  fixture_threads(const fixture&&) = delete;

  /// The run that the numbers of the fixture are about.
  [[nodiscard]] constexpr launch shape(barrier_model barriers = barrier_model::whole_warp) const {
    launch l;
    l.threads = static_cast<std::uint32_t>(fixture_->paths.size());
    l.warp_width = fixture_->warp_width;
    l.entry = fixture_->graph.entry();
    l.barriers = barriers;
    return l;
  }

  /// Moves each lane one block on. \pre the lanes stand at b on their paths.
  template <class Mask>
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::size_t t = g.first_thread + lane;
      SIMTFLOW_EXPECTS(t < at_.size() && at_[t] < fixture_->paths[t].size() && fixture_->paths[t][at_[t]] == b,
                       "every lane that runs stands at the block on its path");
      ++at_[t];
      out.go(at_[t] < fixture_->paths[t].size() ? fixture_->paths[t][at_[t]] : no_block, Mask::lane(lane));
    });
    return b < fixture_->barriers.size() && fixture_->barriers[b] != 0 ? block_end::barrier : block_end::next;
  }
  /// Every block is one instruction: fetches are instructions.
  [[nodiscard]] constexpr std::uint32_t weight(block_id) const { return 1; }

 private:
  const fixture* fixture_;
  std::vector<std::size_t> at_;  // by thread
};

namespace detail {

constexpr block_paths all_paths(std::initializer_list<std::initializer_list<block_id>> paths) {
  block_paths all;
  for (const std::initializer_list<block_id>& p : paths) all.add(std::span<const block_id>(p.begin(), p.size()));
  return all;
}

// Ranks from the blocks in the order of their priority.
constexpr std::vector<std::uint32_t> ranks_of(std::initializer_list<block_id> order) {
  std::vector<std::uint32_t> ranks;
  ranks.assign(order.size(), 0);
  std::uint32_t rank = 0;
  for (const block_id b : order) ranks[b] = rank++;
  return ranks;
}

}  // namespace detail

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
