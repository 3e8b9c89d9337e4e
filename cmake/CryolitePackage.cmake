# SPDX-License-Identifier: MIT
#
# A Debian package of what is installed, and of the Python package where Halide is the system's: `./dev package deb`, or
# `cpack -G DEB` in the build tree.
set(CPACK_PACKAGE_NAME cryolite)
set(CPACK_PACKAGE_VENDOR "the Cryolite authors")
set(CPACK_PACKAGE_CONTACT "the Cryolite authors <noreply@example.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# One package of the plugin and the command, and nothing that is built for other reasons.
set(CPACK_COMPONENTS_ALL plugin tools)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# A Halide of the system's is another package, which the libraries name. One of PyPI's is none: the user has installed
# it.
if(Halide_DIR MATCHES "^/usr/")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libhalide${Halide_VERSION_MAJOR}-dev, python3-halide")
    # `import halide_cryolite`, with links to the rest where the wheel has files.
    set(python_folder "${PROJECT_BINARY_DIR}/debian_python")
    set(package "${python_folder}/halide_cryolite")
    file(REMOVE_RECURSE "${python_folder}")
    file(GLOB sources "${PROJECT_SOURCE_DIR}/plugin/python/halide_cryolite/*.py"
                      "${PROJECT_SOURCE_DIR}/plugin/python/halide_cryolite/py.typed")
    file(COPY ${sources} DESTINATION "${package}")
    file(WRITE "${python_folder}/halide_cryolite-${PROJECT_VERSION}.dist-info/METADATA"
         "Metadata-Version: 2.1\nName: halide-cryolite\nVersion: ${PROJECT_VERSION}\n")
    file(MAKE_DIRECTORY "${package}/bin" "${package}/lib/halide-${Halide_VERSION}" "${package}/lib/cmake/Cryolite")
    set(up ../../../../..)  # from a folder of the package to the prefix
    file(CREATE_LINK ${up}/${CMAKE_INSTALL_BINDIR}/cryolite "${package}/bin/cryolite" SYMBOLIC)
    file(CREATE_LINK ${up}/../${CMAKE_INSTALL_LIBDIR}/libautoschedule_cryolite.so
         "${package}/lib/halide-${Halide_VERSION}/libautoschedule_cryolite.so" SYMBOLIC)
    # A package of CMake's finds its prefix from where it lies.
    foreach(file IN ITEMS CryoliteConfig.cmake CryoliteConfigVersion.cmake)
        file(WRITE "${package}/lib/cmake/Cryolite/${file}"
             "include(\"\${CMAKE_CURRENT_LIST_DIR}/../${up}/../${CMAKE_INSTALL_LIBDIR}/cmake/Cryolite/${file}\")\n")
    endforeach()
    install(DIRECTORY "${python_folder}/" DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)
    list(APPEND CPACK_COMPONENTS_ALL python)
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6")
endif()
include(CPack)
