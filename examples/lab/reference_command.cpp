// SPDX-License-Identifier: BSL-1.0
#include "lab/reference_command.hpp"

#include "lab/child_process.hpp"
#include "lab/data_file.hpp"
#include "lab/files.hpp"
#include "lab/launch_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <system_error>

namespace lab {
namespace {

using nlohmann::ordered_json;

// A file of a buffer: names that are no plain word could leave the folder.
std::string file_name(const buffer& b) {
  std::string name = b.name;
  for (char& c : name)
    if (c == '/') c = '_';
  return name;
}

std::string description(const launch_file& launch) {
  ordered_json params = ordered_json::array();
  for (const parameter& p : launch.params) {
    std::vector<unsigned char> bytes(size_of(p.type));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(p.bits >> (8 * i));
    if (p.buffer)
      params.push_back({{"buffer", launch.buffers[*p.buffer].name}, {"offset", p.offset}});
    else if (p.raw)
      params.push_back({{"bytes", fmt::format("{:02x}", fmt::join(p.raw->bytes, ""))}});
    else if (is_float(p.type))
      params.push_back(number_at(bytes, p.type, 0));
    else if (p.type == scalar::u64)
      params.push_back(p.bits);
    else
      params.push_back(ordered_json::parse(element_text(bytes, p.type, 0)));
  }
  const ordered_json all{{"kernel", launch.kernel},
                         {"grid", launch.grid},
                         {"block", launch.block},
                         {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                         {"params", std::move(params)}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

std::vector<buffer> run_reference_command(const std::vector<std::string>& command, bool of_file,
                                          const launch_file& launch) {
  const auto refuse_run = [&](const std::string& why) {
    throw input_error(fmt::format("{}/expect: command {}: {}", launch.place(), command_text(command), why));
  };
  const scratch_folder folder("a reference program");
  std::error_code problem;
  for (const char* name : {"in", "out"}) std::filesystem::create_directory(folder.path() / name, problem);
  if (problem) refuse_run(problem.message());
  const std::vector<buffer>& before = of_file && launch.first ? *launch.first : launch.buffers;
  for (const buffer& b : before) {
    const std::string path = folder.file("in/" + file_name(b) + ".npy");
    draft(path, data_file_text(path, b.bytes, b.type)).commit();
  }
  draft(folder.file("in/launch.json"), description(launch)).commit();
  std::vector<std::string> words = command;
  words.push_back(folder.path().string());
  const child_result ran = run_program(words, std::filesystem::path(launch.path).parent_path().string());
  if (!ran.found) refuse_run("there is no such program");
  if (!ran.good) refuse_run(ran.ending + (ran.output.empty() ? std::string() : "\n" + ran.output));
  std::vector<buffer> results = before;
  for (buffer& b : results) b.bytes.clear();
  for (const expectation& e : launch.expect) {
    if (e.command != command || e.of_file != of_file) continue;
    buffer& b = results[e.buffer];
    std::string found;
    for (const char* ending : {".npy", ".csv", ".txt", ".bin"})
      if (const std::string path = folder.file("out/" + file_name(b) + ending);
          found.empty() && std::filesystem::exists(path, problem))
        found = path;
    if (found.empty())
      refuse_run(fmt::format("it has written no out/{}.npy{}", file_name(b),
                             ran.output.empty() ? std::string() : "\n" + ran.output));
    b.bytes = read_data_file(found, b.type);
    if (b.bytes.size() != before[e.buffer].bytes.size())
      refuse_run(
          fmt::format("{} elements for the {} of buffer \"{}\"", b.bytes.size() / size_of(b.type), b.count, b.name));
  }
  return results;
}

}  // namespace lab
