// SPDX-License-Identifier: BSL-1.0
//
// Timed programs that tests write down: instructions by block, and a function that says where a thread goes.
#pragma once

#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/program.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace scripts {

using namespace simtflow;
using timing::cycle;
using timing::cycle_class;
using timing::instruction_class;

/// A program for all threads of all thread blocks.
struct script {
  struct line {
    instruction_class kind = instruction_class::int_add;
    std::vector<std::uint32_t> reads{}, writes{};
    timing::address_space where = timing::address_space::none;
    std::uint64_t stride = 0;  ///< memory: thread t of thread block b accesses (b * 1024 + t) * stride
  };
  struct block {
    std::vector<timing::instruction> code{};
    std::vector<std::uint64_t> strides{};
    bool barrier = false;
  };

  /// Adds a block; a block without a successor function goes to the next one, the last one ends.
  script& add(const std::vector<line>& lines, bool barrier = false) {
    block b;
    b.barrier = barrier;
    for (const line& l : lines) {
      b.code.push_back({l.kind, l.where, static_cast<std::uint16_t>(l.reads.size()),
                        static_cast<std::uint16_t>(l.writes.size()), static_cast<std::uint32_t>(registers.size())});
      registers.insert(registers.end(), l.reads.begin(), l.reads.end());
      registers.insert(registers.end(), l.writes.begin(), l.writes.end());
      b.strides.push_back(l.stride);
    }
    blocks.push_back(std::move(b));
    return *this;
  }

  std::vector<block> blocks{};
  std::vector<std::uint32_t> registers{};
  /// (thread block, thread, block) -> block
  std::function<block_id(std::uint64_t, std::uint32_t, block_id)> step{};
};

/// n additions; each needs the result of the one before it.
inline std::vector<script::line> chain(std::size_t n) {
  return std::vector<script::line>(n, {instruction_class::int_add, {0}, {0}});
}
/// n additions that need nothing.
inline std::vector<script::line> independent(std::size_t n) {
  std::vector<script::line> lines;
  for (std::uint32_t i = 0; i < n; ++i) lines.push_back({instruction_class::int_add, {}, {i}});
  return lines;
}

template <class Mask = lane_mask>
class scripted {
 public:
  explicit scripted(const script& s) : script_(&s) {}
  void select_block_number(std::uint64_t n) { number_ = n; }
  [[nodiscard]] std::uint32_t weight(block_id b) const {
    return static_cast<std::uint32_t>(script_->blocks[b].code.size());
  }
  [[nodiscard]] const timing::instruction& instruction_at(block_id b, std::uint32_t i) const {
    return script_->blocks[b].code[i];
  }
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return script_->registers; }
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const block_id next = script_->step                    ? script_->step(number_, g.first_thread + lane, b)
                            : b + 1 < script_->blocks.size() ? b + 1
                                                             : no_block;
      out.go(next, Mask::lane(lane));
    });
    return script_->blocks[b].barrier ? block_end::barrier : block_end::next;
  }
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  timing::issue_effect<Mask>& effect) {
    const timing::instruction& in = script_->blocks[b].code[i];
    if (timing::accesses_memory(in.kind)) {
      addresses_.clear();
      g.lanes.for_each([&](std::uint32_t lane) {
        addresses_.push_back((number_ * 1024 + g.first_thread + lane) * script_->blocks[b].strides[i]);
      });
      access_ = {in.where,
                 in.kind == instruction_class::load    ? timing::access_kind::load
                 : in.kind == instruction_class::store ? timing::access_kind::store
                                                       : timing::access_kind::atomic,
                 false, 4, addresses_};
      effect.accesses = {&access_, 1};
    }
    return i + 1 == weight(b) ? run(b, g, out) : block_end::next;
  }

 private:
  const script* script_;
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> addresses_;
  timing::access access_;
};

/// Runs a script. No branch has a reconvergence point.
template <class Observer = timing::no_timed_observer>
timing::basic_report<lane_mask> run(const script& s, const timing::grid& g, const timing::machine& m,
                                    Observer&& observer = {}, const timing::limits& limit = {}) {
  const std::vector<block_id> ipdom(s.blocks.size(), no_block);
  auto r = timing::run(
      policies::ipdom_stack(ipdom), [&](std::uint32_t) { return scripted<>(s); }, g, m, limit, observer);
  REQUIRE_MESSAGE(r, r.diagnostics()[0].message);
  return *r;
}

}  // namespace scripts
