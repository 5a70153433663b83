# SPDX-License-Identifier: BSL-1.0
#
# Every SVG picture that the tool and the examples write, in a headless Chromium: each is a picture by itself, needs
# nothing from outside, and shows all of its text. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

include(${CMAKE_CURRENT_LIST_DIR}/chromium.cmake)
if(NOT CHROMIUM)
  message("skipped: no Chromium to try the pictures in")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# drawn(NAME ARGUMENT...): NAME.svg, by the tool; some runs do not finish, which is the tool's status 1.
function(drawn name)
  execute_process(COMMAND ${TOOL} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT status MATCHES "^[01]$" OR NOT EXISTS ${WORK_DIR}/${name}.svg)
    message(FATAL_ERROR "${name}: status ${status}: ${said}")
  endif()
endfunction()
foreach(kernel IN ITEMS figure1 tree_reduction barrier_exception)
  drawn(timeline-${kernel} timeline ${KERNELS}/${kernel}.ptx --launch ${KERNELS}/${kernel}.launch.json
    --policy pdom,tbc -o timeline-${kernel}.svg)
  drawn(draw-${kernel} draw ${KERNELS}/${kernel}.ptx --svg draw-${kernel}.svg)
  drawn(code-${kernel} draw ${KERNELS}/${kernel}.ptx --code --svg code-${kernel}.svg)
endforeach()
drawn(graph timeline ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json --graph -o graph.svg)
drawn(bars time ${KERNELS}/tree_reduction.ptx --launch ${KERNELS}/tree_reduction.launch.json --svg bars.svg)
drawn(suite suite ${KERNELS} --kernels tree_reduction,warp_reduction --time --size test --policy pdom,tf --svg suite.svg)

# One page with all of them, as text: the script makes documents of them.
file(GLOB own ${WORK_DIR}/*.svg)
file(GLOB shipped ${KERNELS}/../*.svg ${KERNELS}/../lab/*.svg ${KERNELS}/../../bench/plots/*.svg)
set(html "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><style></style></head><body>\n")
foreach(picture IN LISTS own shipped)
  file(READ ${picture} svg)
  cmake_path(GET picture FILENAME name)
  string(REPLACE "&" "&amp;" svg "${svg}")
  string(REPLACE "<" "&lt;" svg "${svg}")
  string(APPEND html "<textarea hidden name=\"${name}\">${svg}</textarea>\n")
endforeach()
file(WRITE ${WORK_DIR}/all.html "${html}</body></html>\n")

tried(all [==[
  const pictures = [...document.querySelectorAll('textarea')];
  check('pictures', pictures.length > 20);
  for (const {name, value} of pictures) {
    const parsed = new DOMParser().parseFromString(value, 'image/svg+xml');
    if (parsed.querySelector('parsererror')) {
      check(`${name}: ${parsed.querySelector('parsererror').textContent}`, false);
      continue;
    }
    for (const e of parsed.querySelectorAll('*')) {
      check(`${name}: a ${e.tagName}`, !['script', 'image', 'foreignObject'].includes(e.tagName));
      for (const a of e.attributes)
        if (/href$|^src$|^style$|fill|stroke|^clip-path$/.test(a.name)) check(`${name}: ${a.name}=${a.value}`, !/url\((?!["']?#)|^https?:|@import/.test(a.value));
        else check(`${name}: ${a.name}`, !a.name.startsWith('on'));
    }
    const svg = document.importNode(parsed.documentElement, true);
    document.body.append(svg);
    const box = svg.getBoundingClientRect();
    check(`${name}: size ${box.width} x ${box.height}`, box.width > 50 && box.height > 30);
    check(`${name}: shapes`, svg.querySelectorAll('path, rect, polygon, ellipse, line').length > 3);
    check(`${name}: text`, svg.querySelectorAll('text').length > 2);
    for (const text of svg.querySelectorAll('text')) {
      const b = text.getBoundingClientRect();
      if (b.width > 0)
        check(`${name}: '${text.textContent}' is cut off (${Math.round(b.right - box.left)} of ${Math.round(box.width)} wide)`, b.left >= box.left - 1 && b.right <= box.right + 1 && b.top >= box.top - 2 && b.bottom <= box.bottom + 2);
    }
    svg.remove();
  }
]==])
