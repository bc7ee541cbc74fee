// Numbers with their units, and times in UTC. One scale per column or axis, so that figures line up.

const MINUS = "\u2212";
const NONE = "\u2013";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (n) => String(n).padStart(2, "0");

export function day(ms) {
  const d = new Date(ms);
  return `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]}`;
}

export function clock(ms) {
  const d = new Date(ms);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}

export function moment(ms) {
  if (ms === null || ms === undefined) return NONE;
  return `${day(ms)} ${new Date(ms).getUTCFullYear()}, ${clock(ms)} UTC`;
}

export function shortMoment(ms) {
  return ms === null || ms === undefined ? NONE : `${day(ms)} ${clock(ms)}`;
}

export function exact(ms) {
  if (ms === null || ms === undefined) return NONE;
  const seconds = (ms / 1000) % 60;
  return `${day(ms)} ${new Date(ms).getUTCFullYear()}, ${clock(ms)}:${seconds.toFixed(3).padStart(6, "0")} UTC`;
}

export function ago(ms, now) {
  const s = Math.round((now - ms) / 1000);
  if (s < 0) return "in the future";
  if (s < 90) return `${s} s ago`;
  if (s < 5400) return `${Math.round(s / 60)} min ago`;
  if (s < 172800) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86400)} d ago`;
}

function fixed(value, digits) {
  const text = Math.abs(value).toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: true });
  return value < 0 && Number(text.replaceAll(",", "")) !== 0 ? MINUS + text : text;
}

function digitsFor(largest) {
  if (largest >= 100) return 0;
  if (largest >= 10) return 1;
  return 2;
}

// Seconds stay seconds down to 10 ms, so that a tile, a column and an axis show one figure alike.
function inSeconds(unit, seconds) {
  return unit === "s" ? seconds >= 0.01 || seconds === 0 : seconds >= 1;
}

function digitsOfSeconds(seconds) {
  if (seconds >= 100) return 1;
  return seconds >= 10 ? 2 : 3;
}

const DURATION_S = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

// A scale turns a raw value into digits; its suffix goes beside the number or into the header.
export function scaleFor(unit, values) {
  const numbers = values.filter((v) => typeof v === "number" && Number.isFinite(v)).map(Math.abs);
  const largest = numbers.length ? Math.max(...numbers) : 0;
  if (unit in DURATION_S) {
    const seconds = DURATION_S[unit];
    const inMs = !inSeconds(unit, largest * seconds);
    const factor = inMs ? seconds * 1e3 : seconds;
    const digits = inMs ? (largest * factor < 10 ? 2 : largest * factor < 100 ? 1 : 0) : digitsOfSeconds(largest * factor);
    return numeric(inMs ? "ms" : "s", (v) => fixed(v * factor, digits), factor);
  }
  switch (unit) {
    case "tokens/s": return numeric("tokens/s", (v) => fixed(v, largest < 1000 ? 1 : 0));
    case "USD":
    case "usd":
    case "EUR":
    case "CZK": {
      const digits = largest >= 100 ? 2 : largest >= 0.1 ? 3 : 5;
      return numeric(unit.toUpperCase(), (v) => fixed(v, digits));
    }
    case "share": return numeric("%", (v) => fixed(v * 100, v === 1 || v === 0 ? 0 : 1), 100);
    case "percent": return numeric("%", (v) => fixed(v, 1));
    case "boolean": return { suffix: "", numeric: false, factor: 1, text: (v) => (v ? "yes" : "no") };
    case "ratio": return numeric("\u00d7", (v) => fixed(v, 3));
    case "tokens": return numeric("tokens", (v) => fixed(v, largest < 10 && numbers.some((x) => x % 1) ? 1 : 0));
    case "bytes": {
      const steps = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
      const step = steps.find(([size]) => largest >= size) ?? [1, "B"];
      return numeric(step[1], (v) => fixed(v / step[0], step[0] === 1 ? 0 : 1), 1 / step[0]);
    }
    case "rate": return numeric("", (v) => fixed(v, 4));
    case "probability": return numeric("", (v) => (v < 0.001 ? v.toExponential(1).replace("-", MINUS) : fixed(v, 3)));
    case "hours": return numeric("h", (v) => fixed(v, 0));
    case "count":
    case "pairs":
    case "documents":
    case "tasks":
    case "criteria":
    case "reviews":
    case "judges":
    case "judgments":
    case "questions":
    case "fields":
    case "paragraphs":
    case "runs":
    case "findings":
    case "attempts":
    case "slots":
    case "events":
    case "prompts":
    case "endpoints":
    case "measurements":
    case "calibrations":
    case "streams":
    case "reads": return numeric("", (v) => fixed(v, 0));
    case "h": return numeric("", (v) => two(v));
    case "number": return numeric("", (v) => fixed(v, Number.isInteger(v) ? 0 : digitsFor(Math.abs(v))));
    case "time": return { suffix: "", numeric: false, factor: 1, text: (v) => shortMoment(v) };
    case "text": return { suffix: "", numeric: false, factor: 1, text: (v) => String(v) };
    default: return numeric(unit ?? "", (v) => (typeof v === "number" ? fixed(v, Number.isInteger(v) ? 0 : digitsFor(largest)) : String(v)));
  }
}

// One unit for a row whose values differ in size: as many digits as the smallest of them needs.
export function rowScaleFor(unit, values) {
  const scale = scaleFor(unit, values);
  const sizes = values.filter((v) => typeof v === "number" && v !== 0).map((v) => Math.abs(v) * scale.factor);
  const smallest = sizes.length ? Math.min(...sizes) : null;
  const digits = smallest === null ? 0 : scale.suffix === "s" ? digitsOfSeconds(smallest) : digitsFor(smallest);
  return { ...scale, text: (v) => fixed(v * scale.factor, digits) };
}

function numeric(suffix, digits, factor = 1) {
  return { suffix, numeric: true, factor, text: digits };
}

export function show(scale, value) {
  return value === null || value === undefined ? NONE : scale.text(value);
}

export function withUnit(value, unit) {
  const scale = scaleFor(unit, [value]);
  const text = show(scale, value);
  if (text === NONE || !scale.suffix) return text;
  return `${text}\u00a0${scale.suffix}`;
}

export function axisText(value, factor) {
  const scaled = value * factor;
  const size = Math.abs(scaled);
  if (scaled === 0) return "0";
  const digits = size >= 100 || Number.isInteger(scaled) ? 0 : size >= 1 ? 1 : size >= 0.1 ? 2 : 4;
  return fixed(Number(scaled.toPrecision(8)), Math.min(digits, 6));
}
