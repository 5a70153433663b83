// SPDX-License-Identifier: BSL-1.0
//
// The kernels of the melding paper (C. Saumya, K. Sundararajah, M. Kulkarni, CGO 2022) still have the branches that they
// are there for when the compiler is done: divergent, with code in both arms, of the paper's forms.
#include "lab/files.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/ptx/def_use.hpp>
#include <simtflow/ptx/function_blocks.hpp>
#include <simtflow/ptx/parser.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// A divergent branch whose arms both do something. An arm is written as the blocks from its begin to the join: b is a
// block, (X|Y) the two ways on from a branch, ^ an edge back to the begin of a loop. Blocks that only jump are not
// written.
struct arms {
  std::string taken, other;
  bool alike = false;                          // the same opcodes in both, jumps aside
  unsigned taken_shared = 0, other_shared = 0;  // accesses to shared memory
};

constexpr bool yes = true, no = false;

// By kernel, its branches in the order of the text.
const std::map<std::string, std::vector<arms>> expected = {
    // Synthetic: a diamond; an if-then region on both sides; two of them, with a block before the second on the left;
    // three ways. With -R the arms compute differently.
    {"sb1", {{"b", "b", yes, yes}}},
    {"sb1_r", {{"b", "b", no, yes}}},
    {"sb2", {{"b(|b)", "b(|b)", yes, yes}}},
    {"sb2_r", {{"b(|b)", "b(|b)", no, yes}}},
    {"sb3", {{"b(|b)b(|b)", "b(|b)b(|b)", no, yes}}},
    {"sb3_r", {{"b(|b)b(|b)", "b(|b)b(|b)", no, yes}}},
    {"sb4", {{"b", "b(b|b)", no, yes}, {"b", "b", yes, yes}}},
    {"sb4_r", {{"b", "b(b|b)", no, yes}, {"b", "b", no, yes}}},
    // Real: BIT, PCM, MS, LUD (which loads, computes and stores), NQU, SRAD (rows, columns, limits), DCT.
    {"bitonic_arms", {{"b(|b)", "b(|b)", no, yes}}},
    {"odd_even_merge", {{"bb(b|b)b(^|)", "bb(b|b)b(|^)", no, yes}, {"b", "b", yes, yes}, {"b", "b", yes, yes}}},
    {"bottom_up_merge", {{"b", "b", yes, yes}}},
    {"lu_perimeter", {{"b", "b", no, yes}, {"b", "b", no, yes}, {"b", "b", no, yes}}},
    {"queens_backtrack", {{"b", "b(b|b)", no, no}, {"b", "b", no, no}}},
    {"srad",
     {{"b", "b(b|b)", no, yes},
      {"b", "b", no, yes},
      {"b", "b(b|b)", no, yes},
      {"b", "b", no, yes},
      {"b", "b(b|b)", no, yes},
      {"b", "b", yes, yes}}},
    {"dct_quantize", {{"b", "b", no, no}}},
};

std::string words(const std::vector<arms>& all) {
  std::string out;
  for (const arms& a : all)
    out += a.taken + " / " + a.other + (a.alike ? ", alike" : "") + ", shared " +
           std::to_string(a.taken_shared) + " / " + std::to_string(a.other_shared) + "; ";
  return out;
}

class arms_of {
 public:
  arms_of(const ptx::module& m, const ptx::function& f)
      : text_(f), blocks_(m, f), program_(f, blocks_), uniform_(blocks_.graph(), program_), ends_(blocks_.graph()) {}

  std::vector<arms> all() {
    std::vector<arms> found;
    for (block_id b = 0; b < blocks_.size(); ++b) {
      if (blocks_.graph().successors(b).size() != 2 || !uniform_.is_divergent_branch(b)) continue;
      const arm taken = walk(b, 0), other = walk(b, 1);
      if (taken.opcodes.empty() || other.opcodes.empty()) continue;
      found.push_back({taken.shape, other.shape, taken.opcodes == other.opcodes, taken.shared, other.shared});
    }
    return found;
  }

 private:
  struct arm {
    std::string shape;
    std::multiset<std::string> opcodes;
    unsigned shared = 0;
  };

  // From the slot'th way on from branch b to the block behind the branch.
  arm walk(block_id b, std::size_t slot) {
    arm a;
    std::set<block_id> seen{b};
    const block_id join = ends_.ipdoms()[b];
    if (join != no_block) follow(blocks_.graph().successors(b)[slot], join, seen, a);
    return a;
  }
  // Recursion is as deep as branches are nested.
  void follow(block_id at, block_id join, std::set<block_id>& seen, arm& a) {
    while (at != join) {
      if (!seen.insert(at).second) {
        a.shape += '^';
        return;
      }
      bool works = false;
      for (std::uint32_t i = blocks_[at].first; i < blocks_[at].last; ++i) {
        const std::string& opcode = text_.instructions[i].opcode;
        if (opcode.starts_with("bra")) continue;
        works = true;
        a.opcodes.insert(opcode);
        if (opcode.find(".shared") != std::string::npos) ++a.shared;
      }
      if (works) a.shape += 'b';
      const auto next = blocks_.graph().successors(at);
      if (next.size() == 1) {
        at = next[0];
        continue;
      }
      const block_id behind = ends_.ipdoms()[at];
      a.shape += '(';
      follow(next[0], behind, seen, a);
      a.shape += '|';
      follow(next[1], behind, seen, a);
      a.shape += ')';
      at = behind;
    }
  }

  const ptx::function& text_;
  ptx::function_blocks blocks_;
  ptx::def_use program_;
  uniformity_analysis<csr_graph> uniform_;
  post_dominator_tree<csr_graph> ends_;
};

}  // namespace

TEST_CASE("melding shapes: both arms are there when the compiler is done") {
  for (const auto& row : expected) {
    const std::string& kernel = row.first;
    CAPTURE(kernel);
    const ptx::parse_result parsed =
        ptx::parse(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + kernel + ".ptx"));
    REQUIRE(parsed.diagnostics.empty());
    const ptx::kernel* text = parsed.module.find(kernel);
    REQUIRE(text != nullptr);
    CHECK(words(arms_of(parsed.module, *text).all()) == words(row.second));
  }
}
