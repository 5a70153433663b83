// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding: finds branches whose two arms do much the same, and plans how threads of both can do it at
// once. The result is a meld_plan (meld_plan.hpp), to be applied by whoever knows the code; then the next branch is
// looked for in what came of it. What the code is, is asked from a model (meldable_code).
//
// A candidate is a divergent branch with two arms: it has two successors and an immediate post-dominator, the join;
// what one successor reaches before the join is an arm. Control enters the arms through the branch alone, neither arm
// reaches the other or the branch, and in none is a convergent instruction (a barrier, a shuffle), since melding
// changes who is there together.
//
//   pieces        The post-dominators of an arm's first block up to the join cut the arm into pieces, one after the
//                 other, unless a loop spans a cut. A piece is a block or more. Blocks without instructions that only
//                 go on are in no piece.
//   block, block  Instructions are aligned: pairs of compatible ones save what the cheaper one takes, less selects;
//                 every run of instructions of one side costs the branch around it (predication_cost).
//   region, region  Pieces with branches are melded if they are isomorphic (align/isomorphism.hpp; two-way branches may
//                 be the other way round), block by block.
//   block, region   The block is melded with one block of the region, the most profitable one. Its threads walk a path
//                 to there and on to the region's end along which all branches are forced; the path never goes back, so
//                 that it takes each block at most once. It exists in a reducible region whenever any such path does.
//   alignment     Pieces of both arms are aligned like instructions: of those that may be melded, pairs in order that
//                 save most, where every run of pieces of one side costs a branch. So a plan never weighs more than the
//                 two arms, one executed after the other, where each block is executed once. (It may where threads go
//                 round a melded loop more often on one side than on the other, or part in a melded region.)
//
// Two pieces may be melded only if what is saved is at least the threshold's part of what they weigh together, which is
// checked first on fingerprints (profitability.hpp), before anything is aligned. Pieces with a pinned instruction (an
// atomic, a call) stay as they are.
//
// Everything is decided by the arms and not by which of them is the left one: with a branch's slots exchanged its plan
// is the same but for the sides.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022); B. Coutinho et al., Divergence analysis and optimizations (2011), for branch fusion. Unlike the published
// melder this one keeps pieces in post-dominance order whether blocks or regions, asks for isomorphisms that are
// bijective, aligns with affine gaps to the optimum, and melds every pair of the alignment, not only a good first one.
#pragma once

#include <simtflow/align/classes.hpp>
#include <simtflow/align/isomorphism.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/profitability.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What melding asks of code. Instructions are numbered over the function, those of block b are [first(b), last(b))
/// without the branch that ends it; opcode_class and latency as for weighed_code. Latencies of a function add up to
/// less than 2^28.
///
///   compatible(i, j)   two instructions of one class may become one whose operands are selected. i is the left one, j
///                      the right one; exchanged it holds as well. Those of different classes are never asked about.
///   overhead(i, j)     the weight of selects and moves that this needs; exchanged it is the same
///   is_pinned(i)       the threads that execute i together must stay the same
///   is_divergent(b)    threads may disagree at the branch that ends b
///
/// Members that a model may have besides:
///
///   is_convergent(i)           of a pinned one: no branch with i in an arm is melded. Without it: all pinned ones are.
///   compatible_branches(b, c)  the branches that end b and c, of as many successors, may become one. Without it: yes.
///   can_force_branch(b)        the branch that ends b can be made to take a given slot. Without it: if it is two-way.
///   static bool classes_decide  constant and true: all instructions of a class are compatible, take the same time, and
///                               overhead is 0. Then alignment takes the fast path (align/classes.hpp).
template <class M>
concept meldable_code = weighed_code<M> && requires(const M& m, block_id b, std::uint32_t i, std::uint32_t j) {
  { m.compatible(i, j) } -> std::convertible_to<bool>;
  { m.overhead(i, j) } -> std::convertible_to<std::uint32_t>;
  { m.is_pinned(i) } -> std::convertible_to<bool>;
  { m.is_divergent(b) } -> std::convertible_to<bool>;
};

/// How much may be melded.
enum class meld_mode : unsigned char {
  full,    ///< everything above
  fusion,  ///< branch fusion: only where each arm is a single block
  tail     ///< tail merging: only the instructions in which both arms' last blocks end alike, whatever they weigh
};

/// What to look for.
struct meld_options {
  double threshold = 0.2;  ///< the least part of two pieces' weight that melding them has to save; at most 0.5 can be
  meld_mode mode = meld_mode::full;    ///< how much may be melded
  bool all_branches = false;           ///< also those at which threads do not disagree
  std::uint32_t predication_cost = 3;  ///< the weight of a branch around a run of instructions
};

