// SPDX-License-Identifier: BSL-1.0
#include "lab/plot.hpp"

#include "lab/child_process.hpp"
#include "lab/files.hpp"
#include "lab/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace lab {
namespace {

// The picture without options. With several values in `several`, `heat` of y over x and `several` is drawn.
struct plot_default {
  std::string_view schema, x, y, by, several, heat;
};
constexpr plot_default defaults[] = {
    {"simtflow.run/1", "policy", "warp_instructions", "", "kernel", "simd_efficiency"},
    {"simtflow.run-branches/1", "block,label", "share", "policy", "", ""},
    {"simtflow.time/1", "policy", "cycles", "", "kernel", "speedup"},
    {"simtflow.time-lines/1", "line", "wait_cycles", "policy", "", ""},
    {"simtflow.time-branches/2", "kind,block,label", "cycles", "policy", "", ""},
    {"simtflow.stacks/1", "entries", "blocks", "kernel,policy", "", ""},
    {"simtflow.analyze/1", "name", "bb", "", "", ""},
    {"simtflow.analyze-transforms/1", "name", "expansion", "transform", "", ""},
    {"simtflow.transform/1", "transform", "ratio", "", "", ""},
    {"simtflow.advise/1", "name", "ratio", "", "", ""},
    {"simtflow.cost/1", "mechanism", "bits", "", "", ""},
    {"simtflow.accept/1", "reason", "kernels", "", "", ""},
    {"simtflow.cuda/1", "kernel", "warp_instructions", "policy", "", ""},
    {"simtflow.cuda-branches/1", "block", "idle_lanes", "kernel", "", ""},
};

struct column_unit {
  std::string_view column, unit;
};
constexpr column_unit units[] = {
    {"activity_factor", "lanes used / lanes that started"},
    {"bb", "basic blocks"},
    {"bits", "bits"},
    {"blocks", "basic blocks"},
    {"bytes_l2_to_core", "bytes"},
    {"cycles", "cycles"},
    {"divergences", "executions that diverged"},
    {"executions", "executions"},
    {"expansion", "% more instructions"},
    {"idle_lanes", "lane slots"},
    {"ipc", "instructions / cycle"},
    {"kernels", "kernels"},
    {"max_depth", "entries"},
    {"milliseconds", "ms"},
    {"overhead", "operations"},
    {"ratio", "warp instructions after / before"},
    {"ratio_to_bound", "warp instructions / lower bound"},
    {"share", "share of idle lane slots"},
    {"simd_efficiency", "lanes used / lane slots"},
    {"simd_efficiency_on", "lanes with an effect / lane slots"},
    {"speedup", "cycles of pdom / cycles"},
    {"thread_instructions", "thread instructions"},
    {"transactions", "memory lines"},
    {"wait_cycles", "cycles"},
    {"warp_instructions", "warp instructions"},
    {"weighted", "weight"},
};

// Colours that people with any kind of colour vision tell apart: Okabe and Ito; then the palette cividis.
constexpr const char* colours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                   "#56b4e9", "#cc79a7", "#f0e442", "#000000"};
constexpr const char* palette =
    "set palette defined (0 '#00224e', 0.2 '#35456c', 0.4 '#666970', 0.6 '#948e77', 0.8 '#c8b866', 1 '#fee838')\n";
constexpr std::size_t most_series = std::size(colours);

using strings = std::vector<std::string>;

