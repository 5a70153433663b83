// SPDX-License-Identifier: BSL-1.0
#include "lab/references.hpp"

#include "lab/files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lab {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void mandelbrot(host_launch& run) {
  auto image = run.array<uint32_t>(0);
  auto cycle = run.array<uint32_t>(1);
  const uint32_t width = run.u32(2);
  const float left = run.f32(3), top = run.f32(4), step = run.f32(5);
  const uint32_t limit = run.u32(6);

  const auto advance = [](float& x, float& y, float cx, float cy) {
    const float xx = product(x, x);
    const float yy = product(y, y);
    y = std::fma(x + x, y, cy);
    x = (xx - yy) + cx;
  };
  const auto colour_of = [&](float cx, float cy, std::size_t pixel) -> uint32_t {
    float x = 0, y = 0, kept_x = 0, kept_y = 0;
    uint32_t until_kept = 1, span = 1;
    for (uint32_t n = 0; n < limit; ++n) {
      const float size = product(x, x) + product(y, y);
      if (size > 4.0f) {
        for (int extra = 0; extra < 8; ++extra) advance(x, y, cx, cy);
        const float speed = std::fma(x, x, product(y, y));
        uint32_t bits = 0;
        std::memcpy(&bits, &speed, sizeof bits);
        return n * 1000 + ((bits >> 18) & 0x1FF);
      }
      advance(x, y, cx, cy);
      if (x == kept_x && y == kept_y) {
        uint32_t length = 0;
        do {
          advance(x, y, cx, cy);
          ++length;
        } while (x != kept_x || y != kept_y);
        cycle.set(pixel, length);
        return 0x800000 | length;
      }
      if (--until_kept == 0) {
        kept_x = x;
        kept_y = y;
        until_kept = span *= 2;
      }
    }
    return 0xFFFFFF;
  };
  for (uint32_t py = 0; py < run.grid(1) * run.block(1); ++py)
    for (uint32_t px = 0; px < run.threads(); ++px) {
      const std::size_t pixel = py * width + px;
      const float cx = std::fma(static_cast<float>(px), step, left);
      const float cy = std::fma(static_cast<float>(py), step, top);
      image.set(pixel, colour_of(cx, cy, pixel));
    }
}

void bitonic_sort(host_launch& run) {
  auto keys = run.array<uint32_t>(0);
  std::vector<uint32_t> tile(run.block(0));
  for (uint32_t b = 0; b < run.grid(0); ++b) {
    for (uint32_t i = 0; i < tile.size(); ++i) tile[i] = keys.get(b * tile.size() + i);
    std::sort(tile.begin(), tile.end());
    for (uint32_t i = 0; i < tile.size(); ++i) keys.set(b * tile.size() + i, tile[i]);
  }
}

void short_circuit(host_launch& run) {
  const auto records = run.array<uint32_t>(0);
  auto hits = run.array<uint32_t>(1);
  auto tallies = run.array<uint32_t>(2);
  const uint32_t per_thread = run.u32(3);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    std::array<uint32_t, 8> asked{};
    uint32_t found = 0;
    for (uint32_t i = 0; i < per_thread; ++i) {
      const uint32_t record = records.get(std::size_t{i} * run.threads() + t);
      const auto yes = [&](uint32_t which) {
        ++asked[which];
        return ((((record ^ (record >> (which + 3))) * (2654435761U + 2 * which)) >> 17) & 1) != 0;
      };
      bool all = true;
      for (uint32_t rung = 0; all && rung < 4; ++rung) all = yes(2 * rung) || yes(2 * rung + 1);
      if (all) found += record | 1;
    }
    hits.set(t, found);
    for (uint32_t which = 0; which < 8; ++which) {
      const std::size_t at = std::size_t{8} * t + which;
      tallies.set(at, tallies.get(at) + asked[which]);
    }
  }
}

void nested_loops(host_launch& run) {
  const auto first = run.array<uint32_t>(0);
  const auto values = run.array<uint32_t>(1);
  auto steps = run.array<uint32_t>(2);
  auto peak = run.array<uint32_t>(3);
  const uint32_t rows = std::min(run.u32(4), run.threads());
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t total = 0, highest = 0;
    for (uint32_t i = first.get(row); i < first.get(row + 1); ++i)
      for (uint32_t v = values.get(i); v > 1; ++total) {
        const bool odd = v % 2 == 1;
        v = odd ? 3 * v + 1 : v / 2;
        if (odd) highest = std::max(highest, v);
      }
    steps.set(row, total);
    peak.set(row, highest);
  }
}

void figure1(host_launch& run) {
  const auto answers = run.array<uint32_t>(0);
  auto passed = run.array<uint32_t>(1);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    const uint32_t a = answers.get(t);
    const bool yes1 = (a & 1) != 0, yes2 = (a & 2) != 0, yes3 = (a & 4) != 0, yes4 = (a & 8) != 0;
    const bool third = yes1 || yes2;
    const std::array<bool, 6> runs{true, true, !yes1, third, third && !yes3, third && (yes3 || yes4)};
    for (uint32_t b = 0; b < 6; ++b)
      if (runs[b]) passed.set(std::size_t{6} * t + b, 1);
  }
}

