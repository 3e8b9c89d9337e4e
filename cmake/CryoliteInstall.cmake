# SPDX-License-Identifier: MIT
# The install tree: the plugin and a CMake package, so that a user's project says
#   find_package(Cryolite)
#   add_halide_library(x FROM generator AUTOSCHEDULER Cryolite::Cryolite)
# The package is written by hand and not exported: Halide's helper only needs the module's path and
# a target whose name after :: is the autoscheduler's.
if(NOT TARGET autoschedule_cryolite)
    message(STATUS "plugin/ is not built here: nothing to install")
    return()
endif()

# In a project that has Cryolite as a part of it, the same names as in one that has found it.
add_library(Cryolite::Cryolite ALIAS autoschedule_cryolite)
if(TARGET cryolite)
    add_executable(Cryolite::cryolite ALIAS cryolite)
    include(CryoliteTune)
endif()
if(NOT CRYOLITE_INSTALL)
    return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/Cryolite")

# Halide is already loaded when the plugin is: its path does not belong into an installed file.
set_target_properties(autoschedule_cryolite PROPERTIES INSTALL_RPATH "")
install(TARGETS autoschedule_cryolite LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT plugin)
set(library_folder "${CMAKE_INSTALL_LIBDIR}")
set(program_folder "${CMAKE_INSTALL_BINDIR}")
set(CRYOLITE_HALIDE_VERSIONS "${Halide_VERSION}")
set(CRYOLITE_PLUGIN libautoschedule_cryolite.so)
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/CryoliteConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/CryoliteConfig.cmake"
    INSTALL_DESTINATION "${package_directory}"
    PATH_VARS library_folder program_folder)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/CryoliteConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/CryoliteConfig.cmake"
              "${PROJECT_BINARY_DIR}/CryoliteConfigVersion.cmake"
        DESTINATION "${package_directory}" COMPONENT plugin)

# The programs. The plugin is found in the folder of libraries beside theirs.
if(TARGET cryolite)
    install(TARGETS cryolite RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()
install(TARGETS cryolite_runner RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)

# Where there is an LLVM for it; the package offers its function when it finds it installed.
if(TARGET nontemporal_tool)
    set_target_properties(nontemporal_tool PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS nontemporal_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
            COMPONENT nontemporal)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/CryoliteNonTemporal.cmake"
            DESTINATION "${package_directory}" COMPONENT nontemporal)
endif()

# cryolite_tune(), for those who build the tools.
if(TARGET cryolite)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/CryoliteTune.cmake"
            DESTINATION "${package_directory}" COMPONENT tools)
endif()
