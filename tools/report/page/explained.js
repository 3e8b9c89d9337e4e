// Where the predicted time of the best and of the one-shot schedule goes: bars by stage and term, and the loops.
"use strict";

const colouredTerms = 7;  // the longest; all others share a colour
const mostStages = 14;    // with bars; the table below holds all

const termColour = (index) => `var(--term-${Math.min(index, colouredTerms)})`;

// The longest terms by themselves, and the others as one number.
function grouped(terms) {
  const shown = terms.slice(0, colouredTerms);
  const rest = terms.slice(colouredTerms).reduce((a, b) => a + b, 0);
  return terms.length > colouredTerms ? [...shown, rest] : shown;
}

function termNames(explanation) {
  const names = explanation.terms.slice(0, colouredTerms);
  const others = explanation.terms.length - names.length;
  return others > 0 ? [...names, countText(others, "other term")] : names;
}

function barRow(who, stage, names, longest, time) {
  const bar = element("div", "bar");
  if (stage) {
    bar.style.width = `${(100 * stage.seconds) / longest}%`;
    grouped(stage.terms).forEach((seconds, i) => {
      if (!(seconds > 0)) return;
      const part = element("span", "");
      part.style.width = `${(100 * seconds) / stage.seconds}%`;
      part.style.background = termColour(i);
      part.title = `${names[i]}: ${time.text(seconds)}, ${percentText(seconds / stage.seconds)}`;
      bar.append(part);
    });
  }
  return element("div", "bar-row", element("span", "who", who), bar,
    element("span", "time", stage ? time.text(stage.seconds) : "inlined"));
}

function whole(side, name) {
  const terms = side.stages.reduce((sum, s) => sum.map((t, i) => t + s.terms[i]), side.stages[0].terms.map(() => 0));
  return { name, seconds: side.predicted_seconds, terms, bound_by: "" };
}

// The stages of both sides, the slowest first.
function stageNames(sides) {
  const longest = new Map();
  for (const side of sides)
    for (const s of side.stages) longest.set(s.name, Math.max(longest.get(s.name) || 0, s.seconds));
  return [...longest].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function stageRow(name, stages, sides, names, longest, time, className = "") {
  return element("div", "stage " + className, element("div", "name", name),
    element("div", "bars", ...sides.map((side, i) => barRow(side.name, stages[i], names, longest, time))));
}

function stageBars(explanation, time) {
  const sides = explanation.sides, names = termNames(explanation);
  const totals = sides.map((side) => whole(side, "all stages"));
  const longest = Math.max(...totals.map((t) => t.seconds));
  const legend = element("div", "legend");
  names.forEach((name, i) => {
    const entry = element("span", "", swatch(termColour(i)), name);
    entry.title = i < colouredTerms ? explanation.docs[i] : explanation.terms.slice(colouredTerms).join(", ");
    legend.append(entry);
  });
  const made = [legend, stageRow("all stages", totals, sides, names, longest, time, "all")];
  const all = stageNames(sides);
  for (const name of all.slice(0, mostStages))
    made.push(stageRow(name, sides.map((side) => side.stages.find((s) => s.name === name)), sides, names, longest, time));
  if (all.length > mostStages)
    made.push(emptyNote(`${all.length - mostStages} faster stages are in the table below.`));
  return made;
}

function termTable(explanation, time) {
  const names = termNames(explanation), body = element("tbody", "");
  const add = (label, side, stage) => body.append(element("tr", "", element("td", "", label), element("td", "quiet", side.name),
    element("td", "quiet", stage.bound_by), element("td", "number", time.number(stage.seconds)),
    ...grouped(stage.terms).map((t) => element("td", "number", time.number(t)))));
  for (const side of explanation.sides) add("all stages", side, whole(side, ""));
  for (const name of stageNames(explanation.sides))
    for (const side of explanation.sides) {
      const stage = side.stages.find((s) => s.name === name);
      if (stage) add(name, side, stage);
    }
  return element("details", "", element("summary", "", `Stages by terms as a table (${time.unit})`),
    element("div", "scroll", element("table", "", headRow([["Stage", ""], ["Schedule", ""], ["Bound by", ""],
      ["Total", "number"], ...names.map((n) => [n, "number"])]), body)));
}

function nestOf(side, time) {
  const body = element("tbody", "");
  for (const line of side.nest) {
    const stage = line.stage && side.stages.find((s) => s.name === line.stage);
    body.append(element("tr", stage ? "body" : "", element("td", "mono", "  ".repeat(line.depth) + line.text,
      stage ? element("span", "inline-time", "  " + time.text(stage.seconds)) : null),
      element("td", "number", stage ? time.text(stage.seconds) : "")));
  }
  const title = element("h4", "", side.name, " ", element("small", "", `predicted ${time.text(side.predicted_seconds)}` +
    (side.measured_seconds > 0 ? `, measured ${time.text(side.measured_seconds)}` : "")));
  if (side.inlined.length)
    return element("div", "nest", title, element("div", "lines", element("table", "", body)),
      element("p", "inlined", "inlined: " + side.inlined.join(", ")));
  return element("div", "nest", title, element("div", "lines", element("table", "", body)));
}

function showExplained(report, time) {
  const explanation = report.explanation, place = byId("explained");
  const sides = explanation.sides.filter((s) => s.stages.length);
  if (explanation.missing) place.append(element("p", "note", explanation.missing));
  if (!sides.length) return;
  const shown = { ...explanation, sides };
  const best = scheduleNamed(report, "best"), start = scheduleNamed(report, "one shot");
  const is_same = best && start && best.rank === start.rank;
  place.append(element("p", "caption", "Predicted seconds of one run by stage and by what they are spent on, with the factors " +
    "that the run learned." + (explanation.least_seconds > 0 ?
      ` No schedule can take less than ${time.text(explanation.least_seconds)}: that is the roofline.` : "") +
      (is_same ? " The best is the one-shot schedule itself." : "")),
    ...stageBars(shown, time), termTable(shown, time), element("h3", "", "Loops"),
    element("div", "nests", ...sides.map((side) => nestOf(side, time))));
}
