// SPDX-License-Identifier: BSL-1.0
//
// How two pieces of arms become one: block with block, region with region, or a block placed in a region.
#pragma once

#include <simtflow/align/isomorphism.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_scores.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/profitability.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// A piece of an arm.
struct arm_piece {
  graph_piece shape;
  bool plain = false;       // one block with one edge, which leads on
  bool pinned = false;      // has a pinned instruction
  block_instructions code;  // plain: its instructions
  bool part = false;        // the instructions are a part of the block
  std::uint64_t weight = 0;
};

/// How two pieces become one.
struct melding {
  bool allowed = false;
  melding_profit profit;
  std::int64_t net = 0;     // what is expected to be saved, in units of 1 / meld_costs::one
  std::int64_t parted = 0;  // the same for warps with threads of both arms, each block executed once, in units of 1
  std::int64_t gross = 0;   // the same, of pairs of instructions alone
  block_id at = no_block;   // block and region: the block of the region that the block is melded with
};

/// Melds pairs of pieces.
template <class M>
class piece_melder {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  /// `place`: by block, its number in reverse post-order. Both must outlive the melder.
  constexpr piece_melder(meld_scores<M>& scores, const std::vector<std::uint32_t>& place)
      : scores_(&scores), place_(&place) {}

  /// Melds a piece of arm 0 with a piece of arm 1, as far as that saves enough.
  constexpr melding meld(const arm_piece& p, const arm_piece& q) {
    melding out;
    out.profit.total = p.weight + q.weight;
    if (p.pinned || q.pinned) {
      saw_pinned = true;
      return out;
    }
    if (p.plain && q.plain) {
      const std::uint64_t bound = bound_of(p, p.shape[0], q, q.shape[0]);
      if (!hopeful(bound, out.profit.total)) return out;
      meld_code(out, p.code, q.code, scores_->visits(p.shape[0], q.shape[0]));
      decide(out, bound);
      return out;
    }
    if (scores_->options.mode != meld_mode::full) return out;
    if (p.plain) return place(p, q, 0);
    if (q.plain) return place(q, p, 1);
    return meld_regions(p, q);
  }

  /// The block of a piece that a block of arm `arm` has most in common with, where a way leads to it; no_block if there
  /// is none.
  constexpr block_id likely_place(const arm_piece& block, const arm_piece& piece, unsigned arm) {
    const block_id one = block.shape[0];
    const auto common = [&](block_id b) { return shared_weight(scores_->fingerprint[one], scores_->fingerprint[b]); };
    if (piece.plain) return common(piece.shape[0]) > 0 ? piece.shape[0] : no_block;
    find_paths(piece.shape, 1 - arm, scores_->in_arm(arm, one));
    block_id best = no_block;
    std::int64_t most = 0;
    for (std::uint32_t v = 0; v < piece.shape.size(); ++v) {
      if (way_in[v] + way_out[v] >= unreached) continue;
      const block_id at = piece.shape[v];
      const meld_visits visits = arm == 0 ? scores_->visits(one, at) : scores_->visits(at, one);
      const std::int64_t saved = visits.both() * static_cast<std::int64_t>(common(at)) - (way_in[v] + way_out[v]);
      if (saved > most) {
        most = saved;
        best = at;
      }
    }
    return best;
  }

  /// Finds the cheapest ways of another arm's threads through a region along forward edges: up to each block, and from
  /// its branch on. `arm`: the arm of the region; `in_arm`: how often such a thread comes, as in meld_scores.
  constexpr void find_paths(const graph_piece& p, unsigned arm, double in_arm) {
    const std::uint32_t n = p.size();
    arm_ = arm;
    in_arm_ = in_arm;
    // Topological order: a block waits for all blocks with a forward edge to it.
    waits_for_.assign(n, 0);
    const auto forward = [&](std::uint32_t v, std::uint32_t s) {
      return s != p.exit() && (*place_)[p[v]] < (*place_)[p[s]];
    };
    for (std::uint32_t v = 0; v < n; ++v)
      for (const std::uint32_t s : p.successors(v))
        if (forward(v, s)) ++waits_for_[s];
    sorted_.clear();
    sorted_.push_back(0);
    way_in.assign(n, unreached);
    way_out.assign(n, unreached);
    came_from.assign(n, none);
    slot_out.assign(n, none);
    slot_in.assign(n, none);
    way_in[0] = 0;
    pass_.clear();
    for (std::uint32_t v = 0; v < n; ++v) pass_.push_back(scores_->cost_of_run(scores_->of(p[v]), arm_, visits(p, v)));
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const std::uint32_t v = sorted_[k];
      const std::int64_t way = way_in[v] + pass_[v].cost;
      const std::span<const std::uint32_t> out = p.successors(v);
      for (std::uint32_t slot = 0; slot < out.size(); ++slot) {
        const std::uint32_t s = out[slot];
        if (!forward(v, s)) continue;
        if (can_force(p[v], out.size()) && way + force(p, v, slot) < way_in[s]) {
          way_in[s] = way + force(p, v, slot);
          came_from[s] = v;
          slot_in[s] = slot;
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
        if (forward(v, s) && way_out[s] < unreached) way = way_out[s] + pass_[s].cost;
        if (way >= unreached || way + force(p, v, slot) >= way_out[v]) continue;
        way_out[v] = way + force(p, v, slot);
        slot_out[v] = slot;
      }
    }
  }

