#include "search/space/unrolled_blocks.h"

#include <algorithm>
#include <utility>

#include "search/reads/shared_vectors.h"
#include "search/space/vector_choices.h"

namespace cryolite {
namespace {

constexpr int64_t most_channels = 4;

using Unroll = std::pair<int64_t, int64_t>;  // (vectors, rows)

std::vector<Unroll> unrolls_of(const TilingSpace &s) {
    std::vector<Unroll> u{{1, 1}, {1, 2}, {2, 1}, {1, 4}};
    if (s.holds_sums) {
        u.insert(u.end(), {{2, 2}, {1, 8}, {2, 4}, {4, 2}, {4, 4}, {2, 6}, {4, 6}, {2, 8}, {3, 8}});
        // As many single vectors of sums as there are registers for, with some left for the factors.
        for (int64_t rows : {12, 16, 20, 24, 28})
            if (rows + 4 <= s.machine.vector_registers) u.emplace_back(1, rows);
    }
    // Whole squares. The cost model refuses those that make too much code.
    if ((s.transposed_read && !s.has_reduction) || s.source_row_dim)
        for (int64_t rows : {8, 16, 32})
            if (std::ranges::find(u, Unroll{1, rows}) == u.end()) u.emplace_back(1, rows);
    return u;
}

// The dimensions whose rows load the same vectors: see shared_vectors.h.
using RowsThatShare = SmallVector<int, 6>;

RowsThatShare rows_that_share(const TilingSpace &s, int vector_dim) {
    RowsThatShare rows;
    if (s.holds_sums)
        for (int d = 0; d < static_cast<int>(s.func.dims.size()); d++)
            if (share_vectors(s.graph, s.func, vector_dim, d)) rows.push_back(d);
    return rows;
}

// A block of sums in registers: rows of two dimensions, each of which shares other vectors.
struct Block {
    int dims[2];
    int64_t rows[2];
};

// Of each pair of such dimensions, blocks of as many rows as there are registers for. The factors of the shorter rows
// are kept together, and one of the others: few copies stand inside (tiling_template.cpp).
std::vector<Block> blocks_that_share(const TilingSpace &s, int vector_dim,
                                     const RowsThatShare &sharing) {
    constexpr int64_t most_rows = 8;
    std::vector<Block> blocks;
    for (size_t a = 0; a < sharing.size(); a++)
        for (size_t b = a + 1; b < sharing.size(); b++) {
            if (!share_different_vectors(s.graph, s.func, vector_dim, {sharing[a], sharing[b]}))
                continue;
            const auto most = [&](size_t dim) {
                return std::min(most_rows, s.extent(static_cast<size_t>(sharing[dim])));
            };
            for (int64_t rows = 2; rows <= most(a); rows++) {
                int64_t others = most(b);
                while (rows * others + std::min(rows, others) + 1 > s.machine.vector_registers)
                    others--;
                if (others > 1) blocks.push_back({{sharing[a], sharing[b]}, {rows, others}});
            }
        }
    return blocks;
}

// Collects the blocks beside vectors along one dimension.
class Blocks {
public:
    Blocks(const TilingSpace &space, int vector_dim)
        : s_(space), vector_dim_(vector_dim), sharing_(rows_that_share(space, vector_dim)) {}

    std::vector<UnrolledBlock> all() {
        for (const Unroll &u : unrolls_of(s_)) add(u);
        for (const Block &block : blocks_that_share(s_, vector_dim_, sharing_)) {
            UnrolledBlock copies = ones();
            for (size_t i : {0, 1}) copies[static_cast<size_t>(block.dims[i])] = block.rows[i];
            found_.push_back(copies);
        }
        return std::move(found_);
    }

private:
    UnrolledBlock ones() const {
        UnrolledBlock copies;
        copies.assign(s_.func.dims.size(), 1);
        return copies;
    }

    void add_with(UnrolledBlock copies, size_t d, int64_t rows) {
        copies[d] = rows;
        found_.push_back(copies);
    }

    // The rows are the first other dimension that is long enough, and the first whose rows share vectors where those
    // do not.
    void add(const Unroll &u) {
        UnrolledBlock copies = ones();
        if (vector_dim_ >= 0) copies[static_cast<size_t>(vector_dim_)] = u.first;
        if (s_.source_row_dim && vector_dim_ == *s_.source_row_dim) {
            const auto row = static_cast<size_t>(s_.order[0]);
            return add_with(copies, row, std::min(u.second, s_.extent(row)));
        }
        const size_t dense = s_.colours > 1 ? static_cast<size_t>(s_.order[0]) : copies.size();
        if (s_.colours > 1) copies[dense] = s_.colours;
        const auto is_possible = [&](size_t d) {
            return static_cast<int>(d) != vector_dim_ && d != dense && s_.extent(d) >= u.second;
        };
        if (u == Unroll{1, 1}) add_channels_of_gathers(copies);
        size_t first = 0;
        while (first < copies.size() && !is_possible(first)) first++;
        if (first == copies.size()) return found_.push_back(copies);
        add_with(copies, first, u.second);
        if (u.second == 1 || std::ranges::find(sharing_, static_cast<int>(first)) != sharing_.end())
            return;
        const auto other = std::ranges::find_if(
            sharing_, [&](int d) { return is_possible(static_cast<size_t>(d)); });
        if (other != sharing_.end()) add_with(copies, static_cast<size_t>(*other), u.second);
    }

    // Scalars in place of gathers share addresses and weights between all channels.
    void add_channels_of_gathers(const UnrolledBlock &copies) {
        if (vector_dim_ >= 0 || dense_dim(s_) < 0 || !lanes_come_apart(s_, dense_dim(s_))) return;
        for (size_t d = 0; d < copies.size(); d++)
            if (s_.extent(d) > 1 && s_.extent(d) <= most_channels)
                add_with(copies, d, s_.extent(d));
    }

    const TilingSpace &s_;
    const int vector_dim_;
    const RowsThatShare sharing_;
    std::vector<UnrolledBlock> found_;
};

}  // namespace

std::vector<UnrolledBlock> unrolled_blocks(const TilingSpace &space, int vector_dim) {
    return Blocks(space, vector_dim).all();
}

}  // namespace cryolite
