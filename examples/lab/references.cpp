// SPDX-License-Identifier: BSL-1.0
#include "lab/references.hpp"

#include "lab/files.hpp"
#include "lab/own_columns.hpp"

#include <fmt/core.h>

#include <map>
#include <string>

namespace lab {
namespace {

// In a function, so that it is there before the first registration in another file.
std::map<std::string_view, reference_program>& programs() {
  static std::map<std::string_view, reference_program> all;
  return all;
}

}  // namespace

reference::reference(std::string_view name, reference_program program) {
  if (!programs().emplace(name, program).second)
    note({{{}, fmt::format("there are two reference programs \"{}\"", name)}});
}

void host_array_base::refuse_type() const {
  throw input_error(fmt::format("the reference program expects other elements in buffer \"{}\"", buffer_->name));
}

void host_array_base::refuse_index(std::size_t i) const {
  throw input_error(fmt::format("the reference program needs element {} of buffer \"{}\", which has {}", i,
                                buffer_->name, buffer_->count));
}

const parameter& host_launch::value_of(std::size_t i, scalar type) const {
  if (i >= file_.params.size() || file_.params[i].buffer || file_.params[i].type != type)
    throw input_error(fmt::format("the reference program expects a {} as parameter {}", name_of(type), i));
  return file_.params[i];
}

std::uint32_t host_launch::size(std::size_t i) const {
  if (const std::uint32_t n = u32(i); n != 0) return n;
  throw input_error(fmt::format("the reference program expects parameter {} not to be 0", i));
}

buffer& host_launch::buffer_of(std::size_t i) {
  if (i >= file_.params.size() || !file_.params[i].buffer)
    throw input_error(fmt::format("the reference program expects a buffer as parameter {}", i));
  return buffers_[*file_.params[i].buffer];
}

reference_program find_reference(std::string_view name) {
  const auto at = programs().find(name);
  return at == programs().end() ? nullptr : at->second;
}

std::vector<std::string_view> reference_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, program] : programs()) names.push_back(name);
  return names;
}

}  // namespace lab
