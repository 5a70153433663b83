// SPDX-License-Identifier: BSL-1.0
//
// Text for people at a terminal: colours, and help that fits the width.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace lab::cli {

/// Whether text on a stream is coloured: NO_COLOR is empty or not there, and CLICOLOR_FORCE asks for it or the stream
/// is a terminal that is not called dumb.
[[nodiscard]] bool has_colours(int stream);

/// The text with what needs a look in red (verdicts other than finished, WRONG, FAILS), and with good ones in green.
[[nodiscard]] std::string coloured(std::string_view text);

/// Prints a text for people to standard output, coloured where that shows. \throws input_error if not all of it gets
/// there
void print_for_people(const std::string& text);

/// Help with the meanings of options broken into lines.
class help_format : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace lab::cli
