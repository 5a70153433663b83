// SPDX-License-Identifier: BSL-1.0
//
// Recorded runs (simt/observers/event_trace.hpp) as one SVG picture: the schedule figures of the papers. A row for each
// lane, time to the right in issue slots (instructions of a warp); every executed block in its colour
// (io/block_colours.hpp), hatched where a lane is live but idle, with dark stripes where the guard of its instruction
// is false; dotted where a lane waits at a barrier, blank where it has ended. Several runs share one scale:
//
//   svg_timeline picture({.title = "mandelbrot"});
//   picture.add({.title = "pdom"}, stack_trace);
//   picture.add({.title = "tf"}, frontier_trace);
//   std::puts(picture.text([](block_id b) { return names[b]; }).c_str());
//
// A run with more issue slots than the picture has points is drawn in columns of several slots, in the colour of the
// block that the lane ran most, and paler the fewer slots the lane ran in. Such columns have no stripes for false
// guards; the picture says so. The same runs
// always give the same text.
//
// Format: W3C, Scalable Vector Graphics (SVG) 1.1, second edition; presentation attributes only, no scripts, no style
// sheets, nothing from outside, so that every program that reads SVG shows it.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/detail/xml.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What an issue slot is.
enum class timeline_clock : unsigned char {
  each_warp,  ///< every warp has slots of its own, as if all ran side by side; after a barrier they go on together
  shared      ///< one slot issues one instruction of one warp: the order in which the executor ran them
};

/// The words of one run in the picture.
struct timeline_panel {
  std::string title;           ///< the policy, for instance
  std::string note = {};       ///< behind it, in plain type
  std::string rows = "lanes";  ///< what the rows are; "threads" under a policy that forms warps anew
  std::string group = "warp";  ///< what a run with several instances of the policy has several of
};

/// The picture as a whole.
struct timeline_style {
  std::string title = {};                            ///< above all; none if empty
  std::string axis = "issue slots";                  ///< below the axis
  timeline_clock clock = timeline_clock::each_warp;  ///< what it counts
  double width = 960;                                ///< at most, in points
  double widest_slot = 26;                           ///< short runs make the picture narrower and do not stretch
  bool tooltips = true;                              ///< every executed block says what it is when pointed at
  std::size_t rows = 2048;  ///< at most in one run; what is below is left out and the picture says so
  std::size_t legend = 54;  ///< blocks named in the legend at most
};

/// Collects runs and draws them.
class svg_timeline {
 public:
  /// A picture without runs. \pre width and widest_slot are positive.
  explicit svg_timeline(timeline_style style = {}) : style_(std::move(style)) {
    SIMTFLOW_EXPECTS(style_.width > 0 && style_.widest_slot > 0, "a picture has a width, and so has a slot");
  }

  /// Adds a run below those before. A lane is live from the start of its thread block until it exits; one that never
  /// does (the run was given up) is live to the end of the run. Blocks without instructions take no slot and are not
  /// seen. If several thread blocks run at the same time, a barrier of one ends the waiting of all at that number.
  /// Linear in the records times the lanes of a warp.
  template <class Mask>
  void add(timeline_panel words, std::span<const basic_trace_record<Mask>> records);
  /// The same.
  template <class Mask>
  void add(timeline_panel words, const basic_event_trace<Mask>& trace) {
    add<Mask>(std::move(words), trace.records());
  }

  /// Issue slots of the longest run.
  [[nodiscard]] std::uint64_t num_slots() const {
    std::uint64_t most = 0;
    for (const panel& p : panels_) most = p.num_slots > most ? p.num_slots : most;
    return most;
  }

  /// Issue slots in one column of the picture: 1 unless the runs are too long for its width.
  [[nodiscard]] std::uint64_t slots_per_column() const {
    const std::uint64_t all = num_slots();
    const double room = plot_width();
    if (static_cast<double>(all) <= room) return 1;
    const std::uint64_t columns = static_cast<std::uint64_t>(room / 2);
    return (all + columns - 1) / columns;
  }

