// SPDX-License-Identifier: BSL-1.0
//
// Shared by 19_adapt_a_compiler.cpp and its solutions: a compiler's intermediate representation, which knows nothing of
// simtflow.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ir {

struct block;

enum class opcode { thread_number, parameter, constant, load, add, less, phi, vote };

struct instruction {
  opcode what;
  std::string name;  // of its result
  block* where;
  std::size_t id;
  std::vector<instruction*> operands = {};
  std::vector<block*> from = {};  // of a phi: by operand, the block that control comes from
};

struct block {
  std::string name;
  std::size_t id;
  std::vector<block*> successors = {};
  instruction* condition = nullptr;  // chooses the successor
};

struct function {
  std::vector<std::unique_ptr<block>> blocks;
  std::vector<std::unique_ptr<instruction>> instructions;

  block* add(const char* name) {
    blocks.push_back(std::make_unique<block>(block{name, blocks.size()}));
    return blocks.back().get();
  }
  instruction* add(block* where, opcode what, const char* name, std::vector<instruction*> operands = {}) {
    instructions.push_back(
        std::make_unique<instruction>(instruction{what, name, where, instructions.size(), std::move(operands)}));
    return instructions.back().get();
  }
};

// n = *count; for (i = 0; i < n; ++i) { if (in[thread + i] < limit) sum += in[thread + i]; }
struct sum_below {
  function f;
  block *entry = f.add("entry"), *head = f.add("head"), *body = f.add("body"), *add = f.add("add"),
        *latch = f.add("latch"), *done = f.add("done");
  instruction* thread = f.add(entry, opcode::thread_number, "thread");
  instruction* n = f.add(entry, opcode::parameter, "n");
  instruction* limit = f.add(entry, opcode::parameter, "limit");
  instruction* zero = f.add(entry, opcode::constant, "zero");
  instruction* one = f.add(entry, opcode::constant, "one");
  instruction* i = f.add(head, opcode::phi, "i");
  instruction* sum = f.add(head, opcode::phi, "sum");
  instruction* more = f.add(head, opcode::less, "more", {i, n});
  instruction* place = f.add(body, opcode::add, "place", {thread, i});
  instruction* word = f.add(body, opcode::load, "word", {place});
  instruction* small = f.add(body, opcode::less, "small", {word, limit});
  instruction* bigger = f.add(add, opcode::add, "bigger", {sum, word});
  instruction* next_sum = f.add(latch, opcode::phi, "next sum", {sum, bigger});
  instruction* next = f.add(latch, opcode::add, "next", {i, one});

  sum_below() {
    entry->successors = {head};
    head->successors = {body, done};
    head->condition = more;
    body->successors = {add, latch};
    body->condition = small;
    add->successors = {latch};
    latch->successors = {head};
    i->operands = {zero, next};
    sum->operands = {zero, next_sum};
    i->from = sum->from = {entry, latch};
    next_sum->from = {body, add};
  }
};

}  // namespace ir
