// SPDX-License-Identifier: BSL-1.0
//
// Steps through recorded runs. The data is what the executor's events said, and what each policy showed of itself;
// nothing is simulated here. Time is the issue slot; every pane shows the block that its warp runs in that slot.
"use strict";

let data = null;  // the runs that are shown
// A page that can run more than is shown fills this in (examples/playground).
const host = {
  names: [],   // policies that can be chosen beside those in the data
  chosen: () => {},  // called when one of them is chosen
  moved: () => {},   // called when another slot is shown
  address: "",       // added to the address
};
const svgSpace = "http://www.w3.org/2000/svg";
let stripSlots = 64;  // seen at a time
const zooms = [16, 32, 64, 128, 256, 512, 1024];

// Why a lane does nothing in a slot, by the sign that the timelines draw for it.
const signs = [
  ["masked", "at another place of the code: its warp runs others"],
  ["turn", "not scheduled: its warp, or its group, waits for its turn"],
  ["waits", "waits at a barrier"],
  ["ended", "has ended"],
];

const by = (id) => document.getElementById(id);

function element(name, attributes, text) {
  const e = document.createElementNS(svgSpace, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// "1f" -> [0, 1, 2, 3, 4]: a hexadecimal number, lane 0 its lowest bit.
function lanesOf(hex) {
  const lanes = [];
  for (let i = 0; i < hex.length; ++i) {
    const digit = parseInt(hex[hex.length - 1 - i], 16);
    for (let bit = 0; bit < 4; ++bit) if (digit >> bit & 1) lanes.push(4 * i + bit);
  }
  return lanes;
}

// [0, 1, 2, 5] -> "0-2 5"
function rangesOf(lanes) {
  const parts = [];
  for (let i = 0; i < lanes.length;) {
    let last = i;
    while (last + 1 < lanes.length && lanes[last + 1] === lanes[last] + 1) ++last;
    parts.push(last === i ? `${lanes[i]}` : `${lanes[i]}-${lanes[last]}`);
    i = last + 1;
  }
  return parts.join(" ");
}

// One step. Lanes stay the numbers that they are in the data: a recording has many steps, of many lanes.
class Step {
  constructor([, begin, , block, weight, lanes, live, groups, list], waiting, lists) {
    Object.assign(this, {begin, end: begin + Math.max(weight, 1), block, weight, groups, entries: lists[list], waiting, notes: []});
    this.running = lanes;
    this.alive = live;
    this.count = lanesOf(lanes).length;
  }
  get lanes() { return lanesOf(this.running); }
  get live() { return lanesOf(this.alive); }
}

// The signs of idle lanes, for all pictures of the page.
function addSignPatterns() {
  const defs = element("defs", {});
  const pattern = (id, back, path, stroke) => {
    const p = element("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse"});
    p.append(element("rect", {width: 6, height: 6, fill: back}));
    if (path) p.append(element("path", {d: path, stroke, "stroke-width": 1.2, fill: "none"}));
    defs.append(p);
  };
  pattern("masked", "#d9d9d9");
  pattern("turn", "#ffffff", "M1 3h4", "#9a9a9a");
  pattern("waits", "#ffe8c2", "M0 6L6 0M-1 1L1 -1M5 7L7 5", "#b06000");
  const svg = element("svg", {width: 0, height: 0, style: "position: absolute", "aria-hidden": "true"});
  svg.append(defs);
  document.body.append(svg);
}

// The steps of one warp (of the whole thread block under a policy that forms warps anew), from the list of events:
//   ["i", slot, warp, block, weight, lanes, live, groups, entries]   a block is run; entries: the number of a list
//   ["x" | "w", slot, warp, lanes]                                   lanes end; wait at a barrier
//   ["r", slot]                                                      a barrier opens
function stepsOf(policy, warp) {
  const steps = [];
  let waiting = new Set();  // shared by the steps between which it does not change
  const note = (text) => { if (steps.length > 0) steps[steps.length - 1].notes.push(text); };
  for (const e of policy.events) {
    if (e[0] === "r") {
      if (waiting.size > 0) note("the barrier opens");
      waiting = new Set();
    } else if (e[2] !== warp) {
      continue;
    } else if (e[0] === "i") {
      const ends = lanesOf(e[5]).filter((lane) => waiting.has(lane));
      if (ends.length > 0) waiting = new Set([...waiting].filter((lane) => !ends.includes(lane)));
      steps.push(new Step(e, waiting, policy.lists));
    } else {
      const lanes = lanesOf(e[3]);
      note(`${lanes.length === 1 ? "lane" : "lanes"} ${rangesOf(lanes)} ${e[0] === "x" ? "end" : "wait at the barrier"} after it`);
      if (e[0] === "w") waiting = new Set([...waiting, ...lanes]);
    }
  }
  return steps;
}

// How many of the first elements satisfy `holds`, which is true up to some element and false from there on.
function countWhile(list, holds) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle])) low = middle + 1; else high = middle;
  }
  return low;
}

