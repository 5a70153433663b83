# SPDX-License-Identifier: BSL-1.0
#
# Prints every place where prose breaks one of the rules of tests/README.md that a machine can check, as FILE:LINE. Prose
# is the comments and the string literals of C++ sources, the comments of scripts, and the text of pages. Code is not
# prose: raw strings, fenced blocks, words in backquotes.

# True if the sentence that begins at `at` in the paragraph is a question.
function is_question(text, at) {
  text = substr(text, at)
  return match(text, /[.?!]([ \n]|$)/) && substr(text, RSTART, 1) == "?"
}

# Prints the places of one paragraph that match, with what is wrong there.
function look(pattern, wrong,    text, at, line, found) {
  text = paragraph
  at = 1
  while (match(text, pattern)) {
    found = substr(text, RSTART, RLENGTH)
    at += RSTART - 1
    line = first_line + gsub(/\n/, "\n", found) * 0
    line += split(substr(paragraph, 1, at), dummy, "\n") - 1
    if (substr(paragraph, at, 1) == "\n") line++
    gsub(/\n/, " ", found)
    gsub(/^[^A-Za-z,]+|[^A-Za-z]+$/, "", found)
    if (wrong != opening || !is_question(paragraph, at + 1)) printf "%s:%d: \"%s\": %s\n", file, line, found, wrong
    at += RLENGTH > 1 ? RLENGTH - 1 : 1
    text = substr(paragraph, at)
    # Never the beginning of the paragraph again.
    if (at > 1 && substr(paragraph, at, 1) ~ /[A-Za-z_]/) sub(/^[A-Za-z_]+/, "", text) && at = length(paragraph) - length(text) + 1
  }
}

function check() {
  if (paragraph == "") return
  gsub(/`[^`\n]*`/, "X", paragraph)
  gsub(/"[^"\n]*"/, "X", paragraph)
  if (paragraph ~ suspect) {
    look("(^|[^A-Za-z_])behind([^A-Za-z_]|$)", "after, past or following")
    look("(^|[^A-Za-z_])[Ff]or[ \n]ever([^A-Za-z_]|$)", "forever")
    look("(^|[^A-Za-z_])([Tt]hat|[Tt]hose)[ \n]of([^A-Za-z_]|$)", "repeat the noun")
    look("(^|[^A-Za-z_])([Oo]f[ \n]which|[Ww]hose)([^A-Za-z_]|$)", "two sentences")
    look(",[ \n]too([.,;:)]|[ \n]*$)", "also")
    look("(^|[^A-Za-z_])(Of|What|Where|Whoever|Which)([^A-Za-z_']|$)", opening)
    look("(^|[^A-Za-z_])([Ff]indings|([Aa]|[Tt]he|[Ee]ach|[Ee]very|[Nn]o|[Oo]ne|[Ff]irst|[Ss]uch)[ \n]finding)([^A-Za-z_]|$)", "diagnostic")
    look("(^|[^A-Za-z_])[Ll]aps?([^A-Za-z_]|$)", "iteration")
    look("(^|[^A-Za-z_])[Pp]art(s|ed|ing)?[ \n](the[ \n])?(threads|lanes)([^A-Za-z_]|$)", "divergent")
    look("(^|[^A-Za-z_])(threads|lanes)[ \n](that[ \n]|which[ \n])?(part|parted)([^A-Za-z_]|$)", "diverge")
    look("(^|[^A-Za-z_])[Tt]he[ \n]begin([^A-Za-z_(]|$)", "beginning")
  }
  paragraph = ""
}

function add(text) {
  if (paragraph == "") {
    first_line = FNR
    file = FILENAME  # a paragraph that ends a file is looked at when the next file has begun
  }
  paragraph = paragraph == "" ? text : paragraph "\n" text
}

# One line of C++: string literals are prose of their own, a comment ends a line of code.
function take_code(line,    rest, delimiter) {
  check()
  rest = line
  while (match(rest, /'(\\.|[^'\\])'|R"[^(]*\(|"([^"\\]|\\.)*"|\/\//)) {
    token = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (token == "//") {
      if (length(line) > 120) too_long()
      gsub(/^[\/!<]+ ?/, "", rest)
      add(rest)
      check()
      return
    }
    if (substr(token, 1, 1) == "R") {
      delimiter = ")" substr(token, 3, length(token) - 3) "\""
      if (index(rest, delimiter)) {
        rest = substr(rest, index(rest, delimiter) + length(delimiter))
      } else {
        raw = delimiter
        return
      }
    } else if (length(token) > 2 && substr(token, 1, 1) == "\"") {
      token = substr(token, 2, length(token) - 2)
      gsub(/`/, "", token)
      add(token)
      check()
    }
  }
}

function too_long() { printf "%s:%d: a comment of %d columns\n", FILENAME, FNR, length($0) }

BEGIN {
  opening = "subject first"
  suspect = "behind|[Ff]or[ \n]ever|[Tt]hat[ \n]of|[Tt]hose[ \n]of|of[ \n]which|hose|,[ \n]too|Of|W[h]|inding|[Ll]ap|[Pp]art|lanes|begin"
}
FNR == 1 {
  check()
  raw = ""
  inside = 0
  page = FILENAME ~ /\.md$/
  script = FILENAME ~ /(\.cmake|\.txt|\.sh|\.awk|\.py|\.in|run)$/
}
page && /^```/ { inside = !inside; check(); next }
page && (inside || /^#/ || /^ *$/) { check(); next }
page { if (/^(\||[-*] |[0-9]+\. )/) check(); add($0); next }
script && /^ *# / {
  if (length($0) > 120) too_long()
  sub(/^ *# ?/, "")
  if ($0 ~ /^ *$/) check(); else add($0)
  next
}
script { check(); next }
raw != "" {
  if (index($0, raw)) raw = ""
  next
}
/^ *\/\// {
  if (length($0) > 120) too_long()
  sub(/^ *\/\/[\/!<]* ?/, "")
  if ($0 ~ /^ *$/) check(); else add($0)
  next
}
/^ *#include/ { check(); next }
/"|\/\// { take_code($0); next }
{ check() }
END { check() }
