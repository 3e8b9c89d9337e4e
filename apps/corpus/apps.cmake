# The apps of this group, in the order of corpus_apps.cpp. An entry is NAME, or
# NAME:GENERATOR:KEY=VALUE:... for another size or variant of an app that is listed before.
set(CRYOLITE_APPS_corpus
    blend_program disc_maximum disparity_search colour_chain burst batched_lu game_of_life
    deep_pyramid)
