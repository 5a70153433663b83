# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab plot`: each kind of rows as a picture, the pictures of the README again, and mistakes. Variables: TOOL,
# KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")
include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)

set(bfs ${KERNELS}/bfs.ptx --launch ${KERNELS}/bfs.launch.json)
# rows(NAME ARGUMENT...): the command writes NAME.csv; runs of several kernels come from the suite.
function(rows name)
  execute_process(COMMAND ${TOOL} ${ARGN} --csv=${name}.csv WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
rows(run run ${bfs} --policy pdom,tf,tbc)
rows(suite suite ${KERNELS} --kernels bfs,figure1,mandelbrot --policy pdom,tf,tbc)
rows(time time ${bfs} --policy pdom,tbc)
rows(branches run ${bfs} --policy pdom,tbc --branches)
rows(stacks suite ${KERNELS} --kernels bytecode,mandelbrot --policy tf --cost)
rows(cost cost)

# Without gnuplot: the script, which any gnuplot draws elsewhere, and what to install.
says("the script" 0 "^$" plot run.csv -o run.gp)
file(READ ${WORK_DIR}/run.gp script)
foreach(part IN ITEMS "^set terminal svg size " "\nset title 'warp instructions by policy, kernel bfs' "
    "set ylabel 'warp instructions' " "\\('pdom' 0, 'tf' 1, 'tbc' 2\\)\n" "with boxes")
  if(NOT script MATCHES "${part}")
    string(APPEND failures "\nthe script has no ${part}:\n${script}")
  endif()
endforeach()
foreach(case IN ITEMS "suite;with boxxyerror fc palette" "time;set ylabel 'cycles' " "branches;title 'tbc'"
    "stacks;with linespoints .*title 'mandelbrot tf'" "cost;'dwf' ")
  list(GET case 0 name)
  list(GET case 1 expected)
  execute_process(COMMAND ${TOOL} plot ${name}.csv -o ${name}.gp WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status
    ERROR_VARIABLE said)
  set(script "")
  if(EXISTS ${WORK_DIR}/${name}.gp)
    file(READ ${WORK_DIR}/${name}.gp script)
  endif()
  if(NOT status EQUAL 0 OR NOT script MATCHES "${expected}")
    string(APPEND failures "\n${name}: status ${status}, no ${expected}: ${said}${script}")
  endif()
endforeach()

# Rows with the same place are one: counts are added, other figures averaged.
execute_process(COMMAND ${TOOL} plot suite.csv --kind bar --x policy --y warp_instructions -o sums.gp WORKING_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${TOOL} plot suite.csv --kind bar --x policy --y simd_efficiency --log -o means.gp WORKING_DIRECTORY ${WORK_DIR})
file(READ ${WORK_DIR}/sums.gp sums)
file(READ ${WORK_DIR}/means.gp means)
file(STRINGS ${WORK_DIR}/suite.csv lines REGEX ",pdom,")
set(sum 0)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[^,]*,pdom,([0-9]+)," found "${line}")
  math(EXPR sum "${sum} + ${CMAKE_MATCH_1}")
endforeach()
if(NOT sums MATCHES "by policy .sums.'" OR NOT sums MATCHES "\n0 ${sum}\n" OR NOT means MATCHES "by policy .means.'"
    OR NOT means MATCHES "\nset logscale y\n")
  string(APPEND failures "\nsums of ${sum} and means:\n${sums}${means}")
endif()
says("only some rows" 0 "^$" plot suite.csv --where kernel=bfs,figure1 --where policy=tf --x kernel --y fetches -o some.gp)
file(READ ${WORK_DIR}/some.gp script)
if(NOT script MATCHES "\\('bfs' 0, 'figure1' 1\\)" OR NOT script MATCHES "'fetches by kernel, policy tf'")
  string(APPEND failures "\nsome rows: ${script}")
endif()

# Mistakes.
file(WRITE ${WORK_DIR}/odd.csv "a,b\n1,2\n")
file(WRITE ${WORK_DIR}/ragged.csv "a,b\n1\n")
file(WRITE ${WORK_DIR}/head.csv "a,b\n")
file(WRITE ${WORK_DIR}/empty.csv "")
foreach(case IN ITEMS "a column that is not there|--y cycle: there is no such column .did you mean cycles.|plot;time.csv;--y;cycle"
    "rows of others|odd.csv: has no column schema: name columns with --x and --y; there are a, b|plot;odd.csv"
    "a curve over words|--x policy: a curve needs numbers|plot;time.csv;--kind;curve"
    "words as values|--y verdict: no row has a number there|plot;run.csv;--y;verdict"
    "too many colours|--by mechanism: [0-9]+ series, bars have colours for 8|plot;cost.csv;--kind;bar;--x;part;--by;mechanism"
    "no row|--where policy=nobody: no row is left|plot;run.csv;--where;policy=nobody"
    "no equals|--where policy: is no COLUMN=VALUE|plot;run.csv;--where;policy"
    "ragged|^ragged.csv:2: 1 fields, but the first line has 2|plot;ragged.csv" "a head alone|head.csv: there is no row to draw|plot;head.csv"
    "nothing|empty.csv: is empty, no CSV|plot;empty.csv" "no file|^nowhere.csv: no such file|plot;nowhere.csv"
    "another ending|out.pdf: is neither .svg, .png nor .gp|plot;run.csv;-o;out.pdf"
    "over the rows|run.csv: is the input|plot;run.csv;-o;run.csv" "another kind|--kind: there is no .bars. .did you mean bar|plot;run.csv;--kind;bars")
  string(REPLACE "|" "@" case "${case}")
  string(REGEX MATCH "^([^@]*)@([^@]*)@(.*)$" found "${case}")
  set(arguments ${CMAKE_MATCH_3})
  says("${CMAKE_MATCH_1}" 2 "${CMAKE_MATCH_2}" ${arguments})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK_DIR} ${TOOL} plot run.csv -o out.svg WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE status ERROR_VARIABLE said)
