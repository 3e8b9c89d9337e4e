// Numbers as people read them. One unit and one number of decimals for all times of a page, so that columns line up.
"use strict";

// From the time that matters most: four digits of it are shown.
function makeTimeFormat(seconds) {
  const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6]];
  const [name, size] = units.find(([unit, one]) => seconds >= (unit === "ms" ? 1e-4 : one)) || units[2];
  const whole = seconds > 0 ? Math.floor(Math.log10(seconds / size)) + 1 : 1;
  const decimals = Math.min(6, Math.max(0, 4 - Math.max(1, whole)));
  return {
    unit: name,
    size,
    number: (s) => (s > 0 ? (s / size).toFixed(decimals) : ""),
    text: (s) => (s > 0 ? (s / size).toFixed(decimals) + "\u00a0" + name : "\u2013"),
    // For the ticks of an axis: no more digits than the tick needs.
    tick: (s) => String(parseFloat((s / size).toPrecision(4))),
  };
}

function durationText(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const two = (n) => String(n).padStart(2, "0");
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
}

// In UTC, so that a page reads the same everywhere.
function dateText(secondsSince1970) {
  const date = new Date(secondsSince1970 * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

const percentText = (share, decimals = 1) => (100 * share).toFixed(decimals) + "\u00a0%";
const ratioText = (ratio) => (ratio > 0 ? ratio.toFixed(3) : "");
const correlationText = (r) => (r === null || r === undefined ? "\u2013" : r.toFixed(2).replace("-", "\u2212"));
const countText = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

// How much faster the best is than a schedule that takes `times` as long. Three digits, and fewer where it is large.
function factorText(times) {
  if (!(times > 0)) return "\u2013";
  return times.toFixed(times < 10 ? 2 : times < 100 ? 1 : 0) + "\u00d7";
}

// Values for the ticks of a logarithmic axis from low to high: even steps where it spans little, else 1, 2 and 5, else
// powers of ten.
function logTicks(low, high, most) {
  if (!(low > 0) || !(high > low)) return [];
  const between = (values) => values.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
  const powers = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) powers.push(p);
  for (const digits of [[1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1]]) {
    const ticks = between(powers.flatMap((p) => digits.map((d) => parseFloat((d * 10 ** p).toPrecision(3)))));
    if (ticks.length >= 3 && ticks.length <= most) return ticks;
  }
  if (high / low > 30) {
    const ticks = between(powers.map((p) => 10 ** p));
    const every = Math.ceil(ticks.length / most);
    return ticks.filter((_, i) => i % every === 0);
  }
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(parseFloat((i * step).toPrecision(6)));
  return ticks;
}
