// SPDX-License-Identifier: BSL-1.0
//
// Which values can a variable of a plan have? For every edge of a plan and one variable: the set of values with which
// threads may go along it, as far as guards tell. A forward data-flow problem over sets of constants:
//
//   entry      zero
//   edge       what it sets the variable to, alone; otherwise what holds at its source
//   guard      slot 0: the values from low to high; slot 1: all others. (One that tests another variable says nothing)
//   block      the union over the edges into it
//
// Behind an original block a variable keeps its value here, although after linearization every such value is dead. A
// guard is decided if one of its edges can have no value.
//
// Literature: G. Kildall, A unified approach to global program optimization (1973); J. Anantpur, R. Govindarajan,
// Taming control divergence in GPUs through control flow linearization (2014), section 4.2.
#pragma once

#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The values of one variable in a plan, as defined at the top of this header. Keeps no reference to the plan.
class guard_values {
 public:
  /// \pre variable < p.num_variables(), or the plan has no block
  /// Complexity: O(edges x distinct values) time, O(blocks x distinct values) bits: the size of the answer. No
  /// recursion.
  constexpr guard_values(const flow_plan& p, std::uint32_t variable) {
    SIMTFLOW_EXPECTS(variable < p.num_variables() || p.num_blocks() == 0, "a variable of the plan");
    list_values(p, variable);
    words_ = (values_.size() + 63) / 64;
    in_.assign(p.num_blocks() * words_, 0);
    reached_.assign(p.num_blocks(), 0);
    std::vector<std::uint64_t> there;
    std::vector<block_id> work;
    std::vector<unsigned char> queued;
    queued.assign(p.num_blocks(), 0);
    if (p.num_blocks() == 0) return;
    in_[p.entry() * words_] |= 1;  // zero is the first value
    reached_[p.entry()] = 1;
    work.push_back(p.entry());
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      queued[b] = 0;
      for (std::size_t k = 0; k < p.successors(b).size(); ++k) {
        const flow_plan::edge e = p.successors(b)[k];
        along(p, b, k, variable, there);
        bool any = false, news = false;
        for (std::size_t w = 0; w < words_; ++w) {
          std::uint64_t& in = in_[e.to * words_ + w];
          any = any || there[w] != 0;
          news = news || (there[w] & ~in) != 0;
          in |= there[w];
        }
        if (!any || (!news && reached_[e.to] != 0)) continue;
        reached_[e.to] = 1;
        if (queued[e.to] != 0) continue;
        queued[e.to] = 1;
        work.push_back(e.to);
      }
    }
  }

  /// Zero and everything that some edge sets the variable to, ascending.
  [[nodiscard]] constexpr std::span<const std::uint32_t> values() const& {
    return std::span<const std::uint32_t>(values_);
  }
  std::span<const std::uint32_t> values() const&& = delete;

  /// Threads may come to b with this value. O(log values). \pre b is a block of the plan
  [[nodiscard]] constexpr bool may_have(block_id b, std::uint32_t value) const {
    SIMTFLOW_EXPECTS(b < reached_.size(), "a block of the plan");
    const std::size_t i = number(value);
    return i < values_.size() && (in_[b * words_ + i / 64] >> (i % 64) & 1U) != 0;
  }
  /// Threads may come to b at all, as far as guards of this variable tell. O(1).
  [[nodiscard]] constexpr bool is_reached(block_id b) const {
    SIMTFLOW_EXPECTS(b < reached_.size(), "a block of the plan");
    return reached_[b] != 0;
  }
  /// How many values threads may come to b with. O(values / 64).
  [[nodiscard]] constexpr std::size_t count(block_id b) const {
    SIMTFLOW_EXPECTS(b < reached_.size(), "a block of the plan");
    std::size_t all = 0;
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = in_[b * words_ + w]; bits != 0; bits &= bits - 1) ++all;
    return all;
  }

 private:
  constexpr void list_values(const flow_plan& p, std::uint32_t variable) {
    values_.push_back(0);
    for (block_id b = 0; b < p.num_blocks(); ++b)
      for (const flow_plan::edge& e : p.successors(b)) {
        const std::uint32_t first = p.value_on(e, variable, 0);
        if (first != 0) values_.push_back(first);
      }
    detail::sort_ascending(values_);
    std::size_t kept = 1;
    for (std::size_t i = 1; i < values_.size(); ++i)
      if (values_[i] != values_[kept - 1]) values_[kept++] = values_[i];
    while (values_.size() > kept) values_.pop_back();
  }
  // The place of a value, or of the next greater one.
  [[nodiscard]] constexpr std::size_t first_from(std::uint32_t value) const {
    return detail::lower_bound(std::span<const std::uint32_t>(values_), value);
  }
  [[nodiscard]] constexpr std::size_t number(std::uint32_t value) const {
    const std::size_t i = first_from(value);
    return i < values_.size() && values_[i] == value ? i : values_.size();
  }

  constexpr void along(const flow_plan& p, block_id b, std::size_t slot, std::uint32_t variable,
                       std::vector<std::uint64_t>& there) const {
    there.assign(in_.begin() + static_cast<std::ptrdiff_t>(b * words_),
                 in_.begin() + static_cast<std::ptrdiff_t>((b + std::size_t{1}) * words_));
    const plan_block& what = p[b];
    if (what.role == plan_role::guard && what.variable == variable && slot < 2) {
      const std::size_t low = first_from(what.low);
      std::size_t high = first_from(what.high);
      if (high < values_.size() && values_[high] == what.high) ++high;  // one past the last
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const bool inside = i >= low && i < high;
        if (inside != (slot == 0)) there[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      }
    }
    std::uint32_t set = 0;
    bool sets = false;
    p.for_each_assignment(p.successors(b)[slot], [&](plan_assignment a) {
      if (a.variable != variable) return;
      set = a.value;
      sets = true;
    });
    if (!sets) return;
    bool any = false;
    for (std::uint64_t& w : there) {
      any = any || w != 0;
      w = 0;
    }
    if (!any) return;
    const std::size_t i = number(set);
    there[i / 64] |= std::uint64_t{1} << (i % 64);
  }

  std::vector<std::uint32_t> values_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> in_;  // by block
  std::vector<unsigned char> reached_;
};

}  // namespace v0
}  // namespace simtflow
