// SPDX-License-Identifier: BSL-1.0
// nvcc: -lcuda
//
// The driver API: the order in which calls fail, contexts, modules from PTX text, modules that are linked, libraries,
// launches with attributes, occupancy, streams that call the host.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#define CHECK(call)                                                         \
  do {                                                                      \
    if (const CUresult check_error = (call); check_error != CUDA_SUCCESS) { \
      const char* text = nullptr;                                           \
      cuGetErrorString(check_error, &text);                                 \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text);        \
      std::exit(1);                                                         \
    }                                                                       \
  } while (false)

// Counts the expressions that are not true, and names them.
long wrong = 0;
#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++wrong;                                                                     \
    }                                                                              \
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

// Two modules: the first one calls a function of the second one.
constexpr const char* caller = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .u32 result) square(.param .u32 x);
.visible .entry squares(.param .u64 values)
{
  .reg .u32 %r<3>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [values];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  {
    .param .u32 x;
    .param .u32 y;
    st.param.u32 [x], %r1;
    call (y), square, (x);
    ld.param.u32 %r2, [y];
  }
  st.global.u32 [%rd3], %r2;
  ret;
}
)";
constexpr const char* called = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .func (.param .u32 result) square(.param .u32 x)
{
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [x];
  mul.lo.u32 %r2, %r1, %r1;
  st.param.u32 [result], %r2;
  ret;
}
)";

CUcontext make_context(CUdevice device) {
  CUcontext context;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
#else
  CHECK(cuCtxCreate(&context, 0, device));
#endif
  return context;
}

// Calls fail in the order of the conditions that they have: first no initialisation, then no context.
void fail_in_order() {
  int number = 0;
  CUdevice device;
  CUcontext context = nullptr;
  CUdeviceptr pointer = 0;
  const char* name = nullptr;
  EXPECT(cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuDeviceGetCount(&number) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuMemAlloc(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(cuDriverGetVersion(&number) == CUDA_SUCCESS && number >= 11000);
  EXPECT(cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &name) == CUDA_SUCCESS);
  EXPECT(std::strcmp(name, "CUDA_ERROR_NOT_INITIALIZED") == 0);
  EXPECT(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&number));
  EXPECT(number > 0);
  EXPECT(cuDeviceGet(&device, number) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuCtxGetCurrent(&context));
  EXPECT(context == nullptr);
  CUmodule module;
  EXPECT(cuMemAlloc(&pointer, 4) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuModuleLoadData(&module, text) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuCtxPopCurrent(&context) == CUDA_ERROR_INVALID_CONTEXT);
}

// Each thread has a stack of contexts. A context ends once.
void use_contexts(CUdevice device) {
  const CUcontext first = make_context(device), second = make_context(device);
  CUcontext current = nullptr;
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == second && first != second);
  CHECK(cuCtxPopCurrent(&current));
  EXPECT(current == second);
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == first);
  CHECK(cuCtxPushCurrent(second));
  CHECK(cuCtxDestroy(second));
  EXPECT(cuCtxDestroy(second) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuCtxPushCurrent(second) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == first);
  std::thread([&] {
    CUdeviceptr pointer = 0;
    EXPECT(cuMemAlloc(&pointer, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(first));
    CHECK(cuMemAlloc(&pointer, 4));
    CHECK(cuMemFree(pointer));
  }).join();
  std::size_t limit = 0;
  CHECK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  CHECK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT(limit == 4096);
  int least = 1, greatest = 1;
  CHECK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);
  CHECK(cuCtxDestroy(first));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == nullptr);

  unsigned flags = 0;
  int active = 1;
  CHECK(cuDevicePrimaryCtxGetState(device, &flags, &active));
  EXPECT(active == 0);
  CHECK(cuDevicePrimaryCtxRetain(&current, device));
  CHECK(cuDevicePrimaryCtxGetState(device, &flags, &active));
  EXPECT(active == 1);
  CHECK(cuDevicePrimaryCtxRelease(device));
}

void ask_the_device(CUdevice device) {
  char name[100], bus[20];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  EXPECT(name[0] != '\0');
  CHECK(cuDeviceGetPCIBusId(bus, sizeof bus, device));
  CUdevice same = -1;
  CHECK(cuDeviceGetByPCIBusId(&same, bus));
  EXPECT(same == device);
#if CUDA_VERSION >= 12000
  void* found = nullptr;
  CUdevprop properties;
  int warp = 0;
  CHECK(cuGetProcAddress("cuDeviceGetProperties", &found, CUDA_VERSION, 0, nullptr));
  CHECK(reinterpret_cast<CUresult (*)(CUdevprop*, CUdevice)>(found)(&properties, device));
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  EXPECT(properties.SIMDWidth == warp && properties.maxThreadsPerBlock >= 512);
  EXPECT(cuGetProcAddress("cuNothing", &found, CUDA_VERSION, 0, nullptr) == CUDA_ERROR_NOT_FOUND);
#endif
}

