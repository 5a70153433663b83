// SPDX-License-Identifier: BSL-1.0
#include "lab/signals.hpp"

#include "lab/files.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#if __has_include(<unistd.h>)
#include <signal.h>
#include <unistd.h>
#endif

namespace lab::signals {
namespace {

std::mutex speaking;  // held while last words are spoken
std::function<bool(int)> words_to_say;
std::atomic<int> came{0};

#if __has_include(<unistd.h>)
sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, one);
  return set;
}

void wait_for_signals() {
  const sigset_t set = awaited();
  for (int number = 0; sigwait(&set, &number) == 0;) {
    const bool second = came.exchange(number) != 0;
    {
      const std::scoped_lock lock(speaking);
      if (!second && words_to_say && words_to_say(number)) continue;
      remove_leftovers();
    }
    _exit(128 + number);
  }
}
#endif

}  // namespace

void watch() {
#if __has_include(<unistd.h>)
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t ours = awaited();
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) {  // what is ignored from the start stays so, as under nohup
    struct sigaction old = {};
    if (sigaction(one, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) sigdelset(&ours, one);
  }
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  std::thread(wait_for_signals).detach();
#endif
}

on_stop::on_stop(std::function<bool(int)> last_words) {
  const std::scoped_lock lock(speaking);
  words_to_say = std::move(last_words);
}

on_stop::~on_stop() {
  const std::scoped_lock lock(speaking);
  words_to_say = nullptr;
}

int caught() { return came; }

void end_without_reader() {
#if __has_include(<unistd.h>)
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
#endif
  std::_Exit(1);
}

}  // namespace lab::signals
