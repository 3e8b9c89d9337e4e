#include "model/correction_file.h"

#include "base/text_file.h"
#include "model/coefficients_file.h"
#include "model/network.h"
#include "model/weights_file.h"

namespace cryolite {

Result<std::shared_ptr<const Correction>> read_correction(const std::string &path,
                                                          const std::string &machine, double risk) {
    const auto bytes = read_text_file(path, longest_correction_bytes);
    if (!bytes.ok()) return bytes.error();
    if (looks_like_weights(*bytes)) {
        const auto weights = parse_weights(*bytes, path);
        if (!weights.ok()) return weights.error();
        if (risk > 0 && weights->parameters.members.size() < 2)
            return Error{"risk needs a network of several members, and '" + path + "' has one"};
        return std::shared_ptr<const Correction>(
            std::make_shared<Network>(weights->parameters, machine, risk));
    }
    const auto learned = parse_coefficients(*bytes, path);
    if (!learned.ok()) return learned.error();
    if (risk > 0)
        return Error{"risk needs a network, and '" + path +
                     "' holds factors; `cryolite train` writes one (docs/train.md)"};
    return std::shared_ptr<const Correction>(std::make_shared<Coefficients>(learned->coefficients));
}

Result<Weights> read_network(const std::string &path) {
    const auto bytes = read_text_file(path, longest_correction_bytes);
    if (!bytes.ok()) return bytes.error();
    if (looks_like_weights(*bytes)) return parse_weights(*bytes, path);
    return Error{"'" + path + "' holds no network; `cryolite train` writes one (docs/train.md)"};
}

}  // namespace cryolite
