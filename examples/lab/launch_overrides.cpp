// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"
#include "lab/json_reader.hpp"
#include "lab/launch_file.hpp"
#include "lab/launch_parts.hpp"
#include "lab/launch_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <system_error>
#include <utility>

namespace lab {

using nlohmann::json;

namespace {

// "4,2,1" or "4x2x1" as an array.
json extent_of(const std::string& text, const char* option) {
  json list = json::array();
  const char *at = text.c_str(), *const end = at + text.size();
  while (true) {
    std::uint64_t n = 0;
    const auto [rest, problem] = std::from_chars(at, end, n);
    if (problem != std::errc() || (rest != end && *rest != ',' && *rest != 'x') || list.size() == 3)
      throw input_error(fmt::format("{} {}: one to three whole numbers with commas between them", option, text));
    list.push_back(n);
    if (rest == end) return list;
    at = rest + 1;
  }
}

// The value after NAME= in an option.
json data_of(const std::string& text) {
  if (text.starts_with('@')) return json::object({{"file", text.substr(1)}});
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_discarded() ? json(text) : parsed;
}

void override_data(launch_file& file, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw input_error(fmt::format("--set {}: is no NAME=VALUE", text));
  const std::string name = text.substr(0, equals);
  json_reader r("--set " + name, "");
  json value = data_of(text.substr(equals + 1));
  for (std::size_t i = 0; i < file.buffers.size(); ++i) {
    const buffer& b = file.buffers[i];
    if (b.name != name) continue;
    if (value.is_number()) value = json::object({{"fill", value}});
    if (value.is_array()) value = json::object({{"values", value}});
    buffer changed = b;
    read_init(r, changed, value, "", file.buffers);
    r.finish();
    std::erase_if(file.set, [&](const auto& one) { return one.first == i; });
    file.set.emplace_back(i, std::move(changed));
    return;
  }
  auto v = read_variable(r, name, value, "", file.buffers);
  r.finish();
  std::erase_if(file.variables, [&](const variable_value& one) { return one.name == name; });
  v->where = "--set";
  file.variables.push_back(*std::move(v));
}

}  // namespace

void override_launch(launch_file& file, const launch_overrides& overrides) {
  if (!overrides.grid.empty()) {
    json_reader r("--grid", "");
    file.grid = read_grid(r, extent_of(overrides.grid, "--grid"), "");
    r.finish();
  }
  if (!overrides.block.empty()) {
    json_reader r("--block", "");
    file.block = read_block(r, extent_of(overrides.block, "--block"), "");
    r.finish();
  }
  if (overrides.dynamic_shared_bytes) file.dynamic_shared_bytes = *overrides.dynamic_shared_bytes;
  for (const std::string& text : overrides.data) override_data(file, text);
  file.launches[file.taken] = file;
}

}  // namespace lab
