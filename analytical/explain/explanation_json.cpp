// Each struct has one function members() with its keys. The Writer and the Reader both walk it, so they agree on the
// keys.
#include "analytical/explain/explanation_json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/text_file.h"

namespace cryolite {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *version_key = "cryolite_explanation";
// For people only. The tree says the same; the Reader skips this key.
constexpr const char *loops_key = "loops";
// The most objects inside each other. No pipeline comes near. A deeper file could exhaust the stack.
constexpr int deepest = 400;

// ---- the keys --------------------------------------------------------------------------------

template <typename Archive>
void members(Archive &a, typename Archive::template Of<ExplainedConstant> &c) {
    a("key", c.key), a("value", c.value), a("unit", c.unit);
}

template <typename Archive>
void members(Archive &a, typename Archive::template Of<ExplainedTerm> &t) {
    a("name", t.name), a("seconds", t.seconds), a("unit", t.unit), a("appendix_b", t.appendix_b);
    a("doc", t.doc), a("constants", t.constants), a("raw_seconds", t.raw_seconds);
}

template <typename Archive>
void members(Archive &a, typename Archive::template Of<ExplainedFeature> &f) {
    a("name", f.name), a("unit", f.unit), a("doc", f.doc);
}

template <typename Archive>
void members(Archive &a, typename Archive::template Of<ExplainedStage> &s) {
    a("name", s.name), a("seconds", s.seconds), a("dominating", s.dominating);
    a("bound_by", s.bound_by), a("productions", s.productions), a("speedup", s.speedup);
    a("terms", s.terms), a("features", s.features);
    a("raw", s.raw), a("corrected", s.corrected), a("trust", s.trust);
    a("spread", s.spread);
}

template <typename Archive>
void members(Archive &a, typename Archive::template Of<ExplainedNode> &n) {
    a("kind", n.kind), a("of", n.of), a("text", n.text), a("loop", n.loop), a("run", n.run);
    a("extents", n.extents), a("children", n.children);
}

template <typename Archive>
void members(Archive &a, typename Archive::template Of<Explanation> &e) {
    a("pipeline", e.pipeline), a("algorithm", e.algorithm), a("target", e.target);
    a("machine", e.machine), a("machine_source", e.machine_source);
    a("seconds", e.seconds), a("dominating", e.dominating), a("peak_bytes", e.peak_bytes);
    a("least_arithmetic_seconds", e.least_arithmetic_seconds);
    a("least_traffic_seconds", e.least_traffic_seconds);
    a("too_large", e.too_large), a("trace", e.trace), a("nest", e.nest), a("inlined", e.inlined);
    a("terms", e.terms), a("stages", e.stages), a("constants", e.constants);
    a("features", e.features), a("is_by_hand", e.is_by_hand), a("differences", e.differences);
    a("tensor_cores", e.tensor_cores), a("spread", e.spread);
}

// ---- writing ---------------------------------------------------------------------------------

class Writer {
public:
    template <typename T>
    using Of = const T;

    Json result = Json::object();

    template <typename T>
    void operator()(const char *key, const T &value) {
        result[key] = written(value);
    }

private:
    static Json written(const std::string &value) { return value; }
    static Json written(double value) { return value; }
    static Json written(int64_t value) { return value; }
    static Json written(bool value) { return value; }
    static Json written(const NamedNumbers &values) {
        Json object = Json::object();
        for (const auto &[name, value] : values) object[name] = value;
        return object;
    }
    template <typename T>
    static Json written(const std::vector<T> &values) {
        Json array = Json::array();
        for (const T &value : values) array.push_back(written(value));
        return array;
    }
    template <typename T>
    static Json written(const T &value) {
        Writer inner;
        members(inner, value);
        return std::move(inner.result);
    }
};

// ---- reading ---------------------------------------------------------------------------------

// Reads the members of one object. It keeps the first problem and reads nothing after it.
class Reader {
public:
    template <typename T>
    using Of = T;

    Reader(const Json &object, std::string where, int depth, std::string &problem)
        : object_(object), where_(std::move(where)), depth_(depth), problem_(problem) {}