void bytecode(host_launch& run) {
  const auto code = run.array<uint32_t>(0);
  auto registers = run.array<uint32_t>(1);
  auto result = run.array<uint32_t>(2);
  auto trap = run.array<uint32_t>(3);
  const uint32_t length = run.u32(4);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    uint32_t acc = t + 1, pc = 0, why = 0, fuel = run.u32(5);
    while (why == 0 && pc < length) {
      if (fuel == 0) {
        why = 5;
        break;
      }
      --fuel;
      const uint32_t word = code.get(std::size_t{t} * length + pc++);
      const uint32_t operand = word % 8, operation = word / 8;
      const std::size_t reg = std::size_t{8} * t;
      if (operation == 0) {
        const uint32_t value = registers.get(reg + operand);
        if (value == 0xFFFFFFFF)
          why = 1;
        else
          acc += value;
      } else if (operation == 1) {
        registers.set(reg + operand, acc & 15);
      } else if (operation == 2) {
        if ((acc & 0xFF) == 0)
          why = 2;
        else
          acc += ((operand + 1) * 1000003U) % (acc & 0xFF);
      } else if (operation == 3) {
        acc *= operand * 2 + 3;
        acc ^= acc >> 15;
        registers.set(reg + 7, acc & 15);
      } else if (operation == 4) {
        const uint32_t left = registers.get(reg);
        if (left > 15) {
          why = 3;
        } else if (left > 0) {
          registers.set(reg, left - 1);
          pc -= std::min(operand, pc);
        }
      } else {
        why = 4;
      }
    }
    result.set(t, why == 0 ? acc : ~acc);
    if (why != 0) trap.set(t, why * 65536 + pc);
  }
}

void tree_reduction(host_launch& run) {
  const auto values = run.array<float>(0);
  auto sums = run.array<float>(1);
  const uint32_t count = run.u32(2);
  std::vector<double> total(run.grid(0));
  for (uint32_t i = 0; i < count; ++i) total[i % run.threads() / run.block(0)] += static_cast<double>(values.get(i));
  for (uint32_t b = 0; b < run.grid(0); ++b) sums.set(b, static_cast<float>(total[b]));
}

void barrier_exception(host_launch& run) {
  const auto in = run.array<uint32_t>(0);
  auto out = run.array<uint32_t>(1);
  for (uint32_t t = 0; t < run.block(0); ++t) {
    const uint32_t v = in.get(t);
    const bool odd = v % 2 == 1;
    out.set(2 * t, (odd ? 1 : 2) + 4);
    if (v <= (odd ? 1000U : 2000U)) out.set(2 * t + 1, in.get(run.block(0) - 1 - t));
  }
}

constexpr std::array<std::pair<std::string_view, reference_program>, 8> programs{
    {{"mandelbrot", mandelbrot},
     {"bitonic_sort", bitonic_sort},
     {"short_circuit", short_circuit},
     {"nested_loops", nested_loops},
     {"figure1", figure1},
     {"bytecode", bytecode},
     {"tree_reduction", tree_reduction},
     {"barrier_exception", barrier_exception}}};

}  // namespace

template <class T>
host_array<T>::host_array(buffer& b) : buffer_(&b) {
  if (size_of(b.type) != sizeof(T) || is_float(b.type) != std::is_floating_point_v<T>)
    throw input_error(fmt::format("the reference program expects other elements in buffer \"{}\"", b.name));
}

template <class T>
unsigned char* host_array<T>::at(std::size_t i) const {
  if (i >= buffer_->count)
    throw input_error(fmt::format("the reference program needs element {} of buffer \"{}\", which has {}", i,
                                  buffer_->name, buffer_->count));
  return buffer_->bytes.data() + i * sizeof(T);
}

template class host_array<std::uint32_t>;
template class host_array<float>;

const parameter& host_launch::value_of(std::size_t i, scalar type) const {
  if (i >= file_.params.size() || file_.params[i].buffer || file_.params[i].type != type)
    throw input_error(fmt::format("the reference program expects a {} as parameter {}", name_of(type), i));
  return file_.params[i];
}

std::uint32_t host_launch::u32(std::size_t i) const {
  return static_cast<std::uint32_t>(value_of(i, scalar::u32).bits);
}

float host_launch::f32(std::size_t i) const {
  const auto bits = static_cast<std::uint32_t>(value_of(i, scalar::f32).bits);
  float v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

buffer& host_launch::buffer_of(std::size_t i) {
  if (i >= file_.params.size() || !file_.params[i].buffer)
    throw input_error(fmt::format("the reference program expects a buffer as parameter {}", i));
  return buffers_[*file_.params[i].buffer];
}

reference_program find_reference(std::string_view name) {
  for (const auto& [known, program] : programs)
    if (known == name) return program;
  return nullptr;
}

std::vector<std::string_view> reference_names() {
  std::vector<std::string_view> names;
  for (const auto& [known, program] : programs) names.push_back(known);
  return names;
}

}  // namespace lab
