// SPDX-License-Identifier: BSL-1.0
//
// The least that LLVM's DominatorTree needs of a function and its blocks, so that it can be timed on any graph.
#pragma once

#include <simtflow/graph/csr.hpp>

#include <llvm/ADT/GraphTraits.h>
#include <llvm/Support/GenericDomTree.h>
#include <llvm/Support/GenericDomTreeConstruction.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace simtflow_bench {

struct llvm_function;
struct llvm_block {
  llvm_function* parent = nullptr;
  std::size_t number = 0;
  std::vector<llvm_block*> successors, predecessors;
  llvm_function* getParent() const { return parent; }
  void printAsOperand(llvm::raw_ostream& out, bool = false) const { out << number; }
};
struct llvm_function {
  std::vector<std::unique_ptr<llvm_block>> blocks;
  llvm_block* entry = nullptr;
  explicit llvm_function(const simtflow::csr_graph& g) {
    for (std::size_t b = 0; b < g.num_blocks(); ++b) {
      blocks.push_back(std::make_unique<llvm_block>());
      blocks.back()->parent = this;
      blocks.back()->number = b;
    }
    for (simtflow::block_id b = 0; b < g.num_blocks(); ++b)
      for (const simtflow::block_id s : g.successors(b)) {
        blocks[b]->successors.push_back(blocks[s].get());
        blocks[s]->predecessors.push_back(blocks[b].get());
      }
    entry = blocks[g.entry()].get();
  }
  llvm_function(const llvm_function&) = delete;
  llvm_function& operator=(const llvm_function&) = delete;
  llvm_block& front() const { return *entry; }
};

}  // namespace simtflow_bench

namespace llvm {
template <>
struct GraphTraits<simtflow_bench::llvm_block*> {
  using NodeRef = simtflow_bench::llvm_block*;
  using ChildIteratorType = std::vector<simtflow_bench::llvm_block*>::iterator;
  static NodeRef getEntryNode(NodeRef b) { return b; }
  static ChildIteratorType child_begin(NodeRef b) { return b->successors.begin(); }
  static ChildIteratorType child_end(NodeRef b) { return b->successors.end(); }
};
template <>
struct GraphTraits<Inverse<simtflow_bench::llvm_block*>> {
  using NodeRef = simtflow_bench::llvm_block*;
  using ChildIteratorType = std::vector<simtflow_bench::llvm_block*>::iterator;
  static NodeRef getEntryNode(Inverse<NodeRef> b) { return b.Graph; }
  static ChildIteratorType child_begin(NodeRef b) { return b->predecessors.begin(); }
  static ChildIteratorType child_end(NodeRef b) { return b->predecessors.end(); }
};
template <>
struct GraphTraits<simtflow_bench::llvm_function*> : GraphTraits<simtflow_bench::llvm_block*> {
  struct nodes_iterator : std::vector<std::unique_ptr<simtflow_bench::llvm_block>>::iterator {
    using base = std::vector<std::unique_ptr<simtflow_bench::llvm_block>>::iterator;
    nodes_iterator(base at) : base(at) {}  // NOLINT(google-explicit-constructor)
    simtflow_bench::llvm_block* operator*() const { return base::operator*().get(); }
  };
  static NodeRef getEntryNode(simtflow_bench::llvm_function* f) { return f->entry; }
  static nodes_iterator nodes_begin(simtflow_bench::llvm_function* f) { return f->blocks.begin(); }
  static nodes_iterator nodes_end(simtflow_bench::llvm_function* f) { return f->blocks.end(); }
  static std::size_t size(simtflow_bench::llvm_function* f) { return f->blocks.size(); }
};
}  // namespace llvm
