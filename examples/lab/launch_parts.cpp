// SPDX-License-Identifier: BSL-1.0
#include "lab/launch_parts.hpp"

#include "lab/files.hpp"
#include "lab/json_reader.hpp"
#include "lab/launch_values.hpp"
#include "lab/policies.hpp"
#include "lab/references.hpp"
#include <simtflow/io/describe.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace lab {

namespace {

// Limits of the hardware (CUDA C++ Programming Guide, "Technical Specifications"), and of what a desk machine holds.
constexpr std::uint32_t most_threads = 1024;
constexpr std::array<std::uint32_t, 3> widest_grid{2147483647, 65535, 65535};
constexpr std::array<std::uint32_t, 3> widest_block{1024, 1024, 64};
constexpr std::uint64_t most_thread_blocks = std::uint64_t{1} << 20;

const std::initializer_list<std::string_view> expectation_keys{
    "buffer", "variable", "values", "reference", "command", "fill", "text", "bytes", "file", "tolerance", "relative"};

// Reads the contents that a buffer must have. Returns false if the check is not understood.
bool read_wanted(json_reader& r, expectation& e, const nlohmann::json& j, const std::string& where,
                 const std::vector<buffer>& buffers, bool of_file) {
  const buffer& b = buffers[e.buffer];
  std::string way;
  for (const char* key : {"values", "reference", "command", "fill", "text", "bytes", "file"}) {
    if (!j.contains(key)) continue;
    if (!way.empty()) way = "two";
    if (way.empty()) way = key;
  }
  if (way.empty() || way == "two") {
    r.fail(where, "must have either \"values\" or \"reference\", or one of command, fill, text, bytes and file");
    return false;
  }
  if (way == "reference") {
    e.reference = r.text(j["reference"], where + "/reference");
    if (!e.reference.empty() && find_reference(e.reference) == nullptr)
      r.fail(where + "/reference", fmt::format("unknown reference program \"{}\": there are {}", e.reference,
                                               fmt::join(reference_names(), ", ")));
    if (of_file) r.fail(where + "/reference", "a reference program goes with one launch: put the check there");
  } else if (way == "command") {
    r.for_each(j["command"], where + "/command", [&](const nlohmann::json& word, const std::string& at) {
      if (!word.is_string() || word.get_ref<const std::string&>().find('\0') != std::string::npos)
        r.fail(at, fmt::format("must be a string, not {}", json_reader::kind(word)));
      else
        e.command.push_back(word.get<std::string>());
    });
    if (e.command.empty()) r.fail(where + "/command", "must name a program");
    e.of_file = of_file;
  } else if (!b.bytes.empty()) {  // else there is a diagnostic about the buffer
    buffer want = b;
    const nlohmann::json init = nlohmann::json::object({{way, j[way]}});
    read_init(r, want, init, where, buffers);
    e.values = std::move(want.bytes);
  }
  return true;
}

std::array<std::uint32_t, 3> read_extent(json_reader& r, const nlohmann::json& list, const std::string& where,
                                         const std::array<std::uint32_t, 3>& widest) {
  std::array<std::uint32_t, 3> n{1, 1, 1};
  if (!list.is_array() || list.empty() || list.size() > 3) {
    r.fail(where, "must be an array of one to three whole numbers");
    return n;
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    n[i] = static_cast<std::uint32_t>(r.whole(list[i], fmt::format("{}/{}", where, i), 1, widest[i]));
  return n;
}

}  // namespace

std::array<std::uint32_t, 3> read_grid(json_reader& r, const nlohmann::json& list, const std::string& where) {
  const auto grid = read_extent(r, list, where, widest_grid);
  std::uint64_t blocks = 1;  // cannot overflow: checked after each factor
  for (const std::uint32_t n : grid) {
    blocks *= n;
    if (blocks <= most_thread_blocks) continue;
    r.fail(where, fmt::format("more than {} thread blocks", most_thread_blocks));
    break;
  }
  return grid;
}

std::array<std::uint32_t, 3> read_block(json_reader& r, const nlohmann::json& list, const std::string& where) {
  const auto block = read_extent(r, list, where, widest_block);
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (threads > most_threads) r.fail(where, fmt::format("{} threads: at most {} fit", threads, most_threads));
  return block;
}

std::optional<variable_value> read_variable(json_reader& r, const std::string& name, const nlohmann::json& j,
                                            const std::string& where, const std::vector<buffer>& buffers,
                                            std::initializer_list<std::string_view> beside) {
  variable_value v{name, where, {}, {}, {}};
  if (name.empty()) {
    r.fail(where, "a variable has a name");
    return std::nullopt;
  }
  const auto is_word = [](const nlohmann::json& one) { return one.is_number() || one.is_string(); };
  if (is_word(j) || j.is_array()) {
    if (j.is_array() && !std::all_of(j.begin(), j.end(), is_word)) {
      r.fail(where, "must be an array of numbers");
      return std::nullopt;
    }
    v.numbers =
        (j.is_array() ? j : nlohmann::json::array({j})).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return v;
  }
  std::optional<raw_data> raw = read_raw(r, j, where, buffers, beside);
  if (!raw) return std::nullopt;
  v.raw = *std::move(raw);
  for (const auto& [key, value] : j.items())
    if (const auto type = scalar_named(key)) v.type = type;
  return v;
}

std::optional<expectation> read_expectation(json_reader& r, const nlohmann::json& j, const std::string& where,
                                            const std::vector<buffer>& buffers, bool of_file) {
  expectation e;
  if (!j.is_object() || j.contains("variable") == j.contains("buffer")) {
    if (r.only(j, where, expectation_keys))
      r.fail(where, j.contains("buffer") ? "checks a buffer or a variable, not both" : "\"buffer\" is missing");
    return std::nullopt;
  }
  bool has_floats = true;
  if (j.contains("variable")) {
    const std::string name = r.text(j["variable"], where + "/variable");
    nlohmann::json rest = j;
    for (const char* key : {"variable", "tolerance", "relative"}) rest.erase(key);
    const bool plain = rest.size() == 1 && rest.contains("values");
    e.variable = read_variable(r, name, plain ? rest["values"] : rest, plain ? where + "/values" : where, buffers);
    if (!e.variable) return std::nullopt;
  } else {
    if (!r.only(j, where, expectation_keys)) return std::nullopt;
    const auto index = read_buffer_name(r, j["buffer"], where + "/buffer", buffers);
    if (!index) return std::nullopt;
    e.buffer = *index;
    has_floats = is_float(buffers[e.buffer].type);
    if (!read_wanted(r, e, j, where, buffers, of_file)) return std::nullopt;
  }
  for (const char* key : {"tolerance", "relative"}) {
    if (!j.contains(key)) continue;
    const nlohmann::json& t = j[key];
    if (!has_floats) r.fail(fmt::format("{}/{}", where, key), "only floats have a tolerance");
    if (!t.is_number() || !(t.get<double>() >= 0))
      r.fail(fmt::format("{}/{}", where, key), "must be a number, zero or above");
    else
      (key[0] == 't' ? e.tolerance : e.relative) = t.get<double>();
  }
  return e;
}

std::map<std::string, std::string> read_verdicts(json_reader& r, const nlohmann::json& j, const std::string& where) {
  std::map<std::string, std::string> all;
  if (!j.is_object()) {
    r.fail(where, fmt::format("must be an object, not {}", json_reader::kind(j)));
    return all;
  }
  using simtflow::outcome;
  std::vector<std::string> verdicts;
  for (const outcome how : {outcome::finished, outcome::barrier_deadlock, outcome::barrier_misaligned,
                            outcome::barrier_misuse, outcome::nothing_runnable, outcome::livelock,
                            outcome::lost_threads, outcome::policy_error, outcome::step_limit, outcome::fault})
    verdicts.emplace_back(to_string(how));
  for (const auto& [key, words] : j.items()) {
    try {
      if (parse_policy(key).info->name == oracle_name)
        r.fail(where, fmt::format("\"{}\" is no policy under test", key));
    } catch (const input_error& e) {
      r.fail(where, fmt::format("\"{}\" is no policy under test: {}", key, e.what()));
    }
    const std::string at = fmt::format("{}/{}", where, key);
    const std::string verdict = r.text(words, at);
    if (!verdict.empty() && std::find(verdicts.begin(), verdicts.end(), verdict) == verdicts.end())
      r.fail(at, fmt::format("unknown verdict \"{}\": it is one of {}", verdict, fmt::join(verdicts, ", ")));
    all[key] = verdict;
  }
  return all;
}

}  // namespace lab