    template <typename T>
    void operator()(const char *key, T &value) {
        known_.insert(key);
        if (!problem_.empty()) return;
        const auto found = object_.find(key);
        if (found == object_.end())
            problem_ = "lacks key '" + where_ + key + "'";
        else
            read(*found, where_ + key, value);
    }

    void refuse_unknown(std::initializer_list<const char *> besides = {}) {
        known_.insert(besides.begin(), besides.end());
        for (const auto &[key, value] : object_.items())
            if (problem_.empty() && !known_.contains(key))
                problem_ = "has an unknown key '" + where_ + key + "'";
    }

private:
    void must_be(const std::string &key, const char *what) {
        problem_ = "has a bad value: key '" + key + "' must be " + what;
    }

    void read(const Json &at, const std::string &key, std::string &value) {
        at.is_string() ? void(value = at.get<std::string>()) : must_be(key, "text");
    }
    void read(const Json &at, const std::string &key, double &value) {
        at.is_number() ? void(value = at.get<double>()) : must_be(key, "a number");
    }
    void read(const Json &at, const std::string &key, int64_t &value) {
        at.is_number_integer() ? void(value = at.get<int64_t>()) : must_be(key, "a whole number");
    }
    void read(const Json &at, const std::string &key, bool &value) {
        at.is_boolean() ? void(value = at.get<bool>()) : must_be(key, "true or false");
    }
    void read(const Json &at, const std::string &key, NamedNumbers &values) {
        if (!at.is_object()) return must_be(key, "an object of numbers");
        for (const auto &[name, number] : at.items()) {
            values.emplace_back(name, 0);
            read(number, key + "." + name, values.back().second);
        }
    }
    template <typename T>
    void read(const Json &at, const std::string &key, std::vector<T> &values) {
        if (!at.is_array()) return must_be(key, "an array");
        for (const Json &element : at) {
            if (!problem_.empty()) return;
            const std::string place = key + "[" + std::to_string(values.size()) + "]";
            read(element, place, values.emplace_back());
        }
    }
    template <typename T>
    void read(const Json &at, const std::string &key, T &value) {
        if (!at.is_object()) return must_be(key, "an object");
        if (depth_ > deepest) {
            problem_ = "is nested too deeply";
            return;
        }
        Reader inner(at, key + ".", depth_ + 1, problem_);
        members(inner, value);
        inner.refuse_unknown();
    }

    const Json &object_;
    const std::string where_;
    const int depth_;
    std::string &problem_;
    std::set<std::string> known_;
};

constexpr const char *anew =
    "; write it anew with autoscheduler.explain=FILE or `cryolite explain --json FILE`";

}  // namespace

std::string explanation_json(const Explanation &explanation) {
    Json file = Json::object();
    file[version_key] = explanation_version;
    Writer writer;
    members(writer, explanation);
    file.update(writer.result);
    file[loops_key] = nest_text(explanation);
    return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Explanation> parse_explanation(std::string_view text, const std::string &path) {
    const auto bad = [&](const std::string &what) {
        return Error{"explanation '" + path + "' " + what + anew};
    };
    Json parsed;
    try {
        parsed = Json::parse(text);
    } catch (const Json::exception &e) {
        const std::string what = e.what();
        const size_t end_of_id = what.find("] ");
        return bad("cannot be understood: " +
                   (end_of_id == what.npos ? what : what.substr(end_of_id + 2)));
    }
    if (!parsed.is_object() || !parsed.contains(version_key))
        return bad("explains no schedule: it has no key '" + std::string(version_key) +
                   "', which holds the version of the format");
    if (parsed[version_key] != explanation_version)
        return bad("has version " + parsed[version_key].dump() +
                   " of the format, and this Cryolite reads version " +
                   std::to_string(explanation_version) + ": use the Cryolite that wrote it");
    Explanation out;
    std::string problem;
    Reader reader(parsed, "", 0, problem);
    members(reader, out);
    reader.refuse_unknown({version_key, loops_key});
    if (!problem.empty()) return bad(problem);
    return out;
}

Result<Explanation> read_explanation(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text.ok()) return text.error();
    return parse_explanation(*text, path);
}

}  // namespace cryolite
