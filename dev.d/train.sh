# Training of the learned model. It alone needs LibTorch.

training_packages=(libtorch-dev)

# need_training: LibTorch, and a build tree that knows of it.
need_training() {
    need_packages "${training_packages[@]}"
    # A tree that was configured before LibTorch came has left training out.
    if grep -qs '^Torch_DIR:PATH=.*NOTFOUND' "$build_directory/CMakeCache.txt"; then
        rm -f "$build_directory/dev.stamp"
    fi
}

command_train() {
    if help_asked "$@"; then
        echo "Usage: ./dev train ARGUMENT...
Builds cryolite_train, with LibTorch from the distribution's packages (libtorch-dev), and runs it:
./dev train --samples FOLDER -o FILE learns weights from measured schedules. docs/train.md says more."
        return 0
    fi
    set_up "$@"
    need_training
    has_target train_program || fail "training was left out: CMake finds no LibTorch"
    build_targets train_program
    in_environment "$(built_program cryolite_train)" "$@"
}
