#include "tests/tensorcore/emulator/block_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "tests/tensorcore/emulator/halves.h"
#include "tests/tensorcore/emulator/warp_instructions.h"

namespace cryolite::emulator {

namespace {

constexpr int kWarp = 32;

uint64_t truncated(uint64_t value, int bits) {
    return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t sign_extended(uint64_t value, int bits) {
    return bits >= 64 ? static_cast<int64_t>(value)
                      : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

struct BackgroundCopy {
    uint64_t to;
    std::array<uint8_t, 16> bytes;
};

struct Thread {
    int number = 0;
    Indices index{};
    int at = 0;  // the next instruction
    bool is_done = false;
    uint64_t *registers = nullptr;
    std::vector<uint8_t> local;
    std::deque<std::vector<BackgroundCopy>> groups;
    std::vector<BackgroundCopy> open_group;
};

class BlockRun {
public:
    BlockRun(const Launch &launch, const Indices &block, GlobalMemory &memory)
        : launch_(launch), block_(block), memory_(memory), shared_(launch.shared_bytes) {
        const int count = launch.block[0] * launch.block[1] * launch.block[2];
        const size_t registers = static_cast<size_t>(launch.entry->num_registers);
        // What was never written is no number.
        registers_.assign(registers * static_cast<size_t>(count), 0xffffffff);
        threads_.resize(static_cast<size_t>(count));
        for (int t = 0; t < count; t++) {
            threads_[t].number = t;
            threads_[t].index = {t % launch.block[0], t / launch.block[0] % launch.block[1],
                                 t / launch.block[0] / launch.block[1]};
            threads_[t].registers = registers_.data() + registers * static_cast<size_t>(t);
            threads_[t].local.assign(static_cast<size_t>(launch.entry->local_bytes), 0xff);
        }
    }

    // Warps run one after another from barrier to barrier.
    void run() {
        while (true) {
            size_t waiting = 0, done = 0;
            for (size_t first = 0; first < threads_.size(); first += kWarp) {
                const std::span<Thread> warp = std::span(threads_).subspan(
                    first, std::min<size_t>(kWarp, threads_.size() - first));
                run_warp(warp);
                for (const Thread &thread : warp) (thread.is_done ? done : waiting)++;
            }
            if (waiting == 0) return;
            if (done != 0) throw EmulationError("some threads end while others wait at a barrier");
            for (Thread &thread : threads_) {
                if (thread.at != threads_[0].at)
                    throw EmulationError("threads wait at different barriers");
            }
            for (Thread &thread : threads_) thread.at++;
            shared_.next_epoch();
        }
    }

private:
    const Instruction &instruction_at(const Thread &thread) const {
        return launch_.entry->instructions[static_cast<size_t>(thread.at)];
    }

    // Until all its threads wait at a barrier or are done.
    void run_warp(std::span<Thread> warp) {
        while (true) {
            for (Thread &thread : warp) run_thread(thread);
            if (std::ranges::all_of(warp, [](const Thread &t) { return t.is_done; })) return;
            if (std::ranges::any_of(
                    warp, [&](const Thread &t) { return t.is_done || t.at != warp[0].at; })) {
                throw EmulationError("a warp is not together at: " + instruction_at(warp[0]).text);
            }
            const Instruction &instruction = instruction_at(warp[0]);
            if (instruction.opcode == Opcode::Bar) return;
            run_together(warp, instruction);
            for (Thread &thread : warp) thread.at++;
        }
    }

    void run_together(std::span<Thread> warp, const Instruction &instruction) {
        if (warp.size() != kWarp) throw EmulationError("a warp instruction needs 32 lanes");
        std::array<LaneRegisters, kWarp> lanes;
        for (int l = 0; l < kWarp; l++) {
            lanes[l].thread = warp[l].number;
            lanes[l].registers = warp[l].registers;
        }
        if (instruction.opcode == Opcode::Mma) {
            run_mma(instruction, lanes);
        } else {
            run_ldmatrix(instruction, lanes, shared_);
        }
    }

    // Until an instruction that needs others.
    void run_thread(Thread &thread) {
        while (!thread.is_done) {
            const Instruction &instruction = instruction_at(thread);
            switch (instruction.opcode) {
                case Opcode::Bar:
                case Opcode::Mma:
                case Opcode::Ldmatrix: return;
                default: break;
            }
            const bool is_taken =
                instruction.predicate < 0 ||
                (thread.registers[instruction.predicate] != 0) != instruction.is_negated;
            if (!is_taken) {
                thread.at++;
            } else if (instruction.opcode == Opcode::Ret) {
                thread.is_done = true;
            } else if (instruction.opcode == Opcode::Trap) {
                throw EmulationError("trap: an assertion in the kernel");
            } else if (instruction.opcode == Opcode::Bra) {
                thread.at = instruction.target;
            } else {
                try {
                    run_alone(thread, instruction);
                } catch (const EmulationError &error) {
                    throw EmulationError(std::string(error.what()) + ": " + instruction.text);
                }
                thread.at++;
            }
        }
    }

    uint64_t bits(const Thread &thread, const PtxOperand &operand) const {
        switch (operand.kind) {
            case OperandKind::Register: return thread.registers[operand.index];
            case OperandKind::Constant: return operand.value;
            case OperandKind::ThreadIndex:
                return static_cast<uint64_t>(thread.index[operand.index]);
            case OperandKind::BlockIndex: return static_cast<uint64_t>(block_[operand.index]);
            case OperandKind::BlockSize: return static_cast<uint64_t>(launch_.block[operand.index]);
            case OperandKind::GridSize: return static_cast<uint64_t>(launch_.grid[operand.index]);
        }
        return 0;
    }
    // As an integer of a type, extended.
    int64_t integer(const Thread &thread, const PtxOperand &operand, PtxType type) const {
        const uint64_t value = bits(thread, operand);
        return type.kind == Kind::Signed ? sign_extended(value, type.bits)
                                         : static_cast<int64_t>(truncated(value, type.bits));
    }
    static double real_of(uint64_t value, PtxType type) {
        if (type.kind == Kind::BFloat) return float_of_bfloat(static_cast<uint16_t>(value));
        if (type.bits == 16) return float_of_half(static_cast<uint16_t>(value));
        if (type.bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(value));
        return std::bit_cast<double>(value);
    }
    static uint64_t bits_of_real(double value, PtxType type) {
        if (type.kind == Kind::BFloat) return bfloat_of_float(static_cast<float>(value));
        if (type.bits == 16) return half_of_float(static_cast<float>(value));
        if (type.bits == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
        return std::bit_cast<uint64_t>(value);
    }
    double real(const Thread &thread, const PtxOperand &operand, PtxType type) const {
        return real_of(bits(thread, operand), type);
    }
    static bool is_real(PtxType type) {
        return type.kind == Kind::Float || type.kind == Kind::BFloat;
    }

    void set(Thread &thread, const Instruction &instruction, uint64_t value, int width) {
        thread.registers[instruction.results.at(0).index] = truncated(value, width);
    }

    void run_alone(Thread &thread, const Instruction &i) {
        switch (i.opcode) {
            case Opcode::Ld: return load(thread, i);
            case Opcode::St: return store(thread, i);
            case Opcode::Cp: return copy(thread, i);
            case Opcode::Mov: return move(thread, i);
            case Opcode::Cvta: return set(thread, i, bits(thread, i.arguments[0]), 64);
            case Opcode::Cvt: return convert(thread, i);
            case Opcode::Setp: return compare(thread, i);
            case Opcode::Selp: {
                const bool yes = bits(thread, i.arguments[2]) != 0;
                return set(thread, i, bits(thread, i.arguments[yes ? 0 : 1]), i.type.bits);
            }
            default: break;
        }
        if (is_real(i.type) && i.type.is_pair) {
            const uint64_t low = bits_of_real(real_result(thread, i), i.type),
                           high = bits_of_real(real_result(thread, i, 16), i.type);
            return set(thread, i, truncated(low, 16) | truncated(high, 16) << 16, 32);
        }
        if (is_real(i.type))
            return set(thread, i, bits_of_real(adjusted(real_result(thread, i), i), i.type),
                       i.type.bits);
        integer_operation(thread, i);
    }

    // Saturated to 0 and 1, or rounded down to a float, as CUDA's exponential asks for.
    static double adjusted(double value, const Instruction &i) {
        if (i.has(Modifier::Sat)) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
        if (i.has(Modifier::Rm) && i.type.bits == 32) {
            const auto nearest = static_cast<float>(value);
            if (static_cast<double>(nearest) > value) return std::nextafter(nearest, -INFINITY);
        }
        return value;
    }

    // from_bit: where the value begins in its registers.
    double real_result(const Thread &thread, const Instruction &i, int from_bit = 0) const {
        const auto argument = [&](size_t n) {
            return real_of(bits(thread, i.arguments[n]) >> from_bit, i.type);
        };
        const double a = argument(0);
        const double b = i.arguments.size() > 1 ? argument(1) : 0;
        switch (i.opcode) {
            case Opcode::Add: return a + b;
            case Opcode::Sub: return a - b;
            case Opcode::Mul: return a * b;
            case Opcode::Div: return a / b;
            case Opcode::Fma: return std::fma(a, b, argument(2));
            case Opcode::Min: return std::fmin(a, b);
            case Opcode::Max: return std::fmax(a, b);
            case Opcode::Neg: return -a;
            case Opcode::Abs: return std::fabs(a);
            case Opcode::Sqrt: return std::sqrt(a);
            case Opcode::Rcp: return 1 / a;
            case Opcode::Ex2: return std::exp2(a);
            case Opcode::Lg2: return std::log2(a);
            default: throw EmulationError("unknown operation of floats");
        }
    }

    void integer_operation(Thread &thread, const Instruction &i) {
        const int64_t a = integer(thread, i.arguments[0], i.type);
        const int64_t b =
            i.arguments.size() > 1 && i.opcode != Opcode::Shl && i.opcode != Opcode::Shr
                ? integer(thread, i.arguments[1], i.type)
                : 0;
        const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
        const int width = i.type.bits;
        switch (i.opcode) {
            case Opcode::Add: return set(thread, i, ua + ub, width);
            case Opcode::Sub: return set(thread, i, ua - ub, width);
            case Opcode::Mul:
                return set(thread, i, product(i, a, b), i.has(Modifier::Wide) ? 2 * width : width);
            case Opcode::Mad: {
                const bool is_wide = i.has(Modifier::Wide);
                const uint64_t c = bits(thread, i.arguments[2]);
                return set(thread, i, product(i, a, b) + c, is_wide ? 2 * width : width);
            }
            // A device gives something when it divides by zero, and does not stop.
            case Opcode::Div:
                return set(thread, i, b == 0 ? ~uint64_t{0} : divided(i, a, b), width);
            case Opcode::Rem:
                return set(thread, i, b == 0 ? ua : ua - divided(i, a, b) * ub, width);
            case Opcode::Min:
                return set(thread, i,
                           i.type.kind == Kind::Signed ? std::min(a, b) : std::min(ua, ub), width);
            case Opcode::Max:
                return set(thread, i,
                           i.type.kind == Kind::Signed ? std::max(a, b) : std::max(ua, ub), width);
            case Opcode::Neg: return set(thread, i, -ua, width);
            case Opcode::Abs: return set(thread, i, static_cast<uint64_t>(std::abs(a)), width);
            case Opcode::And: return set(thread, i, ua & ub, width);
            case Opcode::Or: return set(thread, i, ua | ub, width);
            case Opcode::Xor: return set(thread, i, ua ^ ub, width);
            case Opcode::Not: return set(thread, i, ~ua, width);
            case Opcode::Shl: {
                const uint64_t by = truncated(bits(thread, i.arguments[1]), 32);
                return set(thread, i, by >= static_cast<uint64_t>(width) ? 0 : ua << by, width);
            }
            case Opcode::Shr: {
                const uint64_t by =
                    std::min<uint64_t>(truncated(bits(thread, i.arguments[1]), 32), 63);
                return set(thread, i,
                           i.type.kind == Kind::Signed ? static_cast<uint64_t>(a >> by) : ua >> by,
                           width);
            }
            case Opcode::Bfe: {
                const uint64_t from = truncated(ub, 8),
                               length = truncated(bits(thread, i.arguments[2]), 8);
                const uint64_t field = truncated(ua >> from, static_cast<int>(length));
                return set(thread, i,
                           i.type.kind == Kind::Signed ? static_cast<uint64_t>(sign_extended(
                                                             field, static_cast<int>(length)))
                                                       : field,
                           width);
            }
            case Opcode::Prmt:
                return set(thread, i, permuted(ua, ub, bits(thread, i.arguments[2])), width);
            default: throw EmulationError("unknown operation of integers");
        }
    }

    static uint64_t product(const Instruction &i, int64_t a, int64_t b) {
        if (!i.has(Modifier::Hi)) return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
        return static_cast<uint64_t>((static_cast<__int128>(a) * b) >> i.type.bits);
    }
    static uint64_t divided(const Instruction &i, int64_t a, int64_t b) {
        return i.type.kind == Kind::Signed ? static_cast<uint64_t>(a / b)
                                           : static_cast<uint64_t>(a) / static_cast<uint64_t>(b);
    }
    static uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector) {
        const uint64_t bytes = truncated(a, 32) | truncated(b, 32) << 32;
        uint64_t result = 0;
        for (int k = 0; k < 4; k++) {
            const uint64_t choice = selector >> (4 * k) & 15;
            uint64_t byte = bytes >> (8 * (choice & 7)) & 255;
            if ((choice & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
            result |= byte << (8 * k);
        }
        return result;
    }

    // To a whole number, if the conversion says so or has to.
    static double rounded(double value, const Instruction &i, bool must) {
        if (i.has(Modifier::Rni)) return std::nearbyint(value);
        if (i.has(Modifier::Rmi)) return std::floor(value);
        if (i.has(Modifier::Rpi)) return std::ceil(value);
        return must || i.has(Modifier::Rzi) ? std::trunc(value) : value;
    }

    void convert(Thread &thread, const Instruction &i) {
        const PtxType to = i.first_type, from = i.type;
        // The first argument becomes the upper half.
        if (to.is_pair && is_real(from)) {
            const uint64_t high = bits_of_real(real(thread, i.arguments[0], from), to),
                           low = bits_of_real(real(thread, i.arguments[1], from), to);
            return set(thread, i, truncated(low, 16) | truncated(high, 16) << 16, 32);
        }
        if (to.kind == Kind::TFloat) {
            if (!i.has(Modifier::Rna) || from.kind != Kind::Float || from.bits != 32)
                throw EmulationError("unknown conversion to tf32");
            const auto value = static_cast<float>(real(thread, i.arguments[0], from));
            return set(thread, i, tf32_of_float(value), 32);
        }
        if (from.is_pair || to.is_pair) throw EmulationError("unknown conversion of pairs");
        if (is_real(from)) {
            const double value = rounded(real(thread, i.arguments[0], from), i, !is_real(to));
            if (is_real(to)) return set(thread, i, bits_of_real(value, to), to.bits);
            return set(thread, i, static_cast<uint64_t>(static_cast<int64_t>(value)), to.bits);
        }
        const int64_t value = integer(thread, i.arguments[0], from);
        if (!is_real(to)) return set(thread, i, static_cast<uint64_t>(value), to.bits);
        const double wide = from.kind == Kind::Signed
                                ? static_cast<double>(value)
                                : static_cast<double>(static_cast<uint64_t>(value));
        set(thread, i, bits_of_real(wide, to), to.bits);
    }

    template <typename T>
    static bool holds(const Instruction &i, T a, T b) {
        if (i.has(Modifier::Eq)) return a == b;
        if (i.has(Modifier::Ne) || i.has(Modifier::Neu)) return !(a == b);
        if (i.has(Modifier::Lt)) return a < b;
        if (i.has(Modifier::Le)) return a <= b;
        if (i.has(Modifier::Gt)) return a > b;
        if (i.has(Modifier::Ge)) return a >= b;
        if (i.has(Modifier::Leu)) return !(a > b);
        if (i.has(Modifier::Geu)) return !(a < b);
        if (i.has(Modifier::Ltu)) return !(a >= b);
        if (i.has(Modifier::Gtu)) return !(a <= b);
        if (i.has(Modifier::Nan)) return a != a || b != b;
        throw EmulationError("unknown comparison");
    }
    void compare(Thread &thread, const Instruction &i) {
        bool result = false;
        if (is_real(i.type)) {
            result = holds(i, real(thread, i.arguments[0], i.type),
                           real(thread, i.arguments[1], i.type));
        } else if (i.type.kind == Kind::Signed) {
            result = holds(i, integer(thread, i.arguments[0], i.type),
                           integer(thread, i.arguments[1], i.type));
        } else {
            result = holds(i, static_cast<uint64_t>(integer(thread, i.arguments[0], i.type)),
                           static_cast<uint64_t>(integer(thread, i.arguments[1], i.type)));
        }
        set(thread, i, result ? 1 : 0, 1);
    }

    // With several registers on a side: packs or unpacks.
    void move(Thread &thread, const Instruction &i) {
        const int parts = static_cast<int>(std::max(i.results.size(), i.arguments.size()));
        const int width = i.type.bits / parts;
        if (i.results.size() == 1) {
            uint64_t value = 0;
            for (int p = 0; p < parts; p++)
                value |= truncated(bits(thread, i.arguments[p]), width) << (p * width);
            return set(thread, i, value, i.type.bits);
        }
        const uint64_t value = bits(thread, i.arguments[0]);
        for (int p = 0; p < parts; p++) {
            thread.registers[i.results[p].index] = truncated(value >> (p * width), width);
        }
    }

    uint64_t address(const Thread &thread, const PtxOperand &base, int64_t offset) const {
        return bits(thread, base) + static_cast<uint64_t>(offset);
    }

    static uint8_t *local_at(Thread &thread, uint64_t at, int bytes) {
        if (at + static_cast<uint64_t>(bytes) > thread.local.size())
            throw EmulationError("local access is out of bounds");
        return thread.local.data() + at;
    }

    void load(Thread &thread, const Instruction &i) {
        const uint64_t from = address(thread, i.address, i.offset);
        const int bytes = i.type.bytes(), count = static_cast<int>(i.results.size());
        std::array<uint8_t, 16> data{};
        if (i.has(Modifier::Param)) {
            std::memcpy(data.data(), launch_.parameters.data() + from, static_cast<size_t>(bytes));
        } else if (i.has(Modifier::Shared)) {
            shared_.read(from, bytes * count, thread.number, data.data());
        } else if (i.has(Modifier::Local)) {
            std::memcpy(data.data(), local_at(thread, from, bytes * count),
                        static_cast<size_t>(bytes * count));
        } else if (i.has(Modifier::Global)) {
            std::memcpy(data.data(), memory_.at(from, bytes * count),
                        static_cast<size_t>(bytes * count));
        } else {
            throw EmulationError("unknown space");
        }
        for (int k = 0; k < count; k++) {
            uint64_t value = 0;
            std::memcpy(&value, data.data() + k * bytes, static_cast<size_t>(bytes));
            if (i.type.kind == Kind::Signed)
                value = static_cast<uint64_t>(sign_extended(value, i.type.bits));
            thread.registers[i.results[k].index] = value;
        }
    }

    void store(Thread &thread, const Instruction &i) {
        const uint64_t to = address(thread, i.address, i.offset);
        const int bytes = i.type.bytes(), count = static_cast<int>(i.arguments.size());
        std::array<uint8_t, 16> data{};
        for (int k = 0; k < count; k++) {
            const uint64_t value = bits(thread, i.arguments[k]);
            std::memcpy(data.data() + k * bytes, &value, static_cast<size_t>(bytes));
        }
        if (i.has(Modifier::Shared)) {
            shared_.write(to, bytes * count, thread.number, data.data());
        } else if (i.has(Modifier::Local)) {
            std::memcpy(local_at(thread, to, bytes * count), data.data(),
                        static_cast<size_t>(bytes * count));
        } else if (i.has(Modifier::Global)) {
            const int64_t block =
                (int64_t{block_[2]} * launch_.grid[1] + block_[1]) * launch_.grid[0] + block_[0];
            memory_.store(to, bytes * count,
                          block * static_cast<int64_t>(threads_.size()) + thread.number,
                          data.data());
        } else {
            throw EmulationError("unknown space");
        }
    }

    // cp.async: the bytes arrive as late as they may.
    void copy(Thread &thread, const Instruction &i) {
        if (i.has(Modifier::CommitGroup)) {
            thread.groups.push_back(std::move(thread.open_group));
            thread.open_group.clear();
            return;
        }
        if (i.has(Modifier::WaitGroup)) {
            const size_t left = bits(thread, i.arguments[0]);
            while (thread.groups.size() > left) {
                for (const BackgroundCopy &copy : thread.groups.front()) {
                    shared_.end_copy(copy.to, static_cast<int>(copy.bytes.size()), thread.number,
                                     copy.bytes.data());
                }
                thread.groups.pop_front();
            }
            return;
        }
        BackgroundCopy copy{address(thread, i.address, i.offset), {}};
        const uint64_t from = address(thread, i.second_address, i.second_offset);
        const uint64_t bytes = truncated(bits(thread, i.arguments[1]), 32);
        if (bits(thread, i.arguments[0]) != 16 || bytes > 16) throw EmulationError("unknown copy");
        if (from % 16 != 0) throw EmulationError("global copy is not aligned");
        if (bytes == 16) std::memcpy(copy.bytes.data(), memory_.at(from, 16), 16);
        if (bytes != 16 && bytes != 0) throw EmulationError("a copy of part of a unit");
        shared_.begin_copy(copy.to, 16, thread.number);
        thread.open_group.push_back(copy);
    }

    const Launch &launch_;
    const Indices &block_;
    GlobalMemory &memory_;
    SharedMemory shared_;
    std::vector<uint64_t> registers_;
    std::vector<Thread> threads_;
};

}  // namespace

void run_block(const Launch &launch, const Indices &block, GlobalMemory &memory) {
    BlockRun(launch, block, memory).run();
}

}  // namespace cryolite::emulator
