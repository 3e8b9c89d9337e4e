#include "tensorcore/tile_kernel.h"

#include <map>

#include "tensorcore/placeholder.h"

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::cast;
using Halide::Expr;
using Halide::Int;
using Halide::min;
using Halide::select;
using Halide::Type;
using Halide::UInt;
using ir::Stmt;

namespace {

constexpr int kFenceShared = 2;  // of gpu_thread_barrier()

Expr variable(const std::string &name) { return ir::Variable::make(Int(32), name); }

Expr ceil_div(const Expr &a, int b) { return (a + (b - 1)) / b; }

Stmt sequence(const std::vector<Stmt> &statements) { return ir::Block::make(statements); }

class Builder {
public:
    Builder(const ProductPlan &plan, const KernelShape &shape, int number, std::string name,
            bool copies_units)
        : plan_(plan),
          shape_(shape),
          number_(number),
          name_(std::move(name)),
          copies_units_(copies_units),
          lane_(variable(local("lane"))),
          warp_(variable(local("warp"))) {
        has_async_copies_ = shape_.copies_asynchronously() &&
                            (is_copied_in_units(plan_.rows) || is_copied_in_units(plan_.columns));
    }

    Stmt kernel() {
        const Tile &tile = shape_.tile;
        const Expr tiles_down = ceil_div(extent_of(plan_.rows_loops), tile.block_rows);
        const Expr tiles_across = ceil_div(extent_of(plan_.columns_loops), tile.block_columns);
        const Expr block = variable(block_name());
        Stmt body = thread_body();
        // Neighbouring blocks share rows. One dimension of blocks has no limit that counts.
        body = ir::LetStmt::make(local("first_column"), (block % tiles_across) * tile.block_columns,
                                 body);
        body = ir::LetStmt::make(local("first_row"),
                                 ((block / tiles_across) % tiles_down) * tile.block_rows, body);
        body = ir::LetStmt::make(local("batch"), block / (tiles_across * tiles_down), body);
        body = ir::LetStmt::make(lane_name(), variable(thread_name()) % 32, body);
        body = ir::LetStmt::make(warp_name(), variable(thread_name()) / 32, body);
        body = ir::For::make(thread_name(), 0, tile.threads(), ir::ForType::GPUThread,
                             Halide::Partition::Never, Halide::DeviceAPI::CUDA, body);
        const std::string shared = local("shared");
        body = ir::Allocate::make(shared, UInt(8), Halide::MemoryType::GPUShared,
                                  {shape_.shared_bytes()}, ir::const_true(),
                                  ir::Block::make(body, ir::Free::make(shared)));
        const Expr blocks = ir::simplify(tiles_down * tiles_across * extent_of(plan_.batch_loops));
        return ir::For::make(block_name(), 0, blocks, ir::ForType::GPUBlock,
                             Halide::Partition::Never, Halide::DeviceAPI::CUDA, body);
    }

private:
    std::string local(const std::string &what) const { return name_ + ".cryolite_" + what; }
    std::string lane_name() const { return local("lane"); }
    std::string warp_name() const { return local("warp"); }
    std::string block_name() const { return name_ + ir::gpu_block_name(0); }
    std::string thread_name() const { return name_ + ir::gpu_thread_name(0); }

    Expr call(Type type, Placeholder placeholder, std::vector<Expr> arguments = {},
              int at = 0) const {
        return ir::Call::make(type, placeholder_name(placeholder, number_, at), arguments,
                              ir::Call::Extern);
    }
    Stmt run(Placeholder placeholder, std::vector<Expr> arguments = {}) const {
        return ir::Evaluate::make(call(Int(32), placeholder, std::move(arguments)));
    }
    static Stmt barrier() {
        return ir::Evaluate::make(ir::Call::make(Int(32), ir::Call::gpu_thread_barrier,
                                                 {kFenceShared}, ir::Call::Intrinsic));
    }
    static Stmt if_true(const Expr &condition, const Stmt &body) {
        const Expr simple = ir::simplify(condition);
        return ir::is_const_one(simple) ? body : ir::IfThenElse::make(simple, body);
    }

    bool is_copied_in_units(const Operand &operand) const {
        return copies_units_ && operand.units.has_value();
    }

