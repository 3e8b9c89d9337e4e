// Reads the figures out of the page and shows them.
"use strict";

function showModel(report, time) {
  byId("model-caption").textContent = "Predicted by the model when the schedule was drawn; measured over all its samples. " +
    `Rank correlation (Spearman) over all schedules: ${correlationText(report.prediction_correlation)}. ` +
    (report.prediction_bias > 0 ? `Schedules take ${factorText(report.prediction_bias)} as long as predicted, in the median. ` : "") +
    "Below the same by round. Fit is what the model, fitted before the round, reaches on the schedules that it was fitted to.";
  const body = element("tbody", "");
  for (const r of report.rounds) body.append(element("tr", "",
    ...[String(r.number), durationText(r.elapsed), String(r.tried), String(r.timed), time.number(r.best_seconds),
      correlationText(r.prediction_correlation), r.fit_correlation ? correlationText(r.fit_correlation) : "\u2013",
    ].map((text) => element("td", "number", text))));
  byId("rounds").append(headRow([["Round", "number"], ["After", "number"], ["Tried", "number"], ["Timed", "number"],
    [`Best (${time.unit})`, "number"], ["Rank corr.", "number"], ["Fit", "number"]]), body);
}

function showNoise(report, time) {
  const n = report.noise, figures = [
    [percentText(n.typical_interval, 2), "half the 95 % interval of a measurement, typically"],
    [n.repeats.length ? percentText(n.typical_repeat, 2) : "\u2013", "between the fastest and the slowest measurement of one schedule, typically"],
    [percentText(n.anchor_drift), "between the anchor's fastest and slowest group of turns"],
    [`${n.busy} of ${n.measured}`, "measurements while the computer had other work"]];
  for (const [value, label] of figures) byId("noise-figures").append(element("div", "",
    element("div", "value", value), element("div", "label", label)));
  const anchor = report.schedules.find((s) => s.name === "one shot" && s.status === "timed") ? "one-shot" : "plain";
  byId("anchor-caption").textContent = `The anchor is the ${anchor} schedule. Every group of schedules is timed beside it, in ` +
    "turns. When it drifts, the computer got slower or faster; ratios to it leave the drift out.";
}

function showContents() {
  for (const section of document.querySelectorAll("section[data-title]")) {
    const link = element("a", "", section.dataset.title);
    link.href = "#" + section.id;
    byId("contents").append(link);
  }
}

function showReport(report) {
  const best = scheduleNamed(report, "best");
  const time = makeTimeFormat(best ? best.seconds.median : report.noise.anchor_seconds);
  showContents();
  showHeader(report, time);
  showModel(report, time);
  showExplained(report, time);
  showNoise(report, time);
  showFailures(report);
  showSamples(report, time);
  showRun(report);
  chartsOf(report, time);
}

showReport(JSON.parse(byId("report-data").textContent));
