// SPDX-License-Identifier: BSL-1.0
//
// The row of a lane as rectangles: columns of several issue slots, with equal neighbours made one.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/detail/timeline_run.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// A rectangle in columns and rows; `last` is a row that belongs to it. The strength, 1 to 4, tells in how many
/// quarters of its slots the lane ran.
struct timeline_cell {
  static constexpr std::uint32_t strengths = 4;

  std::uint64_t begin, end;
  std::uint32_t what, strength, first, last;
  [[nodiscard]] bool is_like(const timeline_cell& o) const { return what == o.what && strength == o.strength; }
};

/// Makes cells of a row in columns of k slots, each for the block that the lane ran most, else for its most frequent
/// activity. Pictures of single slots draw executed blocks elsewhere and take only the other cells from here.
inline void make_cells(const timeline_run& p, std::uint32_t row, std::uint64_t k, std::vector<timeline_cell>& cells) {
  cells.clear();
  const auto add = [&cells](const timeline_cell& c) {
    if (!cells.empty() && cells.back().end == c.begin && cells.back().is_like(c))
      cells.back().end = c.end;
    else
      cells.push_back(c);
  };
  const std::vector<timeline_run::stretch>& all = p.rows[row];
  if (k == 1) {
    for (const timeline_run::stretch& s : all)
      if (s.what >= timeline_run::off) add({s.begin, s.end, s.what, timeline_cell::strengths, row, row});
    return;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> amounts;  // an activity, its slots in the column
  std::size_t at = 0;
  for (std::uint64_t column = 0; column * k < p.num_slots; ++column) {
    const std::uint64_t from = column * k, to = from + k;
    while (at < all.size() && all[at].end <= from) ++at;
    std::uint64_t ran = 0, other = 0;
    amounts.clear();
    for (std::size_t i = at; i < all.size() && all[i].begin < to; ++i) {
      const std::uint64_t run = (all[i].end < to ? all[i].end : to) - (all[i].begin > from ? all[i].begin : from);
      std::size_t known = 0;
      while (known < amounts.size() && amounts[known].first != all[i].what) ++known;
      if (known == amounts.size()) amounts.emplace_back(all[i].what, 0);
      amounts[known].second += run;
      (all[i].what < timeline_run::off ? ran : other) += run;
    }
    const std::pair<std::uint32_t, std::uint64_t>* most = nullptr;
    for (const auto& a : amounts)
      if ((ran == 0 || a.first < timeline_run::off) && (most == nullptr || a.second > most->second)) most = &a;
    if (most == nullptr || (ran == 0 && 2 * other < k)) continue;
    const std::uint64_t quarters = ran == 0 ? timeline_cell::strengths : (ran * timeline_cell::strengths + k - 1) / k;
    add({column, column + 1, most->first, static_cast<std::uint32_t>(quarters), row, row});
  }
}

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
