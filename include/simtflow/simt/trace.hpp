// SPDX-License-Identifier: BSL-1.0
//
// Recorded traces as programs: each thread of a thread block follows a path of blocks that was recorded before.
//
// Policies compare fairly on a trace only if the recorded program's paths do not depend on the schedule: true for
// race-free kernels, false for spin locks and work queues.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Distinct paths in one array: path p is blocks[first[p] .. first[p + 1]). Paths repeat among threads, so a thread
/// block names each thread's path by number.
struct block_paths {
  std::vector<block_id> blocks;       ///< all paths, one after the other
  std::vector<std::size_t> first{0};  ///< where each begins, and where the last ends: one more than there are paths

  /// The number of paths.
  [[nodiscard]] constexpr std::size_t size() const { return first.size() - 1; }
  /// Path p. \pre p < size().
  [[nodiscard]] constexpr std::span<const block_id> operator[](std::size_t p) const {
    SIMTFLOW_EXPECTS(p < size(), "a path that was recorded");
    return std::span<const block_id>(blocks).subspan(first[p], first[p + 1] - first[p]);
  }
  /// Adds a path after the others. \pre the path is not a part of `blocks`.
  constexpr void add(std::span<const block_id> path) {
    blocks.insert(blocks.end(), path.begin(), path.end());
    first.push_back(blocks.size());
  }
};

/// The barrier that a block ends in.
struct trace_barrier {
  std::uint32_t id = 0;     ///< below named_barriers
  std::uint32_t count = 0;  ///< threads that it opens for; 0: all of the thread block
  bool waits = true;        ///< false: threads are counted there and go on; then `count` is not 0

  friend constexpr bool operator==(const trace_barrier&, const trace_barrier&) = default;
};

/// A program that replays recorded paths. The paths and the tables must outlive it.
class trace_program {
 public:
  /// `weights[b]`: instructions in b; `barriers[b]`: b holds a barrier, as if it were its last instruction (empty: no
  /// block does). `named[b]`: the barrier (empty: number 0 for all threads of the thread block, in every block).
  /// \pre every block of every path has a weight; `named` is empty or as long as `barriers`.
  constexpr trace_program(const block_paths& paths, std::span<const std::uint32_t> weights,
                          std::span<const unsigned char> barriers = {}, std::span<const trace_barrier> named = {})
      : paths_(&paths), weights_(weights), barriers_(barriers), named_(named) {}

  /// Chooses the thread block that the next runs replay: thread t follows path path_of_thread[t].
  /// \returns false, and keeps the earlier choice, if a path is missing, empty, or does not start at `entry`.
  constexpr bool select_block(std::span<const std::uint32_t> path_of_thread, block_id entry) {
    for (const std::uint32_t p : path_of_thread)
      if (p >= paths_->size() || (*paths_)[p].empty() || (*paths_)[p][0] != entry) return false;
    path_of_thread_.assign(path_of_thread.begin(), path_of_thread.end());
    entry_ = entry;
    return true;
  }

  /// Puts each thread at the beginning of its path. The executor calls it. O(threads).
  /// \pre shape has the entry and as many threads as select_block() was given.
  constexpr void begin(const launch& shape) {
    SIMTFLOW_EXPECTS(shape.num_threads() == path_of_thread_.size(), "a trace runs with the threads it was recorded of");
    SIMTFLOW_EXPECTS(shape.num_threads() == 0 || shape.entry == entry_, "a trace runs from the entry of its paths");
    cursors_.clear();
    for (const std::uint32_t p : path_of_thread_) cursors_.push_back({paths_->first[p], paths_->first[p + 1], entry_});
  }

  /// Moves each lane one block on. O(lanes times distinct targets).
  /// \pre every lane is a thread of begin() and stands at b on its path.
  template <class Mask>
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    block_id common = no_block;
    Mask same{};  // lanes with the first lane's target: mostly all
    bool first = true;
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::size_t t = g.first_thread + lane;
      SIMTFLOW_EXPECTS(t < cursors_.size() && cursors_[t].block == b,
                       "every lane that runs is a thread of the trace and stands at the block");
      cursor& c = cursors_[t];
      c.block = ++c.at < c.end ? paths_->blocks[c.at] : no_block;
      if (first) common = c.block;
      first = false;
      if (c.block == common) same.set(lane);
    });
    out.go(common, same);
    for (Mask rest = g.lanes - same; rest.any(); rest -= same) {
      const block_id target = cursors_[g.first_thread + rest.first()].block;
      same = Mask{};
      rest.for_each([&](std::uint32_t lane) {
        if (cursors_[g.first_thread + lane].block == target) same.set(lane);
      });
      out.go(target, same);
    }
    if (b >= barriers_.size() || barriers_[b] == 0) return block_end::next;
    return named(b).waits ? block_end::barrier : block_end::arrive;
  }

  /// The barrier that b ends in. \pre b ends in one.
  [[nodiscard]] constexpr std::uint32_t barrier_id(block_id b) const { return named(b).id; }
  /// A warp counts as a whole at a barrier with a count, as in the PTX kernels that traces are recorded of.
  static constexpr bool has_warp_sized_arrivals = true;
  /// The number of threads for which the barrier opens; 0: all threads of the thread block. \pre b ends in a barrier.
  [[nodiscard]] constexpr std::uint32_t barrier_count(block_id b) const { return named(b).count; }

  /// Instructions in b. \pre b has a weight.
  [[nodiscard]] constexpr std::uint32_t weight(block_id b) const {
    SIMTFLOW_EXPECTS(b < weights_.size(), "every block of a trace has a weight");
    return weights_[b];
  }

  /// For limits::detect_livelock: every block moves its threads on, and no thread ever comes back to where it was.
  static constexpr void remember() {}
  [[nodiscard]] static constexpr bool as_remembered() { return false; }  ///< false, always

 private:
  constexpr trace_barrier named(block_id b) const { return named_.empty() ? trace_barrier{} : named_[b]; }

  // The place of a thread in paths_->blocks, and the block there; no_block at the end.
  struct cursor {
    std::size_t at, end;
    block_id block;
  };

  const block_paths* paths_;
  std::span<const std::uint32_t> weights_;
  std::span<const unsigned char> barriers_;
  std::span<const trace_barrier> named_;
  std::vector<std::uint32_t> path_of_thread_;
  block_id entry_ = 0;
  std::vector<cursor> cursors_;  // by thread
};

}  // namespace v0
}  // namespace simtflow
