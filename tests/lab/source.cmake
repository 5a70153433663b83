# SPDX-License-Identifier: BSL-1.0
#
# Source lines (.loc) in what the tool prints and writes: the listing of `analyze --source` and its sums, the page, and
# every other report of a kernel that was compiled with line information. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")
include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)
set(insight ${KERNELS}/../insight)
set(walk ${insight}/walk.ptx --launch ${insight}/walk.launch.json)

# The listing: reasons without a launch, figures with one; code that was inlined stands under the line of the call.
says("reasons" 0
  "^walk .walk.ptx.: [0-9]+ PTX instructions\n;\n +[0-9]+ +divergent +14 . +if ..at >> 3 & 1. == 1.\n +. +. BB3 .L__BB0_3: %p3 comes from ;\n +2 +mix.cuh:6 . +x = .x . key. . 0x85EBCA6BU;\n +[0-9]+ +divergent +13 . +for .unsigned left"
  analyze ${insight}/walk.ptx --source)
says("figures" 0
  "^walk .walk.ptx. under pdom: [0-9]+ warp instructions. [0-9]+ of [0-9]+ lane slots are idle;\nwarp instr +lanes +branch +diverged +idle lanes +share % +line . walk.cu\n;\n +[0-9]+ +[0-9.]+ +diverged +[0-9]+ +[0-9]+ +[0-9.]+ +14 . ;.all. "
  analyze ${walk} --source)
says("cycles" 0 "cycles of warps on gtx480\n;\nwarp instr +cycles +lanes " analyze ${walk} --source --machine gtx480)

# Rows sum to the run, under every kind of policy.
foreach(policy IN ITEMS pdom tf volta tbc serial)
  says("the run under ${policy}" 0 "\"rows\"" run ${walk} --policy ${policy} --json)
  set(run "${printed}")
  foreach(figure IN ITEMS warp_instructions thread_instructions)
    string(JSON want_${figure} GET "${run}" rows 0 ${figure})
  endforeach()
  math(EXPR want_idle_lanes "32 * ${want_warp_instructions} - ${want_thread_instructions}")
  says("the listing under ${policy}" 0
    "^kernel,policy,file,line,inlined_at,function,instructions,warp_instructions,thread_instructions,divergences,idle_lanes,share,cycles,branch,text,schema,version\n"
    analyze ${walk} --source --csv --policy ${policy})
  string(REGEX REPLACE "[][;\\]" " " rows "${printed}")
  string(REGEX REPLACE "\"[^\"]*\"" "Q" rows "${rows}")
  string(REGEX MATCHALL "[^\n]+" rows "${rows}")
  list(POP_FRONT rows names)
  string(REPLACE "," ";" names "${names}")
  foreach(figure IN ITEMS warp_instructions thread_instructions idle_lanes)
    list(FIND names ${figure} at)
    set(sum 0)
    foreach(row IN LISTS rows)
      string(REPLACE "," ";" row "${row}")
      list(GET row ${at} value)
      math(EXPR sum "${sum} + ${value}")
    endforeach()
    if(NOT sum EQUAL want_${figure} OR sum EQUAL 0)
      string(APPEND failures "\n${policy}: ${figure} of all lines is ${sum}, of the run ${want_${figure}}")
    endif()
  endforeach()
endforeach()

# Without the source beside it: lines without text, and the reason.
file(COPY ${insight}/walk.ptx ${insight}/walk.launch.json DESTINATION ${WORK_DIR})
says("no source" 0 "walk.cu .cannot be read.;\n +[0-9]+ +divergent +14 .\n;\nwalk.cu: cannot be read, neither where "
  analyze walk.ptx --source)
says("the run goes on" 0 "diverged +[0-9]+ +[0-9]+ +[0-9.]+ +14 .\n" analyze walk.ptx --launch walk.launch.json --source)
file(COPY ${insight}/walk.cu ${insight}/mix.cuh DESTINATION ${WORK_DIR})

