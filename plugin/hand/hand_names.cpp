#include "plugin/hand/hand_names.h"

#include <cctype>
#include <set>

namespace cryolite {
namespace {

// Without the numbers: "luma_in_rows" for "luma$1_in_rows$2". An RVar's "r$x" stays.
std::string unnumbered(const std::string &name) {
    std::string out;
    for (size_t at = 0; at < name.size();) {
        size_t end = at + 1;
        if (name[at] == '$')
            while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0)
                end++;
        if (end == at + 1) out += name[at];
        at = end;
    }
    return out;
}

bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

void rename(std::vector<ExplainedNode> &nodes, const NewNames &names) {
    for (ExplainedNode &node : nodes) {
        node.of = renamed(node.of, names);
        node.text = renamed(node.text, names);
        rename(node.children, names);
    }
}

}  // namespace

bool is_alike(const StageGraph &a, const StageGraph &b) {
    return a.algorithm_hash() == b.algorithm_hash() && a.num_scheduled() == b.num_scheduled() &&
           a.stages().size() == b.stages().size();
}

NewNames first_names(const StageGraph &by_hand, const StageGraph &given) {
    NewNames names;
    std::multiset<std::string> short_names;
    for (const Func &f : by_hand.funcs()) short_names.insert(unnumbered(f.name));
    const bool alike = is_alike(by_hand, given);
    for (const Func &f : by_hand.funcs()) {
        if (f.is_input()) continue;
        const std::string shorter = unnumbered(f.name);
        if (alike)
            names.emplace_back(f.name, given.func(f.id).name);
        else if (short_names.count(shorter) == 1)
            names.emplace_back(f.name, shorter);
    }
    return names;
}

std::string renamed(const std::string &text, const NewNames &names) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        if (!is_part_of_name(text[at])) {
            out += text[at++];
            continue;
        }
        size_t end = at;
        while (end < text.size() && is_part_of_name(text[end])) end++;
        std::string word = text.substr(at, end - at);
        for (const auto &[from, to] : names)
            if (word == from) {
                word = to;
                break;
            }
        out += word;
        at = end;
    }
    return out;
}

void rename(Explanation &explanation, const NewNames &names) {
    for (std::string &line : explanation.differences) line = renamed(line, names);
    for (std::string &func : explanation.inlined) func = renamed(func, names);
    for (ExplainedStage &stage : explanation.stages) stage.name = renamed(stage.name, names);
    explanation.trace = renamed(explanation.trace, names);
    rename(explanation.nest, names);
}

}  // namespace cryolite