/// Why a branch is not melded.
enum class meld_refusal : unsigned char {
  none,                ///< it is
  not_two_way,         ///< its successors are not two different blocks
  uniform,             ///< threads do not disagree
  no_join,             ///< it has no immediate post-dominator: threads end in an arm, or stay there
  empty_arm,           ///< one arm has no instruction and no branch
  arms_meet,           ///< the arms have a block in common
  returns,             ///< an arm leads back to the branch, not through the join
  not_dominated,       ///< control enters an arm elsewhere too
  convergent,          ///< an arm has a convergent instruction
  not_a_diamond,       ///< the mode asks for arms of one block, or for arms that end in one
  nothing_compatible,  ///< no two pieces, or no two instructions of them, can become one
  pinned,              ///< nor without the pieces that have pinned instructions
  gave_up,             ///< nor as far as isomorphisms were searched for
  below_threshold      ///< pieces could be melded, but it saves too little
};

/// A branch that is not melded. Blocks with less than two successors are none.
struct meld_refused {
  block_id branch = no_block;                ///< the block that ends in it
  meld_refusal reason = meld_refusal::none;  ///< why it is not

  friend constexpr bool operator==(const meld_refused&, const meld_refused&) = default;
};

/// The first branch that can be melded, and those that were looked at before it.
struct meld_search {
  bool found = false;                 ///< there is a plan
  meld_plan plan;                     ///< if found
  std::vector<meld_refused> refused;  ///< in the order in which they were looked at: inner branches before outer ones
};

/// Every branch is looked at.
struct skip_no_branch {
  /// Of any block: false.
  constexpr bool operator()(block_id) const { return false; }  ///< false, whatever is asked
};

namespace detail {

template <class M>
class meld_planner {
 public:
  constexpr meld_planner(const csr_graph& g, const M& code, const meld_options& options)
      : g_(&g), code_(&code), options_(options) {
    SIMTFLOW_EXPECTS(options.threshold >= 0 && options.predication_cost < (1U << 20),
                     "a threshold is a part of a weight, and a branch weighs little");
    if (g.num_blocks() == 0) return;
    order_.compute(g);
    left_ = order_.rpo().size();
    up_.recompute(g);
    down_.compute(g, {});
    fingerprint_.compute(g.num_blocks(), code);
    arm_of_.assign(g.num_blocks(), 0);
    level_.assign(g.num_blocks(), none);
    if constexpr (classes_decide()) number_classes();
  }

  // Inner branches first: what a branch dominates has greater numbers. Goes on where the last search ended.
  template <class Skip>
  constexpr void search(meld_search& out, const Skip& skip) {
    while (left_ > 0 && !out.found) {
      const block_id branch = order_.rpo()[--left_];
      if (g_->successors(branch).size() < 2 || skip(branch)) continue;
      const meld_refusal reason = plan(branch, out.plan);
      out.found = reason == meld_refusal::none;
      if (!out.found) out.refused.push_back({branch, reason});
    }
  }

  constexpr meld_refusal plan(block_id branch, meld_plan& out) {
    meld_refusal reason = find_arms(branch);
    if (reason == meld_refusal::none) reason = cut(0);
    if (reason == meld_refusal::none) reason = cut(1);
    forget_arms();
    if (reason == meld_refusal::none) reason = choose_pairs();
    if (reason != meld_refusal::none) return reason;
    write(branch, out);
    return meld_refusal::none;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::int64_t unreached = std::int64_t{1} << 60;

  static constexpr bool classes_decide() {
    if constexpr (requires { M::classes_decide; })
      return M::classes_decide;
    else
      return false;
  }

  // A piece of an arm.
  struct part {
    graph_piece shape;
    bool plain = false;   // one block that only goes on
    bool pinned = false;  // has a pinned instruction
    std::uint64_t weight = 0;
  };

  // How two pieces become one.
  struct melding {
    bool allowed = false;
    melding_profit profit;
    std::int64_t gross = 0;  // what pairs of instructions save
    std::int64_t net = 0;    // less what branches around runs, and forced branches, cost
    block_id at = no_block;  // block and region: the block of the region that the block is melded with
  };

  // --- the branch and its arms: arm 0 is the one whose first block has the smaller number ---------------------------

  constexpr meld_refusal find_arms(block_id branch) {
    const std::span<const block_id> out = g_->successors(branch);
    if (out.size() != 2 || out[0] == out[1]) return meld_refusal::not_two_way;
    if (!options_.all_branches && !code_->is_divergent(branch)) return meld_refusal::uniform;
    branch_ = branch;
    join_ = down_.ipdom(branch);
    if (join_ == no_block) return meld_refusal::no_join;
    if (out[0] == join_ || out[1] == join_) return meld_refusal::empty_arm;
    exchanged_ = out[1] < out[0];
    for (unsigned a = 0; a < 2; ++a) {
      const block_id first = out[exchanged_ ? 1 - a : a];
      arm_[a].clear();
      if (arm_of_[first] != 0) return meld_refusal::arms_meet;
      arm_of_[first] = static_cast<unsigned char>(a + 1);
      arm_[a].push_back(first);
      for (std::size_t k = 0; k < arm_[a].size(); ++k)
        for (const block_id s : g_->successors(arm_[a][k])) {
          if (s == join_ || arm_of_[s] == a + 1) continue;
          if (s == branch) return meld_refusal::returns;
          if (arm_of_[s] != 0) return meld_refusal::arms_meet;
          arm_of_[s] = static_cast<unsigned char>(a + 1);
          arm_[a].push_back(s);
        }
    }
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id b : arm_[a]) {
        if (b == g_->entry()) return meld_refusal::not_dominated;
        for (const block_id p : g_->predecessors(b))
          if (arm_of_[p] != a + 1 && p != branch) return meld_refusal::not_dominated;
      }
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id b : arm_[a])
        for (std::uint32_t i = code_->first(b); i < code_->last(b); ++i)
          if (code_->is_pinned(i) && is_convergent(i)) return meld_refusal::convergent;
    return meld_refusal::none;
  }
  constexpr void forget_arms() {
    for (auto& arm : arm_) {
      for (const block_id b : arm) {
        arm_of_[b] = 0;
        level_[b] = none;
      }
      arm.clear();
    }
  }
  [[nodiscard]] constexpr bool is_convergent(std::uint32_t i) const {
    if constexpr (requires { code_->is_convergent(i); })
      return code_->is_convergent(i);
    else
      return true;
  }

