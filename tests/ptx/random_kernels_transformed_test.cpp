// SPDX-License-Identifier: BSL-1.0
//
// Every transform on random kernels with barriers (barrier_kernels.hpp): under each policy that finishes the kernel,
// the transformed kernel finishes as well, and leaves the same memory. A transform may refuse.
//
// A stack leaves open which path of a divergent branch runs first: path_order decides, and a rewritten kernel may
// name the targets of a branch in the opposite order. The order decides about a deadlock if threads end on one path
// and the other path leads to a barrier. If the threads that end run first, only the others are alive when they
// reach the barrier; if they run last, each group waits for the other. Such a kernel finishes by luck, so a
// transformed kernel may stop at such a barrier if the original does so in some order of the paths. The same
// is true of volta: the group that runs first decides who waits at a reconvergence point for threads that go to a
// barrier. It holds for any policy that must choose an order. Nothing is excused under serial, where threads wait at
// barriers only, nor under thread frontiers, where the order is made so that barriers come late.
#include "ptx/barrier_kernels.hpp"
#include "support/long_run.hpp"
#include <simtflow/analysis/barrier_order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/interleave.hpp>
#include <simtflow/ptx/transform/linear_code.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/merge_loops.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/interleave.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using simtflow_tests::barrier_kernel;

namespace {

// --- runs -----------------------------------------------------------------------------------------------------------

enum class way { pdom, tf, volta, serial };
constexpr std::array<std::string_view, 4> way_names = {"pdom", "tf", "volta", "serial"};

struct end_of_run {
  verdict how;
  std::vector<std::uint32_t> memory;
};

// How long a run may get, and how wide warps are: 8 threads of 16, or a width that leaves a warp partial.
struct run_shape {
  std::uint64_t most_blocks = 20'000;
  std::uint32_t warp_width = barrier_kernel::threads / 2;
};

template <class Policy>
end_of_run run_with(Policy policy, const ptx::decoded_kernel& kernel, barrier_model barriers, const run_shape& shape) {
  constexpr std::uint32_t threads = barrier_kernel::threads, words = threads * barrier_kernel::words + 1;
  ptx::device_memory memory;
  const std::uint64_t out = memory.allocate(std::uint64_t{4} * words, "out");
  ptx::arguments arguments(kernel);
  arguments.set(0, out);
  arguments.set(1, out + std::uint64_t{4} * (words - 1));
  ptx::launch_config config;
  config.block[0] = threads;
  config.warp_width = shape.warp_width;
  REQUIRE(ptx::check_launch(kernel, config, arguments).empty());
  ptx::interpreter<> program(kernel, config, memory, arguments);
  end_of_run r;
  executor<Policy> machine(std::move(policy));
  r.how =
      machine.run(program, {threads, config.warp_width, 0, barriers}, [](const auto&) {}, {.steps = shape.most_blocks});
  r.memory.assign(words, 0);
  REQUIRE(memory.read(out, std::span<std::uint32_t>(r.memory)));
  return r;
}

// The stack with the paths of each divergent branch in an order of its own, drawn at random.
class stack_in_any_order : public policies::ipdom_stack {
 public:
  stack_in_any_order(std::span<const block_id> ipdom, std::uint64_t seed)
      : policies::ipdom_stack(ipdom), random_(seed) {}
  void advance(const fragment& f, std::span<const fragment> out) {
    paths_.assign(out.begin(), out.end());
    random_.shuffle(paths_);
    policies::ipdom_stack::advance(f, std::span<const fragment>(paths_));
  }

 private:
  testing::rng random_;
  std::vector<fragment> paths_;
};

// All threads that are left wait.
bool is_stuck(const verdict& v) { return v.how == outcome::barrier_deadlock || v.how == outcome::nothing_runnable; }

// The kernel gets stuck in some order of the paths (pdom) or groups (volta).
bool needs_an_order(way w, const ptx::decoded_kernel& kernel, const run_shape& shape = {}) {
  if (w != way::pdom && w != way::volta) return false;
  const csr_graph g = kernel.cfg();
  const auto tree = post_dominators(g);
  const policies::convergence_table table(g.num_blocks(), policies::ipdom_barriers(g, tree.ipdoms()));
  std::vector<std::uint32_t> rank(g.num_blocks());
  for (std::uint32_t i = 0; i < g.num_blocks(); ++i) rank[i] = i;
  testing::rng random(1);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    random.shuffle(rank);
    policies::convergence_options lowest;
    lowest.order = policies::selection_order::lowest_pc;
    const verdict how =
        w == way::pdom ? run_with(stack_in_any_order(tree.ipdoms(), seed), kernel, barrier_model::whole_warp, shape).how
                       : run_with(policies::convergence_barriers(table, lowest, rank), kernel,
                                  barrier_model::thread_arrival, shape)
                             .how;
    if (is_stuck(how)) return true;
  }
  return false;
}

