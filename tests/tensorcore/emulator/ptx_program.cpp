#include "tests/tensorcore/emulator/ptx_program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

namespace cryolite::emulator {

namespace {

const std::map<std::string, Opcode> kOpcodes = {
    {"abs", Opcode::Abs},   {"add", Opcode::Add},
    {"and", Opcode::And},   {"bar", Opcode::Bar},
    {"bfe", Opcode::Bfe},   {"bra", Opcode::Bra},
    {"cp", Opcode::Cp},     {"cvt", Opcode::Cvt},
    {"cvta", Opcode::Cvta}, {"div", Opcode::Div},
    {"ex2", Opcode::Ex2},   {"fma", Opcode::Fma},
    {"ld", Opcode::Ld},     {"ldmatrix", Opcode::Ldmatrix},
    {"lg2", Opcode::Lg2},   {"mad", Opcode::Mad},
    {"max", Opcode::Max},   {"min", Opcode::Min},
    {"mma", Opcode::Mma},   {"mov", Opcode::Mov},
    {"mul", Opcode::Mul},   {"neg", Opcode::Neg},
    {"not", Opcode::Not},   {"or", Opcode::Or},
    {"prmt", Opcode::Prmt}, {"rcp", Opcode::Rcp},
    {"rem", Opcode::Rem},   {"trap", Opcode::Trap},
    {"ret", Opcode::Ret},   {"selp", Opcode::Selp},
    {"setp", Opcode::Setp}, {"shl", Opcode::Shl},
    {"shr", Opcode::Shr},   {"sqrt", Opcode::Sqrt},
    {"st", Opcode::St},     {"sub", Opcode::Sub},
    {"xor", Opcode::Xor}};

const std::map<std::string, Modifier> kModifiers = {{"commit_group", Modifier::CommitGroup},
                                                    {"eq", Modifier::Eq},
                                                    {"ge", Modifier::Ge},
                                                    {"geu", Modifier::Geu},
                                                    {"global", Modifier::Global},
                                                    {"gt", Modifier::Gt},
                                                    {"gtu", Modifier::Gtu},
                                                    {"hi", Modifier::Hi},
                                                    {"le", Modifier::Le},
                                                    {"leu", Modifier::Leu},
                                                    {"local", Modifier::Local},
                                                    {"lt", Modifier::Lt},
                                                    {"ltu", Modifier::Ltu},
                                                    {"m16n8k16", Modifier::M16n8k16},
                                                    {"m16n8k32", Modifier::M16n8k32},
                                                    {"m16n8k8", Modifier::M16n8k8},
                                                    {"m8n8k16", Modifier::M8n8k16},
                                                    {"nan", Modifier::Nan},
                                                    {"ne", Modifier::Ne},
                                                    {"neu", Modifier::Neu},
                                                    {"param", Modifier::Param},
                                                    {"rm", Modifier::Rm},
                                                    {"rmi", Modifier::Rmi},
                                                    {"rna", Modifier::Rna},
                                                    {"rni", Modifier::Rni},
                                                    {"rpi", Modifier::Rpi},
                                                    {"rzi", Modifier::Rzi},
                                                    {"sat", Modifier::Sat},
                                                    {"shared", Modifier::Shared},
                                                    {"trans", Modifier::Trans},
                                                    {"wait_group", Modifier::WaitGroup},
                                                    {"wide", Modifier::Wide}};

std::optional<PtxType> type_of(const std::string &word) {
    if (word == "pred") return PtxType{Kind::Predicate, 1};
    if (word == "bf16") return PtxType{Kind::BFloat, 16};
    if (word == "tf32") return PtxType{Kind::TFloat, 32};
    if (word == "bf16x2") return PtxType{Kind::BFloat, 16, true};
    if (word == "f16x2") return PtxType{Kind::Float, 16, true};
    if (word.size() < 2 || word.size() > 3) return std::nullopt;
    const std::string digits = word.substr(1);
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    const int bits = std::atoi(digits.c_str());
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
    switch (word[0]) {
        case 'b': return PtxType{Kind::Bits, bits};
        case 's': return PtxType{Kind::Signed, bits};
        case 'u': return PtxType{Kind::Unsigned, bits};
        case 'f': return PtxType{Kind::Float, bits};
        default: return std::nullopt;
    }
}

std::string trimmed(const std::string &text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::string without_comments(const std::string &text) {
    std::string result;
    for (size_t i = 0; i < text.size(); i++) {
        if (text.compare(i, 2, "//") == 0) {
            while (i < text.size() && text[i] != '\n') i++;
        }
        if (i < text.size()) result += text[i];
    }
    return result;
}

// Splits at commas that stand in no braces.
std::vector<std::string> split_operands(const std::string &text) {
    std::vector<std::string> result(1);
    int depth = 0;
    for (char c : text) {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0) {
            result.emplace_back();
        } else {
            result.back() += c;
        }
    }
    for (std::string &operand : result) operand = trimmed(operand);
    if (result.size() == 1 && result[0].empty()) result.clear();
    return result;
}

class EntryParser {
public:
    EntryParser(const std::string &header, const std::string &body) {
        read_header(header);
        read_body(body);
    }
    Entry entry;

private:
    void read_header(const std::string &header) {
        const size_t open = header.find('('), close = header.find(')');
        entry.name = trimmed(header.substr(0, open));
        for (const std::string &parameter :
             split_operands(header.substr(open + 1, close - open - 1))) {
            std::istringstream words(parameter);
            std::string word, last;
            int bytes = 0;
            while (words >> word) {
                if (const auto type = word[0] == '.' ? type_of(word.substr(1)) : std::nullopt;
                    type && bytes == 0) {
                    bytes = type->bytes();
                }
                last = word;
            }
            if (bytes == 0) throw EmulationError("parameter of an unknown type: " + parameter);
            entry.parameter_bytes = (entry.parameter_bytes + bytes - 1) / bytes * bytes;
            parameters_[last] = entry.parameter_bytes;
            entry.parameter_offsets.push_back(entry.parameter_bytes);
            entry.parameter_bytes += bytes;
        }
        const size_t bound = header.find(".maxntid");
        if (bound != std::string::npos) entry.max_threads = std::atoi(header.c_str() + bound + 8);
    }

