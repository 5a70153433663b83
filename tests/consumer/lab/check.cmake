# SPDX-License-Identifier: BSL-1.0
#
# A user's tools, built with an installed copy of the library: his policy, columns, machine and reference program are
# there in every command, his mistake is found, and registrations that cannot be are refused. Variables: PREFIX (where
# the copy is), SOURCE_DIR, PARTS (the header with his parts), COMPILER, FLAGS, GENERATOR, WORK_DIR.
cmake_minimum_required(VERSION 3.23)
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build
  "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DPARTS=${PARTS}"
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build OUTPUT_VARIABLE said ERROR_VARIABLE said
  RESULT_VARIABLE status)
if(NOT status STREQUAL "0")
  message(FATAL_ERROR "the consumer is not built: ${said}")
endif()

# The project that the README shows, and one that adds the sources: it would compile the tool, so it is configured only.
file(WRITE ${WORK_DIR}/sources/CMakeLists.txt "cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES CXX)
add_subdirectory(${SOURCE_DIR} simtflow)
include(${SOURCE_DIR}/cmake/components/simtflow-lab.cmake)
simtflow_add_lab(user ${PARTS})
if(NOT simtflow_lab_FOUND)
  message(FATAL_ERROR \"\${simtflow_lab_REASON}\")
endif()
")
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK_DIR}/sources -B ${WORK_DIR}/of_sources
  "-DCMAKE_CXX_COMPILER=${COMPILER}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR}/examples/my_lab -B ${WORK_DIR}/readme
  "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(failures "")
include(${SOURCE_DIR}/tests/lab/says.cmake)
set(TOOL ${WORK_DIR}/build/own_lab)
set(kernels ${PREFIX}/share/simtflow/kernels)
set(figure1 ${kernels}/figure1.ptx --launch ${kernels}/figure1.launch.json)
set(doubled ${CMAKE_CURRENT_LIST_DIR}/doubled.ptx --launch ${CMAKE_CURRENT_LIST_DIR}/doubled.launch.json)

says("the list has it" 0 "\nmost-lanes +warp +none +the largest group of lanes runs +nothing\n;\nmost-lanes\n  groups +1\\.\\.64 \\*8 +more"
  policies)
says("the completion has it" 0 "most-lanes" completion bash)
says("a run" 0 "\nmost-lanes +[0-9]+ ;memory: pdom = tf = volta = most-lanes = serial; passed = reference figure1"
  run ${figure1} --policy pdom,tf,volta,most-lanes,serial)
says("it is among those that run by themselves" 0 "\nmost-lanes +[0-9]+ " run ${figure1})
says("a parameter" 0 "\nmost-lanes:groups=1 +[0-9]+ " run ${figure1} --policy most-lanes:groups=1)
says("a parameter out of its range" 2 "groups is a whole number from 1 to 64, not \"65\"" run ${figure1} --policy
  most-lanes:groups=65)
says("a misspelt name" 2 "there is no policy \"most-lane\" \\(did you mean most-lanes\\?\\)" run ${figure1} --policy
  most-lane)
says("columns" 0 ",lonely_blocks,;\nfigure1,most-lanes,[^\n]*,[0-9]+," run ${figure1} --policy most-lanes --csv --metrics)
says("its own reference program" 0 "y = reference doubled" run ${doubled} --policy most-lanes)
says("a list of machines" 0 "\nslow-memory +gtx480 with DRAM at half its clock\n" time --list-machines)
says("time" 0 "slow-memory;most-lanes" time ${doubled} --machine slow-memory --policy most-lanes)
says("a misspelt machine" 2 "registered: slow-memory \\(did you mean slow-memory\\?\\)" time ${doubled} --machine
  slow-memry)
says("a suite" 0 "\nfigure1 [^\n]* most-lanes " suite ${kernels} --kernels figure1 --policy pdom,most-lanes)
says("advice" 0 "\n +[-.0-9]+ % [^\n]* most-lanes " advise ${figure1} --policy most-lanes)
says("a timeline" 0 "^$" timeline ${figure1} --policy most-lanes -o ${WORK_DIR}/lanes.svg)
says("a page" 0 "^$" explore ${figure1} --policy most-lanes -o ${WORK_DIR}/page.html)
foreach(name IN ITEMS lanes.svg page.html)
  file(READ ${WORK_DIR}/${name} text)
  string(FIND "${text}" "most-lanes" at)
  if(at EQUAL -1)
    string(APPEND failures "\n${name} does not name the policy")
  endif()
endforeach()

says("a CUDA program" 2 "most-lanes: left out, the CUDA runtime is a library of its own" cuda --policy
  most-lanes -- ${TOOL})

# The mistake: the law, the graph, the schedule, and how to see it again.
says("laws of the right one" 0 "^most-lanes keeps the laws in 300 random programs\n$" laws --policy most-lanes)
says("laws of all that are registered" 1
  "^most-lanes keeps the laws in 300 random programs\ntwo-groups BREAKS A LAW: ;program of seed [0-9]+: [0-9]+ threads;\n> BB[0-9]+ ->;\nexecuted\n  BB[0-9]+ threads [0-9];\nagain: laws --policy two-groups --seed [0-9]+ --programs 1\n$"
  laws)
if(printed MATCHES "again: laws --policy two-groups --seed ([0-9]+)")
  set(seed ${CMAKE_MATCH_1})
  set(before "${printed}")
  says("and again" 1 "^two-groups BREAKS A LAW: ;program of seed ${seed}:" laws --policy two-groups --seed ${seed}
    --programs 1)
  string(FIND "${before}" "${printed}" at)
  if(at EQUAL -1)
    string(APPEND failures "\nthe same seed has another end:\n${printed}-- before\n${before}")
  endif()
endif()

set(TOOL ${WORK_DIR}/build/refused)
says("what is refused" 2
  "cannot be registered as \"tf\": a policy that ships has this name;cannot be registered as \"\": the name is empty;machine cannot be registered as \"volta\": a machine that ships has this name;two reference programs \"figure1\""
  policies)
set(TOOL ${PREFIX}/bin/simtflow-lab)
says("the tool itself is installed, and does not have it" 2 "there is no policy \"most-lanes\"" run ${figure1} --policy
  most-lanes)

if(failures)
  message(FATAL_ERROR "${failures}")
endif()
