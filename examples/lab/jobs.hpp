// SPDX-License-Identifier: BSL-1.0
//
// Independent pieces of work on several host threads, with results in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace lab {

/// The host threads that `jobs` asks for: 0 is as many as the host has.
[[nodiscard]] inline std::uint32_t host_threads(std::uint32_t jobs) {
  return jobs != 0 ? jobs : std::thread::hardware_concurrency() == 0 ? 1 : std::thread::hardware_concurrency();
}

/// Calls make(i) for each i < n on `jobs` host threads (0: as many as the host has), and take(i, result) for each
/// result on the calling thread, in the order of i. The results do not depend on `jobs`. With one job nothing
/// else runs during a call. No piece begins that is more than 4 * jobs after the one that is taken, so that few
/// results are held. \throws what make(i) throws, in the place of take(i), or what take() throws; other pieces that
/// have begun end first.
template <class Make, class Take>
void in_order(std::uint32_t jobs, std::size_t n, Make&& make, Take&& take) {
  using made = decltype(make(std::size_t{0}));
  const std::size_t threads = host_threads(jobs);
  if (threads <= 1 || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) take(i, make(i));
    return;
  }
  struct piece {
    std::optional<made> value{};
    std::exception_ptr problem{};
    bool done = false;
  };
  std::vector<piece> pieces(n);
  std::mutex changes;
  std::condition_variable changed;
  std::size_t next = 0, taken = 0;
  bool stops = false;
  const auto work = [&] {
    std::unique_lock lock(changes);
    for (;;) {
      changed.wait(lock, [&] { return stops || next == n || next < taken + 4 * threads; });
      if (stops || next == n) return;
      const std::size_t i = next++;
      lock.unlock();
      piece result;
      try {
        result.value.emplace(make(i));
      } catch (...) {
        result.problem = std::current_exception();
      }
      lock.lock();
      result.done = true;
      pieces[i] = std::move(result);
      changed.notify_all();
    }
  };
  struct team {  // that ends before anything it refers to
    std::vector<std::thread> all{};
    std::mutex& guard;
    std::condition_variable& call;
    bool& stop;
    ~team() {
      {
        const std::scoped_lock lock(guard);
        stop = true;
      }
      call.notify_all();
      for (std::thread& t : all) t.join();
    }
  } workers{{}, changes, changed, stops};
  for (std::size_t w = 0; w < threads && w < n; ++w) workers.all.emplace_back(work);
  for (std::size_t i = 0; i < n; ++i) {
    piece one;
    {
      std::unique_lock lock(changes);
      changed.wait(lock, [&] { return pieces[i].done; });
      one = std::move(pieces[i]);
      taken = i + 1;
    }
    changed.notify_all();
    if (one.problem) std::rethrow_exception(one.problem);
    take(i, *std::move(one.value));
  }
}

}  // namespace lab
