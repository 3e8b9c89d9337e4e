// What inputs hold: by chance the same at the same coordinates, and what files say.
#include "autotune/runner/input_values.h"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autotune/runner/element.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

using Dimensions = std::vector<halide_dimension_t>;

template <typename T>
std::vector<T> random_values(const Dimensions &dimensions, halide_type_t type, uint64_t seed = 1,
                             const std::string &name = "in",
                             std::optional<std::array<double, 2>> range = {}) {
    size_t elements = 1;
    for (const halide_dimension_t &d : dimensions)
        elements += static_cast<size_t>(d.stride) * static_cast<size_t>(d.extent - 1);
    std::vector<T> values(elements);
    fill_at_random(reinterpret_cast<std::byte *>(values.data()), dimensions, type, name, seed,
                   range);
    return values;
}

const halide_type_t u8(halide_type_uint, 8), u16(halide_type_uint, 16), i32(halide_type_int, 32),
    i8(halide_type_int, 8), f32(halide_type_float, 32), f64(halide_type_float, 64);

TEST(RandomValues, depend_on_coordinates_and_not_on_the_region) {
    const auto small = random_values<float>({{0, 4, 1}, {0, 3, 4}}, f32);
    // From (-2, -1), padded, and with the second dimension innermost.
    const auto large = random_values<float>({{-2, 8, 1}, {-1, 6, 16}}, f32);
    const auto turned = random_values<float>({{0, 4, 3}, {0, 3, 1}}, f32);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) {
            const float value = small[static_cast<size_t>(y * 4 + x)];
            EXPECT_EQ(value, large[static_cast<size_t>((y + 1) * 16 + x + 2)]);
            EXPECT_EQ(value, turned[static_cast<size_t>(x * 3 + y)]);
        }
}

TEST(RandomValues, differ_by_seed_and_name) {
    const Dimensions d = {{0, 100, 1}};
    const auto values = random_values<int32_t>(d, i32, 1, "in");
    EXPECT_EQ(values, random_values<int32_t>(d, i32, 1, "in"));
    EXPECT_NE(values, random_values<int32_t>(d, i32, 2, "in"));
    EXPECT_NE(values, random_values<int32_t>(d, i32, 1, "other"));
}

template <typename T>
std::pair<double, double> least_and_largest(halide_type_t type,
                                            std::optional<std::array<double, 2>> range = {}) {
    const auto values = random_values<T>({{0, 10000, 1}, {0, 10, 10000}}, type, 1, "in", range);
    const auto [least, largest] = std::ranges::minmax_element(values);
    return {static_cast<double>(*least), static_cast<double>(*largest)};
}

TEST(RandomValues, fill_the_range_of_their_type) {
    using Pair = std::pair<double, double>;
    EXPECT_EQ(least_and_largest<uint8_t>(u8), Pair(0, 255));
    EXPECT_EQ(least_and_largest<int8_t>(i8), Pair(-128, 127));
    EXPECT_EQ(least_and_largest<uint16_t>(u16), Pair(0, 1023));
    EXPECT_EQ(least_and_largest<int32_t>(i32), Pair(0, 255));
    EXPECT_EQ(least_and_largest<uint8_t>(halide_type_t(halide_type_uint, 1)), Pair(0, 1));
    const auto [least, largest] = least_and_largest<double>(f64);
    EXPECT_GE(least, 0);
    EXPECT_LT(least, 0.001);
    EXPECT_GT(largest, 0.999);
    EXPECT_LT(largest, 1);
    EXPECT_EQ(least_and_largest<int32_t>(i32, {{-7, 7}}), Pair(-7, 7));
    EXPECT_EQ(least_and_largest<uint8_t>(u8, {{-7, 7.5}}), Pair(0, 7));
    EXPECT_EQ(least_and_largest<float>(f32, {{2, 2}}), Pair(2, 2));
}

TEST(Element, halves_are_rounded_to_the_nearest) {
    const auto half = [](double value) {
        uint16_t bits = 0;
        write_element(reinterpret_cast<std::byte *>(&bits), halide_type_t(halide_type_float, 16),
                      value);
        return bits;
    };
    EXPECT_EQ(half(0), 0);
    EXPECT_EQ(half(1), 0x3c00);
    EXPECT_EQ(half(-2), 0xc000);
    EXPECT_EQ(half(65504), 0x7bff);
    EXPECT_EQ(half(65519), 0x7bff);
    EXPECT_EQ(half(65520), 0x7c00);
    EXPECT_EQ(half(0x1p-14), 0x0400);
    EXPECT_EQ(half(0x1p-24), 0x0001);
    EXPECT_EQ(half(0x1p-26), 0x0000);
    EXPECT_EQ(half(1 + 0x1p-11), 0x3c00);  // a tie goes to the even one
    EXPECT_EQ(half(1 + 3 * 0x1p-11), 0x3c02);
    uint16_t bits = 0;
    write_element(reinterpret_cast<std::byte *>(&bits), halide_type_t(halide_type_bfloat, 16), 1.0);
    EXPECT_EQ(bits, 0x3f80);
}

