#include "reference/reuse/segmentation.h"

#include <algorithm>
#include <set>

namespace cryolite::reuse {

std::vector<FuncId> read_more_than_once(const StageGraph &graph, const Segment &segment) {
    std::map<FuncId, std::set<FuncId>> readers;
    std::vector<FuncId> found;
    const std::set<FuncId> members(segment.members.begin(), segment.members.end());
    for (FuncId f : segment.members) {
        std::set<FuncId> &of = readers[f];
        for (EdgeId e : graph.func(f).outgoing) {
            const FuncId reader = graph.stage(graph.edge(e).consumer).func;
            if (members.contains(reader) && is_always_inlined(graph, reader)) {
                of.insert(readers[reader].begin(), readers[reader].end());
            } else if (members.contains(reader) || reader == segment.output) {
                of.insert(reader);
            }
        }
        if (of.size() > 1 && !is_always_inlined(graph, f)) found.push_back(f);
    }
    return found;
}

std::vector<Segment> split_at(const StageGraph &graph, const Segment &segment,
                              const std::vector<FuncId> &cut) {
    const std::set<FuncId> members(segment.members.begin(), segment.members.end());
    std::vector<FuncId> all_cut = cut;
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        if (!members.contains(FuncId(i))) all_cut.push_back(FuncId(i));
    }
    std::vector<Segment> parts;
    for (Segment &s : segments_between(graph, all_cut)) {
        if (s.output == segment.output || members.contains(s.output)) parts.push_back(std::move(s));
    }
    return parts;
}

Splitter::Key Splitter::key_of(const Segment &segment) {
    Key key = segment.members;
    key.push_back(segment.output);
    return key;
}

const TiledSegment *Splitter::analyse(const Segment &segment) {
    const auto [it, fresh] = analysed_.try_emplace(key_of(segment));
    if (fresh) it->second = analyse_tiling(graph_, segment, machine_, options_);
    return it->second ? &*it->second : nullptr;
}

const Splitter::Configuration &Splitter::best(const Segment &segment) {
    const Key key = key_of(segment);
    auto it = best_.find(key);
    if (it == best_.end()) it = best_.emplace(key, search(segment)).first;
    return it->second;
}

// All but the first part, which is left to be split. False if one does not fit.
bool Splitter::add_parts(const std::vector<Segment> &parts, Configuration &to) {
    for (size_t k = 1; k < parts.size(); k++) {
        const TiledSegment *part = analyse(parts[k]);
        if (part == nullptr) return false;
        to.parts.push_back(*part);
        to.total += part->cost.total;
    }
    return true;
}

Splitter::Configuration Splitter::search(const Segment &segment) {
    if (const TiledSegment *whole = analyse(segment)) return {{*whole}, whole->cost.total};

    std::optional<Configuration> found;
    std::vector<FuncId> candidates;
    for (FuncId f : segment.members) {
        if (!is_always_inlined(graph_, f)) candidates.push_back(f);
    }
    std::reverse(candidates.begin(), candidates.end());  // sources first
    std::set<FuncId> do_not_fit;
    const auto try_cut = [&](FuncId last) {
        const std::vector<Segment> parts = split_at(graph_, segment, {last});
        const auto first = std::find_if(parts.begin(), parts.end(),
                                        [&](const Segment &s) { return s.output == last; });
        const std::vector<FuncId> &inside = first->members;
        if (static_cast<int>(inside.size()) + 1 < options_.min_segment) return;
        if (std::any_of(inside.begin(), inside.end(),
                        [&](FuncId f) { return do_not_fit.contains(f); })) {
            return;
        }
        Configuration c;
        if (!add_parts(parts, c)) {
            do_not_fit.insert(last);
            return;
        }
        const Configuration &rest = best(parts[0]);
        c.parts.insert(c.parts.begin(), rest.parts.begin(), rest.parts.end());
        c.total += rest.total;
        if (!found || c.total < found->total) found = std::move(c);
    };
    for (FuncId f : candidates) {
        if (num_analysed() >= options_.max_segments) break;
        try_cut(f);
    }
    // Out of time: the largest first part that fits, and no other.
    for (size_t k = candidates.size(); k-- > 0 && !found;) try_cut(candidates[k]);
    if (found) return *std::move(found);

    // Nothing of the least size fits: every Func by itself.
    Configuration c;
    const std::vector<Segment> parts = split_at(graph_, segment, candidates);
    const TiledSegment *output = analyse(parts[0]);
    c.parts.push_back(*output);
    c.total = output->cost.total;
    add_parts(parts, c);
    return c;
}

}  // namespace cryolite::reuse
