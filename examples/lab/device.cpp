// SPDX-License-Identifier: BSL-1.0
#include "lab/device.hpp"

#include "lab/files.hpp"
#include "lab/json_reader.hpp"
#include "lab/launch_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

bool names_variables(const std::vector<pointer>& pointers) {
  return std::any_of(pointers.begin(), pointers.end(), [](const pointer& p) { return !p.variable.empty(); });
}

// True if all variables of the module have to be there before the launch.
bool needs_module(const launch_file& launch) {
  const auto any = [](const auto& list, auto holds) { return std::any_of(list.begin(), list.end(), holds); };
  return launch.launches.size() > 1 || !launch.variables.empty() ||
         any(launch.buffers, [](const buffer& b) { return names_variables(b.pointers); }) ||
         any(launch.set, [](const auto& one) { return names_variables(one.second.pointers); }) ||
         any(launch.params, [](const parameter& p) { return p.raw && names_variables(p.raw->pointers); }) ||
         any(launch.expect, [](const expectation& e) { return e.variable.has_value(); });
}

std::uint64_t address_of(const pointer& p, const ptx::device_memory& memory, const launch_file& launch,
                         ptx::module_id module) {
  if (p.buffer) return allocation_of(memory, launch, *p.buffer).address + p.offset;
  const std::uint64_t address = memory.symbol(module, p.variable);
  if (address == 0)
    throw input_error(fmt::format("{}: the module has no variable \"{}\" to point at", launch.place(), p.variable));
  return address + p.offset;
}

// Puts addresses into raw memory.
void put_pointers(std::vector<unsigned char>& bytes, const std::vector<pointer>& pointers,
                  const ptx::device_memory& memory, const launch_file& launch, ptx::module_id module) {
  for (const pointer& p : pointers) {
    const std::uint64_t address = address_of(p, memory, launch, module);
    if (p.at + sizeof address <= bytes.size()) std::memcpy(bytes.data() + p.at, &address, sizeof address);
  }
}

// The type of a declaration, with unsigned integers for bits.
scalar scalar_of(ptx::scalar_type type) {
  const std::string_view name = ptx::info(type).name;
  if (const auto known = scalar_named(name)) return *known;
  if (name == "b64") return scalar::u64;
  if (name == "b32") return scalar::u32;
  return name == "b16" ? scalar::u16 : scalar::u8;
}

}  // namespace

ptx::launch_config config_of(const launch_file& f) {
  return {
      {f.grid[0], f.grid[1], f.grid[2]}, {f.block[0], f.block[1], f.block[2]}, f.warp_width, f.dynamic_shared_bytes};
}

ptx::device_memory device_memory_for(const launch_file& launch) {
  if (launch.before) return *launch.before;
  ptx::device_memory memory;
  // Buffers with addresses come first, so that the others find room beside them.
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const buffer& b = launch.buffers[i];
    if (!b.address) continue;
    if (const std::string wrong = memory.allocate_at(*b.address, b.bytes.size(), b.name); !wrong.empty())
      throw input_error(fmt::format("{}: /buffers/{}/address: {}", launch.path, i, wrong));
    (void)memory.write(*b.address, std::span<const unsigned char>(b.bytes));
  }
  for (const buffer& b : launch.buffers)
    if (!b.address) memory.allocate_copy(std::span<const unsigned char>(b.bytes), b.name);
  return memory;
}

const ptx::allocation& allocation_of(const ptx::device_memory& memory, const launch_file& launch, std::size_t buffer) {
  return *memory.find(launch.buffers[buffer].name);
}

void write_data(ptx::device_memory& memory, launch_file& launch, const kernel_file& file) {
  if (needs_module(launch) && file.module) {
    std::string wrong;
    for (const diagnostic& d : memory.load(file.module->module))
      wrong +=
          fmt::format("{}{}:{}:{}: {}", wrong.empty() ? "" : "\n", file.path, d.where.line, d.where.column, d.message);
    if (!wrong.empty()) throw input_error(wrong);
  }
  const ptx::module_id module = file.kernel.from_module;
  const auto write = [&](std::size_t i, buffer& b) {
    put_pointers(b.bytes, b.pointers, memory, launch, module);
    (void)memory.write(allocation_of(memory, launch, i).address, std::span<const unsigned char>(b.bytes));
  };
  if (!launch.before)
    for (std::size_t i = 0; i < launch.buffers.size(); ++i)
      if (!launch.buffers[i].pointers.empty()) write(i, launch.buffers[i]);
  for (auto& [i, b] : launch.set) {
    write(i, b);
    launch.buffers[i].bytes = b.bytes;
  }
  for (const variable_value& v : launch.variables) {
    const variable_in_memory variable =
        find_variable(memory, file, v.name, fmt::format("{}: {}", launch.path, v.where));
    const std::vector<unsigned char> bytes = bytes_of(v, variable, memory, launch, file);
    (void)memory.write(variable.address, std::span<const unsigned char>(bytes));
  }
}