  // The pieces of an arm. The chain of post-dominators dominates what comes behind it in the arm as well, so that each
  // block has a level: the last member of the chain that dominates it. An edge to a lower level is a loop over the cuts
  // between.
  constexpr meld_refusal cut(unsigned a) {
    chain_.clear();
    for (block_id c = arm_[a][0]; c != join_; c = down_.ipdom(c)) {
      level_[c] = static_cast<std::uint32_t>(chain_.size());
      chain_.push_back(c);
    }
    for (const block_id b : arm_[a]) {
      work_.clear();
      block_id above = b;
      for (; level_[above] == none; above = up_.idom(above)) work_.push_back(above);
      for (const block_id below : work_) level_[below] = level_[above];
    }
    spanned_.assign(chain_.size() + 1, 0);
    for (const block_id b : arm_[a])
      for (const block_id s : g_->successors(b))
        if (s != join_ && level_[s] < level_[b]) {
          ++spanned_[level_[s] + 1];
          --spanned_[level_[b] + 1];
        }
    parts_[a].clear();
    std::int32_t spans = 0;
    block_id begin = chain_[0];
    for (std::uint32_t c = 1; c <= chain_.size(); ++c) {
      spans += spanned_[c];
      if (c < chain_.size() && spans != 0) continue;
      const block_id end = c < chain_.size() ? chain_[c] : join_;
      add_part(a, begin, end);
      begin = end;
    }
    return parts_[a].empty() ? meld_refusal::empty_arm : meld_refusal::none;
  }
  constexpr void add_part(unsigned a, block_id begin, block_id end) {
    shape_.compute(*g_, begin, end, [this](block_id b) { return code_->first(b) == code_->last(b); });
    if (shape_.size() == 0) return;
    part p;
    p.shape = shape_.packed();
    p.plain = shape_.size() == 1 && shape_.num_edges() == 1 && shape_.successors(0)[0] == shape_.exit();
    for (const block_id b : shape_.blocks()) {
      p.weight += fingerprint_.weight(b);
      for (std::uint32_t i = code_->first(b); i < code_->last(b); ++i) p.pinned = p.pinned || code_->is_pinned(i);
    }
    parts_[a].push_back(static_cast<part&&>(p));
  }

  // --- two blocks ---------------------------------------------------------------------------------------------------

  struct instructions {
    std::uint32_t first, count;
    [[nodiscard]] constexpr std::size_t size() const { return count; }
    constexpr std::uint32_t operator[](std::size_t k) const { return first + static_cast<std::uint32_t>(k); }
  };
  [[nodiscard]] constexpr instructions of(block_id b) const {
    return {code_->first(b), code_->last(b) - code_->first(b)};
  }
  // What it saves to make one of instruction i of arm 0 and j of arm 1.
  [[nodiscard]] constexpr std::int32_t saves(std::uint32_t i, std::uint32_t j) const {
    if (code_->opcode_class(i) != code_->opcode_class(j)) return forbidden_pair;
    const std::uint32_t left = exchanged_ ? j : i, right = exchanged_ ? i : j;
    if (!code_->compatible(left, right)) return forbidden_pair;
    const std::uint32_t a = code_->latency(i), b = code_->latency(j);
    // Below zero it may still be cheaper than a branch around either.
    return static_cast<std::int32_t>(a < b ? a : b) - static_cast<std::int32_t>(code_->overhead(left, right));
  }

