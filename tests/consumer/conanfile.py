# SPDX-License-Identifier: BSL-1.0
# `conan create` builds this to check the package: the same consumer project as in every other way, with the components
# that the package's options select.
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class SimtflowTestConan(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps"
    test_type = "explicit"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def components(self):
        options = self.dependencies["simtflow"].options
        return [name for name in ("boost_graph", "range_v3") if options.get_safe(name)]

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # else CMakeUserPresets.json is written beside this file
        toolchain.cache_variables["EXPECTED_VERSION"] = str(self.dependencies["simtflow"].ref.version)
        toolchain.cache_variables["PACKAGED_BY"] = "conan"
        toolchain.cache_variables["COMPONENTS"] = ";".join(self.components())
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ["consumer"] + [f"consumer-{name}" for name in self.components()]:
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
