// Hashes of actions. They are stable, so that stored traces can be compared by them.
#include "schedule/action.h"

#include "base/hash.h"

namespace cryolite {

namespace {

void add(Hasher &hasher, LoopName loop) {
    hasher.add(static_cast<uint64_t>(loop.stage.value))
        .add(static_cast<uint64_t>(loop.dim))
        .add(static_cast<uint64_t>(loop.level));
}

void add_loops(Hasher &h, StageId stage, const std::vector<LoopName> &loops) {
    h.add(static_cast<uint64_t>(stage.value)).add(loops.size());
    for (LoopName loop : loops) add(h, loop);
}

void add(Hasher &h, const action::Inline &a) { h.add(static_cast<uint64_t>(a.func.value)); }
void add(Hasher &h, const action::ComputeRoot &a) { h.add(static_cast<uint64_t>(a.func.value)); }
void add(Hasher &h, const action::ComputeAt &a) {
    h.add(static_cast<uint64_t>(a.func.value));
    add(h, a.at);
}
void add(Hasher &h, const action::ComputeWith &a) {
    h.add(static_cast<uint64_t>(a.func.value));
    add(h, a.with);
}
void add(Hasher &h, const action::StoreAt &a) {
    h.add(static_cast<uint64_t>(a.func.value)).add(a.at.has_value());
    if (a.at) add(h, *a.at);
}
void add(Hasher &h, const action::ReorderStorage &a) {
    h.add(static_cast<uint64_t>(a.func.value)).add(a.order.size());
    for (int dim : a.order) h.add(static_cast<uint64_t>(dim));
}
void add(Hasher &h, const action::Tile &a) {
    h.add(static_cast<uint64_t>(a.stage.value)).add(static_cast<uint64_t>(a.dim));
    h.add(a.spans.size());
    for (int64_t span : a.spans) h.add(static_cast<uint64_t>(span));
}
void add(Hasher &h, const action::Reorder &a) { add_loops(h, a.stage, a.order); }
void add(Hasher &h, const action::Vectorize &a) {
    h.add(static_cast<uint64_t>(a.stage.value))
        .add(static_cast<uint64_t>(a.dim))
        .add(static_cast<uint64_t>(a.width));
    if (a.woven > 1) h.add("woven").add(static_cast<uint64_t>(a.woven));
}
void add(Hasher &h, const action::Unroll &a) { add(h, a.loop); }
void add(Hasher &h, const action::Join &a) { add(h, a.loop); }
void add(Hasher &h, const action::Parallel &a) {
    h.add(static_cast<uint64_t>(a.stage.value)).add(static_cast<uint64_t>(a.count));
    if (a.inside > 0) h.add("inside").add(static_cast<uint64_t>(a.inside));
}
void add(Hasher &h, const action::MapToBlocks &a) { add_loops(h, a.stage, a.loops); }
void add(Hasher &h, const action::MapToThreads &a) { add_loops(h, a.stage, a.loops); }

void add(Hasher &h, const action::TensorTile &a) {
    h.add(static_cast<uint64_t>(a.stage.value)).add(static_cast<uint64_t>(a.product.value));
    for (int number : tensorcore::numbers_of(a.tile)) h.add(static_cast<uint64_t>(number));
}

}  // namespace

uint64_t hash(const Action &action) {
    Hasher hasher;
    hasher.add(action.index());
    std::visit([&](const auto &a) { add(hasher, a); }, action);
    return hasher.value();
}

}  // namespace cryolite
