// SPDX-License-Identifier: BSL-1.0
//
// A PTX function as code that interleaving can judge (transform/interleave_order.hpp): a melding_model with latencies
// for weights, and registers.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The model must outlive it; its weights are cycles.
class latency_model {
 public:
  explicit latency_model(const melding_model& m)
      : m_(m), blocks_(m.blocks()), carried_(m.checked().text().instructions.size(), 0) {
    const std::uint32_t carry = m.code().carry_register();
    for (block_id b = 0; b < blocks_.size(); ++b) {
      bool live = false;
      for (std::uint32_t i = last(b); i-- > first(b);) {
        for (const register_value_ref& w : m.code().writes(i))
          if (w.reg == carry && m.checked().text().instructions[i].guard == no_index) live = false;
        for (const register_value_ref& r : m.code().reads(i)) live = live || r.reg == carry;
        carried_[i] = live ? 1 : 0;
      }
    }
  }

  // As interleavable_code asks.
  [[nodiscard]] std::uint32_t first(block_id b) const { return blocks_[b].first; }
  [[nodiscard]] std::uint32_t last(block_id b) const { return blocks_[b].last; }
  [[nodiscard]] std::uint32_t delay(std::uint32_t i) const { return m_.latency(i); }
  [[nodiscard]] std::size_t num_registers() const { return std::size_t{m_.code().carry_register()} + 1; }
  template <class F>
  void for_each_read(std::uint32_t i, F f) const {
    for (const register_value_ref& r : m_.code().reads(i)) f(r.reg);
  }
  template <class F>
  void for_each_write(std::uint32_t i, F f) const {
    for (const register_value_ref& w : m_.code().writes(i)) f(w.reg);
  }
  [[nodiscard]] bool is_cuttable(std::uint32_t i) const { return carried_[i] == 0; }
  [[nodiscard]] bool is_convergent_block(block_id b) const { return blocks_.is_convergent(b); }
  [[nodiscard]] bool waits(block_id b) const { return blocks_.may_wait(b); }
  [[nodiscard]] bool is_divergent(block_id b) const { return m_.is_divergent(b); }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const { return m_.likelihood(b); }
  [[nodiscard]] double frequency(block_id b) const { return m_.frequency(b); }

 private:
  const melding_model& m_;
  const function_blocks& blocks_;
  std::vector<unsigned char> carried_;  // by instruction: it, or one after it in the block, reads a flag from before it
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
