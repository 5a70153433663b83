// SPDX-License-Identifier: BSL-1.0
//
// The picture against the events: what is painted at each lane and slot is read back from the shapes of the SVG text
// and compared with what a painter makes of the events, who paints every lane's life, then its waiting, then its
// blocks.
#include "io/read_xml.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::read_xml;
using simtflow_tests::tag;

namespace {

constexpr std::uint32_t blank = 1'000'000, idle = 1'000'001, waits = 1'000'002, turn = 1'000'003;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

struct box {
  double x, y, width, height;
};

// "M1 2h3v4h-3z" any number of times.
std::vector<box> boxes_of(const std::string& path) {
  std::vector<box> all;
  const char* at = path.c_str();
  const auto number = [&at](char before) {
    REQUIRE(*at == before);
    char* end = nullptr;
    const double x = std::strtod(at + 1, &end);
    REQUIRE(end != at + 1);
    at = end;
    return x;
  };
  while (*at != '\0') {
    box b{};
    b.x = number('M');
    b.y = number(' ');
    b.width = number('h');
    b.height = number('v');
    CHECK(number('h') == -b.width);
    REQUIRE(*at++ == 'z');
    all.push_back(b);
  }
  return all;
}

using grid = std::vector<std::vector<std::uint32_t>>;  // by row, by column

// The cells that the shapes of the panels paint. Each panel's rows are given; a column is `k` slots of `ends[panel]`.
std::vector<grid> read_back(const std::string& svg, const std::vector<std::vector<std::uint32_t>>& bands,
                            const std::vector<std::uint64_t>& slots, std::uint64_t k) {
  std::map<std::string, std::uint32_t> block_of{{"url(#idle)", idle}, {"url(#turn)", turn}, {"url(#waits)", waits}};
  for (block_id b = 0; b < num_block_colours; ++b) block_of.emplace(to_string(block_colour(b)), b);
  std::vector<std::vector<tag>> panels;
  for (const tag& t : read_xml(svg)) {
    if (t.name == "g") panels.emplace_back();
    if (!panels.empty()) panels.back().push_back(t);
  }
  REQUIRE(panels.size() == bands.size());
  std::vector<grid> all;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    std::vector<box> frames;
    for (const tag& t : panels[p])
      if (t.name == "rect" && t.attributes.at("class") == "frame")
        frames.push_back({std::stod(t.attributes.at("x")), std::stod(t.attributes.at("y")),
                          std::stod(t.attributes.at("width")), std::stod(t.attributes.at("height"))});
    REQUIRE(frames.size() == bands[p].size());
    const std::uint64_t columns = (slots[p] + k - 1) / k;
    std::uint32_t rows = 0;
    for (const std::uint32_t r : bands[p]) rows += r;
    grid painted(rows, std::vector<std::uint32_t>(columns, blank));
    const auto paint = [&](const box& b, std::uint32_t what) {
      bool inside = false;
      std::uint32_t first = 0;
      for (std::size_t f = 0; f < frames.size(); ++f) {
        const double height = frames[f].height / bands[p][f], width = frames[f].width / static_cast<double>(columns);
        const double row = (b.y - frames[f].y) / height, last = (b.y + b.height - frames[f].y) / height;
        if (row > -0.1 && last < bands[p][f] + 0.1) {
          inside = true;
          const double column = (b.x - frames[f].x) / width, end = (b.x + b.width - frames[f].x) / width;
          for (const double edge : {row, last, column, end}) CHECK(std::abs(edge - std::round(edge)) < 0.2);
          REQUIRE(std::lround(end) <= static_cast<long>(columns));
          for (long r = std::lround(row); r < std::lround(last); ++r)
            for (long c = std::lround(column); c < std::lround(end); ++c) {
              std::uint32_t& pixel = painted[first + static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
              CHECK(pixel == blank);  // nothing is painted over
              pixel = what;
            }
        }
        first += bands[p][f];
      }
      CHECK(inside);
    };
    for (const tag& t : panels[p])
      if (t.name == "path" && t.attributes.count("fill") != 0 && t.attributes.at("fill") != "none")
        for (const box& b : boxes_of(t.attributes.at("d"))) paint(b, block_of.at(t.attributes.at("fill")));
    all.push_back(std::move(painted));
  }
  return all;
}

// The painter: by warp, lane, slot.
template <class Mask>
grid painted(const std::vector<basic_trace_record<Mask>>& records, timeline_clock clock,
             std::vector<std::uint32_t>& bands, std::uint64_t& slots, std::uint32_t width = 0) {
  struct interval {
    std::uint32_t warp, lane;
    std::uint64_t begin, end;
    std::uint32_t what;
  };
  std::vector<interval> lives, waiting, runs;
  std::map<std::uint32_t, std::uint32_t> lanes;
  std::uint64_t shared = 0;
  slots = 0;
  std::vector<std::uint64_t> now;
  for (const auto& r : records) {
    now.push_back(clock == timeline_clock::shared ? shared : r.time);
    if (r.kind == trace_kind::issued) {
      shared += r.weight;
      slots = std::max(slots, now.back() + r.weight);
      for (std::uint32_t l = 0; l < Mask::capacity; ++l)
        if (r.live.test(l)) lanes[r.warp] = std::max(lanes[r.warp], l + 1);
    } else if (r.kind == trace_kind::exited) {
      slots = std::max(slots, now.back());
    }
  }
  for (const auto& [warp, n] : lanes)
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      std::uint64_t began = 0;
      bool first = false;
      for (std::size_t i = 0; i < records.size(); ++i) {
        const auto& r = records[i];
        if (r.kind == trace_kind::started) {
          began = now[i];
          first = true;
        }
        const bool mine = r.warp == warp && r.lanes.test(lane);
        if (r.kind == trace_kind::issued && r.warp == warp) {
          if (first && r.live.test(lane)) {  // to its exit, the next start or the end
            std::uint64_t end = slots;
            for (std::size_t k = i; k < records.size(); ++k) {
              const bool exits =
                  records[k].kind == trace_kind::exited && records[k].warp == warp && records[k].lanes.test(lane);
              if (!exits && records[k].kind != trace_kind::started) continue;
              end = now[k];
              break;
            }
            lives.push_back({warp, lane, began, end, idle});
          }
          first = false;
          if (mine) runs.push_back({warp, lane, now[i], now[i] + r.weight, r.block});
        }
        if (r.kind == trace_kind::waits &&
            mine) {  // to the first of: the barrier opens, it runs, it exits, another start
          std::uint64_t end = slots;
          for (std::size_t k = i + 1; k < records.size(); ++k) {
            const auto& s = records[k];
            const bool own =
                s.warp == warp && s.lanes.test(lane) && (s.kind == trace_kind::issued || s.kind == trace_kind::exited);
            if (!own && s.kind != trace_kind::started && !(s.kind == trace_kind::released && s.value == r.value))
              continue;
            end = now[k];
            break;
          }
          waiting.push_back({warp, lane, now[i], end, waits});
        }
      }
    }
  std::map<std::uint32_t, std::uint32_t> first_row;
  std::uint32_t rows = 0;
  bands.clear();
  for (const auto& [warp, n] : lanes) {
    first_row[warp] = rows;
    rows += n;
    bands.push_back(n);
  }
  grid all(rows, std::vector<std::uint32_t>(slots, blank));
  for (const auto* layer : {&lives, &waiting, &runs})
    for (const interval& i : *layer)
      for (std::uint64_t s = i.begin; s < i.end && s < slots; ++s) all[first_row[i.warp] + i.lane][s] = i.what;
  // Idle lanes are not scheduled where no group issues that has its first lane in their static warp.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>> issues;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& r = records[i];
    if (r.kind != trace_kind::issued) continue;
    std::uint32_t first = 0;
    while (first < Mask::capacity && !r.lanes.test(first)) ++first;
    if (first == Mask::capacity) continue;
    std::vector<bool>& busy = issues[{r.warp, width == 0 ? 0 : first / width}];
    busy.resize(slots, false);
    for (std::uint64_t s = now[i]; s < now[i] + r.weight; ++s) busy[s] = true;
  }
  for (const auto& [warp, n] : lanes)
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      std::vector<bool>& busy = issues[{warp, width == 0 ? 0 : lane / width}];
      busy.resize(slots, false);
      for (std::uint64_t s = 0; s < slots; ++s)
        if (std::uint32_t& cell = all[first_row[warp] + lane][s]; cell == idle && !busy[s]) cell = turn;
    }
  return all;
}

