// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/shared_calls.hpp"

#include <cstring>
#include <fstream>
#include <iterator>

namespace cudart {
namespace {

std::size_t limits[] = {1024, 1U << 20, 8U << 20, 2, 2048, 128, 0};

enum pool_attribute : int { release_threshold = 4, used_high = 8 };

}  // namespace

bool read_file(const char* path, std::string& bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

error get_limit(int limit, std::size_t& value) {
  if (limit < 0 || limit >= static_cast<int>(std::size(limits))) return error::unsupported_limit;
  value = limits[limit];
  return error::success;
}

error set_limit(int limit, std::size_t value) {
  if (limit < 0 || limit >= static_cast<int>(std::size(limits))) return error::unsupported_limit;
  limits[limit] = value;
  constexpr int stack_size = 0, malloc_heap_size = 2;
  if (limit == stack_size) process_device().limit_stack(value);
  if (limit == malloc_heap_size) process_device().limit_heap(value);
  return error::success;
}

error set_kernel_attribute(cuda::kernel_handle kernel, int attribute, int value) {
  constexpr int max_dynamic_shared = 8, shared_carveout = 9, last_attribute = 15;
  if (attribute == max_dynamic_shared) {
    if (value < 0) return error::invalid_value;
    return process_device().set_max_dynamic_shared(kernel, static_cast<std::uint64_t>(value));
  }
  if (attribute == shared_carveout) return value < -1 || value > 100 ? error::invalid_value : error::success;
  return attribute > shared_carveout && attribute <= last_attribute ? error::success : error::invalid_value;
}

error available_dynamic_shared(cuda::kernel_handle kernel, int blocks, int threads, std::size_t& bytes) {
  if (blocks <= 0 || threads <= 0) return error::invalid_value;
  cuda::kernel_attributes facts;
  if (const error e = process_device().attributes(kernel, facts); e != error::success) return e;
  std::uint64_t fits = 0, too_much = facts.max_dynamic_shared_bytes + 1;
  while (too_much - fits > 1) {
    const std::uint64_t middle = fits + (too_much - fits) / 2;
    std::uint32_t found = 0;
    const error e = process_device().occupancy(kernel, static_cast<std::uint32_t>(threads), middle, found);
    (e == error::success && found >= static_cast<std::uint32_t>(blocks) ? fits : too_much) = middle;
  }
  bytes = static_cast<std::size_t>(fits);
  return error::success;
}

launch_attributes read_attributes(const launch_attribute* attributes, unsigned count, handle stream) {
  launch_attributes found;
  for (unsigned i = 0; i < count; ++i) {
    const launch_attribute& a = attributes[i];
    if (a.id == attribute_cooperative) found.cooperative = a.val.cooperative != 0;
    if (a.id == attribute_cluster_dimension &&
        std::uint64_t{a.val.clusterDim.x} * a.val.clusterDim.y * a.val.clusterDim.z > 1)
      found.clusters = true;
    if (a.id == attribute_programmatic_event || a.id == attribute_completion_event)
      process_device().record(event_of(a.val.programmatic_event.event), stream_of(stream));
  }
  return found;
}

error call_back(handle stream, void (*function)(handle, int, void*), void* data) {
  if (function == nullptr) return error::invalid_value;
  struct call {
    void (*function)(handle, int, void*);
    handle stream;
    void* data;
  } one = {function, stream, data};
  const auto run = [](void* p) {
    const call& c = *static_cast<call*>(p);
    c.function(c.stream, 0, c.data);
  };
  return process_device().call_host(stream_of(stream), run, &one);
}

memory_pool& default_pool() {
  static memory_pool one;
  return one;
}

error destroy_pool(handle pool) {
  if (pool == nullptr) return error::invalid_value;
  if (pool != &default_pool()) delete static_cast<memory_pool*>(pool);
  return error::success;
}

error get_pool_attribute(handle pool, int attribute, void* value) {
  if (pool == nullptr || value == nullptr) return error::invalid_value;
  if (attribute >= release_threshold && attribute <= used_high) {
    std::uint64_t total = 0;
    const std::uint64_t left = process_device().available_memory(total);
    const std::uint64_t found =
        attribute == release_threshold ? static_cast<memory_pool*>(pool)->release_threshold : total - left;
    std::memcpy(value, &found, sizeof found);
    return error::success;
  }
  const int yes = 1;  // memory may be used again whatever streams do
  std::memcpy(value, &yes, sizeof yes);
  return error::success;
}

error set_pool_attribute(handle pool, int attribute, const void* value) {
  if (pool == nullptr || value == nullptr) return error::invalid_value;
  if (attribute == release_threshold)
    std::memcpy(&static_cast<memory_pool*>(pool)->release_threshold, value, sizeof(std::uint64_t));
  return error::success;
}

error get_range_attribute(void* data, std::size_t bytes, std::uint64_t address) {
  if (data == nullptr || process_device().pointer(address).kind != cuda::memory_kind::managed)
    return error::invalid_value;
  std::memset(data, 0, bytes);
  return error::success;
}

error make_array(const cuda::array_request& request, handle& array) {
  cuda::array_handle made{};
  const error e = process_device().textures([&](cuda::texture_calls& t) { return t.create_array(request, made); });
  if (e == error::success) array = to_program(made);
  return e;
}

error free_array(handle array) {
  return process_device().textures([&](cuda::texture_calls& t) { return t.free_array(array_of(array)); });
}

error level_of(handle array, unsigned number, handle& level) {
  cuda::array_handle made{};
  const error e =
      process_device().textures([&](cuda::texture_calls& t) { return t.level(array_of(array), number, made); });
  if (e == error::success) level = to_program(made);
  return e;
}

error facts_of(handle array, cuda::array_facts& facts) {
  return process_device().textures([&](cuda::texture_calls& t) { return t.find_array(array_of(array), facts); });
}

error box_in(handle array, std::size_t x, std::size_t y, std::size_t z, cuda::byte_box& box) {
  return process_device().textures([&](cuda::texture_calls& t) { return t.box_of(array_of(array), x, y, z, box); });
}

}  // namespace cudart
