// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/output.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/terminal.hpp"

#include <cstdio>
#include <exception>
#include <memory>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lab::cli {

void say(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

lab::report_format row_output::format() const {
  return json == "true" ? lab::report_format::json : csv == "true" ? lab::report_format::csv : lab::report_format::text;
}

std::vector<std::string> row_output::files() const {
  std::vector<std::string> all;
  for (const std::string* one : {&csv, &json})
    if (!one->empty() && *one != "true") all.push_back(*one);
  return all;
}

void row_output::check(std::span<const std::string> inputs) const {
  if (csv == "true" && json == "true")
    throw lab::input_error("--csv excludes --json: one of them can be printed, --csv=FILE writes a file beside it");
  const std::vector<std::string> out = files();
  for (const std::string& file : out) lab::refuse_to_overwrite(file, inputs);
  if (out.size() == 2 && lab::same_file(out[0], out[1]))
    throw lab::input_error(fmt::format("{}: cannot take both CSV and JSON", out[0]));
}

int deliver(const row_output& rows, const std::function<std::string(lab::report_format)>& text_of, bool good,
            const std::vector<std::string>& remarks) {
  std::vector<std::unique_ptr<lab::draft>> files;
  for (const auto& [path, format] :
       {std::pair(&rows.csv, lab::report_format::csv), std::pair(&rows.json, lab::report_format::json)})
    if (!path->empty() && *path != "true") files.push_back(std::make_unique<lab::draft>(*path, text_of(format)));
  const lab::report_format format = rows.format();
  const std::string text = text_of(format);
  if (format == lab::report_format::text)
    print_for_people(text);
  else
    lab::print_whole(text);
  for (const auto& file : files) file->commit();
  if (format == lab::report_format::csv)  // the text and JSON have them
    for (const std::string& remark : remarks) say(remark);
  return good ? 0 : bad_result;
}

void partial_result::speak() {
  const std::scoped_lock lock(changes_);
#if __has_include(<unistd.h>)
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\x1b[K", stderr);  // over the line of progress
#endif
  if (!print_) return say("stopped before there was a result");
  try {
    print_();
  } catch (const std::exception& why) {
    say(why.what());
  }
}

int show_view(const std::string& text, const std::vector<std::string>& remarks, bool good, const std::string& path) {
  if (path.empty())
    lab::print_whole(text);
  else
    lab::draft(path, text).commit();
  for (const std::string& remark : remarks) say(remark);
  return good ? 0 : bad_result;
}

void refuse_to_overwrite_view(const lab::view_options& view, const std::string& output) {
  std::vector<std::string> inputs = view.files;
  if (!view.launch_path.empty()) inputs.push_back(view.launch_path);
  lab::refuse_to_overwrite(output, inputs);
}

}  // namespace lab::cli
