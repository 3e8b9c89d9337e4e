// The charts, by plotly.js. They are drawn again when the colours of the page change.
"use strict";

const hasCharts = () => typeof Plotly !== "undefined";
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const isNarrow = () => window.innerWidth < 640;

const originColours = {
  "plain": "plain", "one shot": "one-shot", "by hand": "by-hand", "beam": "term-2", "structure": "term-5",
  "greedy": "term-0", "changed": "term-4", "given": "term-6",
};
const originColour = (origin) => colour(Object.hasOwn(originColours, origin) ? originColours[origin] : "term-7");

// plotly.js reads some HTML in texts.
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

function axis(title, options) {
  return {
    title: { text: title, standoff: 8, font: { size: 13 } }, gridcolor: colour("faint"), linecolor: colour("line"), zeroline: false,
    tickcolor: colour("line"), ticks: "outside", ticklen: 4, automargin: true, fixedrange: false, ...options,
  };
}

function timeAxis(time, low, high, title, most = 7) {
  const ticks = logTicks(low, high, most);
  return axis(`${title} (${time.unit})`, {
    type: "log", range: [Math.log10(low), Math.log10(high)], tickvals: ticks, ticktext: ticks.map(time.tick),
  });
}

function drawn(id, traces, layout) {
  const font = getComputedStyle(document.body).fontFamily;
  Plotly.react(byId(id), traces, {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
    font: { family: font, size: 13, color: colour("quiet") },
    hoverlabel: { bgcolor: colour("card"), bordercolor: colour("line"), font: { family: font, size: 13, color: colour("ink") }, align: "left" },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("line"), activecolor: colour("accent") },
    margin: { l: 8, r: 12, t: 8, b: 8 }, ...layout,
  }, { displaylogo: false, responsive: true, displayModeBar: isNarrow() ? false : "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] });
}

// A legend above a chart: [[colour, text, "dot", "line", "dash" or "dotted"], ...]
function legendFor(id, entries) {
  const made = element("div", "legend");
  for (const [shade, text, kind] of entries) {
    const mark = swatch(shade);
    if (kind === "dot") mark.style.borderRadius = "50%";
    const lines = { line: "solid", dash: "dashed", dotted: "dotted" };
    if (kind in lines) {
      mark.style.cssText = `width:20px;height:0;border-radius:0;vertical-align:4px;` +
        `border-top:2px ${lines[kind]} ${shade}`;
    }
    made.append(element("span", "", mark, text));
  }
  const chart = byId(id), before = chart.previousElementSibling;
  if (before && before.classList.contains("legend")) before.replaceWith(made);
  else chart.before(made);
}

// Smaller and fainter the more there are, so that a long run shows where its schedules crowd.
const dots = (count) => (count < 500 ? { size: 6.5, opacity: 0.7 } : count < 3000 ? { size: 5, opacity: 0.5 } : { size: 3.5, opacity: 0.3 });

const widened = (low, high) => {
  const room = Math.max(0.04, 0.06 * Math.log10(high / low));
  return [low / 10 ** room, high * 10 ** room];
};

// Elapsed time or the number of the sample, as the user chooses. Returns [values, axis].
function alongRun(report, points, choice) {
  if (choice === "samples") return [points.map((p) => p.sample), axis("sample", { rangemode: "tozero" })];
  const longest = report.last_created - report.first_created;
  const [unit, size] = longest > 3 * 3600 ? ["h", 3600] : longest > 180 ? ["min", 60] : ["s", 1];
  return [points.map((p) => p.elapsed / size), axis(`time since the first round (${unit})`, { rangemode: "tozero" })];
}

// The plain schedule may be so slow that it would press all others together: then it lies outside of the chart.
const mostPlainFactor = 3;

function withoutFarPlain(timed) {
  const others = timed.filter((t) => t.origin !== "plain");
  const slowest = Math.max(...others.map((t) => t.seconds.median));
  return timed.filter((t) => t.origin !== "plain" || !others.length || t.seconds.median <= mostPlainFactor * slowest);
}

function drawBest(report, time, choice) {
  const timed = report.timed;
  if (!timed.length) return;
  const [xs, xAxis] = alongRun(report, timed, choice);
  const lines = report.schedules.filter((s) => s.status === "timed" && s.seconds.median > 0);
  const shown = withoutFarPlain(timed);
  const references = lines.filter((s) => s.name !== "best");
  const is_outside = (s) => s.name === "plain" && shown.length < timed.length;
  const all = [...shown.map((t) => t.seconds.median),
    ...references.filter((s) => !is_outside(s)).map((s) => s.seconds.median)];
  const [low, high] = widened(Math.min(...all), Math.max(...all));
  const origins = [...new Set(timed.map((t) => t.origin))].filter((o) => o !== "by hand");
  const traces = origins.map((origin) => {
    const own = timed.map((t, i) => [t, xs[i]]).filter(([t]) => t.origin === origin);
    return {
      type: "scatter", mode: "markers", name: plain(origin), x: own.map(([, x]) => x), y: own.map(([t]) => t.seconds.median),
      marker: { ...dots(timed.length), color: originColour(origin) },
      text: own.map(([t]) => `schedule ${t.rank}, ${plain(t.origin)}<br>${time.text(t.seconds.median)} ` +
        `(${time.number(t.seconds.low)} to ${time.number(t.seconds.high)})<br>round ${t.round}, after ${durationText(t.elapsed)}`),
      hovertemplate: "%{text}<extra></extra>",
    };
  });
  const steps = timed.map((t, i) => [t, xs[i]]).filter(([t]) => t.is_best_so_far);
  const end = Math.max(...xs);
  if (steps.length) traces.push({
    type: "scatter", mode: "lines", name: "fastest so far", line: { shape: "hv", width: 2.5, color: colour("best") },
    x: [...steps.map(([, x]) => x), end], y: [...steps.map(([t]) => t.seconds.median), steps.at(-1)[0].seconds.median],
    hoverinfo: "skip",
  });
  // Two of them may take the same time: each has a dash of its own, so that both are seen.
  const styles = { "one shot": ["one-shot", "dash"], "plain": ["plain", "dash"], "by hand": ["by-hand", "dot"] };
  drawn("chart-best", traces, {
    xaxis: xAxis, yaxis: timeAxis(time, low, high, "time of one run", isNarrow() ? 6 : 8),
    shapes: references.map((s) => ({
      type: "line", xref: "paper", x0: 0, x1: 1, y0: s.seconds.median, y1: s.seconds.median,
      line: { color: colour(styles[s.name][0]), width: 1.8, dash: styles[s.name][1] } })),
  });
  legendFor("chart-best", [
    [colour("best"), `fastest so far: ${time.text(steps.length ? steps.at(-1)[0].seconds.median : 0)}`, "line"],
    ...references.map((s) => [colour(styles[s.name][0]), `${s.name}: ${time.text(s.seconds.median)}` +
      (is_outside(s) ? ", above the chart" : ""), styles[s.name][1] === "dot" ? "dotted" : "dash"]),
    ...origins.map((o) => [originColour(o), o, "dot"]),
  ]);
}

function drawModel(report, time) {
  const points = report.timed.filter((t) => t.predicted_seconds > 0 && t.seconds.median > 0);
  if (!points.length) return;
  const shown = withoutFarPlain(points);
  const ends = (values) => widened(Math.min(...values), Math.max(...values));
  let [left, right] = ends(shown.map((t) => t.predicted_seconds)), [low, high] = ends(shown.map((t) => t.seconds.median));
  // Both axes span the same factor, so that a line on which all is predicted equally well rises by 45 degrees.
  const missing = Math.log10(high / low) - Math.log10(right / left), half = 10 ** (Math.abs(missing) / 2);
  if (missing > 0) [left, right] = [left / half, right * half];
  else [low, high] = [low / half, high * half];
  const last = Math.max(...points.map((t) => t.round));
  const scale = [[0, colour("one-shot")], [1, colour("best")]];
  const most = isNarrow() ? 4 : 6;
  const lineOf = (factor, dash) => ({ type: "scatter", mode: "lines", x: [left, right], y: [left * factor, right * factor],
    hoverinfo: "skip", line: { color: colour("quiet"), width: 1.2, dash } });
  drawn("chart-model", [
    lineOf(1, "dot"), lineOf(report.prediction_bias, "dash"),
    { type: "scatter", mode: "markers", x: points.map((t) => t.predicted_seconds), y: points.map((t) => t.seconds.median),
      marker: { ...dots(points.length), color: points.map((t) => t.round), cmin: 0, cmax: Math.max(1, last), colorscale: scale,
        line: { width: 0 } },
      text: points.map((t) => `schedule ${t.rank}, ${plain(t.origin)}, round ${t.round}<br>` +
        `predicted ${time.text(t.predicted_seconds)}<br>measured ${time.text(t.seconds.median)}`),
      hovertemplate: "%{text}<extra></extra>" },
  ], {
    xaxis: { ...timeAxis(time, left, right, "predicted", most), constrain: "domain" },
    yaxis: { ...timeAxis(time, low, high, "measured", most), scaleanchor: "x", constrain: "domain" },
  });
  legendFor("chart-model", [
    ...(last > 0 ? [[`linear-gradient(90deg, ${colour("one-shot")}, ${colour("best")})`, `drawn in round 0 to ${last}`, "dot"]]
      : [[colour("one-shot"), "drawn in round 0", "dot"]]),
    ...(left * 1.02 < high && low < right * 0.98 ? [[colour("quiet"), "measured = predicted", "dotted"]] : []),
    [colour("quiet"), `measured = ${factorText(report.prediction_bias)} predicted`, "dash"],
    ...(shown.length < points.length ? [[colour("one-shot"), "plain lies outside", "dot"]] : [])]);
  if (last > 0) {
    const mark = byId("chart-model").previousElementSibling.querySelector(".swatch");
    mark.style.width = "56px";
    mark.style.borderRadius = "5px";
  }
}

const errorBars = (points, of) => ({
  type: "data", symmetric: false, thickness: 1, width: 0,
  array: points.map((p) => of(p).high - of(p).median), arrayminus: points.map((p) => of(p).median - of(p).low),
});

function drawAnchor(report, time, choice) {
  const anchor = report.noise.anchor;
  if (!anchor.length) return;
  const [xs, xAxis] = alongRun(report, anchor, choice);
  const scaled = (s) => ({ median: s.median / time.size, low: s.low / time.size, high: s.high / time.size });
  const traces = [true, false].map((quiet) => {
    const own = anchor.map((a, i) => [a, xs[i]]).filter(([a]) => a.quiet === quiet);
    const points = own.map(([a]) => scaled(a.seconds));
    const shade = colour(quiet ? "best" : "one-shot");
    return {
      type: "scatter", mode: "markers", x: own.map(([, x]) => x), y: points.map((p) => p.median),
      marker: { size: 6, color: shade }, error_y: { ...errorBars(points, (p) => p), color: shade },
      text: own.map(([a]) => `${time.text(a.seconds.median)} (${time.number(a.seconds.low)} to ${time.number(a.seconds.high)})` +
        `<br>after ${durationText(a.elapsed)}${a.quiet ? "" : ", computer busy"}`),
      hovertemplate: "%{text}<extra></extra>",
    };
  });
  const middle = report.noise.anchor_seconds / time.size;
  drawn("chart-anchor", traces, {
    xaxis: xAxis, yaxis: axis(`anchor (${time.unit})`, {}),
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: middle, y1: middle, layer: "below",
      line: { color: colour("quiet"), width: 1, dash: "dot" } }],
  });
  legendFor("chart-anchor", [
    ...(anchor.some((a) => a.quiet) ? [[colour("best"), "median of a group's turns, with its 95 % interval", "dot"]] : []),
    ...(anchor.some((a) => !a.quiet) ? [[colour("one-shot"), "the same, while the computer had other work", "dot"]] : []),
    [colour("quiet"), `median of the run: ${time.text(report.noise.anchor_seconds)}`, "dotted"]]);
}

