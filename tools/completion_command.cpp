// cryolite completion.
#include <iostream>
#include <memory>
#include <string>

#include "tools/commands.h"
#include "tools/completion.h"

namespace cryolite::tools {

void add_completion_command(CLI::App &app) {
    const auto shell = std::make_shared<std::string>();
    CLI::App *completion =
        app.add_subcommand("completion", "A script that makes a shell complete these commands");
    completion->footer(
        "bash:  source <(cryolite completion bash)      in ~/.bashrc\n"
        "zsh:   source <(cryolite completion zsh)       in ~/.zshrc, after compinit\n"
        "fish:  cryolite completion fish | source       in ~/.config/fish/config.fish");
    completion->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion->callback([shell, &app] {
        std::cout << (*shell == "fish"  ? fish_completion(app)
                      : *shell == "zsh" ? zsh_completion(app)
                                        : bash_completion(app));
    });
}

}  // namespace cryolite::tools
