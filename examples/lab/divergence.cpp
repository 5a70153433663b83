// SPDX-License-Identifier: BSL-1.0
#include "lab/divergence.hpp"

#include "lab/block_places.hpp"
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/io/describe_uniformity.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/def_use.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lab {

using namespace simtflow;

namespace {

// One function of a decoded kernel.
class function_divergence {
 public:
  function_divergence(const ptx::checked_function& f, const ptx::decoded_kernel& kernel, const block_places& places,
                      std::uint32_t number)
      : text_(f.text()), places_(places), blocks_(f.blocks()), program_(f), uniform_(blocks_.graph(), program_) {
    std::uint32_t first = ptx::no_index;  // instructions of the functions stand one after the other
    for (const ptx::decoded_block& b : kernel.blocks)
      if (b.function == number && b.weight != 0) first = std::min(first, b.last_instruction + 1 - b.weight);
    decoded_.assign(blocks_.size(), no_block);
    for (block_id b = 0; b < kernel.blocks.size(); ++b) {
      const ptx::decoded_block& block = kernel.blocks[b];
      if (block.function != number || block.weight == 0) continue;
      const std::uint32_t last = block.last_instruction - first;
      const block_id at = blocks_.block_of(last);
      if (blocks_[at].last == last + 1) decoded_[at] = b;
    }
  }

  void mark(std::vector<branch_kind>& branches) const {
    const csr_graph& g = blocks_.graph();
    for (block_id at = 0; at < blocks_.size(); ++at) {
      if (decoded_[at] == no_block) continue;
      bool divergent = uniform_.is_divergent_branch(at), known = g.successors(at).size() > 1;
      if (!known && is_guarded_end(at)) {
        known = true;
        divergent = is_divergent_end(at);
      }
      if (known) branches[decoded_[at]] = divergent ? branch_kind::divergent : branch_kind::uniform;
    }
  }

  void describe(std::vector<std::string>& lines) const {
    const std::string words = simtflow::describe(
        blocks_.graph(), uniform_, program_, names{this}, [this](value_id v) { return name_of_value(v); },
        std::numeric_limits<std::size_t>::max());
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = words.find('\n', at);
      lines.push_back(words.substr(at, end - at));
      at = end + 1;
    }
    for (block_id at = 0; at < blocks_.size(); ++at)  // describe() reports only branches with two successors
      if (is_guarded_end(at))
        lines.push_back(fmt::format("{} {}: threads end here under {}", name_of_branch(at),
                                    is_divergent_end(at) ? "divergent" : "uniform",
                                    text_.registers[text_.instructions[blocks_[at].last - 1].guard].name));
  }

 private:
  // True if threads end here under a guard while the others continue.
  bool is_guarded_end(block_id at) const {
    const csr_graph& g = blocks_.graph();
    return blocks_[at].first != blocks_[at].last && g.successors(at).size() == 1 && g.is_exit(at) &&
           text_.instructions[blocks_[at].last - 1].guard != ptx::no_index;
  }
  bool is_divergent_end(block_id at) const {
    const std::uint32_t last = blocks_[at].last - 1;
    bool divergent = false;
    for (const ptx::register_value_ref& r : program_.reads(last))
      if (r.reg == text_.instructions[last].guard && r.value != no_value)
        divergent = uniform_.is_divergent_at(r.value, at);
    return divergent;
  }

  struct names {
    const function_divergence* of;
    std::string operator()(block_id b) const { return of->name_of_block(b); }
    std::string branch(block_id b) const { return of->name_of_branch(b); }
  };
  std::string name_of_block(block_id b) const { return places_.name(text_, blocks_, b); }
  std::string name_of_branch(block_id b) const {
    const position where = text_.instructions[blocks_[b].last - 1].where;
    return fmt::format("{} ({})", places_.name_at(where, name_of_block(b)), places_.line_at(where));
  }
  std::string name_of_value(value_id v) const {
    const std::uint32_t reg = program_.register_of(v), i = program_.instruction_of(v);
    std::string name = reg == ptx::no_index               ? std::string("an unset register")
                       : reg == program_.carry_register() ? std::string("the carry flag")
                                                          : text_.registers[reg].name;
    if (i == ptx::no_index)
      return program_.is_phi(v) ? name + " as " + name_of_block(program_.block_of(v)) + " finds it" : name;
    const ptx::instruction& text = text_.instructions[i];
    if (program_.is_source(v)) {
      std::string what = text.opcode;
      for (const ptx::operand& o : text_.operands_of(text))
        if (o.kind == ptx::operand_kind::special) what = ptx::to_string(static_cast<ptx::special_register>(o.index));
      name += " = " + what;
    }
    return program_.is_source(v) ? fmt::format("{} ({})", name, places_.line_at(text.where)) : name;
  }

  const ptx::function& text_;
  const block_places& places_;
  const ptx::function_blocks& blocks_;
  ptx::def_use program_;
  uniformity_analysis<csr_graph> uniform_;
  std::vector<block_id> decoded_;  // by block of the text: the block that ends with it
};

// Calls visit(analysis, number, function) for the kernel and for each function that it may call.
template <class Visit>
void for_each_function(const ptx::module& module, const ptx::kernel& text, const ptx::decoded_kernel& kernel,
                       Visit visit) {
  const block_places places(kernel);
  for (std::uint32_t k = 0; k < kernel.functions.size(); ++k) {
    const ptx::function* f = k == 0 ? &text : nullptr;
    for (const ptx::function& other : module.functions)
      if (k != 0 && other.name == kernel.functions[k].name && other.has_body) f = &other;
    if (f == nullptr) continue;
    const result<ptx::checked_function> code = ptx::verify(module, *f);  // it has been decoded: nothing is wrong
    visit(function_divergence(*code, kernel, places, k), k, *f);
  }
}

// Writes what one function says of branches that nothing is known of.
void mark(const function_divergence& one, std::vector<branch_kind>& branches) {
  std::vector<branch_kind> found(branches.size(), branch_kind::unmarked);
  one.mark(found);
  for (block_id b = 0; b < found.size(); ++b)
    if (found[b] != branch_kind::unmarked && branches[b] == branch_kind::unanalysed) branches[b] = found[b];
}

// Before the analysis of any function: unmarked if there is only one way.
std::vector<branch_kind> unanalysed_branches(const ptx::decoded_kernel& kernel) {
  std::vector<branch_kind> branches;
  const csr_graph cfg = kernel.cfg();
  for (block_id b = 0; b < kernel.blocks.size(); ++b) {
    const bool leaves = cfg.is_exit(b) || kernel.blocks[b].end == ptx::block_exit::trap;
    branches.push_back(cfg.successors(b).size() + (leaves ? 1U : 0U) > 1 ? branch_kind::unanalysed
                                                                         : branch_kind::unmarked);
  }
  return branches;
}

}  // namespace

kernel_divergence divergence_of(const ptx::module& module, const ptx::kernel& text, const ptx::decoded_kernel& kernel) {
  kernel_divergence out{unanalysed_branches(kernel), {}};
  for_each_function(module, text, kernel,
                    [&](const function_divergence& one, std::uint32_t number, const ptx::function& f) {
                      mark(one, out.branches);
                      if (number != 0) out.lines.push_back(fmt::format("function {}", f.name));
                      one.describe(out.lines);
                    });
  return out;
}

std::vector<unsigned char> uniform_branches(const ptx::module& module, const ptx::kernel& text,
                                            const ptx::decoded_kernel& kernel) {
  std::vector<branch_kind> branches = unanalysed_branches(kernel);
  for_each_function(module, text, kernel,
                    [&](const function_divergence& one, std::uint32_t, const ptx::function&) { mark(one, branches); });
  std::vector<unsigned char> uniform;
  for (const branch_kind k : branches) uniform.push_back(k == branch_kind::uniform ? 1 : 0);
  return uniform;
}

}  // namespace lab
