# SPDX-License-Identifier: BSL-1.0
# The component lab of an installed copy: simtflow-lab, its library with the headers for parts of one's own, and the
# shipped kernels. `cmake --install BUILD --component lab` adds it to a prefix; nothing else installs it, because all
# other files are the same for every architecture.
set_target_properties(simtflow-lab-library simtflow-ptx PROPERTIES EXCLUDE_FROM_ALL OFF)
set_target_properties(simtflow-ptx PROPERTIES EXPORT_NAME lab_ptx)
set(of_lab COMPONENT lab EXCLUDE_FROM_ALL)
install(TARGETS simtflow-lab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${of_lab})
install(TARGETS simtflow-lab-library simtflow-ptx EXPORT simtflow-lab-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${of_lab})
install(EXPORT simtflow-lab-targets NAMESPACE simtflow:: DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/simtflow ${of_lab})
foreach(header IN ITEMS lab.hpp cli/tool.hpp launch_file.hpp own_columns.hpp references.hpp)
  get_filename_component(folder lab/${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/examples/lab/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/simtflow-lab/${folder} ${of_lab})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/kernels/ DESTINATION ${CMAKE_INSTALL_DATADIR}/simtflow/kernels
  ${of_lab} FILES_MATCHING PATTERN "*.ptx" PATTERN "*.json")