// The number of the step that runs in a slot: the last that has begun.
function stepAt(steps, slot) {
  return countWhile(steps, (step) => step.begin <= slot) - 1;
}

class Pane {
  constructor(choice, optional) {
    this.root = by("pane").content.cloneNode(true).firstElementChild;
    this.select = this.root.querySelector(".policy");
    if (optional) this.select.append(new Option("compare with ...", ""));
    for (const name of new Set([...host.names, ...data.policies.map((p) => p.name)])) this.select.append(new Option(name, name));
    this.select.value = choice;
    this.select.addEventListener("change", () => {
      this.load();
      changed();
      if (!this.policy && this.select.value !== "") host.chosen();
    });
    const graph = this.root.querySelector(".graph");
    graph.innerHTML = data.graph;
    graph.classList.add("fits");
    const drawn = graph.querySelector("svg");  // it shrinks to the width that there is, and does not grow
    if (drawn) drawn.style.maxWidth = `${drawn.getAttribute("width")}px`;
    this.blocks = new Map();
    for (const g of graph.querySelectorAll(".block")) this.blocks.set(Number(g.dataset.block), g);
    this.edges = [...graph.querySelectorAll(".edge")];
    const overview = this.root.querySelector(".overview");
    const toPointer = (event) => {
      const box = overview.getBoundingClientRect();
      go(Math.round((event.clientX - box.left) / box.width * this.shown));
    };
    overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); toPointer(event); });
    overview.addEventListener("pointermove", (event) => { if (event.buttons & 1) toPointer(event); });
    this.load();
  }

  load() {
    this.policy = data.policies.find((p) => p.name === this.select.value);
    this.root.classList.toggle("empty", !this.policy);
    if (!this.policy) return;
    this.warp = this.policy.scope === "block" ? 0 : Number(by("warp").value || 0);
    this.steps = stepsOf(this.policy, this.warp);
    // When the run was over: [block, lanes, words] of the threads that had not ended, and what the policy held.
    this.standing = this.policy.end.standing.filter(([warp]) => warp === this.warp)
        .map(([, block, lanes, words]) => [block, lanesOf(lanes), words]);
    const held = this.policy.end.held.find(([warp]) => warp === this.warp);
    this.lastEntries = held ? held[2] : [];
    this.lastHasNamed = Boolean(held && held[1]);
    this.rows = 0;
    this.runs = new Map();  // by lane: the numbers of the steps in which it runs
    this.steps.forEach((s, i) => {
      this.rows = Math.max(this.rows, 0, ...s.live.slice(-1).map((lane) => lane + 1));
      for (const lane of s.lanes) {
        if (!this.runs.has(lane)) this.runs.set(lane, []);
        this.runs.get(lane).push(i);
      }
    });
    this.figures();
    this.drawn = null;  // the overview
  }

  // How many of the lanes of a step's warp are idle, by sign; "none" are lanes without a thread.
  idleOf(step) {
    const width = data.warpWidth, lanes = step.lanes;
    const first = this.policy.scope === "block" && lanes.length > 0 ? lanes[0] - lanes[0] % width : 0;
    const live = new Set(step.live);
    const idle = {masked: 0, waits: 0, ended: 0, none: 0};
    let left = Math.max(0, width - lanes.length);
    const home = new Set(lanes.map((lane) => lane % width));
    for (let k = 0; k < width && left > 0; ++k) {
      if (home.has(k)) continue;
      --left;
      const lane = first + k;
      ++idle[lane >= this.rows ? "none" : !live.has(lane) ? "ended" : step.waiting.has(lane) ? "waits" : "masked"];
    }
    return idle;
  }

  // Lane slots, and slots of lanes that run, up to the end of each step.
  figures() {
    let used = 0, slots = 0;
    this.sums = this.steps.map((step) => {
      used += step.weight * step.lanes.length;
      slots += step.weight * data.warpWidth;
      return [used, slots];
    });
  }

  // By live lane: the block that it runs after this step; null: none in this recording.
  nextBlocks(step) {
    const next = new Map();
    if (!step) return next;
    for (const lane of step.live) {
      const runs = this.runs.get(lane) || [];
      const i = countWhile(runs, (k) => k <= this.at);
      next.set(lane, i < runs.length ? this.steps[runs[i]].block : null);
    }
    return next;
  }

  get end() {
    return this.policy && this.steps.length > 0 ? this.steps[this.steps.length - 1].end : 0;
  }

  show(slot) {
    if (!this.policy) return;
    const p = this.policy;
    this.root.querySelector(".mechanism").textContent = this.root.querySelector(".mechanism").title = p.what;
    this.at = slot < this.end ? stepAt(this.steps, slot) : this.steps.length;
    const step = this.steps[this.at];
    this.next = this.nextBlocks(step);
    this.root.dataset.step = step ? this.at : "";
    this.root.dataset.block = step ? step.block : "";
    this.showWords(step);
    this.showFigures(step);
    this.showGraph(step);
    this.showCode(step);
    this.showState(step);
    this.showStrip(slot);
    this.showOverview(slot);
  }

  showFigures(step) {
    const text = this.root.querySelector(".figures");
    text.replaceChildren();
    if (this.sums.length === 0) return;
    const share = ([used, slots]) => slots === 0 ? "1.000" : (used / slots).toFixed(3);
    const say = (words, figure) => {
      const strong = document.createElement("b");
      strong.textContent = figure;
      text.append(words, strong);
    };
    say("SIMD efficiency so far ", share(this.sums[Math.min(this.at, this.sums.length - 1)]));
    say(", of all that is shown ", share(this.sums[this.sums.length - 1]));
    if (!step) return;
    const idle = this.idleOf(step);
    const names = {masked: "masked", waits: "waiting at a barrier", ended: "ended", none: "without a thread"};
    const parts = Object.keys(names).filter((k) => idle[k] > 0).map((k) => `${idle[k]} ${names[k]}`);
    say("; idle lanes now ", parts.length === 0 ? "none" : parts.join(", "));
  }

  // The instructions of the block that runs, under the source line that they come from.
  showCode(step) {
    const list = this.root.querySelector(".code"), title = this.root.querySelector(".code-name");
    const block = step ? step.block : null;
    title.textContent = block === null ? "" : `instructions of ${data.blocks[block].name}`;
    if (this.codeOf === block) return;
    this.codeOf = block;
    list.replaceChildren();
    if (block === null) return;
    let source = "";
    const places = data.blocks[block].sources || [];
    (data.blocks[block].code || "").split("\n").forEach((line, i) => {
      if (line === "") return;
      if (places[i] && places[i] !== source) {
        const head = document.createElement("li");
        head.className = "source";
        head.textContent = source = places[i];
        list.append(head);
      }
      const item = document.createElement("li");
      item.textContent = line;
      list.append(item);
    });
    if (list.childElementCount === 0) title.textContent = "";
  }

  // The whole run in the width that there is: how many lanes run, in the colour of the block that they run most.
  showOverview(slot) {
    const box = this.root.querySelector(".overview"), canvas = box.querySelector("canvas");
    const width = Math.max(1, Math.floor(box.clientWidth)), height = 36;
    this.shown = Math.max(1, lastSlot());
    if (this.drawn !== `${width} ${this.shown}`) {
      this.drawn = `${width} ${this.shown}`;
      canvas.width = width;
      canvas.height = height;
      const ink = canvas.getContext("2d");
      const most = data.warpWidth;
      let i = 0;
      for (let x = 0; x < width; ++x) {
        const from = x * this.shown / width, to = Math.max(from + 1e-9, (x + 1) * this.shown / width);
        const of = new Map();  // by block: lanes times slots
        let sum = 0;
        while (i > 0 && this.steps[i - 1].end > from) --i;
        while (i < this.steps.length && this.steps[i].end <= from) ++i;
        for (let k = i; k < this.steps.length && this.steps[k].begin < to; ++k) {
          const s = this.steps[k], share = (Math.min(to, s.end) - Math.max(from, s.begin)) * s.count;
          sum += share;
          of.set(s.block, (of.get(s.block) || 0) + share);
        }
        if (sum === 0) continue;
        const [block] = [...of].reduce((a, b) => b[1] > a[1] ? b : a);
        const h = Math.min(1, sum / (to - from) / most) * height;
        ink.fillStyle = data.blocks[block].colour;
        ink.fillRect(x, height - h, 1, h);
      }
    }
    const [from, to] = this.windowAt(slot), mark = box.querySelector(".window");
    mark.style.left = `${100 * from / this.shown}%`;
    mark.style.width = `${100 * Math.min(to - from, this.shown - from) / this.shown}%`;
  }

  // The slots that the strip shows.
  windowAt(slot) {
    const from = Math.max(0, Math.min(slot - stripSlots / 2, Math.max(this.end, 1) - stripSlots));
    return [from, from + stripSlots];
  }

  showWords(step) {
    const now = this.root.querySelector(".now");
    const total = this.steps.length;
    const outcome = this.policy.verdict === "finished" && !this.policy.truncated ? "finished"
        : this.policy.truncated ? "the recording stops" : this.policy.words;
    if (!step) {
      const over = this.policy.truncated ? `; the run ended so: ${this.policy.words || this.policy.verdict}` : "";
      now.textContent = `${outcome} after ${total} steps, ${this.end} slots${over}`;
      return;
    }
    let text = `step ${this.at + 1} of ${total}: ${data.blocks[step.block].name}, ${step.weight} instructions, ` +
        `${step.lanes.length} of ${step.live.length} live ${this.policy.scope === "block" ? "threads" : "lanes"}`;
    if (this.at + 1 === total) text += `; ${outcome}`;
    if (step.groups > 1) text += `; ${step.groups} groups run together`;
    if (step.notes.length > 0) text += "; " + step.notes.join("; ");
    now.textContent = text;
  }

  showGraph(step) {
    const waiting = new Map();  // by block: lanes that run it later
    const targets = new Set();
    if (step) {
      const runs = new Set(step.lanes);
      for (const [lane, block] of this.next) {
        if (block === null) continue;
        if (runs.has(lane)) targets.add(block);
        else waiting.set(block, (waiting.get(block) || 0) + 1);
      }
    } else {
      for (const [block, lanes] of this.standing) if (block !== null) waiting.set(block, (waiting.get(block) || 0) + lanes.length);
    }
    for (const [b, g] of this.blocks) {
      const runs = Boolean(step) && step.block === b;
      g.classList.toggle("runs", runs);
      const old = g.querySelector(".badge");
      if (old) old.remove();
      const count = runs ? step.lanes.length : waiting.get(b);
      if (!count) continue;
      const box = g.querySelector(".box");
      const x = Number(box.getAttribute("x")) + Number(box.getAttribute("width")), y = Number(box.getAttribute("y"));
      const badge = element("g", {class: "badge"});
      badge.append(element("circle", {cx: x, cy: y, r: 9}), element("text", {x: x, y: y + 3}, count));
      g.append(badge);
    }
    for (const e of this.edges)
      e.classList.toggle("taken", Boolean(step) && Number(e.dataset.from) === step.block && targets.has(Number(e.dataset.to)));
    const seen = step ? step.block : this.standing.length > 0 ? this.standing[0][0] : null;
    if (seen !== null) {  // keep the block in sight
      const graph = this.root.querySelector(".graph"), box = this.blocks.get(seen).querySelector(".box");
      const top = Number(box.getAttribute("y")), bottom = top + Number(box.getAttribute("height"));
      if (top < graph.scrollTop + 10 || bottom > graph.scrollTop + graph.clientHeight - 10)
        graph.scrollTop = (top + bottom - graph.clientHeight) / 2;
      const middle = Number(box.getAttribute("x")) + Number(box.getAttribute("width")) / 2;
      if (middle < graph.scrollLeft + 30 || middle > graph.scrollLeft + graph.clientWidth - 30)
        graph.scrollLeft = middle - graph.clientWidth / 2;
    }
  }

  // Lanes as little boxes in the block's colour.
  laneBoxes(lanes, block) {
    const width = Math.min(8, 200 / Math.max(this.rows, 1));
    const svg = element("svg", {viewBox: `0 0 ${width * this.rows} 12`, preserveAspectRatio: "none", height: 12, class: "lanes"});
    svg.style.maxWidth = `${width * this.rows}px`;
    svg.append(element("rect", {x: 0.5, y: 0.5, width: width * this.rows - 1, height: 11, fill: "#f0f0f0", stroke: "#bbb"}));
    for (const lane of lanes)
      svg.append(element("rect", {x: width * lane, y: 1, width: width - (width > 3 ? 1 : 0), height: 10, fill: data.blocks[block].colour}));
    svg.append(element("title", {}, rangesOf(lanes)));
    return svg;
  }

  chip(block) {
    const b = data.blocks[block], span = document.createElement("span");
    span.className = "chip";
    span.textContent = b.name;
    span.title = b.code || b.name;
    span.style.background = b.colour;
    span.style.color = b.ink;
    return span;
  }

  addRow(body, block, lanes, words, runs) {
    const row = body.insertRow();
    if (runs) row.className = "runs";
    const name = row.insertCell();
    if (block === null) name.textContent = "exit"; else name.append(this.chip(block));
    const boxes = row.insertCell();
    if (block === null) boxes.textContent = rangesOf(lanes); else boxes.append(this.laneBoxes(lanes, block));
    row.insertCell().textContent = words;
  }

  // The entries that a policy holds, a row for each; begin(block, lanes) is the first word of the row.
  addEntries(body, entries, begin) {
    for (const [block, until, likely, lanes, role] of entries) {
      const all = lanesOf(lanes), first = begin(block, all), words = first ? [first] : [];
      if (role) words.push(role);
      if (until !== null) words.push(`until ${data.blocks[until].name}`);
      if (likely !== null && likely !== until) words.push(`perhaps only to ${data.blocks[likely].name}`);
      this.addRow(body, block, all, words.join(", "), first === "runs");
    }
  }

  showState(step) {
    const body = this.root.querySelector(".state tbody"), title = this.root.querySelector(".state-name");
    body.replaceChildren();
    title.textContent = this.policy.state ? `${this.policy.state} of ${this.policy.name}` : `${this.policy.name} does not show what it holds`;
    if (step && this.policy.state) {
      if (!this.policy.withRunning) this.addRow(body, step.block, step.lanes, "runs", true);
      let found = false;
      this.addEntries(body, step.entries, (block, all) => {
        const runs = this.policy.withRunning && !found && block === step.block && all.includes(step.lanes[0]);
        found = found || runs;
        return runs ? "runs" : "";
      });
    }
    const standing = this.root.querySelector(".standing tbody");
    standing.replaceChildren();
    if (!step) {
      if (this.standing.length === 0) return;
      if (this.policy.state) {
        const last = this.steps[this.steps.length - 1];
        if (this.lastHasNamed && !this.policy.withRunning && last) this.addRow(body, last.block, last.lanes, "ran last", false);
        this.addEntries(body, this.lastEntries, () => "");
      }
      for (const [block, lanes, words] of this.standing) this.addRow(standing, block, lanes, words);
      return;
    }
    this.addRow(standing, step.block, step.lanes, "runs", true);
    const groups = new Map();
    const runs = new Set(step.lanes);
    const never = [];  // run again
    for (const [lane, block] of this.next) {
      if (runs.has(lane)) continue;
      if (block === null) {
        never.push(lane);
        continue;
      }
      const key = 2 * block + (step.waiting.has(lane) ? 1 : 0);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(lane);
    }
    for (const key of [...groups.keys()].sort((a, b) => a - b))
      this.addRow(standing, key >> 1, groups.get(key), key & 1 ? "after the barrier where they wait" : "next");
    let unknown = never.length;
    for (const [block, all, words] of this.standing) {  // they stand there until the end
      const lanes = never.filter((lane) => all.includes(lane));
      if (lanes.length > 0) this.addRow(standing, block, lanes, words);
      unknown -= lanes.length;
    }
    if (unknown > 0) {
      const cell = standing.insertRow().insertCell();
      cell.colSpan = 3;
      cell.className = "none";
      cell.textContent = `${unknown} more never run again in this recording`;
    }
  }

  // A window of the timeline around the slot.
  showStrip(slot) {
    const rows = this.rows, height = rows <= 8 ? 14 : rows <= 32 ? 6 : rows <= 64 ? 4 : 1;
    const left = 28, top = 4, strip = this.root.querySelector(".strip");
    const whole = Math.max(200, strip.clientWidth), per = (whole - left - 4) / stripSlots;
    const [from, to] = this.windowAt(slot);
    const svg = element("svg", {viewBox: `0 0 ${whole} ${top + height * rows + 20}`, height: top + height * rows + 20,
                                role: "img", "aria-label": `issue slots ${from} to ${to}, a row for each lane`});
    const x = (s) => left + per * (Math.max(from, Math.min(to, s)) - from);
    const draw = (lanes, fill, begin, end, more) => {
      if (end <= begin) return;
      for (let k = 0; k < lanes.length;) {
        let last = k;
        while (last + 1 < lanes.length && lanes[last + 1] === lanes[last] + 1) ++last;
        svg.append(element("rect", {x: x(begin), y: top + height * lanes[k], width: Math.max(0, x(end) - x(begin)),
                                    height: height * (last - k + 1), fill, ...more}));
        k = last + 1;
      }
    };
    const width = data.warpWidth, wide = this.policy.scope === "block";
    for (let i = Math.max(0, stepAt(this.steps, from)); i < this.steps.length && this.steps[i].begin < to; ++i) {
      const s = this.steps[i], live = s.live, lanes = s.lanes;
      const until = i + 1 < this.steps.length ? this.steps[i + 1].begin : s.end;
      if (until <= from) continue;
      const runs = new Set(lanes), home = wide && lanes.length > 0 ? Math.floor(lanes[0] / width) : 0;
      const waits = live.filter((lane) => s.waiting.has(lane) && !runs.has(lane));
      const idle = live.filter((lane) => !runs.has(lane) && !s.waiting.has(lane));
      const masked = idle.filter((lane) => !wide || Math.floor(lane / width) === home);
      const turn = idle.filter((lane) => wide && Math.floor(lane / width) !== home);
      draw(waits, "url(#waits)", s.begin, until, {"data-sign": "waits"});
      draw(masked, "url(#masked)", s.begin, s.end, {"data-sign": "masked"});
      draw(turn, "url(#turn)", s.begin, s.end, {"data-sign": "turn"});
      draw(lanes, data.blocks[s.block].colour, s.begin, s.end, {stroke: "#fff", "stroke-width": per < 4 ? 0 : 0.5, "data-step": i});
      // Other warps run: all of this one wait for their turn.
      const next = i + 1 < this.steps.length ? this.steps[i + 1] : null;
      if (next) draw(next.live.filter((lane) => !next.waiting.has(lane) && !s.waiting.has(lane)), "url(#turn)", s.end, until, {"data-sign": "turn"});
    }
    if (this.policy.verdict !== "finished" && !this.policy.truncated && this.end >= from && this.end < to) {
      svg.append(element("path", {d: `M${x(this.end)} ${top - 3}V${top + height * rows + 3}`, stroke: "#cf222e", "stroke-width": 3, class: "bad-end"}));
      const words = element("text", {x: Math.min(x(this.end) + 6, whole - 6), y: top + 11, "font-size": 11, fill: "#cf222e", "font-weight": "bold"}, this.policy.verdict);
      if (x(this.end) > whole - 130) words.setAttribute("text-anchor", "end"), words.setAttribute("x", x(this.end) - 6);
      svg.append(words);
    }
    const current = this.steps[this.at];
    if (current && current.begin < to && current.end > from)
      svg.append(element("rect", {x: x(current.begin), y: top - 2, width: Math.max(1, x(current.end) - x(current.begin)),
                                  height: height * rows + 4, fill: "none", stroke: "#000", "stroke-width": 2, class: "cursor"}));
    const tick = stripSlots <= 128 ? 10 : stripSlots <= 256 ? 50 : 100;
    for (let s = Math.ceil(from / tick) * tick; s <= to; s += tick)
      svg.append(element("text", {x: x(s), y: top + height * rows + 14, "font-size": 10, "text-anchor": "middle"}, s));
    for (let lane = 0; lane < rows; lane += rows <= 8 ? 1 : rows <= 32 ? 8 : rows <= 64 ? 16 : 32)
      svg.append(element("text", {x: left - 4, y: top + height * lane + Math.max(height, 8), "font-size": 9, "text-anchor": "end"}, lane));
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const at = from + Math.floor(((event.clientX - box.left) / box.width * whole - left) / per);
      go(Math.max(0, Math.min(at, lastSlot())));
    });
    strip.replaceChildren(svg);
  }
}

