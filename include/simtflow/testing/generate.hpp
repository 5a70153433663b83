// SPDX-License-Identifier: BSL-1.0
//
// Graphs and threads for property tests: seeded random control-flow graphs, random structured programs, every graph of
// up to a few blocks, and threads that walk through a graph. One seed gives the same result with every compiler and
// standard library, so a failure can be reproduced from the number that was printed.
//
//   A walk is a pure function of (seed, thread, block, visit): how threads are scheduled cannot change where they go,
//   so a thread's path under any machine must equal its path alone.
//
// Literature: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014 (the mixing function).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// A 64-bit finaliser: every bit of the result depends on every bit of x.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9U;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBU;
  return x ^ (x >> 31);
}

/// A small random generator (splitmix64): 64 bits of state, the same numbers everywhere.
class rng {
 public:
  constexpr explicit rng(std::uint64_t seed) : state_(seed) {}  ///< seeds that differ in one bit give unrelated numbers

  /// All 64-bit numbers are as likely.
  constexpr std::uint64_t next() { return mix_bits(state_ += 0x9E37'79B9'7F4A'7C15U); }

  /// A number below n. \pre n > 0. The bias is below n / 2^64.
  constexpr std::size_t below(std::size_t n) {
    SIMTFLOW_EXPECTS(n > 0, "a random number below zero does not exist");
    return static_cast<std::size_t>(next() % n);
  }

  /// A number in [low, high]. \pre low <= high.
  constexpr std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  /// True in `percent` of 100 cases.
  constexpr bool chance(unsigned percent) { return below(100) < percent; }

  /// Puts the elements in a random order, every order as likely but for the bias of below().
  template <class T>
  constexpr void shuffle(std::vector<T>& v) {
    for (std::size_t i = v.size(); i > 1; --i) {
      const std::size_t j = below(i);
      const T kept = v[i - 1];
      v[i - 1] = v[j];
      v[j] = kept;
    }
  }

 private:
  std::uint64_t state_;
};

// --- arbitrary graphs ------------------------------------------------------------------------------------------------

/// What random_cfg makes.
struct cfg_options {
  std::size_t blocks = 8;            ///< how many; 0 makes the empty graph
  std::size_t max_successors = 2;    ///< at least 1
  std::size_t exits = 1;             ///< blocks without successors; 0 makes a graph that never ends (needs loops)
  bool loops = true;                 ///< false: acyclic
  bool reducible = false;            ///< every loop has one entry
  bool terminating = false;          ///< an exit can be reached from every block
  bool shuffled = true;              ///< block ids say nothing about the order; the entry may be any block
  unsigned exit_mark_percent = 0;    ///< blocks with successors that threads may leave from as well
  unsigned unreachable_percent = 0;  ///< blocks left out of the tree that reaches all others
};

namespace detail {

// Rows of a graph under construction.
using rows = std::vector<std::vector<block_id>>;

// The dominators of an acyclic graph whose blocks come in topological order, block 0 first: of those that are settled
// ancestors are found in O(log depth), by links that skip as in E. Myers, An applicative random-access stack (1983).
class growing_tree {
 public:
  constexpr void start(std::size_t blocks) {
    node_.assign(blocks, node{});
    if (blocks != 0) node_[0] = {0, 0, 0};
  }
  [[nodiscard]] constexpr bool has(block_id b) const { return node_[b].up != no_block; }
  [[nodiscard]] constexpr std::uint32_t depth(block_id b) const { return node_[b].depth; }
  // \pre `parent` is settled, b is not
  constexpr void add_parent(block_id b, block_id parent) {
    node_[b].up = has(b) ? common(node_[b].up, parent) : parent;
  }
  constexpr void settle(block_id b) {
    const node& up = node_[node_[b].up];
    const node& leap = node_[up.jump];
    node_[b].depth = up.depth + 1;
    node_[b].jump = up.depth - leap.depth == leap.depth - node_[leap.jump].depth ? leap.jump : node_[b].up;
  }
  // The one at this depth. \pre b is settled and not above it
  [[nodiscard]] constexpr block_id ancestor(block_id b, std::uint32_t depth) const {
    while (node_[b].depth > depth) b = node_[node_[b].jump].depth >= depth ? node_[b].jump : node_[b].up;
    return b;
  }

 private:
  struct node {
    block_id up = no_block, jump = 0;
    std::uint32_t depth = 0;
  };
  [[nodiscard]] constexpr block_id common(block_id a, block_id b) const {
    if (node_[a].depth > node_[b].depth)
      a = ancestor(a, node_[b].depth);
    else
      b = ancestor(b, node_[a].depth);
    while (a != b) {
      const bool apart = node_[a].jump != node_[b].jump;
      a = apart ? node_[a].jump : node_[a].up;
      b = apart ? node_[b].jump : node_[b].up;
    }
    return a;
  }
  std::vector<node> node_;
};

constexpr csr_graph finish(const rows& out, block_id entry, const std::vector<unsigned char>& marks,
                           const std::vector<block_id>& name) {
  csr_builder builder(out.size(), out.empty() ? 0 : name[entry]);
  for (block_id b = 0; b < out.size(); ++b) {
    for (const block_id s : out[b]) builder.add_edge(name[b], name[s]);
    if (marks[b]) builder.mark_exit(name[b]);
  }
  return builder.build();
}

}  // namespace detail

/// A random graph. Every block is reached from the entry unless unreachable_percent says otherwise; parallel edges and
/// self loops (with loops) occur; slots are in random order. `exits` is reduced where it would leave a block unreached.
/// \pre max_successors >= 1, and exits >= 1 if loops is false or terminating is true.
/// Complexity: O(blocks * max_successors), times log(blocks) if reducible.
[[nodiscard]] constexpr csr_graph random_cfg(rng& random, const cfg_options& options = {}) {
  const std::size_t n = options.blocks;
  SIMTFLOW_EXPECTS(options.max_successors >= 1, "random_cfg: a block has at least one successor slot");
  SIMTFLOW_EXPECTS(options.exits >= 1 || (options.loops && !options.terminating),
                   "random_cfg: without exits the graph must have loops and need not terminate");
  if (n == 0) return csr_graph{};
  // Blocks are made in topological order of a skeleton (a tree of forward edges); the last ones are the exits.
  std::size_t exits = options.exits < n ? options.exits : n;
  if (n > 1) {
    if (exits > n - 1) exits = n - 1;
    while (exits > 1 && (n - exits) * options.max_successors < n - 1) --exits;
  }
  const std::size_t inner = n - exits;  // blocks 0 .. inner - 1 have successors
  detail::rows out;
  out.assign(n, {});
  // Islands are nobody's parent; nor is a block without a free slot. free[b]: where to look for the next one that can be.
  std::vector<std::uint32_t> free;
  for (std::size_t b = 0; b <= inner; ++b) free.push_back(static_cast<std::uint32_t>(b));
  const auto next_free = [&free](std::size_t b) {
    while (free[b] != b) b = free[b] = free[free[b]];
    return b;
  };
  for (std::size_t b = 1; b < n; ++b) {
    if (b < inner && random.chance(options.unreachable_percent)) {
      ++free[b];
      continue;
    }
    // A parent with a free slot exists (see `exits`), unless islands took the slots.
    const std::size_t limit = b < inner ? b : inner;
    std::size_t parent = next_free(random.below(limit));
    if (parent >= limit) parent = next_free(0);
    if (parent >= limit) {
      if (b < inner) ++free[b];
      continue;
    }
    out[parent].push_back(static_cast<block_id>(b));
    if (out[parent].size() >= options.max_successors) ++free[parent];
  }
  const bool acyclic_only = !options.loops;
  const bool forward_first = acyclic_only || options.reducible || options.terminating;
  for (std::size_t b = 0; b < inner; ++b) {
    const std::size_t wanted = random.between(1, options.max_successors);
    if (forward_first && out[b].empty() && b + 1 < n) {
      out[b].push_back(static_cast<block_id>(random.between(b + 1, n - 1)));
    }
    while (out[b].size() < wanted) {
      const bool forward = acyclic_only || options.reducible;
      if (forward && b + 1 >= n) break;
      if (options.reducible && !acyclic_only && random.chance(50)) break;  // leave the slot to a back edge
      out[b].push_back(static_cast<block_id>(forward ? random.between(b + 1, n - 1) : random.below(n)));
    }
  }
  if (options.loops && options.reducible) {
    // Of forward edges only: adding an edge to a dominator changes no dominators.
    detail::growing_tree tree;
    tree.start(n);
    for (block_id b = 0; b < n; ++b) {  // every predecessor comes before
      if (!tree.has(b)) continue;
      if (b != 0) tree.settle(b);
      for (const block_id s : out[b]) tree.add_parent(s, b);
    }
    for (block_id b = 0; b < inner; ++b) {
      if (!tree.has(b) || out[b].size() >= options.max_successors || !random.chance(60)) continue;
      out[b].push_back(tree.ancestor(b, static_cast<std::uint32_t>(random.below(tree.depth(b) + std::size_t{1}))));
    }
  }
  std::vector<unsigned char> marks;
  marks.assign(n, 0);
  std::vector<block_id> name;
  for (block_id b = 0; b < n; ++b) {
    random.shuffle(out[b]);
    marks[b] = static_cast<unsigned char>(random.chance(options.exit_mark_percent));
    name.push_back(b);
  }
  if (options.exits == 0 && out[n - 1].empty())  // back to the start: block 0 dominates every reached block
    out[n - 1].push_back(0);
  if (options.shuffled) random.shuffle(name);
  return detail::finish(out, 0, marks, name);
}

/// random_cfg without loops. Block ids are a topological order if `shuffled` is false.
[[nodiscard]] constexpr csr_graph random_acyclic(rng& random, cfg_options options = {}) {
  options.loops = false;
  if (options.exits == 0) options.exits = 1;
  return random_cfg(random, options);
}

// --- every small graph -----------------------------------------------------------------------------------------------

/// How many graphs of n blocks there are in which block 0 is the entry and each block has no, one or two successors, in
/// order, parallel edges included: (1 + n + n^2)^n. n = 4 gives 194,481.
[[nodiscard]] constexpr std::uint64_t num_small_cfgs(std::size_t n) {
  std::uint64_t all = 1;
  for (std::size_t i = 0; i < n; ++i) all *= 1 + n + n * n;
  return all;
}

/// The code-th of them; the same number always gives the same graph. \pre n <= 6 and code < num_small_cfgs(n).
[[nodiscard]] constexpr csr_graph small_cfg(std::size_t n, std::uint64_t code) {
  SIMTFLOW_EXPECTS(n <= 6 && code < num_small_cfgs(n), "small_cfg: no such graph");
  csr_builder builder(n);
  for (block_id b = 0; b < n; ++b) {
    const std::uint64_t choice = code % (1 + n + n * n);
    code /= 1 + n + n * n;
    if (choice == 0) continue;
    if (choice <= n) {
      builder.add_edge(b, static_cast<block_id>(choice - 1));
    } else {
      builder.add_edge(b, static_cast<block_id>((choice - 1 - n) / n));
      builder.add_edge(b, static_cast<block_id>((choice - 1 - n) % n));
    }
  }
  return builder.build();
}

/// Calls f(graph) for each of them, in the order of their codes (so small_cfg(n, k) is the k-th call).
template <class F>
constexpr void for_each_small_cfg(std::size_t n, F&& f) {
  const std::uint64_t all = num_small_cfgs(n);
  for (std::uint64_t code = 0; code < all; ++code) f(small_cfg(n, code));
}

// --- structured programs ---------------------------------------------------------------------------------------------

/// What random_structured_program makes.
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

  // Writes statements behind the open block; gives the last one, open again.
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
/// edge), a header that is its only ordinary exit and a dedicated block behind it. Reducible, and every block reaches
/// the end.
[[nodiscard]] constexpr structured_program random_structured_program(rng& random, const program_options& options = {}) {
  return detail::program_writer(random, options).write();
}

// --- threads ---------------------------------------------------------------------------------------------------------

/// How random_walks go.
struct walk_options {
  std::uint64_t seed = 1;     ///< another seed, other walks
  unsigned patience = 6;      ///< visits to a block by one thread after which it heads for an exit
  bool avoid_endless = true;  ///< never enters blocks from which no exit can be reached, if there is a choice
};

/// Where threads go: a pure function of (seed, thread, block, visit). A block that may be left (is_exit) and has
/// successors counts the exit as one more choice.
///
/// Every walk ends if the entry reaches an exit and avoid_endless is set; the graph is not kept, its shape is.
/// `uniform` (by block, may be shorter than the graph) names blocks where the thread's number plays no part.
class random_walks {
 public:
  /// O(blocks + edges).
  constexpr explicit random_walks(const csr_graph& g, const walk_options& options = {},
                                  std::span<const unsigned char> uniform = {})
      : graph_(g), options_(options) {
    const std::size_t n = g.num_blocks();
    uniform_.assign(n, 0);
    for (std::size_t b = 0; b < n && b < uniform.size(); ++b) uniform_[b] = uniform[b];
    way_out_.assign(n, no_block);
    std::vector<block_id> queue;  // breadth first, from the exits backwards
    for (block_id b = 0; b < n; ++b)
      if (g.is_exit(b)) {
        way_out_[b] = leave;
        queue.push_back(b);
      }
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const block_id p : g.predecessors(queue[i]))
        if (way_out_[p] == no_block) {
          way_out_[p] = queue[i];
          queue.push_back(p);
        }
  }

  /// The block that `thread` enters after its visit-th visit (0 = first) to b; no_block if it ends.
  [[nodiscard]] constexpr block_id next(std::uint64_t thread, block_id b, std::uint64_t visit) const {
    const std::span<const block_id> out = graph_.successors(b);
    if (out.empty()) return no_block;
    if (visit >= options_.patience && way_out_[b] != no_block) return way_out_[b] == leave ? no_block : way_out_[b];
    std::size_t good = 0;
    for (const block_id s : out) good += allowed(b, s) ? 1U : 0U;
    const std::size_t choices = good + (graph_.is_exit(b) ? 1U : 0U);
    const std::uint64_t who = uniform_[b] ? 0 : thread + 1;
    std::uint64_t hash = mix_bits(options_.seed + 0x9E37'79B9'7F4A'7C15U);
    hash = mix_bits(hash ^ who);
    hash = mix_bits(hash + b);
    hash = mix_bits(hash ^ visit);
    std::size_t pick = static_cast<std::size_t>(hash % choices);
    for (const block_id s : out)
      if (allowed(b, s) && pick-- == 0) return s;
    return no_block;
  }

  /// The blocks of one thread alone, from the entry, at most max_steps of them.
  [[nodiscard]] constexpr std::vector<block_id> path(std::uint64_t thread, std::size_t max_steps = 100'000) const {
    std::vector<block_id> blocks;
    std::vector<std::uint32_t> visits;
    visits.assign(graph_.num_blocks(), 0);
    block_id b = graph_.entry();
    while (b != no_block && blocks.size() < max_steps) {
      blocks.push_back(b);
      b = next(thread, b, visits[b]++);
    }
    return blocks;
  }

  [[nodiscard]] constexpr const csr_graph& graph() const { return graph_; }  ///< the copy that is kept

 private:
  static constexpr block_id leave = no_block - 1;  // way_out_: threads end here

  constexpr bool allowed(block_id from, block_id to) const {
    return !options_.avoid_endless || way_out_[from] == no_block || way_out_[to] != no_block;
  }

  csr_graph graph_;
  walk_options options_;
  std::vector<unsigned char> uniform_;
  std::vector<block_id> way_out_;  // the next block on a shortest way to an exit, `leave`, or no_block
};

/// Walks as a program for an executor: a callable (thread, block) -> block that counts each thread's visits itself.
/// Make a new one (or copy an unused one) for every run.
class walking_threads {
 public:
  /// Every thread has visited nothing. O(threads times blocks).
  constexpr walking_threads(const random_walks& walks, std::size_t num_threads)
      : walks_(walks), blocks_(walks.graph().num_blocks()) {
    visits_.assign(num_threads * blocks_, 0);
  }

  /// \pre thread < num_threads.
  constexpr block_id operator()(std::size_t thread, block_id b) {
    SIMTFLOW_EXPECTS(thread * blocks_ + b < visits_.size(), "walking_threads: no such thread");
    return walks_.next(thread, b, visits_[thread * blocks_ + b]++);
  }

  /// For limits::detect_livelock: every call counts a visit, and numbers of visits never come back.
  static constexpr void remember() {}
  [[nodiscard]] static constexpr bool as_remembered() { return false; }  ///< false, always

 private:
  random_walks walks_;
  std::size_t blocks_;
  std::vector<std::uint32_t> visits_;
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
