// SPDX-License-Identifier: BSL-1.0
//
// Runs policies on random programs and compares what happens with the laws of policy_laws.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/law_case.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {
namespace detail {

// A random program; the seed decides on everything.
constexpr law_case make_law_case(std::uint64_t seed, const policy_law_options& options, bool barriers, bool core) {
  rng random(mix_bits(seed));
  law_case c;
  c.seed = seed;
  program_options text;
  text.statements = random.between(1, 8);
  cfg_options free;
  free.blocks = random.between(1, options.max_blocks);
  free.max_successors = random.between(1, 4);
  free.exits = random.between(1, 3);
  free.terminating = true;
  free.exit_mark_percent = random.chance(30) ? 20 : 0;
  free.unreachable_percent = random.chance(20) ? 20 : 0;
  const std::size_t kind = random.below(barriers ? 7 : 6);
  if (kind == 0) {
    c.graph = random_acyclic(random, free);
  } else if (kind <= 2) {
    free.reducible = kind == 1;
    c.graph = random_cfg(random, free);
  } else {
    text.break_continue = kind >= 4;
    text.early_return = kind == 5;
    text.barriers = kind == 6;
    text.uniform_percent = text.barriers ? 60 : 25;
    structured_program p = random_structured_program(random, text);
    c.graph = p.graph;
    c.uniform = p.uniform;
    if (text.barriers) c.barriers.assign(c.graph.num_blocks(), 0);
    for (const block_id b : p.barriers) c.barriers[b] = 1;
    if (text.barriers && random.chance(30)) c.barriers.back() = 1;  // all threads end at one
  }
  if (c.uniform.empty()) c.uniform.assign(c.graph.num_blocks(), 0);
  if (random.chance(10))
    for (unsigned char& u : c.uniform) u = 1;
  const std::size_t most = options.max_threads;
  if (core) c.shape.resident_blocks = static_cast<std::uint32_t>(random.between(1, most < 3 ? most : 3));
  c.shape.threads = static_cast<std::uint32_t>(random.between(1, most / c.shape.resident_blocks));
  c.shape.warp_width = static_cast<std::uint32_t>(random.chance(10) ? 1 : random.between(1, options.max_warp_width));
  c.shape.entry = c.graph.entry();
  if (text.barriers) c.shape.barriers = barrier_model::thread_arrival;
  return c;
}

// The fragment that a policy named last, and the instance that named it.
template <class Mask>
struct named_last {
  basic_fragment<Mask> fragment{};
  std::uint32_t instance = 0, instances = 0;
};

// A policy that notes what it names. The executor's verdict says that an answer was wrong; this says what it was.
template <class Policy>
class witness : public Policy {
 public:
  using fragment_type = basic_fragment<typename Policy::mask_type>;
  constexpr witness(const Policy& policy, named_last<typename Policy::mask_type>& last)
      : Policy(policy), last_(&last) {}
  constexpr void start(const fragment_type& f) {
    me_ = last_->instances++;
    Policy::start(f);
  }
  constexpr std::optional<fragment_type> next() {
    const std::optional<fragment_type> f = Policy::next();
    last_->instance = me_;
    last_->fragment = f ? *f : fragment_type{};
    return f;
  }

 private:
  named_last<typename Policy::mask_type>* last_;
  std::uint32_t me_ = 0;
};

// Runs a policy on a case and holds what happens against the laws.
template <class Policy>
class law_judge {
 public:
  using mask = typename Policy::mask_type;

  constexpr law_judge(const law_case& c, const policy_law_options& options, const policy_abilities& can)
      : case_(&c), options_(&options), can_(can), walks_(c.graph, {.seed = c.seed, .patience = 4}, c.uniform) {
    for (std::uint32_t t = 0; t < all_threads(); ++t) {
      alone_.push_back(walks_.path(t));
      visits_ += alone_.back().size();
      all_.add(std::span<const block_id>(alone_.back()));
    }
  }

