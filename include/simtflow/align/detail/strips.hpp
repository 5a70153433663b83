// SPDX-License-Identifier: BSL-1.0
//
// Alignment of class numbers in vector registers: the inner part of align/classes.hpp. SSE2 or NEON is the baseline;
// AVX2 and AVX-512 are chosen at run time, so that an including project needs no -march. All give the same result.
//
// Construction: the matrix is cut into strips. A strip has as many rows as two registers have lanes; with one register
// each step would wait for the one before. A step computes one cell of every row of a strip, each one column after the
// row above it: cells on an anti-diagonal do not depend on each other. All that the next step needs stays in registers;
// only the last row of a strip is stored, for the strip below it.
//
// Neighbouring cells differ by little. So cells are kept relative to a base that follows them, and 16 bits are enough
// for any score as long as one pair and one gap cost little. align_in_strips() of align/classes.hpp checks this
// beforehand: nothing overflows, nothing is computed twice.
//
// Literature: A. Wozniak, Using video-oriented instructions to speed up sequence comparison (1997), for the order of
// cells.
#pragma once

#include <simtflow/align/sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Vectors are a language extension of g++ and clang. Define SIMTFLOW_NO_VECTORS to do without them, either in every
// translation unit of a program or in none.
#if defined(__GNUC__) && !defined(SIMTFLOW_NO_VECTORS)
#if defined(__x86_64__) || defined(__i386__)
#define SIMTFLOW_VECTORS_X86
#define SIMTFLOW_VECTORS
#elif defined(__ARM_NEON)
#define SIMTFLOW_VECTORS
#endif
#endif

