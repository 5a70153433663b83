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

// The bars of one kernel, or of a part of its policies.
struct panel {
  std::size_t first = 0, last = 0;  // rows of the report
  std::string title;
  double left = 0, width = 0;
  std::size_t row = 0;  // of panels
};

constexpr double page = 1000, margin = 20, axis_width = 34, gap_between = 18, height = 150, title_height = 20;
constexpr std::size_t longest_label = 26;

// The name of a policy, cut if it is long.
std::string label_of(const std::string& policy) {
  return policy.size() <= longest_label ? policy : policy.substr(0, longest_label - 3) + "...";
}

// The width of some text, about.
double width_of(std::size_t characters, double font_size) { return 0.58 * font_size * static_cast<double>(characters); }

// The end of the axis: a multiple of 0.2 that all bars fit under, or if a few are far longer, nearly all.
double axis_end(std::vector<double> heights) {
  std::sort(heights.begin(), heights.end());
  const double most = heights.empty() ? 1 : heights.back();
  const double usual = heights.empty() ? 1 : heights[(heights.size() - 1) * 9 / 10];
  const double enough = std::max(1.6, 1.25 * usual);
  return std::ceil((most <= 1.25 * enough ? std::max(most, 1.0) : enough) * 5 - 1e-9) / 5;
}

}  // namespace

