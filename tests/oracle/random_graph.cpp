#include "tests/oracle/random_graph.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tests/oracle/random_index.h"
#include "tests/oracle/random_loads.h"

namespace cryolite::oracle {

namespace {

// Of any Func, and of the whole pipeline where nothing is recomputed: interpreted in milliseconds.
constexpr double most_points = 1500, most_points_in_all = 6000;

class GraphDrawer {
public:
    explicit GraphDrawer(Random random) : random_(random) {}

    std::optional<RandomGraph> draw() {
        mixes_loops_ = random_.chance(0.25);
        const auto scheduled = static_cast<size_t>(random_.between(1, 6));
        for (size_t i = 0; i < scheduled; i++) {
            const bool output = i == 0 || (i == 1 && random_.chance(0.15));
            add_func("f" + std::to_string(i), output ? FuncRole::Output : FuncRole::Intermediate);
        }
        const size_t inputs = 1 + random_.below(3);
        for (size_t i = 0; i < inputs; i++) add_func("in" + std::to_string(i), FuncRole::Input);
        for (size_t f = 0; f < funcs_.size(); f++) find_readers(FuncId(f), scheduled);
        return finish();
    }

private:
    // --- Funcs and stages ---
    void add_func(const std::string &name, FuncRole role) {
        static constexpr const char *names[] = {"x", "y", "z", "w"};
        Func f;
        f.id = FuncId(funcs_.size());
        f.name = name;
        f.role = role;
        const size_t dims = dimensions();
        for (size_t d = 0; d < dims; d++) {
            f.dims.push_back(names[d]);
            f.storage_order.push_back(static_cast<int>(d));
            f.may_overcompute.push_back(random_.chance(0.5));
        }
        if (random_.chance(0.3)) {
            for (size_t d = dims; d > 1; d--)
                std::swap(f.storage_order[d - 1], f.storage_order[random_.below(d)]);
        }
        const size_t values = random_.chance(0.15) ? 2 + random_.below(2) : 1;
        for (size_t v = 0; v < values; v++) f.values.push_back(type());
        f.root_region.resize(dims);
        f.root_only = role == FuncRole::Output;
        funcs_.push_back(f);
        if (role == FuncRole::Input) return;
        std::vector<StageLoop> loops;
        for (size_t d = 0; d < dims; d++) loops.push_back(pure_loop(d));
        add_stage(loops);
        store_at(stages_.back(), pointwise(stages_.back(), dims));
        const int updates = random_.chance(0.35) ? static_cast<int>(random_.between(1, 2)) : 0;
        for (int i = 0; i < updates; i++) add_update();
        funcs_.back().can_inline = role == FuncRole::Intermediate && updates == 0;
        if (role == FuncRole::Output) funcs_.back().root_region = output_region(dims);
    }

    size_t dimensions() {
        static constexpr size_t counts[] = {1, 2, 2, 2, 2, 3, 3, 4};
        return counts[random_.below(8)];
    }

    ScalarType type() {
        static constexpr ScalarType types[] = {{ScalarType::Kind::Float, 32},
                                               {ScalarType::Kind::Float, 32},
                                               {ScalarType::Kind::UInt, 8},
                                               {ScalarType::Kind::UInt, 16},
                                               {ScalarType::Kind::Float, 64}};
        return types[random_.below(5)];
    }

    Box output_region(size_t dims) {
        static constexpr int64_t large[] = {1, 2, 5, 8, 12, 13, 16, 17, 24, 31, 32, 37, 64, 100};
        static constexpr int64_t small[] = {1, 2, 3, 4, 5, 7, 8};
        Box region;
        for (size_t d = 0; d < dims; d++) {
            const int64_t extent = dims <= 2 ? large[random_.below(14)] : small[random_.below(7)];
            const int64_t min = random_.chance(0.3) ? random_.between(-9, 9) : 0;
            region.push_back({min, min + extent - 1});
        }
        return region;
    }

    static StageLoop pure_loop(size_t d) {
        StageLoop loop;
        loop.name = "xyzw"[d];
        loop.func_dim = static_cast<int>(d);
        return loop;
    }

    StageLoop reduction_loop(size_t n, bool ordered) {
        StageLoop loop;
        loop.name = "r" + std::to_string(n);
        loop.is_reduction = true;
        const int64_t min = random_.chance(0.2) ? random_.between(-3, 3) : 0;
        loop.range = {min, min + random_.between(1, 7) - 1};
        loop.constant_range = random_.chance(0.6);
        loop.reorderable = !ordered;
        loop.parallelizable = loop.vectorizable = false;
        return loop;
    }

    void add_stage(std::vector<StageLoop> loops) {
        Func &f = funcs_.back();
        Stage s;
        s.id = StageId(stages_.size());
        s.func = f.id;
        s.index = static_cast<int>(f.stages.size());
        s.loops = std::move(loops);
        s.ops.at(OpKind::Add, TypeClass::Float32) = static_cast<double>(random_.between(0, 5));
        s.ops.at(OpKind::Multiply, TypeClass::Int16) = static_cast<double>(random_.between(0, 2));
        f.stages.push_back(s.id);
        stages_.push_back(std::move(s));
    }

