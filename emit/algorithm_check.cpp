#include "emit/algorithm_check.h"

#include <cstdio>
#include <sstream>

#include "graph/algorithm_hash.h"

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

}  // namespace

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
    std::istringstream lines(text);
    std::string indented, line;
    while (std::getline(lines, line)) indented += line.empty() ? "\n" : "    " + line + "\n";
    return indented;
}

std::string check_and_find(const BuiltGraph &built, const std::string &hash_function) {
    return "    std::vector<::Halide::Internal::Function> cryolite_outputs;\n"
           "    for (const Func &f : pipeline.outputs()) "
           "cryolite_outputs.push_back(f.function());\n"
           "    if (" +
           hash_function + "(cryolite_outputs) != " + hex(built.graph.algorithm_hash()) +
           ") {\n"
           "        throw ::Halide::CompileError(\n"
           "            \"This schedule was made by Cryolite for another algorithm: the pipeline "
           "has changed \"\n"
           "            \"since. Run the autoscheduler again and use the schedule that it "
           "writes.\\n\");\n"
           "    }\n"
           "    // Funcs by what they compute; the name and then the position choose among "
           "equals.\n"
           "    const auto cryolite_environment = "
           "::Halide::Internal::build_environment(cryolite_outputs);\n"
           "    const auto cryolite_find = [&](uint64_t hash, const std::string &name, int "
           "position) {\n"
           "        std::vector<::Halide::Internal::Function> equals;\n"
           "        for (const auto &entry : cryolite_environment) {\n"
           "            if (" +
           hash_function +
           "({entry.second}) != hash) continue;\n"
           "            if (entry.first == name) return Func(entry.second);\n"
           "            equals.push_back(entry.second);\n"
           "        }\n"
           "        if (position >= (int)equals.size()) {\n"
           "            throw ::Halide::CompileError(\"Cryolite's schedule does not find the Func "
           "\" + name + \"\\n\");\n"
           "        }\n"
           "        return Func(equals[(size_t)position]);\n"
           "    };\n"
           "    (void)cryolite_find;\n";
}

std::vector<std::string> find_expressions(const BuiltGraph &built) {
    const std::vector<uint64_t> hashes =
        built.undivided_hashes.empty() ? func_hashes(built.functions) : built.undivided_hashes;
    std::vector<std::string> expressions(hashes.size());
    for (const Func &func : built.graph.funcs()) {
        if (func.is_input()) continue;
        const size_t i = func.id.index();
        int position = 0;
        for (const Func &other : built.graph.funcs()) {
            // In the order of names, as the environment is sorted.
            position += !other.is_input() && hashes[other.id.index()] == hashes[i] &&
                        other.name < func.name;
        }
        expressions[i] = "cryolite_find(" + hex(hashes[i]) + ", \"" + func.name + "\", " +
                         std::to_string(position) + ")";
    }
    return expressions;
}

}  // namespace cryolite
