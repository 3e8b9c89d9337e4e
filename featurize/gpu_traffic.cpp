#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <optional>
#include <set>

#include "featurize/gpu_access.h"

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

// Warps whose addresses differ by whole lines make the same traffic. The memo keeps the last pattern of lanes, and the
// traffic of that pattern at each distance from a line's start.
class PatternMemo {
public:
    const WarpTraffic &of(const Addresses &addresses, size_t n, int64_t shift, int64_t element) {
        const int64_t base = *std::min_element(addresses.begin(),
                                               addresses.begin() + static_cast<std::ptrdiff_t>(n));
        Addresses pattern{};
        for (size_t i = 0; i < n; i++) pattern[i] = addresses[i] - base;
        if (n != n_ || pattern != pattern_) {
            n_ = n;
            pattern_ = pattern;
            known_.fill(false);
        }
        const int64_t residue = positive_modulo(base + shift, gpu_line_bytes);
        const auto r = static_cast<size_t>(residue);
        if (!known_[r]) {
            for (size_t i = 0; i < n; i++) pattern[i] += residue;
            traffic_[r] = traffic_of(pattern, n, element);
            known_[r] = true;
        }
        return traffic_[r];
    }

private:
    size_t n_ = 0;
    Addresses pattern_{};
    std::array<bool, gpu_line_bytes> known_{};
    std::array<WarpTraffic, gpu_line_bytes> traffic_{};
};

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

WarpLayout::WarpLayout(const GpuMapping &mapping) {
    const std::array<int64_t, 3> used = stage_threads(mapping), &all = mapping.block_threads;
    const int64_t threads = all[0] * all[1] * all[2];
    assert(threads >= 1 && threads <= max_threads_per_block);
    lanes_.resize(static_cast<size_t>((threads + warp_lanes - 1) / warp_lanes * warp_lanes));
    for (int64_t t = 0; t < threads; t++) {
        const int64_t x = t % all[0], y = t / all[0] % all[1], z = t / (all[0] * all[1]);
        const bool active = x < used[0] && y < used[1] && z < used[2];
        lanes_[static_cast<size_t>(t)] = {static_cast<int16_t>(x), static_cast<int16_t>(y),
                                          static_cast<int16_t>(z), active};
        active_threads_ += active;
    }
    for (int w = 0; w < warps(); w++)
        active_warps_ +=
            std::any_of(warp(w).begin(), warp(w).end(), [](const Lane &l) { return l.active; });
}

void WarpTraffic::add_scaled(const WarpTraffic &other, double factor) {
    sectors += other.sectors * factor;
    lines += other.lines * factor;
    bank_transactions += other.bank_transactions * factor;
    useful_bytes += other.useful_bytes * factor;
}

WarpTraffic block_traffic(const GpuMapping &mapping, const GpuAccess &access,
                          const WarpLayout &layout) {
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
    PatternMemo memo;
    for (int w = 0; w < layout.warps(); w++) {
        if (fractional) {
            sum.add_scaled(fractional_traffic(mapping, access, layout.warp(w), list_copies),
                           per_copy);
            continue;
        }
        Addresses addresses{};
        size_t n = 0;
        for (const WarpLayout::Lane &lane : layout.warp(w))
            if (lane.active)
                addresses[n++] = lane.x * thread_stride[0] + lane.y * thread_stride[1] +
                                 lane.z * thread_stride[2];
        if (n == 0) continue;
        if (access.gather) {
            sum.add_scaled(random_traffic(n, access.element_bytes), per_copy);
            continue;
        }
        for (int64_t copy : copies)
            sum.add_scaled(memo.of(addresses, n, copy, access.element_bytes), per_copy);
    }
    return sum;
}

}  // namespace cryolite
