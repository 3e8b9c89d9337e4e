# The names of the apps, in the order of app_list.cpp (tests/apps/app_list_test.cpp compares them).
set(CRYOLITE_APPS
    blur unsharp harris bilateral_grid local_laplacian camera_pipe stencil_chain mat_mul conv_layer
    hist iir_blur)