strings pieces_of(const std::string& text) {
  strings all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// The rows of all files: names, and fields by name.
struct plot_table {
  strings names;
  std::vector<std::map<std::string, std::string>> rows;

  explicit plot_table(const strings& files) {
    for (const std::string& path : files) {
      const auto lines = fields_of_csv(read_text(path), path);
      for (const std::string& name : lines.front())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      for (std::size_t i = 1; i < lines.size(); ++i) {
        auto& row = rows.emplace_back();
        for (std::size_t c = 0; c < lines[i].size(); ++c) row[lines.front()[c]] = lines[i][c];
      }
    }
    if (rows.empty()) throw input_error(fmt::format("{}: there is no row to draw", files.front()));
  }
  void must_have(const char* option, const std::string& columns) const {
    for (const std::string& name : pieces_of(columns))
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw input_error(fmt::format("{} {}: there is no such column{}; there are {}", option, name,
                                      did_you_mean(name, names), fmt::join(names, ", ")));
  }
  // The fields of some columns as one name.
  static std::string text(const std::map<std::string, std::string>& row, const std::string& columns) {
    std::string all;
    for (const std::string& name : pieces_of(columns)) {
      const auto at = row.find(name);
      if (at == row.end() || at->second.empty()) continue;
      all += (all.empty() ? "" : " ") + at->second;
    }
    return all;
  }
  strings values(const std::string& columns) const {
    strings all;
    for (const auto& row : rows)
      if (const std::string value = text(row, columns); std::find(all.begin(), all.end(), value) == all.end())
        all.push_back(value);
    return all;
  }
};

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(x)) return std::nullopt;
  return x;
}

bool is_whole(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

// A name in quotation marks of gnuplot.
std::string quoted(std::string text, std::size_t longest = 48) {
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : c == '\n' ? std::string(" ") : std::string(1, c);
  return out + "'";
}

std::string shown(const std::string& column, std::string_view unit) {
  std::string name = column;
  std::replace(name.begin(), name.end(), '_', ' ');
  std::replace(name.begin(), name.end(), ',', ' ');
  return unit.empty() || unit == name ? name : fmt::format("{} ({})", name, unit);
}

// The values to draw.
struct grid {
  strings xs, series;
  std::vector<std::vector<std::optional<double>>> cells;  // by series and x
  bool added = false, averaged = false;                   // where several rows are one
};

// The place of a value; a new one stands after `before`, the place of the row before it in the same series.
std::size_t place(strings& all, const std::string& value, std::size_t before) {
  const auto at = std::find(all.begin(), all.end(), value);
  if (at != all.end()) return static_cast<std::size_t>(at - all.begin());
  const std::size_t here = std::min(before + 1, all.size());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(here), value);
  return here;
}

grid grid_of(const plot_table& table, const plot_options& o) {
  struct point {
    std::string x, series;
    double value;
  };
  std::vector<point> points;
  bool whole = true;
  grid g;
  std::size_t last_x = 0;
  for (const auto& row : table.rows) {
    const auto field = row.find(o.y);
    const std::optional<double> value = field == row.end() ? std::nullopt : number_of(field->second);
    if (!value) continue;
    whole = whole && is_whole(field->second);
    const auto named = [&](const std::string& columns) {
      const std::string name = plot_table::text(row, columns);
      return name.empty() && !columns.empty() ? std::string("(none)") : name;
    };
    points.push_back({named(o.x), o.by.empty() ? std::string() : named(o.by), *value});
    const bool goes_on = points.size() > 1 && points[points.size() - 2].series == points.back().series;
    last_x = place(g.xs, points.back().x, goes_on ? last_x : g.xs.size());
    (void)place(g.series, points.back().series, g.series.size());
  }
  g.cells.resize(g.series.size(), std::vector<std::optional<double>>(g.xs.size()));
  std::vector<std::vector<std::size_t>> rows(g.series.size(), std::vector<std::size_t>(g.xs.size()));
  for (const point& one : points) {
    const std::size_t s = place(g.series, one.series, 0), x = place(g.xs, one.x, 0);
    g.cells[s][x] = g.cells[s][x].value_or(0) + one.value;
    if (++rows[s][x] > 1) (whole ? g.added : g.averaged) = true;
  }
  if (g.averaged)
    for (std::size_t s = 0; s < rows.size(); ++s)
      for (std::size_t x = 0; x < rows[s].size(); ++x)
        if (g.cells[s][x]) *g.cells[s][x] /= static_cast<double>(rows[s][x]);
  return g;
}

