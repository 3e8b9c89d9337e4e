// All samples as a table that sorts by any column. A long run has tens of thousands: rows are made as they are asked for.
"use strict";

const rowsAtOnce = 100;

function sampleColumns(time) {
  const number = (name, of, text, title = "") => ({ name, of, text, title, className: "number" });
  const positive = (value) => (value > 0 ? value : null);
  return [
    number("#", (s) => s.number, (s) => String(s.number), "in the order of measuring"),
    number("Schedule", (s) => s.rank, (s) => String(s.rank), "its number in cryolite store show: 1 is the fastest"),
    { name: "Status", of: (s) => s.status, node: (s) => statusMark(s.status), className: "" },
    number(`Time (${time.unit})`, (s) => positive(s.seconds.median), (s) => time.number(s.seconds.median), "median of one run"),
    number("95 % interval", (s) => (s.seconds.median > 0 ? s.seconds.high - s.seconds.low : null),
      (s) => (s.seconds.median > 0 ? `${time.number(s.seconds.low)}\u2013${time.number(s.seconds.high)}` : ""), "sorts by its width"),
    number("Of the anchor", (s) => positive(s.ratio.median), (s) => ratioText(s.ratio.median), "ratio to the anchor in the same turns"),
    number("Predicted", (s) => positive(s.predicted_seconds), (s) => time.number(s.predicted_seconds), "when it was drawn"),
    number("Turns", (s) => positive(s.turns), (s) => (s.turns > 0 ? String(s.turns) : ""), "runs that were timed"),
    number("Round", (s) => s.round, (s) => String(s.round)),
    { name: "Origin", of: (s) => s.origin, text: (s) => s.origin + (s.repeat > 0 ? ", again" : ""), className: "" },
    number("After", (s) => s.elapsed, (s) => durationText(s.elapsed), "since the first round"),
    { name: "Message", of: (s) => s.message, text: (s) => s.message + (s.quiet ? "" : (s.message ? "; " : "") + "computer busy"),
      className: "message" },
  ];
}

// What has no value comes last in both directions. Equal values stay in the order of measuring.
function sortedSamples(samples, column, descending) {
  const missing = (v) => v === null || v === undefined || v === "";
  return samples.map((s) => [column.of(s), s]).sort(([a, s], [b, t]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b) || s.number - t.number;
    const order = a < b ? -1 : a > b ? 1 : 0;
    return (descending ? -order : order) || s.number - t.number;
  }).map(([, s]) => s);
}

function cellOf(column, sample) {
  const made = element("td", column.className, column.node ? column.node(sample) : column.text(sample));
  if (column.className === "message") made.title = made.textContent;  // long ones are cut short
  return made;
}

function showSamples(report, time) {
  const columns = sampleColumns(time), table = byId("samples"), body = element("tbody", "");
  let sortedBy = 0, descending = false, shown = rowsAtOnce;
  const heads = columns.map((column, i) => {
    const button = element("button", "", column.name);
    button.type = "button";
    if (column.title) button.title = column.title;
    button.addEventListener("click", () => {
      descending = sortedBy === i && !descending;
      sortedBy = i;
      shown = rowsAtOnce;
      fill();
    });
    const head = element("th", column.className === "number" ? "number" : "", button);
    head.scope = "col";
    return head;
  });
  table.append(element("thead", "", element("tr", "", ...heads)), body);

  const status = byId("sample-status"), text = byId("sample-text"), more = byId("sample-more");
  for (const name of ["all", ...new Set(report.samples.map((s) => s.status))]) status.append(element("option", "", name));
  const fits = (s) => (status.selectedIndex <= 0 || s.status === status.value) &&
    (s.origin + "\n" + s.message).toLowerCase().includes(text.value.trim().toLowerCase());

  function fill() {
    heads.forEach((head, i) => {
      if (i === sortedBy) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const fitting = sortedSamples(report.samples.filter(fits), columns[sortedBy], descending);
    body.replaceChildren(...fitting.slice(0, shown).map((s) => element("tr",
      s.rank === 1 && s.status === "timed" ? "is-best" : "",
      ...columns.map((c) => cellOf(c, s)))));
    byId("sample-count").textContent = fitting.length === report.samples.length ? countText(fitting.length, "sample")
      : `${fitting.length} of ${countText(report.samples.length, "sample")}`;
    more.hidden = fitting.length <= shown;
    more.textContent = `Show ${Math.min(10 * rowsAtOnce, fitting.length - shown)} more`;
  }
  more.addEventListener("click", () => { shown += 10 * rowsAtOnce; fill(); });
  for (const input of [status, text]) input.addEventListener("input", () => { shown = rowsAtOnce; fill(); });
  fill();
}
