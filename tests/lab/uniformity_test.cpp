// SPDX-License-Identifier: BSL-1.0
//
// Uniformity of the shipped kernels, against what their threads do: values that are said to be uniform are equal in all
// lanes that run an instance together, branches that are said to be uniform send them one way.
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/launch_file.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

// The values of a kernel's own code, and what is said of them.
struct analysed {
  const ptx::function& text;
  ptx::checked_function code;
  const ptx::function_blocks& blocks;
  ptx::def_use program;
  loop_forest<csr_graph> loops;
  uniformity_analysis<csr_graph> uniform;

  analysed(const ptx::module& m, const ptx::function& f)
      : text(f),
        code(*ptx::verify(m, f)),
        blocks(code.blocks()),
        program(code),
        loops(blocks.graph()),
        uniform(blocks.graph(), program) {}
};

// Looks at registers after every block. Blocks of the text are split further when they are decoded.
class watched_kernel : public ptx::interpreter<> {
 public:
  watched_kernel(const analysed& a, const ptx::decoded_kernel& k, const ptx::launch_config& l,
                 ptx::device_memory& memory, const ptx::arguments& args)
      : ptx::interpreter<>(k, l, memory, args), a_(a), tracker_(a.loops.ids()), visits_(k.blocks.size(), 0) {}

  std::uint64_t compared = 0;
  std::vector<std::string> wrong;

  void begin(const simtflow::launch& shape) {
    ptx::interpreter<>::begin(shape);
    tracker_.start();
    instance_.assign(num_threads(), 0);
  }

  block_end run(block_id b, const group& g, partition& out) {
    const ptx::decoded_block& block = kernel().blocks[b];
    const bool mine = block.function == 0 && block.weight != 0;
    const std::uint32_t last = block.last_instruction, first = last + 1 - block.weight;
    const block_id at = mine ? a_.blocks.block_of(last) : 0;
    if (mine && a_.blocks[at].first == first)
      g.lanes.for_each([&](std::uint32_t lane) {
        const std::uint32_t thread = g.first_thread + lane;
        instance_[thread] = tracker_.enter(thread, at, thread / warp_width());
      });
    const block_end end = ptx::interpreter<>::run(b, g, out);
    if (mine && end != block_end::fault && (++visits_[b] < 60 || visits_[b] % 64 == 0)) look(first, last, at, g, out);
    return end;
  }

 private:
  void look(std::uint32_t first, std::uint32_t last, block_id at, const group& g, const partition& out) {
    std::map<std::uint32_t, value_id> written;  // the last value of each register
    for (std::uint32_t i = first; i <= last; ++i)
      for (const ptx::register_value_ref& w : a_.program.writes(i)) {
        const std::string_view opcode = a_.text.instructions[i].opcode;
        written[w.reg] = opcode.starts_with("bar") || opcode.starts_with("call") ? no_value : w.value;
      }
    for (const auto& [reg, v] : written) {
      if (v == no_value || reg == a_.program.carry_register() || a_.uniform.is_divergent(v)) continue;
      const std::string& name = a_.text.registers[reg].name;
      compare(g, name, [&](std::uint32_t thread) { return register_value(thread, name); });
    }
    if (a_.blocks[at].last != last + 1 || a_.blocks.graph().successors(at).size() < 2) return;
    if (a_.uniform.is_divergent_branch(at)) return;
    compare(g, "the branch of block " + std::to_string(at), [&](std::uint32_t thread) {
      for (const auto& f : out.fragments())
        if (f.lanes.test(thread - g.first_thread)) return std::uint64_t{f.block};
      return std::uint64_t{no_block};
    });
  }
  template <class F>
  void compare(const group& g, const std::string& what, const F& of) {
    std::map<std::uint32_t, std::uint64_t> seen;  // by instance
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t thread = g.first_thread + lane;
      const std::uint64_t now = of(thread);
      const auto [found, fresh] = seen.try_emplace(instance_[thread], now);
      if (fresh) return;
      ++compared;
      if (found->second != now && wrong.size() < 5)
        wrong.push_back(what + " in thread " + std::to_string(thread) + ": " + std::to_string(now) + ", others " +
                        std::to_string(found->second));
    });
  }

  const analysed& a_;
  detail::iteration_tracker<> tracker_;
  std::vector<std::uint32_t> instance_;  // by thread: the iteration vector of its block
  std::vector<std::uint64_t> visits_;    // by block: the first ones are looked at, then some
};

