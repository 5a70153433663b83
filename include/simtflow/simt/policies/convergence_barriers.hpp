// SPDX-License-Identifier: BSL-1.0
//
// Independent thread scheduling with convergence barriers (NVIDIA GPUs from Volta on): every group of lanes at one
// block could run, and lanes wait for other lanes only at barriers that the code names. A barrier is a register with
// the set of its participants:
//
//   arm    (BSSY)   at the end of a block: the lanes that run become participants
//   wait   (BSYNC)  at the start of a block: participants wait until each participant waits at this barrier, has ended
//                   or has left it; then the barrier is dissolved and they go on together. Other lanes pass
//   leave  (BREAK)  at the start of a block: the lanes participate no more
//   yield  (YIELD)  at the start of a block: other lanes go first, until every group that could run has yielded
//
// Lanes that end leave every barrier. A list of such operations is a convergence_table. ipdom_barriers() makes the
// table of a compiler that reconverges at immediate post-dominators; on structured programs it fetches what the IPDOM
// stack fetches. Other tables are possible: speculative reconvergence (Damani et al., CGO 2020) waits at a block inside
// a divergent loop, arms again after it, and leaves at the loop's exits.
//
// Follows US patent 10,067,768 B2 (Execution of divergent threads using a convergence barrier) and what arXiv
// 2407.02944 infers of the instructions of Turing GPUs. Choices and parameters where these sources are silent or
// disagree:
//
//   - Operations take no time of their own; overhead() counts them. A group that arrives executes them at once.
//   - Arming adds lanes to the participants, as in the patent. If it overwrote the register, lanes that wait at it
//     would be stranded. An arm that adds nobody counts nothing: compilers place it in front of the loop.
//   - A wait at a barrier that is not armed, or that other lanes have dissolved, passes. unarmed_waits() counts the
//     waits of lanes that had never armed the barrier. It is 0 with a table that arms on every path to a wait.
//   - The time when a yield takes effect is a parameter: at once, or when lanes have waited at a barrier for a number
//     of blocks.
//   - A parameter decides whether a barrier also opens when the missing participants have yielded. The patent says yes
//     (claim 1); the late participants then find the barrier dissolved. So a lane that holds a lock can leave the lanes
//     that spin for it.
//   - A parameter decides whether a barrier also opens when nothing can run any more and the missing participants wait
//     at a barrier of the thread block. Both sources are silent. CUDA says yes: __syncthreads() waits for threads that
//     have not ended. So after `if (i >= n) return;` the lanes that return have to reach their end, although the branch
//     reconverges there.
//   - The choice of the group that runs is a parameter.
//
// Progress: none, the class of the default options with a table that never yields; a policy has one class for all its
// options. It is fair in two cases, both with the order oldest or round_robin. Either every loop has a yield and
// yielded lanes count (with any patience), or the table arms nothing. Yields only in the loops in which a thread can
// wait for another (ptx/machine/other_threads.hpp) are enough if the other loops terminate by themselves. Then every
// thread runs again, as CUDA promises for these GPUs, and the textbook spin lock finishes.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/selection.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The choices that the mechanism leaves open.
struct convergence_options {
  selection_order order = selection_order::oldest;  ///< which group runs next
  bool yielded_count = true;     ///< a barrier opens when each participant waits at it or has yielded
  std::uint32_t registers = 16;  ///< barriers that can be armed without being moved out and in again; at least 1
  /// Blocks that the warp executes while lanes wait at a barrier, before a yield takes effect and the barrier opens for
  /// yielded lanes; 0: at once. Without patience every loop with a yield loses its reconvergence.
  std::uint32_t patience = 0;
  /// If nothing can run, a barrier opens when each missing participant waits at a barrier of the thread block.
  bool parked_count = false;
};

/// Operations executed for groups of lanes, by kind.
struct convergence_counts {
  std::uint64_t arms = 0,   ///< convergence_op::arm
      waits = 0,            ///< convergence_op::wait
      leaves = 0,           ///< convergence_op::leave
      yields = 0;           ///< convergence_op::yield
  std::uint64_t moves = 0;  ///< moves of a barrier out of its register, or back
  [[nodiscard]] constexpr std::uint64_t all() const { return arms + waits + leaves + yields + moves; }  ///< their sum
};

