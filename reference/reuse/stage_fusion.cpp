#include "reference/reuse/stage_fusion.h"

#include <algorithm>

namespace cryolite::reuse {
namespace {

int level_inside_tile(const TiledNest &nest, int loop) {
    for (size_t p = 0; p < nest.order.size(); p++) {
        if (nest.order[p] == TiledLoop{loop, false}) return static_cast<int>(p);
    }
    return -1;
}

bool may_be_inlined(const Func &f) { return f.can_inline || f.inline_only; }

StageLevels levels_of(const SegmentRegions &regions, const Func &func, const MemberOverlaps &w,
                      const TiledNest &nest) {
    const int innermost = std::min(nest.innermost_level(), nest.root_level());
    if (func.inline_only || (!w.any && may_be_inlined(func))) return {};
    int level = -1;
    const DriverOverlap *along = nullptr;
    for (const DriverOverlap &o : w.along) {
        const int here = level_inside_tile(nest, o.loop);
        if (here > level) {
            level = here;
            along = &o;
        }
    }
    if (along == nullptr) return {false, innermost, innermost};
    const Stage &driver = regions.graph().stage(nest.stage);
    const bool is_reduction = driver.loops[static_cast<size_t>(along->loop)].is_reduction;
    if (level <= nest.innermost_level() || is_reduction || along->full || !along->slides) {
        const int outer = std::min(std::max(level, nest.innermost_level()) + 1, nest.root_level());
        return {false, outer, outer};
    }
    return {false, level, level + 1};
}

class TrivialInliner {
public:
    TrivialInliner(const SegmentRegions &regions, std::vector<StageLevels> &levels)
        : regions_(regions), levels_(levels) {}

    void run() {
        for (size_t i = 0; i < levels_.size(); i++) {
            const Func &f = regions_.func(i);
            if (levels_[i].inlined || !f.can_inline || !is_trivial(regions_.graph(), f.id))
                continue;
            hand_on(i, levels_[i]);
            levels_[i] = {};
        }
    }

private:
    void hand_on(size_t from, const StageLevels &given) {
        for (StageId s : regions_.func(from).stages) {
            for (EdgeId e : regions_.graph().stage(s).incoming) {
                const int local = regions_.local(regions_.graph().edge(e).producer);
                if (local < 0 || static_cast<size_t>(local) >= levels_.size()) continue;
                const auto j = static_cast<size_t>(local);
                if (!levels_[j].inlined || regions_.func(j).inline_only) continue;
                if (is_trivial(regions_.graph(), regions_.func(j).id)) {
                    hand_on(j, given);
                } else {
                    levels_[j] = given;
                }
            }
        }
    }

    const SegmentRegions &regions_;
    std::vector<StageLevels> &levels_;
};

}  // namespace

std::vector<StageLevels> fuse_stages(const SegmentRegions &regions,
                                     const std::vector<MemberOverlaps> &overlaps,
                                     const TiledNest &nest) {
    std::vector<StageLevels> levels;
    for (size_t i = 0; i < regions.num_members(); i++) {
        levels.push_back(levels_of(regions, regions.func(i), overlaps[i], nest));
    }
    return levels;
}

void inline_trivial_stages(const SegmentRegions &regions, std::vector<StageLevels> &levels) {
    TrivialInliner(regions, levels).run();
}

void respect_readers(const SegmentRegions &regions, std::vector<StageLevels> &levels) {
    // How far out each member's readers, seen through inlined ones, are computed.
    std::vector<int> readers_at(levels.size(), 0);
    for (size_t i = 0; i < levels.size(); i++) {
        for (EdgeId e : regions.func(i).outgoing) {
            const int local =
                regions.local(regions.graph().stage(regions.graph().edge(e).consumer).func);
            if (local < 0 || static_cast<size_t>(local) >= levels.size()) continue;
            const auto reader = static_cast<size_t>(local);
            const StageLevels &at = levels[reader];
            readers_at[i] = std::max(readers_at[i], at.inlined ? readers_at[reader] : at.compute);
        }
        if (levels[i].inlined) continue;
        levels[i].compute = std::max(levels[i].compute, readers_at[i]);
        levels[i].store = std::max(levels[i].store, levels[i].compute);
    }
}

std::vector<StageLevels> stage_levels(const SegmentRegions &regions,
                                      const std::vector<MemberOverlaps> &overlaps,
                                      const TiledNest &nest) {
    std::vector<StageLevels> levels = fuse_stages(regions, overlaps, nest);
    inline_trivial_stages(regions, levels);
    respect_readers(regions, levels);
    return levels;
}

}  // namespace cryolite::reuse
