#include "emit/algorithm_check.h"

#include <cstdio>
#include <set>
#include <vector>

#include "graph/hash/algorithm_hash.h"

namespace cryolite {

namespace {

std::string hex(uint64_t v) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%016llxull", static_cast<unsigned long long>(v));
    return digits;
}

void replace_all(std::string &text, const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// A local class may have no member templates, so that the one for binary operators becomes a
// generic lambda where it is used.
std::string local_algorithm_hash() {
    std::string text(algorithm_hash_source());
    const size_t begin = text.find("class AlgorithmHash {");
    const size_t end = text.find("\n};\n", begin);
    text = text.substr(begin, end + 4 - begin);
    const size_t member_template = text.find("    template");
    if (member_template != text.npos) {
        const size_t after = text.find("\n    }\n", member_template) + 7;
        text.erase(member_template, after - member_template);
        while (text.compare(member_template, 1, "\n") == 0) text.erase(member_template, 1);
        const std::string scope = "        namespace ir = Halide::Internal;\n";
        replace_all(text, scope,
                    scope +
                        "        const auto add_pair = [&](const auto *n, const char *name) {\n"
                        "            if (n == nullptr) return false;\n"
                        "            add(std::string(name));\n"
                        "            add(hash(n->a));\n"
                        "            add(hash(n->b));\n"
                        "            return true;\n"
                        "        };\n");
        for (const char *op : {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "EQ", "NE", "LT",
                               "LE", "GT", "GE", "And", "Or"}) {
            replace_all(text, std::string("add_pair<ir::") + op + ">(e, ",
                        std::string("add_pair(e.as<ir::") + op + ">(), ");
        }
    }
    // Within the scope of a generated header, Halide may be another namespace's name.
    replace_all(text, "class AlgorithmHash", "class CryoliteAlgorithmHash");
    return text;
}

// A row for each Func that was scheduled, producers first: the first one that is not found is where the algorithm
// differs.
std::string known_funcs(const BuiltGraph &built) {
    const std::vector<uint64_t> hashes =
        built.undivided_hashes.empty() ? func_hashes(built.functions) : built.undivided_hashes;
    // Funcs are found before reductions are divided: partial results are not there yet.
    std::set<FuncId> partial;
    for (const DivisionCalls &d : built.divisions) partial.insert(built.graph.find(d.partial));
    std::string rows;
    for (const Func &func : built.graph.funcs()) {
        if (func.is_input() || partial.contains(func.id)) continue;
        const uint64_t hash = hashes[func.id.index()];
        int position = 0;
        for (const Func &other : built.graph.funcs()) {
            // In the order of names, as Halide's environment is sorted.
            position +=
                !other.is_input() && hashes[other.id.index()] == hash && other.name < func.name;
        }
        // Consumers come before producers in the graph.
        rows.insert(0, "    {\"" + func.name + "\", " + hex(hash) + ", " +
                           std::to_string(position) + "},\n");
    }
    return rows;
}

}  // namespace

std::string check_and_apply(const BuiltGraph &built) {
    return "// What follows refuses a pipeline whose algorithm is another, and finds its Funcs by "
           "what they compute.\n"
           "(void)target;\n" +
           local_algorithm_hash() +
           R"(const auto cryolite_hash = [](const std::vector<::Halide::Internal::Function> &functions) {
    return CryoliteAlgorithmHash().of(functions);
};
// The Funcs as they were: name, what it computes, and its place among those that compute the same.
struct CryoliteFunc {
    std::string name;
    uint64_t hash;
    int position;
};
const std::vector<CryoliteFunc> cryolite_known = {
)" + known_funcs(built) +
           R"(};
std::vector<::Halide::Internal::Function> cryolite_outputs;
for (const Func &f : pipeline.outputs()) cryolite_outputs.push_back(f.function());
std::vector<std::pair<uint64_t, Func>> cryolite_here;
for (const auto &entry : ::Halide::Internal::build_environment(cryolite_outputs)) {
    cryolite_here.emplace_back(cryolite_hash({entry.second}), Func(entry.second));
}
if (cryolite_hash(cryolite_outputs) != )" +
           hex(built.graph.algorithm_hash()) + R"() {
    std::string changed;
    for (const CryoliteFunc &known : cryolite_known) {
        bool is_here = false;
        for (const auto &here : cryolite_here) is_here |= here.first == known.hash;
        if (is_here) continue;
        changed = ": Func \"" + known.name + "\" computes something else, or is gone";
        break;
    }
    throw ::Halide::CompileError(
        "This schedule was made by Cryolite for another algorithm. The pipeline has changed since" +
        changed + ". Run the autoscheduler again and use the schedule that it writes.\n");
}
cryolite_schedule([&](const std::string &name) {
    for (const CryoliteFunc &known : cryolite_known) {
        if (known.name != name) continue;
        // The name, and then the place, choose among those that compute the same.
        std::vector<Func> equals;
        for (const auto &here : cryolite_here) {
            if (here.first != known.hash) continue;
            if (here.second.name() == name) return here.second;
            equals.push_back(here.second);
        }
        if (known.position < (int)equals.size()) return equals[(size_t)known.position];
    }
    throw ::Halide::CompileError("Cryolite's schedule does not find the Func " + name + "\n");
});
)";
}

}  // namespace cryolite
