// Who shows what the tuner does: a table that renews itself, lines, JSON, or nobody.
#pragma once

#include <memory>
#include <string>

#include "autotune/tune/tune.h"

namespace cryolite::tools {

enum class Show : uint8_t {
    Table,  // for a terminal: written over itself
    Lines,  // for a log
    Json,   // an event per line on standard output
    Nothing
};

// Table in a terminal, else Lines.
Show usual_show();

std::unique_ptr<TuneObserver> make_observer(Show show, const std::string &pipeline);

}  // namespace cryolite::tools
