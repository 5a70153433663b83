# SPDX-License-Identifier: BSL-1.0
# Stands for Conan's package of Boost in the test of our package: the headers are the system's.
from conan import ConanFile


class BoostOfTheSystem(ConanFile):
    name = "boost"
    version = "system"
    package_type = "header-library"

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Boost")
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "Boost::headers")
        headers.includedirs = headers.libdirs = headers.bindirs = []
