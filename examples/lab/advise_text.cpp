// SPDX-License-Identifier: BSL-1.0
#include "lab/advise.hpp"
#include "lab/report.hpp"
#include "lab/transform_steps.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

// "saves 12.3 %", "costs 4.0 % more".
std::string in_words(double gain) { return gain >= 0 ? "saves " + percent(gain) : "costs " + percent(-gain) + " more"; }

std::string file_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

void add_ranked(const advice_report& report, advice_kind kind, std::string& out) {
  for (const advice_row& r : report.rows) {
    if (r.kind != kind || !r.recommended) continue;
    const std::string error = r.work.error > 0 ? fmt::format("+-{:.1f}", 200 * r.work.error) : std::string();
    out += fmt::format("  {:>7} {:<7} {:<7}", percent(r.work.gain()), error, to_string(r.trust));
    if (report.checked) out += fmt::format(" {:>9}", r.measured ? percent(1 - *r.measured) : std::string("-"));
    out += fmt::format("  {:<36} {}{}", r.name, r.reason, r.wrong.empty() ? "" : "; MEASURED: " + r.wrong);
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
}

void add_list(const advice_report& report, advice_kind kind, const std::string& title, std::string& out) {
  const auto is_one = [&](const advice_row& r) { return r.kind == kind && r.recommended; };
  if (std::none_of(report.rows.begin(), report.rows.end(), is_one)) {
    out += fmt::format("\n{}: none saves half a percent\n", title);
    return;
  }
  out += fmt::format("\n{}\n  {:>7} {:<7} {:<7}{}  {:<36} {}\n", title, "saves", "95 %", "trust",
                     report.checked ? "  measured" : "", kind == advice_kind::mechanism ? "policy" : "transform",
                     "predicted from");
  add_ranked(report, kind, out);
}

// Rows that are predicted and not recommended, and rows that are not predicted, with why.
void add_rest(const advice_report& report, std::string& out) {
  out += "\nnot recommended\n";
  std::size_t written = 0;
  for (const advice_row& r : report.rows) {
    if (r.recommended || r.kind == advice_kind::as_it_is) continue;
    std::string why = r.reason;
    if (r.predicted) {
      const double gain = r.work.gain();
      why = std::abs(gain) < 0.005 ? std::string("changes less than half a percent") : in_words(gain);
      if (gain >= 0.005) why += "; " + r.reason;
    }
    if (r.measured) why += fmt::format(" (measured: {})", in_words(1 - *r.measured));
    if (!r.wrong.empty()) why += fmt::format(" (measured: {})", r.wrong);
    out += fmt::format("  {:<36} {}\n", r.name, why);
    ++written;
  }
  if (written == 0) out += "  nothing\n";
}

void add_branches(const advice_report& report, std::string& out) {
  if (report.branches.empty()) {
    out += "\nbranches: none loses 1 % of the lane slots\n";
    return;
  }
  out += "\nbranches, by the share of all lane slots that they lose\n";
  for (const branch_advice& b : report.branches) {
    out += fmt::format("  {:>7}  {}{}: lanes diverge in {} of {} executions", percent(b.idle), b.block,
                       b.place.empty() ? "" : " (" + b.place + ")", b.divergences, b.executions);
    if (!b.mechanism.empty()) out += fmt::format("; {} leaves {}", b.mechanism, percent(b.idle_mechanism));
    if (!b.transform.empty()) out += fmt::format("; {} leaves {}", b.transform, percent(b.idle_transform));
    out += '\n';
  }
}

// "melding (--meld)" for a transform with a common name.
std::string called(const std::string& transform) {
  constexpr std::pair<const char*, const char*> names[] = {{"--linearize", "linearization"},
                                                           {"--partial", "partial linearization"},
                                                           {"--meld", "melding"},
                                                           {"--fuse", "melding the arms"},
                                                           {"--tail-merge", "merging tails"},
                                                           {"--merge-loops", "merging loops"},
                                                           {"--interleave", "interleaving the arms"},
                                                           {"--struct", "copies of blocks"}};
  for (const auto& [option, name] : names)
    if (transform.starts_with(option)) return fmt::format("{} ({})", name, transform);
  return transform;
}

void add_lines(const advice_report& report, std::string& out) {
  if (report.lines.empty()) return;
  out += "\nlines of the source, by their share of the idle lane slots\n";
  for (const line_advice& l : report.lines) {
    out += fmt::format("  {} costs {} of the idle slots ({} of all){}\n", l.place, percent(l.idle), percent(l.slots),
                       l.text.empty() ? "" : ": " + l.text);
    const auto would = [&](const std::string& name, double saves, double left) {
      if (!name.empty())
        out += fmt::format("    {} would save {} of the warp instructions; the line would cost {}\n", name,
                           percent(saves), percent(left));
    };
    would(called(l.transform), l.saves_transform, l.left_transform);
    would(l.mechanism, l.saves_mechanism, l.left_mechanism);
    for (const std::string& hint : l.hints) out += fmt::format("    try: {}\n", hint);
  }
}

std::vector<table_row> rows_of(const advice_report& report) {
  std::vector<table_row> rows;
  for (const advice_row& r : report.rows) {
    table_row& out = rows.emplace_back();
    const auto real = [&](const char* name, bool there, double x) { there ? out.real(name, x) : out.none(name); };
    out.word("kernel", report.kernel).whole("rank", rows.size()).word("kind", to_string(r.kind)).word("name", r.name);
    out.flag("predicted", r.predicted);
    real("ratio", r.predicted, r.work.ratio);
    real("standard_error", r.predicted && r.work.known, r.work.error);
    out.word("confidence", r.predicted ? to_string(r.trust) : "").flag("recommended", r.recommended);
    real("measured_ratio", r.measured.has_value(), r.measured.value_or(0));
    out.word("wrong", r.wrong).word("reason", r.reason).word("baseline", report.baseline);
    out.whole("seed", report.seed).whole("sampled_thread_blocks", report.sampled);
    out.add(report.setting.columns());
  }
  return rows;
}

std::string to_json(const advice_report& report) {
  using nlohmann::ordered_json;
  ordered_json rows = ordered_json::array(), branches = ordered_json::array(), lines = ordered_json::array(),
               hints = ordered_json::array();
  const std::vector<table_row> plain = rows_of(report);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const advice_row& r = report.rows[i];
    ordered_json row = json_of(plain[i]);
    if (r.kind == advice_kind::transform && r.recommended) row["command"] = command_of(report, r);
    rows.push_back(std::move(row));
  }
  for (const branch_advice& b : report.branches) {
    ordered_json row{{"block", b.block},
                     {"place", b.place},
                     {"executions", b.executions},
                     {"divergences", b.divergences},
                     {"idle_share", b.idle}};
    if (!b.mechanism.empty()) row["mechanism"] = {{"name", b.mechanism}, {"idle_share", b.idle_mechanism}};
    if (!b.transform.empty()) row["transform"] = {{"name", b.transform}, {"idle_share", b.idle_transform}};
    branches.push_back(std::move(row));
  }
  for (const line_advice& l : report.lines) {
    ordered_json row{{"source", l.place}, {"idle_share", l.idle}, {"lane_slot_share", l.slots}};
    if (!l.text.empty()) row["text"] = l.text;
    if (!l.transform.empty())
      row["transform"] = {{"name", l.transform}, {"idle_share", l.left_transform}, {"saves", l.saves_transform}};
    if (!l.mechanism.empty())
      row["mechanism"] = {{"name", l.mechanism}, {"idle_share", l.left_mechanism}, {"saves", l.saves_mechanism}};
    row["hints"] = l.hints;
    lines.push_back(std::move(row));
  }
  for (const hint_advice& h : report.hints) {
    ordered_json row{{"what", to_string(h.hint.what)}, {"weight", h.hint.weight}, {"text", h.text}};
    if (!h.place.empty()) row["place"] = h.place;
    if (h.hint.saves > 0) row["saves"] = h.hint.saves;
    hints.push_back(std::move(row));
  }
  ordered_json all = json_document(advice_rows);
  all["kernel"] = report.kernel;
  all["unit"] = "warp instructions and overhead operations";
  all["baseline"] = report.baseline;
  all["work"] = report.work;
  all["simd_efficiency"] = report.counts.simd_efficiency();
  all["sampled_thread_blocks"] = report.sampled;
  all["thread_blocks"] = report.thread_blocks;
  all["seed"] = report.seed;
  all["rows"] = std::move(rows);
  all["branches"] = std::move(branches);
  all["lines"] = std::move(lines);
  all["hints"] = std::move(hints);
  all["remarks"] = report.remarks;
  return text_of(all);
}

}  // namespace

