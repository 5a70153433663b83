// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/environment.hpp"

#include <simtflow/cuda/kernel_transforms.hpp>
#include <simtflow/timing/machines.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace cudart {
namespace {

using simtflow::diagnostics;

class reader {
 public:
  reader(variable_lookup look_up, diagnostics& found) : look_up_(look_up), found_(found) {}

  /// The value, nothing if the variable is unset or empty.
  std::optional<std::string_view> text(const char* name) const {
    const char* value = look_up_(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  }

  void read(const char* name, std::string& into) const {
    if (const auto value = text(name)) into = *value;
  }

  void read(const char* name, bool& into) const {
    const auto value = text(name);
    if (!value) return;
    if (*value != "0" && *value != "1") return refuse(name, *value, "0 or 1");
    into = *value == "1";
  }

  template <class Number>
  void read(const char* name, Number& into, std::uint64_t least, std::uint64_t most) const {
    const auto value = text(name);
    if (!value) return;
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (problem != std::errc() || end != value->data() + value->size() || number < least || number > most)
      return refuse(name, *value, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    into = static_cast<Number>(number);
  }

  /// Adds a diagnostic if the value is not one of what there is.
  void refuse(const char* name, std::string_view value, const std::string& instead) const {
    found_.push_back({{}, std::string(name) + "=" + std::string(value.substr(0, 200)) + ": it must be " + instead});
  }

  /// Adds what a reader of the library says of the value.
  void add(const char* name, const diagnostics& why) const {
    for (const auto& one : why)
      found_.push_back({{}, std::string(name) + "=" + std::string(text(name).value_or("")) + ": " + one.message});
  }

 private:
  variable_lookup look_up_;
  diagnostics& found_;
};

bool ends_with_one_of(std::string_view text, std::string_view a, std::string_view b) {
  return text.ends_with(a) || text.ends_with(b);
}

}  // namespace

simtflow::result<environment> read_environment(variable_lookup look_up) {
  environment e;
  diagnostics found;
  const reader from(look_up, found);

  from.read("SIMTFLOW_POLICY", e.device.policy);
  from.add("SIMTFLOW_POLICY", diagnose_policy(e.device));
  from.read("SIMTFLOW_MACHINE", e.device.machine);
  if (!e.device.machine.empty())
    if (const auto machine = simtflow::timing::machine_named(e.device.machine); !machine)
      from.add("SIMTFLOW_MACHINE", machine.diagnostics());
  from.read("SIMTFLOW_JOBS", e.device.threads, 0, 1024);
  from.read("SIMTFLOW_STEPS", e.device.steps, 1, std::uint64_t{1} << 62);
  from.read("SIMTFLOW_CHECK", e.device.check);
  if (const auto names = from.text("SIMTFLOW_TRANSFORM")) {
    for (std::size_t at = 0; at <= names->size();) {
      const std::size_t end = std::min(names->find(',', at), names->size());
      e.device.transforms.emplace_back(names->substr(at, end - at));
      at = end + 1;
    }
    std::string all;
    for (const auto& one : simtflow::cuda::kernel_transforms())
      all += (all.empty() ? "" : ", ") + std::string(one.name);
    for (const std::string& name : e.device.transforms)
      if (std::ranges::none_of(simtflow::cuda::kernel_transforms(), [&](const auto& t) { return t.name == name; }))
        from.refuse("SIMTFLOW_TRANSFORM", *names, "a list with commas of " + all);
  }
  from.read("SIMTFLOW_REPORT", e.report);
  if (!e.report.empty() && !ends_with_one_of(e.report, ".csv", ".json"))
    from.refuse("SIMTFLOW_REPORT", e.report, "a file that ends in .csv or .json");
  from.read("SIMTFLOW_PROFILE", e.profile);
  if (!e.profile.empty() && !e.profile.ends_with(".csv"))
    from.refuse("SIMTFLOW_PROFILE", e.profile, "a file that ends in .csv");
  e.device.profile = !e.profile.empty();
  from.read("SIMTFLOW_RECORD", e.record);
  from.read("SIMTFLOW_LEAKS", e.leaks);
  const auto blocking = from.text("CUDA_LAUNCH_BLOCKING");  // a variable of CUDA
  e.device.blocking = blocking && !blocking->empty() && *blocking != "0";

  if (!found.empty()) return found;
  return e;
}

}  // namespace cudart
