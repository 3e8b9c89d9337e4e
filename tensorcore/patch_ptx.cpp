#include "tensorcore/patch_ptx.h"

#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "tensorcore/instructions.h"
#include "tensorcore/placeholder.h"

namespace cryolite::tensorcore {

namespace {

// mma.sync of these shapes, ldmatrix and cp.async.
constexpr int kPtxMajor = 7, kPtxMinor = 0;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

std::string trimmed(std::string text) {
    const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && is_space(text.back())) text.pop_back();
    size_t first = 0;
    while (first < text.size() && is_space(text[first])) first++;
    return text.substr(first);
}

// A placeholder's name in a piece of text.
struct Name {
    std::string whole, what;
    int kernel = 0;
};

std::optional<Name> find_name(const std::string &text) {
    const std::string prefix = kPlaceholderPrefix;
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
        size_t end = at;
        while (end < text.size() && is_word(text[end])) end++;
        Name name;
        name.whole = text.substr(at, end - at);
        const char *first = name.whole.data() + prefix.size(),
                   *last = name.whole.data() + name.whole.size();
        const auto [number_end, error] = std::from_chars(first, last, name.kernel);
        // The symbol of shared memory shares the prefix and has no number.
        if (error != std::errc() || number_end == last || *number_end != '_') continue;
        name.what = std::string(number_end + 1, last);
        return name;
    }
    return std::nullopt;
}

struct CallSequence {
    std::map<int, std::string> arguments;  // by the number of the parameter
    std::string result;
};

// Statements of a call: `st.param.b32 [param0], %r1` and `ld.param.b32 %r2, [retval0]`, with or without an offset.
CallSequence read_call(const std::string &text) {
    CallSequence call;
    size_t begin = text.find('\n');  // behind the comment that opens it
    if (begin == std::string::npos) return call;
    for (size_t end = text.find(';', begin); end != std::string::npos;
         begin = end + 1, end = text.find(';', begin)) {
        const std::string statement = trimmed(text.substr(begin, end - begin));
        const size_t open = statement.find('['), close = statement.find(']');
        if (open == std::string::npos || close == std::string::npos) continue;
        const std::string place = statement.substr(open + 1, close - open - 1);
        if (statement.rfind("st.param", 0) == 0 && place.rfind("param", 0) == 0) {
            const size_t comma = statement.find(',', close);
            if (comma == std::string::npos) continue;
            call.arguments[std::atoi(place.c_str() + 5)] = trimmed(statement.substr(comma + 1));
        } else if (statement.rfind("ld.param", 0) == 0 && place.rfind("retval", 0) == 0) {
            const size_t space = statement.find_first_of(" \t");
            const size_t comma = statement.find(',');
            call.result = trimmed(statement.substr(space, comma - space));
        }
    }
    return call;
}

class Patcher {
public:
    Patcher(const std::string &ptx, std::span<const KernelShape> shapes)
        : text_(ptx), shapes_(shapes) {}

    Result<std::string> patch() {
        raise_version();
        drop_declarations();
        patch_entries();
        if (problem_.empty()) {
            if (const std::optional<Name> left = find_name(text_)) {
                problem_ = left->whole + " was not replaced by an instruction";
            }
        }
        if (!problem_.empty()) return Error{problem_};
        return std::move(text_);
    }

private:
    void raise_version() {
        const std::string word = ".version ";
        const size_t at = text_.find(word);
        if (at == std::string::npos) return;
        const size_t first = at + word.size(), end = text_.find('\n', first);
        const std::string version = text_.substr(first, end - first);
        const size_t dot = version.find('.');
        const int major = std::atoi(version.c_str());
        const int minor = dot == std::string::npos ? 0 : std::atoi(version.c_str() + dot + 1);
        if (major > kPtxMajor || (major == kPtxMajor && minor >= kPtxMinor)) return;
        text_.replace(first, end - first,
                      std::to_string(kPtxMajor) + "." + std::to_string(kPtxMinor));
    }

    // Functions that nobody defines may not be declared either.
    void drop_declarations() {
        const std::string word = ".extern .func";
        for (size_t at = text_.find(word); at != std::string::npos;) {
            const size_t end = text_.find(';', at);
            if (end == std::string::npos) return;
            if (find_name(text_.substr(at, end - at))) {
                text_.erase(at, end + 1 - at);
                at = text_.find(word, at);
            } else {
                at = text_.find(word, end);
            }
        }
    }

    void patch_entries() {
        bool is_declared = false;
        for (size_t at = text_.find(".entry"); at != std::string::npos && problem_.empty();) {
            const size_t open = text_.find("\n{", at);
            size_t end = open == std::string::npos ? open : text_.find("\n}", open);
            if (end == std::string::npos) return;
            end += 2;
            std::string entry = text_.substr(at, end - at);
            if (patch_entry(entry)) {
                text_.replace(at, end - at, entry);
                end = at + entry.size();
                if (!is_declared) {
                    const size_t line_start = text_.rfind('\n', at) + 1;
                    text_.insert(line_start, shared_declaration());
                    end += shared_declaration().size();
                    is_declared = true;
                }
            }
            at = text_.find(".entry", end);
        }
    }

    // Whether the entry is a kernel of ours.
    bool patch_entry(std::string &entry) {
        const std::string begin = "{ // callseq", finish = "} // callseq";
        int kernel = -1;
        bool gathers = false;
        for (size_t at = entry.find(begin); at != std::string::npos;) {
            size_t end = entry.find(finish, at);
            if (end == std::string::npos) break;
            end = entry.find('\n', end);
            if (end == std::string::npos) end = entry.size();
            const std::string sequence = entry.substr(at, end - at);
            const std::optional<Name> name = find_name(sequence);
            if (!name) {
                at = entry.find(begin, end);
                continue;
            }
            if (kernel >= 0 && kernel != name->kernel)
                problem_ = name->whole + " stands in the kernel of another product";
            kernel = name->kernel;
            gathers = gathers || name->what == "put";
            const std::string text = replacement(*name, read_call(sequence));
            if (!problem_.empty()) return false;
            entry.replace(at, end - at, text);
            at = entry.find(begin, at + text.size());
        }
        if (kernel < 0) return false;
        const KernelShape &shape = shapes_[static_cast<size_t>(kernel)];
        const size_t open = entry.find("\n{");
        entry.insert(open + 2, "\n" + register_declarations(shape));
        entry.insert(open + 1, launch_bounds(shape, gathers));
        return true;
    }

    std::string replacement(const Name &name, const CallSequence &call) {
        if (name.kernel < 0 || static_cast<size_t>(name.kernel) >= shapes_.size()) {
            problem_ = name.whole + " belongs to no kernel";
            return "";
        }
        std::vector<std::string> arguments;
        for (const auto &[number, value] : call.arguments) arguments.push_back(value);
        const std::string text = instructions(shapes_[static_cast<size_t>(name.kernel)], name.what,
                                              arguments, call.result);
        if (text.empty()) problem_ = name.whole + " is called in a way that was not expected";
        return text;
    }

    std::string text_;
    std::span<const KernelShape> shapes_;
    std::string problem_;
};

}  // namespace

Result<std::string> patch_ptx(const std::string &ptx, std::span<const KernelShape> shapes) {
    return Patcher(ptx, shapes).patch();
}

}  // namespace cryolite::tensorcore