  constexpr void number_classes() {
    std::uint32_t most = 0;
    for (block_id b = 0; b < g_->num_blocks(); ++b)
      for (std::uint32_t i = code_->first(b); i < code_->last(b); ++i) {
        const std::uint32_t c = code_->opcode_class(i);
        most = c > most ? c : most;
        while (class_.size() <= i) class_.push_back(0);
        while (class_weight_.size() <= c && c <= 0xFFFFU) class_weight_.push_back(0);
        class_[i] = static_cast<std::uint16_t>(c);
        if (c <= 0xFFFFU) class_weight_[c] = static_cast<std::int32_t>(code_->latency(i));
      }
    few_classes_ = most <= 0xFFFFU;
  }

  // The instructions of a block of arm 0 and one of arm 1, aligned.
  [[nodiscard]] constexpr alignment align_blocks(block_id a, block_id b) const {
    const instructions x = of(a), y = of(b);
    if (options_.mode == meld_mode::tail) return common_tail(x, y);
    const gap_cost gap{static_cast<std::int32_t>(options_.predication_cost), 0};
    alignment_options how;
    how.first = gap;
    how.second = gap;
    if constexpr (classes_decide()) {
      if (few_classes_) {
        const std::span<const std::uint16_t> all(class_);
        const std::size_t from_x = x.count == 0 ? 0 : x.first, from_y = y.count == 0 ? 0 : y.first;
        alignment found = align(all.subspan(from_x, x.count), all.subspan(from_y, y.count),
                                class_scores{std::span<const std::int32_t>(class_weight_)}, how);
        return found;
      }
    }
    return align(
        x, y, [this](std::uint32_t i, std::uint32_t j) { return saves(i, j); }, how);
  }
  // Pairs from the ends on, as long as instructions are the same but for registers that agree anyway.
  [[nodiscard]] constexpr alignment common_tail(const instructions& x, const instructions& y) const {
    std::uint32_t common = 0;
    alignment out;
    while (common < x.count && common < y.count) {
      const std::uint32_t i = x[x.count - 1 - common], j = y[y.count - 1 - common];
      const std::uint32_t left = exchanged_ ? j : i, right = exchanged_ ? i : j;
      if (code_->opcode_class(i) != code_->opcode_class(j) || !code_->compatible(left, right) ||
          code_->overhead(left, right) != 0)
        break;
      const std::uint32_t a = code_->latency(i), b = code_->latency(j);
      out.score += static_cast<std::int32_t>(a < b ? a : b);
      ++common;
    }
    const auto cost = static_cast<std::int32_t>(options_.predication_cost);
    if (common < x.count) out.score -= cost;
    if (common < y.count) out.score -= cost;
    for (std::uint32_t k = 0; k + common < x.count; ++k) out.pairs.push_back({k, no_element});
    for (std::uint32_t k = 0; k + common < y.count; ++k) out.pairs.push_back({no_element, k});
    for (std::uint32_t k = common; k > 0; --k) out.pairs.push_back({x.count - k, y.count - k});
    return out;
  }
  // What an alignment's pairs save, without what its gaps cost.
  [[nodiscard]] constexpr std::int64_t gross(const alignment& found) const {
    const auto cost = static_cast<std::int64_t>(options_.predication_cost);
    std::int64_t sum = found.score;
    bool first_alone = false, second_alone = false;
    for (const aligned_pair& p : found.pairs) {
      if (p.second == no_element && !first_alone) sum += cost;
      if (p.first == no_element && !second_alone) sum += cost;
      first_alone = p.second == no_element;
      second_alone = p.first == no_element;
    }
    return sum;
  }

  // --- two pieces ---------------------------------------------------------------------------------------------------

  [[nodiscard]] constexpr bool reaches(const melding_profit& p) const {
    return p.reaches(options_.mode == meld_mode::tail ? 0.0 : options_.threshold);
  }
  // Counts a pair of blocks in.
  constexpr void meld_blocks(melding& m, block_id a, block_id b) const {
    const alignment found = align_blocks(a, b);
    m.gross += gross(found);
    m.net += found.score;
  }
  // Whether it is worth while to align, by a bound on what can be saved.
  constexpr bool hopeful(std::uint64_t bound, std::uint64_t total) {
    const melding_profit best{bound, total};
    if (reaches(best)) return true;
    saw_little_ = saw_little_ || bound > 0;
    return false;
  }
  constexpr void decide(melding& m) {
    m.profit.saved = m.gross > 0 ? static_cast<std::uint64_t>(m.gross) : 0;
    m.allowed = reaches(m.profit);
    saw_little_ = saw_little_ || m.profit.saved > 0;
  }

