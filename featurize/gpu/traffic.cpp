#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <optional>
#include <set>

#include "featurize/gpu/access.h"
#include "featurize/gpu/vectors.h"

namespace cryolite {
namespace {

// More copies of an unrolled body than these are counted, not listed.
constexpr double max_listed_copies = 1024;
// The mean number of words in the fullest bank when 32 lanes go to random banks (32 balls in 32 bins).
constexpr double random_bank_transactions = 3.5;

// The byte distances between the distinct accesses of one iteration of the serial loops.
std::vector<int64_t> copies_of(const GpuMapping &mapping, const GpuAccess &access) {
    std::vector<int64_t> copies;
    for (int64_t o : access.offsets) copies.push_back(o * access.element_bytes);
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        const GpuLoop &loop = mapping.loops[l];
        if (loop.role != GpuLoopRole::Unrolled || access.strides[l] == 0) continue;
        const size_t before = copies.size();
        for (int64_t i = 1; i < loop.extent; i++)
            for (size_t c = 0; c < before; c++)
                copies.push_back(copies[c] + i * access.strides[l] * access.element_bytes);
        std::sort(copies.begin(), copies.end());
        copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
    }
    return copies;
}

double count_copies(const GpuMapping &mapping, const GpuAccess &access) {
    double copies = static_cast<double>(access.offsets.size());
    for (size_t l = 0; l < mapping.loops.size(); l++)
        if (mapping.loops[l].role == GpuLoopRole::Unrolled && moves(access, l))
            copies *= static_cast<double>(mapping.loops[l].extent);
    return copies;
}

using Addresses = std::array<int64_t, warp_lanes>;  // of the active lanes, in bytes

template <typename Values>
size_t count_distinct(Values &values, size_t n) {
    std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    return static_cast<size_t>(
        std::unique(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)) -
        values.begin());
}

WarpTraffic traffic_of(const Addresses &addresses, size_t n, int64_t element) {
    WarpTraffic t;
    Addresses distinct = addresses;
    const size_t elements = count_distinct(distinct, n);
    t.useful_bytes = static_cast<double>(elements) * static_cast<double>(element);
    // The words of each bank. An element has up to 4 words.
    std::array<int64_t, 4 * warp_lanes> words;
    size_t num_words = 0;
    for (size_t i = 0; i < elements; i++)
        for (int64_t b = 0; b < element; b += bank_bytes)
            words[num_words++] = (distinct[i] + b) / bank_bytes;
    num_words = count_distinct(words, num_words);
    std::array<int, shared_banks> of_bank{};
    for (size_t i = 0; i < num_words; i++) of_bank[static_cast<size_t>(words[i] % shared_banks)]++;
    t.bank_transactions = *std::max_element(of_bank.begin(), of_bank.end());
    for (size_t i = 0; i < elements; i++) {
        t.sectors += i == 0 || distinct[i] / sector_bytes != distinct[i - 1] / sector_bytes;
        t.lines += i == 0 || distinct[i] / gpu_line_bytes != distinct[i - 1] / gpu_line_bytes;
    }
    return t;
}

WarpTraffic random_traffic(size_t lanes, int64_t element) {
    const auto n = static_cast<double>(lanes);
    return {n, n, std::min(n, random_bank_transactions), n * static_cast<double>(element)};
}

// How often addresses stand at each distance from a line's start.
using Residues = std::array<int64_t, gpu_line_bytes>;

