# The last resort: a private Debian 13 with its own Halide 19, for hosts that cannot reach PyPI.
# Everything is mounted in a mount namespace of its own, which the kernel takes down with the last
# process in it: however a run ends, no mount is left, and removing the folder cannot reach the
# host's /dev.

halide_in_root=19
root_release=trixie
root_packages=("${build_packages[@]}" "${deb_packages[@]}" cmake libhalide19-dev python3-halide git mold)

# A folder that is to be the same inside, beside those of the sources and the build.
shared_with_root=""

in_mount_namespace=(unshare --mount --propagation slave)

debian_root_path() {
    local hash
    hash=$(printf '%s\n' "$root_release" "${root_packages[@]}" | sha256sum | cut -c 1-12)
    echo "$cache/debian13-$hash"
}

# The host's own mirror where it is a Debian, so that what works for apt here works there.
debian_mirror() {
    local mirror
    mirror=$(sed -nE 's/^(URIs:|deb( \[[^]]*\])?) *(https?:[^ ]*\/debian\/?)( .*)?$/\3/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
    echo "${mirror:-http://deb.debian.org/debian}"
}

# make_root DIRECTORY: runs in its own mount namespace, as root.
make_root_script='
set -eu
root=$1; release=$2; mirror=$3; shift 3
debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "$release" "$root" "$mirror"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
for setting in /etc/apt/apt.conf.d/*proxy*; do
    [ ! -f "$setting" ] || cp "$setting" "$root/etc/apt/apt.conf.d/"
done
# No service may be started from inside.
printf "#!/bin/sh\nexit 101\n" >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
export DEBIAN_FRONTEND=noninteractive
chroot "$root" apt-get -q update
chroot "$root" apt-get -q install -y --no-install-recommends "$@"
chroot "$root" apt-get clean
mkdir -p "$root/var/cache/cryolite"
chmod 1777 "$root/var/cache/cryolite"
'

# Making it also runs in a process namespace, so that one kill ends debootstrap with all that it has
# started. unshare waits deaf to TERM: this listens for it.
killable_script='
trap "kill -KILL \$namespace; exit 143" TERM
"$@" &
namespace=$!
wait $namespace
'

make_debian_root() {
    local root=$1
    agree_to_gigabytes "without PyPI it takes a private Debian 13 with Halide 19, of 2 GB, in $root"
    say "making a Debian 13 root (about a minute, 2 GB): $root"
    need_root "making a Debian root"
    need_packages debootstrap debian-archive-keyring
    lock_cache
    if [[ ! -d $root ]]; then
        mkdir "$partial_directory/root"
        run_step "${root_command[@]}" sh -c "$killable_script" sh \
            "${in_mount_namespace[@]}" --pid --fork --kill-child \
            sh -c "$make_root_script" sh "$partial_directory/root" "$root_release" \
            "$(debian_mirror)" "${root_packages[@]}" ||
            fail "the Debian root could not be made"
        "${root_command[@]}" mv -T "$partial_directory/root" "$root"
    fi
    unlock_cache
}

enter_root_script='
set -eu
root=$1; checkout=$2; build=$3; shared=$4; owner=$5; shift 5
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
for folder in "$checkout" "$build" "$shared"; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
done
exec chroot --userspec="$owner" "$root" /usr/bin/env -i \
    HOME=/var/cache/cryolite PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" LANG=C.UTF-8 \
    "$checkout/dev" --in-root "$@"
'

# What is done in the copy is written to memory, and gone with the mount namespace.
try_package_script='
set -eu
root=$1; deb=$2; checkout=$3
layers=$(mktemp -d)
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/upper" "$layers/work" "$layers/copy"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$layers/upper,workdir=$layers/work" "$layers/copy"
copy=$layers/copy
mount -t proc proc "$copy/proc"
mount --rbind /sys "$copy/sys"
mount --rbind /dev "$copy/dev"
for name in README.md docs tests; do
    mkdir -p "$copy/checkout"
    cp -r "$checkout/$name" "$copy/checkout/$name"
done
cp "$deb" "$copy/checkout/cryolite.deb"
chroot "$copy" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    python3 /checkout/tests/install/debian_test.py --deb /checkout/cryolite.deb --checkout /checkout
umount -R "$copy"
umount "$layers"
rmdir "$layers"
'

# check_in_debian_root DEB: installs the package in a copy of the root and tries the README there.
check_in_debian_root() {
    need_root "entering a Debian root"
    say "trying $1 in a copy of the Debian root"
    "${root_command[@]}" "${in_mount_namespace[@]}" sh -c "$try_package_script" sh \
        "$(debian_root_path)" "$1" "$checkout" || fail "the package does not work"
}

# share_plotly ROOT: puts it where ./dev looks inside of the root. The host may reach PyPI where the root, which lacks the
# host's certificates, does not.
share_plotly() {
    local inside="$1/var/cache/cryolite/.cache" plotly
    find_plotly
    plotly=${plotly_script%/plotly/package_data/*}
    [[ -n $plotly && ! -d $inside/cryolite/${plotly##*/} ]] || return 0
    "${root_command[@]}" sh -c 'mkdir -p "$1/cryolite" && cp -r "$2" "$1/cryolite/" && chown -R "$3" "$1"' sh \
        "$inside" "$plotly" "$(id -u):$(id -g)"
}

# Starts this script anew inside the root with what was asked for, and does not return.
enter_debian_root() {
    local root options=(--preset "$preset" --jobs "$jobs")
    root=$(debian_root_path)
    [[ -d $root ]] || make_debian_root "$root"
    [[ $verbose == no ]] || options+=(--verbose)
    choose_build_directory root
    mkdir -p "$build_directory"
    options+=(--build-dir "$build_directory")
    need_root "entering a Debian root"
    share_plotly "$root"
    exec "${root_command[@]}" "${in_mount_namespace[@]}" sh -c "$enter_root_script" sh \
        "$root" "$checkout" "$build_directory" "${shared_with_root:-$checkout}" "$(id -u):$(id -g)" \
        "${options[@]}" "$command" "${command_arguments[@]}"
}
