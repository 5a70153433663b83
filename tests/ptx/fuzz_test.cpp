// SPDX-License-Identifier: BSL-1.0
//
// The fuzz target for PTX (fuzz/run_any_ptx.hpp) on every truncation of a kernel and on seeded mutations of its bytes
// and tokens. Meant for the sanitizers; tests/fuzz/ has many more mutations.
#include "fuzz/run_any_ptx.hpp"
#include "ptx/modules_on_disk.hpp"
#include "ptx/support.hpp"
#include <simtflow/ptx/text/lexer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using simtflow_tests::random_bits;

namespace {

void swallow(std::string_view text) { simtflow_fuzz::run_any_ptx(text); }

std::string mutated(std::string text, random_bits& random) {
  const std::uint64_t edits = 1 + random() % 3;
  for (std::uint64_t e = 0; e < edits && !text.empty(); ++e) {
    const std::size_t at = random() % text.size();
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8)));
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      default: {  // delete a token, or put another one there
        const std::vector<ptx::token> tokens = ptx::tokenize(text);
        const std::string_view old = tokens[random() % tokens.size()].spelling;
        const std::string fresh(random() % 2 == 0 ? std::string_view{} : tokens[random() % tokens.size()].spelling);
        text.replace(static_cast<std::size_t>(old.data() - text.data()), old.size(), fresh);
        break;
      }
    }
  }
  return text;
}

const std::string& sample() {
  static const std::string text =
      simtflow_tests::file(std::string(SIMTFLOW_SOURCE_DIR) + "/tests/fuzz/seeds/ptx/everything.ptx");
  return text;
}

}  // namespace

TEST_CASE("fuzz: the sample is in order") {
  const diagnostics found = simtflow_tests::diagnostics_in(sample());
  REQUIRE_MESSAGE(found.empty(), simtflow_tests::text_of(found));
  CHECK(simtflow_fuzz::run_any_ptx(sample()) == 1);
}

TEST_CASE("fuzz: every truncation") {
  for (std::size_t n = 0; n < sample().size(); ++n) swallow(std::string_view(sample()).substr(0, n));
}

TEST_CASE("fuzz: seeded mutations of the sample and of the example kernels") {
  std::vector<std::string> texts = {sample()};
  for (const char* name : {"mandelbrot", "bitonic_sort", "short_circuit", "nested_loops"}) {
    texts.push_back(simtflow_tests::file(std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels/" + name + ".ptx"));
    CHECK(!texts.back().empty());
    swallow(texts.back());
  }
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    random_bits random{seed};
    swallow(mutated(texts[seed % texts.size()], random));
  }
}

TEST_CASE("fuzz: random bytes and random tokens") {
  const std::vector<ptx::token> tokens = ptx::tokenize(sample());
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    random_bits random{seed};
    std::string bytes;
    std::string words = ".version 1.0\n.entry k() {";
    for (int i = 0; i < 200; ++i) {
      bytes += static_cast<char>(random());
      words += ' ';
      words += tokens[random() % tokens.size()].spelling;
    }
    swallow(bytes);
    swallow(words);
  }
}