  constexpr melding meld(const part& p, const part& q) {
    melding out;
    out.profit.total = p.weight + q.weight;
    if (p.pinned || q.pinned) {
      saw_pinned_ = true;
      return out;
    }
    if (p.plain && q.plain) {
      if (!hopeful(shared_weight(fingerprint_[p.shape[0]], fingerprint_[q.shape[0]]), out.profit.total)) return out;
      meld_blocks(out, p.shape[0], q.shape[0]);
      decide(out);
      return out;
    }
    if (options_.mode != meld_mode::full) return out;
    if (p.plain) return place(p, q, false);
    if (q.plain) return place(q, p, true);
    return meld_regions(p, q);
  }

  // Of at most two isomorphisms the better one; it stays in same_.
  constexpr melding meld_regions(const part& p, const part& q) {
    melding best;
    best.profit.total = p.weight + q.weight;
    if (p.shape.size() != q.shape.size() || p.shape.num_edges() != q.shape.num_edges()) return best;
    const auto worth = [this](block_id a, block_id b) { return worth_of(a, b); };
    for (const bool ordered : {false, true}) {
      isomorphism_options how;
      how.order = ordered ? slot_order::ordered : slot_order::two_way_free;
      isomorphisms_.run(p.shape, q.shape, how, worth, trial_);
      saw_giving_up_ = saw_giving_up_ || trial_.verdict == isomorphism_verdict::gave_up;
      if (!trial_) continue;
      bool swaps = false;
      std::uint64_t bound = 0;
      for (std::uint32_t i = 0; i < p.shape.size(); ++i) {
        swaps = swaps || trial_.swapped(p.shape, i);
        bound += shared_weight(fingerprint_[p.shape[i]], fingerprint_[q.shape[trial_.block[i]]]);
      }
      if (hopeful(bound, best.profit.total)) {
        melding m;
        m.profit.total = best.profit.total;
        for (std::uint32_t i = 0; i < p.shape.size(); ++i) meld_blocks(m, p.shape[i], q.shape[trial_.block[i]]);
        decide(m);
        if (m.allowed && (!best.allowed || m.net > best.net)) {
          best = m;
          same_ = trial_;
        }
      }
      if (!swaps) break;  // the ordered one is the only one that exchanges nothing
    }
    return best;
  }
  // By arm: which blocks may be partners, and what they could save.
  [[nodiscard]] constexpr std::int32_t worth_of(block_id a, block_id b) const {
    if constexpr (requires { code_->compatible_branches(a, b); })
      if (g_->successors(a).size() > 1 &&
          !(exchanged_ ? code_->compatible_branches(b, a) : code_->compatible_branches(a, b)))
        return forbidden_pair;
    constexpr std::uint64_t most = 1U << 28;
    const std::uint64_t bound = shared_weight(fingerprint_[a], fingerprint_[b]);
    return static_cast<std::int32_t>(bound < most ? bound : most);
  }

