#include "schedule/trace_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "base/hash.h"

namespace cryolite {

namespace {

constexpr std::string_view first_line = "cryolite-trace 1";

// --- writing ---

class Writer {
public:
    explicit Writer(const StageGraph &graph) : graph_(graph) {}

    std::string line(const Action &action) const {
        return std::visit([&](const auto &a) { return write(a); }, action);
    }
    static std::string line(const DividedReduction &d) {
        if (d.kind == DividedReduction::Kind::Copy) return "copy " + d.func;
        return "divide " + d.func + ".s" + std::to_string(d.stage) + " " + d.loop +
               (d.kind == DividedReduction::Kind::Lanes ? " lanes " : " blocks ") +
               std::to_string(d.points);
    }

private:
    std::string func(FuncId f) const { return graph_.func(f).name; }
    std::string stage(StageId s) const {
        return graph_.func_of(s).name + ".s" + std::to_string(graph_.stage(s).index);
    }
    std::string dim(StageId s, int d) const {
        return graph_.stage(s).loops[static_cast<size_t>(d)].name;
    }
    std::string loop(LoopName l) const {
        return dim(l.stage, l.dim) + "." + std::to_string(l.level);
    }
    std::string loops(const std::vector<LoopName> &names) const {
        std::string text;
        for (LoopName l : names) text += " " + loop(l);
        return text;
    }

    std::string write(const action::Inline &a) const { return "inline " + func(a.func); }
    std::string write(const action::ComputeRoot &a) const { return "compute_root " + func(a.func); }
    std::string write(const action::ComputeAt &a) const {
        return "compute_at " + func(a.func) + " " + stage(a.at.stage) + " " + loop(a.at);
    }
    std::string write(const action::ComputeWith &a) const {
        return "compute_with " + func(a.func) + " " + stage(a.with.stage) + " " + loop(a.with);
    }
    std::string write(const action::StoreAt &a) const {
        return "store_at " + func(a.func) + " " +
               (a.at ? stage(a.at->stage) + " " + loop(*a.at) : std::string("root"));
    }
    std::string write(const action::ReorderStorage &a) const {
        std::string text = "reorder_storage " + func(a.func);
        for (int d : a.order) text += " " + graph_.func(a.func).dims[static_cast<size_t>(d)];
        return text;
    }
    std::string write(const action::Tile &a) const {
        std::string text = "tile " + stage(a.stage) + " " + dim(a.stage, a.dim);
        for (int64_t span : a.spans) text += " " + std::to_string(span);
        return text;
    }
    std::string write(const action::Reorder &a) const {
        return "reorder " + stage(a.stage) + loops(a.order);
    }
    std::string write(const action::Vectorize &a) const {
        return "vectorize " + stage(a.stage) + " " + dim(a.stage, a.dim) + " " +
               std::to_string(a.width) + (a.woven > 1 ? " " + std::to_string(a.woven) : "");
    }
    std::string write(const action::Unroll &a) const {
        return "unroll " + stage(a.loop.stage) + " " + loop(a.loop);
    }
    std::string write(const action::Join &a) const {
        const Stage &s = graph_.stage(a.loop.stage);
        const bool adds_up = s.loops[static_cast<size_t>(a.loop.dim)].is_reduction;
        return (adds_up ? "dot " : "join ") + stage(a.loop.stage) + " " + loop(a.loop);
    }
    std::string write(const action::Parallel &a) const {
        return "parallel " + stage(a.stage) + " " + std::to_string(a.count) +
               (a.inside > 0 ? " " + std::to_string(a.inside) : "");
    }
    std::string write(const action::MapToBlocks &a) const {
        return "map_to_blocks " + stage(a.stage) + loops(a.loops);
    }
    std::string write(const action::MapToThreads &a) const {
        return "map_to_threads " + stage(a.stage) + loops(a.loops);
    }
    std::string write(const action::TensorTile &a) const {
        std::string text = "tensor_tile " + stage(a.stage) + " " + stage(a.product);
        for (int number : tensorcore::numbers_of(a.tile)) text += " " + std::to_string(number);
        return text;
    }

