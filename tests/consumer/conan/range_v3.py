# SPDX-License-Identifier: BSL-1.0
# Stands for Conan's package of range-v3 in the test of our package: the headers are the system's.
from conan import ConanFile


class RangeV3OfTheSystem(ConanFile):
    name = "range-v3"
    version = "system"
    package_type = "header-library"

    def package_info(self):
        headers = self.cpp_info.components["range-v3"]
        headers.set_property("cmake_target_name", "range-v3::range-v3")
        headers.includedirs = headers.libdirs = headers.bindirs = []
