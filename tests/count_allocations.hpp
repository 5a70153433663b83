// SPDX-License-Identifier: BSL-1.0
//
// Counts every operator new of the program, and the bytes. It replaces the operators, so one source file of a test
// executable may include it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0, allocated_bytes = 0;

void* counted(std::size_t bytes) {
  ++allocations;
  allocated_bytes += bytes;
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) std::abort();
  return p;
}

}  // namespace

// The nothrow forms too: a sanitizer's forms do not call the replaced ones, but its memory comes back to them.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
