# SPDX-License-Identifier: BSL-1.0
#
# The form in which Doxygen reads a page: headings get labels, links between pages become references to them. Other
# relative links, to sources and folders, become plain text. A picture that a page shows smaller is shown whole. Called
# with -v root=SOURCE_DIR.
function label(page) {
  if (page == "README.md") return "index"
  sub(/(\/README)?\.md$/, "", page)
  gsub(/\//, "_", page)
  return "page_" tolower(page)
}
function anchor(heading) {
  heading = tolower(heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}
function target(link,    path, at, place) {
  place = ""
  if ((at = index(link, "#"))) {
    place = substr(link, at)
    link = substr(link, 1, at - 1)
  }
  path = link == "" ? here : folder link
  while (path ~ /[^\/]+\/\.\.\//) sub(/[^\/]+\/\.\.\//, "", path)
  if (path !~ /(README|GLOSSARY|TEACHING)\.md$/) return ""
  return "@ref " label(path) (place == "" ? "" : "-" substr(place, 2))
}
FNR == 1 {
  here = FILENAME
  if (index(here, root "/") == 1) here = substr(here, length(root) + 2)
  folder = here
  sub(/[^\/]*$/, "", folder)
}
/^```/ { inside = !inside }
inside { print; next }
/^# / { print (here == "README.md" ? $0 : $0 " {#" label(here) "}"); next }
/^##+ / {
  text = $0
  sub(/^#+ /, "", text)
  print $0 " {#" label(here) "-" anchor(text) "}"
  next
}
/^!/ { print; next }
/^<img / {
  split($0, quoted, "\"")
  path = text = ""
  for (i = 1; i in quoted; i += 2) {
    if (quoted[i] ~ / src=$/) path = quoted[i + 1]
    if (quoted[i] ~ / alt=$/) text = quoted[i + 1]
  }
  print "![" text "](" path ")"
  next
}
{
  line = $0
  out = ""
  while (match(line, /\[[^][]*\]\([^)]*\)/)) {
    link = substr(line, RSTART, RLENGTH)
    split(link, part, /\]\(/)
    to = substr(part[2], 1, length(part[2]) - 1)
    text = substr(part[1], 2)
    if (to !~ /^[a-z]+:/) {
      to = target(to)
      link = to == "" ? text : "[" text "](" to ")"
    }
    out = out substr(line, 1, RSTART - 1) link
    line = substr(line, RSTART + RLENGTH)
  }
  print out line
}