grid in_columns(const grid& exact, std::uint64_t k) {
  grid all;
  for (const auto& row : exact) {
    all.emplace_back();
    for (std::size_t from = 0; from < row.size(); from += k) {
      std::vector<std::pair<std::uint32_t, std::uint64_t>> amounts;  // in the order of the slots
      std::uint64_t ran = 0, other = 0;
      for (std::size_t s = from; s < from + k; ++s) {
        const std::uint32_t what = s < row.size() ? row[s] : blank;
        if (what == blank) continue;
        (what < blank ? ran : other) += 1;
        bool known = false;
        for (auto& a : amounts)
          if (a.first == what) {
            ++a.second;
            known = true;
          }
        if (!known) amounts.emplace_back(what, 1);
      }
      std::uint32_t most = blank;
      std::uint64_t times = 0;
      for (const auto& [what, n] : amounts)
        if ((what < blank) == (ran != 0) && n > times) {
          most = what;
          times = n;
        }
      all.back().push_back(ran == 0 && 2 * other < k ? blank : most);
    }
  }
  return all;
}

void compare(const grid& shown, const grid& expected, const std::string& what) {
  CAPTURE(what);
  REQUIRE(shown.size() == expected.size());
  for (std::size_t r = 0; r < shown.size(); ++r)
    for (std::size_t c = 0; c < expected[r].size(); ++c)
      if (shown[r][c] != expected[r][c])
        FAIL("row " << r << ", column " << c << ": " << shown[r][c] << " shown, " << expected[r][c] << " happened");
}

