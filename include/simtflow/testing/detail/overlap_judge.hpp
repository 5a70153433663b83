// SPDX-License-Identifier: BSL-1.0
//
// Runs overlapping policies with several fragments in flight, which advance in random order, and compares what happens
// with the laws of overlapping_policy (simt/policy.hpp). The driver is a small executor of its own: threads follow the
// blocks that they visit alone, and barriers open once all live threads of a thread block have come.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/testing/law_case.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/testing/random_walks.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {
namespace detail {

template <class Policy>
class overlap_judge {
 public:
  using mask = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask>;

  overlap_judge(const law_case& c, const policy_abilities& can) : case_(&c), can_(can) {
    const random_walks walks(c.graph, {.seed = c.seed, .patience = 4}, c.uniform);
    for (std::uint32_t t = 0; t < c.shape.threads * c.shape.resident_blocks; ++t) {
      alone_.push_back(walks.path(t));
      visits_ += alone_.back().size();
    }
  }

  // \pre the policy overlaps.
  std::optional<broken_law> judge(const Policy& policy) {
    if (const auto f = run(policy, 1, false)) return f;
    const std::vector<law_step> by_next = steps_;
    if (const auto f = run(policy, 1, true)) return f;
    if (!(by_next == steps_)) return broken("take() does not name what next() names although nothing is in flight");
    for (const std::size_t window : {std::size_t{2}, std::size_t{3}, alone_.size()})
      if (const auto f = run(policy, window, true)) return f;
    return std::nullopt;
  }

 private:
  enum class state : unsigned char { stands, flies, waits, ended };

  struct instance {
    Policy policy;
    std::uint32_t first, count;  // threads
  };
  struct flight {
    std::size_t instance;
    fragment_type f;
  };
  // Threads of one thread block that have come to a barrier together.
  struct parked {
    std::size_t instance;
    mask lanes;
    std::uint32_t thread_block;
  };

  [[nodiscard]] broken_law broken(const char* sentence) const {
    broken_law f;
    f.sentence = sentence;
    f.program = *case_;
    f.schedule = steps_;
    return f;
  }
  [[nodiscard]] broken_law broken(const char* sentence, std::uint32_t thread, block_id named) const {
    broken_law f = broken(sentence);
    f.thread = thread;
    f.named = named;
    f.stands = stands_at(thread);
    return f;
  }
  [[nodiscard]] block_id stands_at(std::uint32_t t) const {
    return at_[t] < alone_[t].size() ? alone_[t][at_[t]] : no_block;
  }

  void start(const Policy& policy) {
    const launch& shape = case_->shape;
    at_.assign(alone_.size(), 0);
    state_.assign(alone_.size(), state::stands);
    flying_.clear();
    parked_.clear();
    steps_.clear();
    all_.clear();
    const auto all = static_cast<std::uint32_t>(alone_.size());
    std::uint32_t wide = all;
    if (can_.scope != policy_scope::core) wide = shape.threads;
    for (std::uint32_t block = 0; block < all; block += wide)
      for (std::uint32_t first = 0; first < wide;) {
        std::uint32_t count = wide - first;
        if (can_.scope == policy_scope::warp && count > shape.warp_width) count = shape.warp_width;
        all_.push_back({policy, block + first, count});
        if constexpr (policy_with_first_thread<Policy>)
          if (can_.asks_first_thread) all_.back().policy.first_thread(block + first);
        all_.back().policy.start({shape.entry, mask::first_lanes(count)});
        first += count;
      }
  }

  // One run with at most `window` fragments in flight.
  std::optional<broken_law> run(const Policy& policy, std::size_t window, bool by_take) {
    start(policy);
    rng random(mix_bits(case_->seed + window));
    for (std::uint64_t left = 4 * visits_ + 4; left != 0; --left) {
      const bool ahead = flying_.size() < window && (flying_.empty() || random.chance(60));
      if (ahead) {
        bool named = false;
        const std::size_t turn = random.below(all_.size());
        for (std::size_t k = 0; k < all_.size() && !named; ++k) {
          const std::size_t i = (turn + k) % all_.size();
          const auto f = by_take ? all_[i].policy.take() : all_[i].policy.next();
          if (!f) continue;
          named = true;
          if (auto law = judge_named(all_[i], *f)) return law;
          flying_.push_back({i, *f});
        }
        if (named) continue;
        if (flying_.empty()) {
          if (open_barriers() || let_go()) continue;
          for (std::uint32_t t = 0; t < alone_.size(); ++t)
            if (state_[t] != state::ended)
              return broken("take() named nobody although nothing is in flight and a thread is live", t, no_block);
          return std::nullopt;
        }
      }
      land(random.below(flying_.size()));
      (void)open_barriers();
    }
    return broken("a run with fragments in flight did not come to its end");
  }

