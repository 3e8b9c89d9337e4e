# Training of the learned model.

command_train() {
    if help_asked "$@"; then
        echo "Usage: ./dev train ARGUMENT...
Builds cryolite_train and runs it: ./dev train --samples FOLDER -o FILE learns weights from measured schedules.
docs/train.md says more."
        return 0
    fi
    set_up "$@"
    build_targets train_program
    in_environment "$(built_program cryolite_train)" "$@"
}
