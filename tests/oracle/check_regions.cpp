#include "code/regions/regions.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"

namespace cryolite::oracle {

std::string check_run(const Subject &subject) {
    Findings findings;
    findings.expect(subject.exact.wrong.empty(), "run", "it is right", subject.exact.wrong);
    findings.expect(subject.emitted.wrong.empty(), "run as emitted", "it is right",
                    subject.emitted.wrong);
    return findings.text();
}

namespace {

class RegionCheck {
public:
    explicit RegionCheck(const Subject &subject)
        : subject_(subject), graph_(subject.graph()), nest_(subject.nest) {}

    std::string findings() {
        for (const Func &f : graph_.funcs()) {
            const FuncCount &counted = subject_.exact.funcs[f.id.index()];
            check_root(f);
            for (const auto &[loop, box] : counted.needed_by) check_required(f, loop, box);
            if (!f.is_input() && nest_.at(f.id).placement == Placement::At)
                check_placed(f, counted);
        }
        return findings_.text();
    }

private:
    // Exact where boxes are; otherwise the room's box is the larger one, and may stand elsewhere: the
    // middle of a larger range is another. Where steps are uneven, or where one reader moves away from
    // another, that changes its size, too.
    void expect_box(const Func &f, const std::string &where, const Box &said, const Box &counted) {
        if (subject_.tight)
            findings_.expect(said == counted, where, said, counted);
        else
            expect_as_large(f, where, said, counted);
    }
    void expect_as_large(const Func &f, const std::string &where, const Box &said,
                         const Box &counted) {
        if (subject_.window_starts || !subject_.drawn.steady || !readers_move_alike(f)) return;
        findings_.expect(as_large(said, counted), where, said, counted);
    }

    bool readers_move_alike(const Func &f) const {
        for (const Edge &e : graph_.edges()) {
            if (e.producer != f.id) continue;
            for (const Access &a : e.accesses)
                for (size_t d = 0; d < a.index.size(); d++)
                    if (a.index[d].coefficient != e.accesses[0].index[d].coefficient) return false;
        }
        return true;
    }

    static bool as_large(const Box &a, const Box &b) {
        for (size_t d = 0; d < a.size(); d++)
            if (a[d].extent() < b[d].extent()) return false;
        return true;
    }

    // root_region is what is needed with everything at root: no schedule needs more.
    void check_root(const Func &f) {
        const Box &touched = subject_.exact.touched[f.id.index()];
        for (const Interval &i : touched)
            if (i.empty()) return;  // inlined
        const bool holds =
            subject_.drawn.tight ? f.root_region == touched : contains(f.root_region, touched);
        findings_.expect(holds, f.name + " root_region", f.root_region, touched);
    }

    void check_required(const Func &f, LoopName loop, const Box &counted) {
        if (graph_.stage(loop.stage).func == f.id) return;
        const Box said = required_region(nest_, f.id, loop);
        const std::string where = f.name + " required by " + describe(graph_, loop);
        // Updates widen what is needed where the Func is computed.
        if (f.stages.size() > 1 && !computed_inside(f.id, loop)) {
            expect_as_large(f, where, said, counted);
            return;
        }
        expect_box(f, where, said, counted);
    }

    bool computed_inside(FuncId f, LoopName loop) const {
        if (!nest_.at(f).compute_at) return false;
        for (LoopName around : nest_.enclosing(*nest_.at(f).compute_at))
            if (around == loop) return true;
        return false;
    }

    void check_placed(const Func &f, const FuncCount &counted) {
        const FuncNest &placed = nest_.at(f.id);
        if (counted.middle_needed.empty()) return;
        const Box whole = joined(counted.middle_needed, counted.middle_computed);
        expect_box(f, f.name + " compute_region", placed.compute_region, whole);
        if (!counted.middle_held.empty())
            expect_box(f, f.name + " store_region", placed.store_region, counted.middle_held);
        const Stage &pure = graph_.stage(f.stages[0]);
        Box range(f.dims.size());
        for (size_t l = 0; l < pure.loops.size(); l++)
            range[static_cast<size_t>(pure.loops[l].func_dim)] = placed.stages[0].range[l];
        expect_box(f, f.name + " range", range, counted.middle_computed);
    }

    const Subject &subject_;
    const StageGraph &graph_;
    const LoopNest &nest_;
    Findings findings_;
};

}  // namespace

std::string check_regions(const Subject &subject) { return RegionCheck(subject).findings(); }

}  // namespace cryolite::oracle
