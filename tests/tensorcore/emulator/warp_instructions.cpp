#include "tests/tensorcore/emulator/warp_instructions.h"

#include <array>
#include <bit>

#include "tests/tensorcore/emulator/halves.h"

namespace cryolite::emulator {

namespace {

struct Shape {
    int rows, columns, depth;
};

Shape shape_of(const Instruction &instruction) {
    if (instruction.has(Modifier::M16n8k32)) return {16, 8, 32};
    if (instruction.has(Modifier::M16n8k16)) return {16, 8, 16};
    if (instruction.has(Modifier::M16n8k8)) return {16, 8, 8};
    if (instruction.has(Modifier::M8n8k16)) return {8, 8, 16};
    throw EmulationError("unknown shape: " + instruction.text);
}

// The types of D, A, B and C, in this order.
std::array<std::string, 4> types_of(const Instruction &instruction) {
    const size_t count = instruction.words.size();
    std::array<std::string, 4> types;
    for (size_t i = 0; i < 4; i++) types[i] = instruction.words.at(count - 4 + i);
    return types;
}

double element(uint32_t word, const std::string &type, int at) {
    if (type == "f16") return float_of_half(static_cast<uint16_t>(word >> (16 * at)));
    if (type == "bf16") return float_of_bfloat(static_cast<uint16_t>(word >> (16 * at)));
    if (type == "tf32") return float_of_tf32(word);
    const uint8_t byte = static_cast<uint8_t>(word >> (8 * at));
    if (type == "s8") return static_cast<int8_t>(byte);
    if (type == "u8") return byte;
    throw EmulationError("unknown type of an operand: " + type);
}

int per_word(const std::string &type) {
    if (type == "tf32") return 1;
    return type == "s8" || type == "u8" ? 4 : 2;
}

}  // namespace

// A lane's group (lane / 4) names a row of A or a column of B, its place in the group a word of depth. Further
// registers of A hold the rows 8 below, then the next half of the depth; of B the next half of the depth.
void run_mma(const Instruction &instruction, std::span<const LaneRegisters> lanes) {
    const Shape shape = shape_of(instruction);
    const auto [d_type, a_type, b_type, c_type] = types_of(instruction);
    double a[16][32] = {}, b[32][8] = {}, c[16][8] = {};
    const int row_halves = shape.rows / 8;
    const bool has_half_sums = c_type == "f16";
    const int words_deep = shape.depth / (4 * per_word(a_type));
    const auto word = [&](int lane, size_t operand) {
        return static_cast<uint32_t>(
            lanes[static_cast<size_t>(lane)].registers[instruction.arguments.at(operand).index]);
    };
    const size_t first_b = static_cast<size_t>(row_halves * words_deep),
                 first_c = first_b + static_cast<size_t>(words_deep);
    for (int lane = 0; lane < 32; lane++) {
        const int group = lane / 4, place = lane % 4;
        for (int w = 0; w < words_deep; w++) {
            for (int e = 0; e < per_word(a_type); e++) {
                const int k = (w * 4 + place) * per_word(a_type) + e;
                for (int h = 0; h < row_halves; h++) {
                    a[group + 8 * h][k] =
                        element(word(lane, static_cast<size_t>(w * row_halves + h)), a_type, e);
                }
                b[k][group] = element(word(lane, first_b + static_cast<size_t>(w)), b_type, e);
            }
        }
        for (int h = 0; h < row_halves; h++) {
            for (int e = 0; e < 2; e++) {
                double &sum = c[group + 8 * h][2 * place + e];
                if (has_half_sums) {
                    sum = element(word(lane, first_c + static_cast<size_t>(h)), "f16", e);
                } else {
                    const uint32_t bits = word(lane, first_c + static_cast<size_t>(2 * h + e));
                    sum = c_type == "f32" ? std::bit_cast<float>(bits)
                                          : static_cast<double>(static_cast<int32_t>(bits));
                }
            }
        }
    }
    // Products are exact in double, and so are sums of bytes; 32-bit sums wrap.
    for (int m = 0; m < shape.rows; m++) {
        for (int n = 0; n < 8; n++) {
            for (int k = 0; k < shape.depth; k++) c[m][n] += a[m][k] * b[k][n];
        }
    }
    const auto set = [&](int lane, size_t result, uint32_t bits) {
        lanes[static_cast<size_t>(lane)].registers[instruction.results.at(result).index] = bits;
    };
    for (int lane = 0; lane < 32; lane++) {
        for (int h = 0; h < row_halves; h++) {
            const double *sums = &c[lane / 4 + 8 * h][2 * (lane % 4)];
            const size_t at = static_cast<size_t>(h);
            if (has_half_sums) {
                set(lane, at,
                    static_cast<uint32_t>(half_of_float(static_cast<float>(sums[0]))) |
                        static_cast<uint32_t>(half_of_float(static_cast<float>(sums[1]))) << 16);
                continue;
            }
            for (size_t e = 0; e < 2; e++) {
                set(lane, 2 * at + e,
                    d_type == "f32" ? std::bit_cast<uint32_t>(static_cast<float>(sums[e]))
                                    : static_cast<uint32_t>(static_cast<int64_t>(sums[e])));
            }
        }
    }
}

// Lane i names the row i % 8 of matrix i / 8. A lane receives two neighbours of a row, or of a column if transposed.
void run_ldmatrix(const Instruction &instruction, std::span<const LaneRegisters> lanes,
                  SharedMemory &shared) {
    const size_t matrices = instruction.results.size();
    uint16_t values[4][8][8] = {};
    for (size_t lane = 0; lane < 8 * matrices; lane++) {
        const LaneRegisters &registers = lanes[lane];
        const uint64_t address = registers.registers[instruction.address.index] +
                                 static_cast<uint64_t>(instruction.offset);
        try {
            shared.read(address, 16, registers.thread,
                        reinterpret_cast<uint8_t *>(values[lane / 8][lane % 8]));
        } catch (const EmulationError &error) {
            throw EmulationError(std::string(error.what()) + ": " + instruction.text);
        }
    }
    const bool is_transposed = instruction.has(Modifier::Trans);
    for (size_t lane = 0; lane < 32; lane++) {
        for (size_t m = 0; m < matrices; m++) {
            const size_t group = lane / 4, first = 2 * (lane % 4);
            const uint32_t low = is_transposed ? values[m][first][group] : values[m][group][first];
            const uint32_t high =
                is_transposed ? values[m][first + 1][group] : values[m][group][first + 1];
            lanes[lane].registers[instruction.results[m].index] = low | high << 16;
        }
    }
}

}  // namespace cryolite::emulator