    // f(x, y) at its own loops: recipes for the dimensions that the stage has pure loops of.
    static std::vector<IndexRecipe> pointwise(const Stage &s, size_t dims) {
        std::vector<IndexRecipe> index(dims);
        for (size_t l = 0; l < s.loops.size(); l++) {
            const int d = s.loops[l].func_dim;
            if (d >= 0) index[static_cast<size_t>(d)].terms = {{static_cast<int>(l), 1}};
        }
        return index;
    }

    void store_at(Stage &s, const std::vector<IndexRecipe> &index) {
        for (size_t v = 0; v < funcs_[s.func.index()].values.size(); v++) {
            Access store;
            store.value = static_cast<int>(v);
            for (const IndexRecipe &r : index)
                store.index.push_back(index_map(r, r.taps[0], s.loops.size()));
            s.stores.push_back(std::move(store));
        }
    }

    // Accumulation over a reduction domain, a scan along a dimension, a write to one slice, or a
    // scatter.
    void add_update() {
        const size_t dims = funcs_.back().dims.size();
        const uint64_t kind = random_.below(4);
        const size_t special = random_.below(dims);  // the dimension that is not walked
        const bool ordered = kind == 1 || kind == 3;
        std::vector<StageLoop> loops;
        for (size_t d = 0; d < dims; d++)
            if (kind == 0 || d != special) loops.push_back(pure_loop(d));
        const size_t reductions = kind == 1 ? 1 : 1 + random_.below(2);
        for (size_t r = 0; r < reductions; r++) {
            // Halide puts them innermost; a reorder by the user's own hand, anywhere.
            const auto place = random_.chance(0.6) ? loops.begin() : loops.end();
            loops.insert(place, reduction_loop(r, ordered));
        }
        add_stage(loops);
        Stage &s = stages_.back();
        s.has_predicate = random_.chance(0.15);
        std::vector<IndexRecipe> written = pointwise(s, dims);
        std::vector<IndexRecipe> read = written;
        if (kind == 1) {
            for (size_t l = 0; l < s.loops.size(); l++)
                if (s.loops[l].is_reduction) written[special].terms = {{static_cast<int>(l), 1}};
            read[special] = written[special];
            read[special].taps = {-1};
        } else if (kind == 2) {
            written[special].taps = read[special].taps = {random_.between(0, 5)};
        } else if (kind == 3) {
            written[special] = read[special] = random_gather(s.loops.size(), random_);
        }
        store_at(s, written);
        // Without the value before, in a plain overwrite.
        const bool reads_itself = kind != 2 || random_.chance(0.5);
        Recipes recipes;
        if (reads_itself) recipes.push_back(read);
        const EdgeId e = add_edge(s.id, funcs_.back().id, recipes);
        for (size_t d = 0; d < dims; d++) {
            RegionBounds &side = edges_[e.index()].region.dims[d];
            side = reads_itself ? hull(side, bounds(written[d])) : bounds(written[d]);
        }
        if (kind == 3) gathered_[e.index()][special] = written[special].gathered;
    }

    // --- reads ---
    void find_readers(FuncId f, size_t scheduled) {
        const bool output = funcs_[f.index()].is_output();
        if (output && !random_.chance(0.3)) return;
        const size_t last = std::min(f.index(), scheduled);
        if (last == 0) return;
        std::vector<StageId> candidates;
        for (const Stage &s : stages_)
            if (s.func.index() < last) candidates.push_back(s.id);
        const size_t wanted = 1 + random_.below(3);
        std::vector<StageId> readers;
        for (size_t i = 0; i < wanted; i++) {
            // Mostly the latest, so that chains grow.
            const size_t back = random_.chance(0.6)
                                    ? random_.below(std::min<size_t>(2, candidates.size()))
                                    : random_.below(candidates.size());
            const StageId s = candidates[candidates.size() - 1 - back];
            if (std::find(readers.begin(), readers.end(), s) == readers.end()) readers.push_back(s);
        }
        for (StageId s : readers) {
            Recipes recipes;
            const size_t alternatives = random_.chance(0.15) ? 2 : 1;
            for (size_t i = 0; i < alternatives; i++) recipes.push_back(indices(s, f));
            add_edge(s, f, recipes);
        }
    }

    std::vector<IndexRecipe> indices(StageId s, FuncId f) {
        const Stage &stage = stages_[s.index()];
        const size_t dims = funcs_[f.index()].dims.size();
        const bool transposed = random_.chance(0.2);
        std::vector<IndexRecipe> index;
        for (size_t d = 0; d < dims; d++) {
            const size_t like = transposed ? dims - 1 - d : d;
            index.push_back(random_index(stage, like, mixes_loops_, random_));
        }
        return index;
    }

