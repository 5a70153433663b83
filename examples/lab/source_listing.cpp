// SPDX-License-Identifier: BSL-1.0
#include "lab/source_listing.hpp"

#include "lab/diagnostics.hpp"
#include "lab/divergence.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launches.hpp"
#include "lab/module_file.hpp"
#include "lab/source_text.hpp"
#include "lab/spelling.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/block_name.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace lab {

using namespace simtflow;

line_figures& line_figures::operator+=(const line_figures& o) {
  instructions += o.instructions;
  warp_instructions += o.warp_instructions;
  thread_instructions += o.thread_instructions;
  divergences += o.divergences;
  idle_lanes += o.idle_lanes;
  cycles += o.cycles;
  return *this;
}

namespace {

constexpr std::uint32_t lines_around = 3;  // that are shown before and after lines with code

// The word of two about branches of a line that is said.
std::string worse(const std::string& a, const std::string& b) {
  for (const char* word : {"diverged", "divergent", "could", "unknown", "uniform", "not run"})
    if (a == word || b == word) return word;
  return {};
}

std::string word_for(branch_kind kind) {
  return kind == branch_kind::divergent    ? "divergent"
         : kind == branch_kind::uniform    ? "uniform"
         : kind == branch_kind::unanalysed ? "unknown"
                                           : "";
}

// The rows of one kernel.
class lister {
 public:
  lister(const kernel_file& file, const kernel_divergence& said)
      : file_(file), k_(file.kernel), said_(said), text_(k_.sources, file.path) {}

  // \param run null: nothing was run. \param rows of the run. \param costs null: nothing was timed
  source_listing list(const branch_profile* run, const branch_rows* rows, const timing::program_costs* costs) {
    source_listing out;
    out.kernel = k_.name;
    out.path = file_.path;
    for (block_id b = 0; b < k_.blocks.size(); ++b) {
      const ptx::decoded_block& block = k_.blocks[b];
      const auto spent = costs == nullptr ? std::span<const timing::instruction_costs>() : costs->of_block(b);
      for (std::uint32_t n = 0; n < block.weight; ++n) {
        line_figures& f = row_of(block.last_instruction + 1 - block.weight + n);
        f.instructions += 1;
        if (n < spent.size()) f.cycles += spent[n].issues + spent[n].wait_cycles;
        if (run == nullptr || b >= run->branches().size()) continue;
        f.warp_instructions += run->branches()[b].executions;
        f.thread_instructions += run->branches()[b].lanes;
      }
      if (run != nullptr && b < run->branches().size()) {
        line_figures& f = block.weight == 0 ? no_line_ : row_of(block.last_instruction);
        f.divergences += run->branches()[b].divergences;
        f.idle_lanes += run->branches()[b].blamed();
      }
      add_words(b, run, rows);
    }
    for (auto& [key, line] : lines_) out.all += line.figures;
    out.all += no_line_;
    out.no_line = no_line_;
    if (run != nullptr) {
      out.ragged_warp = run->idle(idle_cause::ragged_warp);
      out.schedule = run->idle(idle_cause::schedule);
      out.all.idle_lanes += out.ragged_warp + out.schedule;
      out.lane_slots = rows->lane_slots;
    }
    put_into_files(out);
    return out;
  }

 private:
  using line_key_type = std::vector<std::uint32_t>;

  listed_line* line_of(std::uint32_t instruction) {
    const std::uint32_t place = k_.place_of(instruction);
    const line_key_type key = line_key(k_.sources, place);
    return key.empty() ? nullptr : &known_line(key, place);
  }
  line_figures& row_of(std::uint32_t instruction) {
    listed_line* const line = line_of(instruction);
    return line == nullptr ? no_line_ : line->figures;
  }
  // The row of a place; the rows of the calls around it are made also.
  listed_line& known_line(const line_key_type& key, std::uint32_t place) {
    const auto [at, fresh] = lines_.try_emplace(key);
    listed_line& line = at->second;
    if (!fresh) return line;
    const ptx::source_place& p = k_.sources.places[place];
    line.line = p.line;
    line.place = k_.sources.line_of(place);
    line.depth = static_cast<std::uint32_t>(key.size() / 2 - 1);
    if (const auto* const text = text_.lines(p.file); text != nullptr && p.line <= text->size())
      line.text = (*text)[p.line - 1];
    if (line.depth == 0) return line;
    line.inlined_at = k_.sources.describe(p.inlined_at);
    if (p.function < k_.sources.functions.size()) line.function = demangled(k_.sources.functions[p.function]);
    known_line({key.begin(), key.end() - 2}, p.inlined_at);
    return line;
  }

