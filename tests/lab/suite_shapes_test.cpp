// SPDX-License-Identifier: BSL-1.0
//
// Every shipped kernel has the control flow that it is there for, after the compiler has been at it: unstructured or
// not, joins that thread frontiers find before the post-dominator, calls, barriers. And the papers' statement on
// exceptions: that they may be thrown costs PDOM dear and thread frontiers only the tests.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/parser.hpp>

#include <doctest/doctest.h>
#include <lab/commands.hpp>
#include <lab/files.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace simtflow;

struct shape {
  std::string_view kernel;
  bool unstructured;  // reduction of structured constructs leaves more than one node
  bool early_joins;   // a thread frontier joins at a block that is no branch's immediate post-dominator
  bool calls;         // of device functions
  bool barriers;
};

constexpr bool yes = true, no = false;

constexpr shape expected[] = {
    // Thread frontiers (Diamos et al., MICRO 2011): kernels with unstructured control flow. The _plain ones are the
    // same tasks without exceptions.
    {"short_circuit", yes, yes, no, no},
    {"exception_loop", yes, yes, no, no},
    {"exception_loop_plain", no, no, no, no},
    {"exception_cond", yes, yes, no, no},
    {"exception_cond_plain", no, no, no, no},
    {"exception_call", yes, yes, yes, no},
    {"exception_call_plain", no, yes, yes, no},
    {"split_merge", yes, yes, yes, no},
    {"mandelbrot", yes, yes, no, no},
    {"suffix_tree", yes, yes, no, no},
    {"path_finding", yes, yes, no, no},
    {"photon_transport", yes, yes, no, no},
    {"background_subtraction", yes, yes, no, no},
    {"mcx", yes, yes, no, no},
    {"ray_caster", yes, yes, no, yes},
    {"bytecode", yes, yes, no, no},
    // Linearization (Anantpur, Govindarajan, CC 2014), where mcx, suffix_tree, ray_caster and hotspot appear as well.
    {"heart_wall", yes, yes, no, yes},
    {"particle_filter", yes, no, no, yes},
    {"n_queens", yes, yes, no, yes},
    // Thread block compaction (Fung, Aamodt, HPCA 2011), the divergent set.
    {"bfs", no, no, no, yes},
    {"face_detection", yes, no, no, yes},
    {"hotspot", no, no, no, yes},
    {"laplace_3d", no, no, no, yes},
    {"nonbonded", no, no, no, yes},
    {"ray_queue", yes, yes, no, yes},
    // The same, the coherent set.
    {"aes", no, no, no, yes},
    {"back_propagation", no, no, no, yes},
    {"coulomb_potential", no, no, no, no},
    {"libor", no, no, no, no},
    {"merge_sort", no, no, no, yes},
    {"neural_net", no, no, no, yes},
    {"stream_cluster", no, no, no, yes},
    {"weather", no, no, no, no},
    // Melding (Saumya, Sundararajah, Kulkarni, CGO 2022); their arms are looked at in melding_shapes_test.cpp.
    {"sb1", no, no, no, no},
    {"sb1_r", no, no, no, no},
    {"sb2", no, no, no, no},
    {"sb2_r", no, no, no, no},
    {"sb3", no, no, no, no},
    {"sb3_r", no, no, no, no},
    {"sb4", no, no, no, no},
    {"sb4_r", no, no, no, no},
    {"bitonic_arms", no, no, no, yes},
    {"odd_even_merge", no, no, no, yes},
    {"bottom_up_merge", no, no, no, yes},
    {"lu_perimeter", no, no, no, yes},
    {"queens_backtrack", no, no, no, no},
    {"srad", no, no, no, yes},
    {"dct_quantize", no, no, no, no},
    // Lanes that wait for each other: locks, collectives of the warp.
    {"spin_lock", no, no, no, no},
    {"spin_lock_flag", no, no, no, no},
    {"warp_reduction", no, no, no, yes},
    // For teaching.
    {"figure1", yes, yes, no, no},
    {"barrier_exception", yes, yes, no, yes},
    {"nested_loops", no, no, no, no},
    {"bitonic_sort", no, no, no, yes},
    {"tree_reduction", no, no, no, yes},
};

std::filesystem::path kernels() { return std::filesystem::path(SIMTFLOW_SOURCE_DIR) / "examples" / "kernels"; }

shape shape_of(const ptx::decoded_kernel& kernel) {
  const csr_graph bodies = kernel.bodies();  // of all its functions
  const auto ends = post_dominators(bodies);
  std::vector<unsigned char> join(bodies.num_blocks(), 0);
  for (block_id b = 0; b < bodies.num_blocks(); ++b)
    if (bodies.successors(b).size() > 1 && ends.ipdoms()[b] != no_block) join[ends.ipdoms()[b]] = 1;

  const csr_graph paths = kernel.cfg();
  const auto order = loop_contiguous_order(paths);
  const auto frontiers = thread_frontiers(paths, order);
  const auto joins_early = [&](block_id b) {
    const std::span<const block_id> frontier = frontiers.of(b);
    return std::any_of(frontier.begin(), frontier.end(), [&](block_id at) {
      const std::span<const block_id> next = paths.successors(b);
      return join[at] == 0 && std::find(next.begin(), next.end(), at) != next.end();
    });
  };
  shape found{kernel.name, structural_residue(bodies) > 1, no, kernel.functions.size() > 1, no};
  for (block_id b = 0; b < paths.num_blocks(); ++b) {
    found.early_joins |= joins_early(b);
    found.barriers |= kernel.barriers()[b] != 0;
  }
  return found;
}

}  // namespace

