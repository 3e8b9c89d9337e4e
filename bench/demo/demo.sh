#!/usr/bin/env bash
# ./dev demo: fetches the photograph, then hands over to compare.py. The photograph is the portrait
# of Eileen Collins by NASA (public domain) that scikit-image's wheel carries; of the wheel only
# that file is used, so any Python version's will do.
set -euo pipefail

demo=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
verbose=no
for part in common cache; do
    # shellcheck source=/dev/null
    source "$demo/../../dev.d/$part.sh"
done

wheel_version=0.25.2
wheel_tag=cp311
wheel_sha256=24cc986e1f4187a12aa319f777b36008764e856e5013666a4a83f8df083c2641

fetch_photograph() {
    local destination="$cache/scikit-image-$wheel_version-$wheel_tag-${wheel_sha256:0:12}"
    if [[ ! -d $destination ]]; then
        say "fetching a photograph: scikit-image $wheel_version from PyPI (15 MB)"
        fetch_wheel "$destination" "scikit-image==$wheel_version" "$wheel_sha256" \
            --implementation cp --python-version 3.11 --abi "$wheel_tag" \
            --platform manylinux2014_x86_64 ||
            fail "PyPI's scikit-image $wheel_version cannot be had; ./dev demo --photograph FILE takes a picture of yours"
    fi
    photograph="$destination/skimage/data/astronaut.png"
}

for argument in "$@"; do
    case $argument in
        --help | -h | --photograph | --photograph=*)
            exec python3 "$demo/compare.py" "$@"
            ;;
    esac
done
fetch_photograph
exec python3 "$demo/compare.py" --photograph "$photograph" "$@"
