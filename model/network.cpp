#include "model/network.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

namespace cryolite {
namespace {

// Floats that one step of a loop takes, so that every value goes through vector code, whatever its place.
constexpr size_t lanes = 8;
constexpr size_t rounded_up(size_t n) { return (n + lanes - 1) / lanes * lanes; }

constexpr size_t outputs_width = rounded_up(num_terms);
constexpr size_t most_inputs = rounded_up(num_features + num_terms) + 2 * lanes;
// Features may be as large as a double. What is larger counts as this, so that no sum leaves the range of floats.
// Features that are not log-scaled are shares and small numbers.
constexpr double largest_input = 1e30, largest_plain_input = 1e4;

template <size_t N>
using Vector = Eigen::Array<float, static_cast<int>(N), 1>;
template <size_t N>
using Columns = std::vector<Vector<N>, Eigen::aligned_allocator<Vector<N>>>;

// y = bias + sum of columns[i] * x[i].
template <size_t N>
struct Folded {
    Vector<N> bias = Vector<N>::Zero();
    Columns<N> columns;

    Vector<N> of(const float *x) const {
        Vector<N> y = bias;
        for (size_t i = 0; i < columns.size(); i++)
            if (x[i] != 0) y += columns[i] * x[i];
        return y;
    }
};

template <size_t N>
Folded<N> folded(const DenseLayer &layer) {
    Folded<N> out;
    for (size_t o = 0; o < layer.outputs; o++) out.bias[static_cast<int>(o)] = layer.bias[o];
    for (size_t i = 0; i < layer.inputs; i++) {
        Vector<N> column = Vector<N>::Zero();
        for (size_t o = 0; o < layer.outputs; o++)
            column[static_cast<int>(o)] = layer.weight[o * layer.inputs + i];
        out.columns.push_back(column);
    }
    return out;
}

struct Member {
    Folded<algorithm_width> algorithm;
    Folded<schedule_width> schedule;
    Folded<joined_width> joined;
    Folded<outputs_width> last;

    // n_k of the inputs, before the trust.
    Vector<outputs_width> of(const float *algorithm_inputs, const float *schedule_inputs) const {
        Vector<embeddings_width> embeddings;
        embeddings << algorithm.of(algorithm_inputs).max(0), schedule.of(schedule_inputs).max(0);
        const Vector<joined_width> hidden = joined.of(embeddings.data()).max(0);
        constexpr auto bound = static_cast<float>(correction_bound);
        return bound * (last.of(hidden.data()) / bound).tanh();
    }
};

// The inputs of one embedding that ever changed: first those that are log-scaled, then the others.
struct Inputs {
    std::vector<uint16_t> logarithmic, plain, terms;  // features, and terms
    // In the order of `logarithmic`, `terms`, `plain`: where the layer has the input.
    std::vector<size_t> in_layer;