end_of_run run(way w, const ptx::decoded_kernel& kernel, const run_shape& shape = {}) {
  const csr_graph g = kernel.cfg();
  switch (w) {
    case way::pdom: {
      const auto tree = post_dominators(g);
      return run_with(policies::ipdom_stack(tree.ipdoms()), kernel, barrier_model::whole_warp, shape);
    }
    case way::tf: {
      const std::vector<unsigned char> barriers = kernel.barriers();
      const auto order = barrier_safe_order(g, std::span<const unsigned char>(barriers));
      return run_with(policies::thread_frontier(order.ranks()), kernel, barrier_model::whole_warp, shape);
    }
    case way::volta: {
      const auto tree = post_dominators(g);
      const policies::convergence_table table(g.num_blocks(), policies::ipdom_barriers(g, tree.ipdoms()));
      return run_with(policies::convergence_barriers(table), kernel, barrier_model::thread_arrival, shape);
    }
    case way::serial:
      break;
  }
  return run_with(policies::lane_serial(), kernel, barrier_model::thread_arrival, shape);
}

ptx::decoded_kernel decoded(const ptx::module& m) {
  auto r = ptx::decode(m, m.kernels.front());
  REQUIRE_MESSAGE(r.has_value(), simtflow_tests::text_of(r.diagnostics()) << ptx::print(m));
  return *std::move(r);
}

// --- transforms -----------------------------------------------------------------------------------------------------

enum class step {
  linearize,
  linearize_plainly,
  linearize_somehow,
  copies,
  unify_exits,
  fix_irreducible,
  hub_unstructured,
  hub_random,
  merge_loops,
  merge_inner,
  interleave,
  overlap_arms,
  limit_depth,
  any_closed_set,
  meld,
  fuse,
  tail,
  mask_threads,
  mask_warps
};
struct recipe {
  std::string_view name;
  std::vector<step> steps;
};
const std::vector<recipe>& recipes() {
  static const std::vector<recipe> all = {
      {"linearize", {step::linearize}},
      {"linearize without optimizations", {step::linearize_plainly}},
      {"linearize, any guards and loops", {step::linearize_somehow}},
      {"STRUCT", {step::copies}},
      {"unify-exits", {step::unify_exits}},
      {"fix-irreducible", {step::fix_irreducible}},
      {"hub of unstructured edges", {step::hub_unstructured}},
      {"hub of random edges", {step::hub_random}},
      {"merge-loops", {step::merge_loops}},
      {"merge inner loops", {step::merge_inner}},
      {"interleave", {step::interleave}},
      {"merge inner loops, linearize, interleave where arms wait, meld",
       {step::merge_inner, step::linearize, step::overlap_arms, step::meld}},
      {"linearize, limit-depth, merge loops", {step::linearize, step::limit_depth, step::merge_loops}},
      {"limit-depth", {step::limit_depth}},
      {"linearize, limit-depth", {step::linearize, step::limit_depth}},
      {"linearization of a closed set", {step::any_closed_set}},
      {"meld", {step::meld}},
      {"fuse", {step::fuse}},
      {"tail-merge", {step::tail}},
      {"linearize, meld", {step::linearize, step::meld}},
      {"fix-irreducible, unify-exits, linearize", {step::fix_irreducible, step::unify_exits, step::linearize}},
      {"hub of random edges, linearize", {step::hub_random, step::linearize}},
      {"meld, STRUCT", {step::meld, step::copies}},
      {"masks", {step::mask_threads}},
      {"fix-irreducible, masks of whole warps", {step::fix_irreducible, step::mask_warps}},
  };
  return all;
}

std::vector<block_id> some_blocks(testing::rng& random, const csr_graph& g, unsigned percent) {
  std::vector<block_id> some;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (random.chance(percent)) some.push_back(b);
  random.shuffle(some);
  return some;
}

