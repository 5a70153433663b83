// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 19: other sources of divergence, and a vote.
#include "../toy_ir_adapter.hpp"
#include <simtflow/analysis/uniformity.hpp>

#include <cstdio>

int main() {
  const auto print = [](const char* what, const ir::sum_below& program) {
    const ir_values values(program.f);
    const auto uniform = simtflow::uniformity(program.f, values);
    std::printf("%s:", what);
    for (const auto& b : program.f.blocks)
      if (b->condition != nullptr)
        std::printf(" %s is %s;", b->name.c_str(), uniform.is_divergent_branch(b.get()) ? "divergent" : "uniform");
    const auto i = ir_values::id(program.i);
    std::printf(" i in done %s\n", uniform.is_divergent_at(i, program.done) ? "differs" : "is the same");
  };
  ir::sum_below own_count, vote;
  print("as in the unit", ir::sum_below());
  own_count.n->what = ir::opcode::thread_number;
  print("1: every thread has its own n", own_count);
  vote.small->what = ir::opcode::vote;
  print("2: the condition is a vote", vote);
  return 0;
}
