// SPDX-License-Identifier: BSL-1.0
//
// The registers of a function that are live where a block begins: some path from there reads the register's value
// before it is written. An instruction under a guard writes for some threads only, so it does not end a live range. The
// registers that are a function's results are read where it returns.
//
// Literature: A. Aho, M. Lam, R. Sethi, J. Ullman, Compilers: principles, techniques, and tools, section "Live-variable
// analysis".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/def_use.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Live registers, by block. Nothing of what it was made from is kept.
class live_registers {
 public:
  /// \pre `code` was made from `checked`.
  /// Complexity: for each register the blocks where it is live, with their edges.
  live_registers(const checked_function& checked, const def_use& code)
      : words_((checked.text().registers.size() + 1 + 63) / 64) {
    const function& f = checked.text();
    const function_blocks& blocks = checked.blocks();
    const csr_graph& g = blocks.graph();
    live_.assign(blocks.size() * words_, 0);
    std::vector<std::uint64_t> written(live_.size(), 0);
    struct place {
      block_id block;
      std::uint32_t reg;
    };
    std::vector<place> work;
    const auto come_in = [&](block_id b, std::uint32_t reg) {
      if (is_live_in(b, reg)) return;
      live_[word(b, reg)] |= bit(reg);
      work.push_back({b, reg});
    };
    for (block_id b = 0; b < blocks.size(); ++b) {
      const auto read = [&](std::uint32_t reg) {
        if ((written[word(b, reg)] & bit(reg)) == 0) come_in(b, reg);
      };
      for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        for (const register_value_ref& r : code.reads(i)) read(r.reg);
        for (const register_value_ref& w : code.writes(i)) {
          if (f.instructions[i].guard != no_index)
            read(w.reg);
          else
            written[word(b, w.reg)] |= bit(w.reg);
        }
      }
      if (blocks[b].end == text_end::leaves)
        for (const variable& v : f.results)
          for (std::uint32_t c = 0; v.reg != no_index && c < v.width; ++c) read(v.reg + c);
    }
    while (!work.empty()) {
      const place at = work.back();
      work.pop_back();
      for (const block_id p : g.predecessors(at.block))
        if ((written[word(p, at.reg)] & bit(at.reg)) == 0) come_in(p, at.reg);
    }
  }

  /// True if the register (of the function, or def_use::carry_register()) is live where block b begins. O(1).
  [[nodiscard]] bool is_live_in(block_id b, std::uint32_t reg) const { return (live_[word(b, reg)] & bit(reg)) != 0; }
  /// Calls `each(reg)` for each register that is live where block b begins, the lowest number first.
  /// \param b    a block of the function
  /// \param each takes the register's number, as is_live_in() does
  /// Complexity: these registers, and all registers over 64.
  template <class Each>
  void for_each_live_in(block_id b, const Each& each) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = live_[b * words_ + w]; rest != 0; rest &= rest - 1)
        each(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
  }

 private:
  [[nodiscard]] std::size_t word(block_id b, std::uint32_t reg) const { return b * words_ + reg / 64; }
  static std::uint64_t bit(std::uint32_t reg) { return std::uint64_t{1} << (reg % 64); }

  std::size_t words_;
  std::vector<std::uint64_t> live_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