namespace simtflow {
inline namespace v0 {
namespace detail {

// The vector registers in which cells are computed.
enum class vector_unit : unsigned char {
  none,      // the general alignment
  bytes_16,  // SSE2, NEON
  bytes_32,  // AVX2
  bytes_64   // AVX-512 F and BW
};

// The widest vector registers that this machine has.
inline vector_unit widest_vector_unit() {
#if defined(SIMTFLOW_VECTORS_X86)
  __builtin_cpu_init();  // this may run before the constructor that does it
  if (__builtin_cpu_supports("avx512bw")) return vector_unit::bytes_64;
  if (__builtin_cpu_supports("avx2")) return vector_unit::bytes_32;
  return __builtin_cpu_supports("sse2") ? vector_unit::bytes_16 : vector_unit::none;
#elif defined(SIMTFLOW_VECTORS)
  return vector_unit::bytes_16;
#else
  return vector_unit::none;
#endif
}

#if defined(SIMTFLOW_VECTORS)

// An array that is not filled with zeros.
template <class T>
class raw_array {
 public:
  explicit raw_array(std::size_t n) : data_(n == 0 ? nullptr : new T[n]) {}
  raw_array(const raw_array&) = delete;
  raw_array& operator=(const raw_array&) = delete;
  ~raw_array() { delete[] data_; }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
};

// One problem, laid out for strips of `height` rows. Rows are the elements of the first sequence, and the last row of a
// strip comes first.
template <class Cell>
struct strips {
  static constexpr std::size_t chunk = 64;                       // steps until the base is checked again
  static constexpr std::size_t cells_a_word = 2 * sizeof(Cell);  // cells in a word of the matrix, four bits each
  using word = std::make_unsigned_t<Cell>;

  std::size_t n = 0, m = 0, height = 0;                 // both lengths at least 1
  Cell open1 = 0, extend1 = 0, open2 = 0, extend2 = 0;  // gaps of the rows, of the columns
  Cell miss = 0;                                        // a pair of different classes
  std::int32_t limit = 0;                               // how far from the base a chunk may begin
  const Cell* x = nullptr;                              // by strip and row: the class
  const Cell* w = nullptr;                              // and what a pair of two such elements is worth
  const Cell* y = nullptr;                              // the columns' classes, after height - 1 of no class
  std::int32_t* h = nullptr;                            // the row above the strip, by column: the best scores
  std::int32_t* f = nullptr;                            // and the best ones that end in a gap of the rows
  unsigned char* matrix = nullptr;                      // by strip, word and row: bits()

  [[nodiscard]] std::size_t rows() const { return (n + height - 1) / height * height; }
  [[nodiscard]] std::size_t words() const { return (m + height - 1 + cells_a_word - 1) / cells_a_word; }
  // The bits of the cell after i rows and j columns, as sequence.hpp has them.
  [[nodiscard]] unsigned bits(std::size_t i, std::size_t j) const {
    const std::size_t row = (i - 1) % height, step = j - 1 + row;
    const std::size_t at = ((i - 1) / height * words() + step / cells_a_word) * height + height - 1 - row;
    word all;
    __builtin_memcpy(&all, matrix + at * sizeof(word), sizeof(word));
    const unsigned four = static_cast<unsigned>(all >> 4 * (cells_a_word - 1 - step % cells_a_word)) & 15U;
    return (four & by_second) != 0 ? four & ~by_first : four;  // both are set if both gaps beat the pair
  }
};

// Vector code is compiled for the unit of the function that it is inlined into. Vectors are passed by reference: where
// registers are narrower, no calling convention says how to pass them.
#define SIMTFLOW_ALWAYS_INLINE [[gnu::always_inline]] inline

template <class T, std::size_t Bytes>
struct vector_of {
  using type [[gnu::vector_size(Bytes)]] = T;
};

template <class V>
SIMTFLOW_ALWAYS_INLINE void load(V& to, const void* from) {
  __builtin_memcpy(&to, from, sizeof(V));
}

// Stores the first 16 bytes, although only the first lane is wanted: that is less work than to extract it.
template <class V, int... Lane>
SIMTFLOW_ALWAYS_INLINE void store_lanes(void* to, const V& v, std::integer_sequence<int, Lane...>) {
  const auto low = __builtin_shufflevector(v, v, Lane...);
  __builtin_memcpy(to, &low, sizeof(low));
}
template <class Cell, class V>
SIMTFLOW_ALWAYS_INLINE void store_first(Cell* to, const V& v) {
  store_lanes(to, v, std::make_integer_sequence<int, 16 / sizeof(Cell)>());
}

template <class V>
SIMTFLOW_ALWAYS_INLINE void keep_greater(V& to, const V& other) {
  to = to > other ? to : other;
}

// Each lane takes the value of the next one; the last lane takes the value of the first lane of `next`.
template <class V, int... Lane>
SIMTFLOW_ALWAYS_INLINE void shift_lanes(V& v, const V& next, std::integer_sequence<int, Lane...>) {
  v = __builtin_shufflevector(v, next, (Lane + 1)...);
}
template <class Cell, std::size_t Bytes>
SIMTFLOW_ALWAYS_INLINE void shift_down(typename vector_of<Cell, Bytes>::type& v,
                                       const typename vector_of<Cell, Bytes>::type& next) {
#if defined(SIMTFLOW_VECTORS_X86) && !defined(__clang__)
  // g++ finds no short code for these: so lanes of 64 bits are shifted, and then bits within them.
  if constexpr (Bytes == 16 || (Bytes == 64 && sizeof(Cell) == 2)) {
    using wide = typename vector_of<std::uint64_t, Bytes>::type;
    constexpr int bits = 8 * sizeof(Cell);
    const wide low = __builtin_bit_cast(wide, v);
    wide high = low;
    shift_lanes(high, __builtin_bit_cast(wide, next), std::make_integer_sequence<int, Bytes / 8>());
    v = __builtin_bit_cast(typename vector_of<Cell, Bytes>::type, low >> bits | high << (64 - bits));
    return;
  }
#endif
  shift_lanes(v, next, std::make_integer_sequence<int, Bytes / sizeof(Cell)>());
}

// The values that stay in registers for half a strip: as many rows as a register has lanes.
template <class Cell, std::size_t Bytes>
struct strip_half {
  using vector = typename vector_of<Cell, Bytes>::type;

  vector h, e, f;  // the last cells: their best scores, those that end in a gap of the columns, of the rows
  vector beside;   // the best scores of the cells above the last ones
  vector high;     // the greatest score so far with which an alignment may end
  vector row;      // in each lane: the row of the strip
  vector ends;     // -1 in the last row of the matrix
  vector x, w;     // by row: as strips::x and strips::w
  typename vector_of<std::make_unsigned_t<Cell>, Bytes>::type bits;
};

// A step: computes the cells of column step - row. h and f belong to the cells above them, `classes` to the columns.
// Begins: only rows up to `step` are computed; the others keep what is before their first column.
template <alignment_mode Mode, bool Bits, bool Begins, class Cell, std::size_t Bytes>
SIMTFLOW_ALWAYS_INLINE void make_cells(const strips<Cell>& s, strip_half<Cell, Bytes>& z, std::size_t step,
                                       const typename vector_of<Cell, Bytes>::type& h,
                                       const typename vector_of<Cell, Bytes>::type& f, const Cell* classes,
                                       [[maybe_unused]] Cell least) {
  using vector = typename vector_of<Cell, Bytes>::type;
  const Cell start1 = static_cast<Cell>(s.open1 + s.extend1), start2 = static_cast<Cell>(s.open2 + s.extend2);
  vector y;
  load(y, classes);
  const vector go1 = f - s.extend1, new1 = h - start1, go2 = z.e - s.extend2, new2 = z.h - start2;
  vector gap1 = go1, gap2 = go2;
  keep_greater(gap1, new1);
  keep_greater(gap2, new2);
  vector cell = z.beside + (z.x == y ? z.w : vector{} + s.miss);
  if constexpr (Bits) {
    const vector first = gap1 > cell;
    keep_greater(cell, gap1);
    const vector second = gap2 > cell;
    keep_greater(cell, gap2);
    const vector four = (first & Cell{by_first}) | (second & Cell{by_second}) | ((go1 > new1) & Cell{first_goes_on}) |
                        ((go2 > new2) & Cell{second_goes_on});
    z.bits = z.bits << 4 | __builtin_bit_cast(decltype(z.bits), four);
  } else {
    keep_greater(cell, gap2);
    if constexpr (Mode == alignment_mode::local) keep_greater(cell, vector{} + least);
    keep_greater(cell, gap1);  // what takes longest comes last
  }
  z.beside = h;
  z.f = gap1;
  if constexpr (Begins) {
    const vector begun = z.row <= static_cast<Cell>(step);
    z.h = begun ? cell : z.h;
    z.e = begun ? gap2 : z.e;
  } else {
    z.h = cell;
    z.e = gap2;
  }
  if constexpr (Mode == alignment_mode::local) keep_greater(z.high, z.h);
  if constexpr (Mode == alignment_mode::semi_global) {
    const bool some = step + 1 >= s.m && step + 1 - s.m < s.height;  // a cell of the last column is among them
    const Cell in_last_column = some ? static_cast<Cell>(step + 1 - s.m) : Cell{-1};
    const vector may_end = (z.row == in_last_column) | z.ends;
    keep_greater(z.high, may_end ? z.h : z.high);
  }
}

// Makes `count` steps. below_h and below_f: the last row of the strip.
template <alignment_mode Mode, bool Bits, bool Begins, class Cell, std::size_t Bytes>
SIMTFLOW_ALWAYS_INLINE void make_steps(const strips<Cell>& s, strip_half<Cell, Bytes>& low,
                                       strip_half<Cell, Bytes>& high, std::size_t first, std::size_t count,
                                       const Cell* above_h, const Cell* above_f, Cell* below_h, Cell* below_f,
                                       Cell least, [[maybe_unused]] unsigned char* matrix) {
  using vector = typename vector_of<Cell, Bytes>::type;
  constexpr std::size_t word = Bits ? strips<Cell>::cells_a_word : strips<Cell>::chunk;
  for (std::size_t begin = 0; begin < count; begin += word) {
    const std::size_t end = count - begin < word ? count : begin + word;
    for (std::size_t k = begin; k < end; ++k) {
      vector low_h = low.h, low_f = low.f, high_h = high.h, high_f = high.f, next;
      shift_down<Cell, Bytes>(low_h, high_h);
      shift_down<Cell, Bytes>(low_f, high_f);
      load(next, above_h + k);
      shift_down<Cell, Bytes>(high_h, next);
      load(next, above_f + k);
      shift_down<Cell, Bytes>(high_f, next);
      const Cell* const y = s.y + first + k;
      make_cells<Mode, Bits, Begins>(s, low, first + k, low_h, low_f, y, least);
      make_cells<Mode, Bits, Begins>(s, high, first + k, high_h, high_f, y + Bytes / sizeof(Cell), least);
      store_first(below_h + k, low.h);
      store_first(below_f + k, low.f);
    }
    if constexpr (Bits) {
      const int rest = static_cast<int>(4 * (begin + word - end));
      low.bits = low.bits << rest;
      high.bits = high.bits << rest;
      __builtin_memcpy(matrix, &low.bits, Bytes);
      __builtin_memcpy(matrix + Bytes, &high.bits, Bytes);
      matrix += 2 * Bytes;
    }
  }
}

// Prepares the first step of a strip. `row`: the row of the first lane. `ends`: the last row of the matrix.
template <alignment_mode Mode, class Cell, std::size_t Bytes>
SIMTFLOW_ALWAYS_INLINE void begin_strip(const strips<Cell>& s, strip_half<Cell, Bytes>& z, std::size_t at, Cell row,
                                        Cell ends, Cell opened, Cell lowest) {
  using vector = typename vector_of<Cell, Bytes>::type;
  load(z.x, s.x + at);
  load(z.w, s.w + at);
  for (std::size_t k = 0; k < Bytes / sizeof(Cell); ++k) z.row[k] = static_cast<Cell>(row - static_cast<Cell>(k));
  z.ends = z.row == ends;
  z.beside = vector{};
  z.h = vector{};
  if constexpr (Mode == alignment_mode::global) z.h -= z.row * s.extend1 + s.extend1 + opened;
  z.e = z.h - s.open2;
  z.f = z.h - s.open1;
  z.high = vector{} + lowest;
  z.bits = decltype(z.bits){};
}

// Makes scores relative to a base that is greater by `by`; the greatest score so far is kept in `best`.
template <class Cell, std::size_t Bytes>
SIMTFLOW_ALWAYS_INLINE void move_base(strip_half<Cell, Bytes>& z, Cell by, std::int64_t base, Cell lowest,
                                      std::int64_t& best) {
  using vector = typename vector_of<Cell, Bytes>::type;
  Cell high[Bytes / sizeof(Cell)];
  __builtin_memcpy(high, &z.high, Bytes);
  for (const Cell cell : high)
    if (cell != lowest && base + cell > best) best = base + cell;
  z.high = vector{} + lowest;
  z.h -= by;
  z.e -= by;
  z.f -= by;
  z.beside -= by;
}

// Computes all strips and returns the score. Bits: also writes the matrix.
template <alignment_mode Mode, bool Bits, std::size_t Bytes, class Cell>
SIMTFLOW_ALWAYS_INLINE std::int32_t run_strips(const strips<Cell>& s) {
  constexpr std::size_t lanes = Bytes / sizeof(Cell), height = 2 * lanes, chunk = strips<Cell>::chunk;
  constexpr Cell lowest = static_cast<Cell>(std::make_unsigned_t<Cell>{1} << (8 * sizeof(Cell) - 1));
  constexpr bool global = Mode == alignment_mode::global;
  Cell above_h[chunk + lanes] = {}, above_f[chunk + lanes] = {}, below_h[chunk + lanes], below_f[chunk + lanes];
  std::int64_t best = 0;
  strip_half<Cell, Bytes> low = {}, high = {};
  for (std::size_t i = 0; i < s.n; i += height) {
    const std::size_t rows = s.n - i < height ? s.n - i : height, steps = s.m + rows - 1;
    const Cell ends = i + height < s.n ? Cell{-1} : static_cast<Cell>(rows - 1), opened = i == 0 ? s.open1 : Cell{0};
    begin_strip<Mode>(s, low, i, static_cast<Cell>(height - 1), ends, opened, lowest);
    begin_strip<Mode>(s, high, i + lanes, static_cast<Cell>(lanes - 1), ends, opened, lowest);
    std::int64_t base = 0;  // the score at the corner above the strip
    if (global && i > 0) base = -std::int64_t{s.open1} - static_cast<std::int64_t>(i) * s.extend1;
    unsigned char* matrix = Bits ? s.matrix + i / height * s.words() * 2 * Bytes : nullptr;
    for (std::size_t t = 0; t < steps;) {
      const std::size_t most = t == 0 ? height : chunk, count = steps - t < most ? steps - t : most;
      if (const Cell off = low.h[0]; off > s.limit || off < -s.limit) {
        move_base(low, off, base, lowest, best);
        move_base(high, off, base, lowest, best);
        base += off;
      }
      // Past the last column the row above repeats its last cell: no cell that counts depends on it.
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t j = t + k < s.m ? t + k : s.m - 1;
        above_h[k] = static_cast<Cell>(s.h[j] - base);
        above_f[k] = static_cast<Cell>(s.f[j] - base);
      }
      const Cell least = -base < lowest ? lowest : static_cast<Cell>(-base);  // a score of 0
      if (t == 0)
        make_steps<Mode, Bits, true>(s, low, high, t, count, above_h, above_f, below_h, below_f, least, matrix);
      else
        make_steps<Mode, Bits, false>(s, low, high, t, count, above_h, above_f, below_h, below_f, least, matrix);
      if constexpr (Bits) matrix += (count + s.cells_a_word - 1) / s.cells_a_word * 2 * Bytes;
      for (std::size_t k = t < height - 1 ? height - 1 - t : 0; k < count; ++k) {
        s.h[t + k - (height - 1)] = static_cast<std::int32_t>(base + below_h[k]);
        s.f[t + k - (height - 1)] = static_cast<std::int32_t>(base + below_f[k]);
      }
      t += count;
    }
    if (global) {
      best = base + (rows > lanes ? low.h[height - rows] : high.h[lanes - rows]);
    } else {
      move_base(low, Cell{0}, base, lowest, best);
      move_base(high, Cell{0}, base, lowest, best);
    }
  }
  return static_cast<std::int32_t>(best);
}

#undef SIMTFLOW_ALWAYS_INLINE

#if defined(SIMTFLOW_VECTORS_X86)
template <alignment_mode Mode, bool Bits, class Cell>
[[gnu::target("sse2")]] std::int32_t run_strips_16(const strips<Cell>& s) {
  return run_strips<Mode, Bits, 16>(s);
}
template <alignment_mode Mode, bool Bits, class Cell>
[[gnu::target("avx2")]] std::int32_t run_strips_32(const strips<Cell>& s) {
  return run_strips<Mode, Bits, 32>(s);
}
template <alignment_mode Mode, bool Bits, class Cell>
[[gnu::target("avx512f,avx512bw")]] std::int32_t run_strips_64(const strips<Cell>& s) {
  return run_strips<Mode, Bits, 64>(s);
}
#endif

template <alignment_mode Mode, bool Bits, class Cell>
std::int32_t run_strips_of(vector_unit unit, const strips<Cell>& s) {
#if defined(SIMTFLOW_VECTORS_X86)
  if (unit == vector_unit::bytes_64) return run_strips_64<Mode, Bits>(s);
  if (unit == vector_unit::bytes_32) return run_strips_32<Mode, Bits>(s);
  return run_strips_16<Mode, Bits>(s);
#else
  static_cast<void>(unit);
  return run_strips<Mode, Bits, 16>(s);
#endif
}

#endif  // SIMTFLOW_VECTORS

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