  constexpr std::optional<broken_law> judge(const Policy& policy) const {
    named_last<mask> last;
    machine_type machine(witness<Policy>(policy, last));
    const watch first = run(machine, last, case_->shape, 0);
    if (const auto f = judge_run(first)) return f;
    const watch second = run(machine, last, case_->shape, 0);
    if (!(second.steps == first.steps))
      return broken("a second run of the same program is not the first over again: start() keeps something", second);
    if (can_.scope == policy_scope::warp)
      if (case_->barriers.empty()) return judge_copies(policy, first);
    return std::nullopt;
  }

 private:
  using machine_type = executor<witness<Policy>>;

  // The steps of a run.
  struct watch {
    outcome how = outcome::finished;
    std::vector<law_step> steps{};
    std::vector<std::uint64_t> passed{};  // barriers to which each thread has come
    std::vector<std::uint64_t> opened{};  // barriers that opened, by thread block
    std::uint32_t threads = 0, width = 0;
    bool shallow = false;
    std::optional<std::uint32_t> early{};  // a thread that did not wait for a barrier to open
    named_last<mask> named{};              // by the last next()

    [[nodiscard]] constexpr bool waits(std::uint32_t t) const { return passed[t] != opened[t / threads]; }
    constexpr void operator()(const event::issued<mask>& e) {
      law_step s;
      s.block = e.block;
      e.lanes.for_each([&](std::uint32_t lane) {
        s.threads.push_back(e.first_thread + lane);
        if (waits(s.threads.back())) early = s.threads.back();
      });
      shallow = shallow || e.depth == 0;
      steps.push_back(s);
    }
    constexpr void operator()(const event::released& e) { ++opened[e.thread_block]; }
  };

  // A program that knows which barriers each thread has come to.
  class threads {
   public:
    constexpr threads(const law_judge& judge, std::uint32_t first, std::uint32_t count, watch& seen)
        : judge_(&judge), first_(first), seen_(&seen) {
      at_.assign(count, 0);
    }
    constexpr block_end run(block_id b, const basic_group<mask>& g, basic_partition<mask>& out) {
      const std::vector<unsigned char>& barriers = judge_->case_->barriers;
      const bool waits = b < barriers.size() && barriers[b] != 0;
      g.lanes.for_each([&](std::uint32_t lane) {
        const std::uint32_t t = g.first_thread + lane;
        const std::vector<block_id>& path = judge_->alone_[first_ + t];
        // A mechanism that runs a thread off its path is found out by its verdict or its path, not here.
        const std::size_t next = ++at_[t];
        if (waits) ++seen_->passed[t];
        out.go(next < path.size() ? path[next] : no_block, mask::lane(lane));
      });
      return waits ? block_end::barrier : block_end::next;
    }

   private:
    const law_judge* judge_;
    std::uint32_t first_;
    watch* seen_;
    std::vector<std::size_t> at_;
  };

  constexpr std::uint32_t all_threads() const { return case_->shape.threads * case_->shape.resident_blocks; }

  constexpr watch run(machine_type& machine, named_last<mask>& last, const launch& shape,
                      std::uint32_t first_thread) const {
    const std::uint32_t count = shape.threads * shape.resident_blocks;
    watch seen;
    seen.threads = shape.threads;
    seen.width = shape.warp_width;
    seen.passed.assign(count, 0);
    seen.opened.assign(shape.resident_blocks, 0);
    last = {};
    threads program(*this, first_thread, count, seen);
    seen.how = machine.run(program, shape, seen, {.steps = visits_ + 1}).how;
    seen.named = last;
    return seen;
  }

  constexpr broken_law broken(const char* sentence, const watch& seen) const {
    broken_law f;
    f.sentence = sentence;
    f.program = *case_;
    f.how = seen.how;
    f.schedule = seen.steps;
    return f;
  }
  constexpr broken_law broken(const char* sentence, const watch& seen, std::uint64_t got,
                              std::uint64_t expected) const {
    broken_law f = broken(sentence, seen);
    f.got = got;
    f.expected = expected;
    return f;
  }

  // The same about a thread.
  constexpr broken_law broken(const char* sentence, const watch& seen, std::uint32_t thread) const {
    broken_law f = broken(sentence, seen);
    f.thread = thread;
    f.stands = stands(seen, thread);
    return f;
  }

