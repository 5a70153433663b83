// SPDX-License-Identifier: BSL-1.0
//
// Listings of source lines as text, rows for programs and HTML.
#include "lab/source_listing.hpp"
#include <simtflow/io/detail/xml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}
std::string number(std::uint64_t n) { return n == 0 ? std::string(".") : fmt::format("{}", n); }
std::string share(std::uint64_t some, std::uint64_t all) {
  return some == 0 ? std::string(".") : fmt::format("{:.1f}", 100 * part(some, all));
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "walk (walk.ptx) under pdom: 7308 warp instructions; 104358 of 233856 lane slots are idle (44.6 %)".
std::string title_of(const source_listing& l) {
  std::string text = fmt::format("{} ({})", l.kernel, file_name(l.path));
  if (l.policy.empty()) return text + fmt::format(": {} PTX instructions", l.all.instructions);
  text += fmt::format(" under {}: {} warp instructions; {} of {} lane slots are idle ({} %)", l.policy,
                      l.all.warp_instructions, l.all.idle_lanes, l.lane_slots, share(l.all.idle_lanes, l.lane_slots));
  if (!l.machine.empty()) text += fmt::format("; cycles of warps on {}", l.machine);
  return text;
}

// The cells of the margin, and their heads.
std::vector<std::string> heads_of(const source_listing& l) {
  if (l.policy.empty()) return {"PTX", "branch"};
  std::vector<std::string> heads{"warp instr", "lanes", "branch", "diverged", "idle lanes", "share %"};
  if (!l.machine.empty()) heads.insert(heads.begin() + 1, "cycles");
  return heads;
}
std::vector<std::string> cells_of(const source_listing& l, const line_figures& f, const std::string& branch) {
  if (l.policy.empty()) return {f.instructions == 0 ? std::string() : fmt::format("{}", f.instructions), branch};
  const bool runs = f.warp_instructions != 0, any = f.instructions + f.idle_lanes + f.divergences != 0;
  if (!any) return std::vector<std::string>(l.machine.empty() ? 6 : 7);
  std::vector<std::string> cells{
      number(f.warp_instructions),
      runs ? fmt::format("{:.1f}", part(f.thread_instructions, f.warp_instructions)) : std::string("."),
      branch,
      number(f.divergences),
      number(f.idle_lanes),
      share(f.idle_lanes, l.all.idle_lanes)};
  if (!l.machine.empty()) cells.insert(cells.begin() + 1, number(f.cycles));
  return cells;
}

// Rows that are no line of the source.
std::vector<std::pair<std::string, line_figures>> rest_of(const source_listing& l) {
  std::vector<std::pair<std::string, line_figures>> rows;
  const auto& n = l.no_line;
  if (n.instructions + n.idle_lanes != 0) rows.emplace_back("(no line)", n);
  for (const auto& [name, idle] : {std::pair("(ragged warp)", l.ragged_warp), std::pair("(schedule)", l.schedule)})
    if (idle != 0) {
      rows.emplace_back(name, line_figures{});
      rows.back().second.idle_lanes = idle;
    }
  rows.emplace_back("(all)", l.all);
  return rows;
}

// The number of the line, or the place of inlined code under it.
std::string line_name(const listed_line& row) {
  if (row.line == 0) return "...";
  return row.depth == 0 ? fmt::format("{}", row.line) : row.place;
}

// The text of a row; inlined code stands a little to the right of the line that it was inlined at.
// \param indent blanks before the last line that is not inlined
std::string text_of(const listed_line& row, std::size_t& indent) {
  const std::size_t blanks = std::min(row.text.find_first_not_of(" \t"), row.text.size());
  if (row.depth == 0) {
    if (row.line != 0) indent = blanks;
    return row.text;
  }
  return std::string(indent + 2 * row.depth, ' ') + row.text.substr(blanks);
}

void append_listing(std::string& out, const source_listing& l) {
  out += title_of(l) + '\n';
  if (!l.verdict.empty()) out += fmt::format("the run did not finish: {}\n", l.verdict);
  struct row {
    std::vector<std::string> cells;
    std::string name, text;
  };
  std::vector<row> rows;
  for (const listed_file& f : l.files) {
    row head{heads_of(l), "line", f.name};
    if (!f.readable) head.text += " (cannot be read)";
    rows.push_back(std::move(head));
    std::size_t indent = 0;
    for (const listed_line& line : f.lines) {
      row r{cells_of(l, line.figures, line.branch), line_name(line), text_of(line, indent)};
      std::replace(r.text.begin(), r.text.end(), '\t', ' ');
      rows.push_back(std::move(r));
      for (const std::string& why : line.why)
        rows.push_back({std::vector<std::string>(heads_of(l).size()), "", "  ^ " + why});
    }
  }
  for (const auto& [name, figures] : rest_of(l)) rows.push_back({cells_of(l, figures, ""), name, ""});
  std::vector<std::size_t> width(heads_of(l).size(), 0);
  std::size_t names = 0;
  for (const row& r : rows) {
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], r.cells[i].size());
    names = std::max(names, r.name.size());
  }
  for (const row& r : rows) {
    std::string line;
    for (std::size_t i = 0; i < width.size(); ++i) line += fmt::format("{:>{}}  ", r.cells[i], width[i]);
    line += fmt::format("{:>{}} | {}", r.name, names, r.text);
    while (line.back() == ' ') line.pop_back();
    out += line + '\n';
  }
}

