// The hash of a Halide pipeline's algorithm; see graph/hash/algorithm_hash.h for what it covers. Emitted
// schedules contain this text: it uses Halide.h and the standard library only, and nothing in it may
// change without making every emitted schedule stale.
#ifndef CRYOLITE_ALGORITHM_HASH
#define CRYOLITE_ALGORITHM_HASH

#include <Halide.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace cryolite_schedule {

class AlgorithmHash {
public:
    uint64_t of(const std::vector<Halide::Internal::Function> &outputs) {
        for (const Halide::Internal::Function &f : outputs) meet(f);
        add(outputs.size());
        // Grows while it is walked.
        for (size_t i = 0; i < funcs_.size(); i++) add_func(Halide::Internal::Function(funcs_[i]));
        return state_;
    }

private:
    void add(uint64_t v) {
        v += state_ ^ 0x9e3779b97f4a7c15ull;
        v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
        v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
        state_ = v ^ (v >> 31);
    }
    void add(const std::string &s) {
        for (char c : s) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
        add(s.size());
    }
    void add(const Halide::Type &t) {
        add(static_cast<uint64_t>(t.code()) * 4096 + static_cast<uint64_t>(t.bits()));
    }

    uint64_t meet(const Halide::Internal::Function &f) {
        const auto found = func_index_.emplace(f.name(), funcs_.size());
        if (found.second) funcs_.push_back(f.get_contents());
        return found.first->second;
    }
    uint64_t input_index(const std::string &name) {
        return input_index_.emplace(name, input_index_.size()).first->second;
    }

    void add_func(const Halide::Internal::Function &f) {
        add(static_cast<uint64_t>(f.dimensions()));
        for (const Halide::Type &t : f.output_types()) add(t);
        if (f.has_extern_definition()) {
            add(f.extern_function_name());
            for (const Halide::ExternFuncArgument &a : f.extern_arguments()) {
                add(static_cast<uint64_t>(a.arg_type));
                if (a.is_func()) add(meet(Halide::Internal::Function(a.func)));
                if (a.is_expr()) add_definition_part(f, {}, {a.expr});
                if (a.is_buffer()) add(input_index(a.buffer.name()));
                if (a.is_image_param()) add(input_index(a.image_param.name()));
            }
        } else {
            add_definition(f, f.definition());
        }
        for (const Halide::Internal::Definition &d : f.updates()) add_definition(f, d);
        add(f.updates().size());
    }

    void add_definition(const Halide::Internal::Function &f,
                        const Halide::Internal::Definition &d) {
        const std::vector<Halide::Internal::ReductionVariable> &rvars = d.schedule().rvars();
        std::vector<Halide::Expr> parts = d.args();
        parts.insert(parts.end(), d.values().begin(), d.values().end());
        for (const Halide::Internal::ReductionVariable &r : rvars) {
            parts.push_back(r.min);
            parts.push_back(r.extent);
        }
        if (d.predicate().defined()) parts.push_back(d.predicate());
        add(rvars.size());
        add_definition_part(f, rvars, parts);
    }

    void add_definition_part(const Halide::Internal::Function &f,
                             const std::vector<Halide::Internal::ReductionVariable> &rvars,
                             const std::vector<Halide::Expr> &parts) {
        variables_.clear();
        hashes_.clear();
        for (const std::string &a : f.args()) variables_.emplace(a, variables_.size());
        for (const auto &r : rvars) variables_.emplace(r.var, variables_.size());
        for (const Halide::Expr &e : parts) add(hash(e));
    }

    // Memoised by node: definitions are graphs, and their trees can be exponentially large.
    uint64_t hash(const Halide::Expr &e) {
        const auto found = hashes_.find(e.get());
        if (found != hashes_.end()) return found->second;
        const uint64_t outside = state_;
        state_ = 0;
        add(e.type());
        add_node(e);
        const uint64_t result = state_;
        state_ = outside;
        hashes_.emplace(e.get(), result);
        return result;
    }

