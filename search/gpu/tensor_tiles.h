// Which tile kernels for tensor cores are worth trying for a Func that is placed at root: those of products whose lead
// is one of its stages.
#pragma once

#include <vector>

#include "machine/hardware.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Each element: the actions for all stages of the Func, as tilings() returns them. Tiles that the GPU cannot hold, in
// registers or shared memory, are left out. other_loops: ordinary loops for the stages that the kernel does not
// replace.
std::vector<std::vector<Action>> tensor_tilings(const LoopNest &nest, const Func &func,
                                                Hardware hardware,
                                                const std::vector<Action> &other_loops);

// How many products a tile kernel could compute, but the decisions so far give to ordinary loops.
size_t ordinary_products(const LoopNest &nest, Hardware hardware);

// What undecided products will cost at the least: the fastest kernel of each that stores its sums. A lead that is
// decided has the price of its whole kernel. Without this, states that give the lead ordinary loops would look as if
// the product were free.
class UndecidedProducts {
public:
    UndecidedProducts(const StageGraph &graph, Hardware hardware);
    double seconds(const LoopNest &nest) const;

private:
    std::vector<double> seconds_;  // [i]: of StageGraph::products()[i]
};

// Why no tile kernel of the GPU adds up the product at these sizes; empty if one does.
std::string problem_with_product(const TensorProduct &product, const gpu::GpuDevice &device);

}  // namespace cryolite
