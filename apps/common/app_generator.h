// What every app's generator includes: Halide, and the base class that turns an algorithm with
// estimates and two hand-written schedules into a generator with a `schedule` parameter.
#pragma once

#include <Halide.h>

#include "apps/common/plain_schedule.h"
#include "apps/common/schedule_variant.h"

namespace cryolite::apps {

// An algorithm is written in Halide's language; qualifying each word of it would hide the formulas.
using namespace Halide;  // NOLINT(google-build-using-namespace)

// Base of `class Name : public App<Name>`. Name gives, besides its inputs and outputs,
//   void generate();    the algorithm
//   void estimates();   of every input, output and scalar: the size that the literature uses
//   void manual_cpu();  what an expert would write
//   void manual_gpu();  the same for a target with a GPU feature
template <typename Derived>
class App : public Generator<Derived> {
public:
    GeneratorParam<ScheduleVariant> variant{"schedule", ScheduleVariant::Manual,
                                            schedule_variant_names()};

    void schedule() {
        auto &app = static_cast<Derived &>(*this);
        app.estimates();
        if (this->using_autoscheduler()) {
            return;
        }
        if (variant == ScheduleVariant::Root) {
            schedule_plain(this->get_pipeline().outputs(), this->get_target());
        } else if (this->get_target().has_gpu_feature()) {
            app.manual_gpu();
        } else {
            app.manual_cpu();
        }
    }
};

}  // namespace cryolite::apps
