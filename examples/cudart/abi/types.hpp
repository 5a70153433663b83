// SPDX-License-Identifier: BSL-1.0
//
// The types that cross the boundary between a CUDA program and its runtime library: handles, extents, parameters of
// copies, launches and textures. Fields keep NVIDIA's names ("CUDA Runtime API", Data types): a test can compare
// each offset with NVIDIA's headers where they are installed. An enumeration of C is an int here.
//
// Three versions of the runtime have three layouts of some structures. A program of an older version has reserved fewer
// bytes, so that nothing past those may be written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudart {

/// The error codes that the shell itself returns. cuda::error has all of them.
enum : int {
  success = 0,
  invalid_value = 1,
  not_initialised = 3,
  invalid_configuration = 9,
  invalid_symbol = 13,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_kernel_image = 209,
  invalid_handle = 400,
  symbol_not_found = 500,
  peer_not_supported = 217,
  peer_not_enabled = 705,
  not_permitted = 800,
  not_supported = 801,
  unknown_error = 999,
};

/// A stream, an event, a kernel, an array: what a program holds is a number that only the runtime understands.
using handle = void*;

/// dim3 and uint3.
struct dim3 {
  unsigned x, y, z;
};

/// The width counts elements in copies of arrays, else bytes.
struct extent {
  std::size_t width, height, depth;
};

struct position {
  std::size_t x, y, z;
};

struct pitched_pointer {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};

/// Directions of copies.
enum copy_kind : int { host_to_host, host_to_device, device_to_host, device_to_device, by_pointers };

struct copy_3d {
  handle srcArray;
  position srcPos;
  pitched_pointer srcPtr;
  handle dstArray;
  position dstPos;
  pitched_pointer dstPtr;
  cudart::extent extent;
  int kind;
};

struct peer_copy_3d {
  handle srcArray;
  position srcPos;
  pitched_pointer srcPtr;
  int srcDevice;
  handle dstArray;
  position dstPos;
  pitched_pointer dstPtr;
  int dstDevice;
  cudart::extent extent;
};

/// cudaPointerAttributes. Only CUDA 13 has the reserved words.
struct pointer_attributes {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
struct pointer_attributes_13 : pointer_attributes {
  long reserved[8];
};

/// cudaFuncAttributes of CUDA 11.
struct function_attributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};
/// cudaFuncAttributes from CUDA 12 on.
struct function_attributes_12 {
  function_attributes known;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
};

/// cudaLaunchAttributeValue is a union of 64 bytes.
struct launch_attribute {
  int id;
  int pad;
  union {
    char bytes[64];
    int cooperative;
    dim3 clusterDim;
    struct {
      handle event;
      int flags;
      int at_start;
    } programmatic_event;
  } val;
};

/// cudaLaunchAttributeID: the ones that change what a launch does.
enum launch_attribute_id : int {
  attribute_cooperative = 2,
  attribute_cluster_dimension = 4,
  attribute_programmatic_event = 7,
  attribute_completion_event = 12,
};

struct launch_config {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  handle stream;
  launch_attribute* attrs;
  unsigned numAttrs;
};

/// cudaMemLocation, which CUDA 13 passes where CUDA 12 passes the number of a device.
struct memory_location {
  int type;
  int id;
};

struct pool_properties {
  int allocType;
  int handleTypes;
  memory_location location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct pool_access {
  memory_location location;
  int flags;
};

struct channel_format {
  int x, y, z, w;
  int f;
};

/// cudaResourceDesc. CUDA 13 adds flags past the union; nothing here reads them.
struct resource {
  int resType;
  union {
    struct {
      handle array;
    } array;
    struct {
      handle mipmap;
    } mipmap;
    struct {
      void* devPtr;
      channel_format desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      channel_format desc;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
  } res;
};

/// cudaTextureDesc of CUDA 11. CUDA 12 adds seamlessCubemap past it.
struct texture {
  int addressMode[3];
  int filterMode;
  int readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
};

struct resource_view {
  int format;
  std::size_t width;
  std::size_t height;
  std::size_t depth;
  unsigned firstMipmapLevel;
  unsigned lastMipmapLevel;
  unsigned firstLayer;
  unsigned lastLayer;
};

/// textureReference of CUDA 11 and earlier: a global object of the program.
struct texture_reference {
  int normalized;
  int filterMode;
  int addressMode[3];
  channel_format channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int reserved[14];
};

struct surface_reference {
  channel_format channelDesc;
};

}  // namespace cudart
