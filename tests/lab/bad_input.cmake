# SPDX-License-Identifier: BSL-1.0
#
# The tool's answers to input that it cannot use: the message with its place, an exit status that is not zero, and
# nothing written. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/folder)
set(failures "")

# refused(NAME MESSAGE ARGUMENT...): the tool refuses these arguments with a message that matches the regular
# expression.
function(refused name expected)
  execute_process(COMMAND ${TOOL} ${ARGN} WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 60
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  set(problem "")
  if(NOT status MATCHES "^[12]$")
    string(APPEND problem "\n  exit status: ${status}")
  endif()
  if(NOT printed STREQUAL "")
    string(APPEND problem "\n  written: ${printed}")
  endif()
  if(NOT said MATCHES "${expected}")
    string(APPEND problem "\n  does not match: ${expected}")
  endif()
  if(EXISTS ${WORK_DIR}/out.dot OR EXISTS ${WORK_DIR}/out.svg OR EXISTS ${WORK_DIR}/out.dot.part)
    string(APPEND problem "\n  a file was written")
  endif()
  if(NOT problem STREQUAL "")
    set(failures "${failures}\n${name}:${problem}\n  said: ${said}" PARENT_SCOPE)
  endif()
endfunction()

# spoil(FILE SOURCE WHAT BY): a shipped file with one piece replaced.
function(spoil file source what by)
  file(READ ${KERNELS}/${source} text)
  string(FIND "${text}" "${what}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${source} holds no \"${what}\"")
  endif()
  string(REPLACE "${what}" "${by}" text "${text}")
  file(WRITE ${WORK_DIR}/${file} "${text}")
endfunction()

set(good_kernel ${KERNELS}/figure1.ptx)
set(good_launch ${KERNELS}/figure1.launch.json)
function(bad_kernel name expected file)
  refused("${name}" "${expected}" run ${file} --launch ${good_launch})
  refused("${name}, drawn" "${expected}" draw ${file} -o out.dot)
endfunction()
function(bad_launch name expected what by)
  spoil(bad.json figure1.launch.json "${what}" "${by}")
  refused("${name}" "${expected}" run ${good_kernel} --launch bad.json)
endfunction()

# Files.
refused("no such file" "^nowhere.ptx: no such file" run nowhere.ptx --launch ${good_launch})
refused("a directory" "^folder: is a directory" run folder --launch ${good_launch})
refused("no such launch file" "^nowhere.json: no such file" run ${good_kernel} --launch nowhere.json)
refused("a directory as launch file" "^folder: is a directory" run ${good_kernel} --launch folder)
refused("drawn into nowhere" "^nowhere/out.dot: cannot be written" draw ${good_kernel} -o nowhere/out.dot)
refused("no launch file given" "--launch is required" run ${good_kernel})
refused("unknown policy" "--policy" run ${good_kernel} --launch ${good_launch} --policy fastest)
refused("no subcommand" "subcommand")
# A mistake in what was written is reported before what is missing.
refused("a misspelled option" "^run: there is no option --lanch .did you mean --launch.." run --lanch ${good_launch})
refused("a misspelled option with a value" "^draw: there is no option --ordr .did you mean --order.."
  draw ${good_kernel} --ordr=rpo)
refused("an option of nothing" "^policies: there is no option --everything\n" policies --everything)
refused("an option before the subcommand" "^simtflow-lab: there is no option --verion .did you mean --version.." --verion)
refused("accept, no paths" "^PATHS is required" accept)
refused("accept, no such path" "^nowhere: no such file" accept nowhere)
refused("accept, a folder without PTX" "^folder: has no .ptx file" accept folder)
refused("accept, two formats" "^--csv excludes --json" accept ${good_kernel} --csv --json)
foreach(command IN ITEMS run record timeline explore)
  refused("${command}, no kernel and no launch file" "^nope.ptx: no such file" ${command} nope.ptx)
endforeach()
refused("a misspelled subcommand" "^there is no subcommand .rum. .did you mean run..; there are run, replay, " rum ${good_kernel})
refused("a misspelled policy" "there is no policy .pdomm. .did you mean pdom..; there are pdom, "
  run ${good_kernel} --launch ${good_launch} --policy pdomm)
refused("a misspelled parameter" "it has no parameter .odrer. .did you mean order..; there are "
  run ${good_kernel} --launch ${good_launch} --policy pdom:odrer=first)
refused("no such CUDA program" "^nowhere: no such program" cuda -- nowhere)
refused("a CUDA program under no policy" "there is no policy .pdomm. .did you mean pdom" cuda --policy pdomm -- true)
foreach(flag IN ITEMS --csv --json)
  refused("rows without a name" "^${flag}=: the name of a file is missing" suite ${KERNELS} --kernels figure1 ${flag}=)
endforeach()
refused("rows with a space" "^suite: rows.csv is no FOLDER: a file of rows is written by --csv=rows.csv" suite --csv rows.csv)
refused("rows over two inputs" "cannot take both CSV and JSON" run ${good_kernel} --launch ${good_launch} --csv=a.csv --json=./a.csv)
refused("resumed without rows" "^--resume: goes with --csv=FILE" suite ${KERNELS} --resume)
refused("a profile of two policies" "^--profile: goes with one policy" cuda --policy pdom,tf --profile b.csv -- true)
refused("a folder without the runtime" "^folder: holds no libcudart.so.13" cuda --library folder -- true)
refused("an unknown subcommand" "^there is no subcommand .ran. .did you mean run..; there are run, replay, " ran ${good_kernel})
foreach(option IN ITEMS "run ${good_kernel} --launch ${good_launch} --policy pdom --events" "draw ${good_kernel} -o"
    "timeline ${good_kernel} --launch ${good_launch} -o" "explore ${good_kernel} --launch ${good_launch} -o"
    "record ${good_kernel} --launch ${good_launch} -o" "suite ${KERNELS} --kernels figure1 --time --svg"
    "transform ${good_kernel} --linearize --launch ${good_launch} --draw")
  separate_arguments(arguments UNIX_COMMAND "${option}")
  execute_process(COMMAND ${TOOL} ${arguments} "" RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "the name of a file is missing")
    string(APPEND failures "\n${option} without a name: status ${status}: ${printed}${said}")
  endif()
endforeach()
refused("metrics on several host threads" "^--jobs: metrics and events are taken on one host thread"
  run ${good_kernel} --launch ${good_launch} --metrics --jobs 2)
refused("too many host threads" "--jobs: Value 257 not in range" run ${good_kernel} --launch ${good_launch} --jobs 257)
execute_process(COMMAND ${TOOL} run --policy pdom,tf --policy serial ${good_kernel} --launch ${good_launch}
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
if(NOT status STREQUAL "0")
  string(APPEND failures "\na kernel behind --policy NAME: status ${status}: ${said}")
endif()

foreach(number IN ITEMS 0 -1 1e3 99999999999999999999999)
  refused("a limit of ${number}" "--most-blocks: Value ${number} not in range 1 to 1000000000000000"
    run ${good_kernel} --launch ${good_launch} --most-blocks ${number})
endforeach()
refused("unknown order" "--order: there is no \"none\"; there are" draw ${good_kernel} --order none)

# Output. Nothing is written where it would destroy the input, or where only half of it would get there.
configure_file(${good_kernel} ${WORK_DIR}/mine.ptx COPYONLY)
refused("drawn over the input" "^folder/../mine.ptx: is the input" draw mine.ptx -o folder/../mine.ptx)
file(SHA256 ${good_kernel} before)
file(SHA256 ${WORK_DIR}/mine.ptx after)
if(NOT before STREQUAL after)
  string(APPEND failures "\nthe input was overwritten")
endif()
refused("drawn into a folder" "^folder: is a directory" draw ${good_kernel} -o folder)
refused("one file for two formats" "out.svg: cannot take both" draw ${good_kernel} -o out.svg --svg ./out.svg)
file(WRITE ${WORK_DIR}/old.dot.part "somebody's")
refused("a draft in the way" "^old.dot: cannot be written: old.dot.part" draw ${good_kernel} -o old.dot)
if(EXISTS /dev/full)
  refused("a full device" "^/dev/full: cannot be written" draw ${good_kernel} -o /dev/full)
  foreach(command IN ITEMS "draw ${good_kernel}" "run ${good_kernel} --launch ${good_launch}")
    execute_process(COMMAND sh -c "${TOOL} ${command} > /dev/full" RESULT_VARIABLE status ERROR_VARIABLE said)
    if(NOT status STREQUAL "2" OR NOT said MATCHES "^standard output: cannot be written")
      string(APPEND failures "\nstandard output to a full device: status ${status}: ${said}")
    endif()
  endforeach()
endif()
if(UNIX)  # closed streams: a message or none, never a crash, and no file in their place
  foreach(command IN ITEMS "run ${good_kernel} --launch ${good_launch}" "--help" "draw ${good_kernel}")
    execute_process(COMMAND sh -c "${TOOL} ${command} >&-" RESULT_VARIABLE status ERROR_VARIABLE said)
    if(NOT status STREQUAL "2" OR NOT said MATCHES "^standard output: cannot be written")
      string(APPEND failures "\n${command}, standard output closed: status ${status}: ${said}")
    endif()
    execute_process(COMMAND sh -c "${TOOL} ${command} >&- 2>&-" RESULT_VARIABLE status)
    if(NOT status STREQUAL "2")
      string(APPEND failures "\n${command}, nothing to write to: status ${status}")
    endif()
  endforeach()
endif()
file(CREATE_LINK there.dot ${WORK_DIR}/link.dot SYMBOLIC)
execute_process(COMMAND ${TOOL} draw ${good_kernel} -o link.dot WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status)
if(NOT status STREQUAL "0" OR NOT IS_SYMLINK ${WORK_DIR}/link.dot OR NOT EXISTS ${WORK_DIR}/there.dot)
  string(APPEND failures "\na link is not written through: status ${status}")
endif()

# Kernels.
file(WRITE ${WORK_DIR}/empty.ptx "")
bad_kernel("an empty file" "^empty.ptx:1:1: " empty.ptx)
file(READ ${good_kernel} text)
string(FIND "${text}" "@%p3 bra" at)
string(SUBSTRING "${text}" 0 ${at} text)
file(WRITE ${WORK_DIR}/truncated.ptx "${text}")
bad_kernel("a truncated kernel" "^truncated.ptx:[0-9]+:[0-9]+: " truncated.ptx)
spoil(opcode.ptx figure1.ptx "and.b32" "nand.b32")
bad_kernel("an unknown opcode" "^opcode.ptx:[0-9]+:[0-9]+: .*nand" opcode.ptx)
spoil(type.ptx figure1.ptx "add.s64 	%rd7" "add.f32 	%rd7")
bad_kernel("a type mismatch" "^type.ptx:[0-9]+:[0-9]+: .*%rd7" type.ptx)
spoil(label.ptx figure1.ptx "bra 	$L__BB0_2" "bra 	$L__BB0_9")
bad_kernel("a label that does not exist" "^label.ptx:[0-9]+:[0-9]+: .*L__BB0_9" label.ptx)
string(ASCII 1 2 127 255 bytes)
file(WRITE ${WORK_DIR}/binary.ptx "${bytes};;{{{")
bad_kernel("no text" "^binary.ptx:1:1: " binary.ptx)
refused("an unknown kernel" "figure1.ptx has no kernel .nobody." draw ${good_kernel} --kernel nobody -o out.dot)

# Launch files.
file(WRITE ${WORK_DIR}/text.json "grid = 4\n")
refused("a launch file that is not JSON" "^text.json:1:1: not JSON" run ${good_kernel} --launch text.json)
file(WRITE ${WORK_DIR}/empty.json "")
refused("an empty launch file" "^empty.json:1:1: " run ${good_kernel} --launch empty.json)
bad_launch("an unknown kernel" "bad.json: /kernel: .*nobody" "\"kernel\": \"figure1\"" "\"kernel\": \"nobody\"")
bad_launch("a missing parameter" "bad.json: /params: .*figure1_param_1" ",\n    {\"buffer\": \"passed\"}\n  ]" "\n  ]")
bad_launch("one parameter too many" "bad.json: /params/2: " "{\"buffer\": \"passed\"}\n  ]"
  "{\"buffer\": \"passed\"}, {\"u32\": 1}\n  ]")
bad_launch("a parameter of the wrong size" "bad.json: /params/1: .*figure1_param_1" "{\"buffer\": \"passed\"}\n  ]"
  "{\"u32\": 1}\n  ]")
bad_launch("an unknown buffer" "bad.json: /params/1/buffer: .*nothing" "{\"buffer\": \"passed\"}\n  ]"
  "{\"buffer\": \"nothing\"}\n  ]")
bad_launch("a wrong type" "bad.json: /grid: " "[1]" "\"1\"")
bad_launch("no thread block" "bad.json: /grid/0: " "\"grid\": [1]" "\"grid\": [0]")
bad_launch("too many thread blocks" "bad.json: /grid/0: " "\"grid\": [1]" "\"grid\": [99999999999]")
bad_launch("too many threads" "bad.json: /block: 2048 threads" "\"block\": [4]" "\"block\": [1024, 2]")
bad_launch("too many elements" "bad.json: /buffers/1/count: " "\"count\": 24" "\"count\": 99999999999999")
bad_launch("a number beyond every type" "^bad.json:5:17: not usable: .*1e400" "\"warp_width\": 4" "\"warp_width\": 1e400")
bad_launch("an unknown verdict" "bad.json: /verdicts/pdom: .*nonsense.*barrier deadlock" "\"warp_width\": 4"
  "\"warp_width\": 4, \"verdicts\": {\"pdom\": \"nonsense\"}")
bad_launch("an unknown key" "bad.json: /: .*blok" "\"block\"" "\"blok\"")

# Expectations that do not hold are a result, not bad input: the table is printed, and the status says so.
spoil(bad.json figure1.launch.json "[1, 1, 0," "[1, 2, 0,")
execute_process(COMMAND ${TOOL} run ${good_kernel} --launch bad.json WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT status STREQUAL "1" OR NOT printed MATCHES "passed\\[1\\]")
  string(APPEND failures "\na wrong expectation: status ${status}\n${printed}${said}")
endif()

# Traces.
file(WRITE ${WORK_DIR}/bad.trace "k a/b c f\ng f 2 0 K\n0 3 - 1\n1 2 - \nt 0 0 1\nt 1 1\nc 0 1\n")
refused("a path that does not start at the entry" "^bad.trace:6:5: " replay bad.trace)
file(WRITE ${WORK_DIR}/lonely.trace "k a/b c f\nt 0 0 1\nc 0\n")
refused("a trace without its graph" "^lonely.trace:1:" replay lonely.trace)
file(WRITE ${WORK_DIR}/cut.trace "k a/b c f\ng f 1 0 K\n0 3 -\nt 0 0\n")
refused("a trace without a thread block" "^cut.trace: kernel f has no thread block" replay cut.trace)
file(WRITE ${WORK_DIR}/bad.cfg "g f 2 0 K\n0 3 - 7\n")
refused("an edge to nowhere" "^bad.cfg:2:7: " draw bad.cfg -o out.dot)

# Inputs are not written over, and "all" is several policies.
file(COPY ${KERNELS}/figure1.ptx ${KERNELS}/figure1.launch.json DESTINATION ${WORK_DIR}/own)
refused("events over the launch file" "figure1.launch.json: is the input, not written"
  run own/figure1.ptx --launch own/figure1.launch.json --policy pdom --events own/figure1.launch.json)
refused("rows over a kernel" "figure1.ptx: is the input, not written" suite own --policy pdom --csv=own/figure1.ptx)
refused("figures over a kernel" "figure1.ptx: is the input, not written"
  transform own/figure1.ptx --linearize --launch own/figure1.launch.json --csv=own/figure1.ptx)
refused("recording several" "one run is recorded" record own/figure1.ptx --launch own/figure1.launch.json --policy all
  -o own/out.trace)
refused("all with parameters" "takes no parameters" run own/figure1.ptx --launch own/figure1.launch.json --policy
  all:order=first)
execute_process(COMMAND ${TOOL} record ${KERNELS}/split_merge.ptx --launch ${KERNELS}/split_merge.launch.json
  -o own/calls.trace --graph own/calls.cfg WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status)
if(NOT status STREQUAL "0")
  message(FATAL_ERROR "split_merge is not recorded: ${status}")
endif()
file(WRITE ${WORK_DIR}/own/other.cfg "s recorded split_merge calls\ng split_merge@bodies 1 0 K\n0 1 -\n")
refused("calls without the bodies" "^own/calls.trace: kernel split_merge has calls: put the graph file before"
  replay own/calls.trace)
refused("another kernel's bodies" "does not belong to kernel split_merge" replay own/other.cfg own/calls.trace)

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
