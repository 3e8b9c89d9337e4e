"""Tables for programs. Written to another name and renamed, so that an interrupted run leaves whole
files."""

import csv


def cell(value):
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def write(path, columns, rows):
    partial = path.with_suffix(".partial")
    with open(partial, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([cell(value) for value in row] for row in rows)
    partial.replace(path)
