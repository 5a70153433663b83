// SPDX-License-Identifier: BSL-1.0
#include "lab/time.hpp"
#include <simtflow/io/detail/xml.hpp>
#include <simtflow/timing/accounting.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace lab {

using namespace simtflow;
using timing::cycle_class;

namespace {

// The parts of a bar, from below: issues of full warps to issues of the fewest lanes, the policy's own operations,
// stalls, cycles without an instruction.
constexpr std::size_t num_quarters = 4;
constexpr std::size_t own = num_quarters;
constexpr std::size_t first_class = own + 1;  // the class after `issued`
constexpr std::size_t num_parts = first_class + timing::num_cycle_classes - 1;

struct part_style {
  const char* name;
  const char* colour;
};
constexpr std::array<part_style, num_parts> styles = {{{"", "#08306b"},
                                                       {"", "#2171b5"},
                                                       {"", "#6baed6"},
                                                       {"", "#c6dbef"},
                                                       {"policy's own operations", "#41ab5d"},
                                                       {"Stall: unit", "#67000d"},
                                                       {"Stall: bank conflict", "#a50f15"},
                                                       {"Stall: coalescing", "#cb181d"},
                                                       {"Stall: MSHR", "#ef3b2c"},
                                                       {"Stall: queue", "#fb6a4a"},
                                                       {"Stall: interconnect", "#fcae91"},
                                                       {"W0 memory", "#fdae6b"},
                                                       {"W0 scoreboard", "#fee391"},
                                                       {"W0 barrier", "#9e9ac8"},
                                                       {"W0 reconvergence", "#dadaeb"},
                                                       {"W0 idle", "#e0e0e0"}}};

// The scheduler-cycles of each part.
std::array<std::uint64_t, num_parts> parts_of(const timing::report& r, std::uint32_t width) {
  std::array<std::uint64_t, num_parts> parts{};
  std::uint64_t with_lanes = 0;
  for (std::size_t lanes = 1; lanes <= r.schedulers.by_lanes.size(); ++lanes) {
    const std::uint64_t n = r.schedulers.by_lanes[lanes - 1];
    std::size_t quarter = num_quarters - 1;  // the lowest
    while (quarter > 0 && lanes > width * (num_quarters - quarter) / num_quarters) --quarter;
    parts[quarter] += n;
    with_lanes += n;
  }
  parts[own] = r.schedulers[cycle_class::issued] - std::min(with_lanes, r.schedulers[cycle_class::issued]);
  for (std::size_t k = 1; k < timing::num_cycle_classes; ++k) parts[first_class + k - 1] = r.schedulers.by_class[k];
  return parts;
}

std::string escaped(const std::string& text) {
  std::string out;
  detail::append_xml(out, text);
  return out;
}

}  // namespace

std::string to_bars(const time_report& r) {
  constexpr double bar = 16, gap = 4, between = 26, height = 260, left = 58, top = 44;
  const std::uint32_t width = r.machine.core.warp_width;
  double highest = 1;
  std::array<bool, num_parts> occurs{};
  std::vector<double> scale;  // by row: its height for 100 % of its cycles, over the base
  for (std::size_t first = 0, last = 0; first < r.rows.size(); first = last) {
    std::size_t base = first;
    while (last < r.rows.size() && r.rows[last].kernel == r.rows[first].kernel) {
      if (r.rows[last].policy == "pdom") base = last;
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) {
      scale.push_back(static_cast<double>(r.rows[i].report.cycles) /
                      static_cast<double>(std::max<std::uint64_t>(r.rows[base].report.cycles, 1)));
      highest = std::max(highest, scale.back());
      const auto parts = parts_of(r.rows[i].report, width);
      for (std::size_t k = 0; k < num_parts; ++k) occurs[k] = occurs[k] || parts[k] != 0;
    }
  }
  const double most = std::ceil(highest * 5) / 5;  // the axis ends at a multiple of 0.2
  const double step = most > 4 ? 1 : most > 2 ? 0.5 : 0.2;
  const auto y_of = [&](double value) { return top + height * (1 - value / most); };

  std::size_t longest = 0;
  for (const timed_row& row : r.rows) longest = std::max(longest, row.policy.size());
  const double labels = 7 * static_cast<double>(longest) + 40;  // below the axis: policies, then kernels

  std::string bars, text;
  double x = left + between / 2;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const timed_row& row = r.rows[i];
    const bool begins = i == 0 || r.rows[i - 1].kernel != row.kernel;
    if (begins && i != 0) x += between - gap;
    if (begins) {
      const auto n = static_cast<double>(
          std::count_if(r.rows.begin(), r.rows.end(), [&](const timed_row& o) { return o.kernel == row.kernel; }));
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n",
                          x + (n * (bar + gap) - gap) / 2, top + height + labels - 12, escaped(row.kernel));
    }
    const auto parts = parts_of(row.report, width);
    const double all = static_cast<double>(std::max<std::uint64_t>(row.report.schedulers.total(), 1));
    double from = 0;
    for (std::size_t k = 0; k < num_parts; ++k) {
      const double share = static_cast<double>(parts[k]) / all * scale[i];
      if (parts[k] != 0)
        bars += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.0f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
                            y_of(from + share), bar, height * share / most, styles[k].colour);
      from += share;
    }
    text += fmt::format("<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"end\">{}</text>\n",
                        x + bar / 2 + 4, top + height + 8, escaped(row.policy));
    x += bar + gap;
  }
  const double right = x + between / 2;
  std::string axis;
  for (double value = 0; value <= most + step / 8; value += step)
    axis += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ccc\"/>\n<text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.1f}</text>\n",
        left, y_of(value), right, left - 6, y_of(value) + 4, value);
  std::string legend;
  double y = top + 4;
  for (std::size_t k = num_parts; k-- > 0;) {  // as the parts lie
    if (!occurs[k]) continue;
    const std::string name = k < num_quarters ? fmt::format("W{}-{}", width * (num_quarters - 1 - k) / num_quarters + 1,
                                                            width * (num_quarters - k) / num_quarters)
                                              : std::string(styles[k].name);
    legend += fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"12\" height=\"12\" fill=\"{2}\"/>\n<text "
        "x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        right + 18, y, styles[k].colour, right + 36, y + 10, name);
    y += 18;
  }
  const std::string title =
      fmt::format("Cycles over pdom's on {}, by class of scheduler-cycle", escaped(r.machine.name));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{2:.1f}\" y=\"22\" font-size=\"14\">{3}</text>\n"
      "{4}{5}{6}{7}</svg>\n",
      std::max(right + 190, left + 8 * static_cast<double>(title.size())), std::max(top + height + labels, y + 12),
      left - 40, title, axis, bars, text, legend);
}

}  // namespace lab
