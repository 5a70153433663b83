// SPDX-License-Identifier: BSL-1.0
#include "lab/compare.hpp"

#include "lab/files.hpp"
#include "lab/references.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

namespace lab {
namespace {

using bytes = std::span<const unsigned char>;

// Calls f with a value of the element type; f must return the same type for all.
template <class F>
auto with_element(bytes all, scalar type, std::size_t i, F&& f) {
  const auto as = [&](auto value) {
    std::memcpy(&value, all.data() + i * sizeof value, sizeof value);
    return f(value);
  };
  switch (type) {
    case scalar::u8:
      return as(std::uint8_t{});
    case scalar::s8:
      return as(std::int8_t{});
    case scalar::u16:
      return as(std::uint16_t{});
    case scalar::s16:
      return as(std::int16_t{});
    case scalar::u32:
      return as(std::uint32_t{});
    case scalar::s32:
      return as(std::int32_t{});
    case scalar::u64:
      return as(std::uint64_t{});
    case scalar::s64:
      return as(std::int64_t{});
    case scalar::f32:
      return as(float{});
    case scalar::f64:
      break;
  }
  return as(double{});
}

std::string shown(bytes all, scalar type, std::size_t i) {
  return with_element(all, type, i, [](auto v) {
    if constexpr (sizeof v == 1)
      return fmt::format("{}", static_cast<int>(v));
    else
      return fmt::format("{}", v);
  });
}

double number(bytes all, scalar type, std::size_t i) {
  return with_element(all, type, i, [](auto v) { return static_cast<double>(v); });
}

struct unequal_elements {
  std::size_t first = 0, number = 0;  // the first is one only if there are any
};

// ", the first of 3 that differ"
std::string first_of(std::size_t number) {
  return number == 1 ? std::string() : fmt::format(", the first of {} that differ", number);
}

// Elements that differ by more than the tolerance. Equal bits never differ, not even in a NaN.
unequal_elements find_unequal(bytes have, bytes want, scalar type, double tolerance) {
  unequal_elements found;
  const std::size_t size = size_of(type);
  const std::size_t count = std::min(have.size(), want.size()) / size;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(have.data() + i * size, want.data() + i * size, size) == 0) continue;
    if (tolerance > 0 && std::abs(number(have, type, i) - number(want, type, i)) <= tolerance) continue;
    if (found.number++ == 0) found.first = i;
  }
  return found;
}

}  // namespace

std::string first_difference(const simtflow::ptx::device_memory& left, const simtflow::ptx::device_memory& right,
                             const launch_file& launch) {
  const auto a = left.allocations(), b = right.allocations();
  if (a.size() != b.size()) return fmt::format("{} allocations, not {}", a.size(), b.size());
  std::string first;
  std::size_t number = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].bytes.size() != b[i].bytes.size() || a[i].address != b[i].address)
      return fmt::format("{} lies elsewhere", a[i].name);
    const bool is_buffer = i < launch.buffers.size();  // of a variable the bytes are known, and not the type
    const scalar type = is_buffer ? launch.buffers[i].type : scalar::u8;
    const unequal_elements found = find_unequal(a[i].bytes, b[i].bytes, type, 0);
    if (found.number != 0 && number == 0)
      first = fmt::format("{} is {}, not {}",
                          is_buffer ? fmt::format("{}[{}]", a[i].name, found.first)
                                    : fmt::format("byte {} of {}", found.first, a[i].name),
                          shown(a[i].bytes, type, found.first), shown(b[i].bytes, type, found.first));
    number += found.number;
  }
  return number == 0 ? first : first + first_of(number);
}

std::string changes(const simtflow::ptx::device_memory& now, const simtflow::ptx::device_memory& start,
                    const launch_file& launch) {
  std::string all;
  const auto a = now.allocations(), b = start.allocations();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const bool is_buffer = i < launch.buffers.size();  // of a variable the bytes are known, and not the type
    const std::size_t size = is_buffer ? size_of(launch.buffers[i].type) : 1;
    const std::size_t bytes = std::min(a[i].bytes.size(), b[i].bytes.size());
    std::size_t first = bytes, last = 0;
    for (std::size_t k = 0; k < bytes; ++k)
      if (a[i].bytes[k] != b[i].bytes[k]) first = std::min(first, k), last = k;
    if (first == bytes) continue;
    const std::string range = first / size == last / size ? fmt::format("{}", first / size)
                                                          : fmt::format("{}..{}", first / size, last / size);
    if (!all.empty()) all += ", ";
    all += is_buffer       ? fmt::format("{}[{}]", a[i].name, range)
           : first == last ? fmt::format("byte {} of {}", range, a[i].name)
                           : fmt::format("bytes {} of {}", range, a[i].name);
  }
  return all;
}

expectation_result check_expectations(const simtflow::ptx::device_memory& memory, const launch_file& launch) {
  std::map<std::string, std::vector<buffer>> computed;  // by reference program
  std::map<std::string, std::string> met;               // buffers by what they were held against
  expectation_result result;
  for (const expectation& e : launch.expect) {
    const buffer& b = launch.buffers[e.buffer];
    bytes want = e.values;
    std::string source = "the values given";
    if (!e.reference.empty()) {
      auto [at, fresh] = computed.try_emplace(e.reference);
      if (fresh) {
        host_launch run(launch);
        try {
          find_reference(e.reference)(run);
        } catch (const input_error& problem) {
          throw input_error(fmt::format("{}: /expect: reference \"{}\": {}", launch.path, e.reference, problem.what()));
        }
        at->second = run.buffers();
      }
      want = at->second[e.buffer].bytes;
      source = fmt::format("reference {}", e.reference);
    }
    const bytes have = memory.allocations()[e.buffer].bytes;
    if (const auto found = find_unequal(have, want, b.type, e.tolerance); found.number != 0)
      result.broken.push_back(fmt::format("{}[{}] is {}, not {}{} ({})", b.name, found.first,
                                          shown(have, b.type, found.first), shown(want, b.type, found.first),
                                          first_of(found.number), source));
    else
      met[source] += (met[source].empty() ? "" : ", ") + b.name;
  }
  for (const auto& [source, buffers] : met) result.met.push_back(fmt::format("{} = {}", buffers, source));
  return result;
}

}  // namespace lab
