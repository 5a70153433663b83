// SPDX-License-Identifier: BSL-1.0
//
// Runs a fuzz target (a function LLVMFuzzerTestOneInput) on its seeds and on seeded mutations of them, for compilers
// that have no libFuzzer and for runs that can be repeated:
//
//   fuzz-TARGET [--runs N] [--seed S] SEEDS...      files, or folders with files to take
//
// Run i mutates one seed by 1 to 4 edits that depend on S + i alone: bits and bytes changed, stretches deleted, copied
// or repeated, lines swapped, the text cut off, words replaced by words of other seeds, numbers by huge ones, brackets
// nested deeply. The number of the run is on standard error before a crash ends the program, so --runs 1 --seed finds
// it again.
#include <simtflow/testing/random.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#if defined(__unix__)
#include <unistd.h>

#include <csignal>
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t most_bytes = 20'000;

// A number below none is 0.
struct random_bits : simtflow::testing::rng {
  using rng::rng;
  std::size_t below(std::size_t n) { return n == 0 ? 0 : rng::below(n); }
};

bool wordy(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '%' || c == '$' || c == '-';
}

// The word at or after a place.
std::string_view word_near(std::string_view text, std::size_t at) {
  while (at < text.size() && !wordy(text[at])) ++at;
  std::size_t first = at;
  while (first > 0 && wordy(text[first - 1])) --first;
  while (at < text.size() && wordy(text[at])) ++at;
  return text.substr(first, at - first);
}

void swap_lines(std::string& text, random_bits& random) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  std::swap(lines[random.below(lines.size())], lines[random.below(lines.size())]);
  text.clear();
  for (const std::string& l : lines) text += l;
}

std::string mutated(const std::vector<std::string>& seeds, std::uint64_t number) {
  random_bits random{number * 0x1'0000'0001U};
  std::string text = seeds[random.below(seeds.size())];
  for (std::size_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random.below(text.size());
    switch (random.below(11)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random.below(8)));
        break;
      case 2:
        text.erase(at, 1 + random.below(12));
        break;
      case 3:
        text.erase(at, random.below(text.size()));
        break;
      case 4:
        text.insert(random.below(text.size()), text.substr(at, random.below(60)));
        break;
      case 5:
        swap_lines(text, random);
        break;
      case 6:
        text.resize(at);
        break;
      case 7: {
        static constexpr std::string_view numbers[] = {"0",
                                                       "-1",
                                                       "4294967295",
                                                       "4294967296",
                                                       "18446744073709551615",
                                                       "18446744073709551616",
                                                       "-9223372036854775808",
                                                       "999999999999999999999999999999",
                                                       "0x7fffffffffffffff",
                                                       "1e999",
                                                       "0f7FFFFFFF"};
        const std::string_view old = word_near(text, at);
        text.replace(static_cast<std::size_t>(old.data() - text.data()), old.size(),
                     numbers[random.below(std::size(numbers))]);
        break;
      }
      case 8: {
        static constexpr std::string_view brackets[] = {"{", "(", "[", "[{", "((-", "{\"a\":", "/*", "<"};
        std::string deep;
        const std::string_view one = brackets[random.below(std::size(brackets))];
        for (std::size_t n = random.below(3000); n > 0 && deep.size() < 6000; --n) deep += one;
        text.insert(at, deep);
        break;
      }
      default: {
        const std::string_view old = word_near(text, at);
        const std::string& other = seeds[random.below(seeds.size())];
        const std::string fresh(word_near(other, random.below(other.size())));
        text.replace(static_cast<std::size_t>(old.data() - text.data()), old.size(), fresh);
        break;
      }
    }
    if (text.size() > most_bytes) text.resize(most_bytes);
  }
  return text;
}

void try_one(const std::string& text) {
  // A copy of exactly that size: a read after the end is one after an allocation.
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::uint64_t current = 0;

#if defined(__unix__)
extern "C" void say_where(int signal_number) {
  char text[64];
  const int n =
      std::snprintf(text, sizeof text, "crash: --runs 1 --seed %llu\n", static_cast<unsigned long long>(current));
  if (n > 0 && write(2, text, static_cast<std::size_t>(n)) < 0) _exit(3);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}
#endif

int usage() {
  std::fputs("usage: fuzz-TARGET [--runs N] [--seed S] SEEDS...\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 1000, seed = 1;
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--runs" || word == "--seed") {
      if (i + 1 == argc) return usage();
      char* end = nullptr;
      (word == "--runs" ? runs : seed) = std::strtoull(argv[++i], &end, 10);
      if (*end != '\0') return usage();
      continue;
    }
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(word)) {
      for (const auto& entry : std::filesystem::directory_iterator(word))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else {
      files.emplace_back(word);
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream in(file, std::ios::binary);
      if (!in) {
        std::fprintf(stderr, "%s: cannot be read\n", file.string().c_str());
        return 2;
      }
      seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  if (seeds.empty()) return usage();
#if defined(__unix__)
  for (const int s : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(s, say_where);
#endif
  for (const std::string& s : seeds) try_one(s);
  for (std::uint64_t i = 0; i < runs; ++i) {
    current = seed + i;
    try_one(mutated(seeds, current));
  }
  std::printf("%zu seeds, %llu mutations: no crash\n", seeds.size(), static_cast<unsigned long long>(runs));
  return 0;
}