  /// The isomorphism of the two regions that were melded last.
  [[nodiscard]] constexpr const piece_isomorphism& same() const { return same_; }

  // By block of the region of the last find_paths():
  std::vector<std::int64_t> way_in, way_out;                // prices up to the block, and from its branch to the exit
  std::vector<std::uint32_t> came_from, slot_in, slot_out;  // the block before, the slot there, the slot to leave by

  /// Why pairs were refused since the last call of forget_refusals().
  bool saw_little = false, saw_pinned = false, saw_giving_up = false;
  constexpr void forget_refusals() { saw_little = saw_pinned = saw_giving_up = false; }

 private:
  static constexpr std::int64_t unreached = std::int64_t{1} << 60;

  // Adds a pair of blocks, or of parts, to a melding.
  constexpr void meld_code(melding& m, const block_instructions& x, const block_instructions& y,
                           const meld_visits& v) const {
    const aligned_code& found = scores_->align_code(x, y, v);
    m.net += found.net;
    m.parted += found.parted;
    m.gross += found.gross;
  }
  constexpr void meld_blocks(melding& m, block_id a, block_id b) const {
    meld_code(m, scores_->of(a), scores_->of(b), scores_->visits(a, b));
  }
  // The most that aligning block a of piece p with block b of piece q can save.
  [[nodiscard]] constexpr std::uint64_t bound_of(const arm_piece& p, block_id a, const arm_piece& q, block_id b) const {
    if (p.part || q.part) return p.part && (!q.part || p.weight < q.weight) ? p.weight : q.weight;
    return shared_weight(scores_->fingerprint[a], scores_->fingerprint[b]);
  }
  // True if aligning is worthwhile, by an upper bound on what can be saved. As the paper prints it, pieces are aligned
  // whether they reach the threshold or not.
  constexpr bool hopeful(std::uint64_t bound, std::uint64_t total) {
    const melding_profit best{bound, total};
    if (as_printed() ? bound > 0 : scores_->reaches(best)) return true;
    saw_little = saw_little || bound > 0;
    return false;
  }
  constexpr void decide(melding& m, std::uint64_t bound) {
    m.profit.saved = m.gross > 0 ? static_cast<std::uint64_t>(m.gross) : 0;
    if (as_printed() && scores_->options.mode != meld_mode::tail) m.profit.saved = bound;
    m.allowed = m.profit.saved != 0 && (as_printed() || scores_->reaches(m.profit));
    saw_little = saw_little || (m.profit.saved > 0 && !scores_->reaches(m.profit));
  }
  [[nodiscard]] constexpr bool as_printed() const { return scores_->options.score == meld_score::paper; }
  // True if m is better than a best one before it.
  [[nodiscard]] constexpr bool better(const melding& m, const melding& best) const {
    if (!m.allowed || !best.allowed) return m.allowed;
    return as_printed() ? m.profit.value() > best.profit.value() : m.net > best.net;
  }

  // Takes the better one of at most two isomorphisms and keeps it in same_.
  constexpr melding meld_regions(const arm_piece& p, const arm_piece& q) {
    melding best;
    best.profit.total = p.weight + q.weight;
    if (p.shape.size() != q.shape.size() || p.shape.num_edges() != q.shape.num_edges()) return best;
    const auto worth = [this](block_id a, block_id b) { return worth_of(a, b); };
    for (const bool ordered : {false, true}) {
      isomorphism_options how;
      how.order = ordered ? slot_order::ordered : slot_order::two_way_free;
      isomorphisms_.run(p.shape, q.shape, how, worth, trial_);
      saw_giving_up = saw_giving_up || trial_.verdict == isomorphism_verdict::gave_up;
      if (!trial_) continue;
      bool swaps = false;
      std::uint64_t bound = 0;
      for (std::uint32_t i = 0; i < p.shape.size(); ++i) {
        swaps = swaps || trial_.swapped(p.shape, i);
        bound += shared_weight(scores_->fingerprint[p.shape[i]], scores_->fingerprint[q.shape[trial_.block[i]]]);
      }
      if (hopeful(bound, best.profit.total)) {
        melding m;
        m.profit.total = best.profit.total;
        for (std::uint32_t i = 0; i < p.shape.size(); ++i) meld_blocks(m, p.shape[i], q.shape[trial_.block[i]]);
        decide(m, bound);
        if (better(m, best)) {
          best = m;
          same_ = trial_;
        }
      }
      if (!swaps) break;  // the ordered one is the only one that exchanges nothing
    }
    return best;
  }
  // The weight that two blocks could save as partners; forbidden_pair if they must not be partners.
  [[nodiscard]] constexpr std::int32_t worth_of(block_id a, block_id b) const {
    if constexpr (requires { scores_->code->compatible_branches(a, b); })
      if (scores_->graph->successors(a).size() > 1 &&
          !(scores_->exchanged ? scores_->code->compatible_branches(b, a) : scores_->code->compatible_branches(a, b)))
        return forbidden_pair;
    constexpr std::uint64_t most = 1U << 28;
    const std::uint64_t bound = shared_weight(scores_->fingerprint[a], scores_->fingerprint[b]);
    return static_cast<std::int32_t>(bound < most ? bound : most);
  }

