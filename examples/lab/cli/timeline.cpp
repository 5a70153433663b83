// SPDX-License-Identifier: BSL-1.0
//
// `timeline`: what each lane did in each issue slot.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/view.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

namespace lab::cli {

namespace {

// Reads A:B. Returns what is wrong with it.
std::string read_slots(const std::string& text, timeline_options& to) {
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon), end = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto read = [](const std::string& digits, std::uint64_t& number) {
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return digits.empty() || (error == std::errc() && stop == digits.data() + digits.size());
  };
  if (colon == std::string::npos || text == ":" || !read(first, to.first_slot) || !read(end, to.end_slot))
    return "'" + text + "' is no range of issue slots: A:B";
  if (to.first_slot >= to.end_slot) return "'" + text + "' is empty: a range ends after it begins";
  return "";
}

}  // namespace

void add_timeline(command_table& table) {
  struct state {
    timeline_options timeline;
    std::string path, slots;
  };
  const auto s = std::make_shared<state>();
  s->timeline.policies = {"pdom", "tf"};
  CLI::App& command = table.add(
      "timeline", "Draw what each lane did in each issue slot, one policy under the other, as SVG", judges::yes,
      {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --policy pdom,tf -o timeline.svg"});
  add_view(command, s->timeline, s->path, "the picture", "pdom,tf");
  command.add_option("--warp", s->timeline.warp, "Only this warp of the thread block (default: all)")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");
  const auto is_range = [s](const std::string& text) { return read_slots(text, s->timeline); };
  command.add_option("--slots", s->slots, "Only these issue slots: A:B, from A to before B; A: and :B are ranges also")
      ->check(is_range)
      ->option_text("A:B");
  command.add_flag("--graph", s->timeline.graph,
                   "Draw the control-flow graph beside the schedule, in the same colours");
  table.runs(command, [s] {
    refuse_to_overwrite_view(s->timeline, s->path);
    const lab::timeline_picture made = lab::draw_timeline(s->timeline);
    return show_view(made.svg, made.remarks, made.good, s->path);
  });
}

}  // namespace lab::cli
