// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/contexts.hpp"

#include "cudart/core/process.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace cudart {
namespace {

// Everything lives until the process ends, as the device does.
struct every_context {
  std::mutex lock;
  std::vector<std::unique_ptr<context>> all;  // the first one is the primary one
  std::atomic<bool> begun = false;
  std::atomic<bool> runtime_used = false;

  every_context() {
    all.push_back(std::make_unique<context>());
    all.front()->uses = 0;
    all.front()->id = 1;
  }
};

every_context& contexts() {
  static every_context& one = *new every_context;
  return one;
}

void reset_unused_device() {
  every_context& c = contexts();
  if (is_primary_active()) return;
  {
    const std::lock_guard guard(c.lock);
    if (std::any_of(c.all.begin() + 1, c.all.end(), [](const auto& one) { return one->alive.load(); })) return;
  }
  process_device().reset();
}

}  // namespace

context& primary_context() { return *contexts().all.front(); }

void begin_driver() { contexts().begun.store(true, std::memory_order_relaxed); }

bool is_driver_begun() { return contexts().begun.load(std::memory_order_relaxed); }

void enter_primary_context() {
  std::vector<context*>& current = this_thread().contexts;
  if (!current.empty()) return;
  begin_driver();
  contexts().runtime_used = true;
  current.push_back(&primary_context());
}

bool is_primary_active() { return contexts().runtime_used || primary_context().uses > 0; }

error release_primary_context() {
  std::atomic<int>& uses = primary_context().uses;
  int before = uses;
  while (before > 0 && !uses.compare_exchange_weak(before, before - 1)) continue;
  if (before <= 0) return error::device_uninitialized;
  if (before == 1) reset_unused_device();
  return error::success;
}

context& make_context(unsigned flags) {
  every_context& c = contexts();
  const std::lock_guard guard(c.lock);
  c.all.push_back(std::make_unique<context>());
  c.all.back()->flags = flags;
  c.all.back()->id = c.all.size();
  return *c.all.back();
}

context* find_context(handle of_program) {
  every_context& c = contexts();
  const std::lock_guard guard(c.lock);
  for (const auto& one : c.all)
    if (one.get() == of_program) return one->alive ? one.get() : nullptr;
  return nullptr;
}

void end_context(context& one) {
  one.alive = false;
  std::vector<context*>& current = this_thread().contexts;
  if (!current.empty() && current.back() == &one) current.pop_back();
  reset_unused_device();
}

error why_no_context() {
  if (!is_driver_begun()) return error::initialization_error;
  const std::vector<context*>& current = this_thread().contexts;
  if (current.empty()) return error::device_uninitialized;
  return current.back()->alive ? error::success : error::context_is_destroyed;
}

}  // namespace cudart
