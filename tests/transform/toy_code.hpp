// SPDX-License-Identifier: BSL-1.0
//
// Code of a toy machine with two-armed branches, at random, and what threads do in it: what melding is tested on.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

using simtflow::block_id;

/// registers[to] = f(class, registers[a], registers[b]).
struct toy_instruction {
  std::uint32_t opcode_class = 0, latency = 1;
  std::uint32_t to = 0, a = 0, b = 0;
  bool odd = false;  ///< of one class only odd ones, and only even ones, are compatible
  bool pinned = false, convergent = false;
};

/// A model of meldable_code.
struct toy_code {
  simtflow::csr_graph graph;
  std::vector<std::uint32_t> begin, end;
  std::vector<toy_instruction> code;
  std::vector<unsigned char> uniform;               ///< by block; shorter: false
  std::vector<simtflow::branch_likelihood> likely;  ///< by block; shorter: nothing known
  std::vector<double> often;                        ///< by block; shorter: 1

  std::uint32_t first(block_id b) const { return begin[b]; }
  std::uint32_t last(block_id b) const { return end[b]; }
  std::uint32_t opcode_class(std::uint32_t i) const { return code[i].opcode_class; }
  std::uint32_t latency(std::uint32_t i) const { return code[i].latency; }
  bool compatible(std::uint32_t i, std::uint32_t j) const { return code[i].odd == code[j].odd; }
  std::uint32_t overhead(std::uint32_t i, std::uint32_t j) const {
    return (code[i].a != code[j].a ? 1U : 0U) + (code[i].b != code[j].b ? 1U : 0U);
  }
  bool is_pinned(std::uint32_t i) const { return code[i].pinned; }
  bool is_convergent(std::uint32_t i) const { return code[i].convergent; }
  bool is_divergent(block_id b) const { return b >= uniform.size() || uniform[b] == 0; }

  simtflow::branch_likelihood likelihood(block_id b) const {
    return b < likely.size() ? likely[b] : simtflow::branch_likelihood{};
  }
  double frequency(block_id b) const { return b < often.size() ? often[b] : 1; }

  std::uint64_t weight(block_id b) const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = begin[b]; i < end[b]; ++i) sum += code[i].latency;
    return sum;
  }
};

/// Makes one block by block.
class toy_writer {
 public:
  using row = std::vector<block_id>;

  block_id block(std::vector<toy_instruction> code, row to = {}) {
    code_.push_back(std::move(code));
    rows_.push_back(std::move(to));
    return static_cast<block_id>(rows_.size() - 1);
  }
  row& successors(block_id b) { return rows_[b]; }

  toy_code finish(block_id entry) const {
    toy_code out;
    simtflow::csr_builder g(rows_.size(), entry);
    for (block_id b = 0; b < rows_.size(); ++b) {
      for (const block_id s : rows_[b]) g.add_edge(b, s);
      out.begin.push_back(static_cast<std::uint32_t>(out.code.size()));
      for (const toy_instruction& i : code_[b]) out.code.push_back(i);
      out.end.push_back(static_cast<std::uint32_t>(out.code.size()));
    }
    out.graph = g.build();
    return out;
  }

 private:
  std::vector<std::vector<toy_instruction>> code_;
  std::vector<row> rows_;
};

// --- by hand --------------------------------------------------------------------------------------------------------

inline toy_instruction op(std::uint32_t opcode_class, std::uint32_t latency = 5) {
  toy_instruction i;
  i.opcode_class = opcode_class;
  i.latency = latency;
  return i;
}
inline std::vector<toy_instruction> ops(std::initializer_list<std::uint32_t> classes) {
  std::vector<toy_instruction> out;
  for (const std::uint32_t c : classes) out.push_back(op(c));
  return out;
}

// Blocks by number, each with successors and code; block 0 is the branch and the entry.
struct named_block {
  std::vector<block_id> to;
  std::vector<toy_instruction> code;
};
inline toy_code code_of(const std::vector<named_block>& blocks) {
  toy_writer w;
  for (const named_block& b : blocks) w.block(b.code, b.to);
  return w.finish(0);
}

// --- random two-armed branches --------------------------------------------------------------------------------------

/// A statement of an arm.
struct toy_statement {
  enum kind_t { plain, if_then, if_else, while_loop, do_loop, self_loop, cases, two_entries } kind = plain;
  std::vector<toy_instruction> head, more;
  bool exchanged = false;  ///< the slots of its two-way branch
  std::vector<std::vector<toy_statement>> bodies;
};

class toy_generator {
 public:
  explicit toy_generator(simtflow::testing::rng& random) : random_(random) {
    for (std::uint32_t c = 0; c < classes; ++c) latency_[c] = 1 + static_cast<std::uint32_t>(random.below(12));
    pinned_percent_ = random.chance(15) ? 3 : 0;
    empties_percent_ = random.chance(50) ? 12 : 0;
    most_code_ = 1 + random.below(6);
    depth_ = 1 + static_cast<unsigned>(random.below(3));
  }