/// Groups and barriers of one warp. A step is O(groups), plus O(armed barriers) when lanes end or yield.
template <class Mask>
class basic_convergence_barriers {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Lanes that wait at a barrier, at the start of a block.
  struct blocked_group {
    std::uint32_t barrier;    ///< number of the barrier
    block_id block;           ///< the block that it stands in
    std::uint32_t operation;  ///< the operation of the block at which they go on
    Mask lanes;               ///< the lanes that wait
    friend constexpr bool operator==(const blocked_group&, const blocked_group&) = default;
  };

  /// Table and ranks must outlive the policy. `rank`, by block, is its place in memory, for selection by PC; empty:
  /// blocks lie by id.
  constexpr explicit basic_convergence_barriers(const convergence_table& table, const convergence_options& options = {},
                                                std::span<const std::uint32_t> rank = {})
      : table_(&table), options_(options), ready_(options.order, rank) {
    SIMTFLOW_EXPECTS(options.registers > 0, "a machine with convergence barriers has a register for one");
  }
  explicit basic_convergence_barriers(const convergence_table&&, const convergence_options& = {},
                                      std::span<const std::uint32_t> = {}) = delete;

  /// No barrier is armed; all lanes come to f.block. O(barriers).
  constexpr void start(const basic_fragment<Mask>& f) {
    ready_.clear();
    blocked_.clear();
    armed_.clear();
    barrier_.assign(table_->num_barriers(), {});
    in_registers_ = 0;
    clock_ = 0;
    blocks_ = 0;
    counts_ = {};
    unarmed_ = 0;
    arrive(f.block, f.lanes);
  }

  /// The group that the selection order chooses among the groups that do not wait.
  constexpr std::optional<basic_fragment<Mask>> next() {
    const auto chosen = ready_.take();
    if (!chosen) return std::nullopt;
    ++blocks_;
    return basic_fragment<Mask>{chosen->block, chosen->lanes};
  }

