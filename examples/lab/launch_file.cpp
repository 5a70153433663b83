// SPDX-License-Identifier: BSL-1.0
#include "lab/launch_file.hpp"

#include "lab/files.hpp"
#include "lab/policies.hpp"
#include "lab/references.hpp"
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/testing/random.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <set>

namespace lab {
namespace {

using nlohmann::json;

struct scalar_facts {
  std::string_view name;
  std::size_t size;
  bool is_float;
  bool is_signed;
};
constexpr std::array<scalar_facts, 10> facts{{{"u8", 1, false, false},
                                              {"s8", 1, false, true},
                                              {"u16", 2, false, false},
                                              {"s16", 2, false, true},
                                              {"u32", 4, false, false},
                                              {"s32", 4, false, true},
                                              {"u64", 8, false, false},
                                              {"s64", 8, false, true},
                                              {"f32", 4, true, true},
                                              {"f64", 8, true, true}}};
constexpr const scalar_facts& facts_of(scalar type) { return facts[static_cast<std::size_t>(type)]; }

// Limits of the hardware (CUDA C++ Programming Guide, "Technical Specifications"), and of what a desk machine holds.
constexpr std::uint32_t most_threads = 1024;
constexpr std::array<std::uint32_t, 3> widest_grid{2147483647, 65535, 65535};
constexpr std::array<std::uint32_t, 3> widest_block{1024, 1024, 64};
constexpr std::uint64_t most_thread_blocks = std::uint64_t{1} << 20;
constexpr std::uint32_t most_shared_bytes = 227 * 1024;
constexpr std::size_t most_buffer_bytes = std::size_t{1} << 28;

// Reads the document and collects diagnostics; a harmless value replaces one that cannot be used, and reading goes on.
class reader {
 public:
  explicit reader(const std::string& path) { file_.path = path; }

  launch_file read(const json& root) {
    if (root.is_object()) {
      const std::string at;
      only(
          root, at,
          {"kernel", "grid", "block", "dynamic_shared_bytes", "warp_width", "buffers", "params", "expect", "verdicts"});
      if (root.contains("kernel")) file_.kernel = text(root["kernel"], at + "/kernel");
      read_shape(root);
      for_each_of(root, "buffers", [&](const json& j, const std::string& where) { read_buffer(j, where); });
      for_each_of(root, "params", [&](const json& j, const std::string& where) { read_param(j, where); });
      for_each_of(root, "expect", [&](const json& j, const std::string& where) { read_expectation(j, where); });
      if (root.contains("verdicts")) read_verdicts(root["verdicts"], at + "/verdicts");
    } else {
      fail("", fmt::format("a launch file is an object, not {}", kind(root)));
    }
    if (!problems_.empty()) throw input_error(problems_);
    return std::move(file_);
  }

 private:
  void fail(const std::string& where, std::string_view message) {
    if (++found_ > simtflow::max_diagnostics) return;
    if (!problems_.empty()) problems_ += '\n';
    if (found_ == simtflow::max_diagnostics) message = "too many diagnostics; the rest is left out";
    problems_ += fmt::format("{}: {}: {}", file_.path, where.empty() ? "/" : where, message);
  }

  static std::string kind(const json& j) {
    return j.is_null() ? std::string("null")
                       : fmt::format("{} {}", j.is_array() || j.is_object() ? "an" : "a", j.type_name());
  }

  // Every key is one of the allowed ones; false if j is not even an object.
  bool only(const json& j, const std::string& where, std::initializer_list<std::string_view> allowed) {
    if (!j.is_object()) {
      fail(where, fmt::format("must be an object, not {}", kind(j)));
      return false;
    }
    for (const auto& [key, value] : j.items())
      if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
        fail(where, fmt::format("unknown key \"{}\"; the keys here are {}", key, fmt::join(allowed, ", ")));
    return true;
  }

  template <class F>
  void for_each_of(const json& root, const char* key, F&& f) {
    if (!root.contains(key)) return;
    const std::string where = fmt::format("/{}", key);
    const json& list = root[key];
    if (!list.is_array()) return fail(where, fmt::format("must be an array, not {}", kind(list)));
    for (std::size_t i = 0; i < list.size(); ++i) f(list[i], fmt::format("{}/{}", where, i));
  }

