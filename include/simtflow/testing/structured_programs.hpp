// SPDX-License-Identifier: BSL-1.0
//
// Seeded random programs of sequences, branches and loops, as graphs.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/testing/random_graphs.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// Options of random_structured_program.
struct program_options {
  std::size_t statements = 8;     ///< at most; the program has about three blocks per statement
  unsigned max_depth = 4;         ///< nesting of if and while; at most 64
  bool loops = true;              ///< false: no while
  bool break_continue = false;    ///< loops may have several exits and latches, but stay single-entry
  bool early_return = false;      ///< branches to the last block from anywhere
  bool barriers = false;          ///< at places that all threads reach together
  unsigned uniform_percent = 25;  ///< branches that all threads decide alike; barriers occur only under such
};

/// A generated program. Block 0 is the entry, the last block the only exit.
struct structured_program {
  csr_graph graph;                     ///< its blocks
  std::vector<block_id> barriers;      ///< blocks that end in a barrier, ascending
  std::vector<unsigned char> uniform;  ///< by block: all threads that arrive together decide alike
};

namespace detail {

// Recursive descent over statements; the depth is bounded by program_options::max_depth.
class program_writer {
 public:
  constexpr program_writer(rng& random, const program_options& options) : random_(random), options_(options) {
    SIMTFLOW_EXPECTS(options.max_depth <= 64, "random_structured_program: at most 64 levels");
    left_ = options.statements;
  }

  constexpr structured_program write() {
    block_id last = sequence(block(), context{});
    const block_id end = block();
    join(last, end);
    for (const block_id b : returns_) out_[b].push_back(end);
    structured_program result;
    csr_builder builder(out_.size());
    for (block_id b = 0; b < out_.size(); ++b) {
      if (out_[b].size() == 2 && random_.chance(50)) {
        const block_id kept = out_[b][0];
        out_[b][0] = out_[b][1];
        out_[b][1] = kept;
      }
      for (const block_id s : out_[b]) builder.add_edge(b, s);
      if (barrier_[b]) result.barriers.push_back(b);
    }
    result.graph = builder.build();
    result.uniform = uniform_;
    return result;
  }

 private:
  struct context {
    unsigned depth = 0;
    bool uniform = true;  // all threads of the group are here together
    bool in_loop = false;
    bool uniform_loop = true;   // ... and were when the innermost loop began
    block_id latch = no_block;  // of the innermost loop
    block_id after = no_block;
  };

  constexpr block_id block() {
    out_.push_back({});
    barrier_.push_back(0);
    uniform_.push_back(1);
    return static_cast<block_id>(out_.size() - 1);
  }
  constexpr void join(block_id from, block_id to) { out_[from].push_back(to); }
  constexpr bool decide(block_id b, const context& at) {
    const bool alike = at.uniform && random_.chance(options_.uniform_percent);
    uniform_[b] = static_cast<unsigned char>(alike);
    return alike;
  }

  // Writes statements after the open block; gives the last one, open again.
  constexpr block_id sequence(block_id open, const context& where) {
    const std::size_t length = random_.between(1, 3);
    for (std::size_t i = 0; i < length && left_ > 0; ++i) open = statement(open, where);
    return open;
  }

  constexpr block_id statement(block_id open, const context& where) {
    --left_;
    context inside = where;
    ++inside.depth;
    const bool nest = where.depth < options_.max_depth;
    const std::size_t kind = random_.below(10);
    if (options_.barriers && where.uniform && random_.chance(30)) {
      barrier_[open] = 1;  // the barrier ends its block
      const block_id next = block();
      join(open, next);
      open = next;
    }
    if (options_.loops && nest && kind < 3) {  // while (c) { ... latch }
      const block_id head = block(), body = block(), latch = block(), after = block();
      join(open, head);
      out_[head] = {body, after};
      inside.uniform = decide(head, where);
      inside.in_loop = true;
      inside.uniform_loop = inside.uniform;
      inside.latch = latch;
      inside.after = after;
      join(sequence(body, inside), latch);
      join(latch, head);
      return after;
    }
    if (nest && kind < 6) {  // if (c) { ... } else { ... }
      const block_id yes = block(), no = block();
      out_[open] = {yes, no};
      inside.uniform = decide(open, where);
      const block_id a = sequence(yes, inside), b = sequence(no, inside);
      const block_id next = block();
      join(a, next);
      join(b, next);
      return next;
    }
    if (nest && kind < 8) {  // if (c) { ... }
      const block_id yes = block(), next = block();
      out_[open] = {yes, next};
      inside.uniform = decide(open, where);
      join(sequence(yes, inside), next);
      return next;
    }
    if (options_.break_continue && where.in_loop && where.uniform == where.uniform_loop && kind == 8) {
      const block_id next = block();  // if (c) break;   or   if (c) continue;
      out_[open] = {random_.chance(50) ? where.after : where.latch, next};
      uniform_[open] = static_cast<unsigned char>(where.uniform);  // a divergent jump would end the loop's uniformity
      return next;
    }
    if (options_.early_return && !options_.barriers && kind == 9) {  // if (c) return;
      const block_id next = block();
      out_[open].push_back(next);
      returns_.push_back(open);
      uniform_[open] = 0;
      return next;
    }
    const block_id next = block();  // a plain statement
    join(open, next);
    return next;
  }

  rng& random_;
  program_options options_;
  std::size_t left_ = 0;
  rows out_;
  std::vector<unsigned char> barrier_, uniform_;
  std::vector<block_id> returns_;
};

}  // namespace detail

/// A random program of sequences, if, if / else and while. Every while has a dedicated latch block (its only back
/// edge), a header that is its only ordinary exit and a dedicated block after it. Reducible, and every block reaches
/// the end.
[[nodiscard]] constexpr structured_program random_structured_program(rng& random, const program_options& options = {}) {
  return detail::program_writer(random, options).write();
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
