// SPDX-License-Identifier: BSL-1.0
#include "lab/progress.hpp"

#include <fmt/format.h>

namespace lab {

policy_progress::policy_progress(const std::function<void(const std::string&)>& tell) : tell_(&tell) {
  if (tell)
    meter_.emplace([this](std::uint64_t blocks) {
      (*tell_)(fmt::format("{}, {:.1f} million blocks", now_, static_cast<double>(blocks) / 1e6));
    });
}

void policy_progress::begin(const std::string& name) {
  now_ = name;
  if (*tell_) (*tell_)(name);
}

}  // namespace lab
