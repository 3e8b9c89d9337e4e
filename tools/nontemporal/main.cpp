// cryolite_nontemporal: compiles the bitcode that a Halide generator emitted, with the stores to the
// outputs named streamed past the caches.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tools/nontemporal/compile.h"
#include "tools/nontemporal/stream_stores.h"

namespace cryolite::nontemporal {
namespace {

struct Request {
    std::string bitcode, file;
    std::vector<std::string> outputs;
    bool assembly = false, verbose = false;
};

Result<StreamedStores> run(const Request &request) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    const std::unique_ptr<llvm::Module> module =
        llvm::parseIRFile(request.bitcode, diagnostic, context);
    if (!module) {
        return Error{"cannot read " + request.bitcode + ": " + diagnostic.getMessage().str()};
    }
    Result<StreamedStores> streamed = stream_stores(*module, request.outputs);
    if (!streamed.ok()) {
        return streamed;
    }
    std::string complaint;
    llvm::raw_string_ostream complaints(complaint);
    if (llvm::verifyModule(*module, &complaints)) {
        return Error{"the changed module is not valid: " + complaint};
    }
    const Result<std::string> compiled =
        compile(*module, request.assembly ? Emit::Assembly : Emit::Object);
    if (!compiled.ok()) {
        return compiled.error();
    }
    std::ofstream file(request.file, std::ios::binary);
    if (!file.write(compiled->data(), std::streamsize(compiled->size())).flush()) {
        return Error{"cannot write " + request.file};
    }
    return streamed;
}

}  // namespace
}  // namespace cryolite::nontemporal

int main(int argc, char **argv) {
    cryolite::nontemporal::Request request;
    CLI::App line("Compiles a Halide generator's bitcode with non-temporal stores to its outputs");
    line.add_option("BITCODE", request.bitcode, "What the generator wrote for -e bitcode")
        ->required();
    line.add_option("-o,--object", request.file, "The file to write")->required();
    line.add_option("--stream", request.outputs,
                    "An output to stream, by name; may be repeated (none: compile as it is)");
    line.add_flag("--assembly", request.assembly, "Write assembly instead of an object");
    line.add_flag("--verbose", request.verbose, "Say what was done");
    CLI11_PARSE(line, argc, argv);
    const auto done = cryolite::nontemporal::run(request);
    if (!done.ok()) {
        std::cerr << "cryolite_nontemporal: " << done.error().message << '\n';
        return 1;
    }
    if (request.verbose) {
        std::cerr << done->streamed << " stores streamed, " << done->kept << " kept, "
                  << done->questions << " questions of alignment, " << done->fences << " fences\n";
    }
    return 0;
}