  std::optional<broken_law> judge_named(const instance& me, const fragment_type& f) {
    if (f.lanes.none()) return broken("take() named a block and no lane");
    if (f.lanes.count() > case_->shape.warp_width) return broken("take() named more threads than a warp has lanes");
    law_step s;
    s.block = f.block;
    std::optional<broken_law> law;
    f.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = me.first + lane;
      if (law) return;
      if (lane >= me.count)
        law = broken("take() named a lane that there is not");
      else if (state_[t] == state::flies)
        law = broken("take() named a thread that is in flight", t, f.block);
      else if (state_[t] == state::waits)
        law = broken("take() named a thread that waits at a barrier", t, f.block);
      else if (stands_at(t) != f.block)
        law = broken("take() named a thread at a block where it does not stand", t, f.block);
      else
        s.threads.push_back(t);
    });
    if (law) return law;
    for (const std::uint32_t t : s.threads) state_[t] = state::flies;
    steps_.push_back(std::move(s));
    return std::nullopt;
  }

  // A fragment in flight has run.
  void land(std::size_t i) {
    const flight done = flying_[i];
    flying_[i] = flying_.back();
    flying_.pop_back();
    instance& me = all_[done.instance];
    const bool waits = done.f.block < case_->barriers.size() && case_->barriers[done.f.block] != 0;
    done.f.lanes.for_each([&](std::uint32_t lane) { ++at_[me.first + lane]; });
    if (waits) {
      for (mask rest = done.f.lanes; rest.any();) {
        const std::uint32_t block = (me.first + rest.first()) / case_->shape.threads;
        mask here{};
        rest.for_each([&](std::uint32_t lane) {
          if ((me.first + lane) / case_->shape.threads == block) here.set(lane);
        });
        rest -= here;
        here.for_each([&](std::uint32_t lane) { state_[me.first + lane] = state::waits; });
        parked_.push_back({done.instance, here, block});
      }
      if constexpr (parking_policy<Policy>) me.policy.park(done.f);
      return;
    }
    targets(me, done.f.lanes);
    me.policy.advance(done.f, out_.fragments());
  }

  // Sends lanes where they go; threads without a next block end.
  void targets(const instance& me, const mask& lanes) {
    out_.clear();
    lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = me.first + lane;
      state_[t] = stands_at(t) == no_block ? state::ended : state::stands;
      out_.go(stands_at(t), mask::lane(lane));
    });
  }

  // Opens the barriers of thread blocks that have come as a whole. Returns true if there is one.
  bool open_barriers() {
    bool any = false;
    for (std::uint32_t block = 0; block < case_->shape.resident_blocks && !parked_.empty(); ++block) {
      bool complete = true, waits = false;
      for (std::uint32_t i = 0; i < case_->shape.threads; ++i) {
        const state s = state_[std::size_t{block} * case_->shape.threads + i];
        complete = complete && (s == state::waits || s == state::ended);
        waits = waits || s == state::waits;
      }
      if (!complete || !waits) continue;
      any = true;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < parked_.size(); ++i) {
        const parked p = parked_[i];
        if (p.thread_block != block) {
          parked_[kept++] = p;
          continue;
        }
        instance& me = all_[p.instance];
        targets(me, p.lanes);
        if constexpr (parking_policy<Policy>) {
          mask gone = p.lanes;
          for (const fragment_type& o : out_.fragments()) gone -= o.lanes;
          if constexpr (policy_with_ended<Policy>)
            if (gone.any() && can_.hears_of_ended) me.policy.ended(gone);
          for (const fragment_type& o : out_.fragments()) me.policy.release(o);
        }
      }
      while (parked_.size() > kept) parked_.pop_back();
    }
    return any;
  }

  bool let_go() {
    bool any = false;
    if constexpr (policy_that_lets_go<Policy>)
      if (can_.lets_go)
        for (instance& me : all_) any = me.policy.let_go() || any;
    return any;
  }

  const law_case* case_;
  policy_abilities can_;
  std::vector<std::vector<block_id>> alone_;  // by thread
  std::uint64_t visits_ = 0;
  std::vector<std::size_t> at_;  // by thread: blocks that it has executed
  std::vector<state> state_;     // by thread
  std::vector<instance> all_;
  std::vector<flight> flying_;
  std::vector<parked> parked_;
  std::vector<law_step> steps_;
  basic_partition<mask> out_;
};

}  // namespace detail
}  // namespace testing
}  // namespace v0
}  // namespace simtflow
