// SPDX-License-Identifier: BSL-1.0
//
// The search of meld.hpp: arms, pieces, the best alignment of pieces, the plan.
#pragma once

#include <simtflow/align/isomorphism.hpp>
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/arms.hpp>
#include <simtflow/transform/detail/meld_scores.hpp>
#include <simtflow/transform/detail/meld_writer.hpp>
#include <simtflow/transform/detail/piece_cutter.hpp>
#include <simtflow/transform/detail/piece_melder.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Plans meldings of one graph and its code.
template <class M>
class meld_planner {
 public:
  /// Facts, graph and code must outlive the planner. \pre as find_meld(). Complexity: dominators and fingerprints.
  constexpr meld_planner(cfg_facts& facts, const M& code, const meld_options& options)
      : scores_(facts.graph(), code, options),
        melder_(scores_, place_),
        cutter_(scores_, melder_),
        writer_(scores_, melder_) {
    const csr_graph& g = facts.graph();
    SIMTFLOW_EXPECTS(
        options.threshold >= 0 && options.predication_cost < (1U << 20) && options.divergence_cost < (1U << 20),
        "a threshold is a part of a weight, and a branch weighs little");
    if (g.num_blocks() == 0) return;
    facts.dominators().rpo(order_);
    place_.assign(g.num_blocks(), static_cast<std::uint32_t>(order_.size()));
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    left_ = order_.size();
    arms_.compute(facts);
  }
  meld_planner(const meld_planner&) = delete;  // its parts point to each other
  meld_planner& operator=(const meld_planner&) = delete;

  /// Looks for the next branch to meld, inner ones first, and goes on after the last branch that was looked at.
  template <class Skip>
  constexpr void search(meld_search& out, const Skip& skip) {
    while (left_ > 0 && !out.found) {
      const block_id branch = order_[--left_];  // what a branch dominates has greater numbers
      if (scores_.graph->successors(branch).size() < 2 || skip(branch)) continue;
      const meld_refusal reason = plan(branch, out.plan);
      out.found = reason == meld_refusal::none;
      if (!out.found) out.refused.push_back({branch, reason});
    }
  }

  /// Plans one branch. Returns none, or why there is no plan, and `out` is not changed.
  constexpr meld_refusal plan(block_id branch, meld_plan& out) {
    const std::span<const block_id> to = scores_.graph->successors(branch);
    if (to.size() != 2 || to[0] == to[1]) return meld_refusal::not_two_way;
    if (!scores_.options.all_branches && !scores_.code->is_divergent(branch)) return meld_refusal::uniform;
    meld_refusal reason = arms_.find(branch);
    if (reason == meld_refusal::none && has_convergent_code()) reason = meld_refusal::convergent;
    if (reason == meld_refusal::none) reason = list_pieces();
    if (reason != meld_refusal::none) return reason;
    scores_.take_up(branch, arms_.blocks(0)[0], arms_.blocks(1)[0], arms_.exchanged());
    reason = choose_pairs();
    if (reason == meld_refusal::none) write(branch, out);
    return reason;
  }

