// Inference: the network of network_parameters.h as a Correction.
//
// Centre and scale are folded into the first layers, so an input of 0 costs nothing, and most features of a stage are
// 0. A row is computed one input after the other, with the layer's outputs side by side in vectors. A batch of rows
// would gain nothing: the weights fit in the first caches, and rows have their zeros in different places. So a row's
// correction depends on the row alone, to the bit. Nothing is allocated per call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analytical/correction.h"
#include "model/network_parameters.h"

namespace cryolite {

class Network : public Correction {
public:
    // parameters: problem_of() is empty. machine: whose factors c_k are taken; all are 1 for one that is not there.
    // risk: n_k is the members' mean and so many of their standard deviations more, which trust does not shrink: what
    // is not known costs more. 0: the mean, to the bit.
    Network(const NetworkParameters &parameters, const std::string &machine, double risk = 0);
    ~Network() override;

    bool reads_rows() const override { return true; }
    void correct(std::span<const double> row, Terms &terms) const override;
    double trust(std::span<const double> row) const override;
    // Networks of one member each, without risk; none of a network of one.
    std::span<const std::shared_ptr<const Correction>> members() const override { return members_; }

private:
    struct Folded;
    std::unique_ptr<const Folded> folded_;
    const float risk_;
    std::vector<std::shared_ptr<const Correction>> members_;
};

}  // namespace cryolite