double widest(std::span<const std::string> names) {
  std::size_t most = 0;
  for (const std::string& name : names) most = std::max(most, std::min<std::size_t>(name.size(), 48));
  return static_cast<double>(most);
}

// The numbers of a heat map or of bars: each line has a place, and a value or the letter of a missing one.
std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.10g}", *value) : "NaN"; }

std::string tics(const char* axis, const strings& names, const char* more) {
  std::string text = fmt::format("set {}tics {} (", axis, more);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(names[i]), i);
  return text + ")\n";
}

void bars(const grid& g, plot_script& out) {
  const double group = static_cast<double>(g.series.size());
  out.width = static_cast<unsigned>(200 + static_cast<double>(g.xs.size()) * std::max(18.0, 10 * group + 10) +
                                    (g.series.size() > 1 ? 7 * widest(g.series) + 40 : 0));
  out.width = std::max(out.width, 560U);
  out.height = static_cast<unsigned>(360 + 5 * widest(g.xs));
  out.text += "$data << EOD\n";
  for (std::size_t x = 0; x < g.xs.size(); ++x) {
    out.text += fmt::format("{}", x);
    for (std::size_t s = 0; s < g.series.size(); ++s) out.text += ' ' + number(g.cells[s][x]);
    out.text += '\n';
  }
  out.text += "EOD\nset style fill solid 1 noborder\nset grid ytics back lc rgb '#dddddd' lt 1\n";
  out.text += "set tics nomirror out\nset border 3\n";
  out.text += tics("x", g.xs, "rotate by 45 right noenhanced");
  out.text += fmt::format("set xrange [-0.6:{}]\n", static_cast<double>(g.xs.size()) - 0.4);
  const double width = 0.8 / group;
  for (std::size_t s = 0; s < g.series.size(); ++s)
    out.text +=
        fmt::format("{}$data using ($1+{:.4f}):{}:({:.4f}) with boxes lc rgb '{}' {}", s == 0 ? "plot " : ", \\\n  ",
                    (static_cast<double>(s) - (group - 1) / 2) * width, s + 2, width, colours[s % most_series],
                    g.series.size() == 1 ? "notitle" : "title " + quoted(g.series[s]));
  out.text += '\n';
}

void heat(const grid& g, const plot_options& o, plot_script& out) {
  double low = INFINITY, high = -INFINITY;
  for (const auto& row : g.cells)
    for (const auto& value : row)
      if (value) low = std::min(low, *value), high = std::max(high, *value);
  const bool numbers = g.xs.size() <= 30;
  const char* form = high < 100 ? "%.2f" : "%.0f";
  const double digits = std::max(4.0, std::ceil(std::log10(std::max(1.0, high))));
  const double cell = numbers ? 10 + 7 * digits : 18;
  out.width = static_cast<unsigned>(200 + 6.5 * widest(g.series) + cell * static_cast<double>(g.xs.size()));
  // High enough for the words beside the colours.
  out.height =
      static_cast<unsigned>(110 + 5 * widest(g.xs) + std::max(230.0, 17 * static_cast<double>(g.series.size())));
  out.text += "$data << EOD\n";
  for (std::size_t s = 0; s < g.series.size(); ++s)
    for (std::size_t x = 0; x < g.xs.size(); ++x)
      if (g.cells[s][x]) out.text += fmt::format("{} {} {}\n", x, s, number(g.cells[s][x]));
  out.text += "EOD\n";
  out.text += palette;
  out.text += tics("x", g.xs, "rotate by 45 right noenhanced") + tics("y", g.series, "noenhanced");
  out.text += fmt::format("set xrange [-0.5:{0}.5]\nset yrange [{1}.5:-0.5]\n", g.xs.size() - 1, g.series.size() - 1);
  out.text +=
      "set tics nomirror out\nunset key\nset object 1 rectangle from graph 0,0 to graph 1,1 fc rgb '#eeeeee' "
      "fs solid noborder back\n";
  if (o.log) out.text += "set logscale cb\n";
  // Boxes instead of an image: SVG stays a drawing, and cells without a value stay grey.
  out.text +=
      "set style fill solid 1 noborder\nplot $data using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 "
      "with boxxyerror fc palette z notitle";
  if (numbers) {
    const double middle = o.log && low > 0 ? std::sqrt(low * high) : (low + high) / 2;
    out.text += fmt::format(
        ", \\\n  $data using 1:2:(sprintf('{}',$3)):($3 < {:.10g} ? 0xffffff : 0x000000) with labels "
        "font ',9' tc rgb variable notitle",
        form, middle);
  }
  out.text += '\n';
}

