#include "model/weights_file.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "model/safetensors.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr const char *manifest_key = "cryolite_weights", *hash_key = "cryolite_hash";

json term_names() {
    json names = json::array();
    for (const TermInfo &term : term_table()) names.push_back(std::string(term.name));
    return names;
}

std::string hash_of_file(const std::string &manifest,
                         const std::map<std::string, Tensor> &tensors) {
    Hasher h;
    h.add(std::string_view(manifest));
    for (const auto &[name, tensor] : tensors) {
        h.add(std::string_view(name)).add(tensor.shape.size());
        for (int64_t extent : tensor.shape) h.add(static_cast<uint64_t>(extent));
        for (float v : tensor.values) h.add(std::bit_cast<uint32_t>(v));
    }
    return hexadecimal(h.value());
}

Tensor vector_of(const std::vector<float> &values) {
    return {{static_cast<int64_t>(values.size())}, values};
}

std::string manifest_text(const Weights &weights) {
    json machines = json::array();
    for (const MachineFactors &m : weights.parameters.machines) machines.push_back(m.machine);
    const WeightsManifest &m = weights.manifest;
    return json{{"version", weights_version},
                {"schema", hexadecimal(schema_hash())},
                {"terms", term_names()},
                {"members", weights.parameters.members.size()},
                {"machines", machines},
                {"data", m.data},
                {"seed", m.seed},
                {"samples", m.samples},
                {"pipelines", m.pipelines},
                {"held_out", m.held_out},
                {"metrics", m.metrics},
                {"date", m.date}}
        .dump();
}

// Takes tensors out of the file by name and shape. Keeps the first problem.
class Taker {
public:
    explicit Taker(std::map<std::string, Tensor> &tensors) : tensors_(tensors) {}

    // Any extent where the shape has a -1.
    Tensor take(const std::string &name, const std::vector<int64_t> &shape) {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            if (problem.empty()) problem = "lacks the tensor '" + name + "'";
            return {};
        }
        Tensor tensor = std::move(found->second);
        tensors_.erase(found);
        bool fits = tensor.shape.size() == shape.size();
        for (size_t i = 0; fits && i < shape.size(); i++)
            fits = shape[i] < 0 || shape[i] == tensor.shape[i];
        if (!fits && problem.empty()) problem = "has a tensor '" + name + "' of another shape";
        return fits ? std::move(tensor) : Tensor{};
    }

    DenseLayer layer(const std::string &name, size_t inputs, size_t outputs) {
        const auto in = static_cast<int64_t>(inputs), out = static_cast<int64_t>(outputs);
        return {inputs, outputs, take(name + ".weight", {out, in}).values,
                take(name + ".bias", {out}).values};
    }

    std::string problem;

private:
    std::map<std::string, Tensor> &tensors_;
};

constexpr const char *for_this_one =
    "; train weights with this Cryolite (docs/train.md), or leave the option out";

}  // namespace

std::string weights_bytes(const Weights &weights) {
    const NetworkParameters &p = weights.parameters;
    Safetensors file;
    file.tensors["inputs.centre"] = vector_of(p.centre);
    file.tensors["inputs.scale"] = vector_of(p.scale);
    file.tensors["features.low"] = vector_of(p.low);
    file.tensors["features.high"] = vector_of(p.high);
    for (size_t m = 0; m < p.members.size(); m++)
        for (size_t l = 0; l < layer_names.size(); l++) {
            const DenseLayer &layer = *p.members[m].layers()[l];
            const std::string name = std::to_string(m) + "." + layer_names[l];
            file.tensors[name + ".weight"] = {
                {static_cast<int64_t>(layer.outputs), static_cast<int64_t>(layer.inputs)},
                layer.weight};
            file.tensors[name + ".bias"] = vector_of(layer.bias);
        }
    Tensor factors{{static_cast<int64_t>(p.machines.size()), static_cast<int64_t>(num_terms)}, {}};
    for (const MachineFactors &m : p.machines)
        for (double f : m.factors) factors.values.push_back(static_cast<float>(std::log(f)));
    file.tensors["machines.log_factors"] = std::move(factors);
    file.metadata[manifest_key] = manifest_text(weights);
    file.metadata[hash_key] = hash_of_file(file.metadata[manifest_key], file.tensors);
    return safetensors_bytes(file);
}