  // A block beside a region. `exchanged`: the block is of arm 1.
  constexpr melding place(const part& block, const part& region, bool exchanged) {
    melding best;
    best.profit.total = block.weight + region.weight;
    const block_id one = block.shape[0];
    find_paths(region.shape);
    for (std::uint32_t v = 0; v < region.shape.size(); ++v) {
      const std::int64_t way = way_in_[v] + way_out_[v];
      if (way >= unreached) continue;
      const block_id at = region.shape[v];
      const std::uint64_t bound = shared_weight(fingerprint_[one], fingerprint_[at]);
      if (!hopeful(bound, best.profit.total)) continue;
      if (best.allowed && static_cast<std::int64_t>(bound) - way <= best.net) continue;
      melding m;
      m.profit.total = best.profit.total;
      m.at = at;
      m.net = -way;
      meld_blocks(m, exchanged ? at : one, exchanged ? one : at);
      decide(m);
      if (m.allowed && (!best.allowed || m.net > best.net)) best = m;
    }
    return best;
  }
  // What a thread that has nothing to do in a region pays for being led through block v of it: for the branch around
  // the block's instructions, and for forcing the block's own branch.
  [[nodiscard]] constexpr std::int64_t pass(const graph_piece& p, std::uint32_t v) const {
    return (code_->first(p[v]) == code_->last(p[v]) ? 0 : std::int64_t{options_.predication_cost}) + force(p, v);
  }
  [[nodiscard]] constexpr std::int64_t force(const graph_piece& p, std::uint32_t v) const {
    return p.successors(v).size() > 1 ? std::int64_t{options_.predication_cost} : 0;
  }
  [[nodiscard]] constexpr bool can_force(block_id b, std::size_t num_slots) const {
    if (num_slots < 2) return true;
    if constexpr (requires { code_->can_force_branch(b); })
      return code_->can_force_branch(b);
    else
      return num_slots == 2;
  }
  // The cheapest ways through a region along edges that do not go back: in front of each block, and from its branch on.
  constexpr void find_paths(const graph_piece& p) {
    const std::uint32_t n = p.size();
    // A block comes after all whose edges lead forward to it.
    waits_for_.assign(n, 0);
    const auto forward = [&](std::uint32_t v, std::uint32_t s) {
      return s != p.exit() && order_.rpo_number(p[v]) < order_.rpo_number(p[s]);
    };
    for (std::uint32_t v = 0; v < n; ++v)
      for (const std::uint32_t s : p.successors(v))
        if (forward(v, s)) ++waits_for_[s];
    sorted_.clear();
    sorted_.push_back(0);
    way_in_.assign(n, unreached);
    way_out_.assign(n, unreached);
    came_from_.assign(n, none);
    slot_out_.assign(n, none);
    slot_in_.assign(n, none);
    way_in_[0] = 0;
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const std::uint32_t v = sorted_[k];
      const std::int64_t way = way_in_[v] + pass(p, v);
      const std::span<const std::uint32_t> out = p.successors(v);
      for (std::uint32_t slot = 0; slot < out.size(); ++slot) {
        const std::uint32_t s = out[slot];
        if (!forward(v, s)) continue;
        if (can_force(p[v], out.size()) && way < way_in_[s]) {
          way_in_[s] = way;
          came_from_[s] = v;
          slot_in_[s] = slot;
        }
        if (--waits_for_[s] == 0) sorted_.push_back(s);
      }
    }
    for (std::size_t k = sorted_.size(); k-- > 0;) {
      const std::uint32_t v = sorted_[k];
      const std::span<const std::uint32_t> out = p.successors(v);
      if (!can_force(p[v], out.size())) continue;
      for (std::uint32_t slot = 0; slot < out.size(); ++slot) {
        const std::uint32_t s = out[slot];
        std::int64_t way = s == p.exit() ? 0 : unreached;
        if (forward(v, s) && way_out_[s] < unreached)
          way = way_out_[s] + (code_->first(p[s]) == code_->last(p[s]) ? 0 : std::int64_t{options_.predication_cost});
        if (way >= unreached || way + force(p, v) >= way_out_[v]) continue;
        way_out_[v] = way + force(p, v);
        slot_out_[v] = slot;
      }
    }
  }

  // --- all pieces ---------------------------------------------------------------------------------------------------

  struct part_numbers {
    std::size_t count;
    [[nodiscard]] constexpr std::size_t size() const { return count; }
    constexpr std::size_t operator[](std::size_t k) const { return k; }
  };

  constexpr meld_refusal choose_pairs() {
    saw_little_ = saw_pinned_ = saw_giving_up_ = false;
    const std::size_t n = parts_[0].size(), m = parts_[1].size();
    if (options_.mode == meld_mode::fusion && (n != 1 || m != 1 || !parts_[0][0].plain || !parts_[1][0].plain))
      return meld_refusal::not_a_diamond;
    if (options_.mode == meld_mode::tail && (!parts_[0][n - 1].plain || !parts_[1][m - 1].plain))
      return meld_refusal::not_a_diamond;
    worth_.assign(n * m, forbidden_pair);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (options_.mode == meld_mode::tail && (i + 1 != n || j + 1 != m)) continue;
        const melding x = meld(parts_[0][i], parts_[1][j]);
        if (x.allowed) worth_[i * m + j] = static_cast<std::int32_t>(x.net);
      }
    alignment_options how;
    how.first.open = how.second.open = static_cast<std::int32_t>(options_.predication_cost);
    chosen_ = align(
        part_numbers{n}, part_numbers{m}, [&](std::size_t i, std::size_t j) { return worth_[i * m + j]; }, how);
    // The branch as it stands has two runs of pieces.
    saved_ = std::int64_t{chosen_.score} + 2 * std::int64_t{options_.predication_cost};
    bool any = false;
    for (const aligned_pair& p : chosen_.pairs) any = any || (p.first != no_element && p.second != no_element);
    if (any && saved_ > 0) return meld_refusal::none;
    if (saw_little_) return meld_refusal::below_threshold;
    if (saw_giving_up_) return meld_refusal::gave_up;
    return saw_pinned_ ? meld_refusal::pinned : meld_refusal::nothing_compatible;
  }

  // --- the plan -----------------------------------------------------------------------------------------------------

  [[nodiscard]] constexpr meld_side side_of(unsigned arm) const {
    return (arm == 0) != exchanged_ ? meld_side::left : meld_side::right;
  }

  constexpr void write(block_id branch, meld_plan& out) {
    out.branch = branch;
    out.join = join_;
    out.weight_saved = static_cast<std::uint32_t>(saved_);
    out.pieces.clear();
    out.blocks.clear();
    out.all_slots.clear();
    out.successors.clear();
    std::size_t done[2] = {0, 0};
    for (std::size_t k = 0; k <= chosen_.pairs.size(); ++k) {
      std::size_t next[2] = {parts_[0].size(), parts_[1].size()};
      if (k < chosen_.pairs.size()) {
        const aligned_pair& p = chosen_.pairs[k];
        if (p.first == no_element || p.second == no_element) continue;
        next[0] = p.first;
        next[1] = p.second;
      }
      for (const unsigned arm : {exchanged_ ? 1U : 0U, exchanged_ ? 0U : 1U})
        for (; done[arm] < next[arm]; ++done[arm]) write_alone(parts_[arm][done[arm]], arm, out);
      if (k == chosen_.pairs.size()) break;
      write_melded(parts_[0][next[0]], parts_[1][next[1]], out);
      done[0] = next[0] + 1;
      done[1] = next[1] + 1;
    }
  }

  // Begins a block, and ends it.
  static constexpr meld_block block_with(const meld_plan& out) {
    meld_block b;
    b.first_slot = static_cast<std::uint32_t>(out.all_slots.size());
    b.first_successor = static_cast<std::uint32_t>(out.successors.size());
    return b;
  }
  static constexpr void add_block(meld_block b, meld_plan& out) {
    b.num_slots = static_cast<std::uint32_t>(out.all_slots.size()) - b.first_slot;
    b.num_successors = static_cast<std::uint32_t>(out.successors.size()) - b.first_successor;
    out.blocks.push_back(b);
  }
  constexpr void add_slot(std::uint32_t i, std::uint32_t j, meld_plan& out) const {
    out.all_slots.push_back(exchanged_ ? meld_slot{j, i} : meld_slot{i, j});
  }
  static constexpr void add_successors(const graph_piece& p, std::uint32_t v, std::uint32_t first, meld_plan& out) {
    for (const std::uint32_t s : p.successors(v)) out.successors.push_back(s == p.exit() ? piece_end : first + s);
  }
  constexpr void set_block(meld_block& b, unsigned arm, block_id is) const {
    (side_of(arm) == meld_side::left ? b.left : b.right) = is;
  }

  // Block v of a piece as it stands.
  constexpr void write_block_alone(const graph_piece& p, std::uint32_t v, unsigned arm, std::uint32_t first,
                                   std::uint32_t forced, meld_plan& out) const {
    meld_block b = block_with(out);
    set_block(b, arm, p[v]);
    b.ends_as = side_of(arm);
    b.forced = forced;
    const instructions all = of(p[v]);
    for (std::uint32_t k = 0; k < all.count; ++k)
      add_slot(arm == 0 ? all[k] : no_instruction, arm == 0 ? no_instruction : all[k], out);
    add_successors(p, v, first, out);
    add_block(b, out);
  }
  constexpr void write_alone(const part& p, unsigned arm, meld_plan& out) const {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    for (std::uint32_t v = 0; v < p.shape.size(); ++v) write_block_alone(p.shape, v, arm, first, no_outcome, out);
    out.pieces.push_back({side_of(arm), first, p.shape.size(), 0, 0});
  }

  // Aligned instructions, as slots: between pairs those of the left side first.
  constexpr void write_aligned(block_id a, block_id b, meld_plan& out) const {
    const alignment found = align_blocks(a, b);
    const instructions x = of(a), y = of(b);
    std::uint32_t i = 0, j = 0;
    const auto alone = [&](std::uint32_t to_i, std::uint32_t to_j) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        if ((turn == 0) != exchanged_)
          for (; i < to_i; ++i) add_slot(x[i], no_instruction, out);
        else
          for (; j < to_j; ++j) add_slot(no_instruction, y[j], out);
      }
    };
    for (const aligned_pair& p : found.pairs) {
      if (p.first == no_element || p.second == no_element) continue;
      alone(p.first, p.second);
      add_slot(x[i++], y[j++], out);
    }
    alone(x.count, y.count);
  }

  constexpr void write_melded(const part& p, const part& q, meld_plan& out) {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    const melding m = meld(p, q);
    if (p.plain && q.plain) {
      meld_block b = block_with(out);
      set_block(b, 0, p.shape[0]);
      set_block(b, 1, q.shape[0]);
      write_aligned(p.shape[0], q.shape[0], out);
      out.successors.push_back(piece_end);
      add_block(b, out);
    } else if (p.plain || q.plain) {
      const part& region = p.plain ? q : p;
      write_placed(p.plain ? p.shape[0] : q.shape[0], region.shape, p.plain ? 1 : 0, m.at, out);
    } else {
      write_regions(p.shape, q.shape, out);
    }
    const auto blocks = static_cast<std::uint32_t>(out.blocks.size()) - first;
    out.pieces.push_back(
        {meld_side::both, first, blocks, m.profit.value(), static_cast<std::uint32_t>(m.profit.saved)});
  }

  // Blocks are numbered as in the left piece.
  constexpr void write_regions(const graph_piece& p, const graph_piece& q, meld_plan& out) {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    const graph_piece& left = exchanged_ ? q : p;
    partner_.assign(q.size(), none);
    for (std::uint32_t i = 0; i < p.size(); ++i) partner_[same_.block[i]] = i;
    for (std::uint32_t v = 0; v < left.size(); ++v) {
      const std::uint32_t i = exchanged_ ? partner_[v] : v, j = same_.block[i];
      meld_block b = block_with(out);
      set_block(b, 0, p[i]);
      set_block(b, 1, q[j]);
      b.swapped = same_.swapped(p, i);
      write_aligned(p[i], q[j], out);
      add_successors(left, v, first, out);
      add_block(b, out);
    }
  }

  // A block placed at block `at` of a region, which is of arm `arm`.
  constexpr void write_placed(block_id one, const graph_piece& p, unsigned arm, block_id at, meld_plan& out) {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    find_paths(p);
    forced_.assign(p.size(), no_outcome);
    std::uint32_t v = 0;
    while (p[v] != at) ++v;
    for (std::uint32_t x = v; came_from_[x] != none; x = came_from_[x]) forced_[came_from_[x]] = slot_in_[x];
    for (std::uint32_t x = v; x != p.exit(); x = p.successors(x)[slot_out_[x]]) forced_[x] = slot_out_[x];
    for (v = 0; v < p.size(); ++v) {
      if (p[v] != at) {
        write_block_alone(p, v, arm, first, forced_[v], out);
        continue;
      }
      meld_block b = block_with(out);
      set_block(b, arm, at);
      set_block(b, 1 - arm, one);
      b.ends_as = side_of(arm);
      b.forced = forced_[v];
      write_aligned(arm == 0 ? at : one, arm == 0 ? one : at, out);
      add_successors(p, v, first, out);
      add_block(b, out);
    }
  }

  const csr_graph* g_;
  const M* code_;
  meld_options options_;
  depth_first_index<> order_;
  std::size_t left_ = 0;  // blocks of the order that no search has come to
  idom_index<> up_;
  ipdom_index<> down_;
  code_fingerprints fingerprint_;
  std::vector<std::uint16_t> class_;        // by instruction, if classes decide
  std::vector<std::int32_t> class_weight_;  // by class
  bool few_classes_ = false;

  block_id branch_ = no_block, join_ = no_block;
  bool exchanged_ = false;             // arm 0 is the right one
  std::vector<block_id> arm_[2];       // its blocks
  std::vector<unsigned char> arm_of_;  // by block: 0, or the arm and 1; 0 between branches
  std::vector<std::uint32_t> level_;   // by block of an arm; see cut()
  std::vector<block_id> chain_, work_;
  std::vector<std::int32_t> spanned_;  // by cut: how many more loops span it than the one before
  graph_piece shape_;
  std::vector<part> parts_[2];

  isomorphism_search<> isomorphisms_;
  piece_isomorphism trial_, same_;
  std::vector<std::int64_t> way_in_, way_out_;  // by block of a region; see find_paths()
  std::vector<std::uint32_t> waits_for_, sorted_, came_from_, slot_in_, slot_out_;
  std::vector<std::uint32_t> partner_, forced_;
  std::vector<std::int32_t> worth_;  // by pair of pieces
  alignment chosen_;
  std::int64_t saved_ = 0;
  bool saw_little_ = false, saw_pinned_ = false, saw_giving_up_ = false;
};

}  // namespace detail

