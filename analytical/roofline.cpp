#include "analytical/roofline.h"

#include <set>
#include <utility>
#include <vector>

#include "analytical/cycles/arithmetic_cycles.h"
#include "analytical/cycles/dot_products.h"
#include "analytical/gpu/stage_terms.h"

namespace cryolite {
namespace {

// [StageId]: the share of the stage's points, with its Func at root, that some reader needs. A reader comes before the
// Funcs that it reads.
std::vector<double> needed_shares(const StageGraph &graph) {
    std::vector<double> shares(graph.stages().size(), 0), points(graph.stages().size(), 0);
    for (const Func &f : graph.funcs()) {
        if (f.is_input()) continue;
        double reads = 0;
        for (EdgeId e : f.outgoing) {
            const Edge &edge = graph.edge(e);
            reads += points[edge.consumer.index()] * static_cast<double>(edge.accesses.size());
        }
        const double share = f.is_output() || f.is_extern
                                 ? 1
                                 : std::min(1.0, reads / cryolite::points(f.root_region));
        for (StageId s : f.stages) {
            const Stage &stage = graph.stage(s);
            if (stage.is_undefined) continue;
            Intervals ranges(stage.loops.size());
            graph.loop_ranges(stage, f.root_region, ranges);
            shares[s.index()] = share;
            points[s.index()] = share * stage.passing_share;
            for (const Interval &r : ranges) points[s.index()] *= static_cast<double>(r.extent());
        }
    }
    return shares;
}

// Adds how often each operation of the stage is done at least. Operations leave the loops that they do not depend on.
// A function of one value of another Func is computed once.
void add_least_operations(const StageGraph &graph, const Stage &stage, double share,
                          OpHistogram &all) {
    Intervals ranges(stage.loops.size());
    graph.loop_ranges(stage, graph.func(stage.func).root_region, ranges);
    std::set<std::pair<FuncId, uint64_t>> made;
    for (const OperationGroup &g : stage.operation_groups) {
        if (g.follows_call()) {
            const EdgeId e = stage.incoming[static_cast<size_t>(g.edge)];
            if (!made.insert({graph.edge(e).producer, g.function}).second) continue;
        }
        double times = g.of_predicate ? share : share * stage.passing_share;
        for (size_t l = 0; l < ranges.size(); l++) {
            if (g.depends_on[l]) times *= static_cast<double>(ranges[l].extent());
            if (!g.kept_share.empty()) times *= g.kept_share[l];
        }
        for (const OperationCount &o : g.operations) all.at(o.kind, o.type) += times * o.count;
    }
}

// How often the stage's value is computed at least.
double least_points(const StageGraph &graph, const Stage &stage, double share) {
    Intervals ranges(stage.loops.size());
    graph.loop_ranges(stage, graph.func(stage.func).root_region, ranges);
    double all = share * stage.passing_share;
    for (const Interval &r : ranges) all *= static_cast<double>(r.extent());
    return all;
}

// The operations of all stages on a machine, in the cycles of full vectors.
double least_cycles(const StageGraph &graph, const Machine &machine) {
    const std::vector<double> shares = needed_shares(graph);
    OpHistogram all;
    double dot_lanes = 0;
    for (const Stage &s : graph.stages()) {
        const double share = shares[s.id.index()];
        if (share <= 0) continue;
        OpHistogram own;
        add_least_operations(graph, s, share, own);
        const int products = s.dot ? dot_points(machine, *s.dot) : 1;
        if (products > 1) {
            // One instruction converts, multiplies and adds up several products.
            const double points = least_points(graph, s, share);
            dot_lanes += points / products;
            for (OpKind kind : {OpKind::Multiply, OpKind::Add}) {
                double &count = own.at(kind, TypeClass::Int32);
                count = std::max(0.0, count - points);
            }
            own.at(OpKind::Cast, TypeClass::Int32) = 0;
        }
        all.add_scaled(own, 1);
    }
    // As many lanes as a vector has of the narrowest elements, so that every type fills whole vectors.
    const int lanes = machine.vector_bytes;
    constexpr int sum_bytes = 4;
    return arithmetic_cycles(machine, all, lanes) / lanes +
           dot_lanes * sum_bytes / machine.vector_bytes * machine.vector.integer_multiply_16;
}

OpHistogram least_operations(const StageGraph &graph) {
    const std::vector<double> shares = needed_shares(graph);
    OpHistogram all;
    for (const Stage &s : graph.stages())
        if (shares[s.id.index()] > 0) add_least_operations(graph, s, shares[s.id.index()], all);
    return all;
}

double compulsory_bytes(const StageGraph &graph) {
    double bytes = 0;
    for (FuncId f : graph.inputs_and_outputs())
        bytes += points(graph.func(f).root_region) * graph.func(f).bytes_per_point();
    return bytes;
}

}  // namespace

Roofline roofline(const StageGraph &graph, const Machine &machine) {
    const double cycles = least_cycles(graph, machine);
    const double bytes = compulsory_bytes(graph);
    const CacheLevel *last = machine.caches.empty() ? nullptr : &machine.caches.back();
    const bool cached = last && bytes <= static_cast<double>(last->size_bytes);
    // If no total is known, the bandwidth of one core is the best estimate.
    const double bandwidth =
        !cached ? machine.memory_total_bytes_per_cycle
                : std::max(last->total_bytes_per_cycle, last->core_bytes_per_cycle);
    return {machine.cycles_to_seconds(cycles / machine.cores),
            machine.cycles_to_seconds(bytes / bandwidth)};
}

Roofline roofline(const StageGraph &graph, const gpu::GpuDevice &device) {
    const double cycles =
        gpu::warp_cycles(least_operations(graph), device.speeds) / device.limits.threads_per_warp;
    return {cycles / (device.sm_count * device.speeds.hertz),
            compulsory_bytes(graph) /
                (device.speeds.memory_bytes_per_second * device.speeds.memory_share)};
}

}  // namespace cryolite