  // Adds the kind of branch that the block ends in, and the reason if it is divergent.
  void add_words(block_id b, const branch_profile* run, const branch_rows* rows) {
    listed_line* const line = k_.blocks[b].weight == 0 ? nullptr : line_of(k_.blocks[b].last_instruction);
    if (line == nullptr || said_.branches[b] == branch_kind::unmarked) return;
    std::string word = word_for(said_.branches[b]);
    if (run != nullptr) {
      word = "not run";
      for (const branch_row& r : rows->rows)
        if (r.block == b) word = r.kind;
    }
    line->branch = worse(line->branch, word);
    if (said_.branches[b] != branch_kind::divergent) return;
    const std::string name = k_.block_name(b), begin = name + " (", what = " divergent: ";
    for (const std::string& sentence : said_.lines)
      if (const std::size_t at = sentence.find(what); sentence.starts_with(begin) && at != std::string::npos)
        line->why.push_back(fmt::format("{}: {}", name, sentence.substr(at + what.size())));
  }

  // Rows by file, with the lines of the file around them.
  void put_into_files(source_listing& out) {
    for (auto row = lines_.begin(); row != lines_.end();) {
      const std::uint32_t number = row->first[0];
      listed_file file;
      if (const ptx::source_file* const named = k_.sources.file(number))
        file.name = named->name;
      else
        file.name = fmt::format("file {}", number);
      const auto* const text = text_.lines(number);
      file.readable = text != nullptr;
      std::uint32_t said = 0;  // the last line that has a row
      bool any = false;
      const auto plain = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t n = from; n <= to; ++n) {
          file.lines.emplace_back();
          file.lines.back().line = n;
          file.lines.back().text = (*text)[n - 1];
        }
      };
      const auto plain_until = [&](std::uint32_t next) {  // the lines between the last row and this one
        if (text == nullptr || next > text->size() || next <= said + 1) return;
        const std::uint32_t first = said + 1, last = next - 1;
        const std::uint32_t head = any ? lines_around : 0;
        if (last - first + 1 <= head + lines_around + 1 && any) return plain(first, last);
        if (any) plain(first, first + head - 1);
        const std::uint32_t tail = std::min(last - first + 1, lines_around);
        if (any || last - first + 1 > tail) file.lines.emplace_back();
        plain(last + 1 - tail, last);
      };
      for (; row != lines_.end() && row->first[0] == number; ++row) {
        if (row->second.depth == 0) {
          plain_until(row->second.line);
          said = row->second.line;
        }
        any = true;
        file.lines.push_back(std::move(row->second));
      }
      if (text != nullptr && said < text->size()) {
        const auto size = static_cast<std::uint32_t>(text->size());
        plain(said + 1, std::min(size, said + lines_around));
        if (said + lines_around < size) file.lines.emplace_back();
      }
      out.files.push_back(std::move(file));
    }
  }

  const kernel_file& file_;
  const ptx::decoded_kernel& k_;
  const kernel_divergence& said_;
  source_text text_;
  std::map<line_key_type, listed_line> lines_;
  line_figures no_line_;
};

kernel_divergence divergence_in(const kernel_file& file) {
  const ptx::module& module = file.module->module;
  return divergence_of(module, *module.find(file.kernel.name), file.kernel);
}

// A kernel without source lines has nothing to list.
bool has_lines(const ptx::decoded_kernel& k) {
  return std::any_of(k.places.begin(), k.places.end(),
                     [&](std::uint32_t place) { return !line_key(k.sources, place).empty(); });
}

