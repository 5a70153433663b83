// SPDX-License-Identifier: BSL-1.0
//
// How one lane's plain function becomes code for 32. Registers are arrays of 32 lanes: 32-bit slots for types up to 32
// bits (narrow values in the low bits, readers ignore the rest), 64-bit slots above.
//
//   light code  computes all 32 lanes, also those that are switched off, into an array that no operand overlaps; the
//               caller merges it. Functions are defined for every value, so idle lanes do no harm, and the loops have a
//               fixed length, so compilers make vector code of them. Only parameters are marked __restrict: clang
//               ignores it on other variables, and then unrolls the loop to scalar code.
//   each code   computes the lanes of a mask one by one, for what is slow or has no vector form.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Lanes that are computed together. A warp of another width takes the next multiple.
inline constexpr std::size_t chunk_lanes = 32;

/// Computes 32 lanes of a result from up to four operands. The result overlaps no operand.
using light_code = void (*)(void* result, const void* a, const void* b, const void* c, const void* d);
/// Computes the lanes of a mask. The result may be one of the operands.
using each_code = void (*)(void* result, const void* a, const void* b, const void* c, const void* d,
                           std::uint32_t mask);
/// Compares 32 lanes: one bit each.
using compare_code = std::uint32_t (*)(const void* a, const void* b);

/// Computes 32 lanes of a result from up to three operands and a carry, one bit each; gives the carries out of them.
using carry_code = std::uint32_t (*)(void* result, const void* a, const void* b, const void* c, std::uint32_t carry);

/// How an operation computes: one of the two.
struct lane_code {
  light_code light = nullptr;  ///< computes all 32 lanes, whichever run; null: see `each`
  each_code each = nullptr;    ///< computes the lanes that run; null: see `light`
};

namespace detail {

template <class T>
using slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
constexpr T from_slot(slot<T> s) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(s);
  else
    return static_cast<T>(s);
}
template <class T>
constexpr slot<T> to_slot(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<slot<T>>(v);
  else
    return static_cast<slot<T>>(static_cast<std::make_unsigned_t<T>>(v));
}

// --- loops over lanes ----------------------------------------------------------------------------------------------

template <auto F>
struct lanes;

template <class D, class A, D (*F)(A)>
struct lanes<F> {
  static void light(void* __restrict r, const void* __restrict a, const void*, const void*, const void*) {
    slot<D>* out = static_cast<slot<D>*>(r);
    const slot<A>* x = static_cast<const slot<A>*>(a);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i])));
  }
  static void each(void* r, const void* a, const void*, const void*, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(F(from_slot<A>(static_cast<const slot<A>*>(a)[i])));
    }
  }
};

template <class D, class A, class B, D (*F)(A, B)>
struct lanes<F> {
  static void light(void* __restrict r, const void* __restrict a, const void* __restrict b, const void*, const void*) {
    slot<D>* out = static_cast<slot<D>*>(r);
    const slot<A>* x = static_cast<const slot<A>*>(a);
    const slot<B>* y = static_cast<const slot<B>*>(b);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i]), from_slot<B>(y[i])));
  }
  /// The second operand is the same in all lanes: a constant shift amount.
  static void light_uniform(void* __restrict r, const void* __restrict a, const void* __restrict b, const void*,
                            const void*) {
    slot<D>* out = static_cast<slot<D>*>(r);
    const slot<A>* x = static_cast<const slot<A>*>(a);
    const B y = from_slot<B>(*static_cast<const slot<B>*>(b));
#if defined(__clang__)  // before version 16, clang makes scalar code of the unrolled loop
#pragma clang loop unroll(disable) interleave_count(4)
#endif
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i]), y));
  }
  static void each(void* r, const void* a, const void* b, const void*, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(
          F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i])));
    }
  }
};

template <class D, class A, class B, class C, D (*F)(A, B, C)>
struct lanes<F> {
  static void light(void* __restrict r, const void* __restrict a, const void* __restrict b, const void* __restrict c,
                    const void*) {
    slot<D>* out = static_cast<slot<D>*>(r);
    const slot<A>* x = static_cast<const slot<A>*>(a);
    const slot<B>* y = static_cast<const slot<B>*>(b);
    const slot<C>* z = static_cast<const slot<C>*>(c);
    for (std::size_t i = 0; i < chunk_lanes; ++i)
      out[i] = to_slot<D>(F(from_slot<A>(x[i]), from_slot<B>(y[i]), from_slot<C>(z[i])));
  }
  static void each(void* r, const void* a, const void* b, const void* c, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] =
          to_slot<D>(F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i]),
                       from_slot<C>(static_cast<const slot<C>*>(c)[i])));
    }
  }
};

