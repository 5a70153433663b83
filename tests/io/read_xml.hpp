// SPDX-License-Identifier: BSL-1.0
//
// A reader of XML, for tests of what writes it.
#pragma once

#include <doctest/doctest.h>

#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace simtflow_tests {

struct tag {
  std::string name, text;  // text after it, up to the next tag
  std::map<std::string, std::string> attributes;
};

// A reader of XML without comments and declarations; every breach of the grammar is a failed check.
inline std::vector<tag> read_xml(const std::string& xml) {
  std::vector<tag> all;
  std::vector<std::string> open;
  std::size_t at = 0;
  const auto unescaped = [](const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      REQUIRE(text[i] != '<');
      REQUIRE((static_cast<unsigned char>(text[i]) >= 0x20 || text[i] == '\n'));
      if (text[i] != '&') {
        plain += text[i];
        continue;
      }
      const std::size_t end = text.find(';', i);
      REQUIRE(end != std::string::npos);
      const std::map<std::string, char> known{{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
      REQUIRE(known.count(text.substr(i + 1, end - i - 1)) == 1);
      plain += known.at(text.substr(i + 1, end - i - 1));
      i = end;
    }
    return plain;
  };
  while (at < xml.size()) {
    REQUIRE(xml[at] == '<');
    const bool closes = xml[at + 1] == '/';
    at += closes ? 2 : 1;
    std::string name;
    while (std::isalpha(static_cast<unsigned char>(xml[at]))) name += xml[at++];
    REQUIRE(!name.empty());
    if (closes) {
      REQUIRE(!open.empty());
      REQUIRE(open.back() == name);
      open.pop_back();
      REQUIRE(xml[at] == '>');
    } else {
      all.push_back({name, "", {}});
      while (xml[at] == ' ') {
        std::string key;
        for (++at; xml[at] != '='; ++at) key += xml[at];
        REQUIRE(xml[++at] == '"');
        const std::size_t end = xml.find('"', at + 1);
        REQUIRE(end != std::string::npos);
        REQUIRE(all.back().attributes.emplace(key, unescaped(xml.substr(at + 1, end - at - 1))).second);
        at = end + 1;
      }
      if (xml[at] == '/')
        ++at;
      else
        open.push_back(name);
      REQUIRE(xml[at] == '>');
    }
    const std::size_t next = xml.find('<', ++at);
    const std::string text = unescaped(xml.substr(at, next == std::string::npos ? next : next - at));
    if (!closes) all.back().text = text;
    at = next == std::string::npos ? xml.size() : next;
  }
  CHECK(open.empty());
  return all;
}

}  // namespace simtflow_tests