void curves(const grid& g, const plot_options& o, plot_script& out) {
  out.width = static_cast<unsigned>(640 + 7 * widest(g.series));
  out.height = std::max(400U, static_cast<unsigned>(60 + 18 * g.series.size()));
  out.text += "set tics nomirror out\nset border 3\nset grid lc rgb '#dddddd' lt 1\n";
  for (std::size_t s = 0; s < g.series.size(); ++s) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t x = 0; x < g.xs.size(); ++x) {
      const std::optional<double> at = number_of(g.xs[x]);
      if (!at) throw input_error(fmt::format("--x {}: a curve needs numbers, and \"{}\" is none", o.x, g.xs[x]));
      if (g.cells[s][x]) points.emplace_back(*at, *g.cells[s][x]);
    }
    std::sort(points.begin(), points.end());
    out.text += fmt::format("$s{} << EOD\n", s);
    for (const auto& [x, y] : points) out.text += fmt::format("{:.10g} {:.10g}\n", x, y);
    out.text += "EOD\n";
  }
  for (std::size_t s = 0; s < g.series.size(); ++s)
    out.text +=
        fmt::format("{}$s{} with linespoints lw 2 lc rgb '{}' dt {} pt {} ps 0.6 {}", s == 0 ? "plot " : ", \\\n  ", s,
                    colours[s % most_series], 1 + s / most_series % 4, 4 + s % 10,
                    g.series.size() == 1 && o.by.empty() ? "notitle" : "title " + quoted(g.series[s]));
  out.text += '\n';
}

}  // namespace

std::string_view unit_of(std::string_view column) {
  for (const column_unit& u : units)
    if (u.column == column) return u.unit;
  return {};
}

