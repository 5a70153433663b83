// SPDX-License-Identifier: BSL-1.0
//
// The examples of the reference for PTX: `\snippet reference_ptx_test.cpp NAME` shows the lines between two marks.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/transform/linearize.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace simtflow;

namespace {

constexpr const char* text = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .u32 %r<4>;
  .reg .u64 %rd<4>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra SMALL;
  add.u32 %r2, %r1, 100;
  bra STORE;
SMALL:
  add.u32 %r2, %r1, 7;
STORE:
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

}  // namespace

TEST_CASE("reference: from text to melded code") {
  //! [parse]
  const result<ptx::module> parsed = ptx::parse(text);
  CHECK(parsed);
  CHECK(!ptx::parse("nonsense").diagnostics().empty());
  //! [parse]
  const ptx::module& module = *parsed;
  //! [verify]
  const result<ptx::checked_function> checked = ptx::verify(module, module.kernels.front());
  CHECK(checked);
  //! [verify]
  //! [print]
  CHECK(ptx::parse(ptx::print(module)));
  //! [print]
  //! [decode]
  const result<ptx::decoded_kernel> kernel = ptx::decode(*checked);
  CHECK(kernel->cfg().num_blocks() == 4);
  //! [decode]
  //! [uniformity]
  const ptx::def_use values(*checked);
  const csr_graph& g = checked->blocks().graph();
  CHECK(uniformity(g, values).is_divergent_branch(0));  // %p1 comes from %tid.x
  //! [uniformity]
  //! [rewrite]
  const result<ptx::function> rewritten = ptx::rewrite(*checked, linearize(g).plan);
  CHECK(rewritten);
  //! [rewrite]
  //! [meld]
  const result<ptx::melding> melded = ptx::meld(*checked);
  CHECK(melded->report.melded.size() == 1);  // both arms add
  //! [meld]
}
