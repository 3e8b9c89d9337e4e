#include "plugin/target/target_machine.h"

#include "machine/detect.h"
#include "machine/machine_file.h"
#include "machine/more_cores.h"
#include "machine/presets.h"

namespace cryolite {

using Halide::Target;

namespace {

TargetTraits::Core core_of(const Target &target) {
    using Core = TargetTraits::Core;
#if HALIDE_VERSION_MAJOR >= 21  // 19 knows no Zen 5
    if (target.has_feature(Target::AVX512_Zen5)) return Core::Zen5;
#endif
    if (target.has_feature(Target::AVX512_Zen4) ||
        target.processor_tune == Target::Processor::ZnVer4)
        return Core::Zen4;
    const bool is_zen3 = target.processor_tune == Target::Processor::ZnVer2 ||
                         target.processor_tune == Target::Processor::ZnVer3;
    return is_zen3 ? Core::Zen3 : Core::Any;
}

// Of the instructions for dot products Halide makes those that the target has.
void take_products(const Target &target, Machine &machine) {
    bool mixed = target.features_any_of({Target::AVX512_Zen4, Target::AVX512_SapphireRapids});
#if HALIDE_VERSION_MAJOR >= 21
    mixed = mixed || target.has_feature(Target::AVX512_Zen5);
#endif
    machine.word_products = target.arch == Target::X86;
    machine.mixed_byte_products = target.arch == Target::X86 && mixed;
    machine.equal_byte_products =
        target.arch == Target::ARM && target.has_feature(Target::ARMDotProd);
}

}  // namespace

Result<TargetMachine> machine_of_target(const Target &target, const std::string &name,
                                        int64_t parallelism) {
    TargetTraits traits;
    traits.architecture = target.arch == Target::X86   ? TargetTraits::Architecture::X86
                          : target.arch == Target::ARM ? TargetTraits::Architecture::Arm
                                                       : TargetTraits::Architecture::Other;
    traits.bits = target.bits;
    traits.avx = target.has_feature(Target::AVX);
    traits.avx2 = target.has_feature(Target::AVX2);
    traits.avx512 =
        target.features_any_of({Target::AVX512, Target::AVX512_Skylake, Target::AVX512_KNL});
    const Target host = Halide::get_host_target();
    const bool is_own =
        host.arch == target.arch && host.bits == target.bits && host.os == target.os;
    traits.core = core_of(target);
    // A target that lists this computer's instructions does not name its core.
    if (is_own && traits.core == TargetTraits::Core::Any) traits.core = core_of(host);
    traits.natural_vector_bytes = target.natural_vector_size(Halide::UInt(8));
    traits.text = target.to_string();

    const int cores = static_cast<int>(parallelism);
    TargetMachine out;
    if (names_machine_file(name)) {
        auto file = read_machine_file(name);
        if (!file.ok()) return file.error();
        out = {file->machine, "file " + name};
        if (cores > 0) out.machine.cores = cores;
        if (out.machine.vector_bytes != traits.natural_vector_bytes)
            out.source +=
                ", whose costs are of vectors of " + std::to_string(out.machine.vector_bytes) +
                " bytes and the target's are of " + std::to_string(traits.natural_vector_bytes);
    } else {
        auto preset = name == "auto" ? machine_for_target(traits) : machine_preset(name);
        if (!preset.ok() && name != "auto")
            return Error{preset.error().message +
                         "\n  or the path of a machine file, which has a / or ends in .json"};
        if (!preset.ok()) return preset.error();
        out = {*preset, "preset " + preset->name};
        if (name == "auto" && is_own) {
            Detection d = detect_machine(*preset);
            out = {std::move(d.machine), out.source + " corrected by " + d.source};
            share_last_level(out.machine, *preset, cores);
        }
        if (cores > 0) add_cores(out.machine, cores);
    }
    out.machine.vector_bytes = traits.natural_vector_bytes;
    take_products(target, out.machine);
    return out;
}

}  // namespace cryolite
