// SPDX-License-Identifier: BSL-1.0
#include "lab/module_file.hpp"

#include "lab/child_process.hpp"
#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include <simtflow/ptx/text/parser.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace lab {

namespace {

bool shows_commands = false;

std::string compile_cuda(const std::string& path) {
  const scratch_folder folder("nvcc");
  const std::string out = folder.file("module.ptx");
  const std::string words[] = {"nvcc", "-ptx", "-lineinfo", "-o", out, path};
  if (shows_commands) std::fputs((command_text(words) + '\n').c_str(), stderr);
  const child_result ran = run_program(words);
  const std::string by_hand[] = {"nvcc", "-ptx", "-lineinfo", "-o", path.substr(0, path.size() - 3) + ".ptx", path};
  if (!ran.found)
    throw input_error(
        fmt::format("{}: CUDA source, and nvcc is not on the PATH; where it is: {}", path, command_text(by_hand)));
  if (!ran.good)
    throw input_error(fmt::format("{}: nvcc ends with {}: {}{}{}", path, ran.ending, command_text(by_hand),
                                  ran.output.empty() ? "" : "\n", ran.output));
  return read_text(out);
}

// "scale" of "ns::scale<float>(float*, int)".
std::string_view plain_name(std::string_view name) {
  // The parameters are what the last parenthesis closes; arguments of a template may hold some also.
  std::size_t end = name.size();
  int depth = 0;
  if (!name.empty() && name.back() == ')')
    while (end > 0) {
      const char c = name[--end];
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0) break;
    }
  while (end > 0 && name[end - 1] == '>') {
    depth = 0;
    while (end > 0) {
      const char c = name[--end];
      depth += c == '>' ? 1 : c == '<' ? -1 : 0;
      if (depth == 0) break;
    }
  }
  std::size_t begin = end;
  while (begin > 0 && name[begin - 1] != ':' && name[begin - 1] != ' ') --begin;
  return name.substr(begin, end - begin);
}

}  // namespace

void show_commands() { shows_commands = true; }

bool is_module_path(std::string_view path) { return path.ends_with(".ptx") || path.ends_with(".cu"); }

std::string read_module_text(const std::string& path, std::string& called) {
  called = path;
  if (!path.ends_with(".cu")) return read_text(path);
  must_exist(path);
  called += ".ptx";
  static std::mutex one_at_a_time;
  static std::map<std::pair<std::string, std::string>, std::string> compiled;  // by path and source
  const std::scoped_lock lock(one_at_a_time);
  std::pair<std::string, std::string> key(path, read_bytes(path));
  if (const auto known = compiled.find(key); known != compiled.end()) return known->second;
  return compiled.emplace(std::move(key), compile_cuda(path)).first->second;
}

std::shared_ptr<const module_file> load_module(const std::string& path) {
  module_file file;
  file.text = read_module_text(path, file.path);
  static std::mutex one_at_a_time;
  static std::map<std::string, std::shared_ptr<const module_file>> loaded;
  {
    const std::scoped_lock lock(one_at_a_time);
    if (const auto known = loaded[path]; known && known->text == file.text) return known;
  }
  auto parsed = simtflow::ptx::parse(file.text);
  refuse(parsed.diagnostics(), file.path);
  file.module = *std::move(parsed);
  auto shared = std::make_shared<const module_file>(std::move(file));
  const std::scoped_lock lock(one_at_a_time);
  loaded[path] = shared;
  return shared;
}

std::string demangled(const std::string& name) {
#if __has_include(<cxxabi.h>)
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* const words = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (words == nullptr) return name;
  std::string text(words);
  std::free(words);
  if (text.starts_with("void ")) text.erase(0, 5);  // what a template returns is part of its name
  return text;
#else
  return name;
#endif
}

std::vector<std::string> names_meant(const std::string& asked, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), asked) != names.end()) return {asked};
  std::vector<std::string> whole, without_parameters, plain;
  for (const std::string& name : names) {
    const std::string text = demangled(name);
    if (text == asked) whole.push_back(name);
    if (text.starts_with(asked + '(')) without_parameters.push_back(name);
    if (plain_name(text) == asked) plain.push_back(name);
  }
  return !whole.empty() ? whole : !without_parameters.empty() ? without_parameters : plain;
}

}  // namespace lab
