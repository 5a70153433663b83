// SPDX-License-Identifier: BSL-1.0
//
// The floor that analyses are measured against: one depth-first search over a csr_graph that gives every block its
// preorder and postorder number, iterative, with its buffers kept from call to call, and nothing else.
#pragma once

#include <simtflow/graph/csr.hpp>

#include <cstdint>
#include <vector>

namespace simtflow_bench {

class bare_search {
 public:
  void compute(const simtflow::csr_graph& g) {
    using simtflow::block_id;
    pre_.assign(g.num_blocks(), none);
    post_.assign(g.num_blocks(), none);
    if (g.num_blocks() == 0) return;
    if (stack_.size() < g.num_blocks()) stack_.resize(g.num_blocks());
    std::uint32_t entered = 0, left = 0;
    frame* top = stack_.data();
    const simtflow::edge_id* const offset = g.successor_offsets().data();
    const block_id* const target = g.targets().data();
    const auto open = [&](block_id b) {
      pre_[b] = entered++;
      *top = {target + offset[b], target + offset[b + 1], b};
    };
    open(g.entry());
    while (true) {
      if (top->next == top->end) {
        post_[top->block] = left++;
        if (top == stack_.data()) return;
        --top;
        continue;
      }
      const block_id to = *top->next++;
      if (pre_[to] != none) continue;
      ++top;
      open(to);
    }
  }
  const std::vector<std::uint32_t>& preorder() const { return pre_; }
  const std::vector<std::uint32_t>& postorder() const { return post_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  struct frame {
    const simtflow::block_id* next;
    const simtflow::block_id* end;
    simtflow::block_id block;
  };
  std::vector<std::uint32_t> pre_, post_;
  std::vector<frame> stack_;
};

}  // namespace simtflow_bench