template <class D, class A, class B, class C, class E, D (*F)(A, B, C, E)>
struct lanes<F> {
  static void light(void* __restrict r, const void* __restrict a, const void* __restrict b, const void* __restrict c,
                    const void* __restrict d) {
    slot<D>* out = static_cast<slot<D>*>(r);
    const slot<A>* x = static_cast<const slot<A>*>(a);
    const slot<B>* y = static_cast<const slot<B>*>(b);
    const slot<C>* z = static_cast<const slot<C>*>(c);
    const slot<E>* w = static_cast<const slot<E>*>(d);
    for (std::size_t i = 0; i < chunk_lanes; ++i)
      out[i] = to_slot<D>(F(from_slot<A>(x[i]), from_slot<B>(y[i]), from_slot<C>(z[i]), from_slot<E>(w[i])));
  }
  static void each(void* r, const void* a, const void* b, const void* c, const void* d, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(
          F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i]),
            from_slot<C>(static_cast<const slot<C>*>(c)[i]), from_slot<E>(static_cast<const slot<E>*>(d)[i])));
    }
  }
};

template <auto F>
constexpr lane_code light() {
  return {&lanes<F>::light, nullptr};
}
template <auto F>
constexpr lane_code each() {
  return {nullptr, &lanes<F>::each};
}

/// Bit i in lane i: turns a mask into lanes and back without variable shifts.
struct lane_bits {
  std::uint32_t at[chunk_lanes];
  constexpr lane_bits() : at() {
    for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = std::uint32_t{1} << i;
  }
};
alignas(64) inline constexpr lane_bits bit_of_lane{};

template <class T, bool (*F)(T, T)>
std::uint32_t compare_lanes(const void* a, const void* b) {
  const slot<T>* x = static_cast<const slot<T>*>(a);
  const slot<T>* y = static_cast<const slot<T>*>(b);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i)
    mask |= F(from_slot<T>(x[i]), from_slot<T>(y[i])) ? bit_of_lane.at[i] : 0U;
  return mask;
}

/// An exponent field of all ones, infinity or NaN, carries into the top bit.
template <class T>
constexpr slot<T> special_bit(slot<T> bits) {
  constexpr slot<T> sign = slot<T>{1} << (8 * sizeof(T) - 1);
  constexpr slot<T> least_exponent = slot<T>{1} << (sizeof(T) == 4 ? 23 : 52);
  return (bits & ~sign) + least_exponent;
}
/// A result of floating point: Raw, and Right where Raw is no number, which is rare and comes after the loop.
template <class T, T (*Raw)(T, T), T (*Right)(T, T)>
void arithmetic_lanes(void* __restrict r, const void* __restrict a, const void* __restrict b, const void*,
                      const void*) {
  slot<T>* out = static_cast<slot<T>*>(r);
  const slot<T>* x = static_cast<const slot<T>*>(a);
  const slot<T>* y = static_cast<const slot<T>*>(b);
  slot<T> special = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i) {
    const slot<T> v = to_slot<T>(Raw(from_slot<T>(x[i]), from_slot<T>(y[i])));
    out[i] = v;
    special |= special_bit<T>(v);
  }
  if ((special >> (8 * sizeof(T) - 1)) == 0) return;
  for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<T>(Right(from_slot<T>(x[i]), from_slot<T>(y[i])));
}

/// F(a) for every lane: one bit each.
template <class T, bool (*F)(T)>
std::uint32_t test_lanes(const void* a, const void*) {
  const slot<T>* x = static_cast<const slot<T>*>(a);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i) mask |= F(from_slot<T>(x[i])) ? bit_of_lane.at[i] : 0U;
  return mask;
}

/// A result and the carry out of it.
template <class T>
struct carried {
  T value;
  bool carry;
};
template <class T, carried<T> (*F)(T, T, T, bool)>
std::uint32_t carry_lanes(void* r, const void* a, const void* b, const void* c, std::uint32_t carry) {
  slot<T>* out = static_cast<slot<T>*>(r);
  const slot<T>* x = static_cast<const slot<T>*>(a);
  const slot<T>* y = static_cast<const slot<T>*>(b);
  const slot<T>* z = static_cast<const slot<T>*>(c);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i) {
    const carried<T> v = F(from_slot<T>(x[i]), from_slot<T>(y[i]), from_slot<T>(z[i]), ((carry >> i) & 1U) != 0);
    out[i] = to_slot<T>(v.value);
    mask |= v.carry ? bit_of_lane.at[i] : 0U;
  }
  return mask;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
