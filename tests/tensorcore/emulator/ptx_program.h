// PTX as the emulator runs it: the subset that LLVM writes for Halide's kernels, and the tensor instructions.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace cryolite::emulator {

// What a kernel does wrong, or what the emulator does not know.
struct EmulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Kind : uint8_t { Bits, Signed, Unsigned, Float, BFloat, TFloat, Predicate };

struct PtxType {
    Kind kind = Kind::Bits;
    int bits = 32;
    bool is_pair = false;  // two values in a register of 32 bits, as in f16x2
    int bytes() const { return bits / 8; }
};

enum class OperandKind : uint8_t {
    Register,
    Constant,
    ThreadIndex,
    BlockIndex,
    BlockSize,
    GridSize
};

struct PtxOperand {
    OperandKind kind = OperandKind::Constant;
    int index = 0;       // of the register; of a special register, its axis
    uint64_t value = 0;  // of a constant, as bits
};

// The first word of an instruction.
enum class Opcode : uint8_t {
    Abs,
    Add,
    And,
    Bar,
    Bfe,
    Bra,
    Cp,
    Cvt,
    Cvta,
    Div,
    Ex2,
    Fma,
    Ld,
    Ldmatrix,
    Lg2,
    Mad,
    Max,
    Min,
    Mma,
    Mov,
    Mul,
    Neg,
    Not,
    Or,
    Prmt,
    Rcp,
    Rem,
    Ret,
    Selp,
    Setp,
    Shl,
    Shr,
    Sqrt,
    St,
    Sub,
    Trap,
    Xor
};

// The other words that change what an instruction does. Words that are not listed change nothing here.
enum class Modifier : uint8_t {
    CommitGroup,
    Eq,
    Ge,
    Geu,
    Global,
    Gt,
    Gtu,
    Hi,
    Le,
    Leu,
    Local,
    Lt,
    Ltu,
    M16n8k16,
    M16n8k32,
    M16n8k8,
    M8n8k16,
    Nan,
    Ne,
    Neu,
    Param,
    Rm,
    Rmi,
    Rna,
    Rni,
    Rpi,
    Rzi,
    Sat,
    Shared,
    Trans,
    WaitGroup,
    Wide
};

struct Instruction {
    Opcode opcode = Opcode::Ret;
    std::vector<std::string> words;  // the other words: rn, wide, global, s32
    uint64_t modifiers = 0;          // a bit for each Modifier
    PtxType type;                    // the last type among them
    PtxType first_type;  // the first: of cvt the result's, of setp with two types unused
    int predicate = -1;  // register that must be true; -1: none
    bool is_negated = false;
    std::vector<PtxOperand> results, arguments;
    // Of a memory access, in `arguments` or alone: the address and a constant to add.
    bool has_address = false;
    PtxOperand address, second_address;
    int64_t offset = 0, second_offset = 0;
    int target = -1;  // of a branch: index of an instruction
    std::string text;

    bool has(Modifier modifier) const { return (modifiers >> static_cast<int>(modifier) & 1) != 0; }
};

struct Entry {
    std::string name;
    std::vector<int> parameter_offsets;
    int parameter_bytes = 0;
    int num_registers = 0;
    int local_bytes = 0;  // of a thread
    int max_threads = 0;  // .maxntid; 0: none
    std::vector<Instruction> instructions;
};

// Where shared memory begins for a kernel that asks for its address, past all that one can have, which begins at 0.
inline constexpr uint64_t kSharedWindow = 1 << 20;

std::map<std::string, Entry> parse_ptx(const std::string &text);

}  // namespace cryolite::emulator
