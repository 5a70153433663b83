// SPDX-License-Identifier: BSL-1.0
//
// LLVM functions as control-flow graphs (LLVM 14 to 23; needs LLVM's headers and library only where it is included).
//
//   simtflow::llvm_cfg cfg(f);                          // numbers the blocks of f, copies nothing
//   const auto tree = simtflow::post_dominators(cfg);
//   for (llvm::BasicBlock& b : f)
//     if (const auto join = tree.ipdom(&b)) llvm::errs() << (*join)->getName() << '\n';
//
// A basic block has no number before LLVM 20, so a function alone cannot be a graph of dense indices: llvm_cfg is the
// function with numbers, the positions of its blocks. It owns a pointer and a hash entry for each block and reads
// nothing of a block but its terminator. After blocks are added, removed or moved, call renumber().
//
// The slots of a block are the successors of its terminator in LLVM's order: slot 0 of a conditional branch is where it
// goes if the condition holds, slot 0 of a switch is its default. Blocks that end with ret, unreachable or resume are
// the exits. A part of a function is a discovered_graph: discovered_graph(&block, llvm_successors{}) holds all blocks
// that the block reaches.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// A jump and a branch with a condition: one class up to LLVM 22, two classes from 23 on.
#if LLVM_VERSION_MAJOR >= 23
using llvm_jump = llvm::UncondBrInst;
using llvm_two_way_branch = llvm::CondBrInst;
#else
using llvm_jump = llvm::BranchInst;
using llvm_two_way_branch = llvm::BranchInst;
#endif

}  // namespace detail

/// A function with numbers for its blocks: a flow_graph; its vertices are pointers to llvm::BasicBlock (to const ones
/// if the function is const). Function is llvm::Function or const llvm::Function. A declaration is an empty graph.
/// Blocks that the entry does not reach have numbers too.
/// \pre the function outlives this, and its list of blocks stays as it is, or renumber() follows.
/// Complexity: O(blocks) to make; every question O(1).
template <class Function>
class llvm_cfg {
  static_assert(std::is_same_v<std::remove_const_t<Function>, llvm::Function>,
                "simtflow: llvm_cfg is made of an llvm::Function");

 public:
  /// const llvm::BasicBlock of a const function, else llvm::BasicBlock.
  using block = std::conditional_t<std::is_const_v<Function>, const llvm::BasicBlock, llvm::BasicBlock>;

  /// Numbers the blocks of f.
  explicit llvm_cfg(Function& f) : function_(&f) { renumber(); }

  /// Looks at the list of blocks again; results that were computed before speak of the old numbers.
  void renumber() {
    blocks_.clear();
    number_.clear();
    for (block& b : *function_) {
      number_[&b] = static_cast<block_id>(blocks_.size());
      blocks_.push_back(&b);
    }
  }

  /// The function that it was made of.
  [[nodiscard]] Function& function() const { return *function_; }
  /// Blocks of the function when they were numbered.
  [[nodiscard]] std::size_t num_blocks() const { return blocks_.size(); }
  /// The block of a number. \pre i < num_blocks()
  [[nodiscard]] block* block_at(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < blocks_.size(), "a number of a block of the LLVM function");
    return blocks_[i];
  }
  /// The number of a block. \pre it is a block of the function
  [[nodiscard]] std::size_t index(const llvm::BasicBlock* b) const {
    const auto found = number_.find(b);
    SIMTFLOW_EXPECTS(found != number_.end(), "a block of the LLVM function; blocks made later take a renumber()");
    return found->second;
  }

 private:
  Function* function_;
  std::vector<block*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, block_id> number_;
};

/// A function with numbers is a flow_graph over its blocks.
template <class Function>
struct graph_traits<llvm_cfg<Function>> {
  using vertex = typename llvm_cfg<Function>::block*;  ///< a block; const if the function is
  /// Its blocks, unreachable ones among them.
  static std::size_t num_vertices(const llvm_cfg<Function>& g) { return g.num_blocks(); }
  /// The position of b in the function.
  static std::size_t index(const llvm_cfg<Function>& g, vertex b) { return g.index(b); }
  /// The block that stands there.
  static vertex vertex_at(const llvm_cfg<Function>& g, std::size_t i) { return g.block_at(i); }
  /// The first block.
  static vertex entry(const llvm_cfg<Function>& g) { return g.block_at(0); }
  /// In LLVM's order.
  static auto successors(const llvm_cfg<Function>&, vertex b) { return llvm::successors(b); }
  /// One for each edge.
  static auto predecessors(const llvm_cfg<Function>&, vertex b) { return llvm::predecessors(b); }
};

/// The successors of a block, for graphs of blocks that are no whole function: see discovered_graph.
struct llvm_successors {
  /// The successors of b in LLVM's order.
  auto operator()(const llvm::BasicBlock* b) const { return llvm::successors(b); }
};

/// Tells whether a thread that repeats an instruction may wait for what another thread does: a volatile access, an
/// atomic load, an atomic operation with a result that is used, or a call that accesses memory other than its arguments
/// and that LLVM does not call nosync. O(1).
[[nodiscard]] inline bool llvm_may_wait(const llvm::Instruction& i) {
  if (i.isVolatile()) return true;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
    return !call->hasFnAttr(llvm::Attribute::NoSync) && !call->doesNotAccessMemory() && !call->onlyAccessesArgMemory();
  return i.isAtomic() && (llvm::isa<llvm::LoadInst>(i) || !i.use_empty());
}

/// Tells whether a block has an operation that the same threads must execute together as before (a barrier, a vote): a
/// call that LLVM calls convergent. For transforms that ask. O(instructions of the block).
struct llvm_is_convergent {
  /// Whether b has such a call.
  bool operator()(const llvm::BasicBlock* b) const {
    for (const llvm::Instruction& i : *b)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call != nullptr && call->isConvergent()) return true;
    return false;
  }
};

}  // namespace v0
}  // namespace simtflow
