// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/listener.hpp"

#include "cudart/core/calls.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>

namespace cudart {
namespace {

std::atomic<simtflow::cuda::device*> watched = nullptr;
std::atomic<bool> kernel_runs = false;
std::atomic<int> pending_signal = 0;

void die_of(int signal_number) {
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// The first signal ends the kernel; a second one ends the process at once.
void on_signal(int signal_number) {
  if (!kernel_runs || pending_signal.exchange(signal_number) != 0) return die_of(signal_number);
  watched.load()->stop();
}

}  // namespace

std::string launch_log::open(const environment& chosen) {
  const auto wrong = [](const char* variable, const std::string& why) {
    return why.empty() ? why : std::string(variable) + "=" + why;
  };
  if (!chosen.report.empty())
    if (std::string why = wrong("SIMTFLOW_REPORT", report_.open(chosen.report)); !why.empty()) return why;
  if (!chosen.profile.empty())
    if (std::string why = wrong("SIMTFLOW_PROFILE", profile_.open(chosen.profile)); !why.empty()) return why;
  if (!chosen.record.empty()) return wrong("SIMTFLOW_RECORD", recorder_.open(chosen.record));
  return {};
}

void launch_log::watch(simtflow::cuda::device& device) {
  watched = &device;
  for (const int one : {SIGINT, SIGTERM})
    if (const auto old = std::signal(one, on_signal); old != SIG_DFL) std::signal(one, old);
}

void launch_log::started(const simtflow::cuda::launch_start& launch) {
  recorder_.before(launch);
  kernel_runs = true;
}

void launch_log::finished(const simtflow::cuda::launch_row& row) {
  kernel_runs = false;
  report_.add(row);
  profile_.add(row);
  if (const std::string problem = recorder_.after(row); !problem.empty()) complain(problem);
  if (!row.fault.empty()) complain(row.fault);
  if (!row.other_order.empty()) complain(readable_name(row.kernel) + ": " + row.other_order);
  if (row.differs) complain(readable_name(row.kernel) + ", launch " + std::to_string(row.number) + ": " + row.check);
  if (const int signal_number = pending_signal; signal_number != 0) die_of(signal_number);
}

void launch_log::printed(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void launch_log::remark(std::string_view line) { complain(line); }

}  // namespace cudart
