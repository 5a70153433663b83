// SPDX-License-Identifier: BSL-1.0
//
// The predicates of linear code (linear_code.hpp): what holds in the active threads of the block that is written, which
// of its outcomes they take, and what a vote of the warp says.
//
// An *outcome* of a block is a slot of its edges, and after these the end.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/function_writer.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// A predicate, perhaps negated; no register: true.
struct linear_literal {
  std::uint32_t reg = no_index;
  bool negated = false;
};

// Whether a block has a choice, and what makes it: a predicate, or the index of a table.
enum class linear_choice : std::uint8_t { none, predicate, table };

// How a block of the text chooses among its outcomes.
struct linear_ways {
  linear_choice by = linear_choice::none;
  std::uint32_t outcomes = 1;
  linear_literal taken;                 // predicate: outcome `first` if it holds, else `second`
  std::uint32_t first = 0, second = 0;  // table under a guard: outcome `second` if the guard does not hold
};

// Writes what computes the predicates. Text and writer must outlive it.
class linear_predicates {
 public:
  linear_predicates(const function& text, function_writer& w, bool vote) : text_(text), w_(w), vote_(vote) {}

  // Registers of the writer, which the caller adds: the mask of the block, a conjunction with it, a test of an outcome,
  // and with votes the threads that vote.
  std::uint32_t mask = no_index, both = no_index, way = no_index, group = no_index;
  std::size_t votes = 0;  // that were written

  // Begins a block; `masked`: the mask register says which threads are active, else all are.
  void begin(bool masked) {
    held_ = {};
    masked_ = masked;
  }
  // To be called after each instruction of the text that is written: it may change a tested register.
  void wrote(const instruction& i) {
    if (held_.reg != no_index && writes(i, held_.reg)) held_ = {};
  }

  // The conjunction of a literal and the mask, if the block has one. It stays in `both` until something else is asked.
  linear_literal under_mask(linear_literal l) {
    if (!masked_) return l;
    if (l.reg == no_index) return {mask, false};
    if (held_.reg == l.reg && held_.negated == l.negated) return {both, false};
    if (l.negated) {
      w_.append("not.pred", {register_operand(both), register_operand(l.reg)});
      w_.append("and.pred", {register_operand(both), register_operand(both), register_operand(mask)});
    } else {
      w_.append("and.pred", {register_operand(both), register_operand(l.reg), register_operand(mask)});
    }
    held_ = l;
    return {both, false};
  }
  // `way` becomes true in active threads that go by entry k of the table.
  void test_entry(const instruction& brx, std::uint32_t k) {
    const operand index = text_.operands_of(brx)[0];
    const linear_literal on = under_mask({brx.guard, brx.guard_negated});
    if (on.reg == no_index) return w_.append("setp.eq.u32", {register_operand(way), index, number_operand(k)});
    w_.append("setp.eq.and.u32",
              {register_operand(way), index, number_operand(k), register_operand(on.reg, on.negated)});
  }
  // A literal that holds in active threads with a wanted outcome. `last` is the block's last instruction, if it is a
  // branch. \pre begin() was called for the block
  template <class Wanted>
  linear_literal test(const instruction* last, const linear_ways& w, Wanted wanted) {
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < w.outcomes; ++k) count += wanted(k) ? 1 : 0;
    if (count == w.outcomes) return under_mask({});
    if (w.by == linear_choice::predicate) {
      const bool first = wanted(w.first);
      return under_mask({w.taken.reg, w.taken.negated == first});
    }
    // A table: in one of the entries, or not in one of the others.
    const instruction& brx = *last;
    const operand index = text_.operands_of(brx)[0];
    const bool guarded = brx.guard != no_index, rest = guarded && wanted(w.second);
    if (guarded && count == (rest ? 1 : w.outcomes - 1)) return under_mask({brx.guard, brx.guard_negated != rest});
    bool begun = false;
    for (std::uint32_t k = 0; k < w.outcomes - (guarded ? 1 : 0); ++k) {
      if (wanted(k) == rest) continue;
      if (begun)
        w_.append("setp.eq.or.u32", {register_operand(way), index, number_operand(k), register_operand(way)});
      else
        w_.append("setp.eq.u32", {register_operand(way), index, number_operand(k)});
      begun = true;
    }
    if (guarded) {
      const operand on = register_operand(brx.guard);
      if (brx.guard_negated) {
        w_.append("not.pred", {register_operand(both), on});
        w_.append("and.pred", {register_operand(way), register_operand(way), register_operand(both)});
        held_ = {};
      } else {
        w_.append("and.pred", {register_operand(way), register_operand(way), on});
      }
    }
    if (rest) w_.append("not.pred", {register_operand(way), register_operand(way)});
    if (masked_) w_.append("and.pred", {register_operand(way), register_operand(way), register_operand(mask)});
    return {way, false};
  }
  // A literal that holds if the given one holds in a thread that decides: with votes, in any thread that votes.
  // `agreed`: threads agree on it already.
  linear_literal asked(linear_literal l, bool agreed) {
    if (!vote_ || agreed || l.reg == no_index) return l;
    ++votes;
    w_.append("vote.sync.any.pred",
              {register_operand(way), register_operand(l.reg, l.negated), register_operand(group)});
    return {way, false};
  }

 private:
  // True if the instruction names the register anywhere: then it may write it.
  [[nodiscard]] bool writes(const instruction& i, std::uint32_t reg) const {
    for (const operand& o : text_.operands_of(i)) {
      if (names(o, reg)) return true;
      for (const operand& e : text_.elements_of(o))
        if (names(e, reg)) return true;
    }
    return false;
  }
  static bool names(const operand& o, std::uint32_t reg) {
    return (o.kind == operand_kind::reg && o.index == reg) || o.second == reg;
  }

  const function& text_;
  function_writer& w_;
  bool vote_;
  bool masked_ = false;  // the block that is written
  linear_literal held_;  // `both` holds this and the mask
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
