// SPDX-License-Identifier: BSL-1.0
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#if !defined(SIMTFLOW_COMPILED)
#error "simtflow::ptx says that its functions are compiled"
#endif

int main() {
  using namespace simtflow;
  const auto m = ptx::parse(".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n");
  if (!m) return 1;
  const auto code = ptx::verify(*m, m->kernels.front());
  return code && ptx::decode(*code) && ptx::meld(*code) ? 0 : 1;
}