    Expr shared_base() const { return variable(local("base")); }
    // Where a place of the ring of chunks begins.
    Expr stage_base(const Expr &chunk) const {
        return shared_base() + (chunk % shape_.tile.stages) * shape_.stage_bytes();
    }

    // Waits, makes a chunk visible to all, starts the copy that takes the place of the chunk before, multiplies. One
    // barrier is enough: nobody reads the place that is written any more, because all have passed the barrier.
    Stmt thread_body() {
        const int ahead = shape_.tile.stages - 1;
        const Expr chunk = variable(local("chunk")), chunks = variable(local("chunks"));
        std::vector<Stmt> statements{run(Placeholder::Clear)};
        for (int c = 0; c < ahead; c++) {
            statements.push_back(if_true(Expr(c) < chunks, copy_chunk(c)));
            if (has_async_copies_) statements.push_back(run(Placeholder::Commit));
        }
        std::vector<Stmt> loop;
        if (has_async_copies_) loop.push_back(run(Placeholder::Wait));
        loop.push_back(barrier());
        loop.push_back(if_true(chunk + ahead < chunks, copy_chunk(chunk + ahead)));
        if (has_async_copies_) loop.push_back(run(Placeholder::Commit));
        loop.push_back(
            run(Placeholder::Multiply, {stage_base(chunk) + variable(local("rows_at")),
                                        stage_base(chunk) + variable(local("columns_at"))}));
        statements.push_back(ir::For::make(local("chunk"), 0, chunks, ir::ForType::Serial,
                                           Halide::Partition::Never, Halide::DeviceAPI::None,
                                           sequence(loop)));
        statements.push_back(epilogue());
        Stmt body = sequence(statements);
        body = ir::LetStmt::make(local("rows_at"), rows_fragment(), body);
        body = ir::LetStmt::make(local("columns_at"), columns_fragment(), body);
        body = ir::LetStmt::make(
            local("chunks"), ceil_div(extent_of(plan_.depth_loops), shape_.chunk_depth()), body);
        return ir::LetStmt::make(local("base"), call(Int(32), Placeholder::Shared), body);
    }

    // Addresses of the rows that a lane names to ldmatrix, for the warp's first fragment. Lanes 0-7 name the rows of
    // the first 8x8 matrix, 8-15 those of the second, and so on. Of rows the second lies below the first, and the
    // third behind it in depth; of columns the other way round. Where words are read, the address of a lane's first.
    Expr rows_fragment() const {
        const OperandLayout layout = shape_.rows_layout();
        const Expr first = (warp_ % shape_.tile.warps_down) * shape_.tile.warp_rows();
        if (layout.is_read_in_words()) return word_of_lane(layout, first);
        if (layout.along_depth) return place_of(layout, first + lane_ % 16, lane_ / 16);
        return place_of(layout, (lane_ / 16) * 8 + lane_ % 8, unit_across(first) + (lane_ / 8) % 2);
    }
    Expr columns_fragment() const {
        const OperandLayout layout = shape_.columns_layout();
        const Expr first = (warp_ / shape_.tile.warps_down) * shape_.tile.warp_columns();
        const Expr start = shape_.rows_layout().bytes();
        if (layout.is_read_in_words()) return start + word_of_lane(layout, first);
        if (layout.along_depth)
            return start + place_of(layout, first + (lane_ / 16) * 8 + lane_ % 8, (lane_ / 8) % 2);
        return start + place_of(layout, lane_ % 16, unit_across(first) + lane_ / 16);
    }
    // Four lanes read the depth of an instruction's fragment, eight of these its rows or columns.
    Expr word_of_lane(const OperandLayout &layout, const Expr &first) const {
        const Expr across = lane_ / 4;
        return place_of(layout, lane_ % 4, unit_across(first) + across / shape_.unit_elements()) +
               (across % shape_.unit_elements()) * shape_.element_bytes();
    }
    // Elements that differ in rows or columns are neighbours: the unit of one of them.
    Expr unit_across(const Expr &at) const { return at / shape_.unit_elements(); }
    static Expr place_of(const OperandLayout &layout, const Expr &row, const Expr &unit) {
        Expr place = unit;
        if (layout.swizzled_units() > 1)
            place = unit ^ (((row / layout.row_step()) * layout.swizzle_factor()) %
                            layout.swizzled_units());
        return row * layout.row_bytes + place * kUnitBytes;
    }

