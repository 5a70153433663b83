// SPDX-License-Identifier: BSL-1.0
//
// The same PTX on an NVIDIA GPU and in the interpreter: every word of memory must agree. The driver is looked for when
// the test runs (nothing of it is needed to build); without one, or without a GPU, the test says that it is skipped. (A
// NaN only has to be a NaN: what its other bits are the manual leaves open.)
//
// With SIMTFLOW_RECORD_HARDWARE=DIR in the environment the results of the GPU are also written to DIR as
// random-SEED-BLOCKS-OPERATIONS.txt, for products of matrices as matrix-OPCODE.txt: one line with the device's name,
// one with the FNV-1a sum of the words. Files of that form under tests/ptx/recorded/ are compared with the interpreter
// everywhere.
#include "ptx/matrix_kernels.hpp"
#include "ptx/random_kernels.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/decode/decode.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::random_kernel;

namespace {

constexpr std::size_t result_bytes = std::size_t{4} * random_kernel::out_words * random_kernel::threads;

// The part of the CUDA driver API that is used (its reference manual, section 6), by its binary interface.
class gpu {
 public:
  gpu() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      reason_ = "no NVIDIA driver (libcuda.so.1)";
      return;
    }
    int devices = 0;
    char text[128] = "?";
    if (call("cuInit", 0U) != 0 || call("cuDeviceGetCount", &devices) != 0 || devices == 0) {
      reason_ = "no NVIDIA GPU";
      return;
    }
    if (call("cuDeviceGet", &device_, 0) != 0 || call("cuDevicePrimaryCtxRetain", &context_, device_) != 0 ||
        call("cuCtxSetCurrent", context_) != 0) {
      reason_ = "the GPU gives no context";
      return;
    }
    call("cuDeviceGetName", text, 128, device_);
    name_ = text;
  }
  ~gpu() {
    if (context_ != nullptr) call("cuDevicePrimaryCtxRelease_v2", device_);
    if (library_ != nullptr) dlclose(library_);
  }
  gpu(const gpu&) = delete;
  gpu& operator=(const gpu&) = delete;

  /// Why there is none; empty if there is one.
  [[nodiscard]] const std::string& missing() const { return reason_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Runs `random(out)` in one thread block; empty if the driver refuses something.
  std::optional<std::vector<unsigned char>> run(const std::string& text, const char* kernel, std::uint32_t threads,
                                                std::size_t bytes) {
    void *module = nullptr, *function = nullptr;
    std::uint64_t memory = 0;
    std::optional<std::vector<unsigned char>> result;
    if (call("cuModuleLoadData", &module, text.c_str()) != 0) return result;
    if (call("cuModuleGetFunction", &function, module, kernel) == 0 && call("cuMemAlloc_v2", &memory, bytes) == 0) {
      void* parameters[] = {&memory};
      if (call("cuMemsetD8_v2", memory, static_cast<unsigned char>(0), bytes) == 0 &&
          call("cuLaunchKernel", function, 1U, 1U, 1U, threads, 1U, 1U, 0U, static_cast<void*>(nullptr),
               static_cast<void**>(parameters), static_cast<void**>(nullptr)) == 0 &&
          call("cuCtxSynchronize") == 0) {
        std::vector<unsigned char> host(bytes);
        if (call("cuMemcpyDtoH_v2", static_cast<void*>(host.data()), memory, bytes) == 0) result = std::move(host);
      }
      call("cuMemFree_v2", memory);
    }
    call("cuModuleUnload", module);
    return result;
  }

 private:
  // Every function of the driver returns a status, 0 for success.
  template <class... A>
  int call(const char* function, A... arguments) {
    void* found = dlsym(library_, function);
    if (found == nullptr) return -1;
    return reinterpret_cast<int (*)(A...)>(found)(arguments...);
  }

  void* library_ = nullptr;
  void* context_ = nullptr;
  int device_ = 0;
  std::string reason_, name_;
};

std::vector<unsigned char> interpreted(const std::string& text, std::size_t size = result_bytes,
                                       std::uint32_t threads = random_kernel::threads) {
  const auto parsed = ptx::parse(text);
  REQUIRE_MESSAGE(parsed.has_value(), simtflow_tests::text_of(parsed.diagnostics()));
  const auto decoded = ptx::decode(*parsed, parsed->kernels.front());
  REQUIRE_MESSAGE(decoded.has_value(), simtflow_tests::text_of(decoded.diagnostics()));
  ptx::device_memory memory;
  const std::uint64_t out = memory.allocate(size, "out");
  ptx::arguments arguments(*decoded);
  arguments.set(0, out);
  ptx::launch_config config;
  config.block[0] = threads;
  ptx::interpreter<> program(*decoded, config, memory, arguments);
  const verdict how = simtflow_tests::run_grid(program, simtflow_tests::way::frontier);
  REQUIRE_MESSAGE(how.finished(), describe(how));
  std::vector<unsigned char> bytes(size);
  REQUIRE(memory.read(out, std::span<unsigned char>(bytes)));
  return bytes;
}

std::string hexadecimal(std::uint64_t h) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

// The FNV-1a sum of bytes.
std::string sum_of_bytes(const std::vector<unsigned char>& bytes) {
  std::uint64_t h = 0xCBF2'9CE4'8422'2325U;
  for (const unsigned char b : bytes) h = (h ^ b) * 0x100'0000'01B3U;
  return hexadecimal(h);
}

