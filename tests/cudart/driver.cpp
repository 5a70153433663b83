// SPDX-License-Identifier: BSL-1.0
//
// Calls functions of the driver API that are refused, and compiles with NVRTC if it was there. Each of its lines says a
// result; standard error has the lines of the library.
#include <cstdio>

#if defined(HAS_NVRTC)
#include <nvrtc.h>
#endif

extern "C" {
int cuInit(unsigned);
int cuGetExportTable(const void**, const void*);
int cuGraphCreate(void**, unsigned);
int cuStreamBeginCapture_v2(void*, int);
}

int main() {
  const void* table = &table;
  const int no_table = cuGetExportTable(&table, "an identifier of 16");
  std::printf("table %d %d\n", no_table, table == nullptr ? 1 : 0);
  std::printf("init %d\n", cuInit(0));
  void* graph = nullptr;
  for (int i = 0; i < 3; ++i) std::printf("graph %d\n", cuGraphCreate(&graph, 0));
  std::printf("capture %d\n", cuStreamBeginCapture_v2(nullptr, 0));
#if defined(HAS_NVRTC)
  nvrtcProgram program = nullptr;
  const char* options[] = {"--gpu-architecture=compute_75"};
  int result = nvrtcCreateProgram(&program, "__global__ void one(int* to) { *to = 1; }", "one.cu", 0, nullptr, nullptr);
  if (result == 0) result = nvrtcCompileProgram(program, 1, options);
  std::printf("nvrtc %d\n", result);
#endif
}
