# The apps of this group, in the order of vision_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_vision
    cvt_color gaussian convolution warp_affine resize nb rgb_yuv420 edge_detector)
