#include <algorithm>
#include <array>

#include "apps/random/drawing.h"

namespace cryolite::apps {

int Drawing::shrunk(int extent) const { return std::max(24, extent / shrink_); }

std::vector<int> Drawing::drawn_extents() {
    for (;;) {
        std::vector<int> e = layout_ == Layout::Image     ? image_extents()
                             : layout_ == Layout::Network ? network_extents()
                                                          : matrix_extents();
        int64_t n = 1;
        for (const int extent : e) n *= extent;
        if (n <= 12'000'000) return e;
    }
}

std::vector<int> Drawing::image_extents() {
    constexpr std::array<int, 2> usual[] = {{1280, 720},  {1920, 1080}, {2048, 1536}, {1537, 1025},
                                            {1000, 750},  {1600, 1200}, {2560, 1440}, {2592, 1944},
                                            {3000, 2000}, {3840, 2160}, {1023, 767},  {1366, 768},
                                            {2048, 2048}, {4000, 2500}};
    std::array<int, 2> e = dice_.one_of(usual);
    if (dice_.chance(0.35)) e = {dice_.between(900, 3600), dice_.between(700, 2600)};
    if (dice_.chance(0.2)) std::swap(e[0], e[1]);
    std::vector<int> all{shrunk(e[0]), shrunk(e[1])};
    if (dice_.chance(0.5)) all.push_back(dice_.chance(0.8) ? 3 : 4);
    return all;
}

std::vector<int> Drawing::network_extents() {
    constexpr int channels[] = {3, 16, 17, 24, 32, 33, 48, 57, 64, 64, 96, 100, 128, 192, 256};
    constexpr int sides[] = {14, 28, 28, 31, 56, 56, 64, 75, 112, 112, 150, 224, 320};
    const int c = dice_.one_of(channels), side = dice_.one_of(sides);
    const int other = dice_.chance(0.7) ? side : dice_.one_of(sides);
    std::vector<int> e{c, std::max(12, side / shrink_), std::max(12, other / shrink_)};
    if (dice_.chance(0.3)) e.push_back(dice_.between(2, 8));
    if (e[0] * e[1] * e[2] < 200'000 && shrink_ == 1) return network_extents();
    return e;
}

std::vector<int> Drawing::matrix_extents() {
    constexpr int sides[] = {128, 200, 256, 333, 384, 512, 640, 777, 1000, 1024, 1500, 2048};
    std::vector<int> e{shrunk(dice_.one_of(sides)), shrunk(dice_.one_of(sides))};
    if (dice_.chance(0.3)) e.push_back(dice_.between(2, 16));
    return e;
}

Number Drawing::drawn_type() {
    constexpr Number order[] = {Number::U8,  Number::U16, Number::I16,
                                Number::I32, Number::F16, Number::F32};
    const auto by = [&](std::array<double, 6> w) { return order[dice_.by_weight(w)]; };
    if (layout_ == Layout::Image) return by({0.33, 0.14, 0.1, 0.03, 0.04, 0.36});
    if (layout_ == Layout::Network) return by({0.06, 0, 0.06, 0.02, 0.06, 0.8});
    return by({0.02, 0, 0.05, 0.04, 0.06, 0.83});
}

Number Drawing::type_after(int source) {
    return dice_.chance(0.75) ? step(source).type : drawn_type();
}

Number Drawing::float_type() { return dice_.chance(0.08) ? Number::F16 : Number::F32; }

}  // namespace cryolite::apps