plot_script make_plot(const plot_options& given) {
  plot_options o = given;
  plot_table table(o.files);
  for (const std::string& text : o.where) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw input_error(fmt::format("--where {}: is no COLUMN=VALUE,...", text));
    const std::string column = text.substr(0, equals);
    table.must_have("--where", column);
    const strings wanted = pieces_of(text.substr(equals + 1));
    std::erase_if(table.rows, [&](const auto& row) {
      return std::find(wanted.begin(), wanted.end(), plot_table::text(row, column)) == wanted.end();
    });
    if (table.rows.empty()) throw input_error(fmt::format("--where {}: no row is left", text));
  }
  const std::string schema = plot_table::text(table.rows.front(), "schema");
  const auto usual =
      std::find_if(std::begin(defaults), std::end(defaults), [&](const plot_default& d) { return d.schema == schema; });
  if (usual != std::end(defaults)) {
    const bool map = !usual->several.empty() && o.by.empty() && o.x.empty() && o.kind != plot_kind::curve &&
                     table.values(std::string(usual->several)).size() > 1;
    if (o.y.empty()) o.y = map ? usual->heat : usual->y;
    if (map) o.by = usual->several;
    if (o.by.empty() && o.x.empty() && !usual->by.empty()) o.by = usual->by;
    if (o.x.empty()) o.x = usual->x;
    if (map && o.kind == plot_kind::automatic) o.kind = plot_kind::heat;
  }
  if (o.x.empty() || o.y.empty())
    throw input_error(fmt::format("{}: {}: name columns with --x and --y; there are {}", o.files.front(),
                                  schema.empty() ? "has no column schema" : schema + " has no usual picture",
                                  fmt::join(table.names, ", ")));
  table.must_have("--x", o.x);
  table.must_have("--y", o.y);
  if (!o.by.empty()) table.must_have("--by", o.by);

  const grid g = grid_of(table, o);
  if (g.xs.empty()) throw input_error(fmt::format("--y {}: no row has a number there", o.y));
  if (o.kind == plot_kind::automatic) {
    const bool counts = o.x == "entries" && g.series.size() <= most_series;
    o.kind = counts ? plot_kind::curve : g.series.size() > most_series ? plot_kind::heat : plot_kind::bar;
  }
  if (o.kind == plot_kind::bar && g.series.size() > most_series)
    throw input_error(
        fmt::format("--by {}: {} series, bars have colours for {}: take --kind heat, or fewer with --where", o.by,
                    g.series.size(), most_series));

  plot_script out;
  const std::string y = shown(o.y, unit_of(o.y));
  std::string title = o.title;
  if (title.empty()) {
    title = shown(o.y, "") + " by " + shown(o.x, "");
    if (!o.by.empty()) title += " and " + shown(o.by, "");
    for (const char* column : {"machine", "kernel", "policy"}) {
      const bool drawn = o.x.find(column) != std::string::npos || o.by.find(column) != std::string::npos;
      const strings values = table.values(column);
      if (!drawn && values.size() == 1 && !values[0].empty()) title += fmt::format(", {} {}", column, values[0]);
    }
    if (g.added) title += " (sums)";
    if (g.averaged) title += " (means)";
  }
  out.text = "set encoding utf8\nset datafile missing 'NaN'\nset title " + quoted(title, 120) + " noenhanced\n";
  if (o.kind == plot_kind::heat) {
    out.text += fmt::format("set cblabel {} noenhanced\nset xlabel {} noenhanced\n", quoted(y), quoted(shown(o.x, "")));
    heat(g, o, out);
    return out;
  }
  out.text += fmt::format("set ylabel {} noenhanced\nset xlabel {} noenhanced\nset key outside right top noenhanced\n",
                          quoted(y), quoted(shown(o.x, unit_of(o.x))));
  out.text += o.log ? "set logscale y\n" : "set yrange [*<0:]\n";
  if (o.kind == plot_kind::bar)
    bars(g, out);
  else
    curves(g, o, out);
  return out;
}

std::string draw_plot(const plot_script& plot, const std::string& path) {
  const bool png = path.ends_with(".png");
  const std::string terminal =
      fmt::format("set terminal {} size {},{} {}font 'Helvetica,11'\n", png ? "pngcairo" : "svg", plot.width,
                  plot.height, png ? "" : "background 'white' ");
  if (path.ends_with(".gp")) return terminal + plot.text;
  if (!path.empty() && !png && !path.ends_with(".svg"))
    throw input_error(fmt::format("{}: is neither .svg, .png nor .gp (the script of gnuplot)", path));
  const scratch_folder folder("gnuplot");
  const std::string picture = folder.file("picture"), script = folder.file("script");
  std::ofstream(script, std::ios::binary) << terminal << "set output " << quoted(picture) << '\n'
                                          << plot.text << "unset output\n";
  const std::string words[] = {"gnuplot", script};
  const child_result made = run_program(words);
  if (!made.found)
    throw input_error(
        "gnuplot draws the picture and is not installed: apt-get install gnuplot-nox (-o FILE.gp writes "
        "its script)");
  if (!made.good) throw input_error(fmt::format("gnuplot: {}: {}", made.ending, made.output));
  return read_bytes(picture);
}

}  // namespace lab
