// What the run was and what came of it: tiles on top, facts and commands at the end.
"use strict";

function scheduleNamed(report, name) {
  return report.schedules.find((s) => s.name === name);
}

function tile(label, value, unit, detail, className = "") {
  const shown = element("div", "value", value);
  if (unit) shown.append("\u00a0", element("span", "unit", unit));
  return element("div", "tile " + className, element("div", "label", label), shown, element("div", "detail", detail));
}

function bestTile(report, time) {
  const best = scheduleNamed(report, "best");
  if (!best) return tile("Best time", "none", "", "no schedule could be timed", "main");
  const s = best.seconds;
  return tile("Best time", time.number(s.median), time.unit,
    `95 % interval ${time.number(s.low)} to ${time.number(s.high)} ${time.unit}; ${best.origin}, ` +
    countText(best.samples, "sample"), "main");
}

function againstTile(report, time, name, label) {
  const other = scheduleNamed(report, name);
  if (!other) return null;
  if (other.status !== "timed") return tile(label, "\u2013", "", other.status + (other.message ? ": " + other.message : ""));
  const r = other.times_best;
  if (!(r.median > 0)) return tile(label, "\u2013", "", "");
  const best = scheduleNamed(report, "best"), is_slower = r.median < 1;
  const is_unsure = r.low <= 1 && r.high >= 1;
  if (best && best.rank === other.rank) return tile(label, factorText(1), "", `the best is the ${name} schedule`);
  const made = tile(label, factorText(r.median), is_unsure ? "not sure" : is_slower ? "" : "faster",
    `${factorText(r.low)} to ${factorText(r.high)}; ${name} takes ${time.text(other.seconds.median)}`);
  if (is_unsure) made.querySelector(".value").classList.add("unsure");
  else if (is_slower) made.querySelector(".value").classList.add("slower");
  return made;
}

const mostBusy = 0.2;  // of the measurements; more are worth a note

function addNote(text) {
  byId("notes").append(element("p", "note", text));
}

function showHeader(report, time) {
  const p = report.problem, r = report.run;
  const statuses = Object.entries(report.by_status).sort((a, b) => (b[0] === "timed") - (a[0] === "timed") || b[1] - a[1]);
  document.title = `${p.pipeline}: Cryolite tuning report`;
  byId("pipeline").textContent = p.pipeline;
  byId("summary").textContent = [
    `${p.machine || "unnamed machine"}, ${countText(p.threads, "thread")}`, p.target, `Halide ${p.halide}`,
    dateText(report.first_created)].join(" \u00b7 ");
  byId("tiles").append(...[
    bestTile(report, time),
    againstTile(report, time, "one shot", "Against one shot"),
    againstTile(report, time, "plain", "Against plain"),
    againstTile(report, time, "by hand", "Against by hand"),
    tile("Schedules tried", String(statuses.reduce((sum, [, n]) => sum + n, 0)), "",
      statuses.map(([status, n]) => `${n} ${status}`).join(", ") + "; " + countText(report.rounds.length, "round")),
    r.spent_seconds > 0 ? tile("Time spent", durationText(r.spent_seconds), "", `of ${r.budget || "an unknown budget"}; ended by: ${r.ended_by}`)
      : tile("Time spent", durationText(report.last_created - report.first_created), "", "from the first round to the last sample"),
  ].filter((t) => t));
  const n = report.noise;
  if (n.busy > mostBusy * n.measured)
    addNote(`The computer had other work during ${n.busy} of ${countText(n.measured, "measurement")}: times are less sure.`);
  if (p.others > 0)
    addNote(`This is problem ${p.number} of the store, which holds ${countText(p.others, "other")}: ` +
      "cryolite store ls lists them, and cryolite report --problem N reports on one.");
}

function showRun(report) {
  const p = report.problem, r = report.run;
  const facts = [
    ["Pipeline", p.pipeline + (p.parameters.length ? ", " + p.parameters.join(" ") : "")],
    ["Algorithm", p.algorithm],
    ["Run on", p.workload.join("; ")],
    ["Machine", `${p.machine || "unnamed"}, ${countText(p.threads, "thread")}`],
    ["Target", p.target],
    ["Halide", p.halide],
    ["Cryolite", p.versions.join(", ")],
    ["Budget", r.budget],
    ["Ended by", r.ended_by && r.ended_by + (r.spent_seconds > 0 ? `, after ${durationText(r.spent_seconds)}` : "")],
    ["Begun", dateText(report.first_created)],
    ["Last sample", dateText(report.last_created)],
  ];
  for (const [name, value] of facts)
    if (value) byId("facts").append(element("dt", "", name), element("dd", "", value));
  copyable(byId("tune-command"), r.tune_command);
  copyable(byId("replay-command"), r.replay_command);
  const best = scheduleNamed(report, "best");
  if (best) copyable(byId("best-trace"), best.trace.trimEnd());
  else byId("best-trace").append(emptyNote("No schedule could be timed."));
}

function showFailures(report) {
  if (!report.failures.length) {
    byId("failures").append(emptyNote(`None: all ${report.timed.length} schedules were built, checked and timed.`));
    return;
  }
  const body = element("tbody", "");
  for (const f of report.failures) {
    f.messages.forEach((m, i) => body.append(element("tr", "",
      element("td", "", i === 0 ? statusMark(f.status) : ""),
      element("td", "number", i === 0 ? String(f.schedules) : ""),
      element("td", "number quiet", String(m.schedules)),
      element("td", "message", m.message || "no message"))));
    if (f.other_messages) body.append(element("tr", "", element("td", ""), element("td", ""), element("td", ""),
      element("td", "message", `and ${countText(f.other_messages, "other message")}`)));
  }
  byId("failures").append(element("div", "scroll", element("table", "",
    headRow([["Class", ""], ["Schedules", "number"], ["With this message", "number"], ["Message", ""]]), body)));
}

function statusMark(status) {
  return element("span", "status" + (status === "timed" ? " timed" : status === "too slow" ? " slow" : ""), status);
}