std::vector<table_row> rows_of(const source_report& report) {
  std::vector<table_row> rows;
  for (const source_listing& l : report.listings) {
    const auto append = [&](const std::string& file, const listed_line& row) {
      const line_figures& f = row.figures;
      table_row& out = rows.emplace_back();
      out.word("kernel", l.kernel).word("policy", l.policy).word("file", file);
      row.line == 0 ? out.none("line") : out.whole("line", row.line);
      out.word("inlined_at", row.inlined_at).word("function", row.function).whole("instructions", f.instructions);
      out.whole("warp_instructions", f.warp_instructions).whole("thread_instructions", f.thread_instructions);
      out.whole("divergences", f.divergences).whole("idle_lanes", f.idle_lanes);
      out.real("share", part(f.idle_lanes, l.all.idle_lanes));
      l.machine.empty() ? out.none("cycles") : out.whole("cycles", f.cycles);
      out.word("branch", row.branch).word("text", row.text);
    };
    for (const listed_file& file : l.files)
      for (const listed_line& row : file.lines)
        if (!row.place.empty()) append(row.place.substr(0, row.place.find_last_of(':')), row);
    for (const auto& [name, figures] : rest_of(l)) {
      if (name == "(all)") continue;  // the rows sum to it
      listed_line row;
      row.figures = figures;
      append(name, row);
    }
  }
  return rows;
}

std::string escaped(std::string_view text) {
  std::string out;
  detail::append_xml(out, text);
  return out;
}