// --- all panes together
// ---------------------------------------------------------------------------------------------------

let slot = 0;
let timer = null;
const panes = [];

// The slot after the last in which anything runs in any pane: runs that did not finish show there how they ended.
function lastSlot() {
  return Math.max(0, ...panes.map((p) => p.end));
}

function go(to) {
  slot = Math.max(0, Math.min(to, lastSlot()));
  by("slot").max = lastSlot();
  by("slot").value = slot;
  by("where").textContent = `slot ${slot} of ${lastSlot()}`;
  for (const p of panes) p.show(slot);
  const warp = by("warp").value === "0" || by("warp").value === "" ? "" : `w${by("warp").value}`;
  history.replaceState(null, "", `#${panes.map((p) => p.select.value).join("|")}@${slot}${warp}${host.address}`);
  host.moved();
}

// The nearest slot in which a step of some pane begins.
function neighbour(direction) {
  let best = null;
  for (const p of panes) {
    if (!p.policy) continue;
    const i = direction < 0 && slot > p.end ? p.steps.length : stepAt(p.steps, direction > 0 ? slot : slot - 1) + (direction > 0 ? 1 : 0);
    if (i < 0 || i > p.steps.length || (i === p.steps.length && direction > 0 && slot >= p.end)) continue;
    const begin = i === p.steps.length ? p.end : p.steps[i].begin;
    if (best === null || (direction > 0 ? begin < best : begin > best)) best = begin;
  }
  return best === null ? slot : best;
}

