# The apps of this group, in the order of networks_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_networks
    conv_layer
    conv_layer_256:conv_layer:batch=16:channels=64:height=256:width=256
    conv_512:conv_layer:batch=8:channels=16:height=512:width=512
    conv_conv depthwise_separable_conv resnet_bottleneck
    vdsr learned_demosaic attention layer_norm elementwise_chain
    indirect)