bool looks_like_weights(std::string_view bytes) {
    // The header's length leaves the upper bytes 0, which no text has.
    return bytes.size() >= 9 && bytes[7] == 0 && bytes[8] == '{';
}

Result<Weights> parse_weights(std::string_view bytes, const std::string &path) {
    const auto wrong = [&](const std::string &what) {
        return Error{"the weights file '" + path + "' " + what};
    };
    auto file = parse_safetensors(bytes);
    if (!file.ok()) return wrong(file.error().message + "; fetch or train it again");
    if (!file->metadata.contains(manifest_key) || !file->metadata.contains(hash_key))
        return wrong(std::string("holds no weights for Cryolite") + for_this_one);
    const std::string &text = file->metadata[manifest_key];
    if (hash_of_file(text, file->tensors) != file->metadata[hash_key])
        return wrong("is damaged: its hash is another; fetch or train it again");

    const json manifest = json::parse(text, nullptr, false);
    if (!manifest.is_object())
        return wrong("has a manifest that is no JSON; fetch or train it again");
    Weights out;
    size_t num_members = 0;
    std::vector<std::string> machines;
    try {
        if (manifest.at("version") != weights_version)
            return wrong("has version " + manifest.at("version").dump() +
                         ", and this Cryolite reads " + std::to_string(weights_version) +
                         for_this_one);
        if (manifest.at("schema") != hexadecimal(schema_hash()))
            return wrong(std::string("was trained for other features than this Cryolite's") +
                         for_this_one);
        if (manifest.at("terms") != term_names())
            return wrong(std::string("was trained for other terms than this Cryolite's") +
                         for_this_one);
        num_members = manifest.at("members").get<size_t>();
        machines = manifest.at("machines").get<std::vector<std::string>>();
        WeightsManifest &m = out.manifest;
        m.data = manifest.at("data").get<std::string>();
        m.seed = manifest.at("seed").get<uint64_t>();
        m.samples = manifest.at("samples").get<int64_t>();
        m.pipelines = manifest.at("pipelines").get<int64_t>();
        m.held_out = manifest.at("held_out").get<std::vector<std::string>>();
        m.metrics = manifest.at("metrics").get<std::map<std::string, double>>();
        m.date = manifest.at("date").get<std::string>();
    } catch (const json::exception &) {
        return wrong("has a manifest without what it must hold; fetch or train it again");
    }
    if (num_members < 1 || num_members > most_members)
        return wrong("says that it has " + std::to_string(num_members) + " members" + for_this_one);

    const NetworkInputs inputs = network_inputs();
    Taker taker(file->tensors);
    NetworkParameters &p = out.parameters;
    p.centre = taker.take("inputs.centre", {static_cast<int64_t>(inputs.size())}).values;
    p.scale = taker.take("inputs.scale", {static_cast<int64_t>(inputs.size())}).values;
    p.low = taker.take("features.low", {-1}).values;
    p.high = taker.take("features.high", {-1}).values;
    for (size_t m = 0; m < num_members; m++) {
        const std::string of = std::to_string(m) + ".";
        p.members.push_back({taker.layer(of + "algorithm", inputs.num_algorithm(), algorithm_width),
                             taker.layer(of + "schedule", inputs.num_schedule(), schedule_width),
                             taker.layer(of + "joined", embeddings_width, joined_width),
                             taker.layer(of + "last", joined_width, num_terms)});
    }
    const Tensor factors =
        taker.take("machines.log_factors",
                   {static_cast<int64_t>(machines.size()), static_cast<int64_t>(num_terms)});
    if (!taker.problem.empty()) return wrong(taker.problem + for_this_one);
    if (!file->tensors.empty())
        return wrong("has a tensor '" + file->tensors.begin()->first + "' too many" + for_this_one);
    for (size_t m = 0; m < machines.size(); m++) {
        MachineFactors &of = p.machines.emplace_back(MachineFactors{machines[m], {}});
        for (size_t k = 0; k < num_terms; k++)
            of.factors[k] = std::exp(static_cast<double>(factors.values[m * num_terms + k]));
    }
    if (const std::string problem = problem_of(p); !problem.empty())
        return wrong(problem + for_this_one);
    return out;
}

}  // namespace cryolite
