#include "tests/golden/golden_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace cryolite::testing {
namespace {

std::string path_of(const std::string &file) {
    return (std::filesystem::path(CRYOLITE_GOLDEN_FOLDER) / file).string();
}

std::string read(const std::string &file) {
    std::ifstream in(path_of(file));
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string how_to_accept() {
    const std::filesystem::path program = ::testing::internal::GetArgvs().at(0);
    return "\nIf the change is meant: ./dev run " + program.filename().string() +
           " --update-golden";
}

}  // namespace

bool updating_golden() {
    for (const std::string &argument : ::testing::internal::GetArgvs())
        if (argument == "--update-golden") return true;
    return false;
}

void expect_golden(const std::string &file, const std::string &text) {
    if (updating_golden()) {
        std::ofstream(path_of(file)) << text;
        return;
    }
    EXPECT_EQ(text, read(file)) << path_of(file) << how_to_accept();
}

void expect_golden_line(const std::string &file, const std::string &key, const std::string &line) {
    std::istringstream old(read(file));
    std::string all, each, found;
    while (std::getline(old, each)) {
        const bool mine = each.rfind(key + " ", 0) == 0;
        if (mine) found = each;
        all += (mine ? line : each) + "\n";
    }
    if (updating_golden()) {
        if (found.empty()) all += line + "\n";
        std::ofstream(path_of(file)) << all;
        return;
    }
    EXPECT_EQ(line, found) << path_of(file) << how_to_accept();
}

}  // namespace cryolite::testing
