// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/calls.hpp"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace cudart {

thread_state& this_thread() {
  thread_local thread_state state;
  return state;
}

void complain(std::string_view line) {
  std::string text = "simtflow: ";
  text += line;
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void say_refused(const char* function, const char* reason, const char* code) {
  static std::mutex lock;
  static std::set<std::string_view> said;
  const std::lock_guard guard(lock);
  if (said.insert(function).second)
    complain(std::string(function) + " is not served and returns " + code + ": " + reason);
}

int refuse(const char* function, const char* reason) {
  say_refused(function, reason, "cudaErrorNotSupported");
  return returned(error::not_supported);
}

}  // namespace cudart
