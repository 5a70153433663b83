// SPDX-License-Identifier: BSL-1.0
//
// The programs of all thread blocks in a core as one program, for policies of core scope: lane b * threads + i is
// thread i of resident thread block b. A fragment's instruction runs once for each thread block that has lanes in it;
// accesses of one kind become one access.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/program.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

template <class Program, class Mask>
class core_program {
 public:
  // \param block the launch of one thread block, \param shared_bytes of a thread block: places differ in addresses
  core_program(const launch& block, std::uint32_t shared_bytes)
      : block_(block), shared_bytes_((std::uint64_t{shared_bytes} + 255) / 256 * 256) {}

  void add(std::unique_ptr<Program> program) { programs_.push_back(std::move(program)); }
  // Thread block `number` of the grid comes to a place.
  void start(std::uint32_t place, std::uint64_t number) {
    if constexpr (program_of_grid<Program>) programs_[place]->select_block_number(number);
    if constexpr (program_with_begin<Program>) programs_[place]->begin(block_);
    if constexpr (program_with_collectives<Program, Mask>) programs_[place]->wait_at_collectives(false);
  }

  [[nodiscard]] std::uint32_t weight(block_id b) const {
    return static_cast<std::uint32_t>(programs_.front()->weight(b));
  }
  [[nodiscard]] const instruction& instruction_at(block_id b, std::uint32_t i) const {
    return what_ = programs_.front()->instruction_at(b, i);
  }
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return programs_.front()->registers(); }

  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return for_each_block(
        g, out, [&](Program& p, const basic_group<Mask>& mine, std::uint64_t) { return p.run(b, mine, part_); });
  }
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  issue_effect<Mask>& effect) {
    num_merged_ = 0;
    const block_end end = for_each_block(g, out, [&](Program& p, const basic_group<Mask>& mine, std::uint64_t place) {
      issue_effect<Mask> one{mine.lanes, {}};
      if constexpr (program_with_clock<Program>) p.set_clock(clock_);
      const block_end how = p.issue(b, i, mine, part_, one);
      if (one.on != mine.lanes) {
        Mask off{};
        add_lanes(off, static_cast<std::uint32_t>(place) * block_.threads, mine.lanes - one.on);
        effect.on -= off;
      }
      for (const access& a : one.accesses) merge(a, place);
      return how;
    });
    accesses_.clear();
    for (std::size_t k = 0; k < num_merged_; ++k) {
      accesses_.push_back(merged_[k].what);
      accesses_.back().addresses = merged_[k].addresses;
    }
    effect.accesses = accesses_;
    return end;
  }

  void set_clock(cycle now) requires(program_with_clock<Program>) { clock_ = now; }
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const
      requires(program_with_code_addresses<Program>) {
    return programs_.front()->code_address(b, i);
  }

  // The lanes that ran last decide.
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const requires(program_with_named_barriers<Program>) {
    return static_cast<std::uint32_t>(programs_[last_]->barrier_id(b));
  }
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const requires(program_with_barrier_counts<Program>) {
    return static_cast<std::uint32_t>(programs_[last_]->barrier_count(b));
  }
  static constexpr bool has_warp_sized_arrivals = program_with_warp_sized_arrivals<Program>;

 private:
  struct merged {
    access what{};
    std::vector<std::uint64_t> addresses{};
  };

  template <class Run>
  block_end for_each_block(const basic_group<Mask>& g, basic_partition<Mask>& out, const Run& run_one) {
    block_end end = block_end::next;
    for (std::uint32_t place = 0; place < programs_.size(); ++place) {
      const std::uint32_t first = place * block_.threads;
      const basic_group<Mask> mine{0, 0, lanes_from(g.lanes, first)};
      if (mine.lanes.none()) continue;
      part_.clear();
      last_ = place;
      end = run_one(*programs_[place], mine, place);
      if (end == block_end::fault) return end;
      for (const basic_fragment<Mask>& o : part_.fragments()) {
        Mask lanes{};
        add_lanes(lanes, first, o.lanes);
        out.go(o.block, lanes);
      }
    }
    return end;
  }

  // Lanes first .. first + threads - 1 as the lanes of a thread block.
  [[nodiscard]] Mask lanes_from(const Mask& all, std::uint32_t first) const {
    Mask lanes{};
    for (std::uint32_t at = 0; at < block_.threads && at < Mask::capacity; at += 64) {
      const std::size_t i = (first + at) / 64;
      const std::uint32_t shift = (first + at) % 64, left = block_.threads - at;
      std::uint64_t bits = all.word(i) >> shift;
      if (shift != 0 && i + 1 < Mask::capacity / 64) bits |= all.word(i + 1) << (64 - shift);
      lanes.add_word(at / 64, left < 64 ? bits & ((std::uint64_t{1} << left) - 1) : bits);
    }
    return lanes;
  }
  // The other way.
  void add_lanes(Mask& all, std::uint32_t first, const Mask& lanes) const {
    for (std::uint32_t at = 0; at < block_.threads && at < Mask::capacity; at += 64) {
      const std::uint64_t bits = lanes.word(at / 64);
      const std::size_t i = (first + at) / 64;
      const std::uint32_t shift = (first + at) % 64;
      all.add_word(i, bits << shift);
      if (shift != 0 && i + 1 < Mask::capacity / 64) all.add_word(i + 1, bits >> (64 - shift));
    }
  }

  void merge(const access& a, std::uint64_t place) {
    std::size_t k = 0;
    while (k < num_merged_ &&
           (merged_[k].what.where != a.where || merged_[k].what.kind != a.kind || merged_[k].what.bytes != a.bytes ||
            merged_[k].what.bypasses_l1 != a.bypasses_l1 || merged_[k].what.is_volatile != a.is_volatile))
      ++k;
    if (k == num_merged_) {
      if (num_merged_++ == merged_.size()) merged_.emplace_back();
      merged_[k].what = a;
      merged_[k].addresses.clear();
    }
    std::uint64_t shift = 0;  // places have memory of their own
    if (a.where == address_space::shared) shift = place * shared_bytes_;
    if (a.where == address_space::local) shift = place * block_.threads << 32;
    for (const std::uint64_t at : a.addresses) merged_[k].addresses.push_back(at + shift);
  }

  launch block_;
  std::uint64_t shared_bytes_;
  std::vector<std::unique_ptr<Program>> programs_;
  basic_partition<Mask> part_;
  std::vector<merged> merged_;
  std::size_t num_merged_ = 0;
  std::vector<access> accesses_;
  std::uint32_t last_ = 0;
  cycle clock_ = 0;
  mutable instruction what_{};
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
