#include "model/network_parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"
#include "base/random.h"

namespace cryolite {
namespace {

DenseLayer zeros(size_t inputs, size_t outputs) {
    return {inputs, outputs, std::vector<float>(inputs * outputs), std::vector<float>(outputs)};
}

// Uniform with the variance 2 / inputs, by which relu layers neither swell nor fade (He et al., 2015).
DenseLayer random_layer(size_t inputs, size_t outputs, Random random) {
    DenseLayer layer = zeros(inputs, outputs);
    const double most = std::sqrt(6.0 / static_cast<double>(inputs));
    for (float &w : layer.weight) w = static_cast<float>(most * (2 * random.unit() - 1));
    return layer;
}

bool are_sane(const std::vector<float> &values) {
    return std::ranges::all_of(
        values, [](float v) { return std::isfinite(v) && std::abs(v) <= largest_weight; });
}

}  // namespace

NetworkInputs network_inputs() {
    return {features_for(FeatureTarget::Cpu, FeatureScope::Algorithm),
            features_for(FeatureTarget::Cpu, FeatureScope::Schedule)};
}

NetworkParameters untrained_network(uint64_t seed, size_t members) {
    const NetworkInputs inputs = network_inputs();
    NetworkParameters out;
    out.centre.resize(inputs.size());
    out.scale.resize(inputs.size());
    const Random random(seed);
    for (size_t m = 0; m < members; m++)
        out.members.push_back(
            {random_layer(inputs.num_algorithm(), algorithm_width, random.fork("algorithm", m)),
             random_layer(inputs.num_schedule(), schedule_width, random.fork("schedule", m)),
             random_layer(embeddings_width, joined_width, random.fork("joined", m)),
             zeros(joined_width, num_terms)});
    return out;
}

uint64_t hash_of(const NetworkParameters &parameters) {
    Hasher h;
    const auto add = [&](const std::vector<float> &values) {
        h.add(values.size());
        for (float v : values) h.add(std::bit_cast<uint32_t>(v));
    };
    for (const auto *values :
         {&parameters.centre, &parameters.scale, &parameters.low, &parameters.high})
        add(*values);
    for (const NetworkMember &member : parameters.members)
        for (const DenseLayer *layer : member.layers()) {
            h.add(layer->inputs).add(layer->outputs);
            add(layer->weight);
            add(layer->bias);
        }
    for (const MachineFactors &m : parameters.machines) {
        h.add(m.machine);
        for (double f : m.factors) h.add(std::bit_cast<uint64_t>(f));
    }
    return h.value();
}

std::string problem_of(const NetworkParameters &parameters) {
    const NetworkInputs inputs = network_inputs();
    if (parameters.members.empty() || parameters.members.size() > most_members)
        return "has " + std::to_string(parameters.members.size()) + " members, not 1 to " +
               std::to_string(most_members);
    const std::array<std::array<size_t, 2>, 4> shapes = {{{inputs.num_algorithm(), algorithm_width},
                                                          {inputs.num_schedule(), schedule_width},
                                                          {embeddings_width, joined_width},
                                                          {joined_width, num_terms}}};
    for (const NetworkMember &member : parameters.members)
        for (size_t l = 0; l < shapes.size(); l++) {
            const DenseLayer &layer = *member.layers()[l];
            const auto [in, out] = shapes[l];
            if (layer.inputs != in || layer.outputs != out || layer.weight.size() != in * out ||
                layer.bias.size() != out)
                return std::string("has a layer '") + layer_names[l] + "' of another size than " +
                       std::to_string(out) + " by " + std::to_string(in);
            if (!are_sane(layer.weight) || !are_sane(layer.bias))
                return std::string("has weights of the layer '") + layer_names[l] +
                       "' that are not finite or too large";
        }
    if (parameters.centre.size() != inputs.size() || parameters.scale.size() != inputs.size())
        return "scales another number of inputs than " + std::to_string(inputs.size());
    if (!are_sane(parameters.centre) || !are_sane(parameters.scale) ||
        std::ranges::any_of(parameters.scale, [](float s) { return s < 0; }))
        return "scales inputs by numbers that cannot be";
    if (parameters.low.size() != parameters.high.size() ||
        (!parameters.low.empty() && parameters.low.size() != inputs.num_features()))
        return "has ranges of another number of features than " +
               std::to_string(inputs.num_features());
    for (size_t i = 0; i < parameters.low.size(); i++)
        if (!(parameters.low[i] >= 0 && parameters.low[i] <= parameters.high[i] &&
              std::isfinite(parameters.high[i])))
            return "has a range of '" + std::string(info(inputs.feature(i)).name) +
                   "' that cannot be";
    for (const MachineFactors &m : parameters.machines)
        for (double f : m.factors)
            if (!(f >= 1 / largest_factor && f <= largest_factor))
                return "has a factor of '" + m.machine + "' that is not between 1/20 and 20";
    return {};
}

}  // namespace cryolite