if(NOT status EQUAL 2 OR NOT said MATCHES "gnuplot draws the picture and is not installed: apt-get install gnuplot-nox"
    OR EXISTS ${WORK_DIR}/out.svg)
  string(APPEND failures "\nno gnuplot: status ${status}, ${said}")
endif()

find_program(GNUPLOT gnuplot)
if(GNUPLOT)
  foreach(name IN ITEMS run suite time branches stacks cost)
    says("a picture of ${name}" 0 "^$" plot ${name}.csv -o ${name}.svg)
    set(svg "")
    if(EXISTS ${WORK_DIR}/${name}.svg)
      file(READ ${WORK_DIR}/${name}.svg svg)
    endif()
    if(NOT svg MATCHES "^<[?]xml .*<svg .*</svg>" OR NOT svg MATCHES " by ")
      string(APPEND failures "\n${name}.svg: ${svg}")
    endif()
  endforeach()
  says("a picture in PNG" 0 "^$" plot suite.csv -o suite.png)
  file(READ ${WORK_DIR}/suite.png png LIMIT 8 HEX)
  if(NOT png STREQUAL "89504e470d0a1a0a")
    string(APPEND failures "\nsuite.png begins with ${png}")
  endif()
  says("standard output" 0 "<svg ;</svg>" plot cost.csv)

  # The gallery: each picture is what its command in the README draws, if this gnuplot is the one that drew it.
  set(gallery ${CMAKE_CURRENT_LIST_DIR}/../../examples/lab/plots)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../../examples/lab/README.md page)
  string(REGEX MATCHALL "\nsimtflow-lab [^\n]*&& simtflow-lab plot [^\n]* -o plots/[^\n]*svg" commands "${page}")
  list(LENGTH commands number)
  file(GLOB pictures ${gallery}/*.svg)
  list(LENGTH pictures expected)
  if(number LESS 3 OR NOT number EQUAL expected)
    string(APPEND failures "\nthe README makes ${number} pictures, ${gallery} has ${expected}")
  endif()
  cmake_path(GET TOOL PARENT_PATH tools)
  file(MAKE_DIRECTORY ${WORK_DIR}/plots)
  file(CREATE_LINK ${KERNELS}/.. ${WORK_DIR}/examples SYMBOLIC)
  foreach(command IN LISTS commands)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env "PATH=${tools}:$ENV{PATH}" sh -c "${command}" WORKING_DIRECTORY ${WORK_DIR}
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
    string(REGEX REPLACE "^.* -o plots/" "" name "${command}")
    set(made "")
    set(kept "")
    foreach(text IN ITEMS made kept)
      set(folder ${gallery})
      if(text STREQUAL "made")
        set(folder ${WORK_DIR}/plots)
      endif()
      if(EXISTS ${folder}/${name})
        file(READ ${folder}/${name} ${text})
      endif()
      string(REGEX MATCH "<desc>[^<]*" ${text}_by "${${text}}")
    endforeach()
    if(NOT status EQUAL 0 OR made STREQUAL "" OR kept STREQUAL "")
      string(APPEND failures "\n${command}: status ${status}: ${said}")
    elseif(made_by STREQUAL kept_by AND NOT made STREQUAL kept)
      string(APPEND failures "\n${name} is another picture: ${command}")
    endif()
  endforeach()
endif()

# The recipe for pandas, where that is installed: the ratios of the rows.
foreach(python IN ITEMS python3 /usr/bin/python3)
  execute_process(COMMAND ${python} -c "import pandas" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing)
    continue()
  endif()
  execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/../../examples/lab/rows_in_pandas.py suite.csv
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "\nfigure1 [^\n]* 0.780?[^\n]*\n" OR NOT printed MATCHES "\nmean {.*'pdom': 1.0, ")
    string(APPEND failures "\npandas: status ${status}: ${printed}${said}")
  endif()
  execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/../../examples/lab/rows_in_pandas.py time.csv
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(status EQUAL 0 OR NOT said MATCHES "^these are not rows of run")
    string(APPEND failures "\npandas, other rows: status ${status}: ${said}")
  endif()
  break()
endforeach()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