std::string no_lines(const std::string& path, const std::string& kernel) {
  return fmt::format("{}: kernel '{}' has no source lines: nvcc -lineinfo writes them", path, kernel);
}

void list_run(const source_options& options, source_report& out) {
  if (options.paths.size() != 1) throw input_error("--launch: one module at a time");
  const std::string& path = options.paths.front();
  const std::vector<chosen_policy> chosen =
      chosen_policies(options.policies.empty() ? std::vector<std::string>{"pdom"} : options.policies);
  experiment e(path, read_launch(path, options.launch_path, options), options);
  if (!options.kernel.empty() && names_meant(options.kernel, {e.kernel().name}).empty())
    throw input_error(fmt::format("--kernel: {} launches the kernel \"{}\"", options.launch_path, e.kernel().name));
  if (!has_lines(e.kernel())) throw input_error(no_lines(e.file().path, e.kernel().name));
  const kernel_divergence said = divergence_in(e.file());
  std::optional<timing::machine> machine;
  if (!options.machine.empty()) {
    time_machine asked;
    asked.name = options.machine;
    machine = machine_of(asked);
  }
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = e.not_applicable(c); !reason.empty()) {
      out.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
      continue;
    }
    if (c.identity().find("profile") != std::string::npos) (void)e.oracle();
    branch_profile profile;
    const grid_run run = e.run(c, {.branches = &profile});
    if (!run.other_order.empty()) out.remarks.push_back(fmt::format("{}: {}", c.name, run.other_order));
    const branch_rows rows = e.branch_rows_of(profile);
    std::optional<timed_run> timed;
    if (machine) timed = e.run_timed(c, {.machine = *machine});
    lister one(e.file(), said);
    source_listing made = one.list(&profile, &rows, timed ? &timed->report.costs : nullptr);
    made.policy = c.name;
    if (run.how != outcome::finished) made.verdict = run.words;
    if (machine) made.machine = machine->name;
    out.listings.push_back(std::move(made));
  }
}

void list_text(const source_options& options, source_report& out) {
  std::vector<std::string> names;
  for (const std::string& path : options.paths) {
    const std::shared_ptr<const module_file> module = load_module(path);
    std::vector<std::string> here;
    for (const ptx::kernel& k : module->module.kernels) here.push_back(k.name);
    const std::vector<std::string> meant = options.kernel.empty() ? here : names_meant(options.kernel, here);
    names.insert(names.end(), here.begin(), here.end());
    for (const std::string& name : meant) {
      const kernel_file file = load_kernel(path, name, "--kernel");
      if (!has_lines(file.kernel)) {
        out.remarks.push_back(no_lines(file.path, name));
        continue;
      }
      const kernel_divergence said = divergence_in(file);
      out.listings.push_back(lister(file, said).list(nullptr, nullptr, nullptr));
    }
  }
  if (!out.listings.empty()) return;
  if (!out.remarks.empty()) throw input_error(fmt::format("{}", fmt::join(out.remarks, "\n")));
  throw input_error(fmt::format("{}: no kernel is called \"{}\"{}", options.paths.front(), options.kernel,
                                did_you_mean(options.kernel, names)));
}

}  // namespace

source_report list_sources(const source_options& options) {
  for (const std::string& path : options.paths)
    if (!is_module_path(path)) throw input_error(fmt::format("{}: is no .ptx; a graph has no --source", path));
  source_report out;
  if (options.launch_path.empty())
    list_text(options, out);
  else
    list_run(options, out);
  std::vector<std::string> missing;
  for (const source_listing& l : out.listings)
    for (const listed_file& f : l.files)
      if (!f.readable && std::find(missing.begin(), missing.end(), f.name) == missing.end()) {
        missing.push_back(f.name);
        out.remarks.push_back(
            fmt::format("{}: cannot be read, neither where {} names it nor beside that file; lines are "
                        "shown without their text",
                        f.name, l.path));
      }
  return out;
}

}  // namespace lab