  // Places a block of arm `arm` in a region of the other arm.
  constexpr melding place(const arm_piece& block, const arm_piece& region, unsigned arm) {
    melding best;
    best.profit.total = block.weight + region.weight;
    const block_id one = block.shape[0];
    find_paths(region.shape, 1 - arm, scores_->in_arm(arm, one));
    for (std::uint32_t v = 0; v < region.shape.size(); ++v) {
      if (way_in[v] + way_out[v] >= unreached) continue;
      const block_id at = region.shape[v];
      const meld_visits visits = arm == 0 ? scores_->visits(one, at) : scores_->visits(at, one);
      const std::uint64_t bound = bound_of(block, one, region, at);
      if (best.allowed && !as_printed() &&
          visits.both() * static_cast<std::int64_t>(bound) - (way_in[v] + way_out[v]) <= best.net)
        continue;
      melding m;
      m.profit.total =
          as_printed() ? scores_->fingerprint.weight(one) + scores_->fingerprint.weight(at) : best.profit.total;
      if (!hopeful(bound, m.profit.total)) continue;
      m.at = at;
      m.net = -(way_in[v] + way_out[v]);
      m.parted = -parted_way(region.shape, v);
      if (arm == 0)
        meld_code(m, block.code, scores_->of(at), visits);
      else
        meld_code(m, scores_->of(at), block.code, visits);
      decide(m, bound);
      if (better(m, best)) best = m;
    }
    return best;
  }
  // The cost of the way through v to a warp with threads of both arms, each block executed once.
  [[nodiscard]] constexpr std::int64_t parted_way(const graph_piece& p, std::uint32_t v) const {
    std::int64_t sum = 0;
    const auto step = [&](std::uint32_t x, bool passed) {
      if (passed && pass_[x].by_branch) sum += scores_->costs.parted_branch();
      if (p.successors(x).size() > 1) sum += scores_->costs.plain_branch();
    };
    for (std::uint32_t x = came_from[v]; x != none; x = came_from[x]) step(x, true);
    for (std::uint32_t x = v; x != p.exit(); x = p.successors(x)[slot_out[x]]) step(x, x != v);
    return sum;
  }
  // Visits of a block of a region with threads of the other arm that have nothing to do there.
  [[nodiscard]] constexpr meld_visits visits(const graph_piece& p, std::uint32_t v) const {
    const double own = scores_->in_arm(arm_, p[v]);
    return arm_ == 0 ? scores_->costs.visits(own, in_arm_) : scores_->costs.visits(in_arm_, own);
  }
  // The price of making the branch of a block take a slot for such threads.
  [[nodiscard]] constexpr std::int64_t force(const graph_piece& p, std::uint32_t v, std::uint32_t slot) const {
    const std::size_t ways = p.successors(v).size();
    if (ways < 2) return 0;
    const branch_likelihood how = likelihood_of(*scores_->code, p[v]);
    return scores_->costs.forced(visits(p, v), arm_,
                                 ways > 2    ? 1 - how.parted
                                 : slot == 0 ? how.all_second()
                                             : how.all_first());
  }
  [[nodiscard]] constexpr bool can_force(block_id b, std::size_t num_slots) const {
    if (num_slots < 2) return true;
    if constexpr (requires { scores_->code->can_force_branch(b); })
      return scores_->code->can_force_branch(b);
    else
      return num_slots == 2;
  }

  meld_scores<M>* scores_;
  const std::vector<std::uint32_t>* place_;  // by block: in reverse post-order
  unsigned arm_ = 0;                         // of the region of the last find_paths()
  double in_arm_ = 1;
  std::vector<typename meld_scores<M>::run_cost> pass_;  // by block of that region: to lead such threads past its code
  isomorphism_search<> isomorphisms_;
  piece_isomorphism trial_, same_;
  std::vector<std::uint32_t> waits_for_, sorted_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
