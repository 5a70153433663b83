// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/device_properties.hpp"

#include "cudart/core/process.hpp"
#include <simtflow/cuda/core_of_capability.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstdio>
#include <cstring>

namespace cudart {
namespace {

using simtflow::timing::unlimited;

int as_int(std::uint64_t n) { return n > 0x7FFF'FFFF ? 0x7FFF'FFFF : static_cast<int>(n); }

device_prop_12 made_properties() {
  cuda::device& device = process_device();
  const std::uint32_t capability = device.how().capability;
  simtflow::timing::core_parameters core = cuda::core_of_capability(capability);
  const simtflow::timing::machine* machine = device.machine();
  const auto take = [](std::uint32_t& to, std::uint32_t from) {
    if (from != unlimited) to = from;
  };
  device_prop_12 p = {};
  if (machine != nullptr) {
    core.cores = machine->core.cores;
    core.mhz = machine->core.mhz;
    core.warp_width = machine->core.warp_width;
    take(core.max_threads, machine->core.max_threads);
    take(core.max_blocks, machine->core.max_blocks);
    take(core.max_block_threads, machine->core.max_block_threads);
    take(core.registers, machine->core.registers);
    take(core.shared_bytes, machine->core.shared_bytes);
    p.l2CacheSize = as_int(std::uint64_t{machine->l2.size} * machine->partition.slices * machine->dram.channels);
    p.memoryClockRate = as_int(std::uint64_t{machine->dram.mhz} * 1000);
    // Twice a clock each line carries a bit.
    p.memoryBusWidth = as_int(std::uint64_t{machine->dram.bytes_per_cycle} * 8 / 2 * machine->dram.channels);
  }
  std::snprintf(p.name, sizeof p.name, "simtflow %s, policy %s", machine == nullptr ? "device" : machine->name.c_str(),
                device.how().policy.c_str());
  std::memcpy(p.uuid.bytes, "simtflow device", 16);
  std::uint64_t memory = 0;
  (void)device.available_memory(memory);
  p.totalGlobalMem = static_cast<std::size_t>(memory);
  p.sharedMemPerBlock = 48U << 10;
  p.regsPerBlock = as_int(core.registers);
  p.warpSize = as_int(core.warp_width);
  p.memPitch = 0x7FFF'FFFF;
  p.maxThreadsPerBlock = as_int(core.max_block_threads);
  const int threads[] = {1024, 1024, 64}, grid[] = {0x7FFF'FFFF, 65535, 65535};
  std::memcpy(p.maxThreadsDim, threads, sizeof threads);
  std::memcpy(p.maxGridSize, grid, sizeof grid);
  p.clockRate = as_int(std::uint64_t{core.mhz} * 1000);
  p.totalConstMem = 64U << 10;
  p.major = as_int(capability / 10);
  p.minor = as_int(capability % 10);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.deviceOverlap = 1;
  p.multiProcessorCount = as_int(core.cores);
  p.canMapHostMemory = 1;
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  p.maxTexture1DLinear = 1 << 28;
  const auto set = [](int* to, auto... values) { ((*to++ = values), ...); };
  set(p.maxTexture2D, 131072, 65536);
  set(p.maxTexture2DMipmap, 32768, 32768);
  set(p.maxTexture2DLinear, 131072, 65000, 2097120);
  set(p.maxTexture2DGather, 32768, 32768);
  set(p.maxTexture3D, 16384, 16384, 16384);
  set(p.maxTexture3DAlt, 8192, 8192, 32768);
  p.maxTextureCubemap = 32768;
  set(p.maxTexture1DLayered, 32768, 2048);
  set(p.maxTexture2DLayered, 32768, 32768, 2048);
  set(p.maxTextureCubemapLayered, 32768, 2046);
  p.maxSurface1D = 32768;
  set(p.maxSurface2D, 131072, 65536);
  set(p.maxSurface3D, 16384, 16384, 16384);
  set(p.maxSurface1DLayered, 32768, 2048);
  set(p.maxSurface2DLayered, 32768, 32768, 2048);
  p.maxSurfaceCubemap = 32768;
  set(p.maxSurfaceCubemapLayered, 32768, 2046);
  p.surfaceAlignment = 512;
  p.concurrentKernels = 1;
  p.pciBusID = 1;
  p.asyncEngineCount = 2;
  p.unifiedAddressing = 1;
  p.maxThreadsPerMultiProcessor = as_int(core.max_threads);
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = core.shared_bytes;
  p.regsPerMultiprocessor = as_int(core.registers);
  p.managedMemory = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = cuda::max_block_shared_bytes(core, capability);
  p.maxBlocksPerMultiProcessor = as_int(core.max_blocks);
  p.reservedSharedMemPerBlock = cuda::reserved_shared_bytes(capability);
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  return p;
}

}  // namespace

const device_prop_12& device_properties() {
  static const device_prop_12 properties = made_properties();
  return properties;
}

error device_attribute(int attribute, int& value) {
  const device_prop_12& p = device_properties();
  switch (attribute) {
    case 1:
      value = p.maxThreadsPerBlock;
      break;
    case 2:
    case 3:
    case 4:
      value = p.maxThreadsDim[attribute - 2];
      break;
    case 5:
    case 6:
    case 7:
      value = p.maxGridSize[attribute - 5];
      break;
    case 8:
      value = as_int(p.sharedMemPerBlock);
      break;
    case 9:
      value = as_int(p.totalConstMem);
      break;
    case 10:
      value = p.warpSize;
      break;
    case 11:
      value = as_int(p.memPitch);
      break;
    case 12:
      value = p.regsPerBlock;
      break;
    case 13:
      value = p.clockRate;
      break;
    case 14:
      value = as_int(p.textureAlignment);
      break;
    case 15:
      value = p.deviceOverlap;
      break;
    case 16:
      value = p.multiProcessorCount;
      break;
    case 17:
      value = p.kernelExecTimeoutEnabled;
      break;
    case 18:
      value = p.integrated;
      break;
    case 19:
      value = p.canMapHostMemory;
      break;
    case 20:
      value = p.computeMode;
      break;
    case 21:
      value = p.maxTexture1D;
      break;
    case 22:
    case 23:
      value = p.maxTexture2D[attribute - 22];
      break;
    case 24:
    case 25:
    case 26:
      value = p.maxTexture3D[attribute - 24];
      break;
    case 27:
    case 28:
    case 29:
      value = p.maxTexture2DLayered[attribute - 27];
      break;
    case 30:
      value = as_int(p.surfaceAlignment);
      break;
    case 31:
      value = p.concurrentKernels;
      break;
    case 32:
      value = p.ECCEnabled;
      break;
    case 33:
      value = p.pciBusID;
      break;
    case 34:
      value = p.pciDeviceID;
      break;
    case 35:
      value = p.tccDriver;
      break;
    case 36:
      value = p.memoryClockRate;
      break;
    case 37:
      value = p.memoryBusWidth;
      break;
    case 38:
      value = p.l2CacheSize;
      break;
    case 39:
      value = p.maxThreadsPerMultiProcessor;
      break;
    case 40:
      value = p.asyncEngineCount;
      break;
    case 41:
      value = p.unifiedAddressing;
      break;
    case 42:
    case 43:
      value = p.maxTexture1DLayered[attribute - 42];
      break;
    case 45:
    case 46:
      value = p.maxTexture2DGather[attribute - 45];
      break;
    case 47:
    case 48:
    case 49:
      value = p.maxTexture3DAlt[attribute - 47];
      break;
    case 50:
      value = p.pciDomainID;
      break;
    case 51:
      value = as_int(p.texturePitchAlignment);
      break;
    case 52:
      value = p.maxTextureCubemap;
      break;
    case 53:
    case 54:
      value = p.maxTextureCubemapLayered[attribute - 53];
      break;
    case 55:
      value = p.maxSurface1D;
      break;
    case 56:
    case 57:
      value = p.maxSurface2D[attribute - 56];
      break;
    case 58:
    case 59:
    case 60:
      value = p.maxSurface3D[attribute - 58];
      break;
    case 61:
    case 62:
      value = p.maxSurface1DLayered[attribute - 61];
      break;
    case 63:
    case 64:
    case 65:
      value = p.maxSurface2DLayered[attribute - 63];
      break;
    case 66:
      value = p.maxSurfaceCubemap;
      break;
    case 67:
    case 68:
      value = p.maxSurfaceCubemapLayered[attribute - 67];
      break;
    case 69:
      value = p.maxTexture1DLinear;
      break;
    case 70:
    case 71:
    case 72:
      value = p.maxTexture2DLinear[attribute - 70];
      break;
    case 73:
    case 74:
      value = p.maxTexture2DMipmap[attribute - 73];
      break;
    case 75:
      value = p.major;
      break;
    case 76:
      value = p.minor;
      break;
    case 77:
      value = p.maxTexture1DMipmap;
      break;
    case 78:
      value = p.streamPrioritiesSupported;
      break;
    case 79:
      value = p.globalL1CacheSupported;
      break;
    case 80:
      value = p.localL1CacheSupported;
      break;
    case 81:
      value = as_int(p.sharedMemPerMultiprocessor);
      break;
    case 82:
      value = p.regsPerMultiprocessor;
      break;
    case 83:
      value = p.managedMemory;
      break;
    case 84:
      value = p.isMultiGpuBoard;
      break;
    case 85:
      value = p.multiGpuBoardGroupID;
      break;
    case 86:
      value = p.hostNativeAtomicSupported;
      break;
    case 87:
      value = p.singleToDoublePrecisionPerfRatio;
      break;
    case 88:
      value = p.pageableMemoryAccess;
      break;
    case 89:
      value = p.concurrentManagedAccess;
      break;
    case 90:
      value = p.computePreemptionSupported;
      break;
    case 91:
      value = p.canUseHostPointerForRegisteredMem;
      break;
    case 95:
      value = p.cooperativeLaunch;
      break;
    case 97:
      value = as_int(p.sharedMemPerBlockOptin);
      break;
    case 99:
      value = p.hostRegisterSupported;
      break;
    case 106:
      value = p.maxBlocksPerMultiProcessor;
      break;
    case 111:
      value = as_int(p.reservedSharedMemPerBlock);
      break;
    case 115:
      value = p.memoryPoolsSupported;
      break;
    case 126:
      value = 1;
      break;  // domains of memory synchronisation
    case 134:
      value = -1;
      break;  // the host's NUMA node
    default:
      if (attribute <= 0 || attribute > 160) return error::invalid_value;
      value = 0;  // a feature that the device lacks
  }
  return error::success;
}

}  // namespace cudart
