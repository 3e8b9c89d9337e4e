// Small StageGraphs made by hand, with region programs as the builder would write them, so that the
// schedule room is tested without compiling a pipeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/facts/spared_points.h"
#include "graph/stage_graph.h"

namespace cryolite::testing {

// The index range of a load in one dimension: floor((scale * loop + low) / divisor) ..
// floor((scale * loop + high) / divisor). No loop: the constants low .. high.
struct Index {
    int loop = -1;
    int64_t low = 0;
    int64_t high = 0;
    int64_t scale = 1;
    int64_t divisor = 1;
};
// Anywhere in the producer.
inline constexpr int64_t anywhere = RegionExpression::unbounded;

class GraphMaker {
public:
    // Funcs in the order of their ids: readers first, inputs last. Names its loops after the dims.
    FuncId func(const std::string &name, const std::vector<std::string> &dims,
                FuncRole role = FuncRole::Intermediate, std::optional<Box> region = std::nullopt) {
        Func f;
        f.id = FuncId(funcs_.size());
        f.name = name;
        f.role = role;
        f.dims = dims;
        f.values = {ScalarType{ScalarType::Kind::Float, 32}};
        for (size_t d = 0; d < dims.size(); d++) f.storage_order.push_back(static_cast<int>(d));
        f.root_region = region.value_or(Box(dims.size()));
        f.can_inline = role == FuncRole::Intermediate;
        f.root_only = role == FuncRole::Output;
        f.may_overcompute.assign(dims.size(), false);
        funcs_.push_back(f);
        if (role != FuncRole::Input) {
            std::vector<StageLoop> loops;
            for (size_t d = 0; d < dims.size(); d++)
                loops.push_back(pure(dims[d], static_cast<int>(d)));
            stage(f.id, loops);
        }
        return f.id;
    }

    static StageLoop pure(const std::string &name, int func_dim) {
        StageLoop loop;
        loop.name = name;
        loop.func_dim = func_dim;
        return loop;
    }
    // A reduction loop over [0, extent); `ordered`: it may neither move nor run in parallel.
    static StageLoop reduction(const std::string &name, int64_t extent, bool ordered,
                               bool constant = true) {
        StageLoop loop;
        loop.name = name;
        loop.is_reduction = true;
        loop.range = {0, extent - 1};
        loop.constant_range = constant;
        loop.reorderable = !ordered;
        loop.parallelizable = loop.vectorizable = false;
        return loop;
    }

    // The next stage of a Func: after the pure one that func() has made, an update.
    StageId stage(FuncId f, std::vector<StageLoop> loops) {
        Stage s;
        s.id = StageId(stages_.size());
        s.func = f;
        s.index = static_cast<int>(funcs_[f.index()].stages.size());
        s.loops = std::move(loops);
        if (s.index > 0) funcs_[f.index()].can_inline = false;
        stages_.push_back(s);
        funcs_[f.index()].stages.push_back(s.id);
        return s.id;
    }
    StageId pure_stage(FuncId f) const { return funcs_[f.index()].stages[0]; }

    void reads(StageId consumer, FuncId producer, const std::vector<Index> &index) {
        Edge e;
        e.id = EdgeId(edges_.size());
        e.consumer = consumer;
        e.producer = producer;
        e.is_self = stages_[consumer.index()].func == producer;
        for (const Index &i : index) e.region.dims.push_back(bounds(i));
        stages_[consumer.index()].incoming.push_back(e.id);
        if (!e.is_self) funcs_[producer.index()].outgoing.push_back(e.id);
        edges_.push_back(std::move(e));
    }
    void reads(FuncId consumer, FuncId producer, const std::vector<Index> &index) {
        reads(pure_stage(consumer), producer, index);
    }
    Func &edit(FuncId f) { return funcs_[f.index()]; }
    Stage &edit(StageId s) { return stages_[s.index()]; }
    // Point by point; the index in dimension 0 may be kept in bounds.
    void give_last_edge_an_access(Clamp clamp) {
        Edge &e = edges_.back();
        const size_t loops = stages_[e.consumer.index()].loops.size();
        Access access;
        for (size_t d = 0; d < e.region.dims.size(); d++) {
            IndexMap map;
            map.coefficient.resize(loops);
            map.coefficient[d] = {1, 1};
            map.depends_on.resize(loops);
            map.depends_on[d] = true;
            access.index.push_back(map);
        }
        access.index[0].clamp = clamp;
        e.accesses = {access};
    }

    // Of a Func of one dimension, by one loop or, if none is given, at one place.
    void give_last_edge_an_access_along(std::optional<size_t> loop) {
        Edge &e = edges_.back();
        const size_t loops = stages_[e.consumer.index()].loops.size();
        IndexMap map;
        map.coefficient.resize(loops);
        map.depends_on.resize(loops);
        if (loop) {
            map.coefficient[*loop] = {1, 1};
            map.depends_on[*loop] = true;
        }
        Access access;
        access.index.push_back(map);
        e.accesses = {access};
    }

