#include "machine/detect.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <type_traits>

#include "machine/more_cores.h"

namespace cryolite {
namespace {

// The plugin links nothing but Halide, so hwloc is opened when asked for and closed again.
class HwlocLibrary {
public:
    HwlocLibrary() : handle_(dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_) return;
        loaded_ = find(init, "hwloc_topology_init") && find(load, "hwloc_topology_load") &&
                  find(destroy, "hwloc_topology_destroy") &&
                  find(depth_of_type, "hwloc_get_type_depth") &&
                  find(count_by_depth, "hwloc_get_nbobjs_by_depth") &&
                  find(object_by_depth, "hwloc_get_obj_by_depth") &&
                  find(weight, "hwloc_bitmap_weight") && find(api_version, "hwloc_get_api_version");
    }
    ~HwlocLibrary() {
        if (handle_) dlclose(handle_);
    }
    HwlocLibrary(const HwlocLibrary &) = delete;
    HwlocLibrary &operator=(const HwlocLibrary &) = delete;
    bool loaded() const { return loaded_; }

    decltype(&hwloc_topology_init) init = nullptr;
    decltype(&hwloc_topology_load) load = nullptr;
    decltype(&hwloc_topology_destroy) destroy = nullptr;
    decltype(&hwloc_get_type_depth) depth_of_type = nullptr;
    decltype(&hwloc_get_nbobjs_by_depth) count_by_depth = nullptr;
    decltype(&hwloc_get_obj_by_depth) object_by_depth = nullptr;
    decltype(&hwloc_bitmap_weight) weight = nullptr;
    decltype(&hwloc_get_api_version) api_version = nullptr;

private:
    template <typename F>
    bool find(F &function, const char *name) {
        function = reinterpret_cast<F>(dlsym(handle_, name));
        return function != nullptr;
    }
    void *handle_;
    bool loaded_ = false;
};

// Cores bring bandwidth, which is then no longer the preset's.
void take_cores(int cores, Detection &d) {
    const Machine preset = d.machine;
    add_cores(d.machine, cores);
    if (d.machine.memory_total_bytes_per_cycle != preset.memory_total_bytes_per_cycle)
        d.found.push_back("memory_total_bytes_per_cycle");
    const size_t last = preset.caches.size() - 1;
    if (d.machine.caches[last].total_bytes_per_cycle != preset.caches[last].total_bytes_per_cycle)
        d.found.push_back("caches[" + std::to_string(last) + "].total_bytes_per_cycle");
}

}  // namespace

void limit_to_seen_cores(CacheLevel &last) {
    constexpr int64_t most_bytes_of_a_core = int64_t{32} << 20;
    last.size_bytes = std::min(last.size_bytes, most_bytes_of_a_core * last.cores_sharing);
}

namespace {

void take_caches(Detection &d) {
    HwlocLibrary hwloc;
    if (!hwloc.loaded()) {
        d.source = "caches of preset " + d.machine.name + " (libhwloc.so.15 not found)";
        return;
    }
    hwloc_topology_t topology;
    if (hwloc.init(&topology) != 0) {
        d.source = "caches of preset " + d.machine.name + " (hwloc could not start)";
        return;
    }
    if (hwloc.load(topology) == 0) {
        const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
        for (size_t level = 0; level < d.machine.caches.size() && level < 3; level++) {
            const int depth = hwloc.depth_of_type(topology, types[level]);
            if (depth < 0 || hwloc.count_by_depth(topology, depth) == 0) continue;
            const hwloc_obj_t cache = hwloc.object_by_depth(topology, depth, 0);
            if (cache->attr->cache.size == 0) continue;
            CacheLevel &c = d.machine.caches[level];
            auto take = [&](auto &field, auto value, const char *name) {
                if (value <= 0) return;
                field = static_cast<std::remove_reference_t<decltype(field)>>(value);
                d.found.push_back("caches[" + std::to_string(level) + "]." + name);
            };
            take(c.size_bytes, static_cast<int64_t>(cache->attr->cache.size), "size_bytes");
            take(c.line_bytes, static_cast<int>(cache->attr->cache.linesize), "line_bytes");
            take(c.ways, cache->attr->cache.associativity, "ways");
            take(c.cores_sharing, hwloc.weight(cache->cpuset), "cores_sharing");
        }
        std::vector<CacheLevel> &caches = d.machine.caches;
        while (caches.size() > 1 &&
               caches.back().size_bytes <= caches[caches.size() - 2].size_bytes)
            caches.pop_back();
        limit_to_seen_cores(caches.back());
        const unsigned v = hwloc.api_version();
        d.source = "hwloc " + std::to_string(v >> 16) + "." + std::to_string((v >> 8) & 0xff);
    }
    hwloc.destroy(topology);
}

}  // namespace

Detection detect_machine(const Machine &preset) {
    Detection d{preset, "", {"cores", "page_bytes"}};
    d.machine.page_bytes = sysconf(_SC_PAGESIZE);
    take_caches(d);
    take_cores(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), d);
    return d;
}

}  // namespace cryolite
