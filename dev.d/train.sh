# Training of the learned model.

command_train() {
    if help_asked "$@"; then
        echo "Usage: ./dev train ARGUMENT...
Builds cryolite, its plugin and the apps' generators, and runs: cryolite train ARGUMENT...
./dev train --store tuned/tune.sqlite -o my.safetensors learns weights from measured schedules. docs/train.md says more."
        return 0
    fi
    set_up "$@"
    build_targets bench_model autoschedule_cryolite
    in_environment "$(built_program cryolite)" train "$@"
}