  /// The picture as SVG text. `name(block)` names a block, in any characters. The legend has the names; the runs have
  /// the name or its first word where it fits ("BB6" of "BB6 $L__BB0_6"). Linear in the executed blocks times lanes.
  template <class Name>
    requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
  [[nodiscard]] std::string text(Name&& name) const {
    std::map<block_id, std::string> names;
    for (const panel& p : panels_)
      for (const fetch& f : p.fetches)
        if (!names.contains(f.block)) names[f.block] = std::string(name(f.block));
    return drawn(names);
  }

  /// The same, blocks named BB0, BB1, ...
  [[nodiscard]] std::string text() const {
    return text([](block_id b) { return block_name(b); });
  }

 private:
  // What a lane does in a stretch of time: runs a block, or one of these.
  static constexpr std::uint32_t idle = 0xFFFF'FFFEU, waits = 0xFFFF'FFFDU, off = 0xFFFF'FFFCU;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  struct stretch {
    std::uint64_t begin, end;
    std::uint32_t what;
  };
  struct row_range {
    std::uint32_t first, last;
  };
  struct fetch {
    std::uint64_t begin, end;
    block_id block;
    std::size_t first_range, num_ranges;  // rows that run it
    std::uint32_t lanes, live;
  };
  struct guarded {  // an instruction that does nothing in a row
    std::uint64_t slot;
    std::uint32_t row;
  };
  struct band {  // the rows of one instance of the policy
    std::uint32_t number, first_row, rows;
  };
  struct panel {
    timeline_panel words;
    std::vector<band> bands{};
    std::vector<std::uint32_t> band_of_row{};
    std::vector<std::vector<stretch>> rows{};  // in time, without gaps while the lane is live
    std::vector<fetch> fetches{};
    std::vector<row_range> ranges{};
    std::vector<guarded> off{};
    std::vector<std::uint64_t> starts{};  // of the thread blocks after the first
    std::uint64_t num_slots = 0;
    std::uint64_t rows_left_out = 0;
  };

  // A lane while its run is read.
  struct lane_state {
    bool live = false, waiting = false;
    std::uint64_t since = 0;  // what is before is written
    std::uint64_t opened = never;
    std::uint64_t barrier = 0;
  };

  static void write(std::vector<stretch>& row, std::uint64_t begin, std::uint64_t end, std::uint32_t what) {
    if (begin >= end) return;
    if (!row.empty() && row.back().end == begin && row.back().what == what && what >= waits)
      row.back().end = end;
    else
      row.push_back({begin, end, what});
  }
  static void write_until(std::vector<stretch>& row, lane_state& lane, std::uint64_t now) {
    if (!lane.live || now < lane.since) return;
    const std::uint64_t opened = !lane.waiting ? lane.since : lane.opened < now ? lane.opened : now;
    write(row, lane.since, opened, waits);
    write(row, opened, now, idle);
    lane.since = now;
  }

  // A rectangle in columns and rows; `last` is a row that belongs to it. The strength, 1 to 4, says in how many
  // quarters of its slots the lane ran.
  struct cell {
    std::uint64_t begin, end;
    std::uint32_t what, strength, first, last;
    [[nodiscard]] bool is_like(const cell& o) const { return what == o.what && strength == o.strength; }
  };
  static constexpr std::uint32_t strengths = 4;

  [[nodiscard]] double plot_width() const {
    return style_.width - left - right > 64 ? style_.width - left - right : 64;
  }
  [[nodiscard]] double row_height() const {
    std::size_t most = 1;
    for (const panel& p : panels_) most = p.rows.size() > most ? p.rows.size() : most;
    return most <= 4 ? 20 : most <= 8 ? 16 : most <= 16 ? 13 : most <= 32 ? 10 : most <= 64 ? 6 : most <= 128 ? 4 : 2;
  }
  static constexpr double left = 64, right = 18, band_gap = 5;

  // The coordinates of a panel.
  struct place {
    double top, height_of_row, per_column;
    [[nodiscard]] double x(std::uint64_t column) const { return left + per_column * static_cast<double>(column); }
    [[nodiscard]] double y(const panel& p, std::uint32_t row) const {
      return top + height_of_row * row + band_gap * p.band_of_row[row];
    }
    [[nodiscard]] double bottom(const panel& p) const {
      return p.rows.empty() ? top : y(p, static_cast<std::uint32_t>(p.rows.size() - 1)) + height_of_row;
    }
  };

  static void append_text(std::string& out, double x, double y, double size, std::string_view more,
                          std::string_view text) {
    out += "<text";
    detail::append_attribute(out, "x", x);
    detail::append_attribute(out, "y", y);
    detail::append_attribute(out, "font-size", size);
    out += more;
    out += '>';
    detail::append_xml(out, text);
    out += "</text>\n";
  }

  static void append_box(std::string& path, double x, double y, double width, double height) {
    path += 'M';
    detail::append_coordinate(path, x);
    path += ' ';
    detail::append_coordinate(path, y);
    path += 'h';
    detail::append_coordinate(path, width);
    path += 'v';
    detail::append_coordinate(path, height);
    path += 'h';
    detail::append_coordinate(path, -width);
    path += 'z';
  }

  static std::string fill_of(std::uint32_t what) {
    return what == idle    ? std::string("url(#idle)")
           : what == waits ? std::string("url(#waits)")
           : what == off   ? std::string("url(#off)")
                           : to_string(block_colour(what));
  }

  // The row in columns of k slots: the block that it ran most, else what it did most. Neighbours that are alike are one
  // cell. Exact pictures draw executed blocks on their own, and here only the rest.
  static void cells_of(const panel& p, std::uint32_t row, std::uint64_t k, std::vector<cell>& cells) {
    cells.clear();
    const auto add = [&cells](const cell& c) {
      if (!cells.empty() && cells.back().end == c.begin && cells.back().is_like(c))
        cells.back().end = c.end;
      else
        cells.push_back(c);
    };
    const std::vector<stretch>& all = p.rows[row];
    if (k == 1) {
      for (const stretch& s : all)
        if (s.what >= waits) add({s.begin, s.end, s.what, strengths, row, row});
      return;
    }
    std::vector<std::pair<std::uint32_t, std::uint64_t>> amounts;  // what, slots of it in the column
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
        (all[i].what < waits ? ran : other) += run;
      }
      const std::pair<std::uint32_t, std::uint64_t>* most = nullptr;
      for (const auto& a : amounts)
        if ((ran == 0 || a.first < waits) && (most == nullptr || a.second > most->second)) most = &a;
      if (most == nullptr || (ran == 0 && 2 * other < k)) continue;
      const std::uint64_t quarters = ran == 0 ? strengths : (ran * strengths + k - 1) / k;
      add({column, column + 1, most->first, static_cast<std::uint32_t>(quarters), row, row});
    }
  }

  [[nodiscard]] std::string drawn(const std::map<block_id, std::string>& names) const;

  timeline_style style_;
  std::vector<panel> panels_;
};

