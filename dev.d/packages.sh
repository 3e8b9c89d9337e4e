# Packages of the distribution. Only what is missing is installed, and the lists are fetched once
# per run and only then: a second run touches nothing and needs no network.

build_packages=(g++ ninja-build libgtest-dev libhwloc-dev nlohmann-json3-dev libcli11-dev
    libeigen3-dev libsqlite3-dev libpng-dev libjpeg-dev python3 python3-venv python3-pip ccache ca-certificates)
# What finds the libraries that a Debian package depends on.
deb_packages=(dpkg-dev file)

apt_lists_are_fresh=no

# need_packages PACKAGE...: installs those that are not installed.
need_packages() {
    [[ $in_root == no ]] || return 0
    if ! command -v dpkg-query >/dev/null; then
        say "no dpkg here: taking it that you have installed the like of: $*"
        return 0
    fi
    local installed missing=() package
    installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
    for package in "$@"; do
        [[ $installed == *" installed:$package "* ]] || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    agree "packages are missing, to be installed by apt-get: ${missing[*]}"
    say "installing packages: ${missing[*]}"
    need_root "apt-get install ${missing[*]}"
    local apt=("${root_command[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
    if [[ $apt_lists_are_fresh == no ]]; then
        # A stale third-party source must not stop us: what matters is whether the install works.
        run_step "${apt[@]}" update || say "apt-get update complained, going on"
        apt_lists_are_fresh=yes
    fi
    run_step "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
        fail "could not install: ${missing[*]}"
}
