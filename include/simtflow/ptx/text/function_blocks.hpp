// SPDX-License-Identifier: BSL-1.0
//
// The basic blocks of one function of a module, as they stand in its text, and their control-flow graph: what
// transforms plan on (rewrite.hpp applies the plans). decode() has blocks of its own, for running: there a call or a
// barrier ends a block.
//
// Blocks are numbered in the order of the text; block 0 is the entry. A block begins at the beginning of the function,
// at a label that a branch or a table names, and after an instruction that ends a block:
//
//   falls      goes on to the next block
//   jumps      bra: one successor
//   branches   bra under a guard: the target in slot 0, the next block in slot 1
//   table      brx.idx: an edge for each entry of the table, and if it has a guard the next block in the last slot
//   leaves     ret, exit: no successor, or under a guard the next block in slot 0; threads end here
//   stops      trap, a call from which nobody comes back: no successor
//
// A trap under a guard ends no block: the kernel is over where it happens. Behind the last instruction there is one
// more block, without instructions, if a label stands there that is branched to or something falls through to it.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Control Flow Instructions", "Parallel Synchronization
// and Communication Instructions" (which of them are convergent).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// How a block of the text ends.
enum class text_end : std::uint8_t {
  falls,     ///< goes on to the next block
  jumps,     ///< bra
  branches,  ///< bra under a guard
  table,     ///< brx.idx
  leaves,    ///< ret, exit, perhaps under a guard
  stops      ///< trap, or a call from which nobody comes back
};

/// The name of an end of a block.
[[nodiscard]] constexpr std::string_view to_string(text_end e) {
  constexpr std::string_view names[] = {"falls", "jumps", "branches", "table", "leaves", "stops"};
  return names[static_cast<std::size_t>(e)];
}

/// A basic block of the text: the instructions [first, last).
struct text_block {
  std::uint32_t first = 0;         ///< its first instruction, by number in the function
  std::uint32_t last = 0;          ///< one past its last one; equal to `first` if it has none
  text_end end = text_end::falls;  ///< how it ends: what its last instruction is
  std::uint32_t label = no_index;  ///< a label at its beginning that is branched to
};

class checked_function;

/// The blocks of a function; a checked_function has them. Module and function must outlive them.
class function_blocks {
 public:
  /// Number of blocks, at least one.
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  /// \pre b < size(). O(1).
  [[nodiscard]] const text_block& operator[](block_id b) const {
    SIMTFLOW_EXPECTS(b < blocks_.size(), "a block of the function");
    return blocks_[b];
  }
  /// Edges in slot order, as described above; blocks in which threads end are its exits.
  [[nodiscard]] const csr_graph& graph() const& { return graph_; }
  const csr_graph& graph() const&& = delete;

  /// The block that an instruction is in. \pre it is one of the function. O(1).
  [[nodiscard]] block_id block_of(std::uint32_t instruction) const {
    SIMTFLOW_EXPECTS(instruction < block_of_.size(), "an instruction of the function");
    return block_of_[instruction];
  }

