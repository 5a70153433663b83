// SPDX-License-Identifier: BSL-1.0
//
// Calls every function that simtflow::ptx compiles, for each PTX file that is named, and prints what they return. CTest
// builds this program twice, header-only and linked to simtflow::ptx, and compares what the two print.
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/linearize.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

using namespace simtflow;

namespace {

void print(const diagnostics& list) {
  for (const diagnostic& d : list) std::printf("%s\n", to_string(d).c_str());
}

void print(const ptx::decoded_kernel& k) {
  std::printf("decoded: %zu blocks, %zu operations, %zu functions\n", k.blocks.size(), k.ops.size(),
              k.functions.size());
  for (const ptx::decoded_op& o : k.ops)
    std::printf("%d %u %u %u %u %u\n", int(o.kind), o.result, o.source[0], o.source[1], o.source[2], o.source[3]);
}

void print_changed(ptx::module m, std::size_t kernel, ptx::function code) {
  m.kernels[kernel] = std::move(code);
  std::printf("%s", ptx::print(m).c_str());
}

void print_all(const ptx::module& m) {
  std::printf("%s", ptx::print(m).c_str());
  print(ptx::diagnose(m));
  const ptx::link_input itself[] = {{&m, "first", false}, {&m, "second", false}};
  const auto linked = ptx::link(itself);
  print(linked.diagnostics());
  if (linked) std::printf("%s", ptx::print(linked->module).c_str());
  for (std::size_t k = 0; k < m.kernels.size(); ++k) {
    const auto decoded = ptx::decode(m, m.kernels[k]);
    print(decoded.diagnostics());
    if (decoded) print(*decoded);
    const auto code = ptx::verify(m, m.kernels[k]);
    print(code.diagnostics());
    if (!code) continue;
    const ptx::function_blocks& blocks = code->blocks();
    const auto convergent = [&](block_id b) { return blocks.is_convergent(b); };
    auto written = ptx::rewrite(*code, linearize(blocks.graph(), {}, convergent).plan);
    print(written.diagnostics());
    if (written) print_changed(m, k, *std::move(written));
    auto melded = ptx::meld(*code);
    print(melded.diagnostics());
    if (melded) print_changed(m, k, std::move(melded->code));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const auto m = ptx::parse(text.str());
    print(m.diagnostics());
    if (m) print_all(*m);
  }
}
