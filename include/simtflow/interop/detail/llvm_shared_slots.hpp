// SPDX-License-Identifier: BSL-1.0
//
// Slots for values that cross (llvm_crossing_values.hpp). Values share a slot if no point needs both: a slot then
// becomes one phi at each guard, where a slot for each value would become a phi for each value. Phis of several blocks
// mostly are one variable of the source program; values that should share are found by what edges set:
//
//   a phi, and a value that comes into it     a copy less
//   two phis that one block sets to one value on its edges
//   a value, and one of its operands          x = x + 1 keeps its place
//
// An edge that sets a slot and another edge of the same block that sets or keeps something else in it cost a select:
// such values share only if more speaks for it. Values get slots in the order of the function.
//
// Literature: P. Briggs, K. Cooper, L. Torczon, Improvements to graph coloring register allocation (1994), for biased
// coloring.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_crossing_values.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Type.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class llvm_shared_slots {
 public:
  static constexpr std::uint32_t none = llvm_crossing_values::none;

  // Finds slots for all values of a function with so many blocks.
  llvm_shared_slots(llvm_crossing_values& all, std::size_t blocks) : all_(all), at_(2 * blocks), set_(blocks) {
    slot_.reserve(all.values().size());
    for (std::uint32_t k = 0; k < all.values().size(); ++k) place(k);
  }

  // Slots, and the type of each.
  [[nodiscard]] const std::vector<llvm::Type*>& types() const { return types_; }
  // The slot of a value, by index.
  [[nodiscard]] std::uint32_t slot(std::uint32_t value) const { return slot_[value]; }
  // The value that a slot holds at a point; none if nothing needs it there.
  [[nodiscard]] std::uint32_t held(std::uint32_t point, std::uint32_t slot) const {
    for (const occupant& o : at_[point])
      if (o.slot == slot) return o.value;
    return none;
  }

 private:
  struct occupant {
    std::uint32_t slot, value;
  };
  struct setting {
    std::uint32_t slot;
    const llvm::Value* to;
  };
  static constexpr int same_value = 4, operand = 1, select = -2;
  static constexpr std::size_t most_looked_at = 64;  // of the slots that the edges of one block set

  void place(std::uint32_t k) {
    const llvm_crossing_value& v = all_.values()[k];
    score_.resize(types_.size(), 0);
    taken_.resize(types_.size(), none);
    for (const std::uint32_t p : v.points)
      for (const occupant& o : at_[p]) taken_[o.slot] = k;
    if (v.is_set_by_edges) vote_by_edges(v);
    vote_by_uses(v);
    const std::uint32_t slot = choose(k, v.value->getType());
    for (const std::uint32_t s : scored_) score_[s] = 0;
    scored_.clear();
    slot_.push_back(slot);
    for (const std::uint32_t p : v.points) at_[p].push_back({slot, k});
    if (v.is_set_by_edges) note_edges(v, slot);
  }

  void vote(std::uint32_t slot, int n) {
    scored_.push_back(slot);
    score_[slot] += n;
  }
  void vote_for(const llvm::Value* v, int n) {
    const std::uint32_t k = all_.index(v);
    if (k < slot_.size()) vote(slot_[k], n);
  }
  void vote_by_edges(const llvm_crossing_value& v) {
    const auto& phi = llvm::cast<llvm::PHINode>(*v.value);
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      const llvm::Value* comes = phi.getIncomingValue(n);
      const block_id from = all_.number(phi.getIncomingBlock(n));
      vote_for(comes, same_value);
      if (const auto* made = llvm::dyn_cast<llvm::Instruction>(comes))
        for (const llvm::Value* o : made->operands()) vote_for(o, operand);
      for (std::size_t s = 0; s < std::min(set_[from].size(), most_looked_at); ++s)
        vote(set_[from][s].slot, set_[from][s].to == comes ? same_value : select);
      for (const occupant& o : at_[end_of(from)])
        if (all_.values()[o.value].value != comes) vote(o.slot, select);
    }
  }
  void vote_by_uses(const llvm_crossing_value& v) {
    for (const llvm::User* u : v.value->users())
      if (llvm::isa<llvm::PHINode>(u)) vote_for(u, same_value);
    if (!v.is_set_by_edges)
      for (const llvm::Value* o : v.value->operands()) vote_for(o, operand);
  }
  std::uint32_t choose(std::uint32_t k, llvm::Type* type) {
    std::uint32_t best = none;
    for (const std::uint32_t s : scored_)
      if (taken_[s] != k && types_[s] == type && score_[s] > 0 && (best == none || score_[s] > score_[best])) best = s;
    if (best != none) return best;
    auto& same_type = of_type_[type];
    for (const std::uint32_t s : same_type)
      if (taken_[s] != k && score_[s] == 0) return s;
    same_type.push_back(static_cast<std::uint32_t>(types_.size()));
    types_.push_back(type);
    return same_type.back();
  }
  void note_edges(const llvm_crossing_value& v, std::uint32_t slot) {
    const auto& phi = llvm::cast<llvm::PHINode>(*v.value);
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      auto& set = set_[all_.number(phi.getIncomingBlock(n))];
      const llvm::Value* to = phi.getIncomingValue(n);
      if (std::none_of(set.begin(), set.end(), [&](const setting& s) { return s.slot == slot && s.to == to; }))
        set.push_back({slot, to});
    }
  }

  llvm_crossing_values& all_;
  std::vector<llvm::Type*> types_;         // by slot
  std::vector<std::uint32_t> slot_;        // by value
  std::vector<std::vector<occupant>> at_;  // by point
  std::vector<std::vector<setting>> set_;  // by block: what its edges set
  std::vector<int> score_;                 // by slot
  std::vector<std::uint32_t> taken_;       // by slot: the last value that must not share it
  std::vector<std::uint32_t> scored_;
  llvm::DenseMap<llvm::Type*, std::vector<std::uint32_t>> of_type_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
