# SPDX-License-Identifier: MIT
#
# A Debian package of what is installed: `./dev package deb`, or `cpack -G DEB` in the build tree.
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
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libhalide${Halide_VERSION_MAJOR}-dev")
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6")
endif()
include(CPack)