    // Derives the root regions of what has none, from readers to producers.
    StageGraph finish() {
        for (Func &f : funcs_) {
            bool given = f.dims.empty();
            for (const Interval &i : f.root_region) given |= !i.empty();
            if (given) continue;
            const StageGraph so_far(funcs_, stages_, edges_, 1);
            Box needed(f.dims.size());
            for (EdgeId id : f.outgoing) {
                const Edge &e = edges_[id.index()];
                const Stage &s = stages_[e.consumer.index()];
                Intervals loops(s.loops.size());
                so_far.loop_ranges(s, funcs_[s.func.index()].root_region, loops);
                e.region.evaluate(loops, needed);
                grow_to_hull(f.root_region, needed);
            }
            so_far.include_self_accesses(f, f.root_region);
        }
        find_spared_points(funcs_, stages_, edges_);
        return StageGraph(funcs_, stages_, edges_, 0x0123456789abcdef);
    }

private:
    static RegionExpression side(const Index &i, RegionOp end, int64_t offset) {
        if (offset == anywhere || offset == -anywhere || i.loop < 0) {
            return RegionExpression::constant(offset);
        }
        return RegionExpression({{end, i.loop},
                                 {RegionOp::Constant, i.scale},
                                 {RegionOp::Mul},
                                 {RegionOp::Constant, offset},
                                 {RegionOp::Add},
                                 {RegionOp::Constant, i.divisor},
                                 {RegionOp::Div}});
    }
    static RegionBounds bounds(const Index &i) {
        return {side(i, RegionOp::LoopMin, i.low), side(i, RegionOp::LoopMax, i.high)};
    }

    std::vector<Func> funcs_;
    std::vector<Stage> stages_;
    std::vector<Edge> edges_;
};

// out(x, y) = sum of blur_x(x, y-1..y+1); blur_x(x, y) = sum of in(x-1..x+1, y).
inline StageGraph blur_graph(int64_t width = 640, int64_t height = 480) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, width - 1}, {0, height - 1}});
    const FuncId blur_x = make.func("blur_x", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, blur_x, {{0}, {1, -1, 1}});
    make.reads(blur_x, in, {{0, -1, 1}, {1}});
    return make.finish();
}

// out(x, y) = fine(x, y) - up(x, y); up(x, y) = coarse(x/2 .. (x+1)/2, y/2 .. (y+1)/2);
// coarse(x, y) = fine(2x-1 .. 2x+1, 2y-1 .. 2y+1); fine reads the input point by point.
inline StageGraph pyramid_graph(int64_t size = 256) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, size - 1}, {0, size - 1}});
    const FuncId up = make.func("up", {"x", "y"});
    const FuncId coarse = make.func("coarse", {"x", "y"});
    const FuncId fine = make.func("fine", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, up, {{0}, {1}});
    make.reads(out, fine, {{0}, {1}});
    make.reads(up, coarse, {{0, 0, 1, 1, 2}, {1, 0, 1, 1, 2}});
    make.reads(coarse, fine, {{0, -1, 1, 2}, {1, -1, 1, 2}});
    make.reads(fine, in, {{0}, {1}});
    return make.finish();
}

// out(x, y) = turned(y, x) + turned(y, x+1); turned reads the input.
inline StageGraph transpose_graph() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 49}});
    const FuncId turned = make.func("turned", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, turned, {{1}, {0, 0, 1}});
    make.reads(turned, in, {{0}, {1}});
    return make.finish();
}

// out(x, y) = product(x, y) + 1; product(x, y) = 0; product(x, y) += a(k, y) * b(x, k), k < 64, with
// scaled(x, k) = b(x, k) * 2 between.
inline StageGraph matmul_graph(int64_t size = 128) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, size - 1}, {0, size - 1}});
    const FuncId product = make.func("product", {"x", "y"});
    const FuncId scaled = make.func("scaled", {"x", "y"});
    const FuncId a = make.func("a", {"k", "y"}, FuncRole::Input);
    const FuncId b = make.func("b", {"x", "k"}, FuncRole::Input);
    const StageId update = make.stage(product, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1),
                                                GraphMaker::reduction("k", 64, false)});
    make.reads(out, product, {{0}, {1}});
    make.reads(update, product, {{0}, {1}});
    make.reads(update, scaled, {{0}, {2}});
    make.reads(update, a, {{2}, {1}});
    make.reads(scaled, b, {{0}, {1}});
    return make.finish();
}

// out(x) = histogram(anywhere); histogram(i) = 0; histogram(clamped bright(r.x, r.y)) += 1, in order
// r.y outside r.x; bright reads the input. scan(x, y): scan(x, r) += scan(x, r-1) + bright(x, r).
inline StageGraph histogram_graph() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 31}});
    const FuncId histogram = make.func("histogram", {"i"}, FuncRole::Intermediate, Box{{0, 255}});
    const FuncId scan = make.func("scan", {"x", "y"});
    const FuncId bright = make.func("bright", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    const StageId count = make.stage(histogram, {GraphMaker::reduction("r.x", 64, true, false),
                                                 GraphMaker::reduction("r.y", 32, true, false)});
    const StageId sum =
        make.stage(scan, {GraphMaker::pure("x", 0), GraphMaker::reduction("r", 32, true)});
    make.reads(out, histogram, {{-1, -anywhere, anywhere}});
    make.reads(out, scan, {{0}, {1}});
    make.reads(count, histogram, {{-1, 0, 255}});
    make.reads(count, bright, {{0}, {1}});
    make.reads(sum, scan, {{0}, {1, -1, 0}});
    make.reads(sum, bright, {{0}, {1}});
    make.reads(bright, in, {{0}, {1}});
    return make.finish();
}

}  // namespace cryolite::testing