function stop() {
  clearInterval(timer);
  timer = null;
  by("play").textContent = "play";
}

function play() {
  if (timer !== null) return stop();
  by("play").textContent = "stop";
  timer = setInterval(() => {
    const next = neighbour(1);
    if (next === slot) stop(); else go(next);
  }, Number(by("speed").value));
}

// \param to how many places to move in the list of zooms
function zoom(to) {
  stripSlots = zooms[Math.max(0, Math.min(zooms.length - 1, zooms.indexOf(stripSlots) + to))];
  go(slot);
}

function showLegend() {
  const legend = by("legend");
  addSignPatterns();
  const sign = (fill, words) => {
    const svg = element("svg", {width: 18, height: 12});
    svg.append(element("rect", {x: 0.5, y: 0.5, width: 17, height: 11, fill, stroke: "#888"}));
    const span = document.createElement("span");
    span.append(svg, words);
    legend.append(span);
  };
  sign(data.blocks[0].colour, "runs: the colour is the block");
  for (const [id, words] of signs) sign(id === "ended" ? "none" : `url(#${id})`, words);
  const badge = (fill, words) => {
    const svg = element("svg", {width: 14, height: 14});
    svg.append(element("circle", {cx: 7, cy: 7, r: 6.5, fill}), element("text", {x: 7, y: 10, "font-size": 8, fill: "#fff", "text-anchor": "middle"}, "n"));
    const span = document.createElement("span");
    span.append(svg, words);
    legend.append(span);
  };
  badge("#cf222e", "lanes that run the block");
  badge("#222", "lanes that run it next; a thick edge is taken now");
}

