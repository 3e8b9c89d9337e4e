#include "featurize/gpu_access.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace cryolite {
namespace {

// Copies of an unrolled body beyond this many are counted instead of listed.
constexpr double max_listed_copies = 1024;
// Most words that fall in one bank when 32 lanes go to random ones, on average (32 balls in 32 bins).
constexpr double random_bank_transactions = 3.5;

int64_t positive_modulo(int64_t a, int64_t b) { return ((a % b) + b) % b; }

struct Step {
    int64_t bytes;  // > 0
    int64_t extent;
};

std::vector<Step> steps_of(const GpuMapping &mapping, const GpuAccess &access,
                           const std::vector<bool> &inside) {
    std::vector<Step> steps;
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        const int64_t stride = std::abs(access.strides[l]) * access.element_bytes;
        if (inside[l] && stride > 0 && mapping.loops[l].extent > 1)
            steps.push_back({stride, mapping.loops[l].extent});
    }
    std::sort(steps.begin(), steps.end(),
              [](const Step &a, const Step &b) { return a.bytes < b.bytes; });
    return steps;
}

// Grows the set of touched memory loop by loop, shortest stride first. So far it is a pattern of
// `bytes` distinct bytes inside `span`, repeated at `starts`.
class FootprintGrower {
public:
    FootprintGrower(const GpuMapping &mapping, const GpuAccess &access,
                    const std::vector<bool> &inside)
        : element_(access.element_bytes), span_(access.element_bytes), bytes_(span_) {
        for (int64_t o : access.offsets) starts_.push_back(o * element_);
        // The set's first byte: where loops that run backwards end.
        for (size_t l = 0; l < mapping.loops.size(); l++) {
            const int64_t stride = access.strides[l] * element_;
            if (mapping.loops[l].extent <= 1) continue;
            if (!inside[l])
                outside_ = std::gcd(outside_, stride);
            else if (stride < 0)
                for (int64_t &s : starts_) s += stride * (mapping.loops[l].extent - 1);
        }
        std::sort(starts_.begin(), starts_.end());
        starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
        steps_ = steps_of(mapping, access, inside);
    }

    GpuFootprint run() {
        for (size_t i = 0; i < steps_.size(); i++) absorb(i);
        GpuFootprint out;
        out.bytes = bytes_ * static_cast<double>(starts_.size());
        // Patterns less than a line apart have lines in common.
        for (size_t first = 0; first < starts_.size();) {
            size_t last = first;
            while (last + 1 < starts_.size() &&
                   starts_[last + 1] - starts_[last] - span_ < gpu_line_bytes)
                last++;
            const int64_t hull = starts_[last] - starts_[first] + span_;
            out.lines += std::min(lines_ * static_cast<double>(last + 1 - first),
                                  hull_lines(starts_[first], hull, steps_.size()));
            first = last + 1;
        }
        return out;
    }

private:
    void absorb(size_t i) {
        const Step &step = steps_[i];
        // Starts that lie whole steps apart, without a gap, continue each other's rows. All rows are
        // taken for as long as the longest.
        int64_t extent = step.extent;
        std::vector<int64_t> rows;
        int64_t first = 0, last = 0;
        for (int64_t s : starts_) {
            const bool continues = !rows.empty() && (s - last) % step.bytes == 0 &&
                                   s - last <= step.extent * step.bytes;
            if (!continues) {
                rows.push_back(s);
                first = s;
            }
            last = s;
            extent = std::max(extent, step.extent + (last - first) / step.bytes);
        }
        starts_ = std::move(rows);
        const auto times = static_cast<double>(extent);
        span_ += step.bytes * (extent - 1);
        bytes_ = std::min(bytes_ * times, static_cast<double>(span_));
        double lines = 0;
        for (int64_t s : starts_) lines = std::max(lines, hull_lines(s, span_, i + 1));
        lines_ = std::min(lines_ * times, lines);
    }

    // Lines that `span` bytes from `start` on can touch, wherever the loops outside and those not yet
    // absorbed stand.
    double hull_lines(int64_t start, int64_t span, size_t absorbed) const {
        int64_t alignment = std::gcd(gpu_line_bytes, outside_);
        for (size_t i = absorbed; i < steps_.size(); i++)
            alignment = std::gcd(alignment, steps_[i].bytes);
        const int64_t worst = gpu_line_bytes - alignment + positive_modulo(start, alignment);
        return static_cast<double>((worst + span - 1) / gpu_line_bytes + 1);
    }

    const int64_t element_;
    std::vector<int64_t> starts_;
    std::vector<Step> steps_;
    int64_t outside_ = 0;  // what the loops outside move it by is a multiple of this
    int64_t span_;
    double bytes_;
    double lines_ = 1;  // an element never straddles two
};

// Byte distances of the distinct accesses of one iteration of the serial loops.
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
        if (mapping.loops[l].role == GpuLoopRole::Unrolled && access.strides[l] != 0)
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
    // The words of each bank; elements of up to 4 words.
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

// Warps that differ by whole lines only make the same traffic: the last pattern of lanes is kept,
// with what it makes at each distance from a line's start.
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

}  // namespace

GpuFootprint footprint(const GpuMapping &mapping, const GpuAccess &access,
                       const std::vector<bool> &inside) {
    if (!access.gather) return FootprintGrower(mapping, access, inside).run();
    // At most an element and a line per load, and no more than there is.
    double loads = static_cast<double>(access.offsets.size());
    for (size_t l = 0; l < mapping.loops.size(); l++)
        if (inside[l]) loads *= static_cast<double>(mapping.loops[l].extent);
    GpuFootprint out{loads * access.element_bytes, loads};
    if (access.allocation_bytes > 0) {
        out.bytes = std::min(out.bytes, access.allocation_bytes);
        out.lines = std::min(out.lines, access.allocation_bytes / gpu_line_bytes + 2);
    }
    return out;
}

double contiguous_bytes(const GpuMapping &mapping, const GpuAccess &access,
                        const std::vector<bool> &inside) {
    int64_t run = access.element_bytes;
    if (access.gather) return static_cast<double>(run);
    for (const Step &s : steps_of(mapping, access, inside)) {
        if (s.bytes > run) break;
        run += s.bytes * (s.extent - 1);
    }
    return static_cast<double>(run);
}

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
    std::vector<int64_t> copies{access.offsets[0] * access.element_bytes};
    double per_copy = serial;
    if (const double all = count_copies(mapping, access); access.gather || all > max_listed_copies)
        per_copy *= all;
    else
        copies = copies_of(mapping, access);

    WarpTraffic sum;
    PatternMemo memo;
    for (int w = 0; w < layout.warps(); w++) {
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
