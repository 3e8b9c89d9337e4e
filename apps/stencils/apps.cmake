# The apps of this group, in the order of stencils_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_stencils
    stencil_chain jacobi
    jacobi_f1:jacobi:fused=1
    jacobi_f2:jacobi:fused=2
    jacobi_f10:jacobi:fused=10
    jacobi_f20:jacobi:fused=20
    jacobi_8000_f5:jacobi:fused=5:size=8000
    jacobi_16000_f5:jacobi:fused=5:size=16000
    heat2d)