template <class Mask>
std::vector<basic_trace_record<Mask>> copied(const basic_event_trace<Mask>& t) {
  return {t.records().begin(), t.records().end()};
}

// Any events in any order that a machine could report.
event_trace random_events(std::mt19937& random, std::uint32_t warps, std::uint32_t width, int records) {
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  event_trace trace;
  std::vector<lane_mask> live, waiting;
  const auto start = [&] {
    trace(event::started{warps * width, width, warps});
    live.assign(warps, lane_mask::first_lanes(width));
    waiting.assign(warps, lane_mask());
  };
  start();
  const auto some = [&](const lane_mask& of) {
    lane_mask m;
    of.for_each([&](std::uint32_t l) {
      if (below(2) == 0) m.set(l);
    });
    return m;
  };
  std::uint64_t step = 0;
  for (int i = 0; i < records; ++i) {
    const std::uint32_t w = below(warps);
    const lane_mask ran = some(live[w] - waiting[w]);
    if (ran.none()) {
      trace(event::released{step, 0, below(2)});
      if (below(3) == 0)
        for (lane_mask& m : waiting) m = {};  // the next block shows that they go on
      if (live[w].none() && below(4) == 0) start();
      continue;
    }
    trace(
        event::issued<lane_mask>{step++, w, w * width, width, below(num_block_colours), below(6), ran, live[w], 1, 1});
    if (below(3) == 0) {
      const lane_mask stop = some(ran);
      if (stop.any()) trace(event::waits<lane_mask>{step, w, 0, stop, below(2)});
      waiting[w] |= stop;
    } else if (below(8) == 0) {
      const lane_mask gone = some(ran);
      if (gone.any()) trace(event::exited<lane_mask>{step, w, 0, gone});
      live[w] -= gone;
    }
    if (below(12) == 0) trace(event::released{step, 0, below(2)});
    if (below(300) == 0) start();
  }
  if (below(2) == 0) trace(event::ended{step, 0});
  return trace;
}

}  // namespace