  // The block where a thread stands after a run; no_block: it has ended.
  constexpr block_id stands(const watch& seen, std::uint32_t thread) const {
    std::size_t done = 0;
    for (const law_step& s : seen.steps)
      for (const std::uint32_t t : s.threads) done += t == thread ? 1U : 0U;
    return done < alone_[thread].size() ? alone_[thread][done] : no_block;
  }

  // Tells what was wrong with the last answer of next().
  constexpr broken_law wrong_answer(const watch& seen) const {
    const bool warp_scope = can_.scope == policy_scope::warp;
    const block_id block = seen.named.fragment.block;
    const mask& lanes = seen.named.fragment.lanes;
    if (lanes.none()) return broken("next() named a block and no lane", seen);
    const std::uint32_t first = warp_scope ? seen.named.instance * seen.width : 0;
    std::optional<broken_law> f;
    lanes.for_each([&](std::uint32_t lane) {
      if (f) return;
      const std::uint32_t t = first + lane;
      if ((warp_scope && lane >= seen.width) || t >= all_threads()) {
        f = broken("next() named a lane that there is not", seen);
        f->thread = t;
      } else if (seen.waits(t)) {
        f = broken("next() named a thread that waits at a barrier", seen, t);
      } else if (stands(seen, t) == no_block) {
        f = broken("next() named a thread that has ended", seen, t);
      } else if (stands(seen, t) != block) {
        f = broken("next() named a thread at a block where it does not stand", seen, t);
      }
      if (f) f->named = block;
    });
    return f ? *f
             : broken("next() named more threads than a warp has lanes", seen, lanes.count(), case_->shape.warp_width);
  }

  constexpr std::optional<broken_law> judge_run(const watch& seen) const {
    if (seen.early) return broken("a thread passed a barrier before all had come to it", seen, *seen.early);
    if (seen.how == outcome::policy_error) return wrong_answer(seen);
    if (seen.how == outcome::lost_threads || seen.how == outcome::nothing_runnable) {
      const char* const sentence =
          seen.how == outcome::lost_threads
              ? "next() named nobody although a thread is live and does not wait"
              : "next() named nobody and blocked() holds every thread that is live: nobody is left to set them free";
      for (std::uint32_t t = 0; t < all_threads(); ++t)
        if (!seen.waits(t) && stands(seen, t) != no_block) return broken(sentence, seen, t);
      return broken(sentence, seen);
    }
    if (seen.how == outcome::barrier_deadlock)
      return broken("threads wait at a barrier for threads that never run again", seen);
    if (seen.how != outcome::finished) return broken("the run did not come to its end", seen);
    if (seen.shallow && can_.tells_depth) return broken("depth() was 0 while an entry ran", seen);

    std::vector<std::vector<block_id>> path;
    path.assign(all_threads(), {});
    for (const law_step& s : seen.steps) {
      for (const std::uint32_t t : s.threads) path[t].push_back(s.block);
    }
    for (std::uint32_t t = 0; t < all_threads(); ++t) {
      if (path[t] == alone_[t]) continue;
      broken_law f = broken("a thread did not execute the blocks that it executes alone", seen);
      f.thread = t;
      f.path = path[t];
      f.alone = alone_[t];
      return f;
    }

    const std::uint64_t fetches = seen.steps.size();
    if (fetches > visits_)
      return broken("more blocks were executed than all threads visit together", seen, fetches, visits_);
    const std::uint64_t least = least_fetches();
    if (fetches < least) return broken("fewer blocks were executed than the lower bound", seen, fetches, least);
    const launch& shape = case_->shape;
    if (shape.warp_width == 1 && fetches != visits_)
      return broken("warps of one thread did not execute one block for each visit", seen, fetches, visits_);
    if (can_.scope == policy_scope::warp) {
      const std::uint64_t warps = (shape.threads - 1) / shape.warp_width + 1;
      bool uniform = true;
      for (const unsigned char u : case_->uniform) uniform = uniform && u != 0;
      if (options_->merges && uniform && fetches != warps * alone_[0].size())
        return broken("threads that all go the same way did not run together all the way", seen, fetches,
                      warps * alone_[0].size());
      if (options_->optimum_states != 0 && shape.warp_width <= 4) {
        std::uint64_t optimum = 0;
        optimal_schedule search;
        std::vector<std::uint32_t> lanes;
        for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width) {
          lanes.clear();
          for (std::uint32_t t = first; t < shape.threads && t < first + shape.warp_width; ++t) lanes.push_back(t);
          (void)search.find(all_, std::span<const std::uint32_t>(lanes), {},
                            {.states = static_cast<std::size_t>(options_->optimum_states)});
          optimum += search.cost();  // a lower bound in any case
        }
        if (fetches < optimum)
          return broken("fewer blocks were executed than the best schedule has", seen, fetches, optimum);
      }
    }
    return std::nullopt;
  }

