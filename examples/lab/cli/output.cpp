// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/output.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/terminal.hpp"

#include <cstdio>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lab::cli {

void say(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

int show(const lab::report& r, lab::report_format format) {
  const std::string text = lab::to_text(r, format);
  if (format == lab::report_format::text)
    print_for_people(text);
  else
    lab::print_whole(text);
  if (format == lab::report_format::csv)  // the table and JSON have them in the text
    for (const auto& remark : r.remarks) say(remark);
  return r.good ? 0 : bad_result;
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