launch_file continued(launch_file launch, const ptx::device_memory& left) {
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const ptx::allocation& a = allocation_of(left, launch, i);
    launch.buffers[i].bytes.assign(a.bytes.begin(), a.bytes.end());
  }
  launch.before = std::make_shared<const ptx::device_memory>(left);
  launch.take(launch.taken + 1);
  return launch;
}

variable_in_memory find_variable(const ptx::device_memory& memory, const kernel_file& file, const std::string& name,
                                 const std::string& asked_by) {
  std::vector<std::string> names;
  if (file.module)
    for (const ptx::variable& v : file.module->module.variables)
      if (v.space == ptx::state_space::global || v.space == ptx::state_space::constant) names.push_back(v.name);
  const std::vector<std::string> meant = names_meant(name, names);
  if (meant.size() != 1)
    throw input_error(
        meant.empty() ? fmt::format("{}: {} has no variable \"{}\" in .global or .const; it has {}", asked_by,
                                    file.path, name, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))
                      : fmt::format("{}: \"{}\" can be each of {}", asked_by, name, fmt::join(meant, ", ")));
  variable_in_memory found;
  for (const ptx::variable& v : file.module->module.variables) {
    if (v.name != meant.front()) continue;
    found.type = scalar_of(v.type);
    found.size = v.size;
    // nvcc declares arrays of any type as bytes.
    if (v.type != ptx::scalar_type::b8) found.elements = static_cast<std::size_t>(v.size / size_of(found.type));
  }
  found.name = meant.front();
  found.address = memory.symbol(file.kernel.from_module, found.name);
  if (const ptx::allocation* a = memory.holding(found.address, found.size); found.address != 0 && a != nullptr)
    found.bytes = {a->bytes.data() + (found.address - a->address), static_cast<std::size_t>(found.size)};
  return found;
}

std::vector<unsigned char> bytes_of(const variable_value& value, const variable_in_memory& variable,
                                    const ptx::device_memory& memory, const launch_file& launch,
                                    const kernel_file& file) {
  const auto refuse_value = [&](const std::string& why) {
    throw input_error(fmt::format("{}: {}: {}", launch.path, value.where, why));
  };
  std::vector<unsigned char> bytes = value.raw.bytes;
  if (!value.numbers.empty()) {
    if (!variable.elements)
      refuse_value(fmt::format("variable {} is declared as {} bytes, so the numbers need a type: {{\"f32\": [...]}}",
                               variable.name, variable.size));
    json_reader r(launch.path, {});
    bytes = read_values(r, nlohmann::json::parse(value.numbers), variable.type, value.where);
    r.finish();
  }
  if (bytes.size() != variable.size)
    refuse_value(fmt::format("{} bytes for variable {}, which has {}", bytes.size(), variable.name, variable.size));
  put_pointers(bytes, value.raw.pointers, memory, launch, file.kernel.from_module);
  return bytes;
}