TEST_CASE("svg_timeline: the picture shows what random events say, slot by slot") {
  std::size_t aggregated = 0, dotted = 0, dashed = 0, cut = 0;
  for (std::uint32_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::uint32_t warps = 1 + seed % 3,
                        width = 1 + static_cast<std::uint32_t>(random() % (seed % 7 == 0 ? 64 : 8));
    const int records = seed % 10 == 0 ? 3000 : 40;
    timeline_style style{.title = "seed", .clock = seed % 2 == 0 ? timeline_clock::shared : timeline_clock::each_warp};
    svg_timeline picture(style);
    std::vector<std::vector<std::uint32_t>> bands(2);
    std::vector<std::uint64_t> slots(2);
    std::vector<grid> expected;
    for (std::size_t p = 0; p < 2; ++p) {
      const event_trace trace = random_events(random, warps, width, records / (p == 0 ? 1 : 2));
      const std::uint32_t home = seed % 5 < 2 ? 0 : seed % 5;
      expected.push_back(painted(copied(trace), style.clock, bands[p], slots[p], home));
      picture.add({.title = "panel", .note = "note", .warp_width = home, .bad_end = p == 0 ? "" : "deadlock"}, trace);
      if (p == 1 || slots[0] == 0) continue;
      // A piece of it.
      timeline_style part = style;
      part.first_slot = random() % slots[0];
      part.end_slot = part.first_slot + 1 + random() % 60;
      svg_timeline piece(part);
      piece.add({.title = "piece", .warp_width = home, .bad_end = "livelock"}, trace);
      const std::uint64_t end = std::min(part.end_slot, slots[0]);
      grid cropped;
      for (const auto& row : expected[0])
        cropped.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(part.first_slot),
                             row.begin() + static_cast<std::ptrdiff_t>(end));
      CHECK(piece.num_slots() == end - part.first_slot);
      const std::string text = piece.text();
      compare(read_back(text, {bands[0]}, {end - part.first_slot}, 1)[0], cropped, text);
      CHECK(count(text, "class=\"bad-end\"") == (end == slots[0] ? 1 : 0));
      cut += end != slots[0] ? 1 : 0;
    }
    CHECK(picture.num_slots() == std::max(slots[0], slots[1]));
    const std::uint64_t k = picture.slots_per_column();
    const std::string svg = picture.text();
    CHECK(picture.text() == svg);
    CHECK((k == 1) == (picture.num_slots() <= 878));
    aggregated += k != 1 ? 1 : 0;
    dotted += count(svg, "class=\"waits\"") != 0 ? 1 : 0;
    dashed += count(svg, "class=\"turn\"") != 0 ? 1 : 0;
    CHECK(count(svg, "class=\"bad-end\"") == (slots[1] == 0 ? 0 : 1));
    const auto shown = read_back(svg, bands, slots, k);
    for (std::size_t p = 0; p < 2; ++p) compare(shown[p], k == 1 ? expected[p] : in_columns(expected[p], k), svg);
    CHECK((count(svg, "A column is ") == 1) == (k != 1));
  }
  CHECK(aggregated > 5);
  CHECK(dotted > 20);
  CHECK(dashed > 20);
  CHECK(cut > 20);
}

