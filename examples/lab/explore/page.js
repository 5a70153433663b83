// SPDX-License-Identifier: BSL-1.0
//
// Steps through recorded runs. The data is what the executor's events said, and what each policy showed of itself;
// nothing is simulated here. Time is the issue slot; every pane shows the block that its warp runs in that slot.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const svgSpace = "http://www.w3.org/2000/svg";
const stripSlots = 64;  // seen at a time

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
  constructor([, begin, , block, weight, lanes, live, groups, entries], waiting) {
    Object.assign(this, {begin, end: begin + Math.max(weight, 1), block, weight, groups, entries, waiting, notes: []});
    this.running = lanes;
    this.alive = live;
  }
  get lanes() { return lanesOf(this.running); }
  get live() { return lanesOf(this.alive); }
}

// The steps of one warp (of the whole thread block under a policy that forms warps anew), from the list of events:
//   ["i", slot, warp, block, weight, lanes, live, groups, entries]   a block is run
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
      steps.push(new Step(e, waiting));
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
    for (const p of data.policies) this.select.append(new Option(p.name, p.name));
    this.select.value = choice;
    this.select.addEventListener("change", () => { this.load(); changed(); });
    const graph = this.root.querySelector(".graph");
    graph.innerHTML = data.graph;
    this.blocks = new Map();
    for (const g of graph.querySelectorAll(".block")) this.blocks.set(Number(g.dataset.block), g);
    this.edges = [...graph.querySelectorAll(".edge")];
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
    const hidden = [".now", ".strip", ".both", ".mechanism"];
    for (const part of hidden) this.root.querySelector(part).style.visibility = this.policy ? "" : "hidden";
    if (!this.policy) return;
    const p = this.policy;
    this.root.querySelector(".mechanism").textContent = p.what;
    this.at = slot < this.end ? stepAt(this.steps, slot) : this.steps.length;
    const step = this.steps[this.at];
    this.next = this.nextBlocks(step);
    this.root.dataset.step = step ? this.at : "";
    this.root.dataset.block = step ? step.block : "";
    this.showWords(step);
    this.showGraph(step);
    this.showState(step);
    this.showStrip(slot);
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
    const rows = this.rows, height = rows <= 8 ? 14 : rows <= 32 ? 5 : rows <= 64 ? 3 : 1;
    const per = 9, left = 28, top = 4;
    const from = Math.max(0, Math.min(slot - stripSlots / 2, Math.max(this.end, 1) - stripSlots));
    const to = from + stripSlots;
    const svg = element("svg", {width: left + per * stripSlots + 4, height: top + height * rows + 20});
    const x = (s) => left + per * (Math.max(from, Math.min(to, s)) - from);
    for (let i = Math.max(0, stepAt(this.steps, from)); i < this.steps.length && this.steps[i].begin < to; ++i) {
      const s = this.steps[i];
      const until = i + 1 < this.steps.length ? this.steps[i + 1].begin : s.end;
      if (until <= from) continue;
      const draw = (lanes, fill, end, more) => {
        for (let k = 0; k < lanes.length;) {
          let last = k;
          while (last + 1 < lanes.length && lanes[last + 1] === lanes[last] + 1) ++last;
          svg.append(element("rect", {x: x(s.begin), y: top + height * lanes[k], width: Math.max(0, x(end) - x(s.begin)),
                                      height: height * (last - k + 1), fill: fill, ...more}));
          k = last + 1;
        }
      };
      draw(s.live, "#e4e4e4", until, {});
      draw(s.lanes, data.blocks[s.block].colour, s.end, {stroke: "#fff", "stroke-width": 0.5, "data-step": i});
    }
    const current = this.steps[this.at];
    if (current && current.begin < to && current.end > from)
      svg.append(element("rect", {x: x(current.begin), y: top - 2, width: x(current.end) - x(current.begin),
                                  height: height * rows + 4, fill: "none", stroke: "#000", "stroke-width": 2, class: "cursor"}));
    for (let s = Math.ceil(from / 10) * 10; s <= to; s += 10)
      svg.append(element("text", {x: x(s), y: top + height * rows + 14, "font-size": 10, "text-anchor": "middle"}, s));
    for (let lane = 0; lane < rows; lane += rows <= 8 ? 1 : rows <= 32 ? 8 : 16)
      svg.append(element("text", {x: left - 4, y: top + height * lane + Math.max(height, 8), "font-size": 9, "text-anchor": "end"}, lane));
    svg.addEventListener("click", (event) => {
      const at = from + Math.floor((event.clientX - svg.getBoundingClientRect().left - left) / per);
      go(Math.max(0, Math.min(at, lastSlot())));
    });
    this.root.querySelector(".strip").replaceChildren(svg);
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
  history.replaceState(null, "", `#${panes.map((p) => p.select.value).join("|")}@${slot}`);
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
  }, 400);
}

function changed() {
  const warps = Math.max(...panes.filter((p) => p.policy).map((p) => p.policy.scope === "block" ? 1 : p.policy.warps), 1);
  by("warp-label").hidden = warps < 2;
  go(slot);
}

function begin() {
  by("remarks").textContent = data.remarks.join("\n");
  for (let w = 0; w < data.warps; ++w) by("warp").append(new Option(w, w));
  by("warp").value = 0;
  const [names, at] = decodeURIComponent(location.hash.slice(1)).split("@");
  const known = names.split("|").filter((n) => data.policies.some((p) => p.name === n));
  let second = known[1] || "";
  if (known.length === 0 && data.policies.length > 1)
    second = (data.policies.slice(1).find((p) => p.name === "tf") || data.policies[1]).name;
  panes.push(new Pane(known[0] || data.policies[0].name, false), new Pane(second, true));
  by("panes").append(...panes.map((p) => p.root));
  by("warp").addEventListener("change", () => { panes.forEach((p) => p.load()); changed(); });
  by("first").addEventListener("click", () => go(0));
  by("back").addEventListener("click", () => go(neighbour(-1)));
  by("forward").addEventListener("click", () => go(neighbour(1)));
  by("last").addEventListener("click", () => go(lastSlot()));
  by("play").addEventListener("click", play);
  by("slot").addEventListener("input", () => go(Number(by("slot").value)));
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement) return;
    const keys = {ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", " ": "play"};
    if (!keys[event.key] || (event.key === " " && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    by(keys[event.key]).click();
  });
  changed();
  go(Number(at) || 0);
}

begin();
