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
  bool plain = false;   // one block with one edge, which leads on
  bool pinned = false;  // has a pinned instruction
  std::uint64_t weight = 0;
};

/// How two pieces become one.
struct melding {
  bool allowed = false;
  melding_profit profit;
  std::int64_t gross = 0;  // what pairs of instructions save
  std::int64_t net = 0;    // less the cost of branches around runs and of forced branches
  block_id at = no_block;  // block and region: the block of the region that the block is melded with
};

/// Melds pairs of pieces.
template <class M>
class piece_melder {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  /// `place`: by block, its number in reverse post-order. Both must outlive the melder.
  constexpr piece_melder(const meld_scores<M>& scores, const std::vector<std::uint32_t>& place)
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
      if (!hopeful(shared_weight(scores_->fingerprint[p.shape[0]], scores_->fingerprint[q.shape[0]]), out.profit.total))
        return out;
      meld_blocks(out, p.shape[0], q.shape[0]);
      decide(out);
      return out;
    }
    if (scores_->options.mode != meld_mode::full) return out;
    if (p.plain) return place(p, q, false);
    if (q.plain) return place(q, p, true);
    return meld_regions(p, q);
  }

  /// Finds the cheapest ways through a region along forward edges: up to each block, and from its branch on.
  constexpr void find_paths(const graph_piece& p) {
    const std::uint32_t n = p.size();
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
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const std::uint32_t v = sorted_[k];
      const std::int64_t way = way_in[v] + pass(p, v);
      const std::span<const std::uint32_t> out = p.successors(v);
      for (std::uint32_t slot = 0; slot < out.size(); ++slot) {
        const std::uint32_t s = out[slot];
        if (!forward(v, s)) continue;
        if (can_force(p[v], out.size()) && way < way_in[s]) {
          way_in[s] = way;
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
        if (forward(v, s) && way_out[s] < unreached)
          way = way_out[s] + (scores_->code->first(p[s]) == scores_->code->last(p[s])
                                  ? 0
                                  : std::int64_t{scores_->options.predication_cost});
        if (way >= unreached || way + force(p, v) >= way_out[v]) continue;
        way_out[v] = way + force(p, v);
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

  // Adds a pair of blocks to a melding.
  constexpr void meld_blocks(melding& m, block_id a, block_id b) const {
    const alignment found = scores_->align_blocks(a, b);
    m.gross += scores_->gross(found);
    m.net += found.score;
  }
  // True if aligning is worthwhile, by an upper bound on what can be saved.
  constexpr bool hopeful(std::uint64_t bound, std::uint64_t total) {
    const melding_profit best{bound, total};
    if (scores_->reaches(best)) return true;
    saw_little = saw_little || bound > 0;
    return false;
  }
  constexpr void decide(melding& m) {
    m.profit.saved = m.gross > 0 ? static_cast<std::uint64_t>(m.gross) : 0;
    m.allowed = scores_->reaches(m.profit);
    saw_little = saw_little || m.profit.saved > 0;
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

  // Places a block in a region. `exchanged`: the block is of arm 1.
  constexpr melding place(const arm_piece& block, const arm_piece& region, bool exchanged) {
    melding best;
    best.profit.total = block.weight + region.weight;
    const block_id one = block.shape[0];
    find_paths(region.shape);
    for (std::uint32_t v = 0; v < region.shape.size(); ++v) {
      const std::int64_t way = way_in[v] + way_out[v];
      if (way >= unreached) continue;
      const block_id at = region.shape[v];
      const std::uint64_t bound = shared_weight(scores_->fingerprint[one], scores_->fingerprint[at]);
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
  // The price of leading a thread through block v of a region in which it has nothing to do: the branch around the
  // block's instructions, and forcing the block's own branch.
  [[nodiscard]] constexpr std::int64_t pass(const graph_piece& p, std::uint32_t v) const {
    return (scores_->code->first(p[v]) == scores_->code->last(p[v]) ? 0
                                                                    : std::int64_t{scores_->options.predication_cost}) +
           force(p, v);
  }
  [[nodiscard]] constexpr std::int64_t force(const graph_piece& p, std::uint32_t v) const {
    return p.successors(v).size() > 1 ? std::int64_t{scores_->options.predication_cost} : 0;
  }
  [[nodiscard]] constexpr bool can_force(block_id b, std::size_t num_slots) const {
    if (num_slots < 2) return true;
    if constexpr (requires { scores_->code->can_force_branch(b); })
      return scores_->code->can_force_branch(b);
    else
      return num_slots == 2;
  }

  const meld_scores<M>* scores_;
  const std::vector<std::uint32_t>* place_;  // by block: in reverse post-order
  isomorphism_search<> isomorphisms_;
  piece_isomorphism trial_, same_;
  std::vector<std::uint32_t> waits_for_, sorted_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
