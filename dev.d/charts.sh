# What draws the charts of reports: plotly.js, a file in PyPI's wheel of plotly. The build puts it into `cryolite`. Without
# it reports have no charts, and everything else is there.

plotly_version=6.9.0
plotly_sha256=36bebe2f1bb13884774fe61689c329071446f6ce4a8927fb1f0d6fb24f581236

# find_plotly: sets plotly_script; to nothing if it cannot be had.
find_plotly() {
    local destination="$cache/plotly-$plotly_version-${plotly_sha256:0:12}"
    plotly_script=""
    if [[ ! -d $destination ]]; then
        say "fetching plotly.js for the charts of reports from PyPI (10 MB)"
        if ! fetch_wheel "$destination" "plotly==$plotly_version" "$plotly_sha256"; then
            say "PyPI's plotly $plotly_version cannot be had: reports will have no charts"
            return 0
        fi
    fi
    plotly_script="$destination/plotly/package_data/plotly.min.js"
}
