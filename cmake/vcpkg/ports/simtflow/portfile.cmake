# An overlay port: it packs the sources that it stands in. In a registry, where the sources come from an archive,
# vcpkg_from_github or vcpkg_from_gitlab sets SOURCE_PATH; all else stays.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # header-only

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DSIMTFLOW_BUILD_TESTS=OFF
        -DSIMTFLOW_BUILD_EXAMPLES=OFF
        -DSIMTFLOW_BUILD_BENCH=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/simtflow)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/share/licenses")

# The text that vcpkg would write takes every target for a part of the core: components have to be asked for.
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