  /// \pre f is what next() named last.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    arm(f);
    Mask gone = f.lanes;
    for (const auto& o : out) gone -= o.lanes;
    if (gone.any()) ended(gone);
    for (const auto& o : out) arrive(o.block, o.lanes);
  }

  /// The group waits for something other than a convergence barrier; it stays a participant of its convergence
  /// barriers.
  constexpr void park(const basic_fragment<Mask>& f) { arm(f); }
  /// Lanes come back at a block.
  constexpr void release(const basic_fragment<Mask>& f) { arrive(f.block, f.lanes); }
  /// Lanes that were parked have ended. O(armed barriers).
  constexpr void ended(const Mask& lanes) {
    for (std::size_t i = armed_.size(); i-- > 0;) remove(armed_[i], lanes);
    finish_arrivals();
  }

  /// Called when nothing can run. With parked_count it opens the barriers that wait only for parked lanes. Returns true
  /// if there are such barriers. O(armed barriers + waiting groups).
  constexpr bool let_go() {
    if (!options_.parked_count) return false;
    const Mask held = blocked();
    bool any = false;
    for (std::size_t i = armed_.size(); i-- > 0;) {
      const barrier_state& x = barrier_[armed_[i]];
      if (x.waiting.none() || ((x.lanes - x.waiting) & held).any()) continue;
      open(armed_[i]);
      any = true;
    }
    finish_arrivals();
    return any;
  }

  /// Groups, including the waiting groups and the running group.
  [[nodiscard]] constexpr std::size_t depth() const { return ready_.groups().size() + blocked_.size() + 1; }

  /// Operations executed since start().
  [[nodiscard]] constexpr std::size_t overhead() const { return static_cast<std::size_t>(counts_.all()); }
  /// Operations executed since start(), by kind.
  [[nodiscard]] constexpr const convergence_counts& operations() const { return counts_; }
  /// Waits since start() by lanes that had never armed the barrier.
  [[nodiscard]] constexpr std::uint64_t unarmed_waits() const { return unarmed_; }

  /// Calls f(block, lanes, yielded) for each group that could run, the oldest first, except the one that runs.
  template <class F>
  constexpr void for_each_ready(const F& f) const {
    for (const auto& g : ready_.groups()) f(g.block, g.lanes, g.yielded);
  }
  /// The barriers that have participants.
  [[nodiscard]] constexpr std::span<const std::uint32_t> armed() const { return armed_; }
  /// The block where lanes wait at a barrier: convergence_table::meeting().
  [[nodiscard]] constexpr block_id meeting(std::uint32_t barrier) const { return table_->meeting(barrier); }
  /// The groups that wait, with their blocks and barriers.
  [[nodiscard]] constexpr std::span<const blocked_group> blocked_groups() const { return blocked_; }
  /// The lanes that wait. O(waiting groups).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask lanes;
    for (const blocked_group& b : blocked_) lanes |= b.lanes;
    return lanes;
  }
  /// The lanes that a barrier has or waits for; no lane if it is not armed. \pre the table names the barrier.
  [[nodiscard]] constexpr Mask participants(std::uint32_t barrier) const { return barrier_[barrier].lanes; }

  /// True if both have the same groups and barriers; counters and registers do not matter. O(groups + barriers).
  friend constexpr bool operator==(const basic_convergence_barriers& a, const basic_convergence_barriers& b) {
    if (!(a.ready_ == b.ready_) || a.blocked_ != b.blocked_ || a.armed_ != b.armed_) return false;
    for (const std::uint32_t id : a.armed_)
      if (!(a.barrier_[id].lanes == b.barrier_[id].lanes) || a.waited(a.barrier_[id]) != b.waited(b.barrier_[id]))
        return false;
    return true;  // who waits at a barrier is in blocked_
  }

 private:
  struct barrier_state {
    Mask lanes{}, waiting{};                // participants; the participants that wait here
    Mask armed_once{};                      // lanes that have ever been participants
    std::uint64_t last_use = 0, since = 0;  // since: blocks when the first one began to wait
    bool in_register = false, moved_out = false;
  };
  // Lanes that go on with an operation at the start of a block.
  struct arrival {
    block_id block;
    std::uint32_t operation;
    Mask lanes;
  };

  constexpr void arm(const basic_fragment<Mask>& f) {
    for (const convergence_operation& o : table_->at_end(f.block)) {
      barrier_state& x = barrier_[o.barrier];
      if (f.lanes.is_subset_of(x.lanes)) continue;
      ++counts_.arms;
      if (x.lanes.none()) armed_.push_back(o.barrier);
      x.lanes |= f.lanes;
      x.armed_once |= f.lanes;
      use(x);
    }
  }

  constexpr void arrive(block_id block, const Mask& lanes) {
    arrivals_.push_back({block, 0, lanes});
    finish_arrivals();
  }
  constexpr void finish_arrivals() {
    while (!arrivals_.empty()) {
      const arrival a = arrivals_.back();
      arrivals_.pop_back();
      run_operations(a);
    }
  }

  constexpr void run_operations(arrival a) {
    const auto operations = table_->at_start(a.block);
    bool yields = false;
    for (; a.operation < operations.size() && a.lanes.any(); ++a.operation) {
      const convergence_operation& o = operations[a.operation];
      if (o.what == convergence_op::yield) {
        ++counts_.yields;
        yields = yields || impatient();
        continue;
      }
      barrier_state& x = barrier_[o.barrier];
      const Mask members = a.lanes & x.lanes;
      if (members.any()) use(x);
      if (o.what == convergence_op::leave) {
        ++counts_.leaves;
        remove(o.barrier, members);
        continue;
      }
      ++counts_.waits;
      if (!a.lanes.is_subset_of(x.armed_once)) ++unarmed_;
      if (members.none()) continue;
      blocked_.push_back({o.barrier, a.block, a.operation + 1, members});
      if (x.waiting.none()) x.since = blocks_;
      x.waiting |= members;
      a.lanes -= members;
      if (opens(x, ready_.yielded())) open(o.barrier);
    }
    if (a.lanes.none()) return;
    ready_.add({a.block, 0, yields, a.lanes}, true);
    if (yields && options_.yielded_count) {
      const Mask yielded = ready_.yielded();
      for (std::size_t i = armed_.size(); i-- > 0;)
        if (opens(barrier_[armed_[i]], yielded)) open(armed_[i]);
    }
  }

  // The number of blocks for which lanes have waited at a barrier, as far as it matters.
  constexpr std::uint64_t waited(const barrier_state& x) const {
    const std::uint64_t blocks = x.waiting.none() ? 0 : blocks_ - x.since;
    return blocks < options_.patience ? blocks : options_.patience;
  }
  // True if a yield takes effect: lanes have waited long enough at some barrier.
  constexpr bool impatient() const {
    if (options_.patience == 0) return true;
    for (const std::uint32_t id : armed_)
      if (waited(barrier_[id]) >= options_.patience) return true;
    return false;
  }

  constexpr bool opens(const barrier_state& x, const Mask& yielded) const {
    Mask missing = x.lanes - x.waiting;
    if (options_.yielded_count && waited(x) >= options_.patience) missing -= yielded;
    return missing.none() && x.waiting.any();
  }

  // Dissolves a barrier: the lanes that wait at it go on; lanes at one place go on together.
  constexpr void open(std::uint32_t id) {
    const std::size_t first = arrivals_.size();
    for (std::size_t i = 0; i < blocked_.size();) {
      const blocked_group& b = blocked_[i];
      if (b.barrier != id) {
        ++i;
        continue;
      }
      std::size_t k = first;
      while (k < arrivals_.size() && (arrivals_[k].block != b.block || arrivals_[k].operation != b.operation)) ++k;
      if (k == arrivals_.size())
        arrivals_.push_back({b.block, b.operation, b.lanes});
      else
        arrivals_[k].lanes |= b.lanes;
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    }
    disarm(id);
  }

  // Lanes that do not wait participate no more, which may open or end the barrier.
  constexpr void remove(std::uint32_t id, const Mask& lanes) {
    barrier_state& x = barrier_[id];
    if ((x.lanes & lanes).none()) return;
    x.lanes -= lanes;
    if (x.lanes.none())
      disarm(id);
    else if (opens(x, ready_.yielded()))
      open(id);
  }

  constexpr void disarm(std::uint32_t id) {
    barrier_state& x = barrier_[id];
    x.lanes = x.waiting = {};
    if (x.in_register) --in_registers_;
    x.in_register = x.moved_out = false;
    for (std::size_t i = 0; i < armed_.size(); ++i)
      if (armed_[i] == id) {
        armed_[i] = armed_.back();
        armed_.pop_back();
        return;
      }
  }

  // Brings an armed barrier into a register; the barrier that was used longest ago makes room.
  constexpr void use(barrier_state& x) {
    x.last_use = ++clock_;
    if (x.in_register) return;
    if (in_registers_ < options_.registers) {
      ++in_registers_;
    } else {
      barrier_state* oldest = nullptr;
      for (const std::uint32_t id : armed_)
        if (barrier_[id].in_register && (oldest == nullptr || barrier_[id].last_use < oldest->last_use))
          oldest = &barrier_[id];
      oldest->in_register = false;
      oldest->moved_out = true;
      ++counts_.moves;
    }
    x.in_register = true;
    if (x.moved_out) ++counts_.moves;
    x.moved_out = false;
  }

  const convergence_table* table_;
  convergence_options options_;
  detail::ready_list<Mask> ready_;
  std::vector<blocked_group> blocked_;
  std::vector<barrier_state> barrier_;  // by number
  std::vector<std::uint32_t> armed_;    // barriers with participants
  std::vector<arrival> arrivals_;       // being worked off; empty between calls
  std::uint32_t in_registers_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t blocks_ = 0;  // executed blocks: the number of fragments that next() has named
  convergence_counts counts_{};
  std::uint64_t unarmed_ = 0;
};

/// Groups and barriers of a warp of up to 64 lanes.
using convergence_barriers = basic_convergence_barriers<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
