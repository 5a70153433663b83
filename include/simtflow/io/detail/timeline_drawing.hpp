// SPDX-License-Identifier: BSL-1.0
//
// Draws recorded runs below each other: panels, the axis, the legend, remarks, and the SVG document around them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/detail/timeline_cells.hpp>
#include <simtflow/io/detail/timeline_run.hpp>
#include <simtflow/io/detail/xml.hpp>
#include <simtflow/io/timeline_style.hpp>

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

namespace detail {

/// The horizontal scale of a picture: columns of issue slots.
struct timeline_scale {
  static constexpr double left = 64, right = 18;

  timeline_scale(const timeline_style& style, std::span<const timeline_run> runs) {
    for (const timeline_run& r : runs) num_slots = r.num_slots > num_slots ? r.num_slots : num_slots;
    const double room = style.width - left - right > 64 ? style.width - left - right : 64;
    if (static_cast<double>(num_slots) > room) {
      const std::uint64_t most = static_cast<std::uint64_t>(room / 2);
      slots_per_column = (num_slots + most - 1) / most;
    }
    columns = (num_slots + slots_per_column - 1) / slots_per_column;
    const double fits = columns == 0 ? style.widest_slot : room / static_cast<double>(columns);
    per_column = fits < style.widest_slot ? fits : style.widest_slot;
  }

  [[nodiscard]] double x(std::uint64_t column) const { return left + per_column * static_cast<double>(column); }
  [[nodiscard]] std::uint64_t column_of(std::uint64_t slot) const {
    return (slot + slots_per_column - 1) / slots_per_column;
  }

  std::uint64_t num_slots = 0;         // of the longest run
  std::uint64_t slots_per_column = 1;  // 1 unless the runs are too long for the picture
  std::uint64_t columns = 0;
  double per_column = 0;  // points
};

/// Writes one picture. `names` has a name for each block that was executed.
class timeline_drawing {
 public:
  timeline_drawing(const timeline_style& style, std::span<const timeline_run> runs,
                   const std::map<block_id, std::string>& names)
      : style_(style), runs_(runs), names_(names), scale_(style, runs) {
    std::size_t most = 1;
    for (const timeline_run& p : runs_) most = p.rows.size() > most ? p.rows.size() : most;
    height_ = most <= 4     ? 20
              : most <= 8   ? 16
              : most <= 16  ? 13
              : most <= 32  ? 10
              : most <= 64  ? 6
              : most <= 128 ? 4
                            : 2;
    // Everything is as wide as its widest line, but not wider than asked for.
    wide_ = left + scale_.per_column * static_cast<double>(scale_.columns) + scale_.right;
    const auto widen = [&](double to) { wide_ = to > wide_ ? to : wide_; };
    widen(left + text_width(style_.title, 15) + scale_.right);
    for (const timeline_run& p : runs_)
      widen(left + text_width(p.words.title, 13) + text_width(p.words.note, 11) + 12 + scale_.right);
    widen(360);
    if (wide_ > style_.width) wide_ = style_.width;
  }

  [[nodiscard]] std::string text() && {
    if (!style_.title.empty()) {
      y_ += 16;
      append_text(body_, left, y_, 15, " font-weight=\"bold\" class=\"title\"", style_.title);
      y_ += 8;
    }
    for (const timeline_run& p : runs_) draw_panel(p);
    if (scale_.columns != 0) draw_axis();
    draw_legend();
    draw_remarks();
    y_ += 10;
    return document();
  }

 private:
  using run = timeline_run;
  static constexpr double left = timeline_scale::left, band_gap = 5;

  // --- coordinates of the panel that is drawn ------------------------------------------------------------------------

  [[nodiscard]] double row_y(const run& p, std::uint32_t row) const {
    return top_ + height_ * row + band_gap * p.band_of_row[row];
  }
  [[nodiscard]] double bottom(const run& p) const {
    return p.rows.empty() ? top_ : row_y(p, static_cast<std::uint32_t>(p.rows.size() - 1)) + height_;
  }