std::string command_of(const advice_report& report, const advice_row& row) {
  constexpr std::array by_profile{"--linearize",  "--meld",        "--fuse",
                                  "--tail-merge", "--merge-loops", "--interleave auto"};
  const bool asks = std::any_of(by_profile.begin(), by_profile.end(),
                                [&](const char* option) { return row.name.find(option) != std::string::npos; });
  return fmt::format("simtflow-lab transform {} {}{} --launch {} -o better.ptx", report.path, row.name,
                     asks ? " --profile" : "", report.launch_path);
}

std::string to_text(const advice_report& report, report_format format) {
  if (format == report_format::csv) return csv_of(advice_rows, rows_of(report));
  if (format == report_format::json) return to_json(report);
  std::string out = fmt::format(
      "{} of {}: {} warp instructions under {}, overhead included; SIMD efficiency {:.3f}\n"
      "predicted from that one run: the paths of {}{}; figures are warp instructions\n",
      report.kernel, file_of(report.path), report.work, report.baseline, report.counts.simd_efficiency(),
      report.thread_blocks == 1
          ? std::string("its one thread block")
          : fmt::format("{} of its {} thread blocks",
                        report.sampled == report.thread_blocks ? "all" : fmt::format("{}", report.sampled),
                        report.thread_blocks),
      report.sampled == report.thread_blocks ? std::string() : fmt::format(" (seed {})", report.seed));
  for (const std::string& r : report.remarks) out += r + '\n';
  add_list(report, advice_kind::transform, "transforms of the code, under " + report.baseline, out);
  for (const advice_row& r : report.rows)
    if (r.kind == advice_kind::transform && r.recommended) {
      out += "  do the first: " + command_of(report, r) + '\n';
      break;
    }
  add_list(report, advice_kind::mechanism, "mechanisms of the machine, with the code as it is", out);
  add_branches(report, out);
  add_lines(report, out);
  out += report.hints.empty() ? "\nhints for the source: none\n" : "\nhints for the source\n";
  for (const hint_advice& h : report.hints)
    out += fmt::format("  {}{}\n", h.place.empty() ? "" : h.place + ": ", h.text);
  add_rest(report, out);
  return out;
}

}  // namespace lab