    void add_name(const std::string &name, bool is_input) {
        // "input.extent.0": the buffer's name is free, the rest says what is meant.
        const size_t dot = name.find('.');
        const auto known = variables_.find(name);
        if (is_input) {
            add(input_index(name.substr(0, dot)));
            add(dot == std::string::npos ? "" : name.substr(dot));
        } else {
            add(known != variables_.end()
                    ? known->second
                    : variables_.emplace(name, variables_.size()).first->second);
        }
    }

    template <typename Node>
    bool add_pair(const Halide::Expr &e, const char *name) {
        const Node *n = e.as<Node>();
        if (n == nullptr) return false;
        add(std::string(name));
        add(hash(n->a));
        add(hash(n->b));
        return true;
    }

    void add_node(const Halide::Expr &e) {
        namespace ir = Halide::Internal;
        if (const auto *n = e.as<ir::IntImm>()) {
            add(static_cast<uint64_t>(n->value));
        } else if (const auto *n = e.as<ir::UIntImm>()) {
            add(n->value);
        } else if (const auto *n = e.as<ir::FloatImm>()) {
            uint64_t bits;
            std::memcpy(&bits, &n->value, sizeof(bits));
            add(bits);
        } else if (const auto *n = e.as<ir::StringImm>()) {
            add(n->value);
        } else if (const auto *n = e.as<ir::Variable>()) {
            add(std::string("variable"));
            add_name(n->name, n->param.defined() || n->image.defined());
        } else if (const auto *n = e.as<ir::Cast>()) {
            add(std::string("cast"));
            add(hash(n->value));
        } else if (const auto *n = e.as<ir::Reinterpret>()) {
            add(std::string("reinterpret"));
            add(hash(n->value));
        } else if (const auto *n = e.as<ir::Not>()) {
            add(std::string("not"));
            add(hash(n->a));
        } else if (const auto *n = e.as<ir::Select>()) {
            add(std::string("select"));
            add(hash(n->condition));
            add(hash(n->true_value));
            add(hash(n->false_value));
        } else if (const auto *n = e.as<ir::Let>()) {
            add(std::string("let"));
            add(hash(n->value));
            add_name(n->name, false);
            add(hash(n->body));
        } else if (const auto *n = e.as<ir::Call>()) {
            add_call(*n);
        } else {
            add_pair<ir::Add>(e, "+") || add_pair<ir::Sub>(e, "-") || add_pair<ir::Mul>(e, "*") ||
                add_pair<ir::Div>(e, "/") || add_pair<ir::Mod>(e, "%") ||
                add_pair<ir::Min>(e, "min") || add_pair<ir::Max>(e, "max") ||
                add_pair<ir::EQ>(e, "==") || add_pair<ir::NE>(e, "!=") ||
                add_pair<ir::LT>(e, "<") || add_pair<ir::LE>(e, "<=") || add_pair<ir::GT>(e, ">") ||
                add_pair<ir::GE>(e, ">=") || add_pair<ir::And>(e, "&&") ||
                add_pair<ir::Or>(e, "||");
        }
    }

    void add_call(const Halide::Internal::Call &c) {
        if (c.call_type == Halide::Internal::Call::Halide) {
            add(std::string("func"));
            // Calls that rfactor makes hold no handle; they name a Func that has been met.
            add(c.func.defined() ? meet(Halide::Internal::Function(c.func))
                                 : func_index_.emplace(c.name, ~uint64_t{0}).first->second);
            add(static_cast<uint64_t>(c.value_index));
        } else if (c.call_type == Halide::Internal::Call::Image) {
            add(std::string("image"));
            add(input_index(c.name));
        } else {
            add(c.name);
        }
        for (const Halide::Expr &a : c.args) add(hash(a));
        add(c.args.size());
    }

    uint64_t state_ = 0;
    std::vector<Halide::Internal::FunctionPtr> funcs_;
    std::map<std::string, uint64_t> func_index_, input_index_, variables_;
    std::map<const Halide::Internal::IRNode *, uint64_t> hashes_;
};

inline uint64_t algorithm_hash(const std::vector<Halide::Internal::Function> &outputs) {
    return AlgorithmHash().of(outputs);
}

}  // namespace cryolite_schedule

#endif