const mostRepeated = 24;  // schedules in the chart: the fastest

function drawRepeats(report) {
  const ranks = [...new Set(report.noise.repeats.map((r) => r.rank))].sort((a, b) => a - b)
    .slice(0, isNarrow() ? mostRepeated / 3 : mostRepeated);
  if (!ranks.length) return;
  const points = [], xs = [];
  ranks.forEach((rank, i) => {
    const own = report.noise.repeats.filter((r) => r.rank === rank);
    own.forEach((r, k) => {
      points.push(r);
      xs.push(i + (own.length > 1 ? (k / (own.length - 1) - 0.5) * 0.5 : 0));
    });
  });
  const percent = (r) => ({ median: 100 * r.deviation.median, low: 100 * r.deviation.low, high: 100 * r.deviation.high });
  drawn("chart-repeats", [{
    type: "scatter", mode: "markers", x: xs, y: points.map((r) => percent(r).median),
    marker: { size: 6, color: colour("best") }, error_y: { ...errorBars(points, percent), color: colour("best") },
    text: points.map((r) => `schedule ${r.rank}, sample ${r.sample}<br>${percent(r).median.toFixed(2)} % ` +
      `(${percent(r).low.toFixed(2)} to ${percent(r).high.toFixed(2)})`),
    hovertemplate: "%{text}<extra></extra>",
  }], {
    xaxis: axis("schedule", { tickvals: ranks.map((_, i) => i), ticktext: ranks.map(String), showgrid: false,
      range: [-0.5, Math.max(ranks.length, isNarrow() ? 4 : 10) - 0.5] }),
    shapes: ranks.flatMap((_, i) => (i % 2 ? [] : [{ type: "rect", yref: "paper", y0: 0, y1: 1, x0: i - 0.5, x1: i + 0.5,
      layer: "below", line: { width: 0 }, fillcolor: colour("shade") }])),
    yaxis: axis("deviation (%)", { zeroline: true, zerolinecolor: colour("line"), zerolinewidth: 1 }),
  });
}

