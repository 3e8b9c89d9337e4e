#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "code/legality/validate.h"
#include "featurize/gpu/access.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"

namespace cryolite::oracle {

namespace {

GpuMapping draw_mapping(Random &random) {
    static constexpr int64_t thread_extents[] = {1, 2, 3, 4, 7, 8, 16, 31, 32, 33};
    static constexpr int64_t strides[] = {0, 1, 1, -1, 2, 3, 4, 8, 16, 17, 31, 32, 33, 64, 100};
    GpuMapping m;
    int thread_dim = 0;
    int64_t threads = 1;
    const size_t loops = 2 + random.below(4);
    for (size_t l = 0; l < loops; l++) {
        GpuLoop loop;
        loop.role = static_cast<GpuLoopRole>(random.below(4));
        loop.extent = random.between(1, 5);
        if (loop.role == GpuLoopRole::Thread) {
            const int64_t extent = thread_extents[random.below(10)];
            if (thread_dim == 3 || threads * extent > 512) {
                loop.role = GpuLoopRole::Serial;
            } else {
                loop.thread_dim = thread_dim;
                loop.extent = extent;
                m.block_threads[static_cast<size_t>(thread_dim++)] = extent;
                threads *= extent;
            }
        }
        m.loops.push_back(loop);
    }
    // Another stage of the kernel may use more of the block.
    const int64_t idle = random.between(1, 16);
    if (random.chance(0.3) && threads / m.block_threads[0] * (m.block_threads[0] + idle) <= 1024)
        m.block_threads[0] += idle;
    GpuAccess a;
    a.memory = random.chance(0.5) ? GpuMemory::Global : GpuMemory::Shared;
    a.element_bytes = 1 << random.below(5);
    for (size_t l = 0; l < loops; l++) a.strides.push_back(strides[random.below(15)]);
    std::set<int64_t> taps{random.between(0, 40)};
    const size_t more = random.below(4);
    for (size_t t = 0; t < more; t++) taps.insert(*taps.begin() + random.between(-3, 9));
    a.offsets.assign(taps.begin(), taps.end());
    if (random.chance(0.3)) {
        GpuFraction f;
        f.step = static_cast<int64_t>(1) << random.below(6);
        f.divisor = random.between(2, 4);
        f.offset = random.between(-5, 20);
        for (size_t l = 0; l < loops; l++)
            f.strides.push_back(random.chance(0.5) ? random.between(-3, 9) : 0);
        a.fractions.push_back(f);
    }
    m.accesses.push_back(a);
    return m;
}

// Calls visit(iteration of every loop) for all iterations of those that `runs` names.
template <typename Runs, typename Visit>
void for_each_iteration(const GpuMapping &m, const Runs &runs, std::vector<int64_t> at,
                        const Visit &visit) {
    for (bool more = true; more;) {
        visit(at);
        more = false;
        for (size_t l = 0; l < at.size() && !more; l++) {
            if (!runs(l)) continue;
            more = ++at[l] < m.loops[l].extent;
            if (!more) at[l] = 0;
        }
    }
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t address(const GpuAccess &a, const std::vector<int64_t> &at, int64_t offset) {
    int64_t index = offset;
    for (size_t l = 0; l < at.size(); l++) index += at[l] * a.strides[l];
    for (const GpuFraction &f : a.fractions) {
        int64_t position = f.offset;
        for (size_t l = 0; l < at.size(); l++) position += at[l] * f.strides[l];
        index += f.step * floor_divide(position, f.divisor);
    }
    return index * a.element_bytes;
}

// Every lane of every warp of the first block, in the first iteration of all serial loops.
WarpTraffic count_traffic(const GpuMapping &m, const GpuAccess &a) {
    const auto threads = [&](size_t l) { return m.loops[l].role == GpuLoopRole::Thread; };
    const auto unrolled = [&](size_t l) { return m.loops[l].role == GpuLoopRole::Unrolled; };
    // By warp and copy of the body: the addresses by lane. Copies that load the same count once.
    std::map<int64_t, std::set<std::map<int64_t, int64_t>>> loads;
    for_each_iteration(
        m, unrolled, std::vector<int64_t>(m.loops.size()), [&](const std::vector<int64_t> &copy) {
            for (int64_t o : a.offsets) {
                std::map<int64_t, std::map<int64_t, int64_t>> of_warps;
                for_each_iteration(m, threads, copy, [&](const std::vector<int64_t> &at) {
                    std::array<int64_t, 3> lane{};
                    for (size_t l = 0; l < at.size(); l++)
                        if (threads(l)) lane[static_cast<size_t>(m.loops[l].thread_dim)] = at[l];
                    const int64_t thread =
                        (lane[2] * m.block_threads[1] + lane[1]) * m.block_threads[0] + lane[0];
                    of_warps[thread / 32][thread % 32] = address(a, at, o);
                });
                for (auto &[warp, lanes] : of_warps) loads[warp].insert(std::move(lanes));
            }
        });
    std::vector<std::set<int64_t>> warps;
    for (const auto &[warp, copies] : loads)
        for (const auto &lanes : copies) {
            std::set<int64_t> &addresses = warps.emplace_back();
            for (const auto &[lane, byte] : lanes) addresses.insert(byte);
        }
    WarpTraffic sum;
    for (const std::set<int64_t> &addresses : warps) {
        std::set<int64_t> sectors, lines;
        std::map<int64_t, std::set<int64_t>> banks;
        for (int64_t byte : addresses) {
            sectors.insert(floor_divide(byte, 32));
            lines.insert(floor_divide(byte, 128));
            for (int64_t b = 0; b < a.element_bytes; b++) {
                const int64_t word = floor_divide(byte + b, 4);
                banks[((word % 32) + 32) % 32].insert(word);
            }
        }
        size_t most = 0;
        for (const auto &[bank, words] : banks) most = std::max(most, words.size());
        double serial = 1;
        for (const GpuLoop &l : m.loops)
            if (l.role == GpuLoopRole::Serial) serial *= static_cast<double>(l.extent);
        sum.add_scaled(
            {static_cast<double>(sectors.size()), static_cast<double>(lines.size()),
             static_cast<double>(most), static_cast<double>(addresses.size()) * a.element_bytes},
            serial);
    }
    return sum;
}

std::string describe(const GpuMapping &m) {
    static constexpr const char *roles[] = {"block", "thread", "serial", "unrolled"};
    const GpuAccess &a = m.accesses[0];
    std::ostringstream text;
    for (size_t l = 0; l < m.loops.size(); l++)
        text << roles[static_cast<size_t>(m.loops[l].role)] << " " << m.loops[l].extent << " by "
             << a.strides[l] << ", ";
    text << "block of " << m.block_threads[0] << "x" << m.block_threads[1] << "x"
         << m.block_threads[2] << ", elements of " << a.element_bytes << " at";
    for (int64_t o : a.offsets) text << " " << o;
    for (const GpuFraction &f : a.fractions) {
        text << ", " << f.step << " * floor((" << f.offset;
        for (int64_t stride : f.strides) text << " + " << stride;
        text << ") / " << f.divisor << ")";
    }
    return text.str();
}

}  // namespace

std::string check_gpu(Random random) {
    const GpuMapping m = draw_mapping(random);
    if (const std::string broken = validate(m); !broken.empty()) return broken;
    const GpuAccess &a = m.accesses[0];
    const std::string where = describe(m);
    Findings findings;

    // Exact at the origin.
    const WarpTraffic said = block_traffic(m, a, WarpLayout(m));
    const WarpTraffic counted = count_traffic(m, a);
    findings.expect(said.sectors == counted.sectors, where + ": sectors", said.sectors,
                    counted.sectors);
    findings.expect(said.lines == counted.lines, where + ": lines", said.lines, counted.lines);
    findings.expect(said.bank_transactions == counted.bank_transactions, where + ": transactions",
                    said.bank_transactions, counted.bank_transactions);
    findings.expect(said.useful_bytes == counted.useful_bytes, where + ": useful bytes",
                    said.useful_bytes, counted.useful_bytes);

    // Footprints are upper bounds wherever the loops outside stand.
    std::vector<bool> inside;
    std::vector<int64_t> at;
    for (const GpuLoop &l : m.loops) {
        inside.push_back(random.chance(0.6));
        at.push_back(inside.back() ? 0 : random.between(0, l.extent - 1));
    }
    std::set<int64_t> bytes, lines;
    for_each_iteration(
        m, [&](size_t l) { return inside[l]; }, at,
        [&](const std::vector<int64_t> &here) {
            for (int64_t o : a.offsets) {
                bytes.insert(address(a, here, o));
                lines.insert(floor_divide(address(a, here, o), 128));
            }
        });
    const GpuFootprint f = footprint(m, a, inside);
    const auto distinct = static_cast<double>(bytes.size()) * a.element_bytes;
    findings.expect(f.bytes >= distinct, where + ": bytes", f.bytes, distinct);
    findings.expect(f.lines >= static_cast<double>(lines.size()), where + ": footprint lines",
                    f.lines, lines.size());
    if (a.offsets.size() == 1 && a.fractions.empty()) {
        int64_t run = 0;
        while (bytes.count(*bytes.begin() + run) > 0) run += a.element_bytes;
        const double contiguous = contiguous_bytes(m, a, inside);
        findings.expect(contiguous == static_cast<double>(run), where + ": contiguous bytes",
                        contiguous, run);
    }
    return findings.text();
}

}  // namespace cryolite::oracle