// nullopt: the transform was refused as a whole.
std::optional<flow_plan> planned(step s, testing::rng& random, const ptx::checked_function& code) {
  const ptx::function_blocks& blocks = code.blocks();
  const csr_graph& g = blocks.graph();
  const auto convergent = [&](block_id b) { return blocks.is_convergent(b); };
  const block_id some = static_cast<block_id>(random.below(g.num_blocks()));
  switch (s) {
    case step::linearize:
      return std::move(linearize(g, {}, convergent).plan);
    case step::linearize_plainly:
      return std::move(linearize(g, {loop_guards::component, guard_optimization::none, {}}, convergent).plan);
    case step::linearize_somehow: {
      linearize_options options;
      options.loops = static_cast<loop_guards>(random.below(3));
      options.optimize = static_cast<guard_optimization>(random.below(5));
      return std::move(linearize(g, options, convergent).plan);
    }
    case step::copies: {
      copied_plan made = structure_by_copies(g, {.max_blocks = 300}, convergent);
      if (!made.report.fits || !made.report.refused.empty()) return std::nullopt;
      return std::move(made.plan);
    }
    case step::unify_exits:
      return std::move(unify_loop_exits(g, convergent).plan);
    case step::fix_irreducible:
      return std::move(fix_irreducible(g, convergent).plan);
    case step::hub_unstructured:
    case step::hub_random: {
      std::vector<edge> edges;
      if (s == step::hub_unstructured) {
        for (const unstructured_edge& e : unstructured_edges(g))
          if (e.where.slot < g.successors(e.where.from).size()) edges.push_back(e.where);
      } else {
        for (const block_id b : some_blocks(random, g, 30))
          for (std::uint32_t k = 0; k < g.successors(b).size(); ++k)
            if (random.chance(70)) edges.push_back({b, k});
      }
      return std::move(with_hub(g, std::span<const edge>(edges), convergent).plan);
    }
    case step::merge_loops: {
      const auto forest = loops(g);
      if (forest.num_loops() == 0) return std::nullopt;
      const block_id header = forest.ids().header(static_cast<loop_id>(random.below(forest.num_loops())));
      return std::move(merge_loops(g, header, guard_optimization::o4, convergent).plan);
    }
    case step::merge_inner: {
      const auto forest = loops(g);
      if (forest.num_loops() == 0) return std::nullopt;
      ptx::merge_options options;  // a loop that is named is merged whether or not that pays
      loop_id l{static_cast<std::uint32_t>(random.below(forest.num_loops()))};
      if (const std::optional<loop_id> outer = forest.parent(l)) l = *outer;
      options.header = forest.header(l);
      return std::move(ptx::merge_loops(code, options).plan);
    }
    case step::interleave:
      return std::move(interleave(g, some, some_blocks(random, g, 100), guard_optimization::none, convergent).plan);
    case step::limit_depth:
      return std::move(limit_stack_depth(g, static_cast<std::uint32_t>(random.between(2, 5)),
                                         {loop_guards::merge, guard_optimization::none, {}}, convergent)
                           .plan);
    default: {
      unstructured_flow<> flow(g);
      closed_blocks set;
      flow.closure(std::span<const block_id>(some_blocks(random, g, 10)), set);
      return std::move(linearize_blocks(g, std::span<const block_id>(set.blocks), {}, convergent).plan);
    }
  }
}

// Proves the plan, and writes it.
void write_plan(ptx::module& m, const flow_plan& plan) {
  ptx::kernel& k = m.kernels.front();
  const ptx::checked_function code = *ptx::verify(m, k);
  if (const std::optional<plan_fault> fault = check_plan(code.blocks().graph(), plan))
    FAIL_CHECK(describe(*fault, plan) << ptx::print(m));
  auto written = ptx::rewrite(code, plan);
  REQUIRE_MESSAGE(written.has_value(), simtflow_tests::text_of(written.diagnostics()));
  k = *std::move(written);
}

// False: the kernel is unchanged.
bool apply(step s, testing::rng& random, ptx::module& m) {
  ptx::kernel& k = m.kernels.front();
  if (s == step::meld || s == step::fuse || s == step::tail) {
    ptx::melding_options options;
    options.search.mode = s == step::meld ? meld_mode::full : s == step::fuse ? meld_mode::fusion : meld_mode::tail;
    options.search.threshold = 0.1;
    auto made = ptx::meld(*ptx::verify(m, k), options);
    REQUIRE_MESSAGE(made.has_value(), simtflow_tests::text_of(made.diagnostics()));
    if (made->report.melded.empty()) return false;
    k = std::move(made->code);
    return true;
  }
  const ptx::checked_function code = *ptx::verify(m, k);
  if (s == step::mask_threads || s == step::mask_warps) {
    using enum ptx::linear_branching;
    auto made = ptx::linearize_partially(code, {s == step::mask_threads ? each_thread : whole_warp});
    if (!made.has_value() || made->report.removed_branches == 0) return false;  // refused, or nothing to do
    k = std::move(made->code);
    return true;
  }
  if (s == step::overlap_arms) {
    auto made = ptx::interleave(code);
    if (!made.has_value() || made->interleaved == 0) return false;
    k = std::move(made->code);
    write_plan(m, made->plan);
    return true;
  }
  const std::optional<flow_plan> plan = planned(s, random, code);
  if (!plan) return false;
  const plan_cost cost = plan->cost();
  if (cost.guards + cost.copies + cost.empties + cost.assignments == 0) return false;
  write_plan(m, *plan);
  return true;
}

struct tally {
  std::vector<std::size_t> changed = std::vector<std::size_t>(recipes().size(), 0);
  std::array<std::size_t, 4> compared{};
  std::size_t order_decides = 0;
};