struct shipped {
  std::string name;
  lab::launch_file launch;
  ptx::module module;
};

template <class F>
void for_each_shipped(F&& f) {
  const std::filesystem::path folder = std::filesystem::path(SIMTFLOW_SOURCE_DIR) / "examples" / "kernels";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".launch.json") && !entry.path().string().ends_with(".bench.launch.json"))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    shipped s;
    s.name = path.filename().string();
    s.name.resize(s.name.find('.'));
    s.launch = lab::parse_launch_file(lab::read_text(path.string()), path.string());
    const auto parsed = ptx::parse(lab::read_text((folder / (s.name + ".ptx")).string()));
    REQUIRE(parsed.has_value());
    s.module = *parsed;
    f(s);
  }
}

}  // namespace

TEST_CASE("uniformity: what is said to be uniform in a shipped kernel is, in all lanes that run together") {
  std::uint64_t all = 0;
  std::size_t kernels = 0, uniform = 0, divergent = 0, uniform_branches = 0, divergent_branches = 0;
  for_each_shipped([&](const shipped& s) {
    CAPTURE(s.name);
    const ptx::module& m = s.module;
    const ptx::kernel* text = s.launch.kernel.empty() ? &m.kernels.front() : m.find(s.launch.kernel);
    REQUIRE(text != nullptr);
    const auto decoded = ptx::decode(m, *text);
    REQUIRE(decoded.has_value());
    const analysed a(m, *text);
    for (std::uint32_t v = 2; v < a.program.num_values(); ++v)
      ++(a.uniform.is_divergent(value_id{v}) ? divergent : uniform);
    for (block_id b = 0; b < a.blocks.size(); ++b)
      if (a.blocks.graph().successors(b).size() > 1)
        ++(a.uniform.is_divergent_branch(b) ? divergent_branches : uniform_branches);
    const auto tree = post_dominators(decoded->bodies());
    const auto order = loop_contiguous_order(decoded->cfg());
    for (int which = 0; which < 2; ++which) {
      ptx::device_memory memory = lab::device_memory_for(s.launch);
      const ptx::arguments arguments = lab::arguments_for(*decoded, s.launch, memory);
      const ptx::launch_config config = lab::config_of(s.launch);
      watched_kernel program(a, *decoded, config, memory, arguments);
      const launch shape{program.num_threads(), program.warp_width(), 0,
                         which == 0 ? barrier_model::whole_warp : barrier_model::thread_arrival};
      for (std::uint64_t block = 0; block < config.num_blocks() && block < 2; ++block) {
        program.select_block_number(block);
        const limits few{.steps = 20'000};
        no_observer observer;
        if (which == 0)
          (void)executor<policies::ipdom_stack>(policies::ipdom_stack(tree.ipdoms()))
              .run(program, shape, observer, few);
        else
          (void)executor<policies::thread_frontier>(policies::thread_frontier(order.ranks()))
              .run(program, shape, observer, few);
      }
      for (const std::string& w : program.wrong) FAIL_CHECK(w);
      all += program.compared;
    }
    ++kernels;
  });
  MESSAGE(kernels << " kernels, " << uniform << " uniform and " << divergent << " divergent values, "
                  << uniform_branches << " uniform and " << divergent_branches << " divergent branches, " << all
                  << " comparisons");
  CHECK(kernels > 30);
  CHECK(all > 100'000);
}