constexpr std::string_view style = R"(* { box-sizing: border-box; }
body { margin: 0 24px 40px; font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; background: #fff; }
h1 { margin: 20px 0 4px; font-size: 20px; }
h2 { margin: 26px 0 6px; font-size: 16px; }
p, ol { margin: 4px 0; }
a { color: #0b57a4; }
.listing { overflow-x: auto; border: 1px solid #ccc; }
table { border-collapse: collapse; min-width: 100%; font: 13px/1.5 "DejaVu Sans Mono", Menlo, Consolas, monospace; }
th { position: sticky; top: 0; background: #f0f0f0; font-weight: bold; text-align: right; border-bottom: 1px solid #ccc; }
th, td { padding: 0 8px; white-space: pre; vertical-align: top; }
td { text-align: right; color: #444; }
td.name { background: #f7f7f7; border-left: 1px solid #ccc; border-right: 1px solid #ccc; }
td.text, th.text { text-align: left; color: #111; width: 100%; }
tr.inlined td.text { color: #5b4a8a; }
tr.plain td { color: #999; }
tr.plain td.text { color: #666; }
tr.why td.text { color: #8a3b12; white-space: pre-wrap; }
tr.rest td { border-top: 1px solid #ddd; font-weight: bold; }
tr:target td { background: #fff3c4; }
td.diverged, td.divergent { color: #b3261e; font-weight: bold; }
.bar { background-repeat: no-repeat; background-image: linear-gradient(#f4b6a6, #f4b6a6); }
@media print { .listing { overflow: visible; } }
)";

// The lines with the most idle slots, the worst first, as links.
void append_worst(std::string& out, const source_listing& l, std::size_t number_of_listing) {
  std::vector<std::pair<const listed_line*, std::string>> worst;  // and the anchor
  for (std::size_t f = 0; f < l.files.size(); ++f)
    for (std::size_t i = 0; i < l.files[f].lines.size(); ++i)
      if (l.files[f].lines[i].figures.idle_lanes != 0)
        worst.emplace_back(&l.files[f].lines[i], fmt::format("l{}-{}-{}", number_of_listing, f, i));
  std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
    return a.first->figures.idle_lanes > b.first->figures.idle_lanes;
  });
  if (worst.empty()) return;
  if (worst.size() > 5) worst.resize(5);
  out += "<p>Lines, by their share of the idle lane slots:</p>\n<ol>\n";
  for (const auto& [line, anchor] : worst)
    out += fmt::format("<li><a href=\"#{}\">{}</a>: {} % <code>{}</code></li>\n", anchor, escaped(line->place),
                       share(line->figures.idle_lanes, l.all.idle_lanes),
                       escaped(line->text.substr(std::min(line->text.find_first_not_of(" \t"), line->text.size()))));
  out += "</ol>\n";
}

void append_cells(std::string& out, const source_listing& l, const line_figures& f, const std::string& branch) {
  const std::vector<std::string> heads = heads_of(l), cells = cells_of(l, f, branch);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (heads[i] == "branch")
      out += fmt::format("<td class=\"{}\">{}</td>", escaped(branch), escaped(cells[i]));
    else if (heads[i] == "share %" && f.idle_lanes != 0)
      out += fmt::format("<td class=\"bar\" style=\"background-size:{:.1f}% 100%\">{}</td>",
                         100 * part(f.idle_lanes, l.all.idle_lanes), cells[i]);
    else
      out += fmt::format("<td>{}</td>", cells[i]);
  }
}

void append_page_listing(std::string& out, const source_listing& l, std::size_t n) {
  out += fmt::format("<h2>{}</h2>\n", escaped(title_of(l)));
  if (!l.verdict.empty()) out += fmt::format("<p>The run did not finish: {}</p>\n", escaped(l.verdict));
  append_worst(out, l, n);
  for (std::size_t f = 0; f < l.files.size(); ++f) {
    const listed_file& file = l.files[f];
    out += fmt::format("<h2>{}{}</h2>\n<div class=\"listing\"><table>\n<thead><tr>", escaped(file.name),
                       file.readable ? "" : " (cannot be read)");
    for (const std::string& head : heads_of(l)) out += fmt::format("<th>{}</th>", head);
    out += "<th>line</th><th class=\"text\">source</th></tr></thead>\n<tbody>\n";
    std::size_t indent = 0;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const listed_line& line = file.lines[i];
      const char* const kind = line.place.empty() ? "plain" : line.depth != 0 ? "inlined" : "code";
      out += fmt::format("<tr id=\"l{}-{}-{}\" class=\"{}\"", n, f, i, kind);
      if (line.depth != 0)
        out += fmt::format(" title=\"{}, inlined at {}\"", escaped(line.function), escaped(line.inlined_at));
      out += '>';
      append_cells(out, l, line.figures, line.branch);
      out += fmt::format("<td class=\"name\">{}</td><td class=\"text\">{}</td></tr>\n", escaped(line_name(line)),
                         escaped(text_of(line, indent)));
      for (const std::string& why : line.why)
        out += fmt::format(
            "<tr class=\"why\"><td colspan=\"{}\"></td><td class=\"name\"></td><td class=\"text\">  ^ {}</td></tr>\n",
            heads_of(l).size(), escaped(why));
    }
    if (f + 1 == l.files.size())
      for (const auto& [name, figures] : rest_of(l)) {
        out += "<tr class=\"rest\">";
        append_cells(out, l, figures, "");
        out += fmt::format("<td class=\"name\">{}</td><td class=\"text\"></td></tr>\n", escaped(name));
      }
    out += "</tbody></table></div>\n";
  }
}

}  // namespace

std::string to_text(const source_report& report, report_format format) {
  if (format == report_format::csv) return csv_of(source_rows, rows_of(report));
  if (format == report_format::json) return json_text_of(source_rows, rows_of(report), report.remarks);
  std::string out;
  for (const source_listing& l : report.listings) {
    if (!out.empty()) out += '\n';
    append_listing(out, l);
  }
  if (!report.remarks.empty()) out += '\n';
  for (const std::string& remark : report.remarks) out += remark + '\n';
  return out;
}

std::string to_html(const source_report& report) {
  std::string title = "Source lines";
  if (!report.listings.empty()) title = fmt::format("{}, by source line", report.listings.front().kernel);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>\n{1}</style>\n</head>\n"
      "<body>\n<h1>{0}</h1>\n",
      escaped(title), style);
  for (std::size_t n = 0; n < report.listings.size(); ++n) append_page_listing(out, report.listings[n], n);
  for (const std::string& remark : report.remarks) out += fmt::format("<p>{}</p>\n", escaped(remark));
  return out + "</body>\n</html>\n";
}

}  // namespace lab
