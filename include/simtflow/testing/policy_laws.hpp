// SPDX-License-Identifier: BSL-1.0
//
// The laws that every reconvergence policy must keep, as one function for your own tests, with any test framework:
// seeded random programs (acyclic, structured, with break, continue and return, reducible, irreducible, with switches,
// several exits, unreachable blocks, barriers) run under the policy, and what breaks a law comes back with everything
// that is needed to see it again.
//
//   const auto finding = testing::check_policy_laws([](const testing::law_case&) { return oldest_first(); });
//   if (finding) std::puts(testing::describe(*finding).c_str());
//
// A policy that needs an analysis is handed on while the analysis lives, or not at all if it cannot run such programs:
//
//   testing::check_policy_laws([](const testing::law_case& c, auto use) {
//     const auto code = structured_control(c.graph);
//     if (code) use(policies::predicate_stack(code.blocks));
//   });
//
// The laws, which hold for any mechanism that is right, however good or bad it is:
//
//   1  every thread executes the blocks that it executes alone (and so: the run ends, no live thread is dropped, run
//      twice at once or run again after its end; the executor says which of these happened)
//   2  a block is executed for at least one thread and at most a warp's width of threads
//   3  executed blocks: at least the lower bound, at most the sum of all threads' visits
//   4  not fewer than the best schedule of each warp (small programs, policies of warp scope)
//   5  threads that all go the same way run together all the way
//   6  warps of one thread: as many executed blocks as visits
//   7  start() forgets everything: a second run of the same program is the first over again
//   8  copies share nothing that changes: each warp runs as if it were alone (policies of warp scope)
//   9  at barriers (parking policies): nobody runs on before all live threads have come
//   10 depth() counts the running entry
//   11 a policy that calls itself fair lets a spin lock and a producer-consumer pair end
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// How much is tried.
struct policy_law_options {
  std::uint64_t first_seed = 1;         ///< programs have the seeds from this one on
  std::size_t programs = 300;           ///< how many
  std::size_t max_blocks = 12;          ///< of unstructured graphs; structured programs may have more
  std::uint32_t max_warp_width = 12;    ///< at most the capacity of the policy's mask
  std::uint32_t max_threads = 24;       ///< of a run; policies of wider scope than a warp: at most the capacity
  std::uint64_t optimum_states = 2000;  ///< of the search for the best schedule; 0: none
  bool merges = true;  ///< false: law 5 is not asked for, the policy runs every thread alone on purpose
};

/// A program to make a policy for.
struct law_case {
  std::uint64_t seed = 0;                 ///< it decides on everything below
  csr_graph graph{};                      ///< the blocks of the program
  std::vector<unsigned char> uniform{};   ///< by block: threads that come together go the same way
  std::vector<unsigned char> barriers{};  ///< by block: it ends in a barrier; empty: none does
  launch shape{};                         ///< threads, width of a warp, entry; of core scope also thread blocks
};

/// Which threads executed which block, in one step.
struct law_step {
  block_id block = no_block;             ///< the executed block
  std::vector<std::uint32_t> threads{};  ///< who executed it, ascending
  friend constexpr bool operator==(const law_step&, const law_step&) = default;
};

/// A broken law and all that is needed to see it again.
struct policy_finding {
  const char* sentence = "";              ///< what is wrong, in words
  law_case program{};                     ///< its seed makes the same program again
  outcome how = outcome::finished;        ///< how the run ended
  std::optional<std::uint32_t> thread{};  ///< whom it happened to
  block_id named = no_block;              ///< where next() saw that thread
  block_id stands = no_block;             ///< where it stands
  std::uint64_t got = 0,                  ///< of a law about numbers: what was counted
      expected = 0;                       ///< what the law wants
  std::vector<block_id> path{},           ///< of law 1: the thread's blocks
      alone{};                            ///< of law 1: its blocks when it runs alone
  std::vector<law_step> schedule{};       ///< all that was executed
};

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