    Stmt copy_chunk(const Expr &chunk) {
        const Expr to = variable(local("to"));
        const Stmt body = ir::Block::make(
            copy_operand(plan_.rows, plan_.rows_loops, shape_.rows_layout(), local("first_row"),
                         chunk, to),
            copy_operand(plan_.columns, plan_.columns_loops, shape_.columns_layout(),
                         local("first_column"), chunk, to + shape_.rows_layout().bytes()));
        return ir::LetStmt::make(local("to"), stage_base(chunk), body);
    }

    Stmt copy_operand(const Operand &operand, const FusedLoops &loops, const OperandLayout &layout,
                      const std::string &first, const Expr &chunk, const Expr &to) {
        const int units_per_row = layout.units_per_row();
        const int per_thread = layout.units() / shape_.tile.threads();
        std::vector<Stmt> statements;
        for (int u = 0; u < per_thread; u++) {
            const Expr unit = variable(thread_name()) + u * shape_.tile.threads();
            const Expr row = unit / units_per_row;
            const Expr along = (unit % units_per_row) * shape_.unit_elements();
            const Expr deep = chunk * shape_.chunk_depth() + (layout.along_depth ? along : row);
            const Expr side = variable(first) + (layout.along_depth ? row : along);
            const Expr address = to + place_of(layout, row, unit % units_per_row);
            statements.push_back(is_copied_in_units(operand)
                                     ? copy_unit(operand, loops, side, deep, address)
                                     : gather_unit(operand, loops, layout, side, deep, address));
        }
        return sequence(statements);
    }

    std::map<std::string, Expr> point(const FusedLoops &loops, const Expr &side,
                                      const Expr &deep) const {
        std::map<std::string, Expr> values = values_at(loops, side);
        values.merge(values_at(plan_.depth_loops, deep));
        values.merge(values_at(plan_.batch_loops, variable(local("batch"))));
        return values;
    }

    // A unit lies inside as a whole or not at all: the launch is guarded.
    Stmt copy_unit(const Operand &operand, const FusedLoops &loops, const Expr &side,
                   const Expr &deep, const Expr &to) {
        const Expr is_inside = side < extent_of(loops) && deep < extent_of(plan_.depth_loops);
        const Expr index = ir::substitute(point(loops, side, deep), operand.units->index);
        const Expr from =
            ir::Variable::make(UInt(64), address_name(operand.units->buffer)) +
            cast(UInt(64), cast(Int(64), select(is_inside, index, 0)) * shape_.element_bytes());
        return run(Placeholder::Copy, {to, from, select(is_inside, kUnitBytes, 0)});
    }

    // Elements one by one, from any expression. Outside of the operand the nearest element inside is loaded, and 0
    // takes its place.
    Stmt gather_unit(const Operand &operand, const FusedLoops &loops, const OperandLayout &layout,
                     const Expr &side, const Expr &deep, const Expr &to) {
        const Expr sides = extent_of(loops), depth = extent_of(plan_.depth_loops);
        const int per_word = 4 / shape_.element_bytes();
        std::vector<Expr> arguments{to};
        for (int w = 0; w < 4; w++) {
            Expr word = ir::make_zero(UInt(32));
            for (int e = 0; e < per_word; e++) {
                const int at = w * per_word + e;
                const Expr s = layout.along_depth ? side : side + at;
                const Expr d = layout.along_depth ? deep + at : deep;
                const Expr value = bits_of(ir::substitute(
                    point(loops, min(s, sides - 1), min(d, depth - 1)), operand.value));
                const Expr inside =
                    select(s < sides && d < depth, value, ir::make_zero(value.type()));
                word = word | (cast(UInt(32), inside) << (e * 8 * shape_.element_bytes()));
            }
            arguments.push_back(Halide::reinterpret(Int(32), word));
        }
        return run(Placeholder::Put, arguments);
    }