void override_arguments(launch_file& launch, const ptx::decoded_kernel& kernel, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto refuse_text = [&](const std::string& why) { throw input_error(fmt::format("--arg {}: {}", text, why)); };
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) refuse_text("is no NAME=VALUE");
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    std::vector<std::size_t> meant;
    std::string names;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const std::string& wanted = kernel.parameters[i].name;
      names += (names.empty() ? "" : ", ") + wanted;
      if (wanted == name || std::to_string(i) == name || wanted.ends_with('_' + name)) meant.push_back(i);
      if (wanted == name) {
        meant = {i};
        break;
      }
    }
    if (meant.size() != 1)
      refuse_text(fmt::format("kernel {} has {} parameter of that name; it has {}", kernel.name,
                              meant.empty() ? "no" : "more than one", names.empty() ? "none" : names));
    const std::size_t i = meant.front();
    const bool is_given = i < launch.params.size();
    parameter changed;
    const std::size_t plus = value.find('+');
    for (std::size_t b = 0; b < launch.buffers.size(); ++b)
      if (launch.buffers[b].name == value.substr(0, plus) || launch.buffers[b].name == value) changed.buffer = b;
    if (changed.buffer && plus != std::string::npos && launch.buffers[*changed.buffer].name != value) {
      const auto [rest, problem] =
          std::from_chars(value.data() + plus + 1, value.data() + value.size(), changed.offset);
      if (problem != std::errc() || rest != value.data() + value.size())
        refuse_text("after BUFFER+ stands the number of a byte");
    } else if (!changed.buffer) {
      const ptx::variable& wanted = kernel.parameters[i];
      std::vector<scalar> types;
      if (is_given && !launch.params[i].buffer && !launch.params[i].raw) types.push_back(launch.params[i].type);
      const ptx::type_class kind = ptx::info(wanted.type).kind;
      for (const char letter : {'u', 's', 'f'}) {
        const bool suits = kind == ptx::type_class::bits || (letter == 'f') == (kind == ptx::type_class::floating);
        if (const auto type = scalar_named(fmt::format("{}{}", letter, 8 * wanted.size)); type && suits)
          types.push_back(*type);
      }
      bool fits = false;
      for (const scalar type : types)
        if (const auto bits = fits ? std::nullopt : value_of_word(value, type)) {
          changed.type = type;
          changed.bits = *bits;
          fits = true;
        }
      if (!fits)
        refuse_text(
            fmt::format("is no buffer, and no value of .{} ({} bytes)", ptx::info(wanted.type).name, wanted.size));
    }
    if (i > launch.params.size())
      refuse_text(fmt::format("the launch file gives no parameter {}", launch.params.size()));
    if (is_given)
      launch.params[i] = changed;
    else
      launch.params.push_back(changed);
  }
}

ptx::arguments arguments_for(const ptx::decoded_kernel& kernel, const launch_file& launch,
                             const ptx::device_memory& memory) {
  ptx::arguments args(kernel);
  std::string problems;
  const auto fail = [&](const std::string& where, const std::string& message) {
    problems += fmt::format("{}{}/params{}: {}", problems.empty() ? "" : "\n", launch.place(), where, message);
  };
  for (std::size_t i = 0; i < launch.params.size() && i < kernel.parameters.size(); ++i) {
    const parameter& given = launch.params[i];
    const ptx::variable& wanted = kernel.parameters[i];
    if (given.raw) {
      if (given.raw->bytes.size() != wanted.size) {
        fail(fmt::format("/{}", i),
             fmt::format("{} bytes for parameter {}, which is .{} ({} bytes)", given.raw->bytes.size(), wanted.name,
                         ptx::info(wanted.type).name, wanted.size));
        continue;
      }
      std::vector<unsigned char> bytes = given.raw->bytes;
      put_pointers(bytes, given.raw->pointers, memory, launch, kernel.from_module);
      args.set_bytes(static_cast<std::uint32_t>(i), std::span<const unsigned char>(bytes));
      continue;
    }
    const std::uint64_t bits =
        given.buffer ? allocation_of(memory, launch, *given.buffer).address + given.offset : given.bits;
    const std::size_t size = given.buffer ? kernel.address_size / 8 : size_of(given.type);
    const auto kind = ptx::info(wanted.type).kind;
    const std::string what =
        given.buffer ? "a buffer's address" : fmt::format("a value of type {}", name_of(given.type));
    const bool value_is_float = !given.buffer && is_float(given.type);
    const bool wrong_kind =
        (kind == ptx::type_class::floating && !value_is_float) ||
        (value_is_float && (kind == ptx::type_class::signed_integer || kind == ptx::type_class::unsigned_integer));
    if (size != wanted.size || wrong_kind) {
      fail(fmt::format("/{}", i), fmt::format("{} ({} bytes) for parameter {}, which is .{} ({} bytes)", what, size,
                                              wanted.name, ptx::info(wanted.type).name, wanted.size));
      continue;
    }
    std::array<unsigned char, 8> raw{};
    std::memcpy(raw.data(), &bits, raw.size());
    args.set_bytes(static_cast<std::uint32_t>(i), std::span<const unsigned char>(raw).first(size));
  }
  for (std::size_t i = launch.params.size(); i < kernel.parameters.size(); ++i)
    fail("", fmt::format("no value for parameter {} of kernel {}", kernel.parameters[i].name, kernel.name));
  for (std::size_t i = kernel.parameters.size(); i < launch.params.size(); ++i)
    fail(fmt::format("/{}", i), fmt::format("kernel {} has only {} parameters", kernel.name, kernel.parameters.size()));
  if (!problems.empty()) throw input_error(problems);
  return args;
}

}  // namespace lab
