# SPDX-License-Identifier: BSL-1.0
# Conan 2: `conan create . -s compiler.cppstd=20` builds the package and compiles tests/consumer with it; with
# -o '&:boost_graph=True' and -o '&:range_v3=True' the adapters too.
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout
from conan.tools.scm import Version

required_conan_version = ">=2.0"


class SimtflowConan(ConanFile):
    name = "simtflow"
    description = "Control-flow-graph algorithms and SIMT execution models"
    license = "BSL-1.0"
    topics = ("compiler", "control-flow-graph", "dominators", "gpu", "simt", "ptx", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # What the headers under simtflow/interop adapt; the core needs the standard library only.
    options = {"boost_graph": [True, False], "range_v3": [True, False]}
    default_options = {"boost_graph": False, "range_v3": False}
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/consumer"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "simtflow", "version.hpp"))
        self.version = ".".join(
            re.search(rf"#define SIMTFLOW_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH")
        )

    def layout(self):
        basic_layout(self)

    def requirements(self):
        if self.options.boost_graph:
            self.requires("boost/1.86.0")
        if self.options.range_v3:
            self.requires("range-v3/0.12.0")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.compiler == "msvc":
            raise ConanInvalidConfiguration("simtflow has never been compiled by MSVC: use gcc or clang")
        oldest = {"gcc": "12", "clang": "14", "apple-clang": "15"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(
                f"simtflow needs {self.settings.compiler} {oldest} or later, not {self.settings.compiler.version}"
            )

    def build(self):
        pass

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "simtflow")
        # Elsewhere simtflow.pc is the core, so it is here; what requires the adapters' libraries too has another name.
        self.cpp_info.set_property("pkg_config_name", "simtflow-all")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        core = self.cpp_info.components["simtflow"]
        core.set_property("cmake_target_name", "simtflow::simtflow")
        core.set_property("pkg_config_name", "simtflow")
        core.bindirs = []
        core.libdirs = []
        for option, needs in (("boost_graph", "boost::headers"), ("range_v3", "range-v3::range-v3")):
            if self.options.get_safe(option):
                component = self.cpp_info.components[option]
                component.set_property("cmake_target_name", f"simtflow::{option}")
                component.set_property("pkg_config_name", f"simtflow-{option}")
                component.requires = ["simtflow", needs]
                component.includedirs = []
                component.bindirs = []
                component.libdirs = []
