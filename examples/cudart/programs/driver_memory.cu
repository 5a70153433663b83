// SPDX-License-Identifier: BSL-1.0
// nvcc: -lcuda
//
// Memory by the driver API, beside kernels and calls of the runtime: pitched memory, boxes, fills, arrays, textures,
// surfaces, memory of the host, and what a pointer points to.
#include "program.hpp"

#include <cuda.h>

#include <cstdint>
#include <vector>

#define CHECK_DRIVER(call)                                                  \
  do {                                                                      \
    if (const CUresult check_error = (call); check_error != CUDA_SUCCESS) { \
      const char* text = nullptr;                                           \
      cuGetErrorString(check_error, &text);                                 \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text);        \
      std::exit(1);                                                         \
    }                                                                       \
  } while (false)

constexpr int width = 24, height = 10, depth = 3;

long wrong = 0;

// The average of a texel and its right neighbour, by the filter.
__global__ void blur(cudaTextureObject_t from, float* to) {
  const int x = threadIdx.x, y = threadIdx.y;
  to[y * width + x] = tex2D<float>(from, x + 1.0f, y + 0.5f);
}

__global__ void fetch(cudaTextureObject_t from, int* to) {
  const int i = threadIdx.x + threadIdx.y * width;
  to[i] = tex1Dfetch<int>(from, i);
}

__global__ void add_one(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(surf2Dread<float>(surface, x * 4, y) + 1, surface, x * 4, y);
}

__global__ void negate(int* values) { values[threadIdx.x + threadIdx.y * width] *= -1; }

// Launches a kernel of this file by the driver.
template <class Kernel>
void launch(Kernel kernel, void** arguments) {
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel)));
  CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, width, height, 1, 0, nullptr, arguments, nullptr));
}

CUDA_MEMCPY2D box(CUdeviceptr to, std::size_t to_pitch, const void* from, std::size_t from_pitch) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = width * 4;
  copy.Height = height;
  return copy;
}

void use_pitched_memory() {
  CUdeviceptr rows;
  std::size_t pitch = 0;
  CHECK_DRIVER(cuMemAllocPitch(&rows, &pitch, width * 4, height, 4));
  wrong += pitch < width * 4;
  CHECK_DRIVER(cuMemsetD2D32(rows, pitch, 7, width, height));
  std::vector<int> host(width * height, 0);
  for (int i = 0; i < width; ++i) host[3 * width + i] = i;
  // Row 3 of the host to row 5 of the device.
  CUDA_MEMCPY2D copy = box(rows, pitch, host.data(), width * 4);
  copy.srcY = 3;
  copy.dstY = 5;
  copy.Height = 1;
  CHECK_DRIVER(cuMemcpy2D(&copy));
  CUDA_MEMCPY2D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = rows;
  back.srcPitch = pitch;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = host.data();
  back.dstPitch = width * 4;
  back.WidthInBytes = width * 4;
  back.Height = height;
  CHECK_DRIVER(cuMemcpy2DUnaligned(&back));
  for (int i = 0; i < width * height; ++i) wrong += host[i] != (i / width == 5 ? i % width : 7);
  back.WidthInBytes = width * 8;  // more than a row of the destination has
  wrong += cuMemcpy2D(&back) != CUDA_ERROR_INVALID_VALUE;

  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CHECK_DRIVER(cuMemGetAddressRange(&base, &bytes, rows + pitch));
  wrong += base != rows || bytes < pitch * height;
  CHECK_DRIVER(cuMemFree(rows));

  CUdeviceptr bytes_at;
  unsigned char filled[8];
  CHECK_DRIVER(cuMemAlloc(&bytes_at, 8));
  CHECK_DRIVER(cuMemsetD8(bytes_at, 1, 8));
  CHECK_DRIVER(cuMemsetD16Async(bytes_at + 2, 0x0203, 2, nullptr));
  CHECK_DRIVER(cuMemcpyDtoH(filled, bytes_at, 8));
  const unsigned char expected[8] = {1, 1, 3, 2, 3, 2, 1, 1};
  for (int i = 0; i < 8; ++i) wrong += filled[i] != expected[i];
  CHECK_DRIVER(cuMemFree(bytes_at));
}

