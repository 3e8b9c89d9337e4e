# Formatting. Apart from the build: it needs no Halide. Two versions of clang-format disagree about
# the same file, so one is pinned: the system's if it is that one, else PyPI's.

clang_format_version=14.0.6
clang_format_sha256=d7c1c5e404c58e55f0170f01b3c5611dce6c119e62b5d1020347e0ad97d5a047

# find_clang_format: sets clang_format.
find_clang_format() {
    clang_format=clang-format
    if command -v clang-format >/dev/null &&
        [[ $(clang-format --version) == *" version ${clang_format_version%%.*}."* ]]; then
        return 0
    fi
    local folder
    folder=$(command_wheel clang-format "$clang_format_version" "$clang_format_sha256") || exit
    clang_format=$(find "$folder" -path '*/bin/clang-format' -print -quit)
}

command_format() {
    if help_asked "$@"; then
        echo "Usage: ./dev format [--check]
Formats the C++ sources in place; --check changes nothing and fails if a file would change."
        return 0
    fi
    local options=(-i)
    case ${1:-} in
        "") ;;
        --check) options=(--dry-run -Werror) ;;
        *) usage_error "format does not know $1" ;;
    esac
    find_clang_format
    cd "$checkout"
    local files=()
    if git rev-parse --git-dir >/dev/null 2>&1; then
        mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard \
            '*.h' '*.cpp')
    else
        mapfile -d '' files < <(find . -path ./build -prune -o \
            \( -name '*.h' -o -name '*.cpp' \) -print0)
    fi
    [[ ${#files[@]} -gt 0 ]] || return 0
    printf '%s\0' "${files[@]}" | xargs -0 -n 20 -P "$(nproc)" "$clang_format" "${options[@]}" ||
        fail "not formatted as .clang-format says: ./dev format"
}