    size_t size() const { return logarithmic.size() + terms.size() + plain.size(); }
    void write(std::span<const double> row, std::span<const float> shares, float *x) const {
        size_t i = 0;
        for (uint16_t f : logarithmic) x[i++] = static_cast<float>(std::min(row[f], largest_input));
        for (uint16_t t : terms) x[i++] = shares[t];
        const size_t end = rounded_up(i);
        std::fill(x + i, x + end, 0.0f);
        for (size_t at = 0; at < end; at += lanes) {
            Eigen::Map<Vector<lanes>> some(x + at);
            some = (some + 1).log();
        }
        for (uint16_t f : plain) x[i++] = static_cast<float>(std::min(row[f], largest_plain_input));
    }
};

struct Range {
    uint16_t feature;
    float low, high;
};

// How far beyond the range, in the transformed feature's units: of a log-scaled one in powers of e.
double excess(const Range &range, double value) {
    const auto transform = feature_table()[range.feature].transform;
    const double bound = value < range.low ? range.low : range.high;
    return std::abs(transformed(transform, std::min(value, largest_input)) -
                    transformed(transform, bound));
}

}  // namespace

struct Network::Folded {
    Inputs algorithm, schedule;
    std::vector<Member> members;
    std::vector<Range> ranges;
    std::array<double, num_terms> factors;
};

Network::Network(const NetworkParameters &parameters, const std::string &machine, double risk)
    : risk_(static_cast<float>(risk)) {
    const NetworkInputs inputs = network_inputs();
    auto out = std::make_unique<Folded>();
    for (size_t i = 0; i < inputs.size(); i++) {
        if (parameters.scale[i] == 0) continue;
        Inputs &to = i < inputs.num_algorithm() ? out->algorithm : out->schedule;
        if (i >= inputs.num_features())
            to.terms.push_back(static_cast<uint16_t>(i - inputs.num_features()));
        else if (info(inputs.feature(i)).transform == FeatureTransform::Log1p)
            to.logarithmic.push_back(static_cast<uint16_t>(inputs.feature(i)));
        else
            to.plain.push_back(static_cast<uint16_t>(inputs.feature(i)));
    }
    // The order of the inputs in x, as places in the layers.
    for (const bool is_schedule : {false, true}) {
        Inputs &to = is_schedule ? out->schedule : out->algorithm;
        const auto &features = is_schedule ? inputs.schedule : inputs.algorithm;
        const auto place = [&](uint16_t f) {
            return static_cast<size_t>(std::ranges::lower_bound(features, static_cast<Feature>(f)) -
                                       features.begin());
        };
        for (uint16_t f : to.logarithmic) to.in_layer.push_back(place(f));
        for (uint16_t t : to.terms) to.in_layer.push_back(features.size() + t);
        for (uint16_t f : to.plain) to.in_layer.push_back(place(f));
    }
    const auto first_layer = [&]<size_t N>(const DenseLayer &layer, const Inputs &of,
                                           size_t first) {
        const auto whole = folded<N>(layer);
        // In double, since the centres' sum is large where the scales are.
        Eigen::Array<double, static_cast<int>(N), 1> bias = whole.bias.template cast<double>();
        cryolite::Folded<N> kept;
        for (size_t i : of.in_layer) {
            const Eigen::Array<double, static_cast<int>(N), 1> column =
                whole.columns[i].template cast<double>() * parameters.scale[first + i];
            bias -= column * parameters.centre[first + i];
            kept.columns.push_back(column.template cast<float>());
        }
        kept.bias = bias.template cast<float>();
        return kept;
    };
    for (const NetworkMember &m : parameters.members)
        out->members.push_back(
            {first_layer.template operator()<algorithm_width>(m.algorithm, out->algorithm, 0),
             first_layer.template operator()<schedule_width>(m.schedule, out->schedule,
                                                             inputs.num_algorithm()),
             folded<joined_width>(m.joined), folded<outputs_width>(m.last)});
    for (size_t i = 0; i < parameters.low.size(); i++)
        out->ranges.push_back(
            {static_cast<uint16_t>(inputs.feature(i)), parameters.low[i], parameters.high[i]});
    out->factors.fill(1);
    for (const MachineFactors &m : parameters.machines)
        if (m.machine == machine) out->factors = m.factors;
    folded_ = std::move(out);
    if (parameters.members.size() < 2) return;
    for (const NetworkMember &member : parameters.members) {
        NetworkParameters one = parameters;
        one.members = {member};
        members_.push_back(std::make_shared<Network>(one, machine));
    }
}

Network::~Network() = default;

double Network::trust(std::span<const double> row) const {
    double most = 0;
    for (const Range &range : folded_->ranges) {
        const auto value = static_cast<float>(std::min(row[range.feature], largest_input));
        if (value < range.low || value > range.high)
            most = std::max(most, excess(range, row[range.feature]));
    }
    return 1 / (1 + most);
}

void Network::correct(std::span<const double> row, Terms &terms) const {
    std::array<float, num_terms> shares{};
    double sum = 0;
    for (size_t k = 0; k < num_terms; k++)
        if (k != index(Term::PageFaults)) sum += terms[k];
    if (sum > 0)
        for (size_t k = 0; k < num_terms; k++)
            if (k != index(Term::PageFaults))
                shares[k] = static_cast<float>(term_share_scale * (terms[k] / sum));

    alignas(64) std::array<float, most_inputs> algorithm, schedule;
    folded_->algorithm.write(row, shares, algorithm.data());
    folded_->schedule.write(row, shares, schedule.data());
    Vector<outputs_width> n = Vector<outputs_width>::Zero();
    Vector<outputs_width> squares = Vector<outputs_width>::Zero();
    for (const Member &m : folded_->members) {
        const Vector<outputs_width> one = m.of(algorithm.data(), schedule.data());
        n += one;
        if (risk_ != 0) squares += one * one;
    }
    const float count = static_cast<float>(folded_->members.size());
    const Vector<outputs_width> mean = n / count;
    n *= static_cast<float>(trust(row)) / count;
    // Rounding may leave less than nothing of a variance.
    if (risk_ != 0) n += risk_ * (squares / count - mean * mean).max(0).sqrt();
    const Vector<outputs_width> factors = n.exp();
    for (size_t k = 0; k < num_terms; k++)
        terms[k] *= folded_->factors[k] * static_cast<double>(factors[static_cast<int>(k)]);
}

}  // namespace cryolite