// ---- files ---------------------------------------------------------------------------------

template <typename T>
std::string bytes_of(const std::vector<T> &values) {
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

std::string npy(int version, const std::string &header, const std::string &values) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    const size_t length = header.size();
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        text += static_cast<char>((length >> (8 * i)) & 255);
    return text + header + values;
}

PlannedArgument planned(halide_type_t type, const std::vector<Range> &region) {
    return {"in", PlannedArgument::Kind::Input, type, region, 0};
}

// The values of a file in a dense buffer of the planned region.
template <typename T>
std::vector<T> filled(const FileArray &file, const PlannedArgument &input) {
    Dimensions dimensions;
    int stride = 1;
    for (const Range &r : input.region) {
        dimensions.emplace_back(r.min, r.extent, stride);
        stride *= r.extent;
    }
    std::vector<T> values(input.elements());
    fill_from_file(reinterpret_cast<std::byte *>(values.data()), dimensions, file, input);
    return values;
}

TEST(NpyFile, has_its_last_axis_as_the_first_dimension_in_either_order) {
    const TemporaryFolder folder;
    // Two rows and three columns.
    const std::string c =
        folder.file("c.npy", npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
                                 bytes_of<int32_t>({1, 2, 3, 4, 5, 6})));
    const std::string fortran =
        folder.file("f.npy", npy(2, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n",
                                 bytes_of<int32_t>({1, 4, 2, 5, 3, 6})));
    for (const std::string &path : {c, fortran}) {
        const Result<FileArray> file = read_array_file(path, i32);
        ASSERT_TRUE(file.ok()) << file.error().message;
        EXPECT_EQ(file->extents, (std::vector<int64_t>{3, 2}));
        EXPECT_EQ(filled<int32_t>(*file, planned(i32, {{0, 3}, {0, 2}})),
                  (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
        // The first element has the region's first coordinates; what lies beyond the region is left out.
        EXPECT_EQ(filled<int32_t>(*file, planned(i32, {{-1, 2}, {5, 2}})),
                  (std::vector<int32_t>{1, 2, 4, 5}));
    }
}

TEST(NpyFile, of_another_type_or_damaged_is_refused) {
    const TemporaryFolder folder;
    const auto error_of = [&](const std::string &text) {
        const Result<FileArray> file = read_array_file(folder.file("a.npy", text), u8);
        return file.ok() ? "" : file.error().message;
    };
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n",
                      path = "'" + folder.path("a.npy").string() + "' ";
    EXPECT_EQ(error_of(npy(1, header, "abcd")), "");
    EXPECT_EQ(error_of(npy(1, header, "abc")), path + "ends before its last value");
    EXPECT_EQ(error_of(npy(1, header.substr(0, 20), "")), path + "has a header that is damaged");
    EXPECT_EQ(error_of("abc"), path + "is no .npy file of version 1 to 3");
    EXPECT_EQ(error_of(npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "abcd")),
              path + "holds float32 and must hold uint8: convert it with array.astype()");
    EXPECT_NE(error_of(npy(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (), }", "abcd")),
              "");
    EXPECT_NE(error_of(npy(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (), }", "abcd")),
              "");
    EXPECT_NE(error_of(npy(1,
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (999999999, "
                           "999999999, 999999999), }",
                           "")),
              "");
    EXPECT_EQ(read_array_file(folder.path("none.npy"), u8).error().message,
              "'" + folder.path("none.npy").string() + "' cannot be read");
    EXPECT_EQ(read_array_file("a.jpg", u8).error().message,
              "'a.jpg' is no .npy, .png, .pgm or .ppm file");
}

TEST(PnmFile, becomes_planes_of_the_input_s_type) {
    const TemporaryFolder folder;
    const std::string grey =
                          folder.file("a.pgm", "P5 # comment\n3 2\n255\n" + std::string("abcdef")),
                      wide = folder.file("w.pgm", std::string("P5 1 1 65535\n\x01\x02", 15)),
                      colours = folder.file("a.ppm", "P6 2 1 255\nRGBrgb");
    EXPECT_EQ(filled<uint8_t>(*read_array_file(grey, u8), planned(u8, {{0, 3}, {0, 2}})),
              (std::vector<uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
    EXPECT_EQ(filled<uint16_t>(*read_array_file(wide, u16), planned(u16, {{0, 1}, {0, 1}})),
              (std::vector<uint16_t>{0x0102}));
    EXPECT_EQ(filled<uint8_t>(*read_array_file(colours, u8), planned(u8, {{0, 2}, {0, 1}, {0, 3}})),
              (std::vector<uint8_t>{'R', 'r', 'G', 'g', 'B', 'b'}));
    EXPECT_EQ(filled<float>(*read_array_file(grey, f32), planned(f32, {{0, 1}, {0, 1}}))[0],
              97.0f / 255);
    EXPECT_EQ(filled<uint16_t>(*read_array_file(grey, u16), planned(u16, {{0, 1}, {0, 1}}))[0],
              97 * 257);
    EXPECT_FALSE(read_array_file(folder.file("b.pgm", "P5 3 2 255\nabc"), u8).ok());
    EXPECT_FALSE(read_array_file(folder.file("c.pgm", "P2 3 2 255\n1 2 3 4 5 6"), u8).ok());
}

// Written with libpng's simplified interface, which is another one than that which reads.
template <typename T>
std::string png_file(const TemporaryFolder &folder, const std::string &name, uint32_t format,
                     unsigned width, const std::vector<T> &rows) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.format = format;
    image.width = width;
    image.height = 1;
    const std::string path = folder.path(name).string();
    if (!png_image_write_to_file(&image, path.c_str(), 0, rows.data(), 0, nullptr))
        throw std::runtime_error(image.message);
    return path;
}

TEST(PngFile, becomes_planes_of_the_input_s_type) {
    const TemporaryFolder folder;
    const std::string grey = png_file(folder, "a.png", PNG_FORMAT_GRAY, 3,
                                      std::vector<uint8_t>{0, 100, 255}),
                      colours = png_file(folder, "b.png", PNG_FORMAT_RGB, 2,
                                         std::vector<uint8_t>{1, 2, 3, 4, 5, 6}),
                      wide = png_file(folder, "w.png", PNG_FORMAT_LINEAR_Y, 2,
                                      std::vector<uint16_t>{0x0102, 0xffff});
    EXPECT_EQ(filled<uint8_t>(*read_array_file(grey, u8), planned(u8, {{0, 3}, {0, 1}})),
              (std::vector<uint8_t>{0, 100, 255}));
    EXPECT_EQ(filled<float>(*read_array_file(grey, f32), planned(f32, {{0, 3}, {0, 1}})),
              (std::vector<float>{0, 100.0f / 255, 1}));
    EXPECT_EQ(filled<uint8_t>(*read_array_file(colours, u8), planned(u8, {{0, 2}, {0, 1}, {0, 3}})),
              (std::vector<uint8_t>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(filled<uint16_t>(*read_array_file(wide, u16), planned(u16, {{0, 2}, {0, 1}})),
              (std::vector<uint16_t>{0x0102, 0xffff}));
    EXPECT_EQ(read_array_file(folder.file("c.png", "no picture"), u8).error().message,
              "'" + folder.path("c.png").string() + "' is no .png file, or is damaged");
}

TEST(FileArray, must_be_as_large_as_the_input) {
    const FileArray grey{u8, {4, 3}, {1, 4}, std::vector<std::byte>(12)};
    EXPECT_TRUE(covers(grey, planned(u8, {{0, 4}, {0, 3}})).ok());
    EXPECT_TRUE(covers(grey, planned(u8, {{0, 2}, {0, 3}})).ok());
    EXPECT_TRUE(covers(grey, planned(u8, {{0, 4}, {0, 3}, {0, 1}})).ok());
    EXPECT_EQ(covers(grey, planned(u8, {{-1, 5}, {0, 3}})).error().message,
              "holds 4 x 3, and input 'in' needs 5 x 3 or more");
    EXPECT_EQ(covers(grey, planned(u8, {{0, 4}, {0, 3}, {0, 3}})).error().message,
              "holds 4 x 3, and input 'in' needs 4 x 3 x 3 or more");
    const FileArray colours{u8, {4, 3, 3}, {1, 4, 12}, std::vector<std::byte>(36)};
    EXPECT_FALSE(covers(colours, planned(u8, {{0, 4}, {0, 3}})).ok());
    // A candidate that asks for more than the reference finds the edges repeated.
    std::vector<uint8_t> values(3);
    const FileArray row{u8, {2}, {1}, {std::byte{7}, std::byte{8}}};
    const Dimensions wider = {{0, 3, 1}};
    fill_from_file(reinterpret_cast<std::byte *>(values.data()), wider, row, planned(u8, {{0, 2}}));
    EXPECT_EQ(values, (std::vector<uint8_t>{7, 8, 8}));
}

}  // namespace
}  // namespace cryolite
