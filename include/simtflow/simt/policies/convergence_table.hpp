// SPDX-License-Identifier: BSL-1.0
//
// The operations on convergence barriers that the code of a program names. A barrier is a register with the set of its
// participants:
//
//   arm    (BSSY)   at the end of a block: the lanes that run become participants
//   wait   (BSYNC)  at the start of a block: participants wait until each participant waits at this barrier, has ended
//                   or has left it; then the barrier is dissolved and they go on together. Other lanes pass
//   leave  (BREAK)  at the start of a block: the lanes participate no more
//   yield  (YIELD)  at the start of a block: other lanes go first, until every group that could run has yielded
//
// A list of such operations is a convergence_table. ipdom_barriers() makes the table of a compiler that reconverges at
// immediate post-dominators; on structured programs the policy convergence_barriers then fetches what the IPDOM stack
// fetches. Other tables are possible: speculative reconvergence (Damani et al., CGO 2020) waits at a block inside a
// divergent loop, arms again after it, and leaves at the loop's exits.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// An operation of lanes on a convergence barrier; the top of this header says when it runs and with what effect.
enum class convergence_op : unsigned char {
  arm,    ///< the lanes become participants of the barrier
  wait,   ///< the lanes wait until all participants have come
  leave,  ///< the lanes are participants no longer
  yield   ///< the lanes let other lanes go first
};

/// "arm", "wait", "leave", "yield".
[[nodiscard]] constexpr const char* to_string(convergence_op op) {
  switch (op) {
    case convergence_op::arm:
      return "arm";
    case convergence_op::wait:
      return "wait";
    case convergence_op::leave:
      return "leave";
    case convergence_op::yield:
      return "yield";
  }
  return "";
}

/// An operation at a block. Barriers are numbered from 0; barriers beyond the registers of the machine cost moves. A
/// yield has no barrier.
struct convergence_operation {
  block_id block = no_block;                  ///< where it is done
  convergence_op what = convergence_op::arm;  ///< what is done
  std::uint32_t barrier = 0;                  ///< the barrier; not read for a yield
  friend constexpr bool operator==(const convergence_operation&, const convergence_operation&) = default;
};

/// The operations of a program by block. The operations of one block stand in the order of the list.
class convergence_table {
 public:
  /// No operation anywhere.
  constexpr convergence_table() { first_.assign(1, 0); }

  /// \pre every operation is at a block below num_blocks. O(blocks + operations).
  constexpr convergence_table(std::size_t num_blocks, std::span<const convergence_operation> operations) {
    first_.assign(2 * num_blocks + 1, 0);
    for (const convergence_operation& o : operations) {
      SIMTFLOW_EXPECTS(o.block < num_blocks, "a convergence operation is at a block of the program");
      ++first_[slot(o) + 1];
      if (o.what != convergence_op::yield && o.barrier >= num_barriers_) num_barriers_ = o.barrier + 1;
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    operations_.assign(operations.size(), {});
    std::vector<std::uint32_t> next;
    next.assign(first_.begin(), first_.end());
    for (const convergence_operation& o : operations) operations_[next[slot(o)]++] = o;
    meeting_.assign(num_barriers_, no_block);
    for (const convergence_operation& o : operations)
      if (o.what == convergence_op::wait && meeting_[o.barrier] == no_block) meeting_[o.barrier] = o.block;
  }

  /// Waits, leaves and yields of a block; empty for blocks beyond the table. O(1).
  [[nodiscard]] constexpr std::span<const convergence_operation> at_start(block_id b) const {
    return of(2 * std::size_t{b});
  }
  /// Arms of a block; empty for blocks beyond the table. O(1).
  [[nodiscard]] constexpr std::span<const convergence_operation> at_end(block_id b) const {
    return of(2 * std::size_t{b} + 1);
  }
  /// One more than the highest number of a barrier; 0 if there is none.
  [[nodiscard]] constexpr std::uint32_t num_barriers() const { return num_barriers_; }
  /// The first listed block where lanes wait at a barrier; no_block: there is none. \pre barrier < num_barriers().
  [[nodiscard]] constexpr block_id meeting(std::uint32_t barrier) const { return meeting_[barrier]; }

 private:
  static constexpr std::size_t slot(const convergence_operation& o) {
    return 2 * std::size_t{o.block} + (o.what == convergence_op::arm ? 1 : 0);
  }
  constexpr std::span<const convergence_operation> of(std::size_t s) const {
    if (s + 1 >= first_.size()) return {};
    return std::span<const convergence_operation>(operations_).subspan(first_[s], first_[s + 1] - first_[s]);
  }

  std::vector<std::uint32_t> first_;  // by slot: its first operation; one more at the end
  std::vector<convergence_operation> operations_;
  std::vector<block_id> meeting_;  // by barrier
  std::uint32_t num_barriers_ = 0;
};

/// The operations that reconverge lanes at immediate post-dominators: one barrier for each block where branches
/// reconverge, armed at every branch that reconverges there. Add a yield at each loop header where lanes may wait for
/// one another.
///
/// \param shape    a csr_graph, or anything with num_blocks() and successors(block).
/// \param ipdom    by block: where its paths reconverge; no_block: nowhere, and its branch arms nothing.
/// \param uniform  by block: non-zero if its lanes stay together, so that it needs no barrier; blocks beyond its end
/// have no flag. O(blocks + edges).
template <class Shape>
[[nodiscard]] constexpr std::vector<convergence_operation> ipdom_barriers(const Shape& shape,
                                                                          std::span<const block_id> ipdom,
                                                                          std::span<const unsigned char> uniform = {}) {
  const std::size_t n = shape.num_blocks();
  std::vector<convergence_operation> all;
  std::vector<std::uint32_t> barrier;  // by block where branches reconverge: its barrier + 1
  barrier.assign(n, 0);
  std::uint32_t used = 0;
  for (block_id b = 0; b < n; ++b) {
    bool branches = false;
    block_id one = no_block;
    for (const block_id s : shape.successors(b)) {
      branches = branches || (one != no_block && s != one);
      one = s;
    }
    SIMTFLOW_EXPECTS(b < ipdom.size(), "every block has a place in the table of post-dominators");
    const block_id meet = ipdom[b];
    if (!branches || meet == no_block || (b < uniform.size() && uniform[b] != 0)) continue;
    if (barrier[meet] == 0) {
      barrier[meet] = ++used;
      all.push_back({meet, convergence_op::wait, barrier[meet] - 1});
    }
    all.push_back({b, convergence_op::arm, barrier[meet] - 1});
  }
  return all;
}

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
