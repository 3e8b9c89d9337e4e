// Inference: the network of network_parameters.h as a Correction.
//
// Centre and scale are folded into the first layers, so an input of 0 costs nothing, and most features of a stage are 0.
// A row is computed one input after the other, with the layer's outputs side by side in vectors. A batch of rows would
// gain nothing: the weights fit in the first caches, and rows have their zeros in different places. So a row's correction
// depends on the row alone, to the bit. Nothing is allocated per call.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analytical/correction.h"
#include "model/network_parameters.h"

namespace cryolite {

class Network : public Correction {
public:
    // parameters: problem_of() is empty. machine: whose factors c_k are taken; all are 1 for one that is not there.
    Network(const NetworkParameters &parameters, const std::string &machine);
    ~Network() override;

    bool reads_rows() const override { return true; }
    void correct(std::span<const double> row, Terms &terms) const override;
    double trust(std::span<const double> row) const override;

private:
    struct Folded;
    std::unique_ptr<const Folded> folded_;
};

}  // namespace cryolite
