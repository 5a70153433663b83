# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab suite`, `--metrics` and `--events` from outside. Variables: TOOL, KERNELS (the shipped kernels),
# WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)

# Copies of a kernel: one must leave another memory than it does, the launch file of the other expects nothing.
file(READ ${KERNELS}/figure1.launch.json launch)
foreach(kind IN ITEMS wrong free)
  file(MAKE_DIRECTORY ${WORK_DIR}/${kind})
  file(COPY ${KERNELS}/figure1.ptx DESTINATION ${WORK_DIR}/${kind})
endforeach()
string(JSON changed REMOVE "${launch}" expect)
file(WRITE ${WORK_DIR}/free/figure1.launch.json "${changed}")
string(REPLACE "[1, 1, 0, 1" "[1, 1, 7, 1" changed "${launch}")
file(WRITE ${WORK_DIR}/wrong/figure1.launch.json "${changed}")
set(figure1 ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
says("the tables" 0
  "Control-flow graphs;\n  mandelbrot +[0-9]+ +[0-9]+ +[0-9]+ .* 2.30 +5 +38 +12\n;Dynamic warp instructions;\n  figure1 +1.000 +0.780\n;SIMD efficiency;Activity factor;Memory transactions over pdom's\n[^\n]*\n  figure1 +1.000 +0.[0-9]+\n;Most entries held;unique entries"
  suite ${KERNELS} --kernels figure1,mandelbrot --policy pdom,tf --tables --csv=all.csv)
# The overview: the legend names the columns; the kernel that loses most comes first.
says("the overview" 0
  "^2 kernels, 6 runs under 3 policies. all leave the memory that they must\nkernel +lost +best +x pdom +memory +try next\nmandelbrot +56.8 % +tf +0.71 += reference +transform --linearize 0.82\nfigure1 +33.0 % +tf +0.78 += reference +transform --linearize 0.90\nlost: lane slots[^\n]* under pdom;\n  [^\n]*simtflow-lab run [^\n]*mandelbrot.ptx --launch [^\n]*mandelbrot.launch.json --policy all\n  [^\n]*simtflow-lab transform --linearize [^\n]*mandelbrot.ptx --launch [^\n]*\n  [^\n]*simtflow-lab suite [^\n]* --tables\n$"
  suite ${KERNELS} --kernels figure1,mandelbrot --policy pdom,tf,serial)
says("every kind of advice" 0
  "\nbarrier_exception +barrier deadlock +tf +- += reference +explore\n;\nlu_perimeter +49.2 % +pdom +1.00 += reference +transform --meld 0.60\n;\nnested_loops +79.5 % +pdom +1.00 += reference +analyze\n;\naes +0.0 % +pdom +1.00 += reference +-\n"
  suite ${KERNELS} --kernels aes,barrier_exception,lu_perimeter,nested_loops --policy pdom,tf)
says("the best policy reconverges" 0 "\nspin_lock +livelock +volta +- += reference +explore\n;\nfigure1 +33.0 % +pdom +1.00 "
  suite ${KERNELS} --kernels figure1,spin_lock --policy pdom,volta,none,mimd,serial)
says("no policy that reconverges" 0 "\nspin_lock +- +- +- += reference +-\n"
  suite ${KERNELS} --kernels spin_lock --policy none,mimd)
says("an overview without pdom" 0 "\nfigure1 +- +tf +- += reference +-\n"
  suite ${KERNELS} --kernels figure1 --policy tf)
says("an overview with a memory that is wrong" 1
  "only 0 leave the memory that they must;\nfigure1 +33.0 % +tf +0.78 +WRONG;\nfigure1: WRONG  "
  suite ${WORK_DIR}/wrong --policy pdom,tf)
says("an overview without an expectation" 0 "\nfigure1 +33.0 % +tf +0.78 += serial +" suite ${WORK_DIR}/free --policy pdom,tf)
file(READ ${WORK_DIR}/all.csv csv)
string(REGEX MATCHALL "\n[^\n]" rows "${csv}")
list(LENGTH rows rows)
if(NOT rows EQUAL 4 OR NOT csv MATCHES "^kernel,policy,[^\n]*,static_pdom_joins,memory,[^\n]*,schema,version\n" OR NOT csv MATCHES "\nfigure1,tf,")
  string(APPEND failures "\nthe suite as CSV:\n${csv}")
endif()
# The entries of its stack: by hand one, two, two, three, two, one. All insertions but one compare with one entry.
says("entries of stacks" 0
  "^Entries of a stack [^\n]* beyond 1 are in memory\n[^\n]*kernel +policy +blocks += 1 % +[^\n]*> 3 % +deepest +insertions +walk 1 %[^\n]*walk > 3 % +spilled +bytes\n;\n +figure1 +tf +6 +33.3 +50.0 +16.7 +0.0 +3 +9 +88.9 +11.1 +0.0 +0.0 +2 +48\n;\ntf: of 1 kernels 0 have more than 3 entries. 0 have more than 3 beside the running one\n$"
  suite ${KERNELS} --kernels figure1 --policy pdom,tf --cost --on-chip 1 --csv=cost.csv)
file(READ ${WORK_DIR}/cost.csv csv)
if(NOT csv MATCHES "^kernel,policy,entries,blocks,pushes,pops,walks,parameters,[^\n]*\nfigure1,pdom,1,"
   OR NOT csv MATCHES "\nfigure1,tf,1,2,1,1,8,[^\n]*\nfigure1,tf,2,3,1,1,1,[^\n]*\nfigure1,tf,3,1,1,1,0,[^\n]*\n$")
  string(APPEND failures "\nentries of stacks as CSV:\n${csv}")
endif()
says("more than three entries" 0 "\ntf: of 1 kernels 1 have more than 3 entries: split_merge. 1 have more than 3 beside the running one: split_merge\n"
  suite ${KERNELS} --kernels split_merge --policy tf --cost)
says("a policy without entries" 0 "\nfigure1: serial: left out, it does not tell how many entries it holds\n"
  suite ${KERNELS} --kernels figure1 --policy serial --cost)
says("entries on chip of what" 2 "--on-chip" suite ${KERNELS} --kernels figure1 --on-chip 2)
says("two kinds of suite" 2 "--cost" suite ${KERNELS} --kernels figure1 --cost --time)
says("a chip of minus one entry" 2 "--on-chip" suite ${KERNELS} --kernels figure1 --cost --on-chip -1)
says("entries of a kernel that is not there" 2 "^--kernels nobody: there is no such kernel" suite ${KERNELS} --kernels nobody --cost)
says("the bench sizes" 2 "no kernel with a launch file NAME.bench.launch.json" suite ${WORK_DIR} --size bench)
says("a kernel that is not there" 2 "^--kernels nobody: there is no such kernel; there are .*figure1" suite ${KERNELS} --kernels nobody)
says("no folder" 2 "^nowhere: is no folder" suite nowhere)
says("a policy that is not there" 2 "--policy quick" suite ${KERNELS} --kernels figure1 --policy quick)

# The paper's Figure 1: PDOM runs nine blocks, thread frontiers each of the six once. Four lanes, so a warp is the
# block.
execute_process(COMMAND ${TOOL} run ${figure1} --policy pdom,tf,tbc --metrics --json
  RESULT_VARIABLE status OUTPUT_VARIABLE json ERROR_VARIABLE said)
# metric(ROW NAME EXPECTED): what --json says, as a regular expression; "" if it says nothing.
function(metric index name expected)
  string(JSON value ERROR_VARIABLE problem GET "${json}" rows ${index} metrics ${name})
  if(expected STREQUAL "" AND NOT problem STREQUAL "NOTFOUND")
    return()
  endif()
  if(NOT value MATCHES "^${expected}$")
    set(failures "${failures}\n${name} of row ${index} is ${value}, not ${expected} ${problem}" PARENT_SCOPE)
  endif()
endfunction()
metric(0 fetches 9)
metric(1 fetches 6)
metric(0 reexecuted_blocks 3)
metric(1 reexecuted_blocks 0)
metric(2 reexecuted_blocks "")  # no bound for warps that are formed anew
metric(0 activity_of_thread_block "0[.]67[0-9]*")
metric(0 w1 18)
metric(0 w4 24)
metric(1 w1 0)
metric(0 branches_diverged 3)
metric(1 branches_diverged 4)
metric(0 insertions 0)
metric(1 insertions 9)
metric(1 entries_walked 10)
metric(1 places_max 3)
metric(1 frontier_max 2)
metric(1 temporal_slots 39)
metric(2 temporal_slots "")

says("metrics as CSV" 0 "^kernel,policy,[^\n]*,verdict,fetches,;\nfigure1,tf,39,0,134,[^\n]*,finished,6,"
  run ${figure1} --policy tf --metrics --csv)
says("metrics as text" 0 "\nmetric +pdom +tf\nfetches +9 +6\n" run ${figure1} --policy pdom,tf --metrics)
says("a narrower unit" 0 "\ntemporal_slots +134\n" run ${figure1} --policy serial --metrics --unit 1 --warp-width 3)
says("a wide warp" 0 "\ntf +[0-9]+ " run ${KERNELS}/short_circuit.ptx --launch ${KERNELS}/short_circuit.launch.json
  --policy tf --warp-width 128)
says("a barrier model" 1 "pdom: .*barrier misuse"
  run ${KERNELS}/barrier_exception.ptx --launch ${KERNELS}/barrier_exception.launch.json --barriers uniform)
says("a barrier model that does not fit" 0 "pdom: left out, its lanes cannot wait one by one"
  run ${figure1} --barriers thread-arrival)

# Event traces.
says("events as CSV" 0 "\ntf " run ${figure1} --policy tf --events events.csv)
file(READ ${WORK_DIR}/events.csv csv)
if(NOT csv MATCHES "^kind,step,[^\n]*\nstarted,0,[^\n]*\nissued,0,0,0,0,0,21,f,f,1,1,,,simtflow.events/1,[0-9.]+\n" OR NOT csv MATCHES "\nended,6,39,[^\n]*\n$")
  string(APPEND failures "\nevents as CSV:\n${csv}")
endif()
says("events as JSON" 0 "\ntbc " run ${figure1} --policy tbc --events events.json)
file(READ ${WORK_DIR}/events.json events)
string(JSON process ERROR_VARIABLE problem GET "${events}" traceEvents 0 args name)
string(JSON lane ERROR_VARIABLE problem GET "${events}" traceEvents 1 args name)
string(JSON name ERROR_VARIABLE problem GET "${events}" traceEvents 2 name)
string(JSON colour ERROR_VARIABLE problem GET "${events}" traceEvents 2 cname)
string(JSON schema ERROR_VARIABLE problem GET "${events}" otherData schema)
if(NOT "${process}, ${lane}: ${name} ${schema}" STREQUAL "thread block 0, warp 0, lane 0: BB0 (a) simtflow.events/1")
  string(APPEND failures "\nevents as JSON: ${problem}\n${events}")
endif()
says("events of two policies" 2 "^--events records one policy" run ${figure1} --policy pdom,tf --events two.csv)
says("events in an unknown format" 2 "^two.txt: is neither .csv nor .json" run ${figure1} --policy tf --events two.txt)

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