  static void append_text(std::string& out, double x, double y, double size, std::string_view more,
                          std::string_view text) {
    out += "<text";
    append_attribute(out, "x", x);
    append_attribute(out, "y", y);
    append_attribute(out, "font-size", size);
    out += more;
    out += '>';
    append_xml(out, text);
    out += "</text>\n";
  }
  static void append_point(std::string& path, char command, double x, double y) {
    path += command;
    append_coordinate(path, x);
    path += ' ';
    append_coordinate(path, y);
  }
  static void append_box(std::string& path, double x, double y, double width, double height) {
    append_point(path, 'M', x, y);
    path += 'h';
    append_coordinate(path, width);
    path += 'v';
    append_coordinate(path, height);
    path += 'h';
    append_coordinate(path, -width);
    path += 'z';
  }
  static std::string fill_of(std::uint32_t what) {
    return what == run::masked  ? std::string("url(#idle)")
           : what == run::turn  ? std::string("url(#turn)")
           : what == run::waits ? std::string("url(#waits)")
           : what == run::off   ? std::string("url(#off)")
                                : to_string(block_colour(what));
  }

  // --- panels --------------------------------------------------------------------------------------------------------

  void draw_panel(const run& p) {
    rows_left_out_ += p.rows_left_out;
    off_not_shown_ += p.switched_off.size();
    y_ += 16;
    draw_words(p.words);
    top_ = y_ + 6;
    draw_boxes(p);
    std::string labels;  // above everything
    for (const run::fetch& f : p.fetches) {
      if (f.num_ranges == 0) continue;
      std::uint64_t lanes = 0;
      for (std::size_t r = f.first_range; r < f.first_range + f.num_ranges; ++r)
        lanes += p.ranges[r].last - p.ranges[r].first + 1;
      seen_[f.block] += lanes * (f.end - f.begin);
      if (scale_.slots_per_column == 1) draw_fetch(p, f, labels);
    }
    if (scale_.slots_per_column == 1) draw_switched_off(p);
    if (height_ >= 6) draw_lane_lines(p);
    body_ += labels;
    for (const std::uint64_t start : p.starts) {
      body_ += "<path class=\"start\" stroke=\"#222222\" stroke-dasharray=\"3 2\" d=\"";
      append_point(body_, 'M', scale_.x(scale_.column_of(start)), top_ - 2);
      body_ += 'V';
      append_coordinate(body_, bottom(p) + 2);
      body_ += "\"/>\n";
    }
    for (const run::band& b : p.bands) draw_frame(p, b);
    if (p.ends_badly) draw_bad_end(p);
    body_ += "</g>\n";
    y_ = bottom(p) + 8;
  }

  void draw_words(const timeline_panel& words) {
    body_ += "<g class=\"panel\">\n<text";
    append_attribute(body_, "x", left);
    append_attribute(body_, "y", y_);
    body_ += " font-size=\"13\"><tspan font-weight=\"bold\">";
    append_xml(body_, words.title);
    body_ += "</tspan>";
    if (!words.note.empty()) {
      body_ += "<tspan dx=\"10\" font-size=\"11\" fill=\"#555555\">";
      append_xml(body_, words.note);
      body_ += "</tspan>";
    }
    body_ += "</text>\n";
  }

  // The time in which no block runs, or, in columns of several slots, everything. Like cells above each other are one
  // box; boxes that look alike are one path.
  void draw_boxes(const run& p) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> boxes;  // by activity and strength
    const auto draw_box = [&](const timeline_cell& c) {
      append_box(boxes[{c.what, c.strength}], scale_.x(c.begin), row_y(p, c.first),
                 scale_.per_column * static_cast<double>(c.end - c.begin), height_ * (c.last - c.first + 1));
    };
    std::vector<timeline_cell> cells, above;
    for (const run::band& b : p.bands) {
      above.clear();
      for (std::uint32_t row = b.first_row; row < b.first_row + b.rows; ++row) {
        make_cells(p, row, scale_.slots_per_column, cells);
        std::size_t i = 0;
        for (timeline_cell& c : cells) {
          while (i < above.size() && above[i].begin < c.begin) draw_box(above[i++]);
          if (i < above.size() && above[i].begin == c.begin && above[i].end == c.end && above[i].is_like(c))
            c.first = above[i++].first;
        }
        while (i < above.size()) draw_box(above[i++]);
        above.swap(cells);
      }
      for (const timeline_cell& c : above) draw_box(c);
    }
    for (const auto& [key, path] : boxes) {
      const auto& [what, strength] = key;
      any_masked_ = any_masked_ || what == run::masked;
      any_turn_ = any_turn_ || what == run::turn;
      any_waits_ = any_waits_ || what == run::waits;
      body_ += what == run::masked  ? "<path class=\"idle\""
               : what == run::turn  ? "<path class=\"turn\""
               : what == run::waits ? "<path class=\"waits\""
                                    : "<path class=\"most\"";
      body_ += " fill=\"" + fill_of(what) + '"';
      if (strength != timeline_cell::strengths) append_attribute(body_, "fill-opacity", 0.1 + 0.225 * strength);
      body_ += " d=\"" + path + "\"/>\n";
    }
  }

