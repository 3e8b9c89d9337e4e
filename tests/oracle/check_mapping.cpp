#include <algorithm>
#include <map>
#include <set>

#include "code/legality/validate.h"
#include "featurize/gpu/stage_mapping.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"
#include "tests/oracle/interpreter.h"

namespace cryolite::oracle {

namespace {

using Iterations = std::vector<int64_t>;

// A buffer that a stage reads or writes.
struct Buffer {
    StageId stage;
    FuncId func;
    int value = 0;
    bool is_store = false;
    auto operator<=>(const Buffer &) const = default;
};

// Addresses by the iterations of all loops around, apart for every lifetime of the storage (iterations
// of the loops that it is stored in), in one block.
using Addresses = std::map<Iterations, std::set<int64_t>>;
struct Lifetime {
    Addresses addresses;
    bool middle = true;  // all loops around the storage are in mid-range, as its box is
};
using Lifetimes = std::map<Iterations, Lifetime>;

int64_t address_in_storage(const LoopNest &nest, FuncId f, std::span<const int64_t> at) {
    const Func &func = nest.graph().func(f);
    const bool inside = !func.is_input() && nest.at(f).placement == Placement::At;
    const Box &box = inside ? nest.at(f).store_region : func.root_region;
    int64_t address = 0, step = 1;
    for (int d : nest.storage_order(f)) {
        address += (at[static_cast<size_t>(d)] - box[static_cast<size_t>(d)].min) * step;
        int64_t extent = box[static_cast<size_t>(d)].extent();
        if (inside && d == 0) {
            const int64_t unit = storage_alignment(nest, f);
            extent = (extent + unit - 1) / unit * unit;
        }
        step *= std::max<int64_t>(1, extent);
    }
    return address;
}

class Recorder : public Observer {
public:
    explicit Recorder(const LoopNest &nest) : nest_(nest) {}
    void load(const Touch &t, const Stack &stack) override { note(t, stack, false); }
    void store(const Touch &t, const Stack &stack) override { note(t, stack, true); }
    const std::map<Buffer, Lifetimes> &touched() const { return touched_; }

private:
    void note(const Touch &t, const Stack &stack, bool is_store) {
        if (!is_observed(stack)) return;
        const Func &func = nest_.graph().func(t.func);
        std::vector<LoopName> stored_in;
        if (!func.is_input() && nest_.at(t.func).store_at)
            stored_in = nest_.enclosing(*nest_.at(t.func).store_at);
        Iterations all, around;
        bool middle = true;
        for (const Frame &f : stack) {
            all.push_back(f.iteration);
            if (std::ranges::find(stored_in, f.loop) == stored_in.end()) continue;
            around.push_back(f.iteration);
            middle &= is_middle(f);
        }
        Lifetime &lifetime = touched_[{t.stage, t.func, t.value, is_store}][around];
        lifetime.middle = middle;
        lifetime.addresses[all].insert(address_in_storage(nest_, t.func, t.at));
    }

    // The block in mid-range of the first kernel: a mapping has no loops around the blocks.
    static bool is_observed(const Stack &stack) {
        const auto is_block = [](const Frame &f) { return f.kind == LoopKind::GpuBlock; };
        const auto first = std::find_if(stack.begin(), stack.end(), is_block);
        const bool first_kernel =
            std::all_of(stack.begin(), first, [](const Frame &f) { return f.iteration == 0; });
        return first != stack.end() && first_kernel &&
               std::all_of(first, stack.end(),
                           [&](const Frame &f) { return !is_block(f) || is_middle(f); });
    }
    static bool is_middle(const Frame &f) { return f.iteration == (f.iterations - 1) / 2; }

