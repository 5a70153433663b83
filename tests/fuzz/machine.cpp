// SPDX-License-Identifier: BSL-1.0
//
// Machine files: what was read can be simulated, is written, read again and is the same.
#include <simtflow/io/machine_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simtflow;
  const result<timing::machine> read = read_machine(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read) return 0;
  if (!timing::diagnose(*read).empty()) std::abort();
  const result<timing::machine> again = read_machine(to_machine_text(*read));
  if (!again || *again != *read) std::abort();
  return 0;
}
