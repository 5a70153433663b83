// SPDX-License-Identifier: BSL-1.0
//
// Compiles if the declarations of the ABI are as NVIDIA has them in the headers of CUDA 13.
#include "cudart/abi/device_prop.hpp"
#include "cudart/abi/driver_types.hpp"
#include "cudart/abi/types.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#define SAME_MEMBER(ours, theirs, member)                                                                             \
  static_assert(offsetof(ours, member) == offsetof(theirs, member) && sizeof(ours::member) == sizeof(theirs::member), \
                #theirs " has " #member " at the same place");

#define ALWAYS(type, name, bounds) SAME_MEMBER(cudart::device_prop_13, cudaDeviceProp, name)
#define BEFORE_13(type, name, bounds)
#define FROM_12(type, name, bounds) SAME_MEMBER(cudart::device_prop_13, cudaDeviceProp, name)
#define FROM_13(type, name, bounds) SAME_MEMBER(cudart::device_prop_13, cudaDeviceProp, name)
#include "cudart/abi/device_prop.def"
static_assert(sizeof(cudart::device_prop_13) == sizeof(cudaDeviceProp));

static_assert(sizeof(cudart::copy_3d) == sizeof(cudaMemcpy3DParms));
SAME_MEMBER(cudart::copy_3d, cudaMemcpy3DParms, dstPtr)
SAME_MEMBER(cudart::copy_3d, cudaMemcpy3DParms, extent)
SAME_MEMBER(cudart::copy_3d, cudaMemcpy3DParms, kind)
static_assert(sizeof(cudart::peer_copy_3d) == sizeof(cudaMemcpy3DPeerParms));
SAME_MEMBER(cudart::peer_copy_3d, cudaMemcpy3DPeerParms, dstPtr)
SAME_MEMBER(cudart::peer_copy_3d, cudaMemcpy3DPeerParms, extent)
static_assert(sizeof(cudart::pointer_attributes_13) == sizeof(cudaPointerAttributes));
static_assert(sizeof(cudart::function_attributes_12) == sizeof(cudaFuncAttributes));
SAME_MEMBER(cudart::function_attributes, cudaFuncAttributes, numRegs)
SAME_MEMBER(cudart::function_attributes, cudaFuncAttributes, preferredShmemCarveout)
static_assert(sizeof(cudart::launch_config) == sizeof(cudaLaunchConfig_t));
SAME_MEMBER(cudart::launch_config, cudaLaunchConfig_t, stream)
SAME_MEMBER(cudart::launch_config, cudaLaunchConfig_t, attrs)
static_assert(sizeof(cudart::launch_attribute) == sizeof(cudaLaunchAttribute));
static_assert(offsetof(cudart::launch_attribute, val) == offsetof(cudaLaunchAttribute, val));
static_assert(sizeof(cudart::pool_properties) == sizeof(cudaMemPoolProps));
static_assert(sizeof(cudart::pool_access) == sizeof(cudaMemAccessDesc));
static_assert(sizeof(cudart::memory_location) == sizeof(cudaMemLocation));
static_assert(sizeof(cudart::channel_format) == sizeof(cudaChannelFormatDesc));
static_assert(sizeof(cudart::resource) <= sizeof(cudaResourceDesc));
static_assert(offsetof(cudart::resource, res) == offsetof(cudaResourceDesc, res));
static_assert(offsetof(cudart::resource, res.linear.sizeInBytes) == offsetof(cudaResourceDesc, res.linear.sizeInBytes));
static_assert(offsetof(cudart::resource, res.pitch2D.pitchInBytes) ==
              offsetof(cudaResourceDesc, res.pitch2D.pitchInBytes));
static_assert(sizeof(cudart::texture) <= sizeof(cudaTextureDesc));
SAME_MEMBER(cudart::texture, cudaTextureDesc, borderColor)
SAME_MEMBER(cudart::texture, cudaTextureDesc, disableTrilinearOptimization)
static_assert(cudart::attribute_cooperative == static_cast<int>(cudaLaunchAttributeCooperative));
static_assert(cudart::attribute_cluster_dimension == static_cast<int>(cudaLaunchAttributeClusterDimension));

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #theirs " has the same size");
SAME_SIZE(cudart::driver_copy_2d, CUDA_MEMCPY2D)
SAME_MEMBER(cudart::driver_copy_2d, CUDA_MEMCPY2D, srcPitch)
SAME_MEMBER(cudart::driver_copy_2d, CUDA_MEMCPY2D, dstMemoryType)
SAME_MEMBER(cudart::driver_copy_2d, CUDA_MEMCPY2D, Height)
SAME_SIZE(cudart::driver_copy_3d, CUDA_MEMCPY3D)
SAME_SIZE(cudart::driver_copy_3d, CUDA_MEMCPY3D_PEER)
SAME_MEMBER(cudart::driver_copy_3d, CUDA_MEMCPY3D, srcHeight)
SAME_MEMBER(cudart::driver_copy_3d, CUDA_MEMCPY3D, dstArray)
SAME_MEMBER(cudart::driver_copy_3d, CUDA_MEMCPY3D_PEER, dstPitch)
SAME_MEMBER(cudart::driver_copy_3d, CUDA_MEMCPY3D, Depth)
SAME_SIZE(cudart::array_descriptor, CUDA_ARRAY_DESCRIPTOR)
SAME_MEMBER(cudart::array_descriptor, CUDA_ARRAY_DESCRIPTOR, NumChannels)
SAME_SIZE(cudart::array_3d_descriptor, CUDA_ARRAY3D_DESCRIPTOR)
SAME_MEMBER(cudart::array_3d_descriptor, CUDA_ARRAY3D_DESCRIPTOR, Flags)
SAME_SIZE(cudart::driver_resource, CUDA_RESOURCE_DESC)
SAME_MEMBER(cudart::driver_resource, CUDA_RESOURCE_DESC, res.linear.sizeInBytes)
SAME_MEMBER(cudart::driver_resource, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)
SAME_MEMBER(cudart::driver_resource, CUDA_RESOURCE_DESC, flags)
SAME_SIZE(cudart::driver_texture, CUDA_TEXTURE_DESC)
SAME_MEMBER(cudart::driver_texture, CUDA_TEXTURE_DESC, flags)
SAME_MEMBER(cudart::driver_texture, CUDA_TEXTURE_DESC, borderColor)
SAME_SIZE(cudart::driver_properties, CUdevprop)
SAME_MEMBER(cudart::driver_properties, CUdevprop, textureAlign)
SAME_SIZE(cudart::driver_launch_config, CUlaunchConfig)
SAME_MEMBER(cudart::driver_launch_config, CUlaunchConfig, hStream)
SAME_MEMBER(cudart::driver_launch_config, CUlaunchConfig, numAttrs)
SAME_SIZE(cudart::launch_attribute, CUlaunchAttribute)
static_assert(cudart::attribute_cluster_dimension == static_cast<int>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
static_assert(cudart::unified_memory == static_cast<int>(CU_MEMORYTYPE_UNIFIED));
