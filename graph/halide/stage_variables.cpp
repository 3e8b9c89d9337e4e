#include "graph/halide/stage_variables.h"

namespace cryolite {
namespace {

// Whether the factor is one that emission makes to hide an alignment: a length that is odd by its form.
bool is_odd_by_form(const Expr &factor) {
    Expr e = factor;
    if (const auto *max = e.as<ir::Max>()) e = max->a;
    const auto *call = e.as<ir::Call>();
    return call && is_intrinsic(*call, "bitwise_or") && call->args.size() == 2 &&
           ir::is_const_one(call->args[1]);
}

class Follower {
public:
    Follower(const StageView &view, const FactorValue &factor) : factor_(factor) {
        for (size_t d = 0; d < view.loops.size(); d++)
            found_.parts[view.loops[d].name] = {{static_cast<int>(d), 1, 0}};
    }

    StageVariables follow(const std::vector<ir::Split> &splits) {
        for (const ir::Split &split : splits) {
            switch (split.split_type) {
                case ir::Split::RenameVar: found_.parts[split.outer] = take(split.old_var); break;
                case ir::Split::FuseVars: fuse(split); break;
                case ir::Split::SplitVar: cut(split); break;
                default:  // older Halides have a split that makes an RVar pure
                    found_.inexact.push_back("purify(" + own_name(split.old_var) + ")");
                    found_.parts[split.outer] = take(split.old_var);
            }
        }
        return std::move(found_);
    }

private:
    LoopParts take(const std::string &name) {
        LoopParts parts;
        const auto it = found_.parts.find(name);
        if (it == found_.parts.end()) return parts;
        parts = std::move(it->second);
        found_.parts.erase(it);
        return parts;
    }

    void fuse(const ir::Split &split) {
        LoopParts both = take(split.outer);
        const LoopParts inner = take(split.inner);
        both.insert(both.end(), inner.begin(), inner.end());
        found_.parts[split.old_var] = std::move(both);
    }

    void cut(const ir::Split &split) {
        LoopParts old = take(split.old_var);
        if (old.size() == 1 && !constant_factor(split.factor) && is_odd_by_form(split.factor)) {
            found_.hides_alignment[split.outer] = old[0].dim;
            found_.parts[split.outer] = {};
            found_.parts[split.inner] = std::move(old);
            return;
        }
        const std::optional<int64_t> factor = factor_(split.factor);
        if (old.size() != 1 || !factor || *factor < 1) {
            found_.inexact.push_back(text_of(split) + (factor ? ", of fused loops" : ""));
            found_.parts[split.outer] = std::move(old);
            found_.parts[split.inner] = {};
            return;
        }
        const auto [dim, span, points] = old[0];
        const int64_t inner = span * *factor;
        if (points > 0 && points % inner != 0)
            found_.inexact.push_back(text_of(split) + ", which does not divide " +
                                     std::to_string(points / span));
        found_.parts[split.outer] = {{dim, inner, points}};
        found_.parts[split.inner] = {{dim, span, inner}};
        found_.tails.push_back({dim, inner, points, split.tail});
    }

    static std::string text_of(const ir::Split &split) {
        const auto factor = constant_factor(split.factor);
        return "split(" + own_name(split.old_var) + ", " +
               (factor ? std::to_string(*factor) : "an expression") + ")";
    }

    const FactorValue &factor_;
    StageVariables found_;
};

}  // namespace

StageVariables stage_variables(const StageView &view, const ir::StageSchedule &schedule,
                               const FactorValue &factor) {
    return Follower(view, factor).follow(schedule.splits());
}

std::optional<int64_t> constant_factor(const Expr &factor) {
    if (!factor.defined()) return std::nullopt;
    const auto value = ir::as_const_int(ir::simplify(factor));
    if (!value) return std::nullopt;
    return *value;
}

std::string own_name(const std::string &variable) {
    return variable.substr(variable.rfind('.') + 1);
}

bool is_at_loop(const Halide::LoopLevel &level) {
    return level.defined() && !level.is_inlined() && !level.is_root();
}

}  // namespace cryolite