template <class Mask>
inline void svg_timeline::add(timeline_panel words, std::span<const basic_trace_record<Mask>> records) {
  panel p{std::move(words)};
  std::vector<std::uint32_t> lanes;  // by warp: lanes that it ever has
  for (const basic_trace_record<Mask>& r : records) {
    if (r.kind != trace_kind::issued) continue;
    if (r.warp >= lanes.size()) lanes.resize(r.warp + std::size_t{1}, 0);
    const Mask all = r.live | r.lanes;
    for (std::uint32_t lane = lanes[r.warp]; lane < Mask::capacity; ++lane)
      if (all.test(lane)) lanes[r.warp] = lane + 1;
  }
  std::vector<std::size_t> band_of(lanes.size());  // by warp; those that do not fit: one behind the last
  std::size_t total = 0;
  for (std::size_t w = 0; w < lanes.size(); ++w) {
    if (total + lanes[w] > style_.rows) {
      const std::size_t room = style_.rows - total;
      p.rows_left_out += lanes[w] - room;
      lanes[w] = static_cast<std::uint32_t>(room);
    }
    band_of[w] = p.bands.size();
    p.band_of_row.insert(p.band_of_row.end(), lanes[w], static_cast<std::uint32_t>(p.bands.size()));
    if (lanes[w] != 0) p.bands.push_back({static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(total), lanes[w]});
    total += lanes[w];
  }
  p.rows.resize(total);

  std::vector<lane_state> state(total);
  std::vector<unsigned char> begun(lanes.size(), 0);  // in this thread block
  std::uint64_t clock = 0, began = 0, issued_at = 0;  // the block issued last
  const auto for_each_row = [&](const basic_trace_record<Mask>& r, const Mask& mask, auto&& f) {
    if (r.warp >= lanes.size() || lanes[r.warp] == 0) return;
    const band& b = p.bands[band_of[r.warp]];
    mask.for_each([&](std::uint32_t lane) {
      if (lane < b.rows) f(b.first_row + lane);
    });
  };
  for (const basic_trace_record<Mask>& r : records) {
    const std::uint64_t now = style_.clock == timeline_clock::each_warp ? r.time : clock;
    switch (r.kind) {
      case trace_kind::started:
        for (std::size_t row = 0; row < total; ++row) {
          write_until(p.rows[row], state[row], now);
          state[row] = {};
        }
        begun.assign(lanes.size(), 0);
        began = now;
        if (now != 0) p.starts.push_back(now);
        break;
      case trace_kind::issued: {
        const std::uint64_t end = now + r.weight;
        issued_at = now;
        if (begun[r.warp] == 0)
          for_each_row(r, r.live | r.lanes, [&](std::uint32_t row) {
            state[row].live = true;
            state[row].since = began;
          });
        begun[r.warp] = 1;
        const std::uint32_t number = static_cast<std::uint32_t>(p.fetches.size());
        fetch f{now, end, r.block, p.ranges.size(), 0, r.lanes.count(), r.live.count()};
        for_each_row(r, r.lanes, [&](std::uint32_t row) {
          lane_state& lane = state[row];
          write_until(p.rows[row], lane, now);
          lane.live = true;
          lane.waiting = false;
          lane.since = end;
          write(p.rows[row], now, end, number);
          if (f.num_ranges != 0 && p.ranges.back().last + 1 == row) {
            p.ranges.back().last = row;
          } else {
            p.ranges.push_back({row, row});
            ++f.num_ranges;
          }
        });
        if (r.weight != 0) p.fetches.push_back(f);
        clock = end > clock ? end : clock;
        if (end > p.num_slots) p.num_slots = end;
        break;
      }
      case trace_kind::exited:
        if (now > p.num_slots) p.num_slots = now;
        for_each_row(r, r.lanes, [&](std::uint32_t row) {
          write_until(p.rows[row], state[row], now);
          state[row] = {};
        });
        break;
      case trace_kind::waits:
        for_each_row(r, r.lanes, [&](std::uint32_t row) {
          write_until(p.rows[row], state[row], now);
          state[row].waiting = true;
          state[row].opened = never;
          state[row].barrier = r.value;
        });
        break;
      case trace_kind::released:
        for (lane_state& lane : state)
          if (lane.waiting && lane.opened == never && lane.barrier == r.value) lane.opened = now;
        break;
      case trace_kind::predicated_off:
        for_each_row(r, r.lanes, [&](std::uint32_t row) { p.off.push_back({issued_at + r.value, row}); });
        break;
      case trace_kind::diverged:
      case trace_kind::ended:
        break;
    }
  }
  for (std::size_t row = 0; row < total; ++row) write_until(p.rows[row], state[row], p.num_slots);
  for (std::vector<stretch>& row : p.rows)  // fetches become blocks
    for (stretch& s : row)
      if (s.what < waits) s.what = p.fetches[s.what].block;
  panels_.push_back(std::move(p));
}

