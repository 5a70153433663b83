// SPDX-License-Identifier: BSL-1.0
//
// The structures of the driver API (CUDA Driver API, Data types), since CUDA 3.2. Fields have NVIDIA's names, as in
// types.hpp.
#pragma once

#include "cudart/abi/types.hpp"

#include <cstddef>
#include <cstdint>

namespace cudart {

/// An address of the device: CUdeviceptr.
using device_pointer = std::uint64_t;

/// CUmemorytype: where an end of a copy lies. `unified`: its pointer says where.
enum memory_type : int { host_memory = 1, device_memory = 2, array_memory = 3, unified_memory = 4 };

/// CUDA_MEMCPY2D.
struct driver_copy_2d {
  std::size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void* srcHost;
  device_pointer srcDevice;
  handle srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  int dstMemoryType;
  void* dstHost;
  device_pointer dstDevice;
  handle dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes, Height;
};

/// CUDA_MEMCPY3D, and CUDA_MEMCPY3D_PEER, which has contexts in the place of the reserved words.
struct driver_copy_3d {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  device_pointer srcDevice;
  handle srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  device_pointer dstDevice;
  handle dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};

/// CUDA_ARRAY_DESCRIPTOR.
struct array_descriptor {
  std::size_t Width, Height;
  int Format;
  unsigned NumChannels;
};
/// CUDA_ARRAY3D_DESCRIPTOR.
struct array_3d_descriptor {
  std::size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels;
  unsigned Flags;
};

/// CUDA_RESOURCE_DESC.
struct driver_resource {
  int resType;
  union {
    struct {
      handle hArray;
    } array;
    struct {
      handle hMipmappedArray;
    } mipmap;
    struct {
      device_pointer devPtr;
      int format;
      unsigned numChannels;
      std::size_t sizeInBytes;
    } linear;
    struct {
      device_pointer devPtr;
      int format;
      unsigned numChannels;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
};

/// CUDA_TEXTURE_DESC.
struct driver_texture {
  int addressMode[3];
  int filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

/// CUdevprop.
struct driver_properties {
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int sharedMemPerBlock;
  int totalConstantMemory;
  int SIMDWidth;
  int memPitch;
  int regsPerBlock;
  int clockRate;
  int textureAlign;
};

/// CUlaunchConfig.
struct driver_launch_config {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  handle hStream;
  const launch_attribute* attrs;
  unsigned numAttrs;
};

}  // namespace cudart
