// An attempt's reads drawn: phases, cumulative tokens by channel, and the gaps between arrivals.

import { caption, cssColour, el, svg } from "./dom.js";
import { axisText, scaleFor, show, withUnit } from "./format.js";
import { hoverable } from "./bars.js";
import { alpha, axis, legend, mount, tooltipPlugin, valueAxis, zeroBased } from "./plot.js";

const CHANNELS = ["none", "reasoning", "answer", "tool", "refusal"];
const TITLES = { none: "no tokens", reasoning: "Reasoning", answer: "Answer", tool: "Tool call", refusal: "Refusal" };
const COLOURS = { none: "no-data", reasoning: "reasoning", answer: "answer", tool: "s4", refusal: "failed" };
const PHASES = { dns: "dns", connect: "connect", tls: "tls", send: "s3", wait: "waiting", reasoning: "reasoning", answer: "answer", tail: "grid-strong" };

export function drawTimeline(host, attempt) {
  const reads = merged(attempt.timeline);
  host.append(phaseBar(attempt));
  if (!reads.length) {
    host.append(el("p", { class: "empty" }, "No byte of an answer arrived, so there is no timeline."));
    return { destroy() {} };
  }
  const xs = reads.map((read) => read.us / 1e6);
  const end = Math.max(xs.at(-1), (attempt.end_us ?? 0) / 1e6) * 1.01;
  const used = CHANNELS.slice(1).filter((channel) => reads.some((read) => read.tokens[channel]));
  host.append(strip(reads, end, attempt.marks));
  const first = cumulative(host, reads, xs, end, used, attempt);
  const second = gaps(host, reads, xs, end);
  host.append(readsTable(reads));
  return {
    destroy() {
      first.destroy();
      second.destroy();
    },
  };
}

// Rows of one read carry its time and no bytes of their own: they are one arrival.
function merged(timeline) {
  const reads = [];
  timeline.elapsed_us.forEach((us, i) => {
    let read = reads.at(-1);
    if (!read || read.us !== us || timeline.read_bytes[i] > 0) {
      read = { us, bytes: timeline.read_bytes[i], tokens: {}, chunks: 0 };
      reads.push(read);
    }
    const channel = CHANNELS[timeline.channel[i]];
    if (channel !== "none") {
      read.tokens[channel] = (read.tokens[channel] ?? 0) + timeline.tokens[i];
      read.chunks += 1;
    }
  });
  return reads;
}

function channelOf(read) {
  return CHANNELS.slice(1).find((channel) => channel in read.tokens) ?? "none";
}

function phaseBar(attempt) {
  const total = attempt.phases.reduce((sum, phase) => sum + phase.us, 0) || 1;
  return el("div", { class: "phases" },
    el("div", { class: "phase-bar", role: "img", "aria-label": attempt.phases.map((p) => `${p.title} ${withUnit(p.us, "us")}`).join(", ") },
      attempt.phases.map((phase) => phase.us > 0 && hoverable(
        el("span", { style: { flexGrow: String(phase.us / total), background: cssColour(PHASES[phase.id] ?? "no-data") } }),
        () => [phase.title, withUnit(phase.us, "us")]))),
    el("ul", { class: "legend still" }, attempt.phases.map((phase) => el("li", {},
      el("span", { class: "swatch", "aria-hidden": "true", style: { background: cssColour(PHASES[phase.id] ?? "no-data") } }),
      phase.title, el("span", { class: "num last" }, withUnit(phase.us, "us"))))));
}

function strip(reads, end, marks) {
  const x = (seconds) => (1000 * seconds) / end;
  return el("figure", { class: "reads" },
    el("figcaption", {}, `Each line is one read: ${withUnit(reads.length, "count")} reads, the first ${withUnit(reads[0].us, "us")} after the request was sent`),
    svg("svg", { viewBox: "0 0 1000 34", preserveAspectRatio: "none", role: "img", "aria-label": `${reads.length} reads over ${withUnit(reads.at(-1).us, "us")}` },
      reads.map((read) => svg("line", { x1: x(read.us / 1e6), x2: x(read.us / 1e6), y1: 4, y2: 30, class: `read channel-${channelOf(read)}` })),
      marks.map((mark) => svg("line", { x1: x(mark.us / 1e6), x2: x(mark.us / 1e6), y1: 0, y2: 34, class: "mark" }))),
    el("ul", { class: "legend still marks" }, marks.map((mark) => el("li", {}, mark.title, el("span", { class: "num last" }, withUnit(mark.us, "us"))))));
}

function elapsedAxis(label) {
  return { ...axis(), label, labelSize: 18, labelGap: 0, labelFont: '12px system-ui, "Liberation Sans", sans-serif', size: 30, values: (_u, splits) => splits.map((v) => axisText(v, 1)) };
}

