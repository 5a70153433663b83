// SPDX-License-Identifier: BSL-1.0
#include "lab/own_parts.hpp"

#include "lab/files.hpp"
#include "lab/lab.hpp"
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machines.hpp>

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace lab {
namespace {

// In a function, so that it is there before the first registration in another file.
struct registrations {
  bool closed = false;
  std::vector<std::string> wrong;
  std::vector<make_columns> columns;
  std::vector<own_machine> machines;
};

registrations& all() {
  static registrations one;
  return one;
}

}  // namespace

void must_not_have_started() {
  if (all().closed)
    throw input_error("a registration comes too late: the tool has started; register at namespace scope");
}

bool note(const simtflow::diagnostics& wrong) {
  for (const simtflow::diagnostic& d : wrong) all().wrong.push_back(d.message);
  return wrong.empty();
}

bool add_columns(make_columns make) {
  must_not_have_started();
  all().columns.push_back(make);
  return true;
}

bool register_machine(std::string name, std::string summary, simtflow::timing::machine machine) {
  must_not_have_started();
  simtflow::diagnostics wrong;
  const auto refuse = [&](const std::string& why) {
    wrong.push_back({{}, fmt::format("a machine cannot be registered as \"{}\": {}", name, why)});
  };
  if (name.empty()) refuse("the name is empty");
  if (name.find_first_of("/ ") != std::string::npos || name.ends_with(".json")) refuse("a file could have the name");
  for (const simtflow::timing::shipped_machine& m : simtflow::timing::shipped_machines())
    if (m.name == name) refuse("a machine that ships has this name");
  for (const own_machine& m : all().machines)
    if (m.name == name) refuse("another registered machine has this name");
  for (const auto& fault : simtflow::timing::diagnose(machine)) refuse(fault.message);
  if (wrong.empty()) {
    machine.name = name;
    all().machines.push_back({std::move(name), std::move(summary), std::move(machine)});
  }
  return note(wrong);
}

std::vector<std::unique_ptr<own_columns>> columns_of_one_run() {
  std::vector<std::unique_ptr<own_columns>> made;
  for (const make_columns make : all().columns) made.push_back(make());
  return made;
}

std::span<const own_machine> own_machines() { return all().machines; }

void close_registrations() {
  all().closed = true;
  if (!all().wrong.empty()) throw input_error(fmt::format("{}", fmt::join(all().wrong, "\n")));
}

}  // namespace lab