TEST_CASE("svg_timeline: runs of the executor, two policies on one scale") {
  const std::vector<std::vector<int>> cfg{{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}};
  const auto pdom = post_dominators(cfg);
  const auto order = loop_contiguous_order(cfg);
  const auto thread = [&cfg](unsigned lane, unsigned block) {
    return block == 5 ? no_block : block_id(cfg[block][block < 4 ? (lane >> block) % 2 : 0]);
  };
  event_trace stack, frontier;
  CHECK(run(policies::ipdom_stack(pdom.ipdoms()), thread, {.threads = 40}, stack).finished());
  CHECK(run(policies::thread_frontier(order.ranks()), thread, {.threads = 40}, frontier).finished());
  svg_timeline picture({.title = "figure 1"});
  picture.add({.title = "pdom", .note = "slow"}, stack);
  picture.add({.title = "tf"}, frontier);
  const std::string svg = picture.text();
  std::vector<std::vector<std::uint32_t>> bands(2);
  std::vector<std::uint64_t> slots(2);
  const std::vector<grid> expected{painted(copied(stack), timeline_clock::each_warp, bands[0], slots[0]),
                                   painted(copied(frontier), timeline_clock::each_warp, bands[1], slots[1])};
  CHECK(bands[0] == std::vector<std::uint32_t>{32, 8});
  const auto shown = read_back(svg, bands, slots, 1);
  compare(shown[0], expected[0], svg);
  compare(shown[1], expected[1], svg);

  std::size_t issued = 0;
  for (const auto* trace : {&stack, &frontier})
    for (const auto& r : trace->records()) issued += r.kind == trace_kind::issued ? 1 : 0;
  CHECK(count(svg, "<path class=\"run\"") == issued);
  CHECK(count(svg, "<g class=\"panel\">") == 2);
  CHECK(count(svg, "class=\"legend\"") == 7);  // six blocks, idle
  CHECK(count(svg, "<title>BB0: slots 0 to 0, 32 of 32</title>") == 2);
  CHECK(count(svg, ">warp 1</text>") == 2);
  CHECK(count(svg, ">warp 0</text>") == 2);
  CHECK(count(svg, ">slow</tspan>") == 1);
  // The same scale: the run of n slots has a frame of n columns.
  std::vector<double> widths;
  for (const tag& t : read_xml(svg))
    if (t.name == "rect" && t.attributes.count("class") != 0 && t.attributes.at("class") == "frame")
      widths.push_back(std::stod(t.attributes.at("width")));
  REQUIRE(widths.size() == 4);
  CHECK(widths[0] / static_cast<double>(slots[0]) == doctest::Approx(widths[2] / static_cast<double>(slots[1])));
}

TEST_CASE("svg_timeline: names and titles are escaped, whatever they hold") {
  event_trace trace;
  trace(event::started{2, 2, 1});
  for (block_id b = 0; b < 3; ++b) trace(event::issued<lane_mask>{b, 0, 0, 2, b, 20, lane_mask(3), lane_mask(3), 1, 1});
  svg_timeline picture({.title = "a<b> & \"c\" 'd'"});
  picture.add({.title = "<policy>", .note = "x & y\x01"}, trace);
  const std::vector<std::string> names{"<B0>", "two\nlines",
                                       "\xC3\xA9\xFF\xED\xA0\x80\xEF\xBF\xBF\xF0\x9F\x98\x80\xC3"};
  const std::string svg = picture.text([&](block_id b) { return names[b]; });
  std::set<std::string> texts;
  for (const tag& t : read_xml(svg)) texts.insert(t.text);
  CHECK(texts.count("a<b> & \"c\" 'd'") == 1);
  CHECK(texts.count("<policy>") == 1);
  CHECK(texts.count("x & y ") == 1);
  CHECK(texts.count("<B0>") == 1);
  CHECK(texts.count("two lines") == 1);
  CHECK(texts.count("\xC3\xA9????"
                    "???\xF0\x9F\x98\x80?") == 1);
}

TEST_CASE("svg_timeline: where a name has no room its first word stands") {
  event_trace trace;
  trace(event::started{2, 2, 1});
  trace(event::issued<lane_mask>{0, 0, 0, 2, 6, 12, lane_mask(3), lane_mask(3), 1, 1});
  trace(event::issued<lane_mask>{1, 0, 0, 2, 7, 218, lane_mask(3), lane_mask(3), 1, 1});
  svg_timeline picture;
  picture.add({.title = "tf"}, trace);
  const std::string svg = picture.text([](block_id b) { return block_name(b, b == 6 ? "$L__BB0_6" : "$L__BB0_7"); });
  CHECK(count(svg, "class=\"name\" fill=\"#ffffff\">BB6</text>") + count(svg, "class=\"name\">BB6</text>") == 1);
  CHECK(count(svg, ">BB6 $L__BB0_6</text>") == 1);  // in the legend
  CHECK(count(svg, ">BB7 $L__BB0_7</text>") == 2);  // in the run as well
}

