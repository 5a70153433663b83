// SPDX-License-Identifier: BSL-1.0
//
// Renamings of the two sides of a branch: how a side's registers are called in melded code. A thread executes one side
// only, so results of instructions that become one may share a register.
//
// Literature: P. Briggs, K. Cooper, L. Torczon, Improvements to graph coloring register allocation (1994), for
// coalescing.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/liveness.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class register_unifier {
 public:
  // One side of a branch while it is melded.
  struct arm {
    std::vector<std::uint32_t> image;  // by register: its name in melded code; no_index: as before
    std::vector<unsigned char> mentioned, written, fixed, taken;  // taken: is an image
    std::vector<std::uint32_t> touched;
    block_id entry = no_block;

    void start(std::size_t registers) {
      image.assign(registers, no_index);
      mentioned.assign(registers, 0);
      written.assign(registers, 0);
      fixed.assign(registers, 0);
      taken.assign(registers, 0);
    }
    void grow(std::size_t registers) {
      if (image.size() >= registers) return;
      image.resize(registers, no_index);
      mentioned.resize(registers, 0);
      written.resize(registers, 0);
      fixed.resize(registers, 0);
      taken.resize(registers, 0);
    }
    void touch(std::uint32_t r) { touched.push_back(r); }
    void forget() {
      forget_renaming();
      for (const std::uint32_t r : touched) {
        mentioned[r] = 0;
        written[r] = 0;
      }
      touched.clear();
    }
    void forget_renaming() {
      for (const std::uint32_t r : touched) {
        image[r] = no_index;
        fixed[r] = 0;
        taken[r] = 0;
      }
    }
    [[nodiscard]] std::uint32_t name(std::uint32_t r) const {
      return r < image.size() && image[r] != no_index ? image[r] : r;
    }
  };

  register_unifier(const function& text, const live_registers& live, meld_draft& draft)
      : text_(text), live_(live), d_(draft) {
    for (arm& a : arms) a.start(text.registers.size());
  }

  bool is_new(std::uint32_t r) const { return r >= text_.registers.size(); }
  bool live_at_join(std::uint32_t r) const { return !is_new(r) && join != no_block && live_.is_live_in(join, r); }
  bool live_at_entry(const arm& a, std::uint32_t r) const { return !is_new(r) && live_.is_live_in(a.entry, r); }
  // True if threads of that side need the register's value, now or later.
  bool occupied(const arm& a, std::uint32_t r) const {
    return (r < a.mentioned.size() && (a.mentioned[r] != 0 || a.taken[r] != 0)) || live_at_join(r);
  }
  void rename(arm& a, std::uint32_t r, std::uint32_t to) {
    a.grow(d_.code.registers.size());
    a.fixed[r] = 1;
    if (to == r) return;
    a.image[r] = to;
    a.taken[to] = 1;
    a.touch(to);
  }
  // Makes two results share a register. Returns false if they cannot.
  bool unify(std::uint32_t l, std::uint32_t r) {
    arm &a = arms[0], &b = arms[1];
    const std::uint32_t x = a.name(l), y = b.name(r);
    if (x != y) {
      const register_info &tl = text_.registers[l], &tr = text_.registers[r];
      if (tl.type != tr.type || tl.width != 1 || tr.width != 1) return false;
      const auto moves = [&](const arm& s, std::uint32_t reg) {
        return (live_at_entry(s, reg) ? 1 : 0) + (live_at_join(reg) ? 1 : 0);
      };
      const bool can_r = b.fixed[r] == 0 && !occupied(b, x), can_l = a.fixed[l] == 0 && !occupied(a, y);
      if (can_r && (!can_l || moves(b, r) <= moves(a, l))) {
        rename(b, r, x);
      } else if (can_l) {
        rename(a, l, y);
      } else if (a.fixed[l] == 0 && b.fixed[r] == 0 && moves(a, l) + moves(b, r) <= 1) {
        const std::uint32_t fresh = d_.new_register(tl.type);
        rename(a, l, fresh);
        rename(b, r, fresh);
      } else {
        return false;
      }
    }
    a.fixed[l] = b.fixed[r] = 1;
    return true;
  }
  [[nodiscard]] const arm& names(meld_side side) const { return arms[side == meld_side::left ? 0 : 1]; }

  arm arms[2];               // left, right
  block_id join = no_block;  // of the plan at hand

 private:
  const function& text_;
  const live_registers& live_;
  meld_draft& d_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