function changed() {
  const warps = Math.max(...panes.filter((p) => p.policy).map((p) => p.policy.scope === "block" ? 1 : p.policy.warps), 1);
  by("warp-label").hidden = warps < 2;
  go(slot);
}

// The policies, the slot and the warp that the address names.
function addressed() {
  const [names, at] = decodeURIComponent(location.hash.slice(1).split("&")[0]).split("@");
  const [from, warp] = (at || "").split("w");
  return {names: names.split("|"), at: Number(from) || 0, warp: Number(warp) || 0};
}

// Shows other runs.
function openRuns(runs, {names, at, warp}) {
  stop();
  data = runs;
  by("remarks").textContent = data.remarks.join("\n");
  if (by("legend").childElementCount === 0) showLegend();
  by("warp").replaceChildren();
  for (let w = 0; w < data.warps; ++w) by("warp").append(new Option(w, w));
  by("warp").value = warp < data.warps ? warp : 0;
  const known = names.filter((n) => host.names.includes(n) || data.policies.some((p) => p.name === n));
  let second = known[1] || "";
  if (known.length === 0 && data.policies.length > 1)
    second = (data.policies.slice(1).find((p) => p.name === "tf") || data.policies[1]).name;
  panes.splice(0, panes.length, new Pane(known[0] || data.policies[0].name, false), new Pane(second, true));
  by("panes").replaceChildren(...panes.map((p) => p.root));
  changed();
  go(at);
}