  /// True if what a thread computes in a block depends on which other threads of its warp or thread block are there
  /// with it: barriers, shuffles, votes, matches, reductions over a warp, matrix operations, calls of functions that
  /// have some, and calls of what is not known here. Transforms must not change the threads that come to such a block
  /// together. O(instructions of the block).
  [[nodiscard]] bool is_convergent(block_id b) const {
    for (std::uint32_t i = (*this)[b].first; i < blocks_[b].last; ++i)
      if (is_convergent_instruction(i)) return true;
    return false;
  }
  /// The same of one instruction. \pre it is one of the function. O(1).
  [[nodiscard]] bool is_convergent_instruction(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < block_of_.size(), "an instruction of the function");
    return is_convergent(function_->instructions[i]) || calls_convergent(*function_, function_->instructions[i]);
  }

  /// True if a thread can see in a block what another thread has done since the thread was there last, so that a loop
  /// with the block can wait for the other thread without a barrier: atomic operations, volatile, relaxed, acquiring
  /// and .cv loads, and calls. A compiler may move any other load out of a loop. Barriers and their like are
  /// convergent instead. Transforms must not hold up one thread in such a loop for another. O(instructions of the
  /// block).
  [[nodiscard]] bool may_wait(block_id b) const {
    for (std::uint32_t i = (*this)[b].first; i < blocks_[b].last; ++i)
      if (may_wait(function_->instructions[i])) return true;
    return false;
  }

 private:
  friend class checked_function;
  // O(instructions + branch targets); with calls, of the module.
  function_blocks(const module& m, const function& f) : module_(&m), function_(&f) {
    find_blocks();
    connect();
    find_convergent_functions();
  }

  /// But for calls.
  static bool is_convergent(const instruction& i) {
    constexpr std::string_view heads[] = {"bar",        "barrier",  "shfl",     "vote",      "match",
                                          "activemask", "redux",    "elect",    "wmma",      "mma",
                                          "wgmma",      "ldmatrix", "stmatrix", "movmatrix", "setmaxnreg"};
    const std::string_view head = opcode_head(i);
    for (const std::string_view h : heads)
      if (h == head) return true;
    return false;
  }

  /// The same of one instruction.
  static bool may_wait(const instruction& i) {
    const std::string_view head = opcode_head(i);
    if (head == "atom" || head == "call" || head == "mbarrier" || head == "multimem") return true;
    if (head != "ld") return false;
    for (const std::string_view word : {".volatile", ".relaxed", ".acquire", ".mmio", ".cv"})
      if (i.opcode.find(word) != std::string::npos) return true;
    return false;
  }

  static bool is_call(const instruction& i) { return opcode_head(i) == "call"; }
  /// The function that a call runs, with aliases resolved; no_index if it is not known.
  std::uint32_t called(const function& f, const instruction& i) const {
    const operand& callee = f.operands_of(i)[1];
    if (callee.kind != operand_kind::function) return no_index;
    return behind_alias_[callee.index];
  }
  bool calls_convergent(const function& f, const instruction& i) const {
    if (!is_call(i)) return false;
    const std::uint32_t to = called(f, i);
    return to == no_index || convergent_[to] != 0;
  }
  /// True for a function of the system, by its name: no thread waits in it.
  static bool waits_for_nobody(std::string_view name) {
    return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
  }
  /// Finds the convergent functions of the module: functions with convergent instructions, and their callers.
  void find_convergent_functions() {
    bool calls = false;
    for (const instruction& i : function_->instructions) calls = calls || is_call(i);
    const std::vector<function>& all = module_->functions;
    if (!calls || all.empty()) return;
    behind_alias_ = resolve_aliases(*module_);
    convergent_.assign(all.size(), 0);
    csr_builder callers(all.size(), 0);  // from functions to those that call them
    std::vector<std::uint32_t> work;
    for (std::uint32_t f = 0; f < all.size(); ++f) {
      bool itself = !all[f].has_body && !waits_for_nobody(all[f].name) && all[f].alias_of == no_index;
      for (const instruction& i : all[f].instructions) {
        const std::uint32_t to = is_call(i) ? called(all[f], i) : no_index;
        if (to != no_index) callers.add_edge(to, f);
        itself = itself || is_convergent(i) || (is_call(i) && to == no_index);
      }
      if (!itself) continue;
      convergent_[f] = 1;
      work.push_back(f);
    }
    const csr_graph graph = callers.build();
    while (!work.empty()) {
      const std::uint32_t f = work.back();
      work.pop_back();
      for (const std::uint32_t c : graph.successors(f)) {
        if (convergent_[c] != 0) continue;
        convergent_[c] = 1;
        work.push_back(c);
      }
    }
  }

  text_end end_of(const instruction& i) const {
    const std::string_view head = opcode_head(i);
    if (head == "bra") return i.guard == no_index ? text_end::jumps : text_end::branches;
    if (head == "brx") return text_end::table;
    if (head == "ret" || head == "exit") return text_end::leaves;
    if ((head == "trap" && i.guard == no_index) || (head == "call" && never_returns(*module_, *function_, i)))
      return text_end::stops;
    return text_end::falls;
  }
  /// True if the block goes on to the next one.
  bool falls(const text_block& b) const {
    if (b.end == text_end::falls || b.end == text_end::branches) return true;
    const bool may = b.end == text_end::table || b.end == text_end::leaves;
    return may && function_->instructions[b.last - 1].guard != no_index;
  }

  void find_blocks() {
    const function& f = *function_;
    const auto n = static_cast<std::uint32_t>(f.instructions.size());
    std::vector<std::uint32_t> label_at(n + 1, no_index);  // by instruction: a label there that is branched to
    const auto mark = [&](std::uint32_t l) {
      std::uint32_t& at = label_at[f.labels[l].instruction];
      if (at == no_index || l < at) at = l;
    };
    for (const instruction& i : f.instructions) {
      const text_end end = end_of(i);
      if (end == text_end::jumps || end == text_end::branches) mark(f.operands_of(i)[0].index);
      if (end == text_end::table)
        for (const std::uint32_t l : f.branch_tables[f.operands_of(i)[1].index].targets) mark(l);
    }
    block_of_.assign(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i == 0 || label_at[i] != no_index || blocks_.back().end != text_end::falls) {
        blocks_.push_back({i, i, text_end::falls, label_at[i]});
      }
      text_block& b = blocks_.back();
      block_of_[i] = static_cast<block_id>(blocks_.size() - 1);
      b.last = i + 1;
      b.end = end_of(f.instructions[i]);
    }
    if (n == 0 || label_at[n] != no_index || falls(blocks_.back()))
      blocks_.push_back({n, n, text_end::leaves, label_at[n]});
  }

  void connect() {
    const function& f = *function_;
    csr_builder g(blocks_.size(), 0);
    const auto edge = [&](block_id b, std::uint32_t l) { g.add_edge(b, block_at(f.labels[l].instruction)); };
    for (block_id b = 0; b < blocks_.size(); ++b) {
      const text_block& t = blocks_[b];
      if (t.end == text_end::leaves) g.mark_exit(b);
      if (t.first == t.last) continue;
      const instruction& last = f.instructions[t.last - 1];
      if (t.end == text_end::jumps || t.end == text_end::branches) edge(b, f.operands_of(last)[0].index);
      if (t.end == text_end::table)
        for (const std::uint32_t l : f.branch_tables[f.operands_of(last)[1].index].targets) edge(b, l);
      if (falls(t)) g.add_edge(b, b + 1);
    }
    graph_ = g.build();
  }
  block_id block_at(std::uint32_t instruction) const {
    return instruction < block_of_.size() ? block_of_[instruction] : static_cast<block_id>(blocks_.size() - 1);
  }

  const module* module_;
  const function* function_;
  std::vector<text_block> blocks_;
  std::vector<block_id> block_of_;  // by instruction
  csr_graph graph_;
  std::vector<std::uint32_t> behind_alias_;  // by function of the module, if there are calls
  std::vector<unsigned char> convergent_;    // likewise
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