TEST_CASE("svg_timeline: nothing, and nearly nothing") {
  svg_timeline picture;
  CHECK(picture.num_slots() == 0);
  CHECK(picture.slots_per_column() == 1);
  read_xml(picture.text());
  event_trace none, started;
  started(event::started{4, 4, 1});
  picture.add({.title = "none"}, none);
  picture.add({.title = "started"}, started);
  event_trace weightless;
  weightless(event::started{4, 4, 1});
  weightless(event::issued<lane_mask>{0, 0, 0, 4, 7, 0, lane_mask(15), lane_mask(15), 1, 1});
  picture.add({.title = "weightless"}, weightless);
  const std::string svg = picture.text();
  read_xml(svg);
  CHECK(count(svg, "<g class=\"panel\">") == 3);
  CHECK(count(svg, "class=\"run\"") == 0);
  CHECK(count(svg, "class=\"legend\"") == 0);
}

TEST_CASE("svg_timeline: lanes with a false guard are striped, at the slot of the instruction") {
  event_trace trace;
  trace(event::started{4, 4, 1});
  trace(event::issued<lane_mask>{0, 0, 0, 4, 7, 5, lane_mask(15), lane_mask(15), 1, 1});
  trace(event::predicated_off<lane_mask>{0, 0, 7, 1, lane_mask(4)});
  trace(event::predicated_off<lane_mask>{0, 0, 7, 3, lane_mask(11)});
  trace(event::issued<lane_mask>{1, 0, 0, 4, 8, 2, lane_mask(15), lane_mask(15), 1, 1});
  REQUIRE(trace.records().size() == 5);
  CHECK(trace.records()[3].kind == trace_kind::predicated_off);
  CHECK(trace.records()[3].time == 3);
  CHECK(trace.records()[3].value == 3);
  CHECK(trace.records()[4].time == 5);
  svg_timeline picture;
  picture.add({.title = "guarded"}, trace);
  const std::string svg = picture.text();
  read_xml(svg);
  const std::size_t at = svg.find("<path class=\"off\"");
  REQUIRE(at != std::string::npos);
  CHECK(count(svg.substr(at, svg.find("/>", at) - at), "M") == 4);  // lane 2 once, lanes 0, 1 and 3 once
  CHECK(count(svg, ">predicated off</text>") == 1);
  svg_timeline narrow({.width = 150});  // columns of several slots: said in words
  for (block_id b = 0; b < 100; ++b)
    trace(event::issued<lane_mask>{2 + b, 0, 0, 4, b, 5, lane_mask(15), lane_mask(15), 1, 1});
  narrow.add({.title = "guarded"}, trace);
  CHECK(count(narrow.text(), "4 predicated-off instructions") == 1);
  CHECK(count(narrow.text(), "class=\"off\"") == 0);
}

