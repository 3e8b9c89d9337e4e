# The pages of docs/ as a site.

command_site() {
    if help_asked "$@"; then
        echo "Usage: ./dev site [FOLDER]
Makes a site of docs/ with mkdocs-material, which is fetched, in FOLDER (default: out/site). Every term and every
feature has a page of its own. A page or a heading that is linked and not there is an error."
        return 0
    fi
    [[ $# -le 1 ]] || usage_error "site takes a folder"
    local folder=${1:-$checkout/out/site} packages
    packages=$(command_packages site)
    (cd "$checkout" && PYTHONPATH="$packages${PYTHONPATH:+:$PYTHONPATH}" NO_MKDOCS_2_WARNING=1 \
        run_step python3 -m mkdocs build --quiet --site-dir "$(realpath -m "$folder")") || fail "the site could not be made"
    echo "$folder/index.html"
}