void check(std::uint64_t seed, tally& all) {
  const barrier_kernel made(seed);
  const auto parsed = ptx::parse(made.text());
  REQUIRE_MESSAGE(parsed.has_value(), "seed " << seed << "\n"
                                              << simtflow_tests::text_of(parsed.diagnostics()) << made.text());
  const ptx::decoded_kernel before = decoded(*parsed);
  run_shape shape;
  if (seed % 4 == 0) shape.warp_width = seed % 8 == 0 ? 5 : 3;
  const run_shape longer{400'000, shape.warp_width};
  std::array<end_of_run, 4> runs;
  for (std::size_t w = 0; w < 4; ++w) runs[w] = run(static_cast<way>(w), before, shape);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t which = (seed * 4 + i) % recipes().size();
    const recipe& how = recipes()[which];
    CAPTURE(seed);
    CAPTURE(how.name);
    ptx::module m = *parsed;
    testing::rng random(seed * 100 + which);
    bool changed = false;
    for (const step s : how.steps) changed = apply(s, random, m) || changed;
    if (!changed) continue;
    ++all.changed[which];
    const ptx::decoded_kernel after = decoded(m);
    for (std::size_t w = 0; w < 4; ++w) {
      if (!runs[w].how.finished()) continue;
      ++all.compared[w];
      const end_of_run now = run(static_cast<way>(w), after, longer);
      if (now.how.finished() && now.memory == runs[w].memory) continue;
      if (is_stuck(now.how) && needs_an_order(static_cast<way>(w), before, shape)) {
        ++all.order_decides;
        continue;
      }
      std::string what = now.how.finished() ? "memory differs from before" : describe(now.how);
      FAIL_CHECK("seed " << seed << ", " << how.name << ", " << way_names[w] << ": before " << describe(runs[w].how)
                         << ", now " << what << "\n"
                         << made.text() << "\n--- becomes\n"
                         << ptx::print(m));
    }
  }
}

}  // namespace

TEST_CASE("random kernels with barriers: every transform leaves memory and verdict as they were") {
  tally all;
  const std::uint64_t kernels = simtflow_tests::times(2000);
  for (std::uint64_t seed = 1; seed <= kernels; ++seed)
    if (simtflow_tests::in_shard(seed)) check(seed, all);
  std::string text;
  for (std::size_t i = 0; i < recipes().size(); ++i)
    text += "\n  " + std::string(recipes()[i].name) + ": " + std::to_string(all.changed[i]);
  for (std::size_t w = 0; w < 4; ++w)
    text += "\n  compared under " + std::string(way_names[w]) + ": " + std::to_string(all.compared[w]);
  text += "\n  not compared, the order of paths or groups decides: " + std::to_string(all.order_decides);
  MESSAGE("kernels changed by" << text);
  if (!simtflow_tests::is_whole()) return;
  for (std::size_t i = 0; i < recipes().size(); ++i) CHECK_MESSAGE(all.changed[i] > 5, recipes()[i].name);
  for (const std::size_t n : all.compared) CHECK(n > kernels / 4);
}

TEST_CASE("random kernels with barriers: kernels that the stack finishes in some orders of the paths only") {
  // Half of the lanes return, the others come to a barrier. The stack finishes if those that return run first, and
  // which path is first is its own choice. (Seeds are no examples: compilers draw random operands in different orders.)
  int finished = 0;
  for (const std::string arms : {"@%q bra OUT; bar.sync 0; ret; OUT: ret;", "@%q bra IN; ret; IN: bar.sync 0; ret;"}) {
    const auto parsed = ptx::parse(
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 sum)\n{ "
        ".reg .b32 %t; .reg .pred %q; mov.u32 %t, %tid.x; and.b32 %t, %t, 1; setp.ne.u32 %q, %t, 0; " +
        arms + " }\n");
    REQUIRE(parsed.has_value());
    if (run(way::pdom, decoded(*parsed)).how.finished()) ++finished;
    CHECK(needs_an_order(way::pdom, decoded(*parsed)));
  }
  CHECK(finished == 1);
  // Threads end early here as well, but at once: no path leads to where they end.
  constexpr const char* text = R"(
.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 sum)
{
.reg .b32 %t, %x;
.reg .pred %p, %q;
mov.u32 %t, %tid.x;
and.b32 %x, %t, 2;
setp.ne.u32 %p, %x, 0;
@%p ret;
and.b32 %x, %t, 1;
setp.ne.u32 %q, %x, 0;
@%q bra ODD;
add.u32 %x, %x, 1;
ODD:
bar.sync 0;
ret;
})";
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed.has_value());
  CHECK(run(way::pdom, decoded(*parsed)).how.finished());
  CHECK_FALSE(needs_an_order(way::pdom, decoded(*parsed)));
}