    const LoopNest &nest_;
    std::map<Buffer, Lifetimes> touched_;
};

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::set<int64_t> predicted(const GpuMapping &m, const Buffer &buffer, const Iterations &all) {
    const size_t outside = all.size() - m.loops.size();
    std::set<int64_t> addresses;
    for (const GpuAccess &a : m.accesses) {
        const auto id = static_cast<int>(buffer.func.index()) * buffers_per_func + buffer.value;
        if (a.is_store != buffer.is_store || a.buffer != id) continue;
        for (int64_t address : a.offsets) {
            for (size_t l = 0; l < m.loops.size(); l++) address += a.strides[l] * all[outside + l];
            for (const GpuFraction &f : a.fractions) {
                int64_t position = f.offset;
                for (size_t l = 0; l < m.loops.size(); l++)
                    position += f.strides[l] * all[outside + l];
                address += f.step * floor_divide(position, f.divisor);
            }
            addresses.insert(address);
        }
    }
    return addresses;
}

int64_t lowest(const Addresses &addresses) {
    int64_t low = INT64_MAX;
    for (const auto &[at, of] : addresses) low = std::min(low, *of.begin());
    return low;
}

std::string text(const std::set<int64_t> &addresses, int64_t from) {
    std::string all;
    for (int64_t a : addresses) all += " " + std::to_string(a - from);
    return all;
}

bool has_gather(const GpuMapping &m) {
    return std::ranges::any_of(m.accesses, [](const GpuAccess &a) { return a.gather; });
}

}  // namespace

std::string check_mapping(const RandomGraph &drawn, const LoopNest &nest) {
    const StageGraph &graph = drawn.graph;
    Recorder recorder(nest);
    if (const std::string wrong = interpret(drawn, nest, Tails::Exact, recorder); !wrong.empty())
        return wrong + "\n";
    Findings findings;
    StageExpander expander(graph);
    const std::vector<GpuKernel> kernels = gpu_kernels_of(nest);
    for (const auto &[buffer, lifetimes] : recorder.touched()) {
        const std::optional<MappedStage> mapped =
            map_stage_to_gpu(nest, expander, buffer.stage, kernels);
        const std::string where = describe(graph, buffer.stage) + " at " +
                                  graph.func(buffer.func).name + "." +
                                  std::to_string(buffer.value) + ": ";
        if (!mapped) {
            findings.expect(false, where + "mapped", 0, 1);
            continue;
        }
        const GpuMapping &m = mapped->mapping;
        if (const std::string broken = validate(m); !broken.empty()) return where + broken + "\n";
        // Where boxes are loose or move unevenly, they start where one in mid-range does not say: of the
        // stage, or of what it reads.
        const auto is_inside = [&](FuncId f) {
            return !graph.func(f).is_input() && nest.at(f).compute_at.has_value();
        };
        const bool inside = is_inside(graph.stage(buffer.stage).func) || is_inside(buffer.func);
        const bool inlines = !expander.expand(nest, buffer.stage).inlined.empty();
        const bool uneven = !drawn.steady && (inside || inlines);
        if (has_gather(m) || !drawn.tight || uneven) continue;
        std::map<std::string, int64_t> starts;  // by what is touched, whatever the lifetime
        for (const auto &[around, lifetime] : lifetimes) {
            const Addresses &counted = lifetime.addresses;
            Addresses said;
            std::string shape;
            for (const auto &[at, addresses] : counted) said[at] = predicted(m, buffer, at);
            // What is stored in loops starts where its realisation does: known of that in mid-range.
            const bool elsewhere = !lifetime.middle;
            const int64_t from = elsewhere ? lowest(counted) : 0;
            const int64_t said_from = elsewhere ? lowest(said) : 0;
            for (const auto &[at, addresses] : counted) {
                shape += text(addresses, lowest(counted)) + ",";
                if (text(addresses, from) == text(said[at], said_from)) continue;
                std::string loops;
                for (int64_t i : at) loops += " " + std::to_string(i);
                return where + "in iteration" + loops + " said" + text(said[at], said_from) +
                       " counted" + text(addresses, from) + "\n";
            }
            // Each realisation starts anew: the address does not move with the loops around.
            const int64_t start = starts.try_emplace(shape, lowest(said)).first->second;
            findings.expect(!drawn.steady || start == lowest(said), where + "start", lowest(said),
                            start);
        }
    }
    return findings.text();
}

}  // namespace cryolite::oracle
