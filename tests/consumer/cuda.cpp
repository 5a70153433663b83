// SPDX-License-Identifier: BSL-1.0
#include <simtflow/cuda/device.hpp>

#if !defined(SIMTFLOW_COMPILED)
#error "simtflow::cuda says that its functions are compiled"
#endif

#include <cstdint>

int main() {
  using namespace simtflow;
  cuda::device gpu({.policy = "volta"});
  const auto module = gpu.load(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry twice(.param .u64 p)\n{\n  .reg .b64 %d<3>;\n"
      "  .reg .b32 %r<4>;\n  ld.param.u64 %d0, [p];\n  mov.u32 %r0, %tid.x;\n  mul.wide.u32 %d1, %r0, 4;\n"
      "  add.s64 %d2, %d0, %d1;\n  ld.global.u32 %r1, [%d2];\n  add.u32 %r2, %r1, %r1;\n  st.global.u32 [%d2], %r2;\n"
      "  ret;\n}\n");
  if (!module) return 1;
  std::uint32_t host[64] = {};
  for (std::uint32_t i = 0; i < 64; ++i) host[i] = i;
  cuda::any_address data = 0;
  void* arguments[] = {&data};
  if (gpu.allocate(sizeof host, data) != cuda::error::success ||
      gpu.copy(data, cuda::address_of(host), sizeof host) != cuda::error::success ||
      gpu.launch(gpu.kernel(*module, "twice"), {.grid = {1, 1, 1}, .block = {64, 1, 1}}, arguments) !=
          cuda::error::success ||
      gpu.copy(cuda::address_of(host), data, sizeof host, cuda::copy_kind::device_to_host) != cuda::error::success)
    return 2;
  for (std::uint32_t i = 0; i < 64; ++i)
    if (host[i] != 2 * i) return 3;
  return 0;
}
