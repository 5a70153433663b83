// SPDX-License-Identifier: BSL-1.0
//
// A program with everything in one file: a PTX module is parsed. Ends with 0 if all is as it must be.
#include "simtflow_all.hpp"

int main() {
  const auto m = simtflow::ptx::parse(".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }\n");
  return m && m->kernels.size() == 1 ? 0 : 1;
}
