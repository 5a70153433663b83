// SPDX-License-Identifier: BSL-1.0
//
// Single elements: their types, their bits, their text.
#include "lab/json_reader.hpp"
#include "lab/launch_values.hpp"
#include <simtflow/ptx/machine/values/half.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

namespace lab {

using nlohmann::json;

namespace {

struct scalar_facts {
  std::string_view name;
  std::size_t size;
  bool is_float;
  bool is_signed;
};
constexpr std::array<scalar_facts, 12> scalar_table{{{"u8", 1, false, false},
                                                     {"s8", 1, false, true},
                                                     {"u16", 2, false, false},
                                                     {"s16", 2, false, true},
                                                     {"u32", 4, false, false},
                                                     {"s32", 4, false, true},
                                                     {"u64", 8, false, false},
                                                     {"s64", 8, false, true},
                                                     {"f32", 4, true, true},
                                                     {"f64", 8, true, true},
                                                     {"f16", 2, true, true},
                                                     {"bf16", 2, true, true}}};
constexpr const scalar_facts& facts_of(scalar type) { return scalar_table[static_cast<std::size_t>(type)]; }

using f16 = simtflow::ptx::detail::f16_format;
using bf16 = simtflow::ptx::detail::bf16_format;

// True if a finite number stays finite in the type.
bool is_in_range(double v, scalar type) {
  if (!std::isfinite(v) || type == scalar::f64) return true;
  if (type == scalar::f32) return std::abs(v) <= static_cast<double>(std::numeric_limits<float>::max());
  const std::uint64_t infinity = type == scalar::f16 ? f16::infinity : bf16::infinity;
  return (float_bits(v, type) & 0x7FFFU) < infinity;
}

// The bits of a number; nothing if it does not fit the type. \pre j is a number
std::optional<std::uint64_t> bits_of_number(const json& j, scalar type) {
  const scalar_facts& t = facts_of(type);
  if (t.is_float) {
    const double v = j.get<double>();
    return is_in_range(v, type) ? std::optional(float_bits(v, type)) : std::nullopt;
  }
  const unsigned width = static_cast<unsigned>(8 * t.size);
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - width + (t.is_signed ? 1 : 0));
  bool fits = j.is_number_integer();
  if (fits && j.is_number_unsigned())
    fits = j.get<std::uint64_t>() <= most;
  else if (fits)
    fits = t.is_signed && j.get<std::int64_t>() >= -static_cast<std::int64_t>(most) - 1;
  if (!fits) return std::nullopt;
  return j.is_number_unsigned() ? j.get<std::uint64_t>() : static_cast<std::uint64_t>(j.get<std::int64_t>());
}

}  // namespace

std::string_view name_of(scalar type) { return facts_of(type).name; }
std::size_t size_of(scalar type) { return facts_of(type).size; }
bool is_float(scalar type) { return facts_of(type).is_float; }

std::optional<scalar> scalar_named(std::string_view name) {
  for (std::size_t i = 0; i < scalar_table.size(); ++i)
    if (scalar_table[i].name == name) return static_cast<scalar>(i);
  return std::nullopt;
}

void store_element(std::vector<unsigned char>& bytes, scalar type, std::size_t i, std::uint64_t bits) {
  const std::size_t size = facts_of(type).size;
  std::memcpy(bytes.data() + i * size, &bits, size);
}

std::uint64_t float_bits(double v, scalar type) {
  if (type == scalar::f64) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    return bits;
  }
  if (type == scalar::f16 || type == scalar::bf16) {
    const float single = simtflow::ptx::detail::single_to_odd(v);  // so that it is rounded once
    return type == scalar::f16 ? f16::narrow(single) : bf16::narrow(single);
  }
  const float narrow = static_cast<float>(v);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

