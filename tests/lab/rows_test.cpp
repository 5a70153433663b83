// SPDX-License-Identifier: BSL-1.0
//
// Rows for programs: what is written can be read, and has the same form everywhere.
#include "lab/rows.hpp"

#include "lab/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

using lab::table_row;

TEST_CASE("rows: CSV and JSON have the same values, schema and version") {
  std::vector<table_row> rows;
  rows.push_back(
      table_row().word("name", "a, \"b\"\nc").whole("n", 18446744073709551615U).real("x", 0.5).flag("yes", true));
  rows.push_back(table_row().word("name", "").none("n").real("x", 1.0 / 3, 2).flag("yes", false));
  const std::string end = ",simtflow.test/1," + lab::tool_version() + "\n";
  CHECK(lab::csv_of("simtflow.test/1", rows) ==
        "name,n,x,yes,schema,version\n\"a, \"\"b\"\"\nc\",18446744073709551615,0.500000,1" + end + ",,0.33,0" + end);
  const auto json = nlohmann::json::parse(lab::json_text_of("simtflow.test/1", rows, {"a remark"}));
  CHECK(json.at("schema") == "simtflow.test/1");
  CHECK(json.at("version") == lab::tool_version());
  CHECK(json.at("remarks").at(0) == "a remark");
  CHECK(json.at("rows").at(0).at("n") == 18446744073709551615U);
  CHECK(json.at("rows").at(0).at("yes") == true);
  CHECK(json.at("rows").at(1).at("name").is_null());
  CHECK(json.at("rows").at(1).at("n").is_null());
  CHECK(json.at("rows").at(1).at("x") == 1.0 / 3);
}

TEST_CASE("rows: a column that only some rows have stands after the one that it follows there") {
  const std::vector<table_row> rows{table_row().whole("a", 1).whole("d", 4),
                                    table_row().whole("a", 1).whole("b", 2).whole("c", 3).whole("d", 4),
                                    table_row().whole("c", 3).whole("e", 5)};
  CHECK(lab::names_of(rows) == std::vector<std::string>{"a", "b", "c", "e", "d"});
  const std::string text = lab::csv_of("simtflow.test/1", rows);
  CHECK(text.starts_with("a,b,c,e,d,schema,version\n1,,,,4,"));
  CHECK(text.find("\n,,3,5,,simtflow") != std::string::npos);
}

TEST_CASE("rows: no rows have the names that are given") {
  CHECK(lab::csv_of("simtflow.test/1", {}, table_row().none("a").none("b")) == "a,b,schema,version\n");
}

TEST_CASE("rows: what was written is read, and written again byte for byte") {
  std::vector<table_row> rows;
  rows.push_back(table_row().word("name", "x,\"\"\n").whole("n", 7).real("x", 0.25).none("none").word("odd", "1e"));
  rows.push_back(table_row().word("name", "-").whole("n", 0).real("x", -1).none("none").word("odd", "0x1"));
  const std::string text = lab::csv_of("simtflow.test/1", rows);
  const std::vector<table_row> again = lab::rows_of_csv("simtflow.test/1", text, "t.csv");
  REQUIRE(again.size() == 2);
  CHECK(again[0].text("name") == "x,\"\"\n");
  CHECK(again[0].number("x") == 0.25);
  CHECK(again[0].text("none").empty());
  CHECK(lab::csv_of("simtflow.test/1", again) == text);
  CHECK(nlohmann::json::parse(lab::json_text_of("simtflow.test/1", again)).at("rows").at(0).at("n") == 7);
}

TEST_CASE("rows: what is no CSV of ours is refused with its line") {
  const auto refused = [](const std::string& text, const std::string& words) {
    try {
      (void)lab::rows_of_csv("simtflow.test/1", text, "t.csv");
      FAIL_CHECK(text << " is taken");
    } catch (const lab::input_error& why) {
      CHECK(std::string(why.what()).find(words) != std::string::npos);
    }
  };
  const std::string version = lab::tool_version();
  refused("", "t.csv: is empty");
  refused("a,b\n1,2\n", "t.csv:1: the last columns are not schema and version");
  refused("schema\nx\n", "t.csv:1: the last columns");
  refused("a,schema,version\n1,simtflow.test/1\n", "t.csv:2: 2 fields, but the first line has 3");
  refused("a,schema,version\n\"1,simtflow.test/1," + version + "\n", "t.csv:2: quotation marks are not closed");
  refused("a,schema,version\n1,simtflow.test/2," + version + "\n", "row 1 is simtflow.test/2 of version");
  refused("a,schema,version\n1,simtflow.test/1,0\n", "this is simtflow.test/1 of version " + version);
  CHECK(lab::rows_of_csv("simtflow.test/1", "a,schema,version\n", "t.csv").empty());
  CHECK(lab::rows_of_csv("simtflow.test/1", "a,schema,version\r\n1,simtflow.test/1," + version, "t.csv").size() == 1);
}

TEST_CASE("rows: traces of events have schema and version") {
  CHECK(lab::csv_with("simtflow.test/1", "a,b\n1,\n") ==
        "a,b,schema,version\n1,,simtflow.test/1," + lab::tool_version() + "\n");
  const auto json = nlohmann::json::parse(lab::trace_with("simtflow.test/1", "[\n{\"ph\":\"X\"}\n]\n"));
  CHECK(json.at("otherData").at("schema") == "simtflow.test/1");
  CHECK(json.at("traceEvents").size() == 1);
}