inline std::string svg_timeline::drawn(const std::map<block_id, std::string>& names) const {
  using detail::append_attribute;
  using detail::append_coordinate;
  const std::uint64_t k = slots_per_column();
  const std::uint64_t columns = (num_slots() + k - 1) / k;
  const double per_column = columns == 0 ? style_.widest_slot
                            : plot_width() / static_cast<double>(columns) < style_.widest_slot
                                ? plot_width() / static_cast<double>(columns)
                                : style_.widest_slot;
  const double plot = per_column * static_cast<double>(columns);
  const double height = row_height();
  const auto edge_of = [k](std::uint64_t slot) { return (slot + k - 1) / k; };

  // Everything is as wide as its widest line, but not wider than asked for.
  double wide = left + plot + right;
  const auto widen = [&](double to) { wide = to > wide ? to : wide; };
  widen(left + detail::text_width(style_.title, 15) + right);
  for (const panel& p : panels_)
    widen(left + detail::text_width(p.words.title, 13) + detail::text_width(p.words.note, 11) + 12 + right);
  widen(360);
  if (wide > style_.width) wide = style_.width;

  std::string body;
  double y = 10;
  if (!style_.title.empty()) {
    y += 16;
    append_text(body, left, y, 15, " font-weight=\"bold\" class=\"title\"", style_.title);
    y += 8;
  }
  bool any_idle = false, any_waits = false, any_off = false;
  std::uint64_t rows_left_out = 0, off_not_shown = 0;
  std::map<block_id, std::uint64_t> seen;  // lanes times slots
  std::vector<cell> cells, above, done;
  for (const panel& p : panels_) {
    rows_left_out += p.rows_left_out;
    off_not_shown += p.off.size();
    y += 16;
    body += "<g class=\"panel\">\n<text";
    append_attribute(body, "x", left);
    append_attribute(body, "y", y);
    body += " font-size=\"13\"><tspan font-weight=\"bold\">";
    detail::append_xml(body, p.words.title);
    body += "</tspan>";
    if (!p.words.note.empty()) {
      body += "<tspan dx=\"10\" font-size=\"11\" fill=\"#555555\">";
      detail::append_xml(body, p.words.note);
      body += "</tspan>";
    }
    body += "</text>\n";
    const place at{y + 6, height, per_column};

    // What no block fills, or, in columns of several slots, everything: like neighbours above each other are one box.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> boxes;  // by what and strength
    const auto draw_box = [&](const cell& c) {
      append_box(boxes[{c.what, c.strength}], at.x(c.begin), at.y(p, c.first),
                 per_column * static_cast<double>(c.end - c.begin), height * (c.last - c.first + 1));
    };
    for (const band& b : p.bands) {
      above.clear();
      for (std::uint32_t row = b.first_row; row < b.first_row + b.rows; ++row) {
        cells_of(p, row, k, cells);
        std::size_t i = 0;
        for (cell& c : cells) {
          while (i < above.size() && above[i].begin < c.begin) draw_box(above[i++]);
          if (i < above.size() && above[i].begin == c.begin && above[i].end == c.end && above[i].is_like(c))
            c.first = above[i++].first;
        }
        while (i < above.size()) draw_box(above[i++]);
        above.swap(cells);
      }
      for (const cell& c : above) draw_box(c);
    }
    for (const auto& [key, path] : boxes) {
      const auto& [what, strength] = key;
      any_idle = any_idle || what == idle;
      any_waits = any_waits || what == waits;
      body += what == idle ? "<path class=\"idle\"" : what == waits ? "<path class=\"waits\"" : "<path class=\"most\"";
      body += " fill=\"" + fill_of(what) + '"';
      if (strength != strengths) append_attribute(body, "fill-opacity", 0.1 + 0.225 * strength);
      body += " d=\"" + path + "\"/>\n";
    }

    std::string labels, switched_off;  // above everything
    for (const fetch& f : p.fetches) {
      if (f.num_ranges == 0) continue;
      std::uint64_t lanes = 0;
      for (std::size_t r = f.first_range; r < f.first_range + f.num_ranges; ++r)
        lanes += p.ranges[r].last - p.ranges[r].first + 1;
      seen[f.block] += lanes * (f.end - f.begin);
      if (k != 1) continue;
      const double width = per_column * static_cast<double>(f.end - f.begin);
      const rgb_colour colour = block_colour(f.block);
      std::string path;
      row_range tallest = p.ranges[f.first_range];
      for (std::size_t r = f.first_range; r < f.first_range + f.num_ranges; ++r) {
        const row_range rows = p.ranges[r];
        if (rows.last - rows.first > tallest.last - tallest.first) tallest = rows;
        append_box(path, at.x(f.begin), at.y(p, rows.first), width, at.y(p, rows.last) + height - at.y(p, rows.first));
      }
      body += "<path class=\"run\" fill=\"" + to_string(colour) + "\"";
      if (width >= 4) body += " stroke=\"#ffffff\" stroke-width=\"0.7\"";
      body += " d=\"" + path + '"';
      const std::string& name = names.at(f.block);
      if (style_.tooltips) {
        body += "><title>";
        detail::append_xml(body, name);
        body += ": slots " + std::to_string(f.begin) + " to " + std::to_string(f.end - 1) + ", " +
                std::to_string(f.lanes) + " of " + std::to_string(f.live) + "</title></path>\n";
      } else {
        body += "/>\n";
      }
      const double tall = at.y(p, tallest.last) + height - at.y(p, tallest.first);
      const double size = tall < 12 ? tall * 0.85 : 10;
      const std::uint32_t middle = tallest.first + (tallest.last - tallest.first) / 2;  // not on a line between lanes
      const auto fits = [&](std::string_view words) { return detail::text_width(words, size) + 2 <= width; };
      const std::string_view word =
          fits(name) ? std::string_view(name) : std::string_view(name).substr(0, name.find(' '));
      if (size >= 6.5 && fits(word))
        append_text(labels, at.x(f.begin) + width / 2, at.y(p, middle) + height / 2 + size * 0.36, size,
                    colour.is_light() ? " text-anchor=\"middle\" class=\"name\""
                                      : " text-anchor=\"middle\" class=\"name\" fill=\"#ffffff\"",
                    word);
    }

    if (k == 1)
      for (const guarded& g : p.off) append_box(switched_off, at.x(g.slot), at.y(p, g.row), per_column, height);
    if (!switched_off.empty()) body += "<path class=\"off\" fill=\"url(#off)\" d=\"" + switched_off + "\"/>\n";
    any_off = any_off || !switched_off.empty();

    const std::uint64_t p_columns = edge_of(p.num_slots);
    if (height >= 6) {  // lines between the lanes
      std::string lines;
      for (const band& b : p.bands)
        for (std::uint32_t row = b.first_row + 1; row < b.first_row + b.rows; ++row) {
          lines += 'M';
          append_coordinate(lines, left);
          lines += ' ';
          append_coordinate(lines, at.y(p, row));
          lines += 'h';
          append_coordinate(lines, at.x(p_columns) - left);
        }
      if (!lines.empty())
        body += "<path class=\"lanes\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"0.5\" d=\"" + lines + "\"/>\n";
    }
    body += labels;
    for (const std::uint64_t start : p.starts) {
      body += "<path class=\"start\" stroke=\"#222222\" stroke-dasharray=\"3 2\" d=\"M";
      append_coordinate(body, at.x(edge_of(start)));
      body += ' ';
      append_coordinate(body, at.top - 2);
      body += 'V';
      append_coordinate(body, at.bottom(p) + 2);
      body += "\"/>\n";
    }
    for (const band& b : p.bands) {
      const double top = at.y(p, b.first_row), tall = height * b.rows;
      body += "<rect class=\"frame\"";
      append_attribute(body, "x", left);
      append_attribute(body, "y", top);
      append_attribute(body, "width", at.x(p_columns) - left);
      append_attribute(body, "height", tall);
      body += " fill=\"none\" stroke=\"#666666\" stroke-width=\"0.8\"/>\n";
      std::uint32_t step = 1;  // every so many lanes have their number
      while (step * height < 10 || (b.rows > 8 && step < 4)) step *= 2;
      const double size = height * step < 12 ? 8.5 : 9.5;
      for (std::uint32_t lane = 0; lane < b.rows; lane += step)
        append_text(body, left - 5, at.y(p, b.first_row + lane) + height / 2 + size * 0.36, size,
                    " text-anchor=\"end\" fill=\"#555555\"", std::to_string(lane));
      const std::string label =
          p.bands.size() == 1 && b.number == 0 ? p.words.rows : p.words.group + ' ' + std::to_string(b.number);
      const double middle = top + tall / 2;
      if (detail::text_width(label, 10) <= tall + 10) {
        body += "<text transform=\"translate(";
        append_coordinate(body, left - 34);
        body += ' ';
        append_coordinate(body, middle);
        body += ") rotate(-90)\" text-anchor=\"middle\" font-size=\"10\" fill=\"#555555\">";
        detail::append_xml(body, label);
        body += "</text>\n";
      }
    }
    body += "</g>\n";
    y = at.bottom(p) + 8;
  }

  // The axis: ticks at round numbers of slots.
  if (columns != 0) {
    std::uint64_t step = 1;
    for (std::uint64_t digit = 1; per_column * static_cast<double>(step) / static_cast<double>(k) <
                                  detail::text_width(std::to_string(num_slots()), 10) + 14;) {
      step = step == digit ? 2 * digit : step == 2 * digit ? 5 * digit : 10 * digit;
      if (step == 10 * digit) digit *= 10;
    }
    std::string ticks = "M";
    append_coordinate(ticks, left);
    ticks += ' ';
    append_coordinate(ticks, y);
    ticks += 'h';
    append_coordinate(ticks, plot);
    for (std::uint64_t slot = 0; slot <= num_slots(); slot += step) {
      const double x = left + per_column * static_cast<double>(slot) / static_cast<double>(k);
      ticks += 'M';
      append_coordinate(ticks, x);
      ticks += ' ';
      append_coordinate(ticks, y);
      ticks += "v4";
      append_text(body, x, y + 14, 10, " text-anchor=\"middle\" class=\"tick\"", std::to_string(slot));
    }
    body += "<path class=\"axis\" fill=\"none\" stroke=\"#222222\" stroke-width=\"0.8\" d=\"" + ticks + "\"/>\n";
    y += 28;
    append_text(body, left, y, 10, " fill=\"#555555\"", style_.axis);
    y += 8;
  }

  // The legend.
  std::vector<std::pair<std::uint32_t, std::string>> entries;  // what, name
  for (const auto& [block, slots_of] : seen) entries.emplace_back(block, names.at(block));
  const std::size_t unnamed = entries.size() > style_.legend ? entries.size() - style_.legend : 0;
  entries.resize(entries.size() - unnamed);
  if (any_idle) entries.emplace_back(idle, "idle");
  if (any_off) entries.emplace_back(off, "predicated off");
  if (any_waits) entries.emplace_back(waits, "waits at a barrier");
  double x = left;
  if (!entries.empty()) y += 6;
  for (const auto& [what, name] : entries) {
    const double width = 17 + detail::text_width(name, 10.5) + 12;
    if (x > left && x + width > wide - right + 12) {
      x = left;
      y += 17;
    }
    body += "<rect class=\"legend\"";
    append_attribute(body, "x", x);
    append_attribute(body, "y", y);
    body += " width=\"12\" height=\"12\" stroke=\"#666666\" stroke-width=\"0.5\" fill=\"" + fill_of(what) + "\"/>\n";
    append_text(body, x + 17, y + 10, 10.5, "", name);
    x += width;
  }
  if (!entries.empty()) y += 22;
  const auto remark = [&](const std::string& words) {
    y += 12;
    append_text(body, left, y, 10, " fill=\"#555555\" class=\"remark\"", words);
  };
  if (unnamed != 0) remark("and " + std::to_string(unnamed) + " more blocks");
  if (k != 1)
    remark("A column is " + std::to_string(k) +
           " issue slots: the colour of the block that the lane ran most, the paler the fewer of them it ran in.");
  if (k != 1 && off_not_shown != 0)
    remark(std::to_string(off_not_shown) + " predicated-off instructions of lanes are drawn as executed.");
  if (rows_left_out != 0) remark(std::to_string(rows_left_out) + " more rows are left out.");
  y += 10;

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  append_attribute(out, "width", wide);
  append_attribute(out, "height", y);
  out += " viewBox=\"0 0 ";
  append_coordinate(out, wide);
  out += ' ';
  append_coordinate(out, y);
  out += "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#222222\" role=\"img\">\n<title>";
  detail::append_xml(out, style_.title.empty() ? std::string_view("schedule") : std::string_view(style_.title));
  out +=
      "</title>\n<defs>\n"
      "<pattern id=\"idle\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<rect width=\"5\" height=\"5\" fill=\"#ffffff\"/><rect width=\"1.2\" height=\"5\" fill=\"#b4b4b4\"/></pattern>\n"
      "<pattern id=\"waits\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
      "<rect width=\"5\" height=\"5\" fill=\"#ffffff\"/><circle cx=\"2.5\" cy=\"2.5\" r=\"1.1\" "
      "fill=\"#555555\"/></pattern>\n";
  if (any_off)
    out +=
        "<pattern id=\"off\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<rect width=\"4\" height=\"4\" fill=\"#ffffff\" fill-opacity=\"0.55\"/><rect width=\"1.4\" height=\"4\" "
        "fill=\"#222222\"/></pattern>\n";
  out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  out += body;
  out += "</svg>\n";
  return out;
}

}  // namespace v0
}  // namespace simtflow
