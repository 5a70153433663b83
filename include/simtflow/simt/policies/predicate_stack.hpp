// SPDX-License-Identifier: BSL-1.0
//
// Structured code under a mask stack (predication): the warp walks through the code in one fixed order, and every lane
// that is not active waits in one entry of a stack. A branch opens an entry for the block where its arms reconverge;
// its arms run one after the other in the order of the code. A loop opens an entry for lanes that have left it and an
// entry for lanes that begin the next iteration. If necessary it opens an entry for lanes that wait at the loop's latch
// (`continue`). When the running lanes have all gone to wait or ended, the topmost entry that holds lanes runs.
//
// In the literature's notation: `if` pushes the active mask and restricts it, `else` takes the lanes that wait for it,
// `endif` restores; `break` and `continue` move lanes to masks of the innermost loop. `endif` restores by adding the
// lanes that wait (AMD's s_or of the execution mask), so nothing has to remove lanes that have broken out or ended.
// Follows Diamos et al.: SIMD Re-Convergence At Thread Frontiers (MICRO 2011), section 2.1, and LLVM's lowering of
// control flow for AMD GPUs (SILowerControlFlow).
//
// Parameters: whether the warp jumps over code that no lane needs (default: yes; else it fetches the blocks without a
// lane, and overhead() counts them), and which branches are scalar because all lanes decide alike (they always jump).
// Needs the nesting of the code: simt/structured_control.hpp, which refuses unstructured graphs. Progress: none.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The entries that a block of structured code opens. structured_control() makes a table of these, by block.
struct structured_block {
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;  ///< no position

  block_id join = no_block;        ///< where the arms of this block's branch reconverge; no_block: it opens no entry
  block_id loop_end = no_block;    ///< header: where lanes wait after the loop; no_block: at an outer entry
  block_id latch = no_block;       ///< header: where lanes that have finished an iteration wait; no_block: the header
  std::uint32_t position = none;   ///< in the order of the code; none: unreachable
  std::uint32_t loop_last = none;  ///< header: position of the loop's last block; none: not a header
  bool label = false;              ///< true if an entry for this block is open whenever a lane comes here

  [[nodiscard]] constexpr bool is_header() const { return loop_last != none; }  ///< true if it begins a loop
  friend constexpr bool operator==(const structured_block&, const structured_block&) = default;
};

/// How a predicate stack treats code that no lane needs.
struct predicate_options {
  bool skip_empty = true;                       ///< true: jump over it; false: fetch it
  std::span<const unsigned char> uniform = {};  ///< by block: non-zero if its branch is scalar and jumps in any case
};

/// The mask stack of one warp.
template <class Mask>
class basic_predicate_stack {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Lanes that wait for a block; the lanes of the topmost entry run it. The entry of a loop's header stays until no
  /// lane comes back to it.
  struct entry {
    block_id block;  ///< the block that they wait for
    bool loop;       ///< true for the entry of a loop's header
    Mask lanes;      ///< the lanes that wait
    friend constexpr bool operator==(const entry&, const entry&) = default;
  };

  /// `code` is the table by block that structured_control() makes. It and the table of uniform branches must outlive
  /// the policy.
  constexpr explicit basic_predicate_stack(std::span<const structured_block> code, predicate_options options = {})
      : code_(code), options_(options) {}

  /// One entry. O(1).
  constexpr void start(const basic_fragment<Mask>& f) {
    stack_.assign(1, {f.block, false, f.lanes});
    last_ = structured_block::none;
    jump_ = no_block;
    overhead_ = 0;
  }

  /// The topmost entry with lanes. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> next() {
    while (!stack_.empty() && stack_.back().lanes.none()) stack_.pop_back();
    if (stack_.empty()) return std::nullopt;
    return basic_fragment<Mask>{stack_.back().block, stack_.back().lanes};
  }

  /// \pre f is what next() named last; lanes go where the graph of the table has edges. O(targets * depth), plus
  /// O(targets^2) for the order of the arms.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(!stack_.empty() && stack_.back().block == f.block,
                     "the fragment that advances is the one next() named");
    SIMTFLOW_EXPECTS(f.block < code_.size(), "every block that runs has a place in the structured code");
    const structured_block& here = code_[f.block];
    count_empty(f.block, here);
    if (stack_.back().loop) {
      stack_.back().lanes = Mask{};
    } else {
      stack_.pop_back();
      if (here.is_header()) {
        if (here.loop_end != no_block) stack_.push_back({here.loop_end, false, Mask{}});
        stack_.push_back({f.block, true, Mask{}});
      }
    }
    if (here.latch != no_block) stack_.push_back({here.latch, false, Mask{}});
    if (here.join != no_block) stack_.push_back({here.join, false, Mask{}});

    const std::size_t labels = stack_.size();
    for (const auto& o : out) {
      SIMTFLOW_EXPECTS(o.block < code_.size(), "every block that runs has a place in the structured code");
      const structured_block& target = code_[o.block];
      std::size_t at = target.label || target.is_header() ? labels : 0;
      while (at > 0 && stack_[at - 1].block != o.block) --at;
      if (at > 0) {
        stack_[at - 1].lanes |= o.lanes;
        continue;
      }
      SIMTFLOW_EXPECTS(!target.label, "lanes go where the graph of the structured code has edges");
      stack_.push_back({o.block, false, o.lanes});  // an arm: earlier code nearer to the top
      for (std::size_t i = stack_.size() - 1; i > labels; --i) {
        if (code_[stack_[i - 1].block].position > target.position) break;
        const entry kept = stack_[i];
        stack_[i] = stack_[i - 1];
        stack_[i - 1] = kept;
      }
    }
    jump_ = out.size() == 1 && f.block < options_.uniform.size() && options_.uniform[f.block] != 0 ? out[0].block
                                                                                                   : no_block;
  }

  /// Entries, the running entry included. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.size(); }
  /// Blocks fetched without any lane since start(); 0 with skip_empty. O(1).
  [[nodiscard]] constexpr std::size_t overhead() const { return overhead_; }
  /// The stack, bottom first. Every live lane is in exactly one entry.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_); }

  /// The same stack; overhead() does not matter. O(entries).
  friend constexpr bool operator==(const basic_predicate_stack& a, const basic_predicate_stack& b) {
    return a.stack_ == b.stack_;
  }

 private:
  // Counts the blocks passed on the way here from the block fetched last: straight on, or round a loop from its last
  // block.
  constexpr void count_empty(block_id b, const structured_block& here) {
    if (!options_.skip_empty && last_ != structured_block::none && jump_ != b)
      overhead_ += here.position > last_ ? here.position - last_ - 1 : here.loop_last - last_;
    last_ = here.position;
  }

  std::span<const structured_block> code_;
  predicate_options options_;
  std::vector<entry> stack_;
  std::uint32_t last_ = structured_block::none;
  block_id jump_ = no_block;  // where a scalar branch has just jumped to
  std::size_t overhead_ = 0;
};

/// The mask stack of a warp of up to 64 lanes.
using predicate_stack = basic_predicate_stack<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