// The traffic of warps whose addresses form one pattern. Warps whose addresses differ by whole lines make the same
// traffic. lowest: the warps' lowest addresses; each moves once to each of `copies`.
WarpTraffic traffic_of_pattern(Addresses pattern, size_t n, const std::vector<int64_t> &lowest,
                               const std::vector<int64_t> &copies, int64_t element) {
    Residues warps{}, moves{}, times{};
    for (int64_t a : lowest) warps[static_cast<size_t>(positive_modulo(a, gpu_line_bytes))]++;
    for (int64_t c : copies) moves[static_cast<size_t>(positive_modulo(c, gpu_line_bytes))]++;
    for (size_t m = 0; m < moves.size(); m++)
        if (moves[m] > 0)
            for (size_t w = 0; w < warps.size(); w++)
                times[(w + m) % times.size()] += warps[w] * moves[m];
    WarpTraffic sum;
    int64_t moved = 0;
    for (size_t r = 0; r < times.size(); r++) {
        if (times[r] == 0) continue;
        for (size_t i = 0; i < n; i++) pattern[i] += static_cast<int64_t>(r) - moved;
        moved = static_cast<int64_t>(r);
        sum.add_scaled(traffic_of(pattern, n, element), static_cast<double>(times[r]));
    }
    return sum;
}

// Finds the byte that one lane accesses.
class Addresser {
public:
    Addresser(const GpuMapping &mapping, const GpuAccess &access) : access_(access) {
        for (size_t l = 0; l < mapping.loops.size(); l++)
            if (mapping.loops[l].role == GpuLoopRole::Thread)
                thread_loop_[static_cast<size_t>(mapping.loops[l].thread_dim)] = l;
    }

    // at: the iterations of all loops; those of threads are set here.
    int64_t of(std::vector<int64_t> &at, const WarpLayout::Lane &lane, int64_t offset) const {
        const int64_t coordinates[] = {lane.x, lane.y, lane.z};
        for (size_t d = 0; d < 3; d++)
            if (thread_loop_[d]) at[*thread_loop_[d]] = coordinates[d];
        int64_t element = offset + inner_product(access_.strides, at);
        for (const GpuFraction &f : access_.fractions)
            element += f.step * floor_divide(f.offset + inner_product(f.strides, at), f.divisor);
        return element * access_.element_bytes;
    }

private:
    static int64_t inner_product(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
    }
    const GpuAccess &access_;
    std::array<std::optional<size_t>, 3> thread_loop_{};
};

// Steps to the next iteration of the unrolled loops that move the access. False after the last one.
bool next_copy(const GpuMapping &mapping, const GpuAccess &access, std::vector<int64_t> &at) {
    for (size_t l = 0; l < at.size(); l++) {
        if (mapping.loops[l].role != GpuLoopRole::Unrolled || !moves(access, l)) continue;
        if (++at[l] < mapping.loops[l].extent) return true;
        at[l] = 0;
    }
    return false;
}

// With fractions, the lanes of two copies may form different patterns. So each copy is listed.
WarpTraffic fractional_traffic(const GpuMapping &mapping, const GpuAccess &access,
                               std::span<const WarpLayout::Lane> warp, bool list_copies) {
    const Addresser addresser(mapping, access);
    std::vector<int64_t> at(mapping.loops.size(), 0);
    std::set<Addresses> seen;
    WarpTraffic sum;
    do {
        for (int64_t offset : access.offsets) {
            Addresses addresses{};
            size_t n = 0;
            for (const WarpLayout::Lane &lane : warp)
                if (lane.active) addresses[n++] = addresser.of(at, lane, offset);
            if (n == 0) return sum;
            const auto used = addresses.begin() + static_cast<std::ptrdiff_t>(n);
            const int64_t line =
                floor_divide(*std::min_element(addresses.begin(), used), gpu_line_bytes);
            if (!seen.insert(addresses).second) continue;
            for (auto a = addresses.begin(); a != used; ++a) *a -= line * gpu_line_bytes;
            sum.add_scaled(traffic_of(addresses, n, access.element_bytes), 1);
            if (!list_copies) return sum;
        }
    } while (next_copy(mapping, access, at));
    return sum;
}

}  // namespace