    const StageGraph &graph_;
};

// --- reading ---

// Thrown and caught inside this file alone: errors arise in many places, deep in the parser.
struct Mismatch {
    std::string message;
};

class WordReader {
public:
    explicit WordReader(std::string_view line) : rest_(line) { skip(); }

    bool done() const { return rest_.empty(); }

    std::string_view word(const char *expected) {
        if (done()) throw Mismatch{std::string("expected ") + expected + ", and the line ends"};
        const size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
        const std::string_view found = rest_.substr(0, end);
        rest_.remove_prefix(end);
        skip();
        return found;
    }
    int64_t number() {
        const std::string_view text = word("a number");
        return number(text, text);
    }
    void end() const {
        if (!done()) throw Mismatch{"more than expected: " + quote(rest_)};
    }

    static std::string quote(std::string_view s) { return "'" + std::string(s) + "'"; }
    static int64_t number(std::string_view digits, std::string_view text) {
        int64_t value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
            throw Mismatch{"expected a number in " + quote(text)};
        }
        return value;
    }

private:
    void skip() {
        const size_t start = rest_.find_first_not_of(" \t\r");
        rest_.remove_prefix(start == rest_.npos ? rest_.size() : start);
    }

    std::string_view rest_;
};

// Without the graph, which depends on it.
DividedReduction read_division(WordReader line) {
    DividedReduction d;
    if (line.word("divide or copy") == "copy") {
        d.func = line.word("a Func");
        d.kind = DividedReduction::Kind::Copy;
        line.end();
        return d;
    }
    const std::string_view stage = line.word("an update such as out.s1");
    const size_t dot = stage.rfind(".s");
    if (dot == stage.npos)
        throw Mismatch{"expected an update such as out.s1, not " + WordReader::quote(stage)};
    d.func = stage.substr(0, dot);
    d.stage = static_cast<int>(
        std::clamp<int64_t>(WordReader::number(stage.substr(dot + 2), stage), 0, INT32_MAX));
    d.loop = line.word("a reduction loop");
    const std::string_view kind = line.word("lanes or blocks");
    if (kind != "lanes" && kind != "blocks")
        throw Mismatch{"expected lanes or blocks, not " + WordReader::quote(kind)};
    d.kind = kind == "lanes" ? DividedReduction::Kind::Lanes : DividedReduction::Kind::Blocks;
    d.points = line.number();
    if (d.points < 1 || d.points > INT32_MAX)
        throw Mismatch{"out of range: " + std::to_string(d.points)};
    line.end();
    return d;
}

bool is_division(WordReader line) {
    if (line.done()) return false;
    const std::string_view word = line.word("a word");
    return word == "divide" || word == "copy";
}

// Halide numbers the RDoms that have no name of their own, and the numbers depend on what else the process has made:
// r12$x in one is r99$x in another.
std::string without_number(std::string_view loop_name) {
    const size_t dollar = loop_name.find('$');
    const bool is_numbered = dollar != loop_name.npos && dollar > 1 && loop_name[0] == 'r' &&
                             std::ranges::all_of(loop_name.substr(1, dollar - 1),
                                                 [](char c) { return c >= '0' && c <= '9'; });
    return is_numbered ? "r" + std::string(loop_name.substr(dollar)) : std::string(loop_name);
}

class LineReader : public WordReader {
public:
    LineReader(const StageGraph &graph, std::string_view line) : WordReader(line), graph_(graph) {}

