#include "tests/oracle/expansion.h"

#include <set>
#include <tuple>

#include "base/random.h"

namespace cryolite::oracle {

namespace field {

uint64_t add(uint64_t a, uint64_t b) { return (a + b) % prime; }

uint64_t subtract(uint64_t a, uint64_t b) { return add(a, prime - b); }

uint64_t multiply(uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}

uint64_t from(int64_t v) {
    return v >= 0 ? static_cast<uint64_t>(v) : prime - static_cast<uint64_t>(-v);
}

uint64_t from(Rational r) {
    // 1 / d = d^(prime - 2).
    uint64_t inverse = 1;
    uint64_t base = from(r.denominator);
    for (uint64_t exponent = prime - 2; exponent > 0; exponent /= 2, base = multiply(base, base))
        if (exponent % 2 == 1) inverse = multiply(inverse, base);
    return multiply(from(r.numerator), inverse);
}

}  // namespace field

std::tuple<FuncId, int, Place> ExpandedLoad::after(size_t l, int iterations) const {
    Place there = at;
    const uint64_t times = field::from(int64_t{iterations});
    for (size_t d = 0; d < steps[l].size(); d++)
        there[d] = field::add(at[d], field::multiply(times, steps[l][d]));
    if (!known) there.push_back(times);  // no two iterations of a gather are known to agree
    return {func, value, std::move(there)};
}

namespace {

// What a loop of the stage or of an inlined one stands for.
struct LoopValue {
    uint64_t at = 0;
    std::vector<uint64_t> steps;  // by loop of the stage
    std::vector<bool> moves;
    bool known = true;
};

class Expander {
public:
    Expander(const LoopNest &nest, const Stage &stage)
        : nest_(nest), graph_(nest.graph()), num_loops_(stage.loops.size()) {
        Random random(7);
        std::vector<LoopValue> loops(num_loops_);
        for (size_t l = 0; l < num_loops_; l++) {
            loops[l].at = random.below(field::prime);
            loops[l].steps.resize(num_loops_);
            loops[l].steps[l] = 1;
            loops[l].moves.resize(num_loops_);
            loops[l].moves[l] = true;
        }
        result_.ops = stage.ops;
        visit(stage, loops);
    }

    Expansion result() { return std::move(result_); }

private:
    LoopValue index(const IndexMap &map, const std::vector<LoopValue> &loops) const {
        LoopValue v;
        v.steps.resize(num_loops_);
        v.moves.resize(num_loops_);
        v.known = map.affine;
        v.at = field::from(map.offset);
        for (size_t l = 0; l < loops.size(); l++) {
            if (!map.depends_on[l]) continue;
            v.known = v.known && loops[l].known;
            const uint64_t c = map.affine ? field::from(map.coefficient[l]) : 0;
            v.at = field::add(v.at, field::multiply(c, loops[l].at));
            for (size_t k = 0; k < num_loops_; k++) {
                v.steps[k] = field::add(v.steps[k], field::multiply(c, loops[l].steps[k]));
                v.moves[k] = v.moves[k] || loops[l].moves[k];
            }
        }
        return v;
    }

    // Every group of operations at the values of the loops that it depends on, or of what it follows.
    void compute(const Stage &s, const std::vector<LoopValue> &loops) {
        for (size_t i = 0; i < s.operation_groups.size(); i++) {
            const OperationGroup &group = s.operation_groups[i];
            std::vector<LoopValue> at;
            // 2: no tuple has so many values.
            int kind = 2 + static_cast<int>(2 * i);
            FuncId name(s.id.index());
            if (group.follows_call()) {
                const Edge &edge = graph_.edge(s.incoming[static_cast<size_t>(group.edge)]);
                const Access &a = edge.accesses[static_cast<size_t>(group.access)];
                for (const IndexMap &map : a.index) at.push_back(index(map, loops));
                kind = 1000 + 100 * a.value + static_cast<int>(group.function);
                name = edge.producer;
            } else {
                for (size_t l = 0; l < loops.size(); l++)
                    if (group.depends_on[l]) at.push_back(loops[l]);
            }
            ExpandedComputation c{load_at(name, kind, at), {}};
            for (const OperationCount &o : group.operations) c.ops.at(o.kind, o.type) += o.count;
            if (computed_.insert({c.of.func, c.of.value, c.of.known, c.of.at}).second)
                result_.computations.push_back(std::move(c));
        }
    }

    void visit(const Stage &s, const std::vector<LoopValue> &loops) {
        compute(s, loops);
        for (EdgeId id : s.incoming) {
            const Edge &edge = graph_.edge(id);
            const Func &producer = graph_.func(edge.producer);
            const bool inlined = !producer.is_input() && !edge.is_self &&
                                 nest_.at(producer.id).placement == Placement::Inline;
            for (const Access &a : edge.accesses) {
                std::vector<LoopValue> indices;
                for (const IndexMap &map : a.index) indices.push_back(index(map, loops));
                const ExpandedLoad load = load_at(producer.id, inlined ? 0 : a.value, indices);
                if (!seen_.insert({load.func, load.value, load.known, load.at}).second) continue;
                if (!inlined) {
                    result_.loads.push_back(load);
                    continue;
                }
                result_.inlined_calls++;
                const Stage &pure = graph_.stage(producer.stages[0]);
                result_.ops.add_scaled(pure.ops, 1);
                std::vector<LoopValue> inner;
                for (const StageLoop &l : pure.loops)
                    inner.push_back(indices[static_cast<size_t>(l.func_dim)]);
                visit(pure, inner);
            }
        }
    }

    ExpandedLoad load_at(FuncId func, int value, const std::vector<LoopValue> &indices) {
        ExpandedLoad load;
        load.func = func;
        load.value = value;
        load.steps.resize(num_loops_);
        load.moves.resize(num_loops_);
        for (const LoopValue &v : indices) {
            load.known = load.known && v.known;
            load.at.push_back(v.at);
            for (size_t l = 0; l < num_loops_; l++) {
                load.steps[l].push_back(v.steps[l]);
                load.moves[l] = load.moves[l] || v.moves[l];
            }
        }
        // Where a dimension is gathered, no two call sites are known to agree.
        if (!load.known) load.at.push_back(++unknown_);
        return load;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const size_t num_loops_;
    Expansion result_;
    std::set<std::tuple<FuncId, int, bool, Place>> seen_, computed_;
    uint64_t unknown_ = 0;
};

}  // namespace

Expansion expand(const LoopNest &nest, StageId stage) {
    return Expander(nest, nest.graph().stage(stage)).result();
}

}  // namespace cryolite::oracle
