// SPDX-License-Identifier: BSL-1.0
//
// Literature: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014 (splitmix64).
#include "playground/flow_expression.hpp"

#include <algorithm>
#include <cstddef>

namespace playground {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E37'79B9'7F4A'7C15U;
  x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9U;
  x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBU;
  return x ^ x >> 31;
}

std::int64_t random_percent(const flow_thread& t) {
  std::uint64_t x = 0;
  for (const std::int64_t part : {t.thread, t.block, t.visits}) x = mixed(x ^ static_cast<std::uint64_t>(part));
  return static_cast<std::int64_t>(x % 100);
}

std::int64_t combined(flow_op op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
    case flow_op::add:
      return static_cast<std::int64_t>(x + y);
    case flow_op::subtract:
      return static_cast<std::int64_t>(x - y);
    case flow_op::multiply:
      return static_cast<std::int64_t>(x * y);
    case flow_op::divide:  // -1 apart: the least number has no opposite
      return b == 0 ? 0 : b == -1 ? static_cast<std::int64_t>(0 - x) : a / b;
    case flow_op::remainder:
      return b == 0 || b == -1 ? 0 : a % b;
    case flow_op::equal:
      return a == b ? 1 : 0;
    case flow_op::unequal:
      return a != b ? 1 : 0;
    case flow_op::less:
      return a < b ? 1 : 0;
    default:
      return a <= b ? 1 : 0;
  }
}

}  // namespace

std::int64_t value_of(std::span<const flow_operation> code, const flow_thread& t, std::span<unsigned char> flags) {
  std::vector<std::int64_t> stack;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto [op, value] = code[i];
    switch (op) {
      case flow_op::number:
        stack.push_back(value);
        break;
      case flow_op::thread:
        stack.push_back(t.thread);
        break;
      case flow_op::lane:
        stack.push_back(t.lane);
        break;
      case flow_op::warp:
        stack.push_back(t.warp);
        break;
      case flow_op::threads:
        stack.push_back(t.threads);
        break;
      case flow_op::visits:
        stack.push_back(t.visits);
        break;
      case flow_op::random:
        stack.push_back(random_percent(t));
        break;
      case flow_op::is:
        stack.push_back(flags[static_cast<std::size_t>(value)]);
        break;
      case flow_op::take: {
        unsigned char& flag = flags[static_cast<std::size_t>(value)];
        stack.push_back(flag == 0 ? 1 : 0);
        flag = 1;
        break;
      }
      case flow_op::negate:
        stack.back() = combined(flow_op::subtract, 0, stack.back());
        break;
      case flow_op::opposite:
        stack.back() = stack.back() == 0 ? 1 : 0;
        break;
      case flow_op::truth:
        stack.back() = stack.back() == 0 ? 0 : 1;
        break;
      case flow_op::and_then:
      case flow_op::or_else:
        if ((stack.back() == 0) == (op == flow_op::and_then))
          i += static_cast<std::size_t>(value);
        else
          stack.pop_back();
        break;
      default: {
        const std::int64_t right = stack.back();
        stack.pop_back();
        stack.back() = combined(op, stack.back(), right);
      }
    }
  }
  return stack.back();
}

bool uses(std::span<const flow_operation> code, flow_op op) {
  return std::any_of(code.begin(), code.end(), [op](const flow_operation& o) { return o.op == op; });
}

}  // namespace playground
