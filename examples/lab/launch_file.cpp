// SPDX-License-Identifier: BSL-1.0
#include "lab/launch_file.hpp"

#include "lab/files.hpp"
#include "lab/json_reader.hpp"
#include "lab/launch_parts.hpp"
#include "lab/launch_values.hpp"
#include "lab/policies.hpp"
#include "lab/references.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace lab {
namespace {

using nlohmann::json;

constexpr std::size_t most_launches = 100'000;
constexpr std::uint64_t last_address = std::uint64_t{1} << 56;

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// Reads the document.
class launch_reader {
 public:
  explicit launch_reader(const std::string& path) : r_(path, folder_of(path)) { file_.path = path; }

  launch_file read(const json& root) {
    if (!root.is_object()) {
      r_.fail("", fmt::format("a launch file is an object, not {}", json_reader::kind(root)));
      r_.finish();
    }
    r_.only(root, "",
            {"kernel", "module", "grid", "block", "dynamic_shared_bytes", "warp_width", "buffers", "params",
             "variables", "set", "expect", "verdicts", "launches"});
    std::vector<kernel_launch> launches;
    const bool several = root.contains("launches");
    if (!several) {
      launches.emplace_back();
      read_shape(launches[0], root, root, "");
    } else if (root["launches"].is_array() && root["launches"].empty()) {
      r_.fail("/launches", "must not be empty");
    } else if (root["launches"].is_array() && root["launches"].size() > most_launches) {
      r_.fail("/launches", fmt::format("more than {} launches", most_launches));
    } else {
      r_.for_each(root["launches"], "/launches", [&](const json& j, const std::string& where) {
        kernel_launch& l = launches.emplace_back();
        l.where = where;
        if (r_.only(
                j, where,
                {"kernel", "module", "grid", "block", "dynamic_shared_bytes", "params", "variables", "set", "expect"}))
          read_shape(l, j, root, where);
      });
    }
    if (root.contains("warp_width"))
      file_.warp_width = static_cast<std::uint32_t>(r_.whole(root["warp_width"], "/warp_width", 1, 1024));
    read_buffers(root);
    if (several && root.contains("set")) r_.fail("/set", "with \"launches\" this stands in one of them");
    if (launches.empty()) launches.emplace_back();  // there is a diagnostic
    for (std::size_t i = 0; i < launches.size(); ++i) {
      kernel_launch& l = launches[i];
      const json& own =
          several && root["launches"].is_array() && i < root["launches"].size() ? root["launches"][i] : root;
      if (own.is_object()) read_data(l, own, root);
    }
    if (several && root.contains("variables")) read_variables(launches.front(), root["variables"], "/variables");
    if (several && root.contains("expect")) read_expectations(launches.back(), root["expect"], "/expect", true);
    if (root.contains("verdicts")) file_.verdicts = read_verdicts(r_, root["verdicts"], "/verdicts");
    r_.finish();
    if (launches.size() > 1) file_.first = std::make_shared<const std::vector<buffer>>(file_.buffers);
    file_.launches = std::move(launches);
    file_.take(0);
    return std::move(file_);
  }

 private:
  // The member of a launch, or what stands for all launches.
  static const json* member(const json& own, const json& root, const char* key) {
    return own.contains(key) ? &own[key] : root.contains(key) ? &root[key] : nullptr;
  }

  void read_shape(kernel_launch& l, const json& own, const json& root, const std::string& where) {
    const auto place = [&](const char* key) { return (own.contains(key) ? where : "") + '/' + key; };
    if (const json* j = member(own, root, "kernel")) l.kernel = r_.text(*j, place("kernel"));
    if (const json* j = member(own, root, "module"))
      if (const std::string name = r_.text(*j, place("module")); !name.empty())
        l.module = (std::filesystem::path(r_.folder()) / name).string();
    const json *grid = member(own, root, "grid"), *block = member(own, root, "block");
    if (grid != nullptr)
      l.grid = read_grid(r_, *grid, place("grid"));
    else
      r_.fail(where, "\"grid\" is missing");
    if (block != nullptr)
      l.block = read_block(r_, *block, place("block"));
    else
      r_.fail(where, "\"block\" is missing");
    if (const json* j = member(own, root, "dynamic_shared_bytes"))
      l.dynamic_shared_bytes =
          static_cast<std::uint32_t>(r_.whole(*j, place("dynamic_shared_bytes"), 0, most_shared_bytes));
  }

  // Names and sizes of all buffers come first: a structure in one can have a pointer to a later one.
  void read_buffers(const json& root) {
    if (!root.contains("buffers")) return;
    std::vector<bool> good;
    r_.for_each(root["buffers"], "/buffers",
                [&](const json& j, const std::string& where) { good.push_back(read_buffer(j, where)); });
    for (std::size_t i = 0; i < file_.buffers.size(); ++i) {
      buffer& b = file_.buffers[i];
      const std::string where = fmt::format("/buffers/{}", i);
      if (!good[i]) continue;  // type or size is a guess
      const json& j = root["buffers"][i];
      if (j.contains("init"))
        read_init(r_, b, j["init"], where + "/init", file_.buffers);
      else
        b.bytes.assign(b.count * size_of(b.type), 0);
      add_size(j.contains("count") ? 0 : b.bytes.size(), where);
    }
    check_addresses();
  }