 private:
  [[nodiscard]] constexpr bool has_convergent_code() const {
    const M& code = *scores_.code;
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id b : arms_.blocks(a))
        for (std::uint32_t i = code.first(b); i < code.last(b); ++i)
          if (code.is_pinned(i) && is_convergent(i)) return true;
    return false;
  }
  [[nodiscard]] constexpr bool is_convergent(std::uint32_t i) const {
    if constexpr (requires { scores_.code->is_convergent(i); })
      return scores_.code->is_convergent(i);
    else
      return true;
  }

  // Lists the pieces of both arms. Blocks without instructions that only go on are in no piece.
  constexpr meld_refusal list_pieces() {
    for (unsigned a = 0; a < 2; ++a) {
      pieces_[a].clear();
      const std::span<const block_id> cuts = arms_.cuts(a);
      for (std::size_t k = 0; k < cuts.size(); ++k)
        add_piece(a, cuts[k], k + 1 < cuts.size() ? cuts[k + 1] : arms_.join());
      if (pieces_[a].empty()) return meld_refusal::empty_arm;
    }
    return meld_refusal::none;
  }
  constexpr void add_piece(unsigned a, block_id begin, block_id end) {
    const M& code = *scores_.code;
    shape_.compute(*scores_.graph, begin, end, [&code](block_id b) { return code.first(b) == code.last(b); });
    if (shape_.size() == 0) return;
    arm_piece p;
    p.shape = shape_.packed();
    p.code = scores_.of(shape_[0]);
    p.plain = shape_.size() == 1 && shape_.num_edges() == 1 && shape_.successors(0)[0] == shape_.exit();
    for (const block_id b : shape_.blocks()) {
      p.weight += scores_.fingerprint.weight(b);
      for (std::uint32_t i = code.first(b); i < code.last(b); ++i) p.pinned = p.pinned || code.is_pinned(i);
    }
    pieces_[a].push_back(static_cast<arm_piece&&>(p));
  }

  // Aligns the pieces of both arms. Returns none, or why that does not pay.
  constexpr meld_refusal choose_pairs() {
    melder_.forget_refusals();
    const std::size_t n = pieces_[0].size(), m = pieces_[1].size();
    const meld_mode mode = scores_.options.mode;
    if (mode == meld_mode::fusion && (n != 1 || m != 1 || !pieces_[0][0].plain || !pieces_[1][0].plain))
      return meld_refusal::not_a_diamond;
    if (mode == meld_mode::tail && (!pieces_[0][n - 1].plain || !pieces_[1][m - 1].plain))
      return meld_refusal::not_a_diamond;
    found_.assign(n * m, {});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (mode == meld_mode::tail && (i + 1 != n || j + 1 != m)) continue;
        found_[i * m + j] = melder_.meld(pieces_[0][i], pieces_[1][j]);
      }
    align_pieces();
    if (as_printed())
      leave_out_what_is_below_the_threshold();
    else if (mode == meld_mode::full)
      cut_pieces();
    saved_ = add_up(chosen_);
    if (!chosen_.empty() && (as_printed() || (saved_ > 0 && parted_ > 0))) return meld_refusal::none;
    if (melder_.saw_little) return meld_refusal::below_threshold;
    if (melder_.saw_giving_up) return meld_refusal::gave_up;
    return melder_.saw_pinned ? meld_refusal::pinned : meld_refusal::nothing_compatible;
  }
  [[nodiscard]] constexpr bool as_printed() const { return scores_.options.score == meld_score::paper; }
  // The worth of a pair of pieces to their alignment, and the cost of the pieces between two pairs.
  [[nodiscard]] constexpr std::int64_t worth(const melding& m) const {
    if (!m.allowed) return run_aligner::forbidden;
    return as_printed() ? static_cast<std::int64_t>(100 * m.profit.value()) : m.net;
  }
  [[nodiscard]] constexpr std::int64_t gap() const { return as_printed() ? 0 : scores_.costs.branch(); }

  // The pairs in order that save most. Pieces of either arm or of both between two pairs are one if, or one if-else.
  constexpr void align_pieces() {
    const std::size_t n = pieces_[0].size(), m = pieces_[1].size(), columns = m + 1;
    struct cell {
      std::int64_t paired, apart;  // the best that ends with a pair, and with pieces of one side
      [[nodiscard]] constexpr std::int64_t best() const { return apart > paired ? apart : paired; }
    };
    enum : unsigned char { ends_apart = 1, from_above = 2, goes_on = 4 };
    std::vector<cell> row(columns, {run_aligner::forbidden, run_aligner::forbidden});
    std::vector<unsigned char> way((n + 1) * columns, 0);
    const std::int64_t cost = gap();
    for (std::size_t i = 0; i <= n; ++i) {
      std::int64_t diagonal = run_aligner::forbidden;
      for (std::size_t j = 0; j <= m; ++j) {
        const cell above = row[j];
        cell here{i == 0 && j == 0 ? 0 : run_aligner::forbidden, run_aligner::forbidden};
        const std::int64_t pair = i == 0 || j == 0 ? run_aligner::forbidden : worth(found_[(i - 1) * m + j - 1]);
        if (pair != run_aligner::forbidden) here.paired = diagonal + pair;
        unsigned char bits = 0;
        const auto step = [&](const cell& from, unsigned char where) {
          if (from.apart > here.apart) {
            here.apart = from.apart;
            bits = static_cast<unsigned char>(where | goes_on);
          }
          if (from.paired - cost > here.apart) {
            here.apart = from.paired - cost;
            bits = where;
          }
        };
        if (i > 0) step(above, from_above);
        if (j > 0) step(row[j - 1], 0);
        if (here.apart > here.paired) bits |= ends_apart;
        diagonal = above.best();
        row[j] = here;
        way[i * columns + j] = bits;
      }
    }
    chosen_.clear();
    bool apart = (way.back() & ends_apart) != 0;
    for (std::size_t i = n, j = m; i > 0 || j > 0;) {
      const unsigned char bits = way[i * columns + j];
      if (apart) {
        apart = (bits & goes_on) != 0;
        ((bits & from_above) != 0 ? i : j) -= 1;
        continue;
      }
      melded_pair pair;
      pair.of[0] = static_cast<std::uint32_t>(--i);
      pair.of[1] = static_cast<std::uint32_t>(--j);
      pair.saves = found_[i * m + j];
      chosen_.push_back(pair);
      apart = (way[i * columns + j] & ends_apart) != 0;
    }
    for (std::size_t k = 0; k < chosen_.size() / 2; ++k) {
      const melded_pair other = chosen_[chosen_.size() - 1 - k];
      chosen_[chosen_.size() - 1 - k] = chosen_[k];
      chosen_[k] = other;
    }
  }
  constexpr void leave_out_what_is_below_the_threshold() {
    std::size_t kept = 0;
    for (const melded_pair& p : chosen_) {
      if (scores_.reaches(p.saves.profit))
        chosen_[kept++] = p;
      else
        melder_.saw_little = true;
    }
    chosen_.resize(kept);
  }
  // Cuts blocks, where parts of one that are melded with several pieces of the other arm save more. Each block looks at
  // the pieces that no other block before or after it is melded with.
  constexpr void cut_pieces() {
    for (unsigned arm = 0; arm < 2; ++arm)
      for (std::uint32_t k = 0; k < pieces_[arm].size(); ++k)
        if (pieces_[arm][k].plain && !pieces_[arm][k].pinned && pieces_[arm][k].code.count > 1) cut_piece(arm, k);
  }
  constexpr void cut_piece(unsigned arm, std::uint32_t k) {
    std::uint32_t from = 0, to = static_cast<std::uint32_t>(pieces_[1 - arm].size());
    std::size_t begin = 0, end = chosen_.size();  // the pairs with this piece
    for (std::size_t n = 0; n < chosen_.size(); ++n) {
      const melded_pair& p = chosen_[n];
      if (p.of[arm] < k) {
        from = p.of[1 - arm] + 1;
        begin = n + 1;
      } else if (p.of[arm] > k) {
        to = p.of[1 - arm];
        end = n;
        break;
      } else if (p.cut < 2) {
        return;  // its partner is cut
      }
    }
    if (to < from + 2) return;
    const auto splice = [&](const std::vector<melded_pair>& parts) {
      trial_.clear();
      for (std::size_t n = 0; n < begin; ++n) trial_.push_back(chosen_[n]);
      for (melded_pair p : parts) {
        p.of[arm] = k;
        trial_.push_back(p);
      }
      for (std::size_t n = end; n < chosen_.size(); ++n) trial_.push_back(chosen_[n]);
      return add_up(trial_);
    };
    cutter_.cut(pieces_, arm, k, from, to, splice);
    if (cutter_.parts().empty() || splice(cutter_.parts()) <= add_up(chosen_)) return;
    splice(cutter_.parts());
    chosen_.swap(trial_);
  }
  // Adds up what a plan is expected to save; parted_ is the same for a warp with threads of both arms. The branch
  // itself is saved; pieces between two pairs need one of their own.
  constexpr std::int64_t add_up(const std::vector<melded_pair>& pairs) {
    std::int64_t sum = scores_.costs.branch();
    parted_ = scores_.costs.parted_branch();
    std::uint32_t done[2] = {0, 0};
    const auto between = [&](std::size_t i, std::size_t j) {
      if (done[0] >= i && done[1] >= j) return;
      sum -= scores_.costs.branch();
      parted_ -= scores_.costs.parted_branch();
    };
    for (const melded_pair& p : pairs) {
      between(p.of[0], p.of[1]);
      sum += p.saves.net;
      parted_ += p.saves.parted;
      done[0] = p.of[0] + 1;
      done[1] = p.of[1] + 1;
    }
    between(pieces_[0].size(), pieces_[1].size());
    return sum;
  }

  constexpr void write(block_id branch, meld_plan& out) {
    out.branch = branch;
    out.join = arms_.join();
    out.weight_saved = static_cast<std::uint32_t>(parted_ > 0 ? parted_ : 0);
    out.expected_saving = static_cast<double>(saved_) / static_cast<double>(meld_costs::one);
    out.pieces.clear();
    out.blocks.clear();
    out.all_slots.clear();
    out.successors.clear();
    std::size_t done[2] = {0, 0};
    for (std::size_t k = 0; k <= chosen_.size(); ++k) {
      std::size_t next[2] = {pieces_[0].size(), pieces_[1].size()};
      if (k < chosen_.size())
        for (unsigned arm = 0; arm < 2; ++arm) next[arm] = chosen_[k].of[arm];
      for (const unsigned arm : {scores_.exchanged ? 1U : 0U, scores_.exchanged ? 0U : 1U})
        for (; done[arm] < next[arm]; ++done[arm]) writer_.write_alone(pieces_[arm][done[arm]], arm, out);
      if (k == chosen_.size()) break;
      write_pair(chosen_[k], out);
      done[0] = next[0] + 1;
      done[1] = next[1] + 1;
    }
  }

  constexpr void write_pair(const melded_pair& p, meld_plan& out) {
    const arm_piece &first = pieces_[0][p.of[0]], &second = pieces_[1][p.of[1]];
    if (p.cut > 1) return writer_.write_melded(first, second, 2, true, true, out);
    const arm_piece part = cutter_.part_of(p.cut == 0 ? first : second, p, *scores_.code);
    writer_.write_melded(p.cut == 0 ? part : first, p.cut == 0 ? second : part, p.cut, p.begins, p.ends, out);
  }

  std::vector<block_id> order_;       // reverse post-order
  std::vector<std::uint32_t> place_;  // by block: where it stands in it
  std::size_t left_ = 0;              // blocks of the order that no search has come to
  branch_arms arms_;
  meld_scores<M> scores_;
  piece_melder<M> melder_;
  piece_cutter<M> cutter_;
  meld_writer<M> writer_;
  graph_piece shape_;
  std::vector<arm_piece> pieces_[2];
  std::vector<melding> found_;  // by pair of pieces
  std::vector<melded_pair> chosen_, trial_;
  std::int64_t saved_ = 0, parted_ = 0;  // by the plan: expected, and by a warp with threads of both arms
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