  // One executed block; its name goes to `labels` if it fits.
  void draw_fetch(const run& p, const run::fetch& f, std::string& labels) {
    const double width = scale_.per_column * static_cast<double>(f.end - f.begin), x = scale_.x(f.begin);
    const rgb_colour colour = block_colour(f.block);
    std::string path;
    run::row_range tallest = p.ranges[f.first_range];
    for (std::size_t r = f.first_range; r < f.first_range + f.num_ranges; ++r) {
      const run::row_range rows = p.ranges[r];
      if (rows.last - rows.first > tallest.last - tallest.first) tallest = rows;
      append_box(path, x, row_y(p, rows.first), width, row_y(p, rows.last) + height_ - row_y(p, rows.first));
    }
    body_ += "<path class=\"run\" fill=\"" + to_string(colour) + "\"";
    if (width >= 4) body_ += " stroke=\"#ffffff\" stroke-width=\"0.7\"";
    body_ += " d=\"" + path + '"';
    const std::string& name = names_.at(f.block);
    if (style_.tooltips) {
      body_ += "><title>";
      append_xml(body_, name);
      body_ += ": slots " + std::to_string(style_.first_slot + f.begin) + " to " +
               std::to_string(style_.first_slot + f.end - 1) + ", " + std::to_string(f.lanes) + " of " +
               std::to_string(f.live) + "</title></path>\n";
    } else {
      body_ += "/>\n";
    }
    const double tall = row_y(p, tallest.last) + height_ - row_y(p, tallest.first);
    const double size = tall < 12 ? tall * 0.85 : 10;
    const std::uint32_t middle = tallest.first + (tallest.last - tallest.first) / 2;  // not on a line between lanes
    const auto fits = [&](std::string_view words) { return text_width(words, size) + 2 <= width; };
    const std::string_view word =
        fits(name) ? std::string_view(name) : std::string_view(name).substr(0, name.find(' '));
    if (size >= 6.5 && fits(word))
      append_text(labels, x + width / 2, row_y(p, middle) + height_ / 2 + size * 0.36, size,
                  colour.is_light() ? " text-anchor=\"middle\" class=\"name\""
                                    : " text-anchor=\"middle\" class=\"name\" fill=\"#ffffff\"",
                  word);
  }

  void draw_switched_off(const run& p) {
    std::string path;
    for (const run::guarded& g : p.switched_off)
      append_box(path, scale_.x(g.slot), row_y(p, g.row), scale_.per_column, height_);
    if (path.empty()) return;
    body_ += "<path class=\"off\" fill=\"url(#off)\" d=\"" + path + "\"/>\n";
    any_off_ = true;
  }

  void draw_lane_lines(const run& p) {
    std::string lines;
    for (const run::band& b : p.bands)
      for (std::uint32_t row = b.first_row + 1; row < b.first_row + b.rows; ++row) {
        append_point(lines, 'M', left, row_y(p, row));
        lines += 'h';
        append_coordinate(lines, scale_.x(scale_.column_of(p.num_slots)) - left);
      }
    if (!lines.empty())
      body_ += "<path class=\"lanes\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"0.5\" d=\"" + lines + "\"/>\n";
  }