# Every other report.
set(walk walk.ptx --launch walk.launch.json)
says("analyze" 0 "BB3 .L__BB0_3 .line [0-9]+, walk.cu:14. divergent: %p3 comes from .* .line [0-9]+, walk.cu:" analyze walk.ptx)
says("run --branches" 0 "bra .L__BB0_5  walk.cu:14: if ..at >> 3" run ${walk} --policy pdom --branches)
says("run --branches --csv" 0 ",share,code,source,;bra .L__BB0_5,walk.cu:14," run ${walk} --policy pdom --branches --csv)
says("run --branches --json" 0 "\"source\": \"walk.cu:14\"" run ${walk} --policy pdom --branches --json)
says("events as CSV" 0 "" run ${walk} --policy pdom --events events.csv)
says("events as JSON" 0 "" run ${walk} --policy pdom --events events.json)
says("draw" 0 "// mix.cuh:6 in '_Z3mixjj', inlined at walk.cu:15: x = " draw walk.ptx --code)
says("timeline" 0 "BB3 .L__BB0_3 .walk.cu:14." timeline ${walk} --policy pdom)
says("explore" 0 "\"walk.cu:14: if ..at >> 3" explore ${walk} --policy pdom)
says("time --lines" 0
  "by line of the PTX text\n;bra .L__BB0_5  walk.cu:14\n;by line of the source\n;\nwalk.cu:14 +[0-9]+ +[0-9]+ ;\nmix.cuh:6 in '_Z3mixjj', inlined at walk.cu:15 "
  time ${walk} --policy pdom --lines)
says("time --lines --csv" 0 ",code,source,;bra .L__BB0_5,walk.cu:14," time ${walk} --policy pdom --lines --csv)
says("time --lines --json" 0 "\"source_lines\"" time ${walk} --policy pdom --lines --json)
string(JSON lines LENGTH "${printed}" rows 0 lines)
string(JSON source_lines LENGTH "${printed}" rows 0 source_lines)
foreach(table IN ITEMS lines source_lines)
  math(EXPR last "${${table}} - 1")
  set(sum_${table} 0)
  foreach(i RANGE ${last})
    foreach(figure IN ITEMS issues lanes wait_cycles)
      string(JSON value GET "${printed}" rows 0 ${table} ${i} ${figure})
      math(EXPR sum_${table} "${sum_${table}} + ${value}")
    endforeach()
  endforeach()
endforeach()
if(NOT sum_lines EQUAL sum_source_lines OR NOT source_lines LESS lines)
  string(APPEND failures "\ntime: ${lines} lines of PTX sum to ${sum_lines}, ${source_lines} of the source to ${sum_source_lines}")
endif()
says("time --branches" 0 "walk.cu:14: if ..at >> 3" time ${walk} --policy pdom --branches)
says("time --branches --csv" 0 ",code,source,;,walk.cu:14," time ${walk} --policy pdom --branches --csv)
says("events of time" 0 "" time ${walk} --policy pdom --events time.json)
says("transform" 0 "branch of BB3 .L__BB0_3 .line [0-9]+, walk.cu:14.: [0-9]+ pairs melded" transform walk.ptx --meld -o melded.ptx)
says("advise" 0
  "\nlines of the source, by their share of the idle lane slots\n  walk.cu:1[34] costs [0-9.]+ % of the idle slots .[0-9.]+ % of all.: ;\n    melding the arms .--fuse. would save [0-9.]+ % of the warp instructions. the line would cost ;\n    try: "
  advise ${walk})
says("advise --json" 0 "\"source\": \"walk.cu:14\"" advise ${walk} --policy tf --json)
foreach(pair IN ITEMS "events.csv|,label,source,schema,version\n" "events.csv|,.L__BB0_3,walk.cu:14,simtflow" "events.json|\"source\":\"walk.cu:14\""
    "time.json|bra .L__BB0_5  walk.cu:14" "melded.ptx|\\.file[^\n]*walk.cu")
  string(REGEX MATCH "^([^|]*)[|](.*)$" pair "${pair}")
  set(expression "${CMAKE_MATCH_2}")
  file(READ ${WORK_DIR}/${CMAKE_MATCH_1} text)
  if(NOT text MATCHES "${expression}")
    string(APPEND failures "\n${pair} is not there")
  endif()
endforeach()

