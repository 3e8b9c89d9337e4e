# The apps of this group, in the order of linear_algebra_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_linear_algebra
    mat_mul mat_mul_2048:mat_mul:size=2048 gemm sgemm_1060:gemm:size=1060 three_mm trmm syrk syr2k
    doitgen transpose transpose_mask copy mask saxpy saxpy_1060:saxpy:size=1060)
