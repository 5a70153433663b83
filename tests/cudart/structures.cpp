// SPDX-License-Identifier: BSL-1.0
//
// Compiles if the declarations of the ABI are as NVIDIA has them in the headers of CUDA 13.
#include "cudart/abi/device_prop.hpp"
#include "cudart/abi/types.hpp"

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