WarpLayout::WarpLayout(const GpuMapping &mapping)
    : used_(stage_threads(mapping)),
      all_(mapping.block_threads),
      threads_(all_[0] * all_[1] * all_[2]) {
    assert(threads_ >= 1 && threads_ <= max_threads_per_block);
    for (int w = 0; w < warps(); w++) {
        Lanes lanes = warp(w);
        const auto found = std::ranges::find(lanes, true, &Lane::active);
        if (found == lanes.end()) continue;
        active_warps_++;
        const Lane first = *found;
        for (Lane &l : lanes) {
            if (!l.active) l = {};
            if (!l.active) continue;
            l.x = static_cast<int16_t>(l.x - first.x);
            l.y = static_cast<int16_t>(l.y - first.y);
            l.z = static_cast<int16_t>(l.z - first.z);
        }
        auto shape = std::ranges::find(shapes_, lanes, &Shape::lanes);
        if (shape == shapes_.end()) shape = shapes_.insert(shape, {lanes, {}});
        shape->firsts.push_back(first);
    }
}

WarpLayout::Lanes WarpLayout::warp(int w) const {
    Lanes lanes;
    const int64_t t = int64_t{w} * warp_lanes;
    int64_t x = t % all_[0], y = t / all_[0] % all_[1], z = t / (all_[0] * all_[1]);
    for (int64_t i = 0; i < std::min<int64_t>(warp_lanes, threads_ - t); i++) {
        lanes[static_cast<size_t>(i)] = {static_cast<int16_t>(x), static_cast<int16_t>(y),
                                         static_cast<int16_t>(z),
                                         x < used_[0] && y < used_[1] && z < used_[2]};
        if (++x < all_[0]) continue;
        x = 0;
        if (++y < all_[1]) continue;
        y = 0;
        z++;
    }
    return lanes;
}

void WarpTraffic::add_scaled(const WarpTraffic &other, double factor) {
    sectors += other.sectors * factor;
    lines += other.lines * factor;
    bank_transactions += other.bank_transactions * factor;
    useful_bytes += other.useful_bytes * factor;
}

WarpTraffic block_traffic(const GpuMapping &mapping, const GpuAccess &access,
                          const WarpLayout &layout) {
    if (access.joined > 1) {
        const GpuMapping vectors = of_vectors(mapping, access);
        return block_traffic(vectors, vectors.accesses[0], layout);
    }
    std::array<int64_t, 3> thread_stride{};
    double serial = 1;
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        const GpuLoop &loop = mapping.loops[l];
        if (loop.role == GpuLoopRole::Thread)
            thread_stride[static_cast<size_t>(loop.thread_dim)] =
                access.strides[l] * access.element_bytes;
        if (loop.role == GpuLoopRole::Serial) serial *= static_cast<double>(loop.extent);
    }
    const double all_copies = count_copies(mapping, access);
    const bool list_copies = !access.gather && all_copies <= max_listed_copies;
    const double per_copy = list_copies ? serial : serial * all_copies;
    const bool fractional = !access.gather && !access.fractions.empty();
    std::vector<int64_t> copies{access.offsets[0] * access.element_bytes};
    if (list_copies && !fractional) copies = copies_of(mapping, access);

    WarpTraffic sum;
    if (fractional) {
        for (int w = 0; w < layout.warps(); w++)
            sum.add_scaled(fractional_traffic(mapping, access, layout.warp(w), list_copies),
                           per_copy);
        return sum;
    }
    const auto address_of = [&](const WarpLayout::Lane &lane) {
        return lane.x * thread_stride[0] + lane.y * thread_stride[1] + lane.z * thread_stride[2];
    };
    for (const WarpLayout::Shape &shape : layout.shapes()) {
        Addresses pattern{};
        size_t n = 0;
        for (const WarpLayout::Lane &lane : shape.lanes)
            if (lane.active) pattern[n++] = address_of(lane);
        if (access.gather) {
            sum.add_scaled(random_traffic(n, access.element_bytes),
                           per_copy * static_cast<double>(shape.firsts.size()));
            continue;
        }
        const int64_t least =
            *std::min_element(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(n));
        for (size_t i = 0; i < n; i++) pattern[i] -= least;
        std::vector<int64_t> lowest;
        for (const WarpLayout::Lane &first : shape.firsts)
            lowest.push_back(address_of(first) + least);
        sum.add_scaled(traffic_of_pattern(pattern, n, lowest, copies, access.element_bytes),
                       per_copy);
    }
    return sum;
}

}  // namespace cryolite
