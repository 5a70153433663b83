// SPDX-License-Identifier: BSL-1.0
//
// The kernels of the melding paper (C. Saumya, K. Sundararajah, M. Kulkarni, CGO 2022) still have the branches that
// they are there for when the compiler is done: divergent, with code in both arms, of the paper's forms. By the paper's
// score, tail merging, branch fusion and melding then meld what the paper states (sections VI-A, VI-B and VI-F).
#include "lab/files.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

// By kernel the divergent branches with two arms that do something, in the order of the text. An arm is written as the
// blocks from its begin to the join: b is a block, (X|Y) the two ways on from a branch, ^ an edge back to the beginning
// of a loop; blocks that only jump are left out. The taken arm comes first. Behind it how often each arm accesses
// shared memory; "alike": the arms have the same opcodes.
const std::map<std::string, std::vector<std::string>> expected = {
    // Synthetic: a diamond; an if-then region on both sides; two of them, with a block before the second on the left;
    // three ways. With -R the arms compute differently.
    {"sb1", {"b / b, shared 4 / 4, alike"}},
    {"sb1_r", {"b / b, shared 4 / 4"}},
    {"sb2", {"b(|b) / b(|b), shared 4 / 4, alike"}},
    {"sb2_r", {"b(|b) / b(|b), shared 4 / 4"}},
    {"sb3", {"b(|b)b(|b) / b(|b)b(|b), shared 8 / 6"}},
    {"sb3_r", {"b(|b)b(|b) / b(|b)b(|b), shared 8 / 6"}},
    {"sb4", {"b / b(b|b), shared 4 / 10", "b / b, shared 4 / 4, alike"}},
    {"sb4_r", {"b / b(b|b), shared 4 / 10", "b / b, shared 4 / 4"}},
    // Real: BIT, PCM, MS, LUD (which loads, computes and stores), NQU, SRAD (rows, columns, limits), DCT.
    {"bitonic_arms", {"b(|b) / b(|b), shared 4 / 4"}},
    {"odd_even_merge",
     {"bb(b|b)b(^|) / bb(b|b)b(|^), shared 4 / 4", "b / b, shared 1 / 1, alike", "b / b, shared 1 / 1, alike"}},
    {"bottom_up_merge", {"b / b, shared 3 / 3, alike"}},
    {"lu_perimeter", {"b / b, shared 24 / 24", "b / b, shared 151 / 168", "b / b, shared 15 / 16"}},
    {"queens_backtrack", {"b / b(b|b), shared 0 / 8", "b / b, shared 0 / 7"}},
    {"srad",
     {"b / b(b|b), shared 2 / 4", "b / b, shared 2 / 2", "b / b(b|b), shared 2 / 4", "b / b, shared 2 / 2",
      "b / b(b|b), shared 1 / 2", "b / b, shared 1 / 1, alike"}},
    {"dct_quantize", {"b / b, shared 0 / 0"}},
};

class arms_of {
 public:
  explicit arms_of(const ptx::checked_function& f)
      : text_(f.text()),
        blocks_(f.blocks()),
        program_(f),
        uniform_(blocks_.graph(), program_),
        ends_(blocks_.graph()) {}

  std::vector<std::string> all() {
    std::vector<std::string> found;
    for (block_id b = 0; b < blocks_.size(); ++b) {
      if (blocks_.graph().successors(b).size() != 2 || !uniform_.is_divergent_branch(b)) continue;
      const arm taken = walk(b, 0), other = walk(b, 1);
      if (taken.opcodes.empty() || other.opcodes.empty()) continue;
      found.push_back(taken.shape + " / " + other.shape + ", shared " + std::to_string(taken.shared) + " / " +
                      std::to_string(other.shared) + (taken.opcodes == other.opcodes ? ", alike" : ""));
    }
    return found;
  }

 private:
  struct arm {
    std::string shape;
    std::multiset<std::string> opcodes;
    unsigned shared = 0;
  };