// What a policy named last, and which of its instances did.
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

  constexpr std::optional<policy_finding> judge(const Policy& policy) const {
    named_last<mask> last;
    machine_type machine(witness<Policy>(policy, last));
    const watch first = run(machine, last, case_->shape, 0);
    if (const auto f = judge_run(first)) return f;
    const watch second = run(machine, last, case_->shape, 0);
    if (!(second.steps == first.steps))
      return finding("a second run of the same program is not the first over again: start() keeps something", second);
    if (can_.scope == policy_scope::warp)
      if (case_->barriers.empty()) return judge_copies(policy, first);
    return std::nullopt;
  }

 private:
  using machine_type = executor<witness<Policy>>;

  // What a run did, step by step.
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

  constexpr policy_finding finding(const char* sentence, const watch& seen) const {
    policy_finding f;
    f.sentence = sentence;
    f.program = *case_;
    f.how = seen.how;
    f.schedule = seen.steps;
    return f;
  }
  constexpr policy_finding finding(const char* sentence, const watch& seen, std::uint64_t got,
                                   std::uint64_t expected) const {
    policy_finding f = finding(sentence, seen);
    f.got = got;
    f.expected = expected;
    return f;
  }

  // The same about a thread.
  constexpr policy_finding finding(const char* sentence, const watch& seen, std::uint32_t thread) const {
    policy_finding f = finding(sentence, seen);
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

  // What was wrong with the last answer of next().
  constexpr policy_finding wrong_answer(const watch& seen) const {
    const bool warp_scope = can_.scope == policy_scope::warp;
    const block_id block = seen.named.fragment.block;
    const mask& lanes = seen.named.fragment.lanes;
    if (lanes.none()) return finding("next() named a block and no lane", seen);
    const std::uint32_t first = warp_scope ? seen.named.instance * seen.width : 0;
    std::optional<policy_finding> f;
    lanes.for_each([&](std::uint32_t lane) {
      if (f) return;
      const std::uint32_t t = first + lane;
      if ((warp_scope && lane >= seen.width) || t >= all_threads()) {
        f = finding("next() named a lane that there is not", seen);
        f->thread = t;
      } else if (seen.waits(t)) {
        f = finding("next() named a thread that waits at a barrier", seen, t);
      } else if (stands(seen, t) == no_block) {
        f = finding("next() named a thread that has ended", seen, t);
      } else if (stands(seen, t) != block) {
        f = finding("next() named a thread at a block where it does not stand", seen, t);
      }
      if (f) f->named = block;
    });
    return f ? *f
             : finding("next() named more threads than a warp has lanes", seen, lanes.count(), case_->shape.warp_width);
  }

  constexpr std::optional<policy_finding> judge_run(const watch& seen) const {
    if (seen.early) return finding("a thread passed a barrier before all had come to it", seen, *seen.early);
    if (seen.how == outcome::policy_error) return wrong_answer(seen);
    if (seen.how == outcome::lost_threads || seen.how == outcome::nothing_runnable) {
      const char* const sentence =
          seen.how == outcome::lost_threads
              ? "next() named nobody although a thread is live and does not wait"
              : "next() named nobody and blocked() holds every thread that is live: nobody is left to set them free";
      for (std::uint32_t t = 0; t < all_threads(); ++t)
        if (!seen.waits(t) && stands(seen, t) != no_block) return finding(sentence, seen, t);
      return finding(sentence, seen);
    }
    if (seen.how == outcome::barrier_deadlock)
      return finding("threads wait at a barrier for threads that never run again", seen);
    if (seen.how != outcome::finished) return finding("the run did not come to its end", seen);
    if (seen.shallow && can_.tells_depth) return finding("depth() was 0 while an entry ran", seen);

    std::vector<std::vector<block_id>> path;
    path.assign(all_threads(), {});
    for (const law_step& s : seen.steps) {
      for (const std::uint32_t t : s.threads) path[t].push_back(s.block);
    }
    for (std::uint32_t t = 0; t < all_threads(); ++t) {
      if (path[t] == alone_[t]) continue;
      policy_finding f = finding("a thread did not execute the blocks that it executes alone", seen);
      f.thread = t;
      f.path = path[t];
      f.alone = alone_[t];
      return f;
    }

    const std::uint64_t fetches = seen.steps.size();
    if (fetches > visits_)
      return finding("more blocks were executed than all threads visit together", seen, fetches, visits_);
    const std::uint64_t least = least_fetches();
    if (fetches < least) return finding("fewer blocks were executed than the lower bound", seen, fetches, least);
    const launch& shape = case_->shape;
    if (shape.warp_width == 1 && fetches != visits_)
      return finding("warps of one thread did not execute one block for each visit", seen, fetches, visits_);
    if (can_.scope == policy_scope::warp) {
      const std::uint64_t warps = (shape.threads - 1) / shape.warp_width + 1;
      bool uniform = true;
      for (const unsigned char u : case_->uniform) uniform = uniform && u != 0;
      if (options_->merges && uniform && fetches != warps * alone_[0].size())
        return finding("threads that all go the same way did not run together all the way", seen, fetches,
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
          return finding("fewer blocks were executed than the best schedule has", seen, fetches, optimum);
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

  constexpr std::optional<policy_finding> judge_copies(const Policy& policy, const watch& together) const {
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
        return finding("a warp does not run as it runs alone: copies of the policy share something", together);
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
constexpr std::optional<policy_finding> judge_progress(const Policy& policy, const law_case& c, Program program) {
  const basic_verdict<typename Policy::mask_type> v = run(policy, program, c.shape, no_observer{}, {.steps = 100'000});
  if (v.finished()) return std::nullopt;
  policy_finding f;
  f.sentence = "the policy calls itself fair, but threads that wait for another one keep it from running";
  f.program = c;
  f.how = v.how;
  return f;
}

// make(c) gives the policy, or make(c, use) hands it to use().
template <class Make, class Use>
constexpr void with_policy(Make& make, const law_case& c, Use use) {
  if constexpr (requires { make(c); })
    use(make(c));
  else
    make(c, use);
}

}  // namespace detail

/// Runs the policy that `make` makes on random programs. `make(c)` returns the policy, or `make(c, use)` calls
/// `use(policy)` once, while what the policy refers to lives, or not at all: then the program is left out. A policy of
/// wider scope than a warp takes its warp's width from c.shape.warp_width.
/// \returns the first broken law; empty if all were kept.
/// \pre max_warp_width <= the capacity of the policy's mask; max_blocks, max_warp_width and max_threads are not 0; the
///      policy's class can be derived from, and is one and the same in every call; it takes a graph of one block.
template <class Make>
[[nodiscard]] constexpr std::optional<policy_finding> check_policy_laws(Make make,
                                                                        const policy_law_options& options = {}) {
  std::optional<policy_finding> found;
  bool ran = false;
  const auto judge = [&](const law_case& c) {
    detail::with_policy(make, c, [&](const auto& policy) {
      ran = true;
      using policy_type = std::remove_cvref_t<decltype(policy)>;
      found = detail::law_judge<policy_type>(c, options, abilities_of(policy)).judge(policy);
    });
  };
  // Barriers only where part of a warp can wait: what a whole-warp barrier does depends on where the policy meets.
  bool barriers = false, fair = false, core = false;
  law_case one_block;
  one_block.graph = csr_builder(1).build();
  one_block.uniform.assign(1, 0);
  detail::with_policy(make, one_block, [&](const auto& policy) {
    const policy_abilities can = abilities_of(policy);
    barriers = can.parks;
    fair = can.progress == progress_class::fair;
    core = can.scope == policy_scope::core;
  });
  for (std::size_t i = 0; i < options.programs && !found; ++i)
    judge(detail::make_law_case(options.first_seed + i, options, barriers, core));
  if (!ran && options.programs != 0) {
    found.emplace();
    found->sentence = "no program was run: make() handed on a policy for none of them";
  }

  for (std::uint32_t threads = 2; fair && threads <= options.max_warp_width && !found; ++threads) {
    law_case c;
    c.shape.threads = c.shape.warp_width = threads;
    const auto progress = [&](const csr_graph& graph, const auto& program) {
      if (found) return;
      c.graph = graph;
      c.uniform.assign(graph.num_blocks(), 0);
      detail::with_policy(make, c, [&](const auto& policy) { found = detail::judge_progress(policy, c, program); });
    };
    progress(spin_lock::graph(), spin_lock());
    progress(producer_consumer::graph(), producer_consumer(0));
    progress(producer_consumer::graph(), producer_consumer(threads - 1));
  }
  return found;
}

/// A finding in words, line by line: what is wrong with whom, the program, and what was executed.
[[nodiscard]] inline std::string describe(const policy_finding& f) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  const auto blocks = [&](const std::vector<block_id>& path) {
    std::string all;
    for (const block_id b : path) all += " BB" + number(b);
    return all + "\n";
  };
  std::string text = f.sentence;
  if (f.thread) text += ": thread " + number(*f.thread);
  if (f.named != no_block) text += ", named at BB" + number(f.named);
  if (f.stands != no_block) text += ", stands at BB" + number(f.stands);
  if (f.got != f.expected) text += ": got " + number(f.got) + ", expected " + number(f.expected);
  text += "\n";
  if (!f.path.empty() || !f.alone.empty()) text += "  went   " + blocks(f.path) + "  alone  " + blocks(f.alone);
  const launch& shape = f.program.shape;
  text += "program of seed " + number(f.program.seed) + ": " + number(shape.threads) + " threads in warps of " +
          number(shape.warp_width);
  if (shape.resident_blocks > 1) text += ", " + number(shape.resident_blocks) + " thread blocks";
  text += "\n";
  for (block_id b = 0; b < f.program.graph.num_blocks(); ++b) {
    text += b == shape.entry ? "> BB" : "  BB";
    text += number(b);
    if (b < f.program.barriers.size() && f.program.barriers[b] != 0) text += " (barrier)";
    text += " ->";
    const auto out = f.program.graph.successors(b);
    text += blocks(std::vector<block_id>(out.begin(), out.end()));
  }
  text += "executed\n";
  for (const law_step& s : f.schedule) {
    text += "  BB" + number(s.block) + " threads";
    for (const std::uint32_t t : s.threads) text += " " + number(t);
    text += "\n";
  }
  return text;
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
