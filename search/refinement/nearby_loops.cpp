#include "search/refinement/nearby_loops.h"

#include <algorithm>
#include <utility>

namespace cryolite {
namespace {

using Loops = std::vector<Action>;
using Spans = std::vector<int64_t>;

// The spans with spans[i] changed to `value`; those outside of it become multiples of it.
Spans with_span(Spans spans, size_t i, int64_t value) {
    spans[i] = value;
    for (size_t outer = i; outer-- > 0;) {
        const int64_t inner = spans[outer + 1];
        spans[outer] = std::max(inner, (spans[outer] + inner / 2) / inner * inner);
    }
    return spans;
}

// Twice and half of each span, and one part of the next level more or less.
std::vector<Spans> nearby_spans(const Spans &spans) {
    std::vector<Spans> out;
    for (size_t i = 0; i < spans.size(); i++) {
        const int64_t part = i + 1 < spans.size() ? spans[i + 1] : 1;
        for (int64_t value :
             {2 * spans[i], spans[i] / 2 / part * part, spans[i] + part, spans[i] - part})
            if (value > 0) out.push_back(with_span(spans, i, value));
    }
    return out;
}

class Variations {
public:
    explicit Variations(const Loops &loops) : loops_(loops) {}

    std::vector<Loops> all() {
        for (size_t i = 0; i < loops_.size(); i++)
            std::visit([&](const auto &a) { vary(i, a); }, loops_[i]);
        return std::move(out_);
    }

private:
    template <typename A>
    void vary(size_t, const A &) {}

    // Stages of one shape change together, as templates shape them; one stage alone, too.
    void vary(size_t i, const action::Tile &tile) {
        const auto is_like = [&](const Action &a) {
            const auto *other = std::get_if<action::Tile>(&a);
            return other && other->spans == tile.spans;
        };
        const bool is_first = std::find_if(loops_.begin(), loops_.end(), is_like) ==
                              loops_.begin() + static_cast<std::ptrdiff_t>(i);
        const bool has_others = std::ranges::count_if(loops_, is_like) > 1;
        for (const Spans &spans : nearby_spans(tile.spans)) {
            add(i, action::Tile{tile.stage, tile.dim, spans});
            if (!has_others || !is_first) continue;
            Loops together = loops_;
            for (Action &a : together)
                if (is_like(a)) std::get<action::Tile>(a).spans = spans;
            out_.push_back(std::move(together));
        }
    }

    void vary(size_t i, const action::Vectorize &vectorize) {
        for (int32_t width : {2 * vectorize.width, vectorize.width / 2}) {
            if (width <= vectorize.woven) continue;
            Loops together = loops_;
            for (size_t k = i; k < together.size(); k++)
                if (auto *other = std::get_if<action::Vectorize>(&together[k]);
                    other && other->width == vectorize.width)
                    other->width = width;
            out_.push_back(std::move(together));
        }
    }

    void vary(size_t i, const action::Reorder &reorder) {
        for (size_t k = 0; k + 1 < reorder.order.size(); k++) {
            action::Reorder swapped = reorder;
            std::swap(swapped.order[k], swapped.order[k + 1]);
            add(i, std::move(swapped));
        }
        for (LoopName loop : reorder.order)
            if (loop.level > 0 &&
                std::ranges::find(loops_, Action{action::Unroll{loop}}) == loops_.end())
                add_behind(i, action::Unroll{loop});
    }

    void vary(size_t i, const action::Unroll &) {
        Loops without = loops_;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        out_.push_back(std::move(without));
    }

    void vary(size_t i, const action::Parallel &parallel) {
        for (int32_t count : {parallel.count + 1, parallel.count - 1})
            if (count > 0 && parallel.inside == 0) add(i, action::Parallel{parallel.stage, count});
        if (parallel.inside == 0) return;
        // The loops outside start the tasks anew in each iteration, which may take longer than the work.
        out_.push_back(loops_);
        out_.back().erase(out_.back().begin() + static_cast<std::ptrdiff_t>(i));
    }

    void add(size_t i, Action changed) {
        out_.push_back(loops_);
        out_.back()[i] = std::move(changed);
    }

    void add_behind(size_t i, Action added) {
        out_.push_back(loops_);
        out_.back().insert(out_.back().begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           std::move(added));
    }

    const Loops &loops_;
    std::vector<Loops> out_;
};

}  // namespace

std::vector<std::vector<Action>> nearby_loops(const std::vector<Action> &loops) {
    return Variations(loops).all();
}

}  // namespace cryolite