void use_array() {
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR wanted = {};
  wanted.Width = width;
  wanted.Height = height;
  wanted.Format = CU_AD_FORMAT_FLOAT;
  wanted.NumChannels = 1;
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CHECK_DRIVER(cuArray3DCreate(&array, &wanted));
  CUDA_ARRAY_DESCRIPTOR found;
  CHECK_DRIVER(cuArrayGetDescriptor(&found, array));
  wrong +=
      found.Width != width || found.Height != height || found.Format != CU_AD_FORMAT_FLOAT || found.NumChannels != 1;

  std::vector<float> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = static_cast<float>(i % width * 4 + i / width * 100);
  CUDA_MEMCPY2D copy = box(0, 0, host.data(), width * 4);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  CHECK_DRIVER(cuMemcpy2DAsync(&copy, nullptr));

  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how = {};
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  for (CUaddress_mode& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  CHECK_DRIVER(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  CUDA_RESOURCE_DESC same;
  CHECK_DRIVER(cuTexObjectGetResourceDesc(&same, texture));
  wrong += same.resType != CU_RESOURCE_TYPE_ARRAY || same.res.array.hArray != array;
  float* blurred;
  CHECK(cudaMalloc(&blurred, host.size() * 4));
  void* of_blur[] = {&texture, &blurred};
  launch(blur, of_blur);
  std::vector<float> result(host.size());
  CHECK(cudaMemcpy(result.data(), blurred, result.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i)
    wrong += result[i] != (i % width == width - 1 ? host[i] : (host[i] + host[i + 1]) / 2);
  CHECK(cudaFree(blurred));
  CHECK_DRIVER(cuTexObjectDestroy(texture));

  CUsurfObject surface;
  CHECK_DRIVER(cuSurfObjectCreate(&surface, &resource));
  void* of_add[] = {&surface};
  launch(add_one, of_add);
  CHECK_DRIVER(cuSurfObjectDestroy(surface));
  CHECK_DRIVER(cuMemcpyAtoH(result.data(), array, 0, width * 4));
  for (int i = 0; i < width; ++i) wrong += result[i] != host[i] + 1;
  CHECK_DRIVER(cuArrayDestroy(array));
}

void use_linear_texture() {
  CUdeviceptr values, copy;
  std::vector<int> host(width * height), result(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i * i;
  CHECK_DRIVER(cuMemAlloc(&values, host.size() * 4));
  CHECK_DRIVER(cuMemAlloc(&copy, host.size() * 4));
  CHECK_DRIVER(cuMemcpyHtoD(values, host.data(), host.size() * 4));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = values;
  resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = host.size() * 4;
  CUDA_TEXTURE_DESC how = {};
  how.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture;
  CHECK_DRIVER(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  void* arguments[] = {&texture, &copy};
  launch(fetch, arguments);
  CHECK_DRIVER(cuMemcpyDtoH(result.data(), copy, result.size() * 4));
  wrong += result != host;
  CHECK_DRIVER(cuTexObjectDestroy(texture));
  CHECK_DRIVER(cuMemFree(values));
  CHECK_DRIVER(cuMemFree(copy));
}

// A texture reference of a module, as programs of CUDA 11 and earlier have them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void use_reference() {
  constexpr const char* text = R"(
.version 7.0
.target sm_52
.address_size 64
.global .texref image;
.visible .entry mirrored(.param .u64 to)
{
  .reg .u32 %r<6>;
  .reg .u64 %rd<4>;
  .reg .f32 %f<7>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.rn.f32.u32 %f2, %r2;
  neg.f32 %f1, %f1;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}];
  st.global.f32 [%rd3], %f3;
  ret;
}
)";
  CUmodule module;
  CUfunction kernel;
  CUtexref image;
  CUarray array, bound;
  CUdeviceptr to;
  CHECK_DRIVER(cuModuleLoadData(&module, text));
  CHECK_DRIVER(cuModuleGetFunction(&kernel, module, "mirrored"));
  CHECK_DRIVER(cuModuleGetTexRef(&image, module, "image"));
  CUtexref missing;
  wrong += cuModuleGetTexRef(&missing, module, "nothing") != CUDA_ERROR_NOT_FOUND;
  CUDA_ARRAY_DESCRIPTOR wanted = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CHECK_DRIVER(cuArrayCreate(&array, &wanted));
  const unsigned char texels[] = {0, 51, 102, 153, 204, 255, 0, 51};
  CHECK_DRIVER(cuMemcpyHtoA(array, 0, texels, sizeof texels));
  CHECK_DRIVER(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
  CHECK_DRIVER(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
  CHECK_DRIVER(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP));
  CHECK_DRIVER(cuTexRefGetArray(&bound, image));
  wrong += bound != array;
  CHECK_DRIVER(cuMemAlloc(&to, 8 * sizeof(float)));
  void* arguments[] = {&to};
  float result[8];
  CHECK_DRIVER(cuLaunchKernel(kernel, 1, 1, 1, 4, 2, 1, 0, nullptr, arguments, nullptr));
  CHECK_DRIVER(cuMemcpyDtoH(result, to, sizeof result));
  for (int i = 0; i < 8; ++i) wrong += result[i] != (i < 4 ? 0.0f : 0.8f);  // to the edge
  // The same reference with other settings.
  CHECK_DRIVER(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP));
  CHECK_DRIVER(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
  CHECK_DRIVER(cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK_DRIVER(cuMemcpyDtoH(result, to, sizeof result));
  for (int i = 0; i < 4; ++i) wrong += result[i] != 0.0f;  // each one is the first texel
  CHECK_DRIVER(cuMemFree(to));
  CHECK_DRIVER(cuArrayDestroy(array));
  CHECK_DRIVER(cuModuleUnload(module));
}
#pragma GCC diagnostic pop

void copy_boxes() {
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR wanted = {};
  wanted.Width = width;
  wanted.Height = height;
  wanted.Depth = depth;
  wanted.Format = CU_AD_FORMAT_UNSIGNED_INT16;
  wanted.NumChannels = 2;
  CHECK_DRIVER(cuArray3DCreate(&array, &wanted));
  std::vector<std::uint32_t> host(width * height * depth), result(host.size(), 0);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint32_t>(i * 77);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = width * 4;
  copy.srcHeight = height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = width * 4;
  copy.Height = height;
  copy.Depth = depth;
  CHECK_DRIVER(cuMemcpy3D(&copy));
  // The second half of the last slice comes back.
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.srcXInBytes = back.dstXInBytes = width * 2;
  back.srcZ = back.dstZ = depth - 1;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = result.data();
  back.dstPitch = width * 4;
  back.dstHeight = height;
  back.WidthInBytes = width * 2;
  back.Height = height;
  back.Depth = 1;
  CHECK_DRIVER(cuMemcpy3DAsync(&back, nullptr));
  for (std::size_t i = 0; i < host.size(); ++i)
    wrong += result[i] != (i >= width * height * (depth - 1) && i % width >= width / 2 ? host[i] : 0);
  CHECK_DRIVER(cuArrayDestroy(array));
}

void use_host_memory() {
  static int values[width * height];
  for (int i = 0; i < width * height; ++i) values[i] = i;
  CHECK_DRIVER(cuMemHostRegister(values, sizeof values, CU_MEMHOSTREGISTER_DEVICEMAP));
  CUdeviceptr mapped = 0;
  CHECK_DRIVER(cuMemHostGetDevicePointer(&mapped, values, 0));
  void* arguments[] = {&mapped};
  launch(negate, arguments);
  CHECK_DRIVER(cuCtxSynchronize());
  for (int i = 0; i < width * height; ++i) wrong += values[i] != -i;
  CUmemorytype type{};
  CHECK_DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mapped));
  wrong += type != CU_MEMORYTYPE_HOST;
  CHECK_DRIVER(cuMemHostUnregister(values));
  wrong += cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&type)) !=
           CUDA_ERROR_INVALID_VALUE;

  CUdeviceptr managed = 0, start = 0;
  CHECK_DRIVER(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  unsigned is_managed = 0;
  std::size_t size = 0;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* answers[] = {&is_managed, &start, &size};
  CHECK_DRIVER(cuPointerGetAttributes(3, asked, answers, managed + 100));
  wrong += is_managed != 1 || start != managed || size < 4096;
  CHECK_DRIVER(cuMemFree(managed));

  unsigned flags = 0;
  void* pinned = nullptr;
  CHECK_DRIVER(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_PORTABLE));
  CHECK_DRIVER(cuMemHostGetFlags(&flags, pinned));
  wrong += (flags & CU_MEMHOSTALLOC_PORTABLE) == 0;
  CHECK_DRIVER(cuMemFreeHost(pinned));

  CUmemoryPool pool;
  CUdeviceptr from_pool = 0;
  CHECK_DRIVER(cuDeviceGetDefaultMemPool(&pool, 0));
  cuuint64_t threshold = 1 << 20, read = 0;
  CHECK_DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK_DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read));
  wrong += read != threshold;
  CHECK_DRIVER(cuMemAllocFromPoolAsync(&from_pool, 64, pool, nullptr));
  CHECK_DRIVER(cuMemFreeAsync(from_pool, nullptr));
}

int main() {
  // The runtime makes the primary context current, so that the driver needs no cuInit().
  CHECK(cudaFree(nullptr));
  CUcontext current = nullptr, primary = nullptr;
  CHECK_DRIVER(cuCtxGetCurrent(&current));
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
  wrong += current == nullptr || current != primary;
#if CUDA_VERSION >= 12050
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetDevice", &found, 12000, cudaEnableDefault, &status));
  CUdevice device = -1;
  CHECK_DRIVER(reinterpret_cast<CUresult (*)(CUdevice*)>(found)(&device));
  wrong += device != 0 || status != cudaDriverEntryPointSuccess;
#endif
  use_pitched_memory();
  use_array();
  use_linear_texture();
  use_reference();
  copy_boxes();
  use_host_memory();
  CHECK_DRIVER(cuDevicePrimaryCtxRelease(0));
  return report("driver_memory", wrong);
}