  // A red line, and the verdict where it has room.
  void draw_bad_end(const run& p) {
    const double x = scale_.x(scale_.column_of(p.num_slots)), words = text_width(p.words.bad_end, 10) + 6;
    body_ += "<path class=\"bad-end\" stroke=\"#cf222e\" stroke-width=\"3\" d=\"";
    append_point(body_, 'M', x, top_ - 3);
    body_ += 'V';
    append_coordinate(body_, bottom(p) + 3);
    body_ += "\"/>\n";
    if (x + words < wide_)
      append_text(body_, x + 5, top_ + 9, 10, " fill=\"#cf222e\" font-weight=\"bold\"", p.words.bad_end);
  }

  // The frame of a band, the numbers of its lanes, and its name.
  void draw_frame(const run& p, const run::band& b) {
    const double top = row_y(p, b.first_row), tall = height_ * b.rows;
    body_ += "<rect class=\"frame\"";
    append_attribute(body_, "x", left);
    append_attribute(body_, "y", top);
    append_attribute(body_, "width", scale_.x(scale_.column_of(p.num_slots)) - left);
    append_attribute(body_, "height", tall);
    body_ += " fill=\"none\" stroke=\"#666666\" stroke-width=\"0.8\"/>\n";
    std::uint32_t step = 1;  // every so many lanes have their number
    while (step * height_ < 10 || (b.rows > 8 && step < 4)) step *= 2;
    const double size = height_ * step < 12 ? 8.5 : 9.5;
    for (std::uint32_t lane = 0; lane < b.rows; lane += step)
      append_text(body_, left - 5, row_y(p, b.first_row + lane) + height_ / 2 + size * 0.36, size,
                  " text-anchor=\"end\" fill=\"#555555\"", std::to_string(lane));
    const std::string label =
        p.bands.size() == 1 && b.number == 0 ? p.words.rows : p.words.group + ' ' + std::to_string(b.number);
    const double middle = top + tall / 2;
    if (text_width(label, 10) > tall + 10) return;
    append_point(body_ += "<text transform=\"translate", '(', left - 34, middle);
    body_ += ") rotate(-90)\" text-anchor=\"middle\" font-size=\"10\" fill=\"#555555\">";
    append_xml(body_, label);
    body_ += "</text>\n";
  }

  // --- below the panels ----------------------------------------------------------------------------------------------

  // Ticks at round numbers of slots.
  void draw_axis() {
    const double room = text_width(std::to_string(style_.first_slot + scale_.num_slots), 10) + 14;
    std::uint64_t step = 1;
    for (std::uint64_t digit = 1;
         scale_.per_column * static_cast<double>(step) / static_cast<double>(scale_.slots_per_column) < room;) {
      step = step == digit ? 2 * digit : step == 2 * digit ? 5 * digit : 10 * digit;
      if (step == 10 * digit) digit *= 10;
    }
    std::string ticks;
    append_point(ticks, 'M', left, y_);
    ticks += 'h';
    append_coordinate(ticks, scale_.per_column * static_cast<double>(scale_.columns));
    const std::uint64_t first = style_.first_slot;
    for (std::uint64_t slot = (first + step - 1) / step * step; slot <= first + scale_.num_slots; slot += step) {
      const double x =
          left + scale_.per_column * static_cast<double>(slot - first) / static_cast<double>(scale_.slots_per_column);
      append_point(ticks, 'M', x, y_);
      ticks += "v4";
      append_text(body_, x, y_ + 14, 10, " text-anchor=\"middle\" class=\"tick\"", std::to_string(slot));
    }
    body_ += "<path class=\"axis\" fill=\"none\" stroke=\"#222222\" stroke-width=\"0.8\" d=\"" + ticks + "\"/>\n";
    y_ += 28;
    append_text(body_, left, y_, 10, " fill=\"#555555\"", style_.axis);
    y_ += 8;
  }

