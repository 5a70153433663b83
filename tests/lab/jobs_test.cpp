// SPDX-License-Identifier: BSL-1.0
//
// Work on several host threads comes back in order, and somebody who watches is told of what runs.
#include "lab/jobs.hpp"

#include "lab/progress.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

TEST_CASE("jobs: results come in order, whatever takes long, and few are held") {
  for (const std::uint32_t jobs : {0U, 1U, 2U, 5U}) {
    CAPTURE(jobs);
    const std::size_t threads = lab::host_threads(jobs);
    for (const std::size_t n : {0U, 1U, 7U, 60U}) {
      CAPTURE(n);
      std::atomic<std::size_t> taken{0}, running{0};
      std::atomic<bool> ahead{false}, many{false};
      std::vector<std::size_t> got;
      lab::in_order(
          jobs, n,
          [&](std::size_t i) {
            if (++running > threads) many = true;
            if (i > taken.load() + 4 * threads) ahead = true;
            std::this_thread::sleep_for(std::chrono::microseconds((i * 37) % 5 * 100));
            --running;
            return i * i;
          },
          [&](std::size_t i, std::size_t value) {
            CHECK(value == i * i);
            got.push_back(i);
            ++taken;
          });
      REQUIRE(got.size() == n);
      for (std::size_t i = 0; i < n; ++i) CHECK(got[i] == i);
      CHECK_FALSE(ahead);
      CHECK_FALSE(many);
    }
  }
}

TEST_CASE("jobs: the first problem in the order of the work is thrown, and what came before it was taken") {
  for (const std::uint32_t jobs : {1U, 3U}) {
    CAPTURE(jobs);
    std::size_t taken = 0;
    const auto work = [](std::size_t i) {
      if (i == 5) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // later than the next problem
      if (i >= 5) throw std::runtime_error(std::to_string(i));
      return i;
    };
    CHECK_THROWS_WITH(lab::in_order(jobs, 40, work, [&](std::size_t, std::size_t) { ++taken; }), "5");
    CHECK(taken == 5);
    const auto stops = [](std::size_t i, std::size_t) {
      if (i == 2) throw std::runtime_error("taken");
    };
    CHECK_THROWS_WITH(lab::in_order(
                          jobs, 4, [](std::size_t i) { return i; }, stops),
                      "taken");
  }
}

TEST_CASE("progress: several policies at a time") {
  std::vector<std::string> told;
  const std::function<void(const std::string&)> tell = [&](const std::string& what) { told.push_back(what); };
  {
    lab::policy_progress progress(tell, 3);
    progress.begin("tf");
    progress.begin("tbc");
    progress.end("tf");
    progress.finish_one();
    progress.meter()->count(1000);  // too soon after the start to be shown
    progress.end("tbc");
    progress.finish_one();  // nothing runs
    progress.begin("volta");
  }
  CHECK(told == std::vector<std::string>{"[0/3] tf", "[0/3] tf + tbc", "[1/3] tbc", "[2/3] volta"});
  told.clear();
  lab::policy_progress unnumbered(tell);
  unnumbered.begin("tf");
  CHECK(told == std::vector<std::string>{"tf"});
  const std::function<void(const std::string&)> nobody;
  lab::policy_progress silent(nobody, 3);
  silent.begin("tf");
  silent.end("tf");
  CHECK(silent.meter() == nullptr);

  // Host threads share it: each message is whole, and no end is lost.
  told.clear();
  lab::policy_progress shared(tell, 200);
  {
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
      all.emplace_back([&shared, t] {
        for (int i = 0; i < 50; ++i) {
          shared.begin(std::to_string(t));
          shared.meter()->count(1);
          shared.end(std::to_string(t));
          shared.finish_one();
        }
      });
    for (std::thread& t : all) t.join();
  }
  shared.begin("last");
  CHECK(told.back() == "[200/200] last");
}