void load_and_launch() {
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
  wrong += size != sizeof nine;
  for (unsigned i = 0; i < 64; ++i) wrong += host[i] != (i < n ? 3 * i + 9 : i);
  CUfunction missing;
  EXPECT(cuModuleGetFunction(&missing, module, "nothing") == CUDA_ERROR_NOT_FOUND);

  // The same with packed arguments and a configuration.
  struct {
    CUdeviceptr values;
    unsigned n;
  } packed = {values, 64};
  std::size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  CHECK(cuLaunchKernelEx(&config, kernel, nullptr, extra));
  unsigned twice[64];
  CHECK(cuMemcpyDtoH(twice, values, sizeof twice));
  for (unsigned i = 0; i < 64; ++i) wrong += twice[i] != 3 * host[i] + 9;

  int grid = 0, block = 0, blocks = 0, threads = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel, nullptr, 0, 0));
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel));
  EXPECT(grid >= blocks && blocks > 0 && block > 0 && block <= threads && block % 32 == 0);
  CHECK(cuOccupancyMaxPotentialBlockSize(
      &grid, &block, kernel, [](int of) -> std::size_t { return of * 16; }, 0, 96));
  EXPECT(block > 0 && block <= 96);
  CUmodule owner = nullptr;
  CHECK(cuFuncGetModule(&owner, kernel));
  EXPECT(owner == module);
  CHECK(cuMemFree(values));
  CHECK(cuModuleUnload(module));
}

void link_modules(CUdeviceptr values) {
  char errors[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* option_values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUlinkState state;
  CHECK(cuLinkCreate(2, options, option_values, &state));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(caller), std::strlen(caller) + 1, "caller", 0, nullptr,
                      nullptr));
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(called), std::strlen(called) + 1, "called", 0, nullptr,
                      nullptr));
  void* image = nullptr;
  std::size_t bytes = 0;
  CHECK(cuLinkComplete(state, &image, &bytes));
  EXPECT(bytes > 0);
  const std::string copy(static_cast<const char*>(image), bytes);
  CHECK(cuLinkDestroy(state));

  CUmodule module;
  CUfunction kernel;
  CHECK(cuModuleLoadData(&module, copy.data()));
  CHECK(cuModuleGetFunction(&kernel, module, "squares"));
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned host[64];
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  for (unsigned i = 0; i < 64; ++i) wrong += host[i] != i * i;
  CHECK(cuModuleUnload(module));
}

#if CUDA_VERSION >= 12000
void load_library(CUdeviceptr values) {
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CHECK(cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernel(&kernel, library, "triple"));
  CHECK(cuKernelGetFunction(&function, kernel));
  CUdeviceptr offset = 0;
  std::size_t size = 0;
  CHECK(cuLibraryGetGlobal(&offset, &size, library, "offset"));
  EXPECT(size == 4);
  CHECK(cuMemsetD32(values, 2, 64));
  unsigned n = 64, host[64];
  void* arguments[] = {&values, &n};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  for (const unsigned value : host) wrong += value != (2 * 3 + 4) * 3 + 4;
  CHECK(cuLibraryUnload(library));
}
#endif

void call_the_host() {
  CUstream stream;
  CHECK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
  int priority = 0;
  unsigned flags = 0;
  CHECK(cuStreamGetPriority(stream, &priority));
  CHECK(cuStreamGetFlags(stream, &flags));
  EXPECT(priority == -1 && flags == CU_STREAM_NON_BLOCKING);
  CUcontext current = nullptr, of_stream = nullptr;
  CHECK(cuCtxGetCurrent(&current));
  CHECK(cuStreamGetCtx(stream, &of_stream));
  EXPECT(current == of_stream);
  int calls = 0;
  CHECK(cuLaunchHostFunc(
      stream, [](void* n) { ++*static_cast<int*>(n); }, &calls));
  CHECK(cuStreamAddCallback(
      stream, [](CUstream, CUresult status, void* n) { *static_cast<int*>(n) += status == CUDA_SUCCESS ? 10 : 100; },
      &calls, 0));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(calls == 11);
  CHECK(cuStreamDestroy(stream));
}

int main() {
  fail_in_order();
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  use_contexts(device);
  ask_the_device(device);
  const CUcontext context = make_context(device);
  load_and_launch();
  CUdeviceptr values;
  CHECK(cuMemAlloc(&values, 64 * sizeof(unsigned)));
  link_modules(values);
#if CUDA_VERSION >= 12000
  load_library(values);
#endif
  call_the_host();
  CHECK(cuMemFree(values));
  CHECK(cuCtxDestroy(context));
  std::printf("driver_calls: %s\n", wrong == 0 ? "PASSED" : "FAILED");
  return wrong == 0 ? 0 : 1;
}