  // From the slot'th way on from branch b to the block after the branch.
  arm walk(block_id b, std::size_t slot) {
    arm a;
    std::set<block_id> seen{b};
    const block_id join = ends_.ipdoms()[b];
    if (join != no_block) follow(blocks_.graph().successors(b)[slot], join, seen, a);
    return a;
  }
  // Recursion is as deep as branches are nested.
  void follow(block_id at, block_id join, std::set<block_id>& seen, arm& a) {
    while (at != join && at != no_block) {
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
  const ptx::function_blocks& blocks_;
  ptx::def_use program_;
  uniformity_analysis<csr_graph> uniform_;
  post_dominator_tree<csr_graph> ends_;
};

// The statements of the paper about a kernel: how many branches each technique melds, and how the arms of the branch
// that is melded last pair as the compiler left them.
struct stated {
  const char* kernel;
  std::size_t tail, fusion, melding;
  const char* pairs;  // "blocks/blocks" of the left and the right arm, one for each pair of pieces
};
constexpr stated paper[] = {
    // Tail merging combines SB1 and SB4, not their variants with different instructions. Fusion melds every diamond,
    // and SB4 one branch after the other. Regions are left to melding: SB2, and two pairs in SB3.
    {"sb1", 1, 1, 1, "1/1"},
    {"sb1_r", 0, 1, 1, "1/1"},
    {"sb2", 0, 0, 1, "2/2"},
    {"sb2_r", 0, 0, 1, "2/2"},
    {"sb3", 0, 0, 1, "2/2 2/2"},
    {"sb3_r", 0, 0, 1, "2/2 2/2"},
    {"sb4", 2, 2, 2, "1/3"},
    // The paper's fusion stops after one branch of SB4-R: its runs of one side have become branches by then. Ours stay
    // under predicates until the last round, so the outer branch is a diamond too.
    {"sb4_r", 0, 2, 2, "1/3"},
    // Region with region only in BIT and PCM. The paper also places a block in a region of PCM; the arms of our PCM
    // have the same pieces, so no block needs one.
    {"bitonic_arms", 0, 0, 1, "2/2"},
    {"odd_even_merge", 2, 2, 4, "1/1 4/4"},
    {"bottom_up_merge", 1, 1, 1, "1/1"},
    {"lu_perimeter", 2, 3, 3, "1/1"},
    // A block placed in a region: NQU and SRAD.
    {"queens_backtrack", 0, 0, 1, "1/3"},
    {"srad", 4, 6, 6, "1/3"},
    {"dct_quantize", 0, 1, 1, "1/1"},
};

std::string listed(const std::vector<ptx::melded_branch>& all) {
  std::string out;
  for (const ptx::melded_branch& b : all) {
    out += "line " + std::to_string(b.where.line) + ":";
    for (const ptx::melded_piece& p : b.pieces)
      out += ' ' + std::to_string(p.left_blocks) + '/' + std::to_string(p.right_blocks);
    out += "; ";
  }
  return out;
}

}  // namespace

TEST_CASE("melding shapes: both arms are there when the compiler is done") {
  for (const auto& row : expected) {
    const std::string& kernel = row.first;
    CAPTURE(kernel);
    const auto parsed = ptx::parse(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + kernel + ".ptx"));
    REQUIRE(parsed.diagnostics().empty());
    const ptx::kernel* text = parsed->find(kernel);
    REQUIRE(text != nullptr);
    const auto code = ptx::verify(*parsed, *text);
    REQUIRE(code.has_value());
    const std::vector<std::string> found = arms_of(*code).all();
    REQUIRE(found.size() == row.second.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == row.second[i]);
  }
}

TEST_CASE("melding shapes: who melds what, by the paper's score") {
  for (const stated& row : paper) {
    CAPTURE(row.kernel);
    const auto parsed =
        ptx::parse(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + std::string(row.kernel) + ".ptx"));
    REQUIRE(parsed.diagnostics().empty());
    const auto code = ptx::verify(*parsed, *parsed->find(row.kernel));
    REQUIRE(code.has_value());
    ptx::melding_options options;
    options.search.score = meld_score::paper;
    options.weights = ptx::latencies::melding_paper();
    position last;
    for (const auto& expected_of : {std::pair{meld_mode::tail, row.tail}, std::pair{meld_mode::fusion, row.fusion},
                                    std::pair{meld_mode::full, row.melding}}) {
      const auto mode = expected_of.first;
      const auto number = expected_of.second;
      CAPTURE(to_string(mode));
      options.search.mode = mode;
      const auto made = ptx::meld(*code, options);
      REQUIRE(made.has_value());
      CHECK(made->report.complete);
      CHECK_MESSAGE(made->report.melded.size() == number, listed(made->report.melded));
      if (!made->report.melded.empty()) last = made->report.melded.back().where;
    }
    // The outermost branch, planned on the code as it is.
    const ptx::melding_model model(*code, options.weights);
    const ptx::function_blocks& blocks = code->blocks();
    std::string pairs;
    for (block_id b = 0; b < blocks.size(); ++b) {
      if (code->text().instructions[blocks[b].last - 1].where.line != last.line) continue;
      meld_plan plan;
      REQUIRE(plan_meld(blocks.graph(), model, b, plan, options.search) == meld_refusal::none);
      for (const meld_piece& p : plan.pieces) {
        std::set<block_id> arms[2];
        for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
          arms[0].insert(plan.blocks[k].left);
          arms[1].insert(plan.blocks[k].right);
        }
        for (std::set<block_id>& arm : arms) arm.erase(no_block);
        pairs += (pairs.empty() ? "" : " ") + std::to_string(arms[0].size()) + '/' + std::to_string(arms[1].size());
      }
    }
    CHECK(pairs == row.pairs);
  }
}