  std::string text(const json& j, const std::string& where) {
    if (!j.is_string()) {
      fail(where, fmt::format("must be a string, not {}", kind(j)));
      return {};
    }
    const auto& words = j.get_ref<const std::string&>();
    const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
    if (words.empty()) fail(where, "must not be empty");
    if (std::none_of(words.begin(), words.end(), is_control)) return words;
    fail(where, fmt::format("must not hold control characters: {}", j.dump()));
    return {};
  }

  std::uint64_t whole(const json& j, const std::string& where, std::uint64_t low, std::uint64_t high) {
    if (!j.is_number_integer()) {
      fail(where, fmt::format("must be a whole number, not {}", j.is_number() ? j.dump() : kind(j)));
    } else if ((!j.is_number_unsigned() && j.get<std::int64_t>() < 0) || j.get<std::uint64_t>() < low ||
               j.get<std::uint64_t>() > high) {
      fail(where, fmt::format("{} is out of range: {} to {}", j.dump(), low, high));
    } else {
      return j.get<std::uint64_t>();
    }
    return low;
  }

  void read_shape(const json& root) {
    file_.grid = extent(root, "grid", widest_grid);
    file_.block = extent(root, "block", widest_block);
    std::uint64_t blocks = 1;  // cannot overflow: checked after each factor
    for (const std::uint32_t n : file_.grid) {
      blocks *= n;
      if (blocks > most_thread_blocks) {
        fail("/grid", fmt::format("more than {} thread blocks", most_thread_blocks));
        break;
      }
    }
    const std::uint64_t threads = std::uint64_t{file_.block[0]} * file_.block[1] * file_.block[2];
    if (threads > most_threads) fail("/block", fmt::format("{} threads: at most {} fit", threads, most_threads));
    if (root.contains("dynamic_shared_bytes"))
      file_.dynamic_shared_bytes = static_cast<std::uint32_t>(
          whole(root["dynamic_shared_bytes"], "/dynamic_shared_bytes", 0, most_shared_bytes));
    if (root.contains("warp_width"))
      file_.warp_width = static_cast<std::uint32_t>(whole(root["warp_width"], "/warp_width", 1, 1024));
  }

  std::array<std::uint32_t, 3> extent(const json& root, const char* key, const std::array<std::uint32_t, 3>& widest) {
    std::array<std::uint32_t, 3> n{1, 1, 1};
    const std::string where = fmt::format("/{}", key);
    if (!root.contains(key)) {
      fail("", fmt::format("\"{}\" is missing", key));
    } else if (const json& list = root[key]; !list.is_array() || list.empty() || list.size() > 3) {
      fail(where, "must be an array of one to three whole numbers");
    } else {
      for (std::size_t i = 0; i < list.size(); ++i)
        n[i] = static_cast<std::uint32_t>(whole(list[i], fmt::format("{}/{}", where, i), 1, widest[i]));
    }
    return n;
  }

  static void store(std::vector<unsigned char>& bytes, scalar type, std::size_t i, std::uint64_t bits) {
    const std::size_t size = facts_of(type).size;
    std::memcpy(bytes.data() + i * size, &bits, size);
  }

