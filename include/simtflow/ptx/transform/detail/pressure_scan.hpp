// SPDX-License-Identifier: BSL-1.0
//
// The scan that counts what is live at each instruction of a function, block by block from the last instruction to the
// first one.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/detail/expansion_registers.hpp>
#include <simtflow/ptx/transform/detail/register_units.hpp>
#include <simtflow/ptx/transform/liveness.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The need of a piece of code: in the units of the text, in the registers of a thread, and in predicates.
struct register_count {
  std::uint32_t live = 0, thread = 0, predicates = 0;
};

// The need of a function, and the first instruction that needs each.
struct register_peaks {
  register_count most;
  std::uint32_t live_at = no_index, thread_at = no_index, predicates_at = no_index;
};

class pressure_scan {
 public:
  // \param at_call what a call needs, by instruction; given that much is live across it
  // \pre the module of f outlives the scan.
  template <class AtCall>
  pressure_scan(const checked_function& f, const AtCall& at_call)
      : f_(f), code_(f), live_(f, code_), units_(f, code_), seen_(code_.carry_register() + 1, no_block) {
    const function_blocks& blocks = f.blocks();
    std::vector<block_id> work{0};
    std::vector<unsigned char> reached(blocks.size(), 0);
    reached[0] = 1;
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      scan(b, at_call);
      for (const block_id s : blocks.graph().successors(b)) {
        if (reached[s] != 0) continue;
        reached[s] = 1;
        work.push_back(s);
      }
    }
  }

  [[nodiscard]] const register_peaks& peaks() const { return peaks_; }

 private:
  // Counts a register of block b that is not counted yet.
  void add(block_id b, std::uint32_t reg) {
    if (seen_[reg] == b) return;
    seen_[reg] = b;
    now_.live += units_.units(reg);
    now_.thread += units_.thread_units(reg);
    now_.predicates += units_.predicates(reg);
  }
  void remove(std::uint32_t reg) {
    seen_[reg] = no_block;
    now_.live -= units_.units(reg);
    now_.thread -= units_.thread_units(reg);
    now_.predicates -= units_.predicates(reg);
  }
  void note(const register_count& c, std::uint32_t i) {
    higher(c.live, i, peaks_.most.live, peaks_.live_at);
    higher(c.thread, i, peaks_.most.thread, peaks_.thread_at);
    higher(c.predicates, i, peaks_.most.predicates, peaks_.predicates_at);
  }
  // Keeps the higher count, with the first instruction that has it.
  static void higher(std::uint32_t count, std::uint32_t i, std::uint32_t& most, std::uint32_t& at) {
    if (count < most || count == 0 || (count == most && i >= at)) return;
    most = count;
    at = i;
  }

  template <class AtCall>
  void scan(block_id b, const AtCall& at_call) {
    const function& text = f_.text();
    const text_block& block = f_.blocks()[b];
    now_ = {};
    if (block.end == text_end::leaves)
      for (const variable& v : text.results)
        for (std::uint32_t c = 0; v.reg != no_index && c < v.width; ++c) add(b, v.reg + c);
    for (const block_id s : f_.blocks().graph().successors(b))
      live_.for_each_live_in(s, [&](std::uint32_t reg) { add(b, reg); });
    for (std::uint32_t i = block.last; i-- > block.first;) {
      for (const register_value_ref& w : code_.writes(i)) add(b, w.reg);
      note(now_, i);
      register_count inside = now_;  // operands and results together
      if (text.instructions[i].guard == no_index)
        for (const register_value_ref& w : code_.writes(i)) remove(w.reg);
      if (f_.operation_of(i).name == mnemonic::call) note(at_call(i, now_), i);
      for (const register_value_ref& r : code_.reads(i)) {
        if (seen_[r.reg] == b) continue;
        add(b, r.reg);
        inside.thread += units_.thread_units(r.reg);
      }
      note(now_, i);
      if (const std::uint32_t more = expansion_registers(f_.operation_of(i)); more != 0) {
        inside.thread += more;
        note(inside, i);
      }
    }
  }

  const checked_function& f_;
  def_use code_;
  live_registers live_;
  register_units units_;
  std::vector<block_id> seen_;  // by register: the block that counts it now
  register_count now_;
  register_peaks peaks_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