std::string to_bars(const time_report& r) {
  const std::uint32_t width = r.machine.core.warp_width;
  std::array<bool, num_parts> occurs{};
  std::vector<double> scale;  // by row: its cycles over the base
  std::vector<panel> panels;
  std::size_t most_bars = 0;
  for (std::size_t first = 0, last = 0; first < r.rows.size(); first = last) {
    std::size_t base = first;
    while (last < r.rows.size() && r.rows[last].kernel == r.rows[first].kernel) {
      if (r.rows[last].policy == "pdom") base = last;
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) {
      scale.push_back(static_cast<double>(r.rows[i].report.cycles) /
                      static_cast<double>(std::max<std::uint64_t>(r.rows[base].report.cycles, 1)));
      const auto parts = parts_of(r.rows[i].report, width);
      for (std::size_t k = 0; k < num_parts; ++k) occurs[k] = occurs[k] || parts[k] != 0;
    }
    panels.push_back({first, last, r.rows[first].kernel});
    most_bars = std::max(most_bars, last - first);
  }

  // Panels stand in rows across the page; kernels with more bars than a row holds go on in the next one.
  const double inside = page - 2 * margin - axis_width;
  const double narrow = most_bars <= 8 ? 18 : 13;
  const double pitch = panels.size() == 1 ? std::clamp(inside / static_cast<double>(most_bars), narrow, 36.0) : narrow;
  const double bar = pitch - std::max(3.0, pitch / 5), font = pitch < 18 ? 10 : 11;
  const auto most_in_row = static_cast<std::size_t>(inside / pitch);
  for (std::size_t p = 0; p < panels.size(); ++p)
    if (panels[p].last - panels[p].first > most_in_row) {
      panel rest = panels[p];
      rest.first = panels[p].last = panels[p].first + most_in_row;
      if (!rest.title.ends_with(" (continued)")) rest.title += " (continued)";
      panels.insert(panels.begin() + static_cast<std::ptrdiff_t>(p) + 1, rest);
    }
  double x = margin + axis_width;
  std::size_t num_rows = panels.empty() ? 0 : 1, longest = 0;
  for (panel& p : panels) {
    p.width = std::max(pitch * static_cast<double>(p.last - p.first), 1.15 * width_of(p.title.size(), 12));  // bold
    if (x != margin + axis_width && x + p.width > page - margin) {
      x = margin + axis_width;
      ++num_rows;
    }
    p.left = x;
    p.row = num_rows - 1;
    x += p.width + gap_between;
    for (std::size_t i = p.first; i < p.last; ++i) longest = std::max(longest, label_of(r.rows[i].policy).size());
  }

  // The legend, from the lowest part of a bar on, in lines across the page.
  std::string legend;
  double legend_x = margin, y = 44;
  for (std::size_t k = 0; k < num_parts; ++k) {
    if (!occurs[k]) continue;
    const std::string name = k < num_quarters ? fmt::format("W{}-{}", width * (num_quarters - 1 - k) / num_quarters + 1,
                                                            width * (num_quarters - k) / num_quarters)
                                              : std::string(styles[k].name);
    const double wide = 16 + width_of(name.size(), 12) + 18;
    if (legend_x + wide > page - margin) {
      legend_x = margin;
      y += 18;
    }
    legend += fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"12\" height=\"12\" fill=\"{2}\"/>\n<text "
        "x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        legend_x, y, styles[k].colour, legend_x + 16, y + 10, name);
    legend_x += wide;
  }

  const double top = y + 30, labels = width_of(longest, font) + 12;
  const double row_height = title_height + height + labels + 14;
  const double most = axis_end(scale);
  const double step = most > 4 ? 1 : most > 1.6 ? 0.5 : 0.2;
  std::string axis, bars, text;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const double base = top + row_height * static_cast<double>(row) + title_height + height;
    double right = 0;
    for (const panel& p : panels)
      if (p.row == row) right = std::max(right, p.left + p.width);
    for (int i = 0; i * step <= most + step / 8; ++i) {
      const double at = base - height * (i * step) / most;
      axis += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"{6}\"/>\n<text x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\" font-size=\"10\">{5:.1f}</text>\n",
          margin + axis_width - 4, at, right, margin + axis_width - 8, at + 3.5, i * step, i == 0 ? "#666" : "#ddd");
    }
  }
  for (const panel& p : panels) {
    const double base = top + row_height * static_cast<double>(p.row) + title_height + height;
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", p.left, base - height - 18,
                        escaped(p.title));
    for (std::size_t i = p.first; i < p.last; ++i) {
      const timed_row& row = r.rows[i];
      const double at = p.left + pitch * static_cast<double>(i - p.first);
      const auto parts = parts_of(row.report, width);
      const double all = static_cast<double>(std::max<std::uint64_t>(row.report.schedulers.total(), 1));
      const std::string said = fmt::format("{}: {} cycles, {:.3f}", escaped(row.policy), row.report.cycles, scale[i]);
      bars += "<g><title>" + said + "</title>\n";
      double from = 0;
      for (std::size_t k = 0; k < num_parts; ++k) {
        const double to = from + static_cast<double>(parts[k]) / all * scale[i];
        const double low = std::min(from, most), high = std::min(to, most);
        if (high > low)
          bars += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.0f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", at,
                              base - height * high / most, bar, height * (high - low) / most, styles[k].colour);
        from = to;
      }
      if (scale[i] > most + 1e-9) {  // the bar goes on: its height in figures
        bars += fmt::format("<path d=\"M{:.1f} {:.1f}l{:.1f} -5v5z\" fill=\"#fff\"/>\n", at, base - height + 5, bar);
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"{}\">{:.{}f}</text>\n",
                            at + bar / 2, base - height - 4, pitch < 18 ? 7 : 9, scale[i], scale[i] < 10 ? 1 : 0);
      }
      bars += "</g>\n";
      text += fmt::format(
          "<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"end\" "
          "font-size=\"{:.0f}\">{}</text>\n",
          at + bar / 2 + 3.5, base + 6, font, escaped(label_of(row.policy)));
    }
  }
  const std::string title =
      fmt::format("Cycles over pdom's on {}, by class of scheduler-cycle", escaped(r.machine.name));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{2:.1f}\" y=\"24\" font-size=\"14\">{3}</text>\n"
      "{4}{5}{6}{7}</svg>\n",
      page, top + row_height * static_cast<double>(num_rows) + 6, margin, title, legend, axis, bars, text);
}

}  // namespace lab
