// SPDX-License-Identifier: BSL-1.0
#include "lab/accept.hpp"

#include "lab/files.hpp"
#include "lab/progress.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace lab {
namespace {

namespace ptx = simtflow::ptx;

bool is_ptx(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".ptx") || name.ends_with(".ptx.gz");
}

/// The files below the paths, by name.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      must_exist(path);
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(path, options, problem), end; !problem && at != end; at.increment(problem))
      if (is_ptx(at->path()) && at->is_regular_file(problem)) below.push_back(at->path().string());
    if (problem) throw input_error(fmt::format("{}: {}", path, problem.message()));
    if (below.empty()) throw input_error(fmt::format("{}: has no .ptx file", path));
    std::sort(below.begin(), below.end());
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class judge {
 public:
  void file(const std::string& path) {
    ++result_.files;
    const ptx::detail::module_text read = ptx::detail::read_module(read_text(path));
    if (!read.diagnostics.empty()) {
      const std::uint64_t kernels = std::max<std::uint64_t>(1, read.module.kernels.size());
      result_.kernels += kernels;
      refuse(acceptance_step::parse, path, read.diagnostics.front(), kernels);
      return;
    }
    for (const ptx::kernel& k : read.module.kernels) {
      ++result_.kernels;
      const auto verified = ptx::verify(read.module, k);
      if (!verified) {
        refuse(acceptance_step::verify, path, verified.diagnostics().front(), 1);
      } else if (const auto decoded = ptx::decode(*verified); !decoded) {
        refuse(acceptance_step::decode, path, decoded.diagnostics().front(), 1);
      } else {
        ++result_.accepted;
      }
    }
  }

  [[nodiscard]] acceptance result() const {
    acceptance out = result_;
    std::stable_sort(out.refusals.begin(), out.refusals.end(),
                     [](const refusal& a, const refusal& b) { return a.kernels > b.kernels; });
    return out;
  }

 private:
  void refuse(acceptance_step step, const std::string& path, const simtflow::diagnostic& why, std::uint64_t kernels) {
    std::string reason = reason_of(why.message);
    const auto [found, fresh] = index_.try_emplace({step, reason}, result_.refusals.size());
    if (fresh) result_.refusals.push_back({step, std::move(reason), 0, path, why});
    result_.refusals[found->second].kernels += kernels;
  }

  acceptance result_;
  std::map<std::pair<acceptance_step, std::string>, std::size_t> index_;
};

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

std::string place(const refusal& r) {
  if (r.first.where.line == 0) return r.file;
  return fmt::format("{}:{}:{}", r.file, r.first.where.line, r.first.where.column);
}

}  // namespace

std::string_view to_string(acceptance_step step) {
  constexpr std::string_view names[] = {"parse", "verify", "decode"};
  return names[static_cast<std::size_t>(step)];
}

std::string reason_of(std::string_view message) {
  std::string reason;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (is_digit(message[i]) && (i == 0 || message[i - 1] == ' ' || message[i - 1] == '(')) {
      while (i + 1 < message.size() && is_digit(message[i + 1])) ++i;
      reason += 'N';
      continue;
    }
    const std::size_t end = message[i] == '\'' ? message.find('\'', i + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      reason += message[i];
      continue;
    }
    // An opcode stands first or after the word "instruction"; a piece of syntax and a directive stay as they are.
    const std::string_view quoted = message.substr(i + 1, end - i - 1);
    const bool opcode = (i == 0 && quoted.find('.') != std::string_view::npos) || reason.ends_with("instruction ");
    const bool syntax = quoted.size() == 1 || quoted.starts_with('.');
    reason += fmt::format("'{}'", opcode ? quoted.substr(0, quoted.find('.')) : syntax ? quoted : "...");
    i = end;
  }
  return reason;
}

acceptance accept_files(const accept_options& options) {
  judge all;
  const std::vector<std::string> files = files_of(options.paths);
  const time_left clock;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (options.progress)
      options.progress(fmt::format("[{}/{}{}] {}", i, files.size(), clock.words(i, files.size()), files[i]));
    all.file(files[i]);
    if (options.so_far) options.so_far(all.result());
  }
  return all.result();
}

std::string to_text(const acceptance& a, report_format format) {
  if (format != report_format::text) {
    std::vector<table_row> rows;
    rows.push_back(table_row().whole("kernels", a.accepted).real("share", share(a.accepted, a.kernels) / 100, 4));
    rows.back().word("step", "accepted").none("reason").none("file").none("line").none("column").none("message");
    for (const refusal& r : a.refusals) {
      table_row& out = rows.emplace_back();
      out.whole("kernels", r.kernels).real("share", share(r.kernels, a.kernels) / 100, 4);
      out.word("step", to_string(r.step)).word("reason", r.reason).word("file", r.file);
      out.whole("line", r.first.where.line).whole("column", r.first.where.column).word("message", r.first.message);
    }
    if (format == report_format::csv) return csv_of(accept_rows, rows);
    nlohmann::ordered_json all = json_document(accept_rows);
    all["files"] = a.files;
    all["kernels"] = a.kernels;
    all["accepted"] = a.accepted;
    all["rows"] = nlohmann::ordered_json::array();
    for (const table_row& one : rows) all["rows"].push_back(json_of(one));
    return text_of(all);
  }
  std::string text =
      fmt::format("{} of {} accepted, {:.1f} % ({})\n", a.accepted, counted(a.kernels, "kernel", "kernels"),
                  share(a.accepted, a.kernels), counted(a.files, "file", "files"));
  if (a.refusals.empty()) return text;
  std::size_t widest = 0;
  for (const refusal& r : a.refusals) widest = std::max(widest, r.reason.size());
  widest = std::min<std::size_t>(widest, 90);
  text += fmt::format("kernels  share  step    {:<{}}  first place\n", "reason", widest);
  for (const refusal& r : a.refusals)
    text += fmt::format("{:>7}  {:>4.1f}%  {:<6}  {:<{}}  {}\n", r.kernels, share(r.kernels, a.kernels),
                        to_string(r.step), r.reason, widest, place(r));
  return text;
}

}  // namespace lab