/// Looks for a branch to meld, inner ones first: a branch comes after all that it dominates. Blocks for which
/// `skip(branch)` is true are passed over. Only blocks that the entry reaches are looked at. Apply the plan, and call
/// again on what came of it; all weights fall, so that this ends, but callers that change more than a plan says should
/// count.
///
/// \pre slot k of a block of g is outcome k of its branch; the code is that of g.
/// Complexity: dominators and fingerprints of g; for every candidate the size of its arms (blocks under d nested
/// branches are walked d times), and for each two pieces that share enough weight the product of their lengths in
/// instructions. No recursion.
template <meldable_code M, class Skip = skip_no_branch>
[[nodiscard]] constexpr meld_search find_meld(const csr_graph& g, const M& code, const meld_options& options = {},
                                              const Skip& skip = {}) {
  meld_search out;
  detail::meld_planner<M>(g, code, options).search(out, skip);
  return out;
}

/// The plan for one branch, into `out`; or why there is none, and `out` is not changed. \pre branch is a block of g
/// that the entry reaches; as find_meld
template <meldable_code M>
[[nodiscard]] constexpr meld_refusal plan_meld(const csr_graph& g, const M& code, block_id branch, meld_plan& out,
                                               const meld_options& options = {}) {
  SIMTFLOW_EXPECTS(branch < g.num_blocks(), "a branch of the graph");
  return detail::meld_planner<M>(g, code, options).plan(branch, out);
}

}  // namespace v0
}  // namespace simtflow
