#include "tensorcore/instructions.h"

#include <charconv>

namespace cryolite::tensorcore {

namespace {

std::string rows_register(int i) { return "%cryolite_a" + std::to_string(i); }
std::string columns_register(int i) { return "%cryolite_b" + std::to_string(i); }
std::string sum_register(int i) { return "%cryolite_c" + std::to_string(i); }
constexpr const char *kRowsAddress = "%cryolite_rows";
constexpr const char *kColumnsAddress = "%cryolite_columns";
constexpr const char *kFragmentAddress = "%cryolite_fragment";
constexpr const char *kHasUnit = "%cryolite_has";
// A block of so many threads leaves half of an SM's registers idle if a thread takes a few more than 128.
constexpr int kThreadsOfTwoBlocks = 256;
constexpr const char *kGlobalAddress = "%cryolite_from";

std::string line(const std::string &text) { return "\t" + text + ";\n"; }

std::string list(const std::vector<std::string> &registers) {
    std::string text = "{";
    for (const std::string &name : registers) text += (text.size() > 1 ? ", " : "") + name;
    return text + "}";
}

// Sums of two halves share a register.
int sum_registers(const KernelShape &shape) {
    return shape.types.sum == Sum::F16 ? shape.sums() / 2 : shape.sums();
}

const char *ptx_type(Element element) {
    switch (element) {
        case Element::F16: return "f16";
        case Element::BF16: return "bf16";
        case Element::I8: return "s8";
        case Element::U8: return "u8";
        case Element::TF32: return "tf32";
    }
    return "";
}

const char *ptx_type(Sum sum) {
    switch (sum) {
        case Sum::F32: return "f32";
        case Sum::F16: return "f16";
        case Sum::I32: return "s32";
    }
    return "";
}

// mma.sync of a shape such as m16n8k16.
std::string multiply(const KernelShape &shape, const char *size,
                     const std::vector<std::string> &sums, const std::vector<std::string> &rows,
                     const std::vector<std::string> &columns) {
    const std::string sum = ptx_type(shape.types.sum);
    return line("mma.sync.aligned." + std::string(size) + ".row.col." + sum + "." +
                ptx_type(shape.types.rows) + "." + ptx_type(shape.types.columns) + "." + sum + " " +
                list(sums) + ", " + list(rows) + ", " + list(columns) + ", " + list(sums));
}

// 16 rows by 8 columns over 32 bytes of depth: one instruction since 8.0, two or four smaller ones on 7.5. A word of
// depth has the same place in a fragment, whether it is four bytes, two halves or a float. a[0] and a[1] are the upper
// and lower rows of the first half of the depth, a[2] and a[3] of the second.
std::string multiply_step(const KernelShape &shape, int row, int column) {
    std::vector<std::string> a, b, c;
    for (int i = 0; i < 4; i++) a.push_back(rows_register(4 * row + i));
    for (int i = 0; i < 2; i++) b.push_back(columns_register(2 * column + i));
    const int per_fragment = shape.types.sum == Sum::F16 ? 2 : 4;
    const int fragment = row * shape.column_fragments() + column;
    for (int i = 0; i < per_fragment; i++) c.push_back(sum_register(per_fragment * fragment + i));
    const bool is_byte = shape.element_bytes() == 1;
    if (shape.types.rows == Element::TF32) return multiply(shape, "m16n8k8", c, a, b);
    if (shape.capability >= 80) return multiply(shape, is_byte ? "m16n8k32" : "m16n8k16", c, a, b);
    if (!is_byte) {
        return multiply(shape, "m16n8k8", c, {a[0], a[1]}, {b[0]}) +
               multiply(shape, "m16n8k8", c, {a[2], a[3]}, {b[1]});
    }
    std::string text;
    for (int i = 0; i < 4; i++) {
        const bool is_lower = i % 2 == 1;
        text += multiply(shape, "m8n8k16", {c[is_lower ? 2 : 0], c[is_lower ? 3 : 1]}, {a[i]},
                         {b[i / 2]});
    }
    return text;
}

// Where a fragment lies behind the first one: rows below it, and units along the row, which is even. The warp's first
// unit has zeros in the bits that the units of its fragments differ in.
struct FragmentPlace {
    int rows, units;
};

// across: in rows or columns. step: in depth, 32 bytes each.
FragmentPlace fragment_place(const OperandLayout &layout, const KernelShape &shape, int across,
                             int step) {
    if (layout.along_depth) return {across, step * kStepBytes / kUnitBytes};
    return {step * kStepBytes / shape.element_bytes(), across / shape.unit_elements()};
}

// Loads from a place behind `base`. What is swizzled of a unit's number is changed by xor, the rest by adding. Rows and
// units of eight change nothing, and neither do four rows where words are read.
std::string load_from(const OperandLayout &layout, const std::string &instruction, const char *base,
                      const FragmentPlace &place) {
    const int swizzled = place.units % layout.swizzled_units();
    const int bytes = place.rows * layout.row_bytes + (place.units - swizzled) * kUnitBytes;
    std::string text;
    if (swizzled != 0)
        text = line(std::string("xor.b32 ") + kFragmentAddress + ", " + base + ", " +
                    std::to_string(swizzled * kUnitBytes));
    return text + line(instruction + ", [" + (swizzled != 0 ? kFragmentAddress : base) + "+" +
                       std::to_string(bytes) + "]");
}

// The four registers that ldmatrix fills at once: of 16 rows, or of two fragments of columns. Of rows the second one is
// 8 rows below the first and the third behind it in depth; of columns the other way round.
std::string load_fragment(const OperandLayout &layout, bool is_of_rows,
                          const std::vector<std::string> &to, const char *base,
                          const FragmentPlace &place) {
    if (!layout.is_read_in_words())
        return load_from(layout,
                         std::string("ldmatrix.sync.aligned.m8n8.x4") +
                             (layout.along_depth ? "" : ".trans") + ".shared.b16 " + list(to),
                         base, place);
    const int depth = kUnitBytes / layout.element_bytes;
    const int units_across = 8 * layout.element_bytes / kUnitBytes;
    std::string text;
    for (int i = 0; i < 4; i++) {
        const bool is_second = i % 2 == 1, is_behind = i / 2 == 1;
        const bool is_deep = is_of_rows ? is_behind : is_second;
        const bool is_across = is_of_rows ? is_second : is_behind;
        text += load_from(
            layout, "ld.shared.b32 " + to[static_cast<size_t>(i)], base,
            {place.rows + (is_deep ? depth : 0), place.units + (is_across ? units_across : 0)});
    }
    return text;
}

// Floats are rounded to nearest. The instruction would cut them off, which is twice as far, and always towards zero.
// An integer addition of half a step would do, but turns the NaN that CUDA makes, 0x7fffffff, into a zero.
std::string rounded(const KernelShape &shape, const std::vector<std::string> &registers) {
    std::string text;
    if (precision_of(shape.types) == Precision::Exact) return text;
    for (const std::string &name : registers)
        text += line("cvt.rna.tf32.f32 " + name + ", " + name);
    return text;
}

std::string multiply_chunk(const KernelShape &shape, const std::string &rows,
                           const std::string &columns) {
    const OperandLayout rows_layout = shape.rows_layout(), columns_layout = shape.columns_layout();
    std::string text = line(std::string("mov.b32 ") + kRowsAddress + ", " + rows) +
                       line(std::string("mov.b32 ") + kColumnsAddress + ", " + columns);
    for (int step = 0; step < shape.steps(); step++) {
        for (int r = 0; r < shape.row_fragments(); r++) {
            std::vector<std::string> to;
            for (int i = 0; i < 4; i++) to.push_back(rows_register(4 * r + i));
            text += load_fragment(rows_layout, true, to, kRowsAddress,
                                  fragment_place(rows_layout, shape, r * kInstructionRows, step)) +
                    rounded(shape, to);
        }
        // Two fragments of columns at once.
        for (int c = 0; c < shape.column_fragments(); c += 2) {
            std::vector<std::string> to;
            for (int i = 0; i < 4; i++) to.push_back(columns_register(2 * c + i));
            text += load_fragment(
                        columns_layout, false, to, kColumnsAddress,
                        fragment_place(columns_layout, shape, c * kInstructionColumns, step)) +
                    rounded(shape, to);
        }
        for (int r = 0; r < shape.row_fragments(); r++) {
            for (int c = 0; c < shape.column_fragments(); c++) text += multiply_step(shape, r, c);
        }
    }
    return text;
}

std::string clear(const KernelShape &shape) {
    const bool is_float = shape.types.sum == Sum::F32;
    std::string text;
    for (int i = 0; i < sum_registers(shape); i++) {
        text += line((is_float ? "mov.f32 " : "mov.b32 ") + sum_register(i) + ", " +
                     (is_float ? "0f00000000" : "0"));
    }
    return text;
}

// Since 8.0 the copy goes on in the background. Before, the unit takes its way through registers of its own.
std::string copy_unit(const KernelShape &shape, const std::vector<std::string> &arguments) {
    const std::string &to = arguments[0], &from = arguments[1], &bytes = arguments[2];
    if (shape.copies_asynchronously()) {
        return line(std::string("mov.b32 ") + kRowsAddress + ", " + to) +
               line(std::string("mov.b64 ") + kGlobalAddress + ", " + from) +
               line(std::string("mov.b32 ") + kColumnsAddress + ", " + bytes) +
               line(std::string("cp.async.cg.shared.global [") + kRowsAddress + "], [" +
                    kGlobalAddress + "], 16, " + kColumnsAddress);
    }
    const std::vector<std::string> unit{"%cryolite_u0", "%cryolite_u1", "%cryolite_u2",
                                        "%cryolite_u3"};
    std::string text = line(std::string("mov.b32 ") + kRowsAddress + ", " + to) +
                       line(std::string("mov.b64 ") + kGlobalAddress + ", " + from) +
                       line(std::string("setp.ne.s32 ") + kHasUnit + ", " + bytes + ", 0");
    for (const std::string &word : unit) text += line("mov.b32 " + word + ", 0");
    text += line(std::string("@") + kHasUnit + " ld.global.nc.v4.b32 " + list(unit) + ", [" +
                 kGlobalAddress + "]");
    return text + line(std::string("st.shared.v4.b32 [") + kRowsAddress + "], " + list(unit));
}

// The number at the end of "sum12"; -1 if there is none.
int number_behind(const std::string &what, const std::string &word) {
    if (what.rfind(word, 0) != 0) return -1;
    int number = -1;
    const char *end = what.data() + what.size();
    const auto [at, error] = std::from_chars(what.data() + word.size(), end, number);
    return error == std::errc() && at == end ? number : -1;
}

}  // namespace

std::string shared_declaration() {
    return ".extern .shared .align " + std::to_string(kSharedAlignment) + " .b8 " + kSharedSymbol +
           "[];\n";
}

std::string register_declarations(const KernelShape &shape) {
    const auto declare = [](const char *type, const std::string &name) {
        return line(std::string(".reg .") + type + " " + name);
    };
    const auto declare_many = [&](const char *type, const std::string &stem, int count) {
        return declare(type, stem + "<" + std::to_string(count) + ">");
    };
    std::string text = declare("b32", kRowsAddress) + declare("b32", kColumnsAddress) +
                       declare("b32", kFragmentAddress) + declare("b64", kGlobalAddress) +
                       declare("pred", kHasUnit);
    text += declare_many("b32", "%cryolite_u", 4);
    text += declare_many("b32", "%cryolite_a", 4 * shape.row_fragments());
    text += declare_many("b32", "%cryolite_b", 2 * shape.column_fragments());
    text += declare_many(shape.types.sum == Sum::F32 ? "f32" : "b32", "%cryolite_c",
                         sum_registers(shape));
    return text;
}

std::string launch_bounds(const KernelShape &shape, bool gathers) {
    // Before 8.0 an SM has shared memory for one block alone.
    const bool is_twice =
        !gathers && shape.capability >= 80 && shape.tile.threads() >= kThreadsOfTwoBlocks;
    return ".maxntid " + std::to_string(shape.tile.threads()) + ", 1, 1\n.minnctapersm " +
           (is_twice ? "2" : "1") + "\n";
}

std::string instructions(const KernelShape &shape, const std::string &what,
                         const std::vector<std::string> &arguments, const std::string &result) {
    if (what == "clear" && arguments.empty()) return clear(shape);
    if (what == "copy" && arguments.size() == 3) return copy_unit(shape, arguments);
    if (what == "commit" && arguments.empty()) return line("cp.async.commit_group");
    if (what == "wait" && arguments.empty()) {
        return line("cp.async.wait_group " + std::to_string(shape.tile.stages - 2));
    }
    if (what == "put" && arguments.size() == 5) {
        std::string text = line(std::string("mov.b32 ") + kRowsAddress + ", " + arguments[0]);
        std::vector<std::string> unit;
        for (int i = 0; i < 4; i++) {
            unit.push_back("%cryolite_u" + std::to_string(i));
            text += line("mov.b32 " + unit.back() + ", " + arguments[i + 1]);
        }
        return text + line(std::string("st.shared.v4.b32 [") + kRowsAddress + "], " + list(unit));
    }
    if (what == "multiply" && arguments.size() == 2) {
        return multiply_chunk(shape, arguments[0], arguments[1]);
    }
    if (!arguments.empty()) return "";
    const std::string nothing = "\t// not read\n";
    if (what == "shared") {
        return result.empty() ? nothing : line("mov.u32 " + result + ", " + kSharedSymbol);
    }
    const int number = number_behind(what, "sum");
    if (number < 0 || number >= sum_registers(shape)) return "";
    return result.empty() ? nothing : line("mov.b32 " + result + ", " + sum_register(number));
}

}  // namespace cryolite::tensorcore