    FuncId func() {
        const std::string_view text = word("a Func");
        return find_func(text, text);
    }
    StageId stage() {
        const std::string_view text = word("a stage such as out.s0");
        const size_t dot = text.rfind(".s");
        if (dot == text.npos) throw Mismatch{"expected a stage such as out.s0, not " + quote(text)};
        const Func &f = graph_.func(find_func(text.substr(0, dot), text));
        const int64_t index = number(text.substr(dot + 2), text);
        if (index < 0 || static_cast<size_t>(index) >= f.stages.size()) {
            throw Mismatch{f.name + " has no stage " + std::to_string(index)};
        }
        return f.stages[static_cast<size_t>(index)];
    }
    // A dimension of a Func, by its index.
    int dim(FuncId f) {
        const std::string_view text = word("a dimension of the Func");
        const std::vector<std::string> &dims = graph_.func(f).dims;
        const auto found = std::find(dims.begin(), dims.end(), text);
        if (found == dims.end())
            throw Mismatch{"the Func has no dimension of that name: " + quote(text)};
        return static_cast<int>(found - dims.begin());
    }
    int16_t dim(StageId s) { return find_dim(s, word("a loop of the stage")); }
    LoopName loop(StageId s) {
        const std::string_view text = word("a loop such as x.0");
        const size_t dot = text.rfind('.');
        if (dot == text.npos) throw Mismatch{"expected a loop such as x.0, not " + quote(text)};
        const int16_t d = find_dim(s, text.substr(0, dot));
        const int64_t level = number(text.substr(dot + 1), text);
        if (level < 0 || level > 100) throw Mismatch{"no such level: " + quote(text)};
        return {s, d, static_cast<int16_t>(level)};
    }

private:
    FuncId find_func(std::string_view func_name, std::string_view text) const {
        const FuncId f = graph_.find(func_name);
        if (!f.valid()) throw Mismatch{"the pipeline has no Func of that name: " + quote(text)};
        return f;
    }
    int16_t find_dim(StageId s, std::string_view loop_name) const {
        const std::vector<StageLoop> &loops = graph_.stage(s).loops;
        std::optional<size_t> found;
        bool is_only = true;
        for (size_t d = 0; d < loops.size(); d++) {
            if (loops[d].name == loop_name) return static_cast<int16_t>(d);
            if (without_number(loops[d].name) != without_number(loop_name)) continue;
            is_only = !found;
            found = d;
        }
        if (found && is_only) return static_cast<int16_t>(*found);
        throw Mismatch{"the stage has no loop of that name: " + quote(loop_name)};
    }

    const StageGraph &graph_;
};

int32_t small(int64_t v) {
    if (v < INT32_MIN || v > INT32_MAX) throw Mismatch{"out of range: " + std::to_string(v)};
    return static_cast<int32_t>(v);
}

template <typename Kind>
Action with_loops(LineReader &line) {
    const StageId stage = line.stage();
    std::vector<LoopName> loops;
    while (!line.done()) loops.push_back(line.loop(stage));
    return Kind{stage, std::move(loops)};
}

Action read_action(LineReader &line) {
    const std::string_view kind = line.word("an action");
    if (kind == "inline") return action::Inline{line.func()};
    if (kind == "compute_root") return action::ComputeRoot{line.func()};
    if (kind == "compute_at") {
        const FuncId f = line.func();
        const StageId s = line.stage();
        return action::ComputeAt{f, line.loop(s)};
    }
    if (kind == "compute_with") {
        const FuncId f = line.func();
        const StageId s = line.stage();
        return action::ComputeWith{f, line.loop(s)};
    }
    if (kind == "store_at") {
        const FuncId f = line.func();
        LineReader ahead = line;
        if (ahead.word("a stage or root") == "root" && ahead.done()) {
            line.word("root");
            return action::StoreAt{f, std::nullopt};
        }
        const StageId s = line.stage();
        return action::StoreAt{f, line.loop(s)};
    }
    if (kind == "reorder_storage") {
        action::ReorderStorage a{line.func(), {}};
        while (!line.done()) a.order.push_back(line.dim(a.func));
        return a;
    }
    if (kind == "tile") {
        action::Tile a{line.stage(), 0, {}};
        a.dim = line.dim(a.stage);
        do {
            a.spans.push_back(line.number());
        } while (!line.done());
        return a;
    }
    if (kind == "reorder") return with_loops<action::Reorder>(line);
    if (kind == "vectorize") {
        action::Vectorize a{line.stage(), 0, 0};
        a.dim = line.dim(a.stage);
        a.width = small(line.number());
        if (!line.done()) a.woven = small(line.number());
        return a;
    }
    if (kind == "unroll") {
        const StageId s = line.stage();
        return action::Unroll{line.loop(s)};
    }
    if (kind == "dot" || kind == "join") {
        const StageId s = line.stage();
        return action::Join{line.loop(s)};
    }
    if (kind == "parallel") {
        action::Parallel a{line.stage()};
        a.count = small(line.number());
        if (!line.done()) a.inside = small(line.number());
        return a;
    }
    if (kind == "map_to_blocks") return with_loops<action::MapToBlocks>(line);
    if (kind == "map_to_threads") return with_loops<action::MapToThreads>(line);
    if (kind == "tensor_tile") {
        action::TensorTile a{line.stage(), line.stage(), {}};
        std::array<int, 6> numbers{};
        for (int &number : numbers) number = small(line.number());
        a.tile = tensorcore::tile_of(numbers);
        return a;
    }
    throw Mismatch{"no such action: '" + std::string(kind) + "'"};
}

}  // namespace

