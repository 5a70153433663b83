// SPDX-License-Identifier: BSL-1.0
// nvcc: -lcuda
//
// The driver API: a module from PTX text, its kernel and its variable by name.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                      \
  do {                                                                   \
    if (const CUresult check_error = (call); check_error != CUDA_SUCCESS) { \
      const char* text = nullptr;                                        \
      cuGetErrorString(check_error, &text);                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text);     \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

constexpr const char* text = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .global .u32 offset = 4;
.visible .entry triple(.param .u64 values, .param .u32 n)
{
  .reg .pred %p;
  .reg .u32 %r<6>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra END;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  ld.global.u32 %r4, [offset];
  mad.lo.u32 %r5, %r3, 3, %r4;
  st.global.u32 [%rd3], %r5;
END:
  ret;
}
)";

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  char name[100];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CUcontext context;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
#else
  CHECK(cuCtxCreate(&context, 0, device));
#endif
  CUmodule module;
  CHECK(cuModuleLoadData(&module, text));
  CUfunction kernel;
  CHECK(cuModuleGetFunction(&kernel, module, "triple"));
  CUdeviceptr offset, values;
  std::size_t size = 0;
  CHECK(cuModuleGetGlobal(&offset, &size, module, "offset"));
  const unsigned nine = 9;
  CHECK(cuMemcpyHtoD(offset, &nine, sizeof nine));
  unsigned host[64], n = 50;
  for (unsigned i = 0; i < 64; ++i) host[i] = i;
  CHECK(cuMemAlloc(&values, sizeof host));
  CHECK(cuMemcpyHtoD(values, host, sizeof host));
  void* arguments[] = {&values, &n};
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  long wrong = size != sizeof nine;
  for (unsigned i = 0; i < 64; ++i) wrong += host[i] != (i < n ? 3 * i + 9 : i);
  CUfunction missing;
  wrong += cuModuleGetFunction(&missing, module, "nothing") != CUDA_ERROR_NOT_FOUND;
  CHECK(cuMemFree(values));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  std::printf("driver_calls: %s\n", wrong == 0 ? "PASSED" : "FAILED");
  return wrong == 0 ? 0 : 1;
}