    void read_body(const std::string &body) {
        std::map<std::string, int> labels;
        std::vector<std::pair<int, std::string>> branches;
        std::string statement;
        for (char c : body) {
            if (c == ':') {
                labels[trimmed(statement)] = static_cast<int>(entry.instructions.size());
                statement.clear();
            } else if (c == ';') {
                read_statement(trimmed(statement), branches);
                statement.clear();
            } else if ((c != '{' && c != '}') || !trimmed(statement).empty()) {
                statement += c;  // braces around statements only limit names
            }
        }
        entry.instructions.push_back({});  // a ret at the end
        for (const auto &[at, label] : branches) {
            const auto found = labels.find(label);
            if (found == labels.end()) throw EmulationError("no label " + label);
            entry.instructions[at].target = found->second;
        }
        entry.num_registers = static_cast<int>(registers_.size());
    }

    void read_statement(const std::string &text,
                        std::vector<std::pair<int, std::string>> &branches) {
        if (text.rfind(".reg", 0) == 0) {
            std::istringstream words(text);
            for (std::string word; words >> word;) names_.insert(word);
        }
        if (text.rfind(".local", 0) == 0) read_local(text);
        if (text.empty() || text[0] == '.') return;  // .loc, .pragma
        Instruction instruction;
        instruction.text = text;
        std::string rest = text;
        if (rest[0] == '@') {
            const size_t space = rest.find_first_of(" \t");
            std::string name = rest.substr(1, space - 1);
            if (name[0] == '!') {
                instruction.is_negated = true;
                name = name.substr(1);
            }
            instruction.predicate = register_index(name);
            rest = trimmed(rest.substr(space));
        }
        const size_t space = std::min(rest.find_first_of(" \t"), rest.size());
        read_opcode(rest.substr(0, space), instruction);
        const std::vector<std::string> operands = split_operands(trimmed(rest.substr(space)));
        if (instruction.opcode == Opcode::Bra) {
            branches.emplace_back(static_cast<int>(entry.instructions.size()), operands.at(0));
        } else {
            read_operands(operands, instruction);
        }
        entry.instructions.push_back(std::move(instruction));
    }

    // As in .local .align 4 .b8 name[24]. Generic addresses of it are not known.
    void read_local(const std::string &text) {
        const size_t open = text.find('['), name = text.find_last_of(" \t", open) + 1;
        if (open == std::string::npos || text.find(".b8") == std::string::npos)
            throw EmulationError("unknown local memory: " + text);
        constexpr int alignment = 16;
        locals_[text.substr(name, open - name)] = entry.local_bytes;
        const int bytes = std::atoi(text.c_str() + open + 1);
        entry.local_bytes += (bytes + alignment - 1) / alignment * alignment;
    }