  static std::uint64_t bits_of(double v, scalar type) {
    if (type == scalar::f64) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &v, sizeof v);
      return bits;
    }
    const float narrow = static_cast<float>(v);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof narrow);
    return bits;
  }

  std::uint64_t value(const json& j, scalar type, const std::string& where) {
    const scalar_facts& t = facts_of(type);
    if (!j.is_number()) {
      fail(where, fmt::format("must be a number of type {}, not {}", t.name, kind(j)));
      return 0;
    }
    if (t.is_float) {
      const double v = j.get<double>();
      if (type == scalar::f32 && std::abs(v) > static_cast<double>(std::numeric_limits<float>::max()))
        fail(where, fmt::format("{} does not fit type f32", j.dump()));
      else
        return bits_of(v, type);
      return 0;
    }
    const unsigned width = static_cast<unsigned>(8 * t.size);
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - width + (t.is_signed ? 1 : 0));
    bool fits = j.is_number_integer();
    if (fits && j.is_number_unsigned())
      fits = j.get<std::uint64_t>() <= most;
    else if (fits)
      fits = t.is_signed && j.get<std::int64_t>() >= -static_cast<std::int64_t>(most) - 1;
    if (!fits) {
      fail(where, fmt::format("{} does not fit type {}", j.dump(), t.name));
      return 0;
    }
    return j.is_number_unsigned() ? j.get<std::uint64_t>() : static_cast<std::uint64_t>(j.get<std::int64_t>());
  }

  void read_buffer(const json& j, const std::string& where) {
    buffer b;
    const std::size_t found_before = found_;
    if (!only(j, where, {"name", "type", "count", "init"})) return;
    for (const char* key : {"name", "type", "count"})
      if (!j.contains(key)) fail(where, fmt::format("\"{}\" is missing", key));
    if (j.contains("name")) b.name = text(j["name"], where + "/name");
    for (const buffer& other : file_.buffers)
      if (!b.name.empty() && other.name == b.name)
        fail(where + "/name", fmt::format("there is a buffer \"{}\" already", b.name));
    if (j.contains("type")) {
      const std::string type = text(j["type"], where + "/type");
      if (const auto known = scalar_named(type))
        b.type = *known;
      else if (!type.empty())
        fail(where + "/type", fmt::format("unknown type \"{}\"", type));
    }
    const std::size_t size = size_of(b.type);
    if (j.contains("count"))
      b.count = static_cast<std::size_t>(whole(j["count"], where + "/count", 1, most_buffer_bytes / size));
    total_bytes_ += b.count * size;
    if (total_bytes_ > most_buffer_bytes) {
      fail(where + "/count", fmt::format("all buffers together are larger than {} bytes", most_buffer_bytes));
      total_bytes_ = 0;
    }
    if (found_ == found_before) {  // else type or size is a guess
      b.bytes.assign(b.count * size, 0);
      if (j.contains("init")) fill(b, j["init"], where + "/init");
    }
    file_.buffers.push_back(std::move(b));
  }

  void fill(buffer& b, const json& init, const std::string& where) {
    static constexpr std::string_view ways = "zero, iota, fill, values, random or offsets";
    if (init.is_string()) {
      const std::string way = init.get<std::string>();
      if (way == "iota") {
        for (std::size_t i = 0; i < b.count; ++i)
          store(b.bytes, b.type, i, is_float(b.type) ? bits_of(static_cast<double>(i), b.type) : i);
      } else if (way != "zero") {
        fail(where, fmt::format("unknown start \"{}\": it is one of {}", way, ways));
      }
      return;
    }
    if (!init.is_object() || init.size() != 1)
      return fail(where, fmt::format("must be a word or an object with one key, one of {}", ways));
    const std::string way = init.begin().key();
    const json& detail = init.begin().value();
    const std::string at = fmt::format("{}/{}", where, way);
    if (way == "fill") {
      const std::uint64_t bits = value(detail, b.type, at);
      for (std::size_t i = 0; i < b.count; ++i) store(b.bytes, b.type, i, bits);
    } else if (way == "values") {
      b.bytes = values(detail, b, at);
    } else if (way == "random" || way == "offsets") {
      randomize(b, detail, at, way == "offsets");
    } else {
      fail(where, fmt::format("unknown start \"{}\": it is one of {}", way, ways));
    }
  }

  std::vector<unsigned char> values(const json& list, const buffer& b, const std::string& where) {
    std::vector<unsigned char> bytes(b.count * size_of(b.type));
    if (!list.is_array()) {
      fail(where, fmt::format("must be an array, not {}", kind(list)));
    } else if (list.size() != b.count) {
      fail(where, fmt::format("{} values for the {} elements of \"{}\"", list.size(), b.count, b.name));
    } else {
      for (std::size_t i = 0; i < list.size(); ++i)
        store(bytes, b.type, i, value(list[i], b.type, fmt::format("{}/{}", where, i)));
    }
    return bytes;
  }

  void randomize(buffer& b, const json& j, const std::string& where, bool sums) {
    if (!only(j, where, {"seed", "low", "high"})) return;
    for (const char* key : {"seed", "low", "high"})
      if (!j.contains(key)) return fail(where, fmt::format("\"{}\" is missing", key));
    simtflow::testing::rng random(whole(j["seed"], where + "/seed", 0, std::numeric_limits<std::uint64_t>::max()));
    if (is_float(b.type)) {
      if (sums) return fail(where, "offsets are whole numbers: the buffer's type must be an integer type");
      if (!j["low"].is_number() || !j["high"].is_number() || j["low"].get<double>() > j["high"].get<double>())
        return fail(where, "\"low\" and \"high\" must be numbers, the lower one first");
      value(j["low"], b.type, where + "/low");
      value(j["high"], b.type, where + "/high");
      const double low = j["low"].get<double>();
      const double span = j["high"].get<double>() - low;
      if (!std::isfinite(span)) return fail(where, "\"low\" and \"high\" are too far apart");
      for (std::size_t i = 0; i < b.count; ++i)
        store(b.bytes, b.type, i,
              bits_of(low + span * std::ldexp(static_cast<double>(random.next() >> 40), -24), b.type));
      return;
    }
    const std::uint64_t low = value(j["low"], b.type, where + "/low");
    const std::uint64_t high = value(j["high"], b.type, where + "/high");
    const bool ordered =
        facts_of(b.type).is_signed ? static_cast<std::int64_t>(low) <= static_cast<std::int64_t>(high) : low <= high;
    if (!ordered) return fail(where, "\"low\" is above \"high\"");
    const std::uint64_t choices = high - low + 1;  // 0: all 2^64 values
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < b.count; ++i) {
      const std::uint64_t v = random.next();
      const std::uint64_t drawn = low + (choices == 0 ? v : v % choices);
      store(b.bytes, b.type, i, sums ? sum : drawn);
      sum += drawn;
    }
  }

  std::optional<std::size_t> buffer_named(const json& j, const std::string& where) {
    const std::string name = text(j, where);
    for (std::size_t i = 0; i < file_.buffers.size(); ++i)
      if (file_.buffers[i].name == name) return i;
    if (!name.empty()) fail(where, fmt::format("there is no buffer \"{}\"", name));
    return std::nullopt;
  }

  void read_param(const json& j, const std::string& where) {
    parameter p;
    if (!j.is_object() || j.size() != 1)
      return fail(where, "must be an object with one key: \"buffer\", or the type of the value");
    const std::string key = j.begin().key();
    const std::string at = fmt::format("{}/{}", where, key);
    if (key == "buffer") {
      p.buffer = buffer_named(j.begin().value(), at);
    } else if (const auto type = scalar_named(key)) {
      p.type = *type;
      p.bits = value(j.begin().value(), p.type, at);
    } else {
      fail(where,
           fmt::format("unknown key \"{}\": it is \"buffer\" or the type of the value, \"u32\" for instance", key));
    }
    file_.params.push_back(p);
  }

  void read_expectation(const json& j, const std::string& where) {
    expectation e;
    if (!only(j, where, {"buffer", "values", "reference", "tolerance"})) return;
    if (!j.contains("buffer")) return fail(where, "\"buffer\" is missing");
    const auto index = buffer_named(j["buffer"], where + "/buffer");
    if (!index) return;
    e.buffer = *index;
    const buffer& b = file_.buffers[e.buffer];
    if (j.contains("values") == j.contains("reference"))
      return fail(where, "must have either \"values\" or \"reference\"");
    if (j.contains("values") && !b.bytes.empty())  // else there is a diagnostic about the buffer
      e.values = values(j["values"], b, where + "/values");
    if (j.contains("reference")) {
      e.reference = text(j["reference"], where + "/reference");
      if (!e.reference.empty() && find_reference(e.reference) == nullptr)
        fail(where + "/reference", fmt::format("unknown reference program \"{}\": there are {}", e.reference,
                                               fmt::join(reference_names(), ", ")));
    }
    if (j.contains("tolerance")) {
      const json& t = j["tolerance"];
      if (!is_float(b.type)) fail(where + "/tolerance", "only floats have a tolerance");
      if (!t.is_number() || !(t.get<double>() >= 0))
        fail(where + "/tolerance", "must be a number, zero or above");
      else
        e.tolerance = t.get<double>();
    }
    file_.expect.push_back(std::move(e));
  }

  void read_verdicts(const json& j, const std::string& where) {
    if (!j.is_object()) return fail(where, fmt::format("must be an object, not {}", kind(j)));
    using simtflow::outcome;
    std::vector<std::string> verdicts;
    for (const outcome how : {outcome::finished, outcome::barrier_deadlock, outcome::barrier_misaligned,
                              outcome::barrier_misuse, outcome::nothing_runnable, outcome::livelock,
                              outcome::lost_threads, outcome::policy_error, outcome::step_limit, outcome::fault})
      verdicts.emplace_back(to_string(how));
    for (const auto& [key, words] : j.items()) {
      try {
        if (parse_policy(key).info->name == oracle_name)
          fail(where, fmt::format("\"{}\" is no policy under test", key));
      } catch (const input_error& e) {
        fail(where, fmt::format("\"{}\" is no policy under test: {}", key, e.what()));
      }
      const std::string at = fmt::format("{}/{}", where, key);
      const std::string verdict = text(words, at);
      if (!verdict.empty() && std::find(verdicts.begin(), verdicts.end(), verdict) == verdicts.end())
        fail(at, fmt::format("unknown verdict \"{}\": it is one of {}", verdict, fmt::join(verdicts, ", ")));
      file_.verdicts[key] = verdict;
    }
  }

  launch_file file_;
  std::string problems_;
  std::size_t found_ = 0;  // also those that are left out
  std::size_t total_bytes_ = 0;
};