// The sum of all words of all threads; every NaN counts as the same one.
std::string sum_of(const std::vector<unsigned char>& bytes) {
  std::uint64_t h = 0xCBF2'9CE4'8422'2325U;
  for (std::uint32_t t = 0; t < random_kernel::threads; ++t)
    random_kernel::each_word(t, bytes, [&](char kind, std::size_t, simtflow_tests::bits value) {
      const bool nan = value != 0 && !simtflow_tests::same_result(kind, value, 0) &&
                       simtflow_tests::same_result(kind, value, kind == 'f' ? 0x7FFF'FFFFU : 0x7FF8'0000'0000'0000U);
      if (nan) value = 0x7FF8;
      for (int i = 0; i < 8; ++i) h = (h ^ ((value >> (8 * i)) & 0xFF)) * 0x100'0000'01B3U;
    });
  return hexadecimal(h);
}

struct recipe {
  std::uint64_t seed;
  std::size_t blocks, operations;
  [[nodiscard]] std::string file() const {
    return "random-" + std::to_string(seed) + "-" + std::to_string(blocks) + "-" + std::to_string(operations) + ".txt";
  }
};

std::vector<recipe> recipes() {
  std::vector<recipe> all;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    all.push_back({seed, 1, 60});
    all.push_back({seed, 2 + seed % 12, 6});
  }
  return all;
}

}  // namespace

TEST_CASE("hardware: random kernels leave the same memory on a GPU and in the interpreter") {
  gpu machine;
  if (!machine.missing().empty()) {
    MESSAGE("skipped: ", machine.missing());
    return;
  }
  const char* record = std::getenv("SIMTFLOW_RECORD_HARDWARE");
  for (const recipe& r : recipes()) {
    CAPTURE(r.seed);
    CAPTURE(r.blocks);
    const random_kernel made(r.seed, r.blocks, r.operations);
    const auto real = machine.run(made.text(), "random", random_kernel::threads, result_bytes);
    REQUIRE_MESSAGE(real.has_value(), "the driver refuses\n" << made.text());
    const auto ours = interpreted(made.text());
    for (std::uint32_t t = 0; t < random_kernel::threads; ++t) {
      std::vector<simtflow_tests::bits> words;
      random_kernel::each_word(t, ours, [&](char, std::size_t, simtflow_tests::bits value) { words.push_back(value); });
      std::size_t at = 0;
      random_kernel::each_word(t, *real, [&](char kind, std::size_t i, simtflow_tests::bits value) {
        const simtflow_tests::bits here = words[at++];
        if (simtflow_tests::same_result(kind, value, here)) return;
        FAIL("thread " << t << ", " << kind << i << ": GPU " << value << ", here " << here << "\n" << made.text());
      });
    }
    if (record != nullptr) {
      std::ofstream out(std::filesystem::path(record) / r.file());
      out << machine.name() << "\n" << sum_of(*real) << "\n";
      REQUIRE(out.good());
    }
  }
}

TEST_CASE("hardware: what GPUs have left in memory is what the interpreter leaves") {
  std::size_t compared = 0;
  for (const recipe& r : recipes()) {
    std::ifstream in(std::string(SIMTFLOW_SOURCE_DIR) + "/tests/ptx/recorded/" + r.file());
    std::string device, sum;
    if (!std::getline(in, device) || !std::getline(in, sum)) continue;
    CAPTURE(device);
    CAPTURE(r.seed);
    CHECK(sum_of(interpreted(random_kernel(r.seed, r.blocks, r.operations).text())) == sum);
    ++compared;
  }
  if (compared == 0) MESSAGE("skipped: no results of a GPU are recorded");
}

TEST_CASE("hardware: products of matrices with exact sums are the same on a GPU, as recorded, and in the interpreter") {
  gpu machine;
  if (!machine.missing().empty()) MESSAGE("without a GPU: ", machine.missing());
  const char* record = std::getenv("SIMTFLOW_RECORD_HARDWARE");
  std::vector<std::string> sums;
  for (const simtflow_tests::exact_product& p : simtflow_tests::exact_products) {
    CAPTURE(p.opcode);
    const simtflow_tests::matrix_kernel k = simtflow_tests::kernel_of(p);
    const std::vector<unsigned char> ours = interpreted(k.text, k.bytes, 32);
    sums.push_back(sum_of_bytes(ours));
    std::ifstream in(std::string(SIMTFLOW_SOURCE_DIR) + "/tests/ptx/recorded/" + k.name);
    std::string device, sum;
    if (std::getline(in, device) && std::getline(in, sum)) CHECK(sums.back() == sum);
    if (!machine.missing().empty()) continue;
    const auto real = machine.run(k.text, "random", 32, k.bytes);
    if (!real.has_value()) {
      MESSAGE("the driver refuses ", std::string(p.opcode));
      continue;
    }
    CHECK(*real == ours);
    if (record == nullptr) continue;
    std::ofstream out(std::filesystem::path(record) / k.name);
    out << machine.name() << "\n" << sum_of_bytes(*real) << "\n";
    REQUIRE(out.good());
  }
  for (std::size_t i = 1; i < sums.size(); ++i) CHECK(sums[i] != sums[i - 1]);
}