double number_at(std::span<const unsigned char> bytes, scalar type, std::size_t i) {
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  switch (type) {
    case scalar::u8:
      return static_cast<double>(as(std::uint8_t{}));
    case scalar::s8:
      return static_cast<double>(as(std::int8_t{}));
    case scalar::u16:
      return static_cast<double>(as(std::uint16_t{}));
    case scalar::s16:
      return static_cast<double>(as(std::int16_t{}));
    case scalar::u32:
      return static_cast<double>(as(std::uint32_t{}));
    case scalar::s32:
      return static_cast<double>(as(std::int32_t{}));
    case scalar::u64:
      return static_cast<double>(as(std::uint64_t{}));
    case scalar::s64:
      return static_cast<double>(as(std::int64_t{}));
    case scalar::f32:
      return static_cast<double>(as(float{}));
    case scalar::f16:
      return static_cast<double>(f16::widen(as(std::uint16_t{})));
    case scalar::bf16:
      return static_cast<double>(bf16::widen(as(std::uint16_t{})));
    case scalar::f64:
      break;
  }
  return as(double{});
}

std::string element_text(std::span<const unsigned char> bytes, scalar type, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size_of(type), size_of(type));
  if (type == scalar::u64) return fmt::format("{}", bits);
  if (type == scalar::s64) return fmt::format("{}", static_cast<std::int64_t>(bits));
  const double v = number_at(bytes, type, i);
  if (!is_float(type)) return fmt::format("{}", static_cast<std::int64_t>(v));
  return type == scalar::f64 ? fmt::format("{}", v) : fmt::format("{}", static_cast<float>(v));
}

namespace {

// The whole text as a number. libc++ has no std::from_chars for it.
bool read_real(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
  const auto [rest, problem] = std::from_chars(begin, end, value);
  return problem == std::errc() && rest == end;
#else
  const char first = begin == end ? ' ' : *begin;
  if (first == ' ' || first == '+' || (first >= '\t' && first <= '\r')) return false;  // strtod() would take it
  char* rest = nullptr;
  errno = 0;
  value = std::strtod(begin, &rest);
  return errno == 0 && rest == end;
#endif
}

}  // namespace

std::optional<std::uint64_t> value_of_word(const std::string& word, scalar type) {
  const char *const begin = word.c_str(), *const end = begin + word.size();
  if (word.empty()) return std::nullopt;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    std::uint64_t bits = 0;
    const auto [rest, problem] = std::from_chars(begin + 2, end, bits, 16);
    const bool fits = problem == std::errc() && rest == end && word.size() > 2 &&
                      (size_of(type) == 8 || bits >> (8 * size_of(type)) == 0);
    return fits ? std::optional(bits) : std::nullopt;
  }
  if (is_float(type)) {
    double v = 0;
    const char* const digits = *begin == '+' ? begin + 1 : begin;
    return read_real(digits, end, v) && is_in_range(v, type) ? std::optional(float_bits(v, type)) : std::nullopt;
  }
  if (*begin == '-') {
    std::int64_t v = 0;
    const auto [rest, problem] = std::from_chars(begin, end, v);
    return problem == std::errc() && rest == end ? bits_of_number(json(v), type) : std::nullopt;
  }
  std::uint64_t v = 0;
  const auto [rest, problem] = std::from_chars(begin, end, v);
  return problem == std::errc() && rest == end ? bits_of_number(json(v), type) : std::nullopt;
}

std::uint64_t read_value(json_reader& r, const json& j, scalar type, const std::string& where) {
  if (j.is_string()) {
    const auto& word = j.get_ref<const std::string&>();
    const bool special =
        word.starts_with("0x") || (is_float(type) && (word == "nan" || word == "inf" || word == "-inf"));
    if (const auto bits = special ? value_of_word(word, type) : std::nullopt) return *bits;
    r.fail(where, fmt::format("{} is no value of type {}: {}\"0x...\" is its bits",
                              j.dump(-1, ' ', true, json::error_handler_t::replace), name_of(type),
                              is_float(type) ? "\"nan\", \"inf\", \"-inf\", or " : ""));
    return 0;
  }
  if (!j.is_number()) {
    r.fail(where, fmt::format("must be a number of type {}, not {}", name_of(type), json_reader::kind(j)));
    return 0;
  }
  if (const auto bits = bits_of_number(j, type)) return *bits;
  r.fail(where, fmt::format("{} does not fit type {}", j.dump(), name_of(type)));
  return 0;
}

}  // namespace lab
