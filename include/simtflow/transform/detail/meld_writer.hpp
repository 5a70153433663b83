// SPDX-License-Identifier: BSL-1.0
//
// Writes the pieces of a meld plan: blocks, instructions as slots, successors.
#pragma once

#include <simtflow/align/isomorphism.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_scores.hpp>
#include <simtflow/transform/detail/piece_melder.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Writes meld plans, piece by piece.
template <class M>
class meld_writer {
 public:
  /// Both must outlive the writer.
  constexpr meld_writer(meld_scores<M>& scores, piece_melder<M>& melder) : scores_(&scores), melder_(&melder) {}

  /// Adds a piece of one arm as it stands.
  constexpr void write_alone(const arm_piece& p, unsigned arm, meld_plan& out) const {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    for (std::uint32_t v = 0; v < p.shape.size(); ++v) write_block_alone(p.shape, v, arm, first, no_outcome, out);
    out.pieces.push_back({side_of(arm), first, p.shape.size(), 0, 0});
  }

  /// Adds two pieces made one, p of arm 0 and q of arm 1. `cut`: the arm with a part of a block there; the first
  /// part begins the block, the last part ends it. \pre the melder allows it.
  constexpr void write_melded(const arm_piece& p, const arm_piece& q, unsigned cut, bool begins, bool ends,
                              meld_plan& out) {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    const melding m = melder_->meld(p, q);
    if (p.plain && q.plain) {
      meld_block b = block_with(out);
      set_block(b, 0, p.shape[0]);
      set_block(b, 1, q.shape[0]);
      set_part(b, cut, begins, ends);
      if (!ends) {
        b.ends_as = side_of(1 - cut);
        b.forced = 0;
      }
      write_aligned(p.code, q.code, scores_->visits(p.shape[0], q.shape[0]), out);
      out.successors.push_back(piece_end);
      add_block(b, out);
    } else if (p.plain || q.plain) {
      const arm_piece& region = p.plain ? q : p;
      write_placed(p.plain ? p : q, region.shape, p.plain ? 1 : 0, m.at, begins, ends, out);
    } else {
      write_regions(p.shape, q.shape, out);
    }
    const auto blocks = static_cast<std::uint32_t>(out.blocks.size()) - first;
    out.pieces.push_back(
        {meld_side::both, first, blocks, m.profit.value(), static_cast<std::uint32_t>(m.gross > 0 ? m.gross : 0)});
  }

 private:
  [[nodiscard]] constexpr meld_side side_of(unsigned arm) const {
    return (arm == 0) != scores_->exchanged ? meld_side::left : meld_side::right;
  }

  // A block begins here; add_block() ends it.
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
    out.all_slots.push_back(scores_->exchanged ? meld_slot{j, i} : meld_slot{i, j});
  }
  static constexpr void add_successors(const graph_piece& p, std::uint32_t v, std::uint32_t first, meld_plan& out) {
    for (const std::uint32_t s : p.successors(v)) out.successors.push_back(s == p.exit() ? piece_end : first + s);
  }
  constexpr void set_block(meld_block& b, unsigned arm, block_id is) const {
    (side_of(arm) == meld_side::left ? b.left : b.right) = is;
  }

  constexpr void set_part(meld_block& b, unsigned arm, bool begins, bool ends) const {
    if (arm > 1) return;
    const bool left = side_of(arm) == meld_side::left;
    (left ? b.left_begins : b.right_begins) = begins;
    (left ? b.left_ends : b.right_ends) = ends;
  }

  // Writes block v of a piece as it stands.
  constexpr void write_block_alone(const graph_piece& p, std::uint32_t v, unsigned arm, std::uint32_t first,
                                   std::uint32_t forced, meld_plan& out) const {
    meld_block b = block_with(out);
    set_block(b, arm, p[v]);
    b.ends_as = side_of(arm);
    b.forced = forced;
    const block_instructions all = scores_->of(p[v]);
    for (std::uint32_t k = 0; k < all.count; ++k)
      add_slot(arm == 0 ? all[k] : no_instruction, arm == 0 ? no_instruction : all[k], out);
    add_successors(p, v, first, out);
    add_block(b, out);
  }

  // Writes aligned instructions as slots; between two pairs the left side comes first.
  constexpr void write_aligned(const block_instructions& x, const block_instructions& y, const meld_visits& v,
                               meld_plan& out) const {
    const aligned_code& found = scores_->align_code(x, y, v);
    std::uint32_t i = 0, j = 0;
    const auto alone = [&](std::uint32_t to_i, std::uint32_t to_j) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        if ((turn == 0) != scores_->exchanged)
          for (; i < to_i; ++i) add_slot(x[i], no_instruction, out);
        else
          for (; j < to_j; ++j) add_slot(no_instruction, y[j], out);
      }
    };
    for (const aligned_pair& p : found.pairs) {
      alone(p.first, p.second);
      add_slot(x[i++], y[j++], out);
    }
    alone(x.count, y.count);
  }

  // Writes two isomorphic regions; blocks are numbered as in the left piece.
  constexpr void write_regions(const graph_piece& p, const graph_piece& q, meld_plan& out) {
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    const graph_piece& left = scores_->exchanged ? q : p;
    partner_.assign(q.size(), piece_melder<M>::none);
    for (std::uint32_t i = 0; i < p.size(); ++i) partner_[melder_->same().block[i]] = i;
    for (std::uint32_t v = 0; v < left.size(); ++v) {
      const std::uint32_t i = scores_->exchanged ? partner_[v] : v, j = melder_->same().block[i];
      meld_block b = block_with(out);
      set_block(b, 0, p[i]);
      set_block(b, 1, q[j]);
      b.swapped = melder_->same().swapped(p, i);
      write_aligned(scores_->of(p[i]), scores_->of(q[j]), scores_->visits(p[i], q[j]), out);
      add_successors(left, v, first, out);
      add_block(b, out);
    }
  }

  // Writes a block, or a part of one, placed at block `at` of a region, which is of arm `arm`.
  constexpr void write_placed(const arm_piece& block, const graph_piece& p, unsigned arm, block_id at, bool begins,
                              bool ends, meld_plan& out) {
    const block_id one = block.shape[0];
    const auto first = static_cast<std::uint32_t>(out.blocks.size());
    melder_->find_paths(p, arm, scores_->in_arm(1 - arm, one));
    forced_.assign(p.size(), no_outcome);
    std::uint32_t v = 0;
    while (p[v] != at) ++v;
    for (std::uint32_t x = v; melder_->came_from[x] != piece_melder<M>::none; x = melder_->came_from[x])
      forced_[melder_->came_from[x]] = melder_->slot_in[x];
    for (std::uint32_t x = v; x != p.exit(); x = p.successors(x)[melder_->slot_out[x]])
      forced_[x] = melder_->slot_out[x];
    for (v = 0; v < p.size(); ++v) {
      if (p[v] != at) {
        write_block_alone(p, v, arm, first, forced_[v], out);
        continue;
      }
      meld_block b = block_with(out);
      set_block(b, arm, at);
      set_block(b, 1 - arm, one);
      set_part(b, 1 - arm, begins, ends);
      b.ends_as = side_of(arm);
      b.forced = forced_[v];
      if (arm == 0)
        write_aligned(scores_->of(at), block.code, scores_->visits(at, one), out);
      else
        write_aligned(block.code, scores_->of(at), scores_->visits(one, at), out);
      add_successors(p, v, first, out);
      add_block(b, out);
    }
  }

  meld_scores<M>* scores_;
  piece_melder<M>* melder_;
  std::vector<std::uint32_t> partner_, forced_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
