// Cycles per operation, on vectors and on scalars: the fields of ArithmeticCosts.
#include "tools/calibrate/find_kernel.h"

#include "machine/machine_fields.h"

namespace cryolite::calibrate {

Experiment arithmetic_experiment() {
    Experiment e;
    std::vector<std::string> keys;
    auto add = [&](const std::string &prefix, const KernelSet &set) {
        for (int i = 0; i < set.kernel_count; i++)
            for (const Field<ArithmeticCosts> &f : arithmetic_fields())
                if (f.text.name == set.kernels[i].name) {
                    keys.push_back(prefix + set.kernels[i].name);
                    e.probes.push_back(kernel_probe(keys.back(), set, set.kernels[i].name));
                }
    };
    add("vector.", vector_kernels());
    add("scalar.", scalar_kernels());
    e.conclude = [keys](const Findings &found, Conclusions &out) {
        for (const std::string &key : keys) out[key] = found.cycles(key);
        // One element after the other, also where the rest of the loop is vectorised.
        for (const char *name : {"extern_call_scalar", "integer_divide_by_value"})
            out[std::string("vector.") + name] = out.at(std::string("scalar.") + name);
    };
    return e;
}

}  // namespace cryolite::calibrate