function cumulative(host, reads, xs, end, used, attempt) {
  const data = [xs];
  const series = [{}];
  const entries = [];
  for (const channel of used) {
    let sum = 0;
    data.push(reads.map((read) => {
      if (channel in read.tokens) {
        sum += read.tokens[channel];
        return sum;
      }
      return sum || null;
    }));
    const colour = cssColour(COLOURS[channel]);
    series.push({
      stroke: colour, width: 1.75, fill: alpha(colour, 0.08), paths: uPlot.paths.stepped({ align: 1 }),
      points: { show: reads.length < 120, size: 5, fill: colour },
    });
    entries.push({ name: TITLES[channel], colour, indices: [data.length - 1], extra: el("span", { class: "num last" }, withUnit(sum, "tokens")) });
  }
  const plot = el("div", { class: "plot", role: "img", "aria-label": `Cumulative tokens over elapsed time. ${used.map((c) => `${TITLES[c]}: ${reads.reduce((s, r) => s + (r.tokens[c] ?? 0), 0)} tokens`).join(", ")}` });
  host.append(el("h3", {}, "Tokens received"), el("p", { class: "axis-title" }, "tokens, cumulative"), plot);
  const drawn = mount(plot, {
    series,
    axes: [elapsedAxis("seconds since the request was sent"), valueAxis(scaleFor("count", []))],
    scales: { x: { time: false, range: () => [0, end] }, y: { range: zeroBased } },
    cursor: { sync: { key: attempt.id } },
    plugins: [tooltipPlugin((i) => withUnit(reads[i].us, "us"), (i) => entries.map((entry) => ({
      colour: entry.colour, name: entry.name, text: withUnit(data[entry.indices[0]][i], "tokens"),
    })))],
  }, data, 250);
  host.append(legend(drawn.plot, entries));
  return drawn;
}

function gaps(host, reads, xs, end) {
  const waits = reads.map((read, i) => (i === 0 ? null : read.us - reads[i - 1].us));
  const scale = scaleFor("us", waits);
  const colours = reads.map((read) => cssColour(COLOURS[channelOf(read)]));
  const longest = waits.reduce((best, wait, i) => (wait !== null && wait > (waits[best] ?? -1) ? i : best), 0);
  const plot = el("div", { class: "plot", role: "img", "aria-label": `Gap before each read; the longest is ${withUnit(waits[longest], "us")}` });
  host.append(el("h3", {}, "Gaps between reads"),
    el("p", { class: "axis-title" }, waits[longest] === null ? scale.suffix : `${scale.suffix}; longest ${withUnit(waits[longest], "us")}, before the read at ${withUnit(reads[longest].us, "us")}`), plot);
  return mount(plot, {
    series: [{}, { stroke: cssColour("ink-2"), points: { show: false }, paths: sticks(colours) }],
    axes: [elapsedAxis("seconds since the request was sent"), valueAxis(scale)],
    scales: { x: { time: false, range: () => [0, end] }, y: { range: zeroBased } },
    plugins: [tooltipPlugin((i) => withUnit(reads[i].us, "us"), (i) => (waits[i] === null ? [] : [
      { colour: colours[i], name: `${TITLES[channelOf(reads[i])]}, ${reads[i].bytes} bytes`, text: `${show(scale, waits[i])}\u00a0${scale.suffix}` },
    ]))],
  }, [xs, waits], 150);
}

function sticks(colours) {
  return (plot, seriesIndex, from, to) => {
    const { ctx } = plot;
    const base = plot.valToPos(0, "y", true);
    ctx.save();
    ctx.lineWidth = Math.max(1, devicePixelRatio);
    for (let i = from; i <= to; i += 1) {
      const value = plot.data[seriesIndex][i];
      if (value === null) continue;
      const x = plot.valToPos(plot.data[0][i], "x", true);
      ctx.strokeStyle = colours[i];
      ctx.beginPath();
      ctx.moveTo(x, base);
      ctx.lineTo(x, plot.valToPos(value, "y", true));
      ctx.stroke();
    }
    ctx.restore();
    return null;
  };
}

function readsTable(reads) {
  const details = el("details", { class: "definition" }, el("summary", {}, "Every read as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    details.append(el("div", { class: "scroll-x tall", tabindex: "0", role: "region", "aria-label": "Every read" }, el("table", { class: "data" },
      caption("Every read of the attempt"),
      el("thead", {}, el("tr", {}, ["Elapsed ms", "Gap ms", "Bytes", "Channel", "Chunks", "Tokens"].map((t, i) => el("th", { scope: "col", class: i === 3 ? "" : "num" }, t)))),
      el("tbody", {}, reads.map((read, i) => el("tr", {},
        el("td", { class: "num" }, (read.us / 1000).toFixed(2)), el("td", { class: "num" }, i ? ((read.us - reads[i - 1].us) / 1000).toFixed(2) : "\u2013"),
        el("td", { class: "num" }, read.bytes), el("td", {}, TITLES[channelOf(read)]), el("td", { class: "num" }, read.chunks),
        el("td", { class: "num" }, Object.values(read.tokens).reduce((a, b) => a + b, 0))))))));
  });
  return details;
}
