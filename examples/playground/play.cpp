// SPDX-License-Identifier: BSL-1.0
#include "playground/play.hpp"

#include "lab/diagnostics.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/init.hpp"
#include "lab/json_reader.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/policies.hpp"
#include "lab/view.hpp"
#include "playground/flow_program.hpp"
#include "playground/flow_view.hpp"
#include <simtflow/ptx/text/parser.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace playground {
namespace {

using nlohmann::ordered_json;

// Messages call the texts so.
constexpr const char *program_path = "program", *launch_path = "launch";

std::string dumped(const ordered_json& j) { return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

ordered_json problem(std::string_view in, unsigned line, unsigned column, std::string_view message) {
  return {{"in", in}, {"line", line}, {"column", column}, {"message", message}};
}

// Takes "12:" from the beginning of the text.
bool take_number(std::string_view& text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

// "program:3:5: words", "launch: /buffers/0: words", "words"
ordered_json problem_of(std::string_view text, const std::string& launch) {
  if (text.starts_with("--policy ")) return problem("policy", 0, 0, text.substr(9));
  for (const std::string_view in : {program_path, launch_path}) {
    if (!text.starts_with(in) || !text.substr(in.size()).starts_with(":")) continue;
    std::string_view rest = text.substr(in.size() + 1);
    unsigned line = 0, column = 0;
    if (take_number(rest, line) && take_number(rest, column)) return problem(in, line, column, rest.substr(1));
    rest = text.substr(in.size() + 1);
    if (rest.starts_with(" ")) rest.remove_prefix(1);
    if (in == launch_path && rest.starts_with("/"))
      line = line_of_pointer(launch, rest.substr(0, rest.find(": ")));
    else
      line = 0;
    return problem(in, line, 0, rest);
  }
  return problem(program_path, 0, 0, text);
}

ordered_json problems_of(std::string_view text, const std::string& launch) {
  ordered_json all = ordered_json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    all.push_back(problem_of(text.substr(at, end - at), launch));
    at = end + 1;
  }
  return all;
}

struct played {
  lab::kernel_view view;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;  // by block
  std::string launch;
};

played play_flow(const play_request& request, const lab::view_options& options,
                 const std::vector<lab::chosen_policy>& chosen) {
  const flow_program program = lab::value_of(parse_flow(request.text), program_path);
  played p{view_flow(program, options, chosen), {}, {}};
  for (const flow_block& b : program.blocks) p.lines.emplace_back(b.line, b.line);
  return p;
}

// The launch file without what runs are compared with.
lab::launch_file read_launch(const std::string& text) {
  nlohmann::json root = lab::parse_json(text, launch_path);
  if (root.is_object()) {
    for (const char* key : {"expect", "verdicts"}) root.erase(key);
    if (root.contains("launches") && root["launches"].is_array())
      for (nlohmann::json& one : root["launches"])
        if (one.is_object()) one.erase("expect");
  }
  return lab::parse_launch_file(root.dump(), launch_path);
}

played play_ptx(const play_request& request, const lab::view_options& options,
                const std::vector<lab::chosen_policy>& chosen) {
  auto module = std::make_shared<lab::module_file>();
  module->path = program_path;
  module->text = request.text;
  module->module = lab::value_of(simtflow::ptx::parse(module->text), program_path);
  std::string text = request.launch;
  if (text.empty()) text = lab::make_launch_template(lab::kernel_of(module, {}, launch_path)).text;
  lab::launch_file launch = read_launch(text);
  const std::string name = launch.kernel;
  lab::experiment e(std::move(launch), lab::kernel_of(module, name, std::string(launch_path) + ": /kernel"), options);
  played p{lab::view_kernel(e, options, chosen), {}, std::move(text)};
  for (simtflow::block_id b = 0; b < e.kernel().blocks.size(); ++b) {
    std::pair<std::uint32_t, std::uint32_t> lines{0, 0};
    for (const lab::written_instruction& i : e.file().instructions_of(b)) {
      if (lines.first == 0 || i.line < lines.first) lines.first = i.line;
      lines.second = std::max(lines.second, i.line);
    }
    p.lines.push_back(lines);
  }
  return p;
}

// Finds a value in JSON by its pointer.
class json_places {
 public:
  explicit json_places(std::string_view text) : text_(text) {}

  std::size_t find(std::string_view pointer) {
    std::size_t found = value({});
    while (!pointer.empty()) {
      const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
      const std::size_t inner = member(found, pointer.substr(1, end - 1));
      if (inner == std::string_view::npos) break;  // it is missing there
      found = inner;
      pointer.remove_prefix(end);
    }
    return found;
  }

 private:
  std::size_t value(std::size_t at) const { return std::min(text_.find_first_not_of(" \t\r\n:,", at), text_.size()); }
  // The place after the value that begins there.
  std::size_t after(std::size_t at) const {
    std::size_t depth = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '"') {
        for (++at; at < text_.size() && text_[at] != '"'; ++at)
          if (text_[at] == '\\') ++at;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
        continue;
      } else if (depth == 0 && (c == ',' || c == ':')) {
        return at;
      }
    }
    return at;
  }
  std::size_t member(std::size_t at, std::string_view key) const {
    const char open = at < text_.size() ? text_[at] : ' ';
    if (open != '{' && open != '[') return std::string_view::npos;
    std::size_t number = 0;
    for (at = value(at + 1); at < text_.size() && text_[at] != '}' && text_[at] != ']'; at = value(after(at))) {
      std::string name = std::to_string(number++);
      if (open == '{') {
        const std::size_t end = after(at);
        name = text_.substr(at + 1, text_.find_last_of('"', end - 1) - at - 1);
        at = value(end);
      }
      if (name == key) return at;
    }
    return std::string_view::npos;
  }