// Makes the controls work.
function begin() {
  by("warp").addEventListener("change", () => { panes.forEach((p) => p.load()); changed(); });
  by("first").addEventListener("click", () => go(0));
  by("back").addEventListener("click", () => go(neighbour(-1)));
  by("forward").addEventListener("click", () => go(neighbour(1)));
  by("last").addEventListener("click", () => go(lastSlot()));
  by("play").addEventListener("click", play);
  by("slot").addEventListener("input", () => go(Number(by("slot").value)));
  by("speed").addEventListener("change", () => { if (timer !== null) { stop(); play(); } });
  by("closer").addEventListener("click", () => zoom(-1));
  by("wider").addEventListener("click", () => zoom(1));
  by("large").addEventListener("click", () => {
    by("large").setAttribute("aria-pressed", document.body.classList.toggle("large"));
    go(slot);
  });
  by("full").addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen(); else document.documentElement.requestFullscreen().catch(() => {});
  });
  window.addEventListener("resize", () => { if (data) go(slot); });
  document.addEventListener("keydown", (event) => {
    if (["SELECT", "INPUT", "TEXTAREA", "SUMMARY"].includes(event.target.tagName)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", " ": "play", "+": "closer", "=": "closer", "-": "wider",
                  l: "large", L: "large", f: "full", F: "full"};
    if (!keys[event.key] || (event.key === " " && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    by(keys[event.key]).click();
  });
}

if (by("data")) {
  begin();
  openRuns(JSON.parse(by("data").textContent), addressed());
}