  bool read_buffer(const json& j, const std::string& where) {
    buffer& b = file_.buffers.emplace_back();
    const std::size_t found_before = r_.found();
    if (!r_.only(j, where, {"name", "type", "count", "init", "address"})) return false;
    for (const char* key : {"name", "type"}) r_.has(j, where, key);
    const bool has_data = j.contains("init") && j["init"].is_object();
    if (!has_data) r_.has(j, where, "count");
    if (j.contains("name")) b.name = r_.text(j["name"], where + "/name");
    for (std::size_t i = 0; i + 1 < file_.buffers.size(); ++i)
      if (!b.name.empty() && file_.buffers[i].name == b.name)
        r_.fail(where + "/name", fmt::format("there is a buffer \"{}\" already", b.name));
    if (j.contains("type")) {
      const std::string type = r_.text(j["type"], where + "/type");
      if (const auto known = scalar_named(type))
        b.type = *known;
      else if (!type.empty())
        r_.fail(where + "/type", fmt::format("unknown type \"{}\"", type));
    }
    const std::size_t size = size_of(b.type);
    if (j.contains("count"))
      b.count = static_cast<std::size_t>(r_.whole(j["count"], where + "/count", 1, most_buffer_bytes / size));
    add_size(b.count * size, where + "/count");
    if (j.contains("address"))
      b.address = r_.whole(j["address"], where + "/address", simtflow::ptx::first_global_address, last_address);
    return r_.found() == found_before;
  }

  void add_size(std::size_t bytes, const std::string& where) {
    total_bytes_ += bytes;
    if (total_bytes_ <= most_buffer_bytes) return;
    r_.fail(where, fmt::format("all buffers together are larger than {} bytes", most_buffer_bytes));
    total_bytes_ = 0;
  }

  void check_addresses() {
    std::vector<std::size_t> placed;
    for (std::size_t i = 0; i < file_.buffers.size(); ++i)
      if (file_.buffers[i].address) placed.push_back(i);
    const auto at = [&](std::size_t i) { return *file_.buffers[i].address; };
    std::sort(placed.begin(), placed.end(), [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    for (std::size_t i = 1; i < placed.size(); ++i)
      if (const buffer& below = file_.buffers[placed[i - 1]]; at(placed[i]) - *below.address < below.bytes.size())
        r_.fail(fmt::format("/buffers/{}/address", placed[i]), fmt::format("lies in buffer \"{}\"", below.name));
  }

  void read_data(kernel_launch& l, const json& own, const json& root) {
    const json* params = member(own, root, "params");
    const std::string at_params = (own.contains("params") ? l.where : "") + "/params";
    if (params != nullptr)
      r_.for_each(*params, at_params, [&](const json& j, const std::string& where) {
        l.params.push_back(read_parameter(r_, j, where, file_.buffers));
      });
    if (own.contains("variables")) read_variables(l, own["variables"], l.where + "/variables");
    if (own.contains("set")) read_set(l, own["set"], l.where + "/set");
    if (own.contains("expect")) read_expectations(l, own["expect"], l.where + "/expect", false);
  }

  void read_variables(kernel_launch& l, const json& j, const std::string& where) {
    if (!j.is_object()) return r_.fail(where, fmt::format("must be an object, not {}", json_reader::kind(j)));
    for (const auto& [name, value] : j.items())
      if (auto v = read_variable(r_, name, value, where + '/' + name, file_.buffers))
        l.variables.push_back(*std::move(v));
  }

  void read_set(kernel_launch& l, const json& j, const std::string& where) {
    if (!j.is_object()) return r_.fail(where, fmt::format("must be an object, not {}", json_reader::kind(j)));
    for (const auto& [name, start] : j.items()) {
      const std::string at = where + '/' + name;
      const auto index = read_buffer_name(r_, json(name), at, file_.buffers);
      if (!index || file_.buffers[*index].bytes.empty()) continue;  // else there is a diagnostic about the buffer
      buffer b = file_.buffers[*index];
      add_size(b.bytes.size(), at);
      read_init(r_, b, start, at, file_.buffers);
      l.set.emplace_back(*index, std::move(b));
    }
  }

  void read_expectations(kernel_launch& l, const json& list, const std::string& at, bool of_all) {
    r_.for_each(list, at, [&](const json& j, const std::string& where) {
      if (auto e = read_expectation(r_, j, where, file_.buffers, of_all)) l.expect.push_back(*std::move(e));
    });
  }

  json_reader r_;
  launch_file file_;
  std::size_t total_bytes_ = 0;
};

}  // namespace

void launch_file::take(std::size_t number) {
  static_cast<kernel_launch&>(*this) = launches[number];
  taken = number;
  references = std::make_shared<reference_results>();
}

launch_file parse_launch_file(std::string_view text, const std::string& path) {
  return launch_reader(path).read(parse_json(text, path));
}

}  // namespace lab