    EdgeId add_edge(StageId s, FuncId f, const Recipes &recipes) {
        Edge e;
        e.id = EdgeId(edges_.size());
        e.consumer = s;
        e.producer = f;
        e.is_self = stages_[s.index()].func == f;
        const Func &producer = funcs_[f.index()];
        const Stage &reader = stages_[s.index()];
        for (const std::vector<IndexRecipe> &alternative : recipes) {
            for (const IndexRecipe &r : alternative) {
                steady_ = steady_ && r.divisor == 1;
                tight_ = tight_ && !adds_pure_loops(reader, r);
            }
        }
        gathered_.push_back(add_loads(e, recipes, producer, reader.loops.size(), random_));
        stages_[s.index()].incoming.push_back(e.id);
        if (!e.is_self) funcs_[f.index()].outgoing.push_back(e.id);
        edges_.push_back(e);
        return e.id;
    }

    // --- regions ---
    std::optional<RandomGraph> finish() {
        double sum = 0;
        for (Func &f : funcs_) {
            const StageGraph so_far(funcs_, stages_, edges_, 1);
            for (EdgeId id : f.outgoing) {
                const Edge &e = edges_[id.index()];
                const Stage &s = stages_[e.consumer.index()];
                Intervals loops(s.loops.size());
                so_far.loop_ranges(s, funcs_[s.func.index()].root_region, loops);
                Box needed(f.dims.size());
                e.region.evaluate(loops, needed);
                grow_to_hull(f.root_region, needed);
            }
            so_far.include_self_accesses(f, f.root_region);
            double work = points(f.root_region);
            if (work > most_points) return std::nullopt;
            for (StageId s : f.stages) {
                double of_stage = 1;
                for (const StageLoop &l : stages_[s.index()].loops)
                    of_stage *= static_cast<double>(
                        l.is_reduction ? l.range.extent()
                                       : f.root_region[static_cast<size_t>(l.func_dim)].extent());
                sum += of_stage;
            }
            if (sum > most_points_in_all) return std::nullopt;
            tight_ = tight_ && !widens_what_follows(f);
        }
        for (Stage &s : stages_) divide_operations(s);
        return RandomGraph{StageGraph(funcs_, stages_, edges_, 0x0123456789abcdef), gathered_,
                           tight_, steady_};
    }

    // Some of a stage's operations depend on some of its loops, others follow one of its accesses.
    void divide_operations(Stage &s) {
        OpHistogram left = s.ops;
        const auto take = [&](double most) {
            OperationGroup group;
            double &of = left.at(OpKind::Add, TypeClass::Float32);
            const double taken = std::min(of, most);
            of -= taken;
            if (taken > 0) group.operations.push_back({OpKind::Add, TypeClass::Float32, taken});
            return group;
        };
        OperationGroup some = take(2);
        for (size_t l = 0; l < s.loops.size(); l++) some.depends_on.push_back(random_.chance(0.5));
        if (!some.operations.empty()) s.operation_groups.push_back(some);
        for (size_t e = 0; e < s.incoming.size(); e++) {
            const Edge &edge = edges_[s.incoming[e].index()];
            for (size_t a = 0; a < edge.accesses.size() && !edge.is_self; a++) {
                if (random_.chance(0.4)) continue;
                OperationGroup follows = take(1);
                if (follows.operations.empty()) continue;
                follows.edge = static_cast<int>(e);
                follows.access = static_cast<int>(a);
                follows.function = random_.below(2);
                for (size_t l = 0; l < s.loops.size(); l++) {
                    bool moves = false;
                    for (const IndexMap &m : edge.accesses[a].index) moves |= m.depends_on[l];
                    follows.depends_on.push_back(moves);
                }
                s.operation_groups.push_back(std::move(follows));
            }
        }
        if (left.total() > 0) s.operation_groups.push_back(undivided(left, s.loops.size()));
    }

    // Some update reads or writes beyond its own pure loops in a dimension that a later one walks.
    bool widens_what_follows(const Func &f) const {
        for (size_t k = 1; k < f.stages.size(); k++) {
            for (size_t d = 0; d < f.dims.size(); d++) {
                if (walks(f.stages[k], d)) continue;
                for (size_t later = k + 1; later < f.stages.size(); later++)
                    if (walks(f.stages[later], d)) return true;
            }
        }
        return false;
    }
    bool walks(StageId s, size_t d) const {
        for (const StageLoop &l : stages_[s.index()].loops)
            if (l.func_dim == static_cast<int>(d)) return true;
        return false;
    }

    Random random_;
    std::vector<Func> funcs_;
    std::vector<Stage> stages_;
    std::vector<Edge> edges_;
    std::vector<Box> gathered_;
    bool mixes_loops_ = false;
    bool tight_ = true, steady_ = true;
};

}  // namespace

RandomGraph draw_graph(Random random) {
    for (uint64_t attempt = 0;; attempt++) {
        std::optional<RandomGraph> drawn = GraphDrawer(random.fork("graph", attempt)).draw();
        if (drawn) return std::move(*drawn);
    }
}

}  // namespace cryolite::oracle
