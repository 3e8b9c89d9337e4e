// Bytes, cache lines and streams that the stage reads and writes, from one vector up to one core's part.
#include <algorithm>

#include "featurize/rows/cpu_features.h"

namespace cryolite {
namespace {

struct Amount {
    double bytes = 0, lines = 0;
    void operator+=(const Amount &o) {
        bytes += o.bytes;
        lines += o.lines;
    }
};

struct Sums {
    Amount inputs, intermediates, stores;
};

// In the table the six features of a level follow each other.
constexpr size_t per_level = 6;
static_assert(index(Feature::lines_stored_per_vector) ==
              index(Feature::input_bytes_read_per_vector) + per_level - 1);
static_assert(index(Feature::input_bytes_read_per_core) ==
              index(Feature::input_bytes_read_per_vector) + 6 * per_level);

void put(const StageContext &c, Feature first, const Sums &sums) {
    const size_t i = index(first);
    c.row[i] = sums.inputs.bytes;
    c.row[i + 1] = sums.inputs.lines;
    c.row[i + 2] = sums.intermediates.bytes;
    c.row[i + 3] = sums.intermediates.lines;
    c.row[i + 4] = sums.stores.bytes;
    c.row[i + 5] = sums.stores.lines;
}

class Touches {
public:
    explicit Touches(const StageContext &c) : c_(c), line_(c.machine.line_bytes()) {}

    // Sums over `times` runs of stack loop p. They are no more than the kernel's whole run touches.
    Sums sums(size_t p, double times = 1) const {
        Sums s;
        for (const Accesses &a : c_.work.reads) {
            if (!is_read(a)) continue;
            const bool input = c_.graph.func(a.producer).is_input();
            (input ? s.inputs : s.intermediates) += amount(a, p, times);
        }
        s.stores += amount(c_.work.stores, p, times);
        return s;
    }

    double streams(size_t p) const {
        double streams = c_.work.stores.touched[p].streams;
        for (const Accesses &a : c_.work.reads)
            if (is_read(a)) streams += a.touched[p].streams;
        return streams;
    }

private:
    // An update has an edge to its own Func even if it does not read it.
    bool is_read(const Accesses &a) const {
        if (a.producer != c_.func.id) return true;
        const auto &loads = c_.work.code->body->loads;
        return std::any_of(loads.begin(), loads.end(),
                           [](const LoadGroup &l) { return l.is_self; });
    }

    Amount amount(const Accesses &a, size_t p, double times) const {
        const Touched &run = a.touched[p], &all = a.touched[0];
        return {std::min(run.unique_bytes * times, std::max(all.unique_bytes, run.unique_bytes)),
                std::min(run.bytes * times, std::max(all.bytes, run.bytes)) / line_};
    }

    const StageContext &c_;
    const double line_;
};

}  // namespace

void touched_features(const StageContext &c) {
    const StageLevels &l = c.levels;
    const Touches touches(c);
    const Sums task = touches.sums(l.task);
    // Levels often coincide.
    size_t last = l.task;
    Sums sums = task;
    const auto at = [&](size_t p) {
        if (p != last) sums = touches.sums(p);
        last = p;
        return sums;
    };
    put(c, Feature::input_bytes_read_per_task, task);
    put(c, Feature::input_bytes_read_per_realisation, at(l.realisation));
    put(c, Feature::input_bytes_read_per_production, at(l.production));
    put(c, Feature::input_bytes_read_per_innermost_run, at(l.innermost_run));
    put(c, Feature::input_bytes_read_per_register_block, at(l.register_block));
    put(c, Feature::input_bytes_read_per_vector, at(l.vector));
    const Tasks &tasks = c.tasks;
    put(c, Feature::input_bytes_read_per_core,
        touches.sums(l.task, tasks.per_core(c.machine.cores)));

    const TouchedByRun &stores = c.work.stores.touched;
    const auto run_length = [&](size_t p) {
        return stores[p].unique_bytes / std::max(1.0, stores[p].streams);
    };
    c.at(Feature::streams_per_innermost_run) = touches.streams(l.innermost_run);
    c.at(Feature::streams_per_task) = touches.streams(l.task);
    c.at(Feature::contiguous_bytes_stored_per_production) = run_length(l.production);
    c.at(Feature::contiguous_bytes_stored_per_task) = run_length(l.task);
    const double read_streams = touches.streams(l.task) - stores[l.task].streams;
    c.at(Feature::contiguous_bytes_read_per_task) =
        (task.inputs.bytes + task.intermediates.bytes) / std::max(1.0, read_streams);
    // Tasks share no line of a Func that is stored inside of them.
    if (tasks.total() > 1 && l.realisation < l.task)
        c.at(Feature::shared_line_share) =
            std::min(1.0, 2 * stores[l.task].streams / std::max(1.0, task.stores.lines));
}

}  // namespace cryolite
