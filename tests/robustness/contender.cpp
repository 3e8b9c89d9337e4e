#include "tests/robustness/contender.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "plugin/autoscheduler.h"

namespace cryolite::robustness {

namespace {

// The largest that the first core sees; Mullapudi2016's own default where the system does not say.
int64_t last_level_cache_bytes() {
    int64_t most = 0;
    for (int i = 0; i < 8; i++) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) +
                           "/size");
        int64_t size = 0;
        char unit = 0;
        if (file >> size >> unit)
            most = std::max(most, size * (unit == 'M' ? 1 << 20 : unit == 'K' ? 1 << 10 : 1));
    }
    return most > 0 ? most : int64_t{16} << 20;
}

}  // namespace

Contender ourselves(const Options &options) {
    Contender c{Contender::Kind::Ours, "Cryolite", "", options};
    c.options.insert({"log_level", "info"});
    return c;
}

Contender by_hand() { return {Contender::Kind::Hand, "hand", "", {}}; }

Contender imported() {
    return {Contender::Kind::Hand,
            "hand",
            "",
            {{"mode", "as_scheduled"}, {"log_level", "info"}, {"verify", "false"}}};
}

std::vector<Contender> peers() {
    const std::string cores = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
    const Contender all[] = {
        {Contender::Kind::Peer,
         "Mullapudi2016",
         CRYOLITE_PLUGIN_MULLAPUDI2016,
         {{"parallelism", cores},
          {"last_level_cache_size", std::to_string(last_level_cache_bytes())},
          {"balance", "40"}}},
        {Contender::Kind::Peer, "Adams2019", CRYOLITE_PLUGIN_ADAMS2019, {{"parallelism", cores}}},
    };
    std::vector<Contender> found;
    for (const Contender &c : all)
        if (!c.plugin.empty()) found.push_back(c);
    return found;
}

Halide::AutoSchedulerResults schedule_by(const Contender &contender,
                                         const Halide::Pipeline &pipeline,
                                         const Halide::Target &target) {
    if (contender.kind == Contender::Kind::Hand && contender.options.empty()) return {};
    const bool is_peer = contender.kind == Contender::Kind::Peer;
    if (is_peer)
        Halide::load_plugin(contender.plugin);
    else
        Halide::Pipeline::add_autoscheduler("Cryolite", autoschedule);
    Halide::Pipeline scheduled = pipeline;
    return scheduled.apply_autoscheduler(
        target, {is_peer ? contender.name : "Cryolite", contender.options});
}

}  // namespace cryolite::robustness
