#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "featurize/counts/cache_sets.h"
#include "featurize/counts/footprint.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"

namespace cryolite::oracle {

namespace {

struct StoredBox {
    Func func;
    Box stored, box;

    explicit StoredBox(Random random) {
        static constexpr int64_t extents[] = {1, 2, 3, 5, 8, 16, 17, 31, 32, 40, 64, 80};
        static constexpr int bits[] = {8, 16, 32, 32, 64};
        const size_t dims = 1 + random.below(3);
        func.name = "f";
        func.values = {ScalarType{ScalarType::Kind::UInt, bits[random.below(5)]}};
        for (size_t d = 0; d < dims; d++) {
            func.dims.push_back("d");
            func.storage_order.push_back(static_cast<int>(d));
            const int64_t min = random.between(-5, 5);
            const int64_t extent = extents[random.below(12)];
            stored.push_back({min, min + extent - 1});
            Interval part = stored.back();
            if (random.chance(0.7)) {
                part.min = random.between(part.min, part.max);
                part.max = random.between(part.min, part.max);
            }
            box.push_back(part);
        }
        for (size_t d = dims; d > 1; d--)
            std::swap(func.storage_order[d - 1], func.storage_order[random.below(d)]);
        func.root_region = stored;
    }

    // In bytes from the storage's first, ascending.
    std::vector<int64_t> addresses() const {
        std::vector<int64_t> found{0};
        int64_t stride = func.bytes_per_point();
        for (int dim : func.storage_order) {
            const auto d = static_cast<size_t>(dim);
            std::vector<int64_t> wider;
            for (int64_t i = box[d].min; i <= box[d].max; i++)
                for (int64_t a : found) wider.push_back(a + (i - stored[d].min) * stride);
            found = std::move(wider);
            stride *= stored[d].extent();
        }
        std::sort(found.begin(), found.end());
        return found;
    }
};

// How many runs there are when gaps of up to `gap` bytes do not end one.
int64_t count_runs(const std::vector<int64_t> &addresses, int64_t element, int64_t gap) {
    int64_t runs = 1;
    for (size_t i = 1; i < addresses.size(); i++)
        runs += addresses[i] - addresses[i - 1] - element > gap;
    return runs;
}

// Bytes of the lines touched, on average over all places in a line where the storage may start.
double mean_line_bytes(const std::vector<int64_t> &addresses, int64_t element, int64_t line) {
    int64_t lines = 0;
    for (int64_t start = 0; start < line; start += element) {
        int64_t last = -1;
        for (int64_t a : addresses) {
            lines += (a + start) / line != last;
            last = (a + start) / line;
        }
    }
    return static_cast<double>(lines * element);
}

// Line by line.
SetLoads counted_set_loads(const MemoryRows &rows, const CacheLevel &cache) {
    std::map<int64_t, int> in_set;
    double lines = 0;
    for (int64_t row = 0; row < rows.count(); row++) {
        int64_t first = rows.first_byte, rest = row;
        for (const MemoryRows::Step &s : rows.steps) {
            first += rest % s.count * s.bytes;
            rest /= s.count;
        }
        const int64_t last = (first + rows.length - 1) / cache.line_bytes;
        for (int64_t l = first / cache.line_bytes; l <= last; l++, lines++)
            in_set[l % sets_of(cache)]++;
    }
    SetLoads loads(static_cast<size_t>(cache.ways) + 2, 0);
    for (const auto &[set, n] : in_set)
        loads[static_cast<size_t>(std::min(n, cache.ways + 1))] += n / lines;
    return loads;
}

}  // namespace

std::string check_memory(Random random) {
    constexpr int line = 64;
    constexpr int64_t read_across = 256;  // the gap that footprint.h reads across: a few lines
    const StoredBox s(random);
    const std::vector<int64_t> addresses = s.addresses();
    const int64_t element = s.func.bytes_per_point();
    Findings findings;
    std::ostringstream where;
    where << s.box << " of " << s.stored << " in order";
    for (int d : s.func.storage_order) where << " " << d;
    where << ", elements of " << element;

    // A gap is judged dimension by dimension; those of several dimensions add up.
    const double runs = contiguous_runs(s.func, s.box, s.stored);
    const int64_t most = count_runs(addresses, element, read_across);
    const int64_t fewest =
        count_runs(addresses, element, read_across * static_cast<int64_t>(s.box.size()));
    findings.expect(static_cast<double>(fewest) <= runs && runs <= static_cast<double>(most),
                    where.str() + " runs", runs, most);

    // Half of what every piece touches besides its own is left out. Above all lines, per piece, the gap
    // that would follow it and half a line.
    const double bytes = line_bytes(s.func, s.box, s.stored, line);
    const double own = points(s.box) * static_cast<double>(element);
    const double all = mean_line_bytes(addresses, element, line);
    const auto pieces = static_cast<double>(count_runs(addresses, element, line - 1));
    findings.expect((own + all) / 2 <= bytes * (1 + 1e-9) && bytes <= all + 1.5 * line * pieces,
                    where.str() + " line bytes", bytes, all);

    // Every line of a row that is touched lies in one set.
    CacheLevel cache;
    cache.line_bytes = line;
    cache.ways = static_cast<int>(random.between(1, 4));
    const int64_t sets = int64_t{1} << random.between(0, 4);
    cache.size_bytes = sets * cache.ways * line;
    const MemoryRows rows = rows_of(s.func, s.box, s.stored, line);
    if (rows.steps.empty() || static_cast<double>(rows.count() * rows.length) >
                                  1.5 * static_cast<double>(cache.size_bytes))
        return findings.text();
    const SetLoads said = set_loads(rows, cache, 4096), counted = counted_set_loads(rows, cache);
    for (size_t n = 0; n < said.size(); n++)
        findings.expect(std::abs(said[n] - counted[n]) < 1e-9,
                        where.str() + " sets of " + std::to_string(n), said[n], counted[n]);
    return findings.text();
}

}  // namespace cryolite::oracle