std::string to_text(const StageGraph &graph, const Trace &trace) {
    std::string text(first_line);
    text += "\nalgorithm " + hexadecimal(graph.algorithm_hash()) + "\n";
    const Writer writer(graph);
    for (const DividedReduction &d : graph.divisions()) text += Writer::line(d) + "\n";
    for (const Action &action : trace) text += writer.line(action) + "\n";
    return text;
}

namespace {

// Calls `read` with each line that says something and its number among these, from 1. Errors name the line.
template <typename Read>
Result<int> each_line(std::string_view text, Read read) {
    int number = 0, content = 0;
    while (!text.empty()) {
        number++;
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (WordReader(line).done() || line.front() == '#') continue;
        try {
            read(line, ++content);
        } catch (const Mismatch &mismatch) {
            return Error{"line " + std::to_string(number) + ": " + mismatch.message};
        }
    }
    return content;
}

}  // namespace

Result<std::vector<DividedReduction>> divisions_in(std::string_view text) {
    std::vector<DividedReduction> divisions;
    const auto read = each_line(text, [&](std::string_view line, int) {
        if (is_division(WordReader(line))) divisions.push_back(read_division(WordReader(line)));
    });
    if (!read.ok()) return read.error();
    return divisions;
}

Result<Trace> parse_trace(const StageGraph &graph, std::string_view text) {
    Trace trace;
    std::vector<DividedReduction> divisions;
    const auto read = each_line(text, [&](std::string_view line, int content) {
        LineReader reader(graph, line);
        if (content == 1) {
            if (line != first_line) throw Mismatch{"expected '" + std::string(first_line) + "'"};
        } else if (content == 2) {
            if (reader.word("algorithm") != "algorithm") {
                throw Mismatch{"expected 'algorithm' and the pipeline's hash"};
            }
            const std::string_view found = reader.word("the pipeline's hash");
            if (found != hexadecimal(graph.algorithm_hash())) {
                throw Mismatch{"the trace is of another algorithm: expected " +
                               hexadecimal(graph.algorithm_hash()) + ", found " +
                               std::string(found)};
            }
            reader.end();
        } else if (is_division(reader)) {
            if (!trace.empty()) throw Mismatch{"reductions are divided before all actions"};
            divisions.push_back(read_division(reader));
        } else {
            trace.push_back(read_action(reader));
            reader.end();
        }
    });
    if (!read.ok()) return read.error();
    if (*read < 2) return Error{"the trace ends before its algorithm line"};
    if (!std::ranges::equal(divisions, graph.divisions()))
        return Error{"the trace divides other reductions than was done here"};
    return trace;
}

}  // namespace cryolite
