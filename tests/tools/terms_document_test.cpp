// docs/terms.md, which is written from the table of terms: `terms_document_test --update-golden`.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analytical/terms.h"
#include "machine/presets.h"
#include "tests/golden/golden_file.h"

namespace cryolite {
namespace {

constexpr const char *introduction =
    R"(# The terms of a stage's time

What a stage's predicted time is made of. [explain.md](explain.md#the-terms) says how terms add up, and
`cryolite explain` shows them. `terms_document_test --update-golden` writes this page from `analytical/terms.cpp` and
`analytical/term_constants.cpp`. Do not edit this page.

- **occupies**: the resource that the term keeps busy on a CPU and on a GPU. Terms of different resources hide each
  other in part. Nothing hides a term that is *added*. A target without the term has a dash.
- **in appendix B**: the term of OOPSLA 2021, appendix B, that this is a part of.
- **from**: the [machine's](machine.md) values that the term is computed from, besides the number of cores.
  `caches[*]` stands for the caches. Values of a GPU are in italics.

| term | CPU: occupies | GPU: occupies | in appendix B | what it is | from |
|---|---|---|---|---|---|
)";

std::string occupied(std::optional<Resource> resource) { return resource ? name(*resource) : "-"; }

// The values of a preset with three levels of cache, with those of all levels as one.
std::string constants(Term term) {
    std::vector<std::string> keys;
    const auto add = [&](std::string key, const char *mark) {
        if (const size_t open = key.find('['); open != key.npos)
            key.replace(open, key.find(']') - open + 1, "[*]");
        key = mark + ("`" + key + "`") + mark;
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    };
    const auto machine = machine_presets().front().machine;
    if (info(term).cpu)
        for (const std::string &key : constants_of(term, machine)) add(key, "");
    if (info(term).gpu)
        for (const std::string &key : gpu_constants_of(term)) add(key, "*");
    std::string text;
    for (const std::string &key : keys) text += (text.empty() ? "" : ", ") + key;
    return text.empty() ? "-" : text;
}

std::string terms_document() {
    std::string text = introduction;
    for (size_t t = 0; t < num_terms; t++) {
        const Term term = static_cast<Term>(t);
        const TermInfo &i = info(term);
        text += "| `" + std::string(i.name) + "` | " + occupied(i.cpu) + " | " + occupied(i.gpu) +
                " | " + std::string(i.appendix_b) + " | " + std::string(i.doc) + " | " +
                constants(term) + " |\n";
    }
    return text;
}

TEST(TermsDocument, is_up_to_date) { testing::expect_golden("terms.md", terms_document()); }

}  // namespace
}  // namespace cryolite