TEST_CASE("svg_timeline: many lanes, many blocks, limits that are said") {
  using mask = basic_mask<16>;
  basic_event_trace<mask> trace;
  trace(event::started{1024, 1024, 1});
  for (block_id b = 0; b < 100; ++b)
    trace(event::issued<mask>{b, 0, 0, 1024, b, 1, mask::first_lanes(1024 - b), mask::first_lanes(1024), 1, 1});
  svg_timeline picture({.rows = 1000, .legend = 10});
  picture.add({.title = "wide", .rows = "threads"}, trace);
  const std::string svg = picture.text();
  read_xml(svg);
  CHECK(count(svg, "class=\"run\"") == 100);
  CHECK(count(svg, ">24 more rows are left out.<") == 1);
  CHECK(count(svg, ">and 90 more blocks<") == 1);
  CHECK(count(svg, "class=\"legend\"") == 11);
  CHECK(count(svg, ">threads</text>") == 1);
  svg_timeline plain({.tooltips = false});
  plain.add({.title = "plain"}, trace);
  CHECK(count(plain.text(), "<title>") == 1);

  // Two runs of very different length keep one scale, and numbers of any size have ticks.
  basic_event_trace<mask> longer;
  longer(event::started{1, 1, 1});
  for (std::uint64_t i = 0; i < 1000; ++i)
    longer(event::issued<mask>{i, 0, 0, 1, 3, 4'000'000'000U, mask::first_lanes(1), mask::first_lanes(1), 1, 1});
  picture.add({.title = "long"}, longer);
  CHECK(picture.num_slots() == 4'000'000'000'000U);
  const std::string both_runs = picture.text();
  read_xml(both_runs);
  CHECK(count(both_runs, ">1000000000000</text>") == 1);
  CHECK(both_runs.size() < 100'000);
}

TEST_CASE("svg_timeline: in columns of several slots, colours are the paler the fewer of them a lane ran in") {
  event_trace trace;
  trace(event::started{2, 2, 1});
  for (std::uint64_t i = 0; i < 1000; ++i) {  // 8000 slots, 19 to a column: lane 0 runs in all, lane 1 in a quarter
    trace(event::issued<lane_mask>{i, 0, 0, 2, 0, 6, lane_mask(1), lane_mask(3), 1, 1});
    trace(event::issued<lane_mask>{i, 0, 0, 2, 0, 2, lane_mask(3), lane_mask(3), 1, 1});
  }
  svg_timeline picture;
  picture.add({.title = "pale"}, trace);
  CHECK(picture.slots_per_column() == 19);
  const std::string svg = picture.text();
  CHECK(count(svg, "<path class=\"most\" fill=\"#88ccee\" d=") == 1);
  CHECK(count(svg, "<path class=\"most\" fill=\"#88ccee\" fill-opacity=\"0.33\" d=") == 1);
  CHECK(count(svg, "<path class=\"most\" fill=\"#88ccee\" fill-opacity=\"0.55\" d=") == 1);
  CHECK(count(svg, "class=\"most\"") == 3);
}

TEST_CASE("svg_timeline: colours of blocks") {
  std::set<std::string> all;
  for (block_id b = 0; b < num_block_colours; ++b) all.insert(to_string(block_colour(b)));
  CHECK(all.size() == num_block_colours);
  CHECK(block_colour(num_block_colours) == block_colour(0));
  CHECK(to_string(block_colour(0)) == "#88ccee");
  CHECK(to_string(block_colour(1)) == "#332288");
  CHECK(to_string(block_colour(10)) == "#9991c4");
  CHECK(to_string(block_colour(no_block)) == "#dddddd");
  static_assert(block_colour(0).is_light() && !block_colour(1).is_light());
  // Black or white text has a contrast of at least 3 on each (WCAG 2.1, large text), by the exact formula.
  const auto linear = [](unsigned char part) {
    const double c = part / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  for (block_id b = 0; b < num_block_colours; ++b) {
    const rgb_colour c = block_colour(b);
    const double light = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    CHECK((c.is_light() ? (light + 0.05) / 0.05 : 1.05 / (light + 0.05)) >= 4);
  }
}

TEST_CASE("svg_timeline: coordinates have two decimals at most") {
  const auto text = [](double x) {
    std::string out;
    detail::append_coordinate(out, x);
    return out;
  };
  CHECK(text(0) == "0");
  CHECK(text(-0.001) == "0");
  CHECK(text(1.5) == "1.5");
  CHECK(text(12.344) == "12.34");
  CHECK(text(0.05) == "0.05");
  CHECK(text(-3.999) == "-4");
  CHECK(text(1e9) == "1000000000");
}
