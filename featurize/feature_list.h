// The one table of features, as an X macro. schema.h makes indices, names, documents and the hash of it.
// A row is X(name, unit, scope, target, transform, exactness, version, doc). schema.cpp's document explains the words
// that the docs use (task, core, production, ...). Raise a row's version when its meaning changes and its name stays.
#pragma once

#include "featurize/feature_lists/algorithm.h"
#include "featurize/feature_lists/any_target.h"
#include "featurize/feature_lists/cpu.h"
#include "featurize/feature_lists/gpu.h"
#include "featurize/feature_lists/thesis.h"

// Short forms of a row for the lists. A number at the end of a name is the version.
#define CRYOLITE_ALGORITHM(X, name, unit, transform, doc) \
    X(name, unit, Algorithm, Both, transform, Exact, 1, doc)
#define CRYOLITE_SCHEDULE(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Both, transform, exactness, 1, doc)
#define CRYOLITE_SCHEDULE_2(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Both, transform, exactness, 2, doc)
#define CRYOLITE_CPU(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Cpu, transform, exactness, 1, doc)
#define CRYOLITE_CPU_2(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Cpu, transform, exactness, 2, doc)
#define CRYOLITE_GPU(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Gpu, transform, exactness, 1, doc)
#define CRYOLITE_GPU_2(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Gpu, transform, exactness, 2, doc)

#define CRYOLITE_FEATURES(X)             \
    CRYOLITE_ALGORITHM_FEATURES(X)       \
    CRYOLITE_COMMON_SCHEDULE_FEATURES(X) \
    CRYOLITE_CPU_FEATURES(X)             \
    CRYOLITE_THESIS_FEATURES(X)          \
    CRYOLITE_GPU_FEATURES(X)