TEST_CASE("suite: every kernel has the shape that it is there for") {
  std::vector<std::string> seen;
  for (const auto& file : std::filesystem::directory_iterator(kernels())) {
    if (file.path().extension() != ".ptx") continue;
    const auto parsed = ptx::parse(lab::read_text(file.path().string()));
    for (const ptx::kernel& k : parsed->kernels) {
      const std::string& name = k.name;
      CAPTURE(name);
      seen.push_back(name);
      const auto decoded = ptx::decode(*parsed, k);
      REQUIRE(decoded.has_value());
      const shape found = shape_of(*decoded);
      const auto row =
          std::find_if(std::begin(expected), std::end(expected), [&](const shape& s) { return s.kernel == name; });
      REQUIRE(row != std::end(expected));
      CHECK(found.unstructured == row->unstructured);
      CHECK(found.early_joins == row->early_joins);
      CHECK(found.calls == row->calls);
      CHECK(found.barriers == row->barriers);
    }
  }
  for (const shape& s : expected) {
    INFO("kernel := " << std::string(s.kernel));
    CHECK(std::count(seen.begin(), seen.end(), s.kernel) == 1);
  }
}

TEST_CASE("suite: every kernel comes with its source and two sizes of launch") {
  for (const auto& file : std::filesystem::directory_iterator(kernels())) {
    if (file.path().extension() != ".ptx") continue;
    // Two kernels are a drawing's graph with a thread for every path: they have one size.
    const bool drawing = file.path().stem() == "figure1" || file.path().stem() == "barrier_exception";
    for (const char* other : {".cu", ".launch.json", ".bench.launch.json"}) {
      const std::filesystem::path path = std::filesystem::path(file.path()).replace_extension(other);
      CAPTURE(path.string());
      CHECK((std::filesystem::exists(path) || (drawing && other == std::string_view(".bench.launch.json"))));
    }
  }
}

namespace {

// The instructions that the two schemes issue for a launch file with some of its text replaced.
struct issued {
  std::uint64_t pdom = 0, frontiers = 0;
};
issued run(const std::string& kernel, std::string_view text, const std::string& by) {
  std::string launch = lab::read_text((kernels() / (kernel + ".launch.json")).string());
  const std::size_t at = launch.find(text);
  REQUIRE(at != std::string::npos);
  launch.replace(at, text.size(), by);
  const std::string path = "suite_shapes_test.launch.json";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(launch.data(), 1, launch.size(), file) == launch.size());
  REQUIRE(std::fclose(file) == 0);
  lab::run_options options;
  options.kernel_path = (kernels() / (kernel + ".ptx")).string();
  options.launch_path = path;
  options.policies = {"pdom", "tf"};
  const lab::report report = lab::run_kernel(options);
  std::remove(path.c_str());
  INFO(lab::to_text(report, lab::report_format::text));
  CHECK(report.good);
  issued found;
  for (const lab::report_row& row : report.rows)
    (row.policy == "pdom" ? found.pdom : found.frontiers) = row.counts.warp_instructions;
  return found;
}

}  // namespace

TEST_CASE("suite: exceptions that are never thrown cost PDOM, not thread frontiers") {
  struct figure {
    const char* kernel;
    double pdom,
        frontiers;  // with the throws, in multiples of what it is without: the figures of examples/kernels/README.md
  };
  for (const figure& f : {figure{"exception_loop", 4.37, 1.20}, figure{"exception_cond", 2.20, 1.26},
                          figure{"exception_call", 1.62, 1.24}}) {
    const std::string kernel = f.kernel;
    CAPTURE(kernel);
    const std::string name = '"' + kernel + '"';
    const issued with = run(kernel, "\"kernel\": " + name, "\"kernel\": " + name);
    const issued without = run(kernel, "\"kernel\": " + name, "\"kernel\": \"" + kernel + "_plain\"");
    CHECK(without.pdom >= without.frontiers);  // as many, but for the function that both arms call
    CHECK(std::abs(static_cast<double>(with.pdom) / static_cast<double>(without.pdom) - f.pdom) <= 0.005);
    CHECK(std::abs(static_cast<double>(with.frontiers) / static_cast<double>(without.frontiers) - f.frontiers) <=
          0.005);
    // The same data, but now one value in five throws: still what the reference program computes.
    const issued thrown = run(kernel, "{\"u32\": 1000000}", "{\"u32\": 800000}");
    CHECK(thrown.frontiers < thrown.pdom);
  }
}
