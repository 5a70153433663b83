// SPDX-License-Identifier: BSL-1.0
#include "lab/compare.hpp"

#include "lab/child_process.hpp"
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/launch_values.hpp"
#include "lab/reference_command.hpp"
#include "lab/references.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

namespace lab {
namespace {

using raw_bytes = std::span<const unsigned char>;

struct unequal_elements {
  std::size_t first = 0, number = 0;  // the first is one only if there are any
};

// ", the first of 3 that differ"
std::string first_of(std::size_t number) {
  return number == 1 ? std::string() : fmt::format(", the first of {} that differ", number);
}

// Elements that differ by more than the tolerances. Equal bits never differ, not even in a NaN.
unequal_elements find_unequal(raw_bytes have, raw_bytes want, scalar type, double tolerance = 0, double relative = 0) {
  unequal_elements found;
  const std::size_t size = size_of(type);
  const std::size_t count = std::min(have.size(), want.size()) / size;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(have.data() + i * size, want.data() + i * size, size) == 0) continue;
    if (tolerance > 0 || relative > 0) {
      const double a = number_at(have, type, i), b = number_at(want, type, i);
      if (std::abs(a - b) <= tolerance + relative * std::abs(b)) continue;
    }
    if (found.number++ == 0) found.first = i;
  }
  return found;
}

// The buffer that an allocation is; of a variable the bytes are known, and not the type.
const buffer* buffer_of(const simtflow::ptx::allocation& a, const launch_file& launch) {
  if (a.of_module) return nullptr;
  for (const buffer& b : launch.buffers)
    if (b.name == a.name) return &b;
  return nullptr;
}

}  // namespace

std::string first_difference(const simtflow::ptx::device_memory& left, const simtflow::ptx::device_memory& right,
                             const launch_file& launch) {
  const auto all = left.allocations(), others = right.allocations();
  if (all.size() != others.size()) return fmt::format("{} allocations, not {}", all.size(), others.size());
  std::string first;
  std::size_t number = 0;
  auto other = others.begin();
  for (const simtflow::ptx::allocation& a : all) {
    const simtflow::ptx::allocation& b = *other++;
    if (a == b) continue;
    if (a.bytes.size() != b.bytes.size() || a.address != b.address) return fmt::format("{} lies elsewhere", a.name);
    const buffer* const known = buffer_of(a, launch);
    const scalar type = known != nullptr ? known->type : scalar::u8;
    const raw_bytes have(a.bytes.data(), a.bytes.size()), want(b.bytes.data(), b.bytes.size());
    const unequal_elements found = find_unequal(have, want, type);
    if (found.number != 0 && number == 0)
      first = fmt::format("{} is {}, not {}",
                          known != nullptr ? fmt::format("{}[{}]", a.name, found.first)
                                           : fmt::format("byte {} of {}", found.first, a.name),
                          element_text(have, type, found.first), element_text(want, type, found.first));
    number += found.number;
  }
  return number == 0 ? first : first + first_of(number);
}

std::string changes(const simtflow::ptx::device_memory& now, const simtflow::ptx::device_memory& start,
                    const launch_file& launch) {
  std::string all;
  const auto ones = now.allocations(), others = start.allocations();
  auto other = others.begin();
  for (const simtflow::ptx::allocation& a : ones) {
    if (other == others.end()) break;
    const simtflow::ptx::allocation& b = *other++;
    const buffer* const known = buffer_of(a, launch);
    const std::size_t size = known != nullptr ? size_of(known->type) : 1;
    const std::size_t count = std::min(a.bytes.size(), b.bytes.size());
    std::size_t first = count, last = 0;
    for (std::size_t k = 0; k < count; ++k)
      if (a.bytes[k] != b.bytes[k]) first = std::min(first, k), last = k;
    if (first == count) continue;
    const std::string range = first / size == last / size ? fmt::format("{}", first / size)
                                                          : fmt::format("{}..{}", first / size, last / size);
    if (!all.empty()) all += ", ";
    all += known != nullptr ? fmt::format("{}[{}]", a.name, range)
           : first == last  ? fmt::format("byte {} of {}", range, a.name)
                            : fmt::format("bytes {} of {}", range, a.name);
  }
  return all;
}

namespace {

// The contents that a buffer must have, by a program that runs once for a launch.
raw_bytes computed(const expectation& e, const launch_file& launch, std::string& source) {
  const bool is_own = e.reference.empty();
  const std::string called = is_own ? command_text(e.command) : e.reference;
  source = fmt::format("{} {}", is_own ? "command" : "reference", called);
  const auto [at, fresh] = launch.references->try_emplace(fmt::format("{}{}", source, e.of_file ? " of all" : ""));
  if (fresh && is_own) {
    at->second = run_reference_command(e.command, e.of_file, launch);
  } else if (fresh) {
    host_launch run(launch);
    try {
      find_reference(e.reference)(run);
    } catch (const input_error& problem) {
      throw input_error(fmt::format("{}/expect: reference \"{}\": {}", launch.place(), e.reference, problem.what()));
    }
    at->second = run.buffers();
  }
  return at->second[e.buffer].bytes;
}

}  // namespace

expectation_result check_expectations(const simtflow::ptx::device_memory& memory, const launch_file& launch,
                                      const kernel_file& file) {
  std::map<std::string, std::string> met;  // buffers by what they were held against
  expectation_result result;
  for (const expectation& e : launch.expect) {
    std::string source = "the values given", name;
    std::vector<unsigned char> given;
    raw_bytes have, want;
    scalar type = scalar::u8;
    if (e.variable) {
      const variable_in_memory v =
          find_variable(memory, file, e.variable->name, fmt::format("{}: {}", launch.path, e.variable->where));
      given = bytes_of(*e.variable, v, memory, launch, file);
      have = v.bytes;
      want = given;
      type = e.variable->type.value_or(v.type);
      name = e.variable->name;
    } else {
      const simtflow::ptx::allocation& a = allocation_of(memory, launch, e.buffer);
      have = {a.bytes.data(), a.bytes.size()};
      type = launch.buffers[e.buffer].type;
      name = launch.buffers[e.buffer].name;
      want = e.reference.empty() && e.command.empty() ? raw_bytes(e.values) : computed(e, launch, source);
    }
    if (const auto found = find_unequal(have, want, type, e.tolerance, e.relative); found.number != 0)
      result.broken.push_back(fmt::format("{}[{}] is {}, not {}{} ({})", name, found.first,
                                          element_text(have, type, found.first), element_text(want, type, found.first),
                                          first_of(found.number), source));
    else
      met[source] += (met[source].empty() ? "" : ", ") + name;
  }
  for (const auto& [source, buffers] : met) result.met.push_back(fmt::format("{} = {}", buffers, source));
  return result;
}

}  // namespace lab