  /// A function with such a branch; `branch` is its block.
  toy_code function(block_id& branch) {
    std::vector<toy_statement> left = body(depth_, 3), right;
    const std::size_t how = random_.below(10);
    if (how < 7)
      right = like(left);
    else
      right = body(depth_, 3);
    if (how == 9) left = body(0, 1);
    if (random_.chance(10)) std::swap(left, right);
    toy_writer w;
    // Made from the end on.
    const block_id leave = w.block(code());
    const bool in_loop = random_.chance(30);
    const block_id join = w.block(code(), {leave});
    const block_id l = write(w, left, join), r = write(w, right, join);
    branch = w.block(code(), {l, r});
    const block_id entry = w.block(code(), {branch});
    if (in_loop) w.successors(join).push_back(branch);
    return w.finish(entry);
  }

 private:
  static constexpr std::uint32_t classes = 5;

  toy_instruction instruction() {
    toy_instruction i;
    i.opcode_class = static_cast<std::uint32_t>(random_.below(classes));
    i.latency = latency_[i.opcode_class];
    i.to = static_cast<std::uint32_t>(random_.below(8));
    i.a = static_cast<std::uint32_t>(random_.below(8));
    i.b = static_cast<std::uint32_t>(random_.below(8));
    i.odd = random_.chance(15);
    i.pinned = random_.chance(pinned_percent_);
    return i;
  }
  std::vector<toy_instruction> code() {
    std::vector<toy_instruction> out;
    for (std::size_t k = random_.below(most_code_ + 1); k > 0; --k) out.push_back(instruction());
    return out;
  }
  std::vector<toy_statement> body(unsigned depth, std::size_t most) {
    std::vector<toy_statement> out;
    for (std::size_t k = 1 + random_.below(most); k > 0; --k) out.push_back(statement(depth));
    return out;
  }
  toy_statement statement(unsigned depth) {
    toy_statement s;
    s.kind = depth == 0 ? toy_statement::plain : static_cast<toy_statement::kind_t>(random_.below(8));
    s.head = code();
    s.more = code();
    s.exchanged = random_.chance(50);
    const std::size_t bodies = s.kind == toy_statement::plain || s.kind == toy_statement::self_loop       ? 0
                               : s.kind == toy_statement::if_else || s.kind == toy_statement::two_entries ? 2
                               : s.kind == toy_statement::cases ? 2 + random_.below(3)
                                                                : 1;
    for (std::size_t k = 0; k < bodies; ++k) s.bodies.push_back(body(depth - 1, 2));
    return s;
  }
  std::vector<toy_instruction> like(const std::vector<toy_instruction>& code) {
    std::vector<toy_instruction> out;
    for (toy_instruction i : code) {
      if (random_.chance(8)) continue;
      if (random_.chance(8)) out.push_back(instruction());
      if (random_.chance(30)) i.a = static_cast<std::uint32_t>(random_.below(8));
      if (random_.chance(20)) i.b = static_cast<std::uint32_t>(random_.below(8));
      out.push_back(i);
    }
    return out;
  }
  std::vector<toy_statement> like(const std::vector<toy_statement>& all) {
    std::vector<toy_statement> out;
    for (const toy_statement& s : all) {
      if (random_.chance(8)) continue;
      if (random_.chance(8)) out.push_back(statement(0));
      toy_statement t;
      t.kind = s.kind;
      t.head = like(s.head);
      t.more = like(s.more);
      t.exchanged = random_.chance(30) != s.exchanged;
      for (const auto& b : s.bodies) t.bodies.push_back(random_.chance(90) ? like(b) : body(0, 2));
      if (t.kind == toy_statement::if_else && random_.chance(30)) std::swap(t.bodies[0], t.bodies[1]);
      out.push_back(std::move(t));
    }
    if (out.empty()) out.push_back(statement(0));
    return out;
  }

