# SPDX-License-Identifier: BSL-1.0
#
# Transforms a shipped kernel: what is reported and written, that the tool and ptxas take what was written, and what is
# refused. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(kernel ${KERNELS}/short_circuit.ptx)
set(launch ${KERNELS}/short_circuit.launch.json)
set(failures "")

# transforms(NAME PATTERN ARGUMENT...): the tool transforms the kernel and prints what matches; OUT.ptx then runs.
function(transforms name expected)
  file(REMOVE ${WORK_DIR}/out.ptx)
  execute_process(COMMAND ${TOOL} transform ${kernel} ${ARGN} -o out.ptx --launch ${launch} --policy pdom,tf
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT printed MATCHES "${expected}"
      OR NOT printed MATCHES "the same as before under 2 policies")
    set(failures "${failures}\n${name}: status ${status}, no ${expected} in\n${printed}${said}" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${TOOL} run out.ptx --launch ${launch} --policy pdom,tf
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT printed MATCHES "memory: pdom = tf = serial")
    set(failures "${failures}\n${name}, run: status ${status}: ${printed}${said}" PARENT_SCOPE)
  endif()
  find_program(PTXAS ptxas PATHS /usr/local/cuda/bin)
  if(NOT PTXAS)
    message(STATUS "skipped: no ptxas")
    return()
  endif()
  execute_process(COMMAND ${PTXAS} -c -arch=sm_75 out.ptx -o out.cubin
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0")
    set(failures "${failures}\n${name}: ptxas says ${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()

transforms("linearize" "structured +no +yes\nadded: [1-9][0-9]* guards on 1 variable, 0 copies" --linearize)
transforms("struct" "structured +no +yes\nadded: 0 guards on 0 variables, [1-9][0-9]* copies" --struct)
transforms("hub" "added: 3 guards on 1 variable," --hub unstructured)
transforms("no proof" "added: [1-9][0-9]* guards on 1 variable, 0 copies" --linearize --no-proof)
transforms("nothing" "nothing had to be changed" --fix-irreducible)
transforms("one after the other" ": --unify-exits --linearize --struct\n.*structured +no +yes"
  --unify-exits --linearize --struct)
transforms("guards" ": --linearize --guards none\n.*added: 8 guards on 1 variable" --guards none --linearize --always)
transforms("stack" ": --linearize --stack-depth 2 --meld\n.*added: .*\nmelded: " --linearize --stack-depth 2 --meld)
transforms("in one row" ": --interleave 3,9,\\$L__BB0_6,5\n.*structured +no +yes" --interleave "3,9,$L__BB0_6,5")
transforms("by name" "kernel 'short_circuit' of" --linearize --entry short_circuit)  # the old name of --kernel

set(kernel ${KERNELS}/nested_loops.ptx)
set(launch ${KERNELS}/nested_loops.launch.json)
transforms("merge" ": --merge-loops\n.*added: 1 guard on 1 variable,.*\nmerged: the loop of BB4 " --merge-loops)
transforms("merge all" ": --merge-loops=all\n.*added: 3 guards on 1 variable," --merge-loops=all)
transforms("partial" ": --partial\n.*linearized partially: 4 branches removed" --partial)
set(kernel ${KERNELS}/short_circuit.ptx)
set(launch ${KERNELS}/short_circuit.launch.json)

# The plan as a drawing.
execute_process(COMMAND ${TOOL} transform ${kernel} --linearize --draw plan.dot
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
set(dot "")
if(EXISTS ${WORK_DIR}/plan.dot)
  file(READ ${WORK_DIR}/plan.dot dot)
endif()
foreach(expected IN ITEMS "digraph cfg" "short_circuit --linearize" "shape=hexagon" "v0 := [1-9]" "v0 = [1-9]" "#8250df")
  if(NOT status STREQUAL "0" OR NOT dot MATCHES "${expected}")
    set(failures "${failures}\ndraw: status ${status}, no ${expected} in\n${dot}${said}")
  endif()
endforeach()

set(kernel ${KERNELS}/lu_perimeter.ptx)
set(launch ${KERNELS}/lu_perimeter.launch.json)
transforms("meld" ": --meld\n.*melded: 3 branches\nround 1: branch of .* pairs melded, .*shared +after +global +after" --meld)
transforms("meld less" "melded: 2 branches.*saves less than the threshold asks" --meld --threshold 0.45)
transforms("fuse" ": --fuse\n.*1 block \\([0-9]+\\) with 1 block" --fuse)
transforms("tail-merge" ": --tail-merge\n.*melded: [1-9]" --tail-merge)
transforms("fuse, no growth" ": --fuse\n.*1 block \\([0-9]+\\) with 1 block" --fuse --no-growth)
transforms("meld with a profile" "melded: 3 branches" --meld --profile)
transforms("meld, branches around all" "melded: [1-9]" --meld --unpredicate always)
transforms("meld, as the paper" "melded: [1-9]" --meld --score paper --unpredicate never)
transforms("meld, then the rest" ": --meld --linearize\n.*added: .*\nmelded: " --meld --linearize)

# Every figure as CSV: two rows for each policy. Loads and stores, counted by instructions, are as many as accesses,
# counted by addresses.
execute_process(COMMAND ${TOOL} transform ${kernel} --meld --launch ${launch} --policy pdom,serial --csv=rows.csv
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
set(rows "")
if(EXISTS ${WORK_DIR}/rows.csv)
  file(STRINGS ${WORK_DIR}/rows.csv rows)
endif()
list(LENGTH rows number)
if(NOT status STREQUAL "0" OR NOT number EQUAL 5)
  string(APPEND failures "\ncsv: status ${status}, ${number} lines: ${said}")
else()
  list(POP_FRONT rows header)
  string(REPLACE "," ";" header "${header}")
  set(kernels "")
  foreach(row IN LISTS rows)
    string(REPLACE "," ";" row "${row}")
    foreach(column IN LISTS header)
      list(POP_FRONT row csv_${column})
    endforeach()
    string(APPEND kernels "${csv_kernel} ${csv_policy} ${csv_instructions}, ")
    math(EXPR shared "${csv_shared_loads} + ${csv_shared_stores}")
    math(EXPR vector "${csv_vector_loads} + ${csv_vector_stores}")
    if(NOT shared EQUAL csv_shared_accesses OR NOT vector EQUAL csv_global_accesses
        OR NOT csv_weighted GREATER csv_warp_instructions)
      string(APPEND failures "\ncsv: figures do not agree in ${rows}")
    endif()
  endforeach()
  if(NOT kernels MATCHES "^lu_perimeter pdom 1207, lu_perimeter --meld pdom [0-9]+, lu_perimeter serial 1207, lu_perim")
    string(APPEND failures "\ncsv: rows of ${kernels}")
  endif()
endif()

set(kernel ${KERNELS}/short_circuit.ptx)
set(launch ${KERNELS}/short_circuit.launch.json)

# Every transform in one table, and as CSV: under one policy, because the test of the shipped kernels takes all.
execute_process(COMMAND ${TOOL} transform ${KERNELS}/sb1.ptx --all --csv=all.csv --machine gtx480
  --launch ${KERNELS}/sb1.launch.json --policy pdom
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
set(rows "")
if(EXISTS ${WORK_DIR}/all.csv)
  file(STRINGS ${WORK_DIR}/all.csv rows)
endif()
foreach(expected IN ITEMS "figures under pdom, memory compared under pdom\n" "\n  as it is  +12 +74 "
    " cycles +ratio +occ\\.  verdict\n" "\n\\* --fuse +8 +63 .* [01]\\.[0-9]+  proved, memory equal under 1 policy\n"
    "\n  --linearize --always +changes nothing\n" "\n  --linearize  +changes nothing\n"
    "  proved, memory equal under 1 policy; costs more than it saves\n" "\n  --meld +the same code as --fuse\n"
    "\n\\* the fewest cycles")
  if(NOT status STREQUAL "0" OR NOT printed MATCHES "${expected}")
    string(APPEND failures "\nall: status ${status}, no ${expected} in\n${printed}${said}")
  endif()
endforeach()
list(LENGTH rows number)
if(NOT rows MATCHES "^kernel,transform,blocks,instructions,.*,cycles,cycles_ratio,occupancy,warp_instructions_pdom,best,good,verdict,policy,[^;]*,schema,version;"
    OR NOT rows MATCHES ";sb1,--fuse,8,63,.*,[01]\\.[0-9]+,[0-9]+,1,1,\"proved, memory equal under 1 policy\",pdom,gtx480,[^;]*;" OR number LESS 20)
  string(APPEND failures "\nall: ${number} rows of CSV: ${rows}")
endif()

# refused(NAME STATUS PATTERN ARGUMENT...): nothing is written.
function(refused name wanted expected)
  execute_process(COMMAND ${TOOL} transform ${ARGN}
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "${wanted}" OR NOT "${printed}${said}" MATCHES "${expected}" OR EXISTS ${WORK_DIR}/no.ptx
      OR EXISTS ${WORK_DIR}/no.ptx.part)
    set(failures "${failures}\n${name}: status ${status}, no ${expected} in\n${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()

refused("no transform" 2 "nothing to do: name a transform: --linearize, " ${kernel} -o no.ptx)
refused("no such threshold" 2 "--threshold" ${kernel} --meld --threshold 1.5 -o no.ptx)
refused("no number" 2 "nan is no number from 0 to 1" ${kernel} --meld --threshold nan -o no.ptx)
refused("a threshold of what" 2 "--threshold: goes with --meld or --fuse" ${kernel} --linearize --threshold 0.3 -o no.ptx)
foreach(option IN ITEMS "--no-growth" "--unpredicate auto" "--most-predicated 3" "--score paper")
  separate_arguments(arguments UNIX_COMMAND "${option}")
  refused("${option} of what" 2 "goes with --meld, --fuse or --tail-merge" ${kernel} --linearize ${arguments} -o no.ptx)
endforeach()
refused("a profile of what" 2 "--profile: goes with --linearize, --meld, --fuse, --tail-merge, --merge-loops or --interleave"
  ${kernel} --hub unstructured --profile -o no.ptx)
refused("branches at times" 2 "--unpredicate: there is no \"sometimes\"" ${kernel} --meld --unpredicate sometimes -o no.ptx)
refused("too few instructions" 2 "--most-predicated: Value -1 not in range" ${kernel} --meld --most-predicated -1 -o no.ptx)
refused("a limit of nothing" 2 "--most-predicated: goes with --unpredicate auto"
  ${kernel} --meld --unpredicate never --most-predicated 3 -o no.ptx)
refused("another score" 2 "--score: there is no \"theirs\"" ${kernel} --meld --score theirs -o no.ptx)
refused("always what" 2 "--always: goes with --linearize" ${kernel} --meld --always -o no.ptx)
refused("a profile of no run" 2 "--profile: goes with --launch" ${kernel} --meld --profile -o no.ptx)
refused("a profile of a run that does not finish" 2 "--profile: .*: the run under pdom does not finish: "
  ${KERNELS}/barrier_exception.ptx --meld --profile --launch ${KERNELS}/barrier_exception.launch.json -o no.ptx)
# Nothing is written and nothing is wrong.
refused("not structured" 0 "the code is not structured, so the stack may get deeper" ${kernel} --stack-depth 4)
refused("no loops in loops" 0 "nothing to merge: no loop has loops in it" ${kernel} --merge-loops=all)
refused("no nest that pays" 0 "nothing to merge: no loop has loops in it" ${kernel} --merge-loops)
refused("no arms that wait" 0 "not interleaved: branch of BB0 .line 40. does not diverge" ${kernel} --interleave auto)
refused("partial, by whom" 2 "--partial=lane: thread or warp decides at branches that stay" ${kernel} --partial=lane -o no.ptx)
refused("a vote in a loop that waits" 1 "threads may wait for each other, and a vote would keep all of them"
  ${KERNELS}/spin_lock.ptx --partial=warp -o no.ptx)
refused("a call under a mask" 1 "not linearized: a call cannot be under a mask .line 227." ${KERNELS}/exception_call.ptx
  --kernel exception_call --partial -o no.ptx)
refused("merge one, by options" 0 ": --merge-loops=BB3 --linearize --guards o3\n"
  ${KERNELS}/nested_loops.ptx --merge-loops=BB3 --guards o3 --linearize)
refused("merge around a barrier" 0 "not merged where threads .*: BB8 \\$L__BB0_7 \\(line 74: bar.sync\\)"
  ${KERNELS}/bitonic_sort.ptx --merge-loops=all)
refused("merge where threads wait" 0 "not merged where threads .*: BB[0-9]+" ${KERNELS}/ray_queue.ptx --merge-loops=all)
refused("all without a run" 0 "kernel 'short_circuit': every transform\n" ${kernel} --all)
refused("all, proved" 0 "\n  --struct [0-9 ]+  proved\n" ${kernel} --all)
refused("all, not proved" 0 "\n  --struct [0-9 ]+\n" ${kernel} --all --no-proof)
refused("no region pays" 0 "\n  --linearize --always [0-9 ]+  proved\n" ${KERNELS}/heart_wall.ptx --all)
refused("no proof of what" 2 "nothing to do: name a transform: --linearize, " ${kernel} --no-proof -o no.ptx)
refused("all and one" 2 "--all: goes without --hub unstructured" ${kernel} --all --hub unstructured -o no.ptx)
refused("all into a file" 2 "--all: goes without --output" ${kernel} --all -o no.ptx)
refused("nothing to draw" 2 "--draw: neither melding nor partial linearization has a plan to draw"
  ${kernel} --partial --draw no.ptx)
refused("all in a drawing" 2 "--all: goes without --draw" ${kernel} --all --draw no.ptx)
refused("all with guards" 2 "--all: goes without --guards" ${kernel} --all --guards o1)
refused("all, always" 2 "--all: goes without --always" ${kernel} --all --always)
refused("all on a machine, not run" 2 "--machine: goes with --launch" ${kernel} --all --machine gtx480)
refused("all on no machine" 2 "--machine nowhere: " ${kernel} --all --launch ${launch} --machine nowhere)
refused("all on a machine of other warps" 2 "warps of 4 threads, but the machine 'gtx480' has warps of 32"
  ${KERNELS}/figure1.ptx --all --launch ${KERNELS}/figure1.launch.json --machine gtx480)
refused("registers of one" 2 "--registers requires --all" ${kernel} --linearize --launch ${launch} --registers 20
  -o no.ptx)
refused("all with a profile of no run" 2 "--profile: goes with --launch" ${kernel} --all --profile)
refused("all over the kernel" 2 "is the input, not written" ${kernel} --all --csv=${kernel})
refused("guards of what" 2 "--guards: goes with --linearize, --merge-loops, " ${kernel} --meld --guards o1 -o no.ptx)
refused("more than all guards" 2 "--guards: there is no \"o5\"" ${kernel} --linearize --guards o5 -o no.ptx)
foreach(depth IN ITEMS 1 -3 deep 5000000000)
  refused("a stack of ${depth}" 2 "--stack-depth: \"${depth}\" is no number from 2 on"
    ${kernel} --stack-depth "${depth}" -o no.ptx)
endforeach()
refused("a loop of no loop" 2 "--merge-loops: BB3 of kernel 'short_circuit' heads no loop"
  ${kernel} --merge-loops=3 -o no.ptx)
refused("a loop of nothing" 2 "--merge-loops: kernel 'short_circuit' has no block \"nowhere\"; blocks are named by"
  ${kernel} --merge-loops=nowhere -o no.ptx)
refused("a row of nothing" 2 "--interleave: kernel 'short_circuit' has no block \"\"; " ${kernel} --interleave 3,,4 -o no.ptx)
refused("a row without a branch" 2 "--interleave 0,3: no block of kernel 'short_circuit' comes before all of these"
  ${kernel} --interleave 0,3 -o no.ptx)
refused("copies of what" 2 "--most-copies: goes with --struct" ${kernel} --linearize --most-copies 9 -o no.ptx)
refused("figures of no run" 2 "--csv: goes with --launch" ${kernel} --linearize --csv=no.csv -o no.ptx)
refused("module and figures in one file" 2 "cannot take both the module and its figures"
  ${kernel} --linearize --launch ${launch} -o no.ptx --csv=no.ptx)
refused("drawing and figures in one file" 2 "cannot take both the drawing and the figures"
  ${kernel} --linearize --launch ${launch} --draw no.ptx --csv=no.ptx)
refused("no such option" 2 "--straighten" ${kernel} --straighten -o no.ptx)
refused("no such kernel" 2 "has no kernel \"nowhere\", it has short_circuit"
  ${kernel} --linearize --kernel nowhere -o no.ptx)
refused("no such file" 2 "nowhere.ptx: no such file" nowhere.ptx --linearize -o no.ptx)
refused("no such edge" 2 "has no edge 7" ${kernel} --hub 0:7 -o no.ptx)
refused("a machine without a launch" 2 "--machine, --set: go with --launch" ${kernel} --linearize --machine gtx480
  -o no.ptx)
refused("too many copies" 1 "that takes more than 3 blocks" ${kernel} --struct --most-copies 3 -o no.ptx)
refused("no such policy" 2 "nowhere" ${kernel} --linearize --launch ${launch} --policy nowhere -o no.ptx)
refused("module and drawing in one file" 2 "cannot take both" ${kernel} --linearize -o no.ptx --draw no.ptx)
refused("into nowhere" 2 "nowhere/no.ptx: cannot be written" ${kernel} --linearize -o nowhere/no.ptx)
file(COPY ${kernel} ${launch} DESTINATION ${WORK_DIR})
file(READ ${kernel} before)
refused("over the kernel" 2 "short_circuit.ptx" short_circuit.ptx --linearize -o ./short_circuit.ptx)
refused("over the launch file" 2 "short_circuit.launch.json"
  short_circuit.ptx --linearize --launch short_circuit.launch.json -o short_circuit.launch.json)
file(READ ${WORK_DIR}/short_circuit.ptx after)
if(NOT before STREQUAL after)
  string(APPEND failures "\nthe kernel was overwritten")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
