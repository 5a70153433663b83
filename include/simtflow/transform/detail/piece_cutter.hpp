// SPDX-License-Identifier: BSL-1.0
//
// A block of one arm cut into parts, so that it can be melded with several pieces of the other arm.
//
// The block's instructions are aligned with the instructions of all those pieces, one after the other; a region stands
// there with its block that has most in common. Pairs tell where to cut: a part begins with the first instruction that
// has a partner in the next piece. Then each part is melded with its piece as any block is. Pieces that do not pay are
// left out, and the rest is aligned again.
#pragma once

#include <simtflow/align/alignment.hpp>
#include <simtflow/config.hpp>
#include <simtflow/transform/detail/meld_costs.hpp>
#include <simtflow/transform/detail/meld_scores.hpp>
#include <simtflow/transform/detail/piece_melder.hpp>
#include <simtflow/transform/detail/run_aligner.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Two pieces that become one, or a part of one and another one.
struct melded_pair {
  std::uint32_t of[2] = {0, 0};  ///< by arm: the piece's number
  unsigned cut = 2;              ///< the arm with the piece that is cut; 2: none is
  block_instructions part;       ///< the part of it that is here
  bool begins = true;            ///< True if the first part is here
  bool ends = true;              ///< True if the last part is here
  melding saves;                 ///< how, and how much
};

/// Cuts blocks.
template <class M>
class piece_cutter {
 public:
  /// Both must outlive the cutter.
  constexpr piece_cutter(meld_scores<M>& scores, piece_melder<M>& melder) : scores_(&scores), melder_(&melder) {}

  /// The piece with one part of its instructions alone.
  [[nodiscard]] static constexpr arm_piece part_of(const arm_piece& whole, const melded_pair& p, const M& code) {
    arm_piece out = whole;
    out.code = p.part;
    out.part = !p.begins || !p.ends;
    out.weight = 0;
    for (std::uint32_t k = 0; k < p.part.count; ++k) out.weight += code.latency(p.part[k]);
    return out;
  }

  /// Cuts piece `k` of an arm, so that its parts are melded with pieces [from, to) of the other arm. The best cut is in
  /// parts(), by `worth` of a list of pairs; nothing, if no two pieces can be melded with parts.
  /// Complexity: one alignment for each piece that is left out, and one.
  template <class Worth>
  constexpr void cut(const std::vector<arm_piece> (&pieces)[2], unsigned arm, std::uint32_t k, std::uint32_t from,
                     std::uint32_t to, const Worth& worth) {
    best_.clear();
    const arm_piece& one = pieces[arm][k];
    partners_.clear();
    std::size_t length = 0;
    for (std::uint32_t y = from; y < to; ++y) {
      partner p{y, no_block, {}};
      if (!pieces[1 - arm][y].pinned) p.at = melder_->likely_place(one, pieces[1 - arm][y], arm);
      if (p.at == no_block) continue;
      p.visits = arm == 0 ? scores_->visits(one.shape[0], p.at) : scores_->visits(p.at, one.shape[0]);
      length += scores_->of(p.at).count;
      partners_.push_back(p);
    }
    if (length == 0 || std::size_t{one.code.count} > most_cells / length) return;
    std::int64_t most = 0;
    while (partners_.size() > 1) {
      align_with_partners(one, arm);
      if (parts_.size() < 2) return;
      bool allowed = true;
      std::size_t worst = parts_.size();
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        melded_pair& p = parts_[i];
        const arm_piece part = part_of(one, p, *scores_->code);
        const arm_piece& other = pieces[1 - arm][p.of[1 - arm]];
        p.saves = arm == 0 ? melder_->meld(part, other) : melder_->meld(other, part);
        // Pairs that are not allowed go first.
        const bool worse =
            worst == parts_.size() ||
            (p.saves.allowed == parts_[worst].saves.allowed ? p.saves.net < parts_[worst].saves.net : !p.saves.allowed);
        if (worse) worst = i;
        allowed = allowed && p.saves.allowed;
      }
      if (allowed) {
        const std::int64_t value = worth(parts_);
        if (best_.empty() || value > most) {
          most = value;
          best_ = parts_;
        }
        if (parts_[worst].saves.net >= 0) return;
      }
      std::size_t kept = 0;
      for (const partner& p : partners_)
        if (p.piece != parts_[worst].of[1 - arm]) partners_[kept++] = p;
      partners_.resize(kept);
    }
  }
  /// The parts of the last cut, in order; none if there was no cut.
  [[nodiscard]] constexpr const std::vector<melded_pair>& parts() const { return best_; }

 private:
  static constexpr std::size_t most_cells = std::size_t{1} << 24;

  // A piece of the other arm, and the block of it that is aligned.
  struct partner {
    std::uint32_t piece;
    block_id at;
    meld_visits visits;
  };

  // Aligns the block with the partners' instructions; partners without a pair are dropped. The parts are in parts_.
  constexpr void align_with_partners(const arm_piece& one, unsigned arm) {
    std::vector<std::int64_t>&own = alone_[arm], &others = alone_[1 - arm];
    own.clear();
    others.clear();
    scores_->list_alone(one.code, arm, scores_->once(), own);
    instruction_.clear();
    of_.clear();
    for (std::size_t n = 0; n < partners_.size(); ++n) {
      const block_instructions all = scores_->of(partners_[n].at);
      scores_->list_alone(all, 1 - arm, partners_[n].visits, others);
      for (std::uint32_t i = 0; i < all.count; ++i) {
        instruction_.push_back(all[i]);
        of_.push_back(n);
      }
    }
    const std::int64_t branch = scores_->costs.branch();
    aligner_.run(
        alone_[0], alone_[1], branch, branch,
        [&](std::size_t i, std::size_t j) {
          const std::size_t there = arm == 0 ? j : i;
          const std::uint32_t mine = one.code[arm == 0 ? i : j], theirs = instruction_[there];
          const meld_visits& v = partners_[of_[there]].visits;
          return arm == 0 ? scores_->saves(mine, theirs, v) : scores_->saves(theirs, mine, v);
        },
        pairs_);
    parts_.clear();
    std::size_t kept = 0, last = partners_.size();
    for (const aligned_pair& p : pairs_) {
      const std::uint32_t mine = arm == 0 ? p.first : p.second;
      const std::size_t n = of_[arm == 0 ? p.second : p.first];
      if (n == last) continue;
      last = n;
      melded_pair part;
      part.of[1 - arm] = partners_[n].piece;
      part.cut = arm;
      part.begins = parts_.empty();
      part.ends = false;
      part.part = {one.code[part.begins ? 0 : mine], 0};
      end_part(part.part.first);
      parts_.push_back(part);
      partners_[kept++] = partners_[n];
    }
    partners_.resize(kept);
    if (parts_.empty()) return;
    end_part(one.code.first + one.code.count);
    parts_.back().ends = true;
  }
  constexpr void end_part(std::uint32_t at) {
    if (!parts_.empty()) parts_.back().part.count = at - parts_.back().part.first;
  }

  meld_scores<M>* scores_;
  piece_melder<M>* melder_;
  run_aligner aligner_;
  std::vector<partner> partners_;
  std::vector<std::int64_t> alone_[2];
  std::vector<std::uint32_t> instruction_;  // the partners', one after the other
  std::vector<std::size_t> of_;             // by such an instruction: the partner
  std::vector<aligned_pair> pairs_;
  std::vector<melded_pair> parts_, best_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
