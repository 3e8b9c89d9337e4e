// cryolite report.
#include <iostream>
#include <memory>
#include <string>

#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/report/write_report.h"

namespace cryolite::tools {
namespace {

struct Options {
    std::string from, to = "report.html";
    int64_t problem = 0;
};

void write(const Options &o) {
    for (const std::string &note : or_fail(write_report(o.from, o.problem, o.to)))
        std::cerr << "cryolite: " << note << "\n";
}

}  // namespace

void add_report_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *report =
        app.add_subcommand("report", "A tuning run as one HTML file with its figures and charts");
    report->footer(
        "cryolite report tuned -o report.html\n"
        "The file needs no network and no other file. `cryolite tune` writes one into its folder.");
    report->add_option("from", o->from, "the folder of `cryolite tune`, or a store (tune.sqlite)")
        ->required();
    report->add_option("-o", o->to, "the file to write; one that is there is replaced")
        ->capture_default_str();
    report
        ->add_option("--problem", o->problem,
                     "its number in the store, as `cryolite store ls` lists them (default: that of "
                     "the folder's result, else the one that was measured last)")
        ->check(from_1());
    report->callback([o] { write(*o); });
}

}  // namespace cryolite::tools