function chartsOf(report, time) {
  const choices = [["time", "Time"], ["samples", "Samples"]];
  let choice = "time";
  const note = {
    "chart-best": report.timed.length, "chart-anchor": report.noise.anchor.length,
    "chart-model": report.timed.some((t) => t.predicted_seconds > 0), "chart-repeats": report.noise.repeats.length,
  };
  for (const [id, has] of Object.entries(note)) {
    if (hasCharts() && has) continue;
    byId(id).classList.add("missing");
    byId(id).textContent = has ? "This chart is missing: the cryolite that wrote the report was built without plotly.js. " +
      "The tables hold its figures." : "Nothing was measured for this chart.";
    if (id === "chart-best") byId("best-axis").remove();
  }
  if (!hasCharts()) return;
  const draw = () => {
    drawBest(report, time, choice);
    drawModel(report, time);
    drawAnchor(report, time, choice);
    drawRepeats(report);
  };
  const group = byId("best-axis");
  if (group) {
    const buttons = element("span", "switch");
    for (const [key, label] of choices) {
      const button = element("button", "", label);
      button.type = "button";
      button.setAttribute("aria-pressed", String(key === choice));
      button.addEventListener("click", () => {
        choice = key;
        for (const b of buttons.children) b.setAttribute("aria-pressed", String(b === button));
        draw();
      });
      buttons.append(button);
    }
    group.append("Horizontal axis", buttons);
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("(max-width: 640px)").addEventListener("change", draw);
}