  void draw_legend() {
    std::vector<std::pair<std::uint32_t, std::string>> entries;  // an activity and its name
    for (const auto& [block, slots_of] : seen_) entries.emplace_back(block, names_.at(block));
    unnamed_ = entries.size() > style_.legend ? entries.size() - style_.legend : 0;
    entries.resize(entries.size() - unnamed_);
    if (any_masked_) entries.emplace_back(run::masked, "masked");
    if (any_turn_) entries.emplace_back(run::turn, "not scheduled");
    if (any_off_) entries.emplace_back(run::off, "predicated off");
    if (any_waits_) entries.emplace_back(run::waits, "waits at a barrier");
    double x = left;
    if (!entries.empty()) y_ += 6;
    for (const auto& [what, name] : entries) {
      const double width = 17 + text_width(name, 10.5) + 12;
      if (x > left && x + width > wide_ - scale_.right + 12) {
        x = left;
        y_ += 17;
      }
      body_ += "<rect class=\"legend\"";
      append_attribute(body_, "x", x);
      append_attribute(body_, "y", y_);
      body_ += " width=\"12\" height=\"12\" stroke=\"#666666\" stroke-width=\"0.5\" fill=\"" + fill_of(what) + "\"/>\n";
      append_text(body_, x + 17, y_ + 10, 10.5, "", name);
      x += width;
    }
    if (!entries.empty()) y_ += 22;
  }

  void draw_remarks() {
    const auto remark = [&](const std::string& words) {
      y_ += 12;
      append_text(body_, left, y_, 10, " fill=\"#555555\" class=\"remark\"", words);
    };
    const std::uint64_t k = scale_.slots_per_column;
    if (unnamed_ != 0) remark("and " + std::to_string(unnamed_) + " more blocks");
    if (k != 1)
      remark("A column is " + std::to_string(k) +
             " issue slots: the colour of the block that the lane ran most, the paler the fewer of them it ran in.");
    if (k != 1 && off_not_shown_ != 0)
      remark(std::to_string(off_not_shown_) + " predicated-off instructions of lanes are drawn as executed.");
    if (rows_left_out_ != 0) remark(std::to_string(rows_left_out_) + " more rows are left out.");
  }

  [[nodiscard]] std::string document() const {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    append_attribute(out, "width", wide_);
    append_attribute(out, "height", y_);
    out += " viewBox=\"0 0 ";
    append_coordinate(out, wide_);
    out += ' ';
    append_coordinate(out, y_);
    out += "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#222222\" role=\"img\">\n<title>";
    append_xml(out, style_.title.empty() ? std::string_view("schedule") : std::string_view(style_.title));
    out +=
        "</title>\n<defs>\n"
        "<pattern id=\"idle\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<rect width=\"5\" height=\"5\" fill=\"#ffffff\"/><rect width=\"1.2\" height=\"5\" fill=\"#b4b4b4\"/>"
        "</pattern>\n"
        "<pattern id=\"turn\" width=\"6\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
        "<rect width=\"6\" height=\"5\" fill=\"#ffffff\"/><rect x=\"1\" y=\"2\" width=\"3.5\" height=\"0.9\" "
        "fill=\"#b4b4b4\"/></pattern>\n"
        "<pattern id=\"waits\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
        "<rect width=\"5\" height=\"5\" fill=\"#ffffff\"/><circle cx=\"2.5\" cy=\"2.5\" r=\"1.1\" "
        "fill=\"#555555\"/></pattern>\n";
    if (any_off_)
      out +=
          "<pattern id=\"off\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\">"
          "<rect width=\"4\" height=\"4\" fill=\"#ffffff\" fill-opacity=\"0.55\"/><rect width=\"1.4\" height=\"4\" "
          "fill=\"#222222\"/></pattern>\n";
    out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    out += body_;
    out += "</svg>\n";
    return out;
  }

  const timeline_style& style_;
  std::span<const timeline_run> runs_;
  const std::map<block_id, std::string>& names_;
  timeline_scale scale_;
  double height_ = 0, wide_ = 0;  // of a row; of the picture
  std::string body_;
  double y_ = 10, top_ = 0;                 // how far the picture is drawn; where the rows of the panel begin
  std::map<block_id, std::uint64_t> seen_;  // lanes times slots
  bool any_masked_ = false, any_turn_ = false, any_waits_ = false, any_off_ = false;
  std::uint64_t rows_left_out_ = 0, off_not_shown_ = 0;
  std::size_t unnamed_ = 0;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
