# The apps of this group, in the order of imaging_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_imaging
    blur unsharp harris bilateral_grid local_laplacian camera_pipe hist iir_blur
    max_filter nl_means interpolate pyramid_blend bgu lens_blur)
