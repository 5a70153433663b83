// SPDX-License-Identifier: BSL-1.0
#include "lab/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lab {

std::string time_left::words(std::size_t done, std::size_t all) const {
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (done == 0 || done >= all || passed < 2) return {};
  const double left = passed / static_cast<double>(done) * static_cast<double>(all - done);
  if (left < 90) return fmt::format(", {:.0f} s left", left);
  if (left < 90 * 60) return fmt::format(", {:.0f} min left", left / 60);
  return fmt::format(", {:.1f} h left", left / 3600);
}

policy_progress::policy_progress(const std::function<void(const std::string&)>& tell, std::size_t runs)
    : tell_(&tell), runs_(runs) {
  if (tell)
    meter_.emplace([this](std::uint64_t blocks) {
      const std::scoped_lock lock(changes_);
      show(fmt::format(", {:.1f} million blocks", static_cast<double>(blocks) / 1e6));
    });
}

void policy_progress::show(const std::string& how_far) const {
  if (!*tell_ || now_.empty()) return;
  const std::string of_all =
      runs_ == 0 ? std::string() : fmt::format("[{}/{}{}] ", finished_, runs_, clock_.words(finished_, runs_));
  (*tell_)(fmt::format("{}{}{}", of_all, fmt::join(now_, " + "), how_far));
}

void policy_progress::begin(const std::string& name) {
  const std::scoped_lock lock(changes_);
  now_.push_back(name);
  show("");
}

void policy_progress::end(const std::string& name) {
  const std::scoped_lock lock(changes_);
  if (const auto at = std::find(now_.begin(), now_.end(), name); at != now_.end()) now_.erase(at);
}

void policy_progress::finish_one() {
  const std::scoped_lock lock(changes_);
  ++finished_;
  show("");
}

}  // namespace lab