// "FILE:LINE:COLUMN" of a byte of the text.
std::string place(std::size_t byte, std::string_view text, const std::string& path) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    ++column;
    if (text[i] == '\n') ++line, column = 1;
  }
  return fmt::format("{}:{}:{}", path, line, column);
}

// "FILE:LINE:COLUMN: ..." from the library's message, which holds the position in words.
std::string located(const json::parse_error& e, std::string_view text, const std::string& path) {
  std::string words = e.what();
  if (const auto at = words.find("column "); at != std::string::npos)
    if (const auto colon = words.find(": ", at); colon != std::string::npos) words.erase(0, colon + 2);
  return fmt::format("{}: not JSON: {}", place(e.byte == 0 ? 0 : e.byte - 1, text, path), words);
}

}  // namespace

std::string_view name_of(scalar type) { return facts_of(type).name; }
std::size_t size_of(scalar type) { return facts_of(type).size; }
bool is_float(scalar type) { return facts_of(type).is_float; }

std::optional<scalar> scalar_named(std::string_view name) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].name == name) return static_cast<scalar>(i);
  return std::nullopt;
}

launch_file parse_launch_file(std::string_view text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw input_error(fmt::format("{}:1:1: the file is empty", path));
  // The library keeps the last of two equal keys; here that is a mistake.
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, json::parse_event_t what, json& parsed) {
    if (what == json::parse_event_t::object_start) keys.emplace_back();
    if (what == json::parse_event_t::object_end) keys.pop_back();
    if (what == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  };
  json root;
  try {
    root = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& e) {
    throw input_error(located(e, text, path));
  } catch (const json::exception& e) {  // a number beyond every type: "... number overflow parsing '1e400'"
    const std::string_view words = e.what();
    const std::size_t quote = std::min(words.find('\''), words.size() - 1);
    const std::string_view number = words.substr(quote + 1, words.rfind('\'') - quote - 1);
    throw input_error(fmt::format("{}: not usable: {}", place(text.find(number), text, path),
                                  words.substr(std::min(words.size(), words.find("] ") + 2))));
  }
  if (!twice.empty()) throw input_error(fmt::format("{}: the key \"{}\" stands twice in one object", path, twice));
  return reader(path).read(root);
}

}  // namespace lab