# A fault and a verdict: the lines of the access, and of the barrier where lanes wait.
file(WRITE ${WORK_DIR}/stuck.ptx ".version 7.8
.target sm_75
.address_size 64
.visible .entry stuck(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p;
  .loc 1 5 1
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 4;
  @%p bra both;
  .loc 1 7 1
  bar.sync 0;
both:
  .loc 1 9 1
  bar.sync 0;
  .loc 1 10 1
  ld.param.u64 %d1, [out];
  st.global.u32 [%d1+4096], %r1;
  ret;
}
.file 1 \"stuck.cu\"
")
file(WRITE ${WORK_DIR}/stuck.json "{\"grid\": [1], \"block\": [32], \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 1}],
  \"params\": [{\"buffer\": \"out\"}]}")
says("a verdict" 1 "barrier [a-z]+: [^\n]*barrier that ends BB[0-9] .stuck.cu:7." run stuck.ptx --launch stuck.json --policy pdom)
file(READ ${WORK_DIR}/stuck.ptx text)
string(REPLACE "@%p bra both;" "" text "${text}")
file(WRITE ${WORK_DIR}/fault.ptx "${text}")
says("a fault" 1 "fault: [^\n]*, at stuck.cu:10, " run fault.ptx --launch stuck.json --policy pdom)

# The page needs nothing else.
says("a page" 0 "^$" analyze ${walk} --source --html page.html --policy pdom,tf)
file(READ ${WORK_DIR}/page.html html)
foreach(expected IN ITEMS "<!DOCTYPE html>" "default-src 'none'" "<title>walk, by source line</title>" "under tf: "
    "title=\"mix(unsigned int, unsigned int), inlined at walk.cu:15\"" "</html>")
  string(FIND "${html}" "${expected}" at)
  if(at EQUAL -1)
    string(APPEND failures "\nthe page holds no ${expected}")
  endif()
endforeach()
if(html MATCHES "https?://|<link|src=|<script")
  string(APPEND failures "\nthe page needs something from outside, or runs a script: ${CMAKE_MATCH_0}")
endif()

# Refusals.
says("a kernel without lines" 2 "kernel 'figure1' has no source lines: nvcc -lineinfo writes them\n$" analyze ${KERNELS}/figure1.ptx --source)
says("a launch without lines" 2 "kernel 'figure1' has no source lines"
  analyze ${KERNELS}/figure1.ptx --source --launch ${KERNELS}/figure1.launch.json)
file(WRITE ${WORK_DIR}/a.cfg "g a 2 0 K\n0 1 - 1\n1 1 -\n")
says("a graph" 2 "a.cfg: is no .ptx; a graph has no --source\n$" analyze a.cfg --source)
says("a launch alone" 2 "--source" analyze ${walk})
says("two modules" 2 "^--launch: one module at a time\n$" analyze walk.ptx ${walk} --source)
says("with a transform" 2 "--source" analyze walk.ptx --source --struct)
says("another kernel" 2 "wakl" analyze walk.ptx --source --kernel wakl)
says("over the input" 2 "walk.ptx" analyze walk.ptx --source --html walk.ptx)
says("another machine" 2 "gtx48" analyze ${walk} --source --machine gtx48)

# In a browser: nothing is wider than the page, links lead to rows, nothing is loaded.
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(CHROMIUM)
  string(REGEX REPLACE "<meta http-equiv[^>]*>" "" html "${html}")
  string(REPLACE "</body>" "<pre id='result'></pre>
<script>
const problems = [];
const check = (what, ok) => { if (!ok) problems.push(what); };
check('wide', document.documentElement.scrollWidth <= window.innerWidth);
const links = [...document.querySelectorAll('a')];
check('links', links.length >= 4 && links.every((a) => document.querySelector(a.getAttribute('href'))));
check('worst', document.querySelector(links[0].getAttribute('href')).textContent.includes(links[0].textContent.split(':')[1]));
check('bars', [...document.querySelectorAll('.bar')].some((b) => b.style.backgroundSize.startsWith('') && b.style.backgroundSize !== ''));
check('inlined', document.querySelectorAll('tr.inlined').length >= 12);
check('reason', document.querySelector('tr.why').textContent.includes('%p'));
check('requests', performance.getEntriesByType('resource').length === 0);
document.getElementById('result').textContent = problems.length === 0 ? 'ALL PASSED' : 'PROBLEM ' + problems.join(', ');
</script>
</body>" html "${html}")
  file(WRITE ${WORK_DIR}/tried.html "${html}")
  foreach(width IN ITEMS 1024 1920)
    execute_process(COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
      --user-data-dir=${WORK_DIR}/profile --host-resolver-rules=MAP\ *\ ~NOTFOUND --virtual-time-budget=3000 --dump-dom
      --window-size=${width},900 file://${WORK_DIR}/tried.html TIMEOUT 120 OUTPUT_VARIABLE dom ERROR_QUIET)
    if(NOT dom MATCHES "ALL PASSED</pre>")
      string(REGEX MATCH "PROBLEM [^<]*" problem "${dom}")
      string(APPEND failures "\nthe page at ${width}: ${problem}")
    endif()
  endforeach()
endif()

if(failures)
  message(FATAL_ERROR "${failures}")
endif()