  std::string_view text_;
};

}  // namespace

unsigned line_of_pointer(std::string_view json, std::string_view pointer) {
  const std::size_t at = json_places(json).find(pointer);
  if (at >= json.size()) return 0;
  return static_cast<unsigned>(std::count(json.begin(), json.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

std::string play(const play_request& request) {
  lab::view_options options;
  options.most_blocks = 200'000;
  options.most_events = 50'000;
  ordered_json problems;
  try {
    const std::vector<lab::chosen_policy> chosen = lab::chosen_policies(request.policies);
    const played p =
        request.kind == notation::flow ? play_flow(request, options, chosen) : play_ptx(request, options, chosen);
    std::vector<std::string> remarks = p.view.remarks;
    ordered_json faults = ordered_json::array(), lines = ordered_json::array();
    for (const lab::policy_view& r : p.view.runs) {
      if (r.history->left_out() != 0)
        remarks.push_back(fmt::format("{}: the first {} events; {} more are left out", r.chosen.name,
                                      options.most_events, r.history->left_out()));
      if (r.where.line != 0)
        faults.push_back(problem(program_path, r.where.line, r.where.column, r.chosen.name + ": " + r.words));
    }
    for (const auto& [first, last] : p.lines) lines.push_back({first, last});
    return fmt::format(R"({{"data":{},"lines":{},"launch":{},"problems":{}}})", lab::explore_data(p.view, 0, remarks),
                       dumped(lines), dumped(p.launch), dumped(faults));
  } catch (const lab::input_error& e) {
    problems = problems_of(e.what(), request.launch);
  } catch (const std::bad_alloc&) {
    problems = ordered_json::array({problem(program_path, 0, 0, "this needs more memory than there is")});
  } catch (const std::exception& e) {
    problems = ordered_json::array({problem(program_path, 0, 0, e.what())});
  }
  return dumped({{"problems", problems}});
}

std::string policies() {
  ordered_json all = ordered_json::array();
  for (const simtflow::policy_info* p : lab::all_policies()) {
    ordered_json parameters = ordered_json::array();
    for (const simtflow::policy_parameter& q : p->parameters)
      parameters.push_back({{"name", q.name}, {"values", q.values}, {"normal", q.normal}, {"meaning", q.meaning}});
    all.push_back({{"name", p->name}, {"what", p->what}, {"parameters", std::move(parameters)}});
  }
  return dumped(all);
}

}  // namespace playground