    // A load is done in the type of its bits: no conversion is wanted.
    Expr bits_of(const Expr &value) const {
        const Type bits = UInt(8 * shape_.element_bytes());
        if (const ir::Load *load = value.as<ir::Load>()) {
            return ir::Load::make(bits, load->name, load->index, load->image, load->param,
                                  load->predicate, load->alignment);
        }
        return Halide::reinterpret(bits, value);
    }

    Expr sum(int number) const {
        if (plan_.types.sum == Sum::F32)
            return call(Halide::Float(32), Placeholder::Sum, {}, number);
        if (plan_.types.sum == Sum::I32) {
            return Halide::reinterpret(plan_.sum_type, call(Int(32), Placeholder::Sum, {}, number));
        }
        const Expr pair =
            Halide::reinterpret(UInt(32), call(Int(32), Placeholder::Sum, {}, number / 2));
        return Halide::reinterpret(plan_.sum_type,
                                   cast(UInt(16), number % 2 == 0 ? pair : pair >> 16));
    }

    // A thread owns pairs of neighbouring columns, in rows that are 8 apart.
    Stmt epilogue() {
        const Expr first_row = variable(local("first_row")) +
                               (warp_ % shape_.tile.warps_down) * shape_.tile.warp_rows() +
                               lane_ / 4;
        const Expr first_column = variable(local("first_column")) +
                                  (warp_ / shape_.tile.warps_down) * shape_.tile.warp_columns() +
                                  (lane_ % 4) * 2;
        std::vector<Stmt> rows;
        for (int r = 0; r < 2 * shape_.row_fragments(); r++) {
            std::vector<Stmt> columns;
            for (int c = 0; c < 2 * shape_.column_fragments(); c++) {
                const int fragment = (r / 2) * shape_.column_fragments() + c / 2;
                columns.push_back(store_sum(first_column + (c / 2) * kInstructionColumns + c % 2,
                                            4 * fragment + 2 * (r % 2) + c % 2));
            }
            const Expr row = variable(local("row"));
            rows.push_back(ir::LetStmt::make(
                local("row"), first_row + r * 8,
                ir::IfThenElse::make(row < extent_of(plan_.rows_loops), sequence(columns))));
        }
        return sequence(rows);
    }

    Stmt store_sum(const Expr &at, int number) {
        const Expr column = variable(local("column"));
        std::map<std::string, Expr> values = values_at(plan_.rows_loops, variable(local("row")));
        values.merge(values_at(plan_.columns_loops, column));
        values.merge(values_at(plan_.batch_loops, variable(local("batch"))));
        const std::string sum_name = local("sum");
        std::map<std::string, Expr> with_sum = values;
        with_sum[kSumName] = ir::Variable::make(plan_.sum_type, sum_name);
        std::vector<Stmt> stores;
        for (const PointStore &store : plan_.stores) {
            stores.push_back(ir::Store::make(store.buffer, ir::substitute(with_sum, store.value),
                                             ir::substitute(values, store.index), store.parameter,
                                             ir::const_true(), ir::ModulusRemainder()));
        }
        Stmt body = ir::LetStmt::make(sum_name, ir::substitute(values, plan_.initial) + sum(number),
                                      sequence(stores));
        body = ir::IfThenElse::make(column < extent_of(plan_.columns_loops), body);
        return ir::LetStmt::make(local("column"), at, body);
    }

    const ProductPlan &plan_;
    const KernelShape &shape_;
    int number_;
    std::string name_;
    bool copies_units_;
    bool has_async_copies_ = false;
    Expr lane_, warp_;
};

}  // namespace

KernelShape shape_for(const ProductPlan &plan, const Tile &tile, int capability) {
    return {plan.types, tile, plan.rows.along_depth, plan.columns.along_depth, capability};
}

Stmt tile_kernel(const ProductPlan &plan, const KernelShape &shape, int number,
                 const std::string &name, bool copies_units) {
    return Builder(plan, shape, number, name, copies_units).kernel();
}

Expr has_points(const ProductPlan &plan) {
    return ir::simplify(extent_of(plan.rows_loops) > 0 && extent_of(plan.columns_loops) > 0 &&
                        extent_of(plan.batch_loops) > 0);
}

}  // namespace cryolite::tensorcore
