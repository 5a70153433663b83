// SPDX-License-Identifier: BSL-1.0
#include "read_xml.hpp"
#include <simtflow/io/svg_beside.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::read_xml;
using simtflow_tests::tag;

TEST_CASE("svg_beside: both pictures, each as large as alone") {
  const std::vector<std::vector<int>> one{{1}, {}}, two{{1, 2}, {3}, {3}, {4}, {}};
  const std::string left = to_svg(one), right = to_svg(two), both = svg_beside(left, right, 10);
  std::vector<tag> pictures;
  for (const tag& t : read_xml(both))
    if (t.name == "svg") pictures.push_back(t);
  REQUIRE(pictures.size() == 3);
  const auto number = [&](std::size_t picture, const char* name) {
    return std::stod(pictures[picture].attributes.at(name));
  };
  CHECK(number(0, "width") == doctest::Approx(number(1, "width") + 10 + number(2, "width")));
  CHECK(number(0, "height") == number(2, "height"));
  CHECK(number(1, "x") == 0);
  CHECK(number(2, "x") == doctest::Approx(number(1, "width") + 10));
  CHECK(number(1, "width") == detail::svg_measure(left, "width"));
  CHECK(both.size() > left.size() + right.size());
}

TEST_CASE("svg_beside: what is no picture takes no room") {
  const std::vector<std::vector<int>> one{{1}, {}};
  const std::string picture = to_svg(one), beside = svg_beside("", picture, 0);
  CHECK(detail::svg_measure(beside, "width") == detail::svg_measure(picture, "width"));
  CHECK(!read_xml(svg_beside("", "")).empty());
  CHECK(detail::svg_measure("<svg>", "width") == 0);
}
