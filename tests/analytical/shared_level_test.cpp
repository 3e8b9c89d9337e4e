// What a Func at root leaves in the last level is there for all tasks of its reader, since they share it.
#include "analytical/cost_model.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::estimate;
using test::func;

// Seconds of loads from main memory by the output's stage alone. It reads two megabytes that another Func has stored.
double loaded_from_memory(int cores, int64_t rows_per_task) {
    Var x("x"), y("y");
    ImageParam in(Float(32), 2, "in");
    Halide::Func stored("stored"), out("out");
    stored(x, y) = in(x, y) * 2.0f;
    out(x, y) = stored(x, y) + stored(x + 1, y);
    estimate(in, {1025, 512});
    estimate(out, {1024, 512});
    const BuiltGraph built = test::build({out});
    Machine machine = test::some_machine();
    machine.cores = cores;
    machine.caches.back().size_bytes = 8 << 20;
    machine.caches.back().cores_sharing = cores;
    machine.caches[machine.caches.size() - 2].size_bytes = 256 << 10;
    const StageId o = test::stage(built, out).id;
    const LoopNest nest = test::scheduled(
        built.graph, {action::ComputeRoot{func(built, out).id}, action::Tile{o, 1, {rows_per_task}},
                      action::Parallel{o, 1}, action::ComputeRoot{func(built, stored).id}});
    for (const StageTime &t : CostModel(built.graph, machine).explain(nest).stages)
        if (t.stage == o) return t.raw[static_cast<size_t>(Term::MemoryLoads)];
    throw std::runtime_error("no such stage");
}

TEST(SharedLevel, KeepsForAllTasksWhatAFuncHasStored) {
    for (const int cores : {1, 2, 16, 32})
        for (const int64_t rows : {256, 32, 8})
            EXPECT_EQ(loaded_from_memory(cores, rows), 0) << cores << " cores, " << rows << " rows";
}

}  // namespace
}  // namespace cryolite
