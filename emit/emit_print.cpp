#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "emit/emit_calls.h"

namespace cryolite {

namespace {

using Method = ScheduleCall::Method;

// What a name in the text must not be: keywords, and what is in scope around it.
constexpr auto reserved = std::to_array<const char *>({"alignas",
                                                       "alignof",
                                                       "and",
                                                       "and_eq",
                                                       "asm",
                                                       "auto",
                                                       "bitand",
                                                       "bitor",
                                                       "bool",
                                                       "break",
                                                       "case",
                                                       "catch",
                                                       "char",
                                                       "char8_t",
                                                       "char16_t",
                                                       "char32_t",
                                                       "class",
                                                       "compl",
                                                       "concept",
                                                       "const",
                                                       "consteval",
                                                       "constexpr",
                                                       "constinit",
                                                       "const_cast",
                                                       "continue",
                                                       "co_await",
                                                       "co_return",
                                                       "co_yield",
                                                       "decltype",
                                                       "default",
                                                       "delete",
                                                       "do",
                                                       "double",
                                                       "dynamic_cast",
                                                       "else",
                                                       "enum",
                                                       "explicit",
                                                       "export",
                                                       "extern",
                                                       "false",
                                                       "float",
                                                       "for",
                                                       "friend",
                                                       "goto",
                                                       "if",
                                                       "inline",
                                                       "int",
                                                       "long",
                                                       "mutable",
                                                       "namespace",
                                                       "new",
                                                       "noexcept",
                                                       "not",
                                                       "not_eq",
                                                       "nullptr",
                                                       "operator",
                                                       "or",
                                                       "or_eq",
                                                       "private",
                                                       "protected",
                                                       "public",
                                                       "register",
                                                       "reinterpret_cast",
                                                       "requires",
                                                       "return",
                                                       "short",
                                                       "signed",
                                                       "sizeof",
                                                       "static",
                                                       "static_assert",
                                                       "static_cast",
                                                       "struct",
                                                       "switch",
                                                       "template",
                                                       "this",
                                                       "thread_local",
                                                       "throw",
                                                       "true",
                                                       "try",
                                                       "typedef",
                                                       "typeid",
                                                       "typename",
                                                       "union",
                                                       "unsigned",
                                                       "using",
                                                       "virtual",
                                                       "void",
                                                       "volatile",
                                                       "wchar_t",
                                                       "while",
                                                       "xor",
                                                       "xor_eq",
                                                       "pipeline",
                                                       "target",
                                                       "Halide",
                                                       "std",
                                                       "Func",
                                                       "MemoryType",
                                                       "RVar",
                                                       "TailStrategy",
                                                       "Var",
                                                       "cryolite_func",
                                                       "cryolite_schedule",
                                                       "NULL",
                                                       "EOF",
                                                       "errno",
                                                       "assert",
                                                       "linux",
                                                       "unix",
                                                       "main",
                                                       "I"});

std::string sanitized(const std::string &name) {
    std::string text;
    for (char c : name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        // Two underscores in a row are reserved.
        if (plain)
            text += c;
        else if (text.empty() || text.back() != '_')
            text += '_';
    }
    if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) text = "v" + text;
    return text;
}

std::string quoted(const std::string &name) {
    std::string text = "\"";
    for (char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"";
}

class Printer {
public:
    Printer(const StageGraph &graph, const std::vector<std::string> &funcs,
            Identifiers &identifiers, const std::string &indent)
        : graph_(graph), funcs_(funcs), identifiers_(identifiers), indent_(indent) {}

    std::string all(std::span<const ScheduleCall> calls) {
        // One statement for what is said of a stage, or of a case of it.
        std::optional<std::pair<StageId, bool>> open;
        for (const ScheduleCall &call : calls) {
            const std::string text = print(call);
            const std::pair subject(call.stage, call.specialized);
            if (open != subject || call.method == Method::Specialize) {
                if (open) body_ += ";\n";
                body_ += indent_ + stage(call.stage) + text;
                open = subject;
            } else {
                body_ += "\n" + indent_ + "    " + text;
            }
        }
        if (open) body_ += ";\n";
        return declarations("Var", vars_) + declarations("RVar", rvars_) + body_;
    }

private:
    std::string stage(StageId s) const {
        const Stage &of = graph_.stage(s);
        const std::string &func = funcs_[of.func.index()];
        return of.index == 0 ? func : func + ".update(" + std::to_string(of.index - 1) + ")";
    }

    const std::string &variable(const LoopVariable &v) {
        std::string &identifier = variables_[v];
        if (identifier.empty()) {
            identifier = identifiers_.fresh(v.name);
            (v.is_reduction ? rvars_ : vars_).push_back(identifier + "(" + quoted(v.name) + ")");
        }
        return identifier;
    }

    // One statement, on as many lines as it needs.
    std::string declarations(const std::string &type, const std::vector<std::string> &all) const {
        constexpr size_t most_columns = 100;
        std::string text, line = indent_ + type;
        for (size_t i = 0; i < all.size(); i++) {
            const std::string next = " " + all[i] + (i + 1 < all.size() ? "," : ";");
            if (line.size() + next.size() > most_columns) {
                text += line + "\n";
                line = indent_ + "   ";
            }
            line += next;
        }
        return all.empty() ? "" : text + line + "\n";
    }

    std::string list(const std::vector<LoopVariable> &variables) {
        std::string text;
        for (const LoopVariable &v : variables) text += (text.empty() ? "" : ", ") + variable(v);
        return text;
    }

    std::string site(const ScheduleCall &call) {
        const Stage &around = graph_.stage(*call.site);
        return funcs_[around.func.index()] + ", " + variable(call.variables[0]);
    }

    static const char *tail(ScheduleCall::Tail t) {
        switch (t) {
            case ScheduleCall::Tail::RoundUp: return "RoundUp";
            case ScheduleCall::Tail::ShiftInwards: return "ShiftInwards";
            case ScheduleCall::Tail::GuardWithIf: break;
        }
        return "GuardWithIf";
    }

    std::string large_enough(const ScheduleCall &call) const {
        const std::string &func = funcs_[graph_.stage(call.stage).func.index()];
        std::string text;
        for (const WholePart &m : call.whole_parts) {
            const std::string dim =
                func + ".output_buffers()[0].dim(" + std::to_string(m.func_dim) + ")";
            text += (text.empty() ? "" : " && ") +
                    (m.is_exact ? dim + ".min() == 0 && " : std::string()) + dim + ".extent() " +
                    (m.is_exact ? "== " : ">= ") + std::to_string(m.extent) +
                    (m.divides ? " && " + dim + ".min() == 0 && " + dim + ".extent() % " +
                                     std::to_string(m.extent) + " == 0"
                               : std::string()) +
                    (m.period > 1 ? " && " + dim + ".min() % " + std::to_string(m.period) + " == 0"
                                  : std::string()) +
                    (m.ends_at_period
                         ? " && " + dim + ".extent() % " + std::to_string(m.period) + " == 0"
                         : std::string());
        }
        return text;
    }

    std::string split_factor(const ScheduleCall &call) const {
        const std::string factor = std::to_string(call.factor);
        if (!call.odd_parts_of) return factor;
        const std::string buffer =
            funcs_[graph_.stage(call.stage).func.index()] + ".output_buffers()[0]";
        const std::string part =
            buffer + ".dim(" + std::to_string(*call.odd_parts_of) + ").extent() / " + factor;
        if (!call.hidden_by_stride_of) return "(" + part + ") | 1";
        return "max(min(" + buffer + ".dim(" + std::to_string(*call.hidden_by_stride_of) +
               ").stride(), " + part + ") | 1, 1)";
    }

    std::string print(const ScheduleCall &call) {
        switch (call.method) {
            case Method::ComputeRoot: return ".compute_root()";
            case Method::ComputeAt: return ".compute_at(" + site(call) + ")";
            case Method::StoreRoot: return ".store_root()";
            case Method::ComputeWith: return ".compute_with(" + site(call) + ")";
            case Method::StoreAt: return ".store_at(" + site(call) + ")";
            case Method::StoreInPool: return ".store_in(MemoryType::Stack)";
            case Method::ReorderStorage: return ".reorder_storage(" + list(call.variables) + ")";
            case Method::BoundStorage:
                return ".bound_storage(" + list(call.variables) + ", " +
                       std::to_string(call.factor) + ")";
            case Method::AlignStorage:
                return ".align_storage(" + list(call.variables) + ", " +
                       std::to_string(call.factor) + ")";
            case Method::AlignBounds:
                return ".align_bounds(" + list(call.variables) + ", " +
                       std::to_string(call.factor) + ")";
            case Method::Split:
                return ".split(" + list(call.variables) + ", " + split_factor(call) +
                       ", TailStrategy::" + tail(call.tail) + ")";
            case Method::Reorder: return ".reorder(" + list(call.variables) + ")";
            case Method::Fuse: return ".fuse(" + list(call.variables) + ")";
            case Method::Rename: return ".rename(" + list(call.variables) + ")";
            case Method::Parallel: return ".parallel(" + list(call.variables) + ")";
            case Method::Atomic: return ".atomic()";
            case Method::AllowRaceConditions: return ".allow_race_conditions()";
            case Method::Vectorize: return ".vectorize(" + list(call.variables) + ")";
            case Method::Unroll: return ".unroll(" + list(call.variables) + ")";
            case Method::GpuBlocks: return ".gpu_blocks(" + list(call.variables) + ")";
            case Method::GpuThreads: return ".gpu_threads(" + list(call.variables) + ")";
            case Method::NeverPartition:
                return call.variables.empty()
                           ? ".never_partition_all()"
                           : ".partition(" + list(call.variables) + ", ::Halide::Partition::Never)";
            case Method::Unscheduled: return ".unscheduled()";
            case Method::Specialize: return ".specialize(" + large_enough(call) + ")";
        }
        return "";
    }

    const StageGraph &graph_;
    const std::vector<std::string> &funcs_;
    Identifiers &identifiers_;
    const std::string indent_;
    std::map<LoopVariable, std::string> variables_;
    std::vector<std::string> vars_, rvars_;  // their declarations
    std::string body_;
};

}  // namespace

Identifiers::Identifiers() : taken_(reserved.begin(), reserved.end()) {}

std::string Identifiers::fresh(const std::string &halide_name) {
    const std::string base = sanitized(halide_name);
    std::string name = base;
    for (int i = 2; std::find(taken_.begin(), taken_.end(), name) != taken_.end(); i++) {
        name = base + (base.back() == '_' ? "" : "_") + std::to_string(i);
    }
    taken_.push_back(name);
    return name;
}

std::string print_calls(const StageGraph &graph, std::span<const ScheduleCall> calls,
                        const std::vector<std::string> &funcs, Identifiers &identifiers,
                        const std::string &indent) {
    return Printer(graph, funcs, identifiers, indent).all(calls);
}

std::string print_division(const DivisionCalls &calls, const std::string &func,
                           const std::string &partial, const std::string &indent) {
    const DividedReduction &d = calls.division;
    if (d.kind == DividedReduction::Kind::Copy)
        return indent + "Func " + partial + " = " + func + ".in();\n";
    const auto rvar = [](const std::string &name) { return "RVar(" + quoted(name) + ")"; };
    const auto var = [](const std::string &name) { return "Var(" + quoted(name) + ")"; };
    const auto reordered = [&](const std::string &update,
                               const std::vector<DivisionCalls::Loop> &loops) {
        std::string order;
        for (const DivisionCalls::Loop &loop : loops)
            order += (order.empty() ? "" : ", ") +
                     (loop.is_reduction ? rvar(loop.name) : var(loop.name));
        return loops.empty() ? "" : indent + update + ".reorder(" + order + ");\n";
    };
    const std::string update = func + ".update(" + std::to_string(d.stage - 1) + ")";
    std::string storage;
    for (const std::string &dim : calls.storage)
        storage += (storage.empty() ? "" : ", ") + var(dim);
    const std::string &kept = d.kind == DividedReduction::Kind::Lanes ? calls.inner : calls.outer;
    return indent + "Func " + partial + " = " + update + "\n" + indent + "    .split(" +
           rvar(d.loop) + ", " + rvar(calls.outer) + ", " + rvar(calls.inner) + ", " +
           std::to_string(d.points) + ")\n" + indent + "    .rfactor(" + rvar(kept) + ", " +
           var(calls.dimension) + ");\n" + reordered(partial + ".update(0)", calls.order) +
           reordered(update, calls.order_of_rest) +
           (storage.empty() ? "" : indent + partial + ".reorder_storage(" + storage + ");\n");
}

}  // namespace cryolite