    static void read_opcode(const std::string &text, Instruction &instruction) {
        std::istringstream words(text);
        std::string word;
        std::getline(words, word, '.');
        const auto found = kOpcodes.find(word);
        if (found == kOpcodes.end()) throw EmulationError("unknown instruction: " + text);
        instruction.opcode = found->second;
        bool is_first = true;
        while (std::getline(words, word, '.')) {
            instruction.words.push_back(word);
            if (const auto modifier = kModifiers.find(word); modifier != kModifiers.end()) {
                instruction.modifiers |= uint64_t{1} << static_cast<int>(modifier->second);
            }
            if (const auto type = type_of(word)) {
                if (is_first) instruction.first_type = *type;
                is_first = false;
                instruction.type = *type;
            }
        }
    }

    static bool has_result(const Instruction &instruction) {
        switch (instruction.opcode) {
            case Opcode::St:
            case Opcode::Bar:
            case Opcode::Ret:
            case Opcode::Trap:
            case Opcode::Cp: return false;
            default: return true;
        }
    }

    void read_operands(const std::vector<std::string> &operands, Instruction &instruction) {
        for (size_t i = 0; i < operands.size(); i++) {
            const std::string &text = operands[i];
            if (text.empty()) throw EmulationError("no operand in: " + instruction.text);
            if (text[0] == '[') {
                auto &to =
                    instruction.has_address ? instruction.second_address : instruction.address;
                auto &offset =
                    instruction.has_address ? instruction.second_offset : instruction.offset;
                read_address(text.substr(1, text.size() - 2), to, offset);
                instruction.has_address = true;
                continue;
            }
            std::vector<PtxOperand> &into =
                i == 0 && has_result(instruction) ? instruction.results : instruction.arguments;
            if (text[0] == '{') {
                for (const std::string &part : split_operands(text.substr(1, text.size() - 2))) {
                    into.push_back(operand(part));
                }
            } else {
                into.push_back(operand(text));
            }
        }
    }

    void read_address(const std::string &text, PtxOperand &to, int64_t &offset) {
        const size_t plus = text.find('+');
        if (plus != std::string::npos) offset = std::atoll(text.c_str() + plus + 1);
        const std::string base = trimmed(text.substr(0, plus));
        if (const auto parameter = parameters_.find(base); parameter != parameters_.end()) {
            to = {OperandKind::Constant, 0, static_cast<uint64_t>(parameter->second)};
        } else {
            to = operand(base);
        }
    }

    PtxOperand operand(const std::string &text) {
        if (text[0] == '%') {
            const std::pair<const char *, OperandKind> specials[] = {
                {"%tid.", OperandKind::ThreadIndex},
                {"%ctaid.", OperandKind::BlockIndex},
                {"%ntid.", OperandKind::BlockSize},
                {"%nctaid.", OperandKind::GridSize}};
            for (const auto &[prefix, kind] : specials) {
                if (text.rfind(prefix, 0) == 0) return {kind, text.back() - 'x', 0};
            }
            return {OperandKind::Register, register_index(text), 0};
        }
        if (text.size() == 10 && text.rfind("0f", 0) == 0)
            return constant(std::stoull(text.substr(2), nullptr, 16));
        if (text.size() == 18 && text.rfind("0d", 0) == 0)
            return constant(std::stoull(text.substr(2), nullptr, 16));
        if (text.rfind("0x", 0) == 0) return constant(std::stoull(text.substr(2), nullptr, 16));
        if (text == "cryolite_tc_memory") return constant(kSharedWindow);
        if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
            return constant(static_cast<uint64_t>(std::stoll(text)));
        }
        if (const auto local = locals_.find(text); local != locals_.end())
            return constant(static_cast<uint64_t>(local->second));
        if (names_.contains(text)) return {OperandKind::Register, register_index(text), 0};
        throw EmulationError("unknown operand: " + text);
    }

    static PtxOperand constant(uint64_t value) { return {OperandKind::Constant, 0, value}; }

    int register_index(const std::string &name) {
        return registers_.emplace(name, static_cast<int>(registers_.size())).first->second;
    }

    std::map<std::string, int> registers_, parameters_;
    std::map<std::string, int> locals_;  // where each begins in a thread's local memory
    std::set<std::string> names_;        // of registers without a %
};

}  // namespace

std::map<std::string, Entry> parse_ptx(const std::string &text) {
    const std::string ptx = without_comments(text);
    std::map<std::string, Entry> entries;
    const std::string word = ".entry";
    for (size_t at = ptx.find(word); at != std::string::npos; at = ptx.find(word, at + 1)) {
        const size_t open = ptx.find("\n{", at), close = ptx.find("\n}", at);
        if (open == std::string::npos || close == std::string::npos)
            throw EmulationError("an entry has no body");
        EntryParser parser(ptx.substr(at + word.size(), open - at - word.size()),
                           ptx.substr(open + 2, close - open - 2));
        entries[parser.entry.name] = std::move(parser.entry);
    }
    return entries;
}

}  // namespace cryolite::emulator
