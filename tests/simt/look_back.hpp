// SPDX-License-Identifier: BSL-1.0
//
// The oracle of the branch profiles: the record of a thread block's run, and the cause of an idle lane by the words of
// the definition, found by reading the record backwards.
#pragma once

#include <simtflow/simt/events.hpp>
#include <simtflow/simt/idle_cause.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace look_back {

using simtflow::block_id;
using simtflow::idle_blame;
using simtflow::idle_cause;
using simtflow::lane_mask;
using simtflow::no_block;

// Everything that happens, with threads in place of lanes.
struct happening {
  // instruction: of a timed run, which has one `issue` for each block and an `instruction` for each of its instructions
  enum what { issue, instruction, parted, ended, waits, opens } kind{};
  block_id block = no_block;
  std::vector<std::uint32_t> threads{};
  std::uint32_t weight = 0, number = 0;  // number: of the barrier

  [[nodiscard]] bool has(std::uint32_t thread) const {
    for (const std::uint32_t t : threads)
      if (t == thread) return true;
    return false;
  }
};

struct chronicle {
  std::vector<happening> all{};
  std::map<std::uint32_t, std::uint32_t> first{};  // thread of lane 0, of the policy's instances

  void add(happening::what kind, std::uint32_t warp, block_id block, lane_mask lanes, std::uint32_t weight = 0,
           std::uint32_t number = 0) {
    happening h{kind, block, {}, weight, number};
    for (std::uint32_t lane = 0; lane < 64; ++lane)
      if (lanes.test(lane)) h.threads.push_back(first[warp] + lane);
    all.push_back(h);
  }
  void operator()(const simtflow::event::issued<lane_mask>& e) {
    first[e.warp] = e.first_thread;
    add(happening::issue, e.warp, e.block, e.lanes, e.weight);
  }
  void operator()(const simtflow::event::diverged<lane_mask>& e) { add(happening::parted, e.warp, e.block, e.lanes); }
  void operator()(const simtflow::event::exited<lane_mask>& e) { add(happening::ended, e.warp, e.block, e.lanes); }
  void operator()(const simtflow::event::waits<lane_mask>& e) {
    add(happening::waits, e.warp, e.block, e.lanes, 0, e.barrier);
  }
  void operator()(const simtflow::event::released& e) { add(happening::opens, 0, no_block, {}, 0, e.barrier); }

  // The block that a thread runs next after a happening; no_block: it ends.
  [[nodiscard]] block_id next_place(std::size_t after, std::uint32_t thread) const {
    for (std::size_t i = after + 1; i < all.size(); ++i)
      if (all[i].kind == happening::issue && all[i].has(thread)) return all[i].block;
    return no_block;
  }

  // The lanes that are idle beside the threads that issue at `now`, by thread: the lowest lanes that no active thread
  // has at home, in the warp of the first one. They may be no threads at all.
  [[nodiscard]] std::vector<std::uint32_t> idle_threads(std::size_t now, std::uint32_t width) const {
    const std::vector<std::uint32_t>& group = all[now].threads;
    std::vector<std::uint32_t> idle;
    for (std::uint32_t lane = 0; lane < width && idle.size() + group.size() < width; ++lane) {
      bool home = false;
      for (const std::uint32_t t : group) home = home || t % width == lane;
      if (!home) idle.push_back(group.front() / width * width + lane);
    }
    return idle;
  }

  // Why a thread of a thread block of so many is idle beside those that issue at `now`.
  [[nodiscard]] idle_blame blame(std::size_t now, std::uint32_t t, std::uint32_t threads) const {
    if (t >= threads) return {idle_cause::ragged_warp, no_block};
    const std::uint32_t leader = all[now].threads.front();
    // The block in which the thread stands, and the block at which it left the leader.
    block_id stands = no_block, left = no_block;
    bool has_ended = false, is_waiting = false;
    for (std::size_t i = now; i-- > 0 && !has_ended && !is_waiting;) {
      const happening& e = all[i];
      if (e.kind == happening::issue && e.has(t)) break;
      has_ended = e.kind == happening::ended && e.has(t);
      is_waiting = e.kind == happening::waits && e.has(t);
      if (has_ended || is_waiting) stands = e.block;
      if (is_waiting)
        for (std::size_t k = i + 1; k < now; ++k)
          if (all[k].kind == happening::opens && all[k].number == e.number) is_waiting = false;
      if (!is_waiting && e.kind == happening::waits && e.has(t)) break;
    }
    for (std::size_t i = now; i-- > 0;) {
      const happening& e = all[i];
      const bool runs = e.kind == happening::parted || e.kind == happening::issue || e.kind == happening::instruction;
      if (!runs || !e.has(t) || !e.has(leader)) continue;
      if (next_place(i, t) != next_place(i, leader)) left = e.block;
      break;
    }
    if (has_ended) return {idle_cause::exited, left == no_block ? stands : left};
    if (is_waiting) return {idle_cause::barrier, stands};
    return {left == no_block ? idle_cause::schedule : idle_cause::branch, left};
  }
};

}  // namespace look_back