  // The target of an edge: the block itself, or to one that only goes on to it.
  block_id to(toy_writer& w, block_id b) { return random_.chance(empties_percent_) ? w.block({}, {b}) : b; }
  static std::vector<block_id> slots(const toy_statement& s, block_id x, block_id y) {
    return s.exchanged ? std::vector<block_id>{y, x} : std::vector<block_id>{x, y};
  }
  // The first block of what leads to `next`.
  block_id write(toy_writer& w, const std::vector<toy_statement>& all, block_id next) {
    for (std::size_t k = all.size(); k-- > 0;) next = write(w, all[k], next);
    return to(w, next);
  }
  block_id write(toy_writer& w, const toy_statement& s, block_id next) {
    switch (s.kind) {
      case toy_statement::plain:
        return w.block(s.head, {to(w, next)});
      case toy_statement::if_then:
        return w.block(s.head, slots(s, write(w, s.bodies[0], next), to(w, next)));
      case toy_statement::if_else: {
        const block_id x = write(w, s.bodies[0], next), y = write(w, s.bodies[1], next);
        return w.block(s.head, slots(s, x, y));
      }
      case toy_statement::while_loop: {
        const block_id head = w.block(s.head);
        const block_id x = write(w, s.bodies[0], head);
        w.successors(head) = slots(s, x, to(w, next));
        return head;
      }
      case toy_statement::do_loop: {
        const block_id latch = w.block(s.more);
        const block_id x = write(w, s.bodies[0], latch);
        w.successors(latch) = slots(s, x, to(w, next));
        return x;
      }
      case toy_statement::self_loop: {
        const block_id b = w.block(s.head);
        w.successors(b) = slots(s, b, to(w, next));
        return b;
      }
      case toy_statement::cases: {
        std::vector<block_id> arms;
        for (const auto& b : s.bodies) arms.push_back(write(w, b, next));
        return w.block(s.head, arms);
      }
      case toy_statement::two_entries: {  // a loop that is entered at two blocks
        const block_id x = w.block(s.more), y = w.block({});
        const block_id from_x = write(w, s.bodies[0], y), from_y = write(w, s.bodies[1], x);
        w.successors(x) = {from_x};
        w.successors(y) = slots(s, from_y, to(w, next));
        return w.block(s.head, {x, y});
      }
    }
    return next;
  }

  simtflow::testing::rng& random_;
  std::uint32_t latency_[classes] = {};
  unsigned pinned_percent_ = 0, empties_percent_ = 0, depth_ = 1;
  std::size_t most_code_ = 1;
};

// --- what a thread does ---------------------------------------------------------------------------------------------

/// A thread of the toy machine.
struct toy_thread {
  std::uint64_t registers[8] = {};
  std::uint64_t decisions = 0;
  std::vector<std::uint32_t> trace;  ///< the instructions that it has executed

  explicit toy_thread(std::uint64_t seed) {
    for (std::uint64_t& r : registers) r = simtflow::testing::mix_bits(seed++ * 77);
  }
  void run(const toy_code& c, std::uint32_t i) {
    const toy_instruction& x = c.code[i];
    registers[x.to] = simtflow::testing::mix_bits(registers[x.a] * 3 + registers[x.b] + x.opcode_class + 1);
    trace.push_back(i);
  }
  /// The outcome of the branch that ends block b.
  std::size_t decide(const toy_code& c, block_id b) {
    const std::size_t slots = c.graph.successors(b).size();
    if (slots < 2) return 0;
    return simtflow::testing::mix_bits(registers[b % 8] + ++decisions * 1000 + b) % slots;
  }
};

inline constexpr std::size_t toy_steps = 3000;

/// From a block to the join, as the code stands. False: not within toy_steps.
inline bool run_arm(const toy_code& c, block_id b, block_id join, toy_thread& t) {
  for (std::size_t steps = 0; b != join; ++steps) {
    if (steps == toy_steps) return false;
    for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) t.run(c, i);
    b = c.graph.successors(b)[t.decide(c, b)];
  }
  return true;
}

/// The same through a plan, for a thread of one side. `wrong` says what no thread may meet.
inline bool run_plan(const toy_code& c, const simtflow::meld_plan& p, bool left, toy_thread& t, std::string& wrong) {
  using simtflow::meld_side;
  const meld_side mine = left ? meld_side::left : meld_side::right;
  std::size_t steps = 0;
  for (const simtflow::meld_piece& piece : p.pieces) {
    if (piece.side != meld_side::both && piece.side != mine) continue;
    std::uint32_t at = piece.first_block;
    while (at != simtflow::piece_end) {
      if (steps++ == 4 * toy_steps) return false;
      if (at < piece.first_block || at >= piece.first_block + piece.num_blocks) {
        wrong = "an edge leads out of its piece";
        return false;
      }
      const simtflow::meld_block& b = p.blocks[at];
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const std::uint32_t i = left ? p.all_slots[s].left : p.all_slots[s].right;
        if (i != simtflow::no_instruction) t.run(c, i);
      }
      const block_id own = left ? b.left : b.right;
      std::size_t slot = 0;
      if (b.ends_as == meld_side::both || b.ends_as == mine) {
        if (own == simtflow::no_block) {
          wrong = "a branch of a block that is not there";
          return false;
        }
        slot = t.decide(c, own);
        if (b.ends_as == meld_side::both && b.swapped && !left) slot = 1 - slot;
      } else {
        slot = b.forced;
      }
      if (slot >= b.num_successors) {
        wrong = "a thread comes where it should not, or takes a slot that is not there";
        return false;
      }
      at = p.successors[b.first_successor + slot];
    }
  }
  return true;
}

}  // namespace simtflow_tests
