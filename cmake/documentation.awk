# SPDX-License-Identifier: BSL-1.0
#
# The form in which Doxygen reads a header. The introduction (the comment above #pragma once) becomes the documentation
# of the file, paragraphs of it that are indented by three blanks or more stay as they are set. A line that begins with
# `Complexity:` begins a paragraph. A defaulted comparison says itself what it does. Doxygen does not miss the comment
# of a concept: it is told by a command that it does not know. A function's name in parentheses (so that no macro of
# that name is expanded) is read without them. The names of a header are in the group of its folder
# (documentation_groups.dox). The inline namespace v0 is left out: nobody writes it.
function group(path) {
  sub(/^.*include\/simtflow\//, "", path)
  if (!sub(/\/[^\/]*$/, "", path)) return "core"
  gsub(/\//, "_", path)
  sub(/_?detail$/, "", path)
  return path
}
FNR == 1 { print "/// @file"; introduction = 1; next }
/^#pragma once/ { introduction = 0 }
introduction && /^\/\// {
  text = substr($0, 3)
  if (text ~ /^ *$/) {
    behind_gap = 1
    as_set = 0
  } else {
    if (behind_gap && text ~ /^   / && text !~ /^ +(-|[0-9]+\.) /) as_set = 1
    behind_gap = 0
  }
  if (!as_set) gsub(/</, "\\<", text)
  print (as_set ? "///  " : "///") text
  next
}
/^ *\/\/\/ Complexity: / { sub(/Complexity: /, "@complexity ") }
{ sub(/\(verify\)\(const/, " verify(const") }
/operator(==|<=>)\(.*\) = default;$/ { $0 = $0 "  ///< Member by member." }
/^namespace detail {/ { inside = 1 }
/^}  \/\/ namespace detail/ { inside = 0 }
/^concept / && !documented && !inside { $0 = "/// @undocumented_" $1 "_" $2 "\n" $0 }
!/^(template| *requires)/ { documented = /^\/\/\// }
/^inline namespace v0 {/ { $0 = "/** @addtogroup " group(FILENAME) " */ /** @{ */" }
/^}  \/\/ namespace v0/ { $0 = "/** @} */" }
{ print }
