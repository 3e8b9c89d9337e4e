// docs/options.md shows the option table that the plugin has: a changed option fails here until the
// document says it too.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "plugin/plugin_options.h"

namespace cryolite {
namespace {

TEST(OptionsDocument, holds_the_table_that_the_plugin_parses_by) {
    std::ifstream file(CRYOLITE_OPTIONS_DOCUMENT);
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    PluginOptions defaults;
    const std::string table = plugin_option_table(defaults).markdown();
    EXPECT_NE(document.find("\n\n" + table), document.npos)
        << "docs/options.md should hold this table, after an empty line:\n\n"
        << table;
}

}  // namespace
}  // namespace cryolite
