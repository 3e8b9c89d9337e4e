// A matrix product that tensor cores could compute. tensorcore/ finds products in Halide's expressions and adds them to
// the graph; everything behind it knows products by this description alone.
#pragma once

#include <vector>

#include "base/ids.h"
#include "machine/tensor_types.h"

namespace cryolite {

// What multiplies, at the estimates.
struct ProductOperand {
    // The Func or input that the factor loads as it is. Invalid: the factor is another expression.
    FuncId loaded;
    // While `loaded` is in memory: units of 16 bytes are aligned there, and none leaves its row.
    bool has_units = false;
    bool along_depth = true;  // its neighbours in memory differ in depth
};

// A stage whose nest a tile kernel may replace.
struct ProductLead {
    StageId stage;
    bool columns_are_left = false;  // the left factor moves with the columns of what is stored
    bool stores_rows = false;       // neighbouring columns are neighbours in memory
};

struct TensorProduct {
    StageId stage;                   // the update that adds up the product
    tensorcore::ProductTypes types;  // rows: of the left factor, columns: of the right one
    ProductOperand left, right;
    // Points at the estimates of the loops that move the left factor alone, the right one alone, none of the sums, and
    // both or none.
    double left_points = 1, right_points = 1, depth_points = 1, batch_points = 1;
    // The first is `stage` itself, which stores the sums. The others finish them in registers: each belongs to the
    // reader, by points, of the one before. Funcs between the product and its lead are inlined.
    std::vector<ProductLead> leads;
    // Funcs that convert the factors. They must be inlined.
    std::vector<FuncId> conversions;
};

}  // namespace cryolite