  // For each warp and block the most visits of one thread; where warps are formed anew, also no more threads than lanes
  // in one execution.
  constexpr std::uint64_t least_fetches() const {
    const launch& shape = case_->shape;
    const bool fixed = can_.scope == policy_scope::warp;
    const std::uint32_t count = all_threads(), group = fixed ? shape.warp_width : count;
    std::uint64_t sum = 0;
    for (std::uint32_t first = 0; first < count; first += group)
      for (block_id b = 0; b < case_->graph.num_blocks(); ++b) {
        std::uint64_t most = 0, all = 0;
        for (std::uint32_t t = first; t < count && t < first + group; ++t) {
          std::uint64_t n = 0;
          for (const block_id v : alone_[t]) n += v == b ? 1U : 0U;
          all += n;
          if (n > most) most = n;
        }
        const std::uint64_t full = (all + shape.warp_width - 1) / shape.warp_width;
        sum += full > most ? full : most;
      }
    return sum;
  }

  constexpr std::optional<broken_law> judge_copies(const Policy& policy, const watch& together) const {
    const std::uint32_t width = case_->shape.warp_width;
    for (std::uint32_t first = 0; first < case_->shape.threads; first += width) {
      launch shape = case_->shape;
      shape.threads = shape.threads - first < width ? shape.threads - first : width;
      named_last<mask> last;
      machine_type machine(witness<Policy>(policy, last));
      const watch single = run(machine, last, shape, first);
      std::size_t at = 0;
      bool same = true;
      for (const law_step& s : together.steps) {
        if (s.threads.empty() || s.threads[0] / width != first / width) continue;
        same = same && at < single.steps.size() && single.steps[at].block == s.block &&
               single.steps[at].threads.size() == s.threads.size();
        for (std::size_t i = 0; same && i < s.threads.size(); ++i)
          same = single.steps[at].threads[i] + first == s.threads[i];
        ++at;
      }
      if (!same || at != single.steps.size())
        return broken("a warp does not run as it runs alone: copies of the policy share something", together);
    }
    return std::nullopt;
  }

  const law_case* case_;
  const policy_law_options* options_;
  policy_abilities can_;
  random_walks walks_;
  std::vector<std::vector<block_id>> alone_;  // by thread
  block_paths all_;
  std::uint64_t visits_ = 0;
};

// Law 11 for one program with memory.
template <class Policy, class Program>
constexpr std::optional<broken_law> judge_progress(const Policy& policy, const law_case& c, Program program) {
  const basic_verdict<typename Policy::mask_type> v = run(policy, program, c.shape, no_observer{}, {.steps = 100'000});
  if (v.finished()) return std::nullopt;
  broken_law f;
  f.sentence = "the policy calls itself fair, but threads that wait for another one keep it from running";
  f.program = c;
  f.how = v.how;
  return f;
}

// Calls use(box) with the policy that make(c) returns, or that make(c, use) passes on. All policies over masks of one
// type are judged in a box, so the judge and its executor are compiled once for them.
template <class Make, class Use>
void with_policy(Make& make, const law_case& c, const Use& use) {
  const auto boxed = [&]<class Policy>(const Policy& policy) {
    static_assert(check_policy<Policy>());
    using box = basic_any_policy<typename Policy::mask_type>;
    if constexpr (std::same_as<Policy, box>)
      use(policy);
    else
      use(box(policy));
  };
  if constexpr (requires { make(c); })
    boxed(make(c));
  else
    make(c, boxed);
}

}  // namespace detail
}  // namespace testing
}  // namespace v0
}  // namespace simtflow
