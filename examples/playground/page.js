// SPDX-License-Identifier: BSL-1.0
//
// The editor of the playground. The compiled library runs the program and answers with the data that
// examples/lab/explore/page.js shows; nothing is simulated here.
"use strict";

// The embedded parts: [{file, title, policies, kind, text, launch}], and the library as base64 of gzip.
const samples = JSON.parse(by("samples").textContent);
const longestText = 500000;
let library = null;
let lines = [];       // by block: its first and last line
let made = "";        // the launch file that was made for the program
let timer_of_run = null;

// A text area with the numbers of its lines, some of them marked.
class Sheet {
  constructor(id) {
    this.area = by(id);
    this.gutter = by(`${id}-sheet`).querySelector(".gutter");
    this.wrong = new Map();  // by line: the message
    this.runs = new Map();   // by line: colours of the blocks that run there
    this.area.addEventListener("scroll", () => { this.gutter.scrollTop = this.area.scrollTop; });
  }
  draw() {
    const count = this.area.value.split("\n").length;
    this.gutter.parentElement.style.setProperty("--lines", count);
    this.gutter.replaceChildren();
    for (let n = 1; n <= count; ++n) {
      const line = document.createElement("div");
      line.textContent = n;
      if (this.wrong.has(n)) {
        line.className = "wrong";
        line.title = this.wrong.get(n);
      }
      const colours = this.runs.get(n) || [];
      if (colours.length > 0) {
        line.style.borderImage = `linear-gradient(${colours[0]} 50%, ${colours[colours.length - 1]} 50%) 1`;
        line.dataset.runs = colours.length;
      }
      this.gutter.append(line);
    }
    this.gutter.append(Object.assign(document.createElement("div"), {textContent: "\n"}));  // below a scroll bar
    this.gutter.scrollTop = this.area.scrollTop;
  }
  // Puts the cursor there.
  show(line, column) {
    const before = this.area.value.split("\n").slice(0, Math.max(line - 1, 0)).join("\n").length;
    const at = before + (line > 1 ? 1 : 0) + Math.max(column - 1, 0);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    const height = this.area.scrollHeight / Math.max(this.area.value.split("\n").length, 1);
    this.area.scrollTop = Math.max(0, height * line - this.area.clientHeight / 2);
  }
}

const sheets = {program: new Sheet("text"), launch: new Sheet("launch")};

// --- the program in the address
// ---------------------------------------------------------------------------------------------------

const inBase64 = (bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

function program() {
  return {kind: by("kind").value, text: by("text").value, launch: by("launch").value === made ? "" : by("launch").value};
}

async function keepInAddress() {
  const kept = program();
  const packed = await through(new TextEncoder().encode(JSON.stringify([kept.kind, kept.text, kept.launch])), new CompressionStream("deflate"));
  host.address = `&p=${inBase64(packed)}`;
  if (data) go(slot);
}

// The program that the address holds; null if it holds none that can be read.
async function programInAddress() {
  const part = location.hash.split("&p=")[1];
  if (!part) return null;
  try {
    const [kind, text, launch] = JSON.parse(new TextDecoder().decode(await through(fromBase64(part), new DecompressionStream("deflate"))));
    if ((kind !== "flow" && kind !== "ptx") || typeof text !== "string" || typeof launch !== "string") return null;
    return {kind, text, launch};
  } catch {
    say("the link is damaged: it holds no program");
    return null;
  }
}

// --- running
// ---------------------------------------------------------------------------------------------------

function say(words) { by("state").textContent = words; }

function showProblems(problems) {
  for (const sheet of Object.values(sheets)) sheet.wrong.clear();
  by("problems").replaceChildren();
  for (const p of problems) {
    const sheet = sheets[p.in];
    if (sheet && p.line > 0 && !sheet.wrong.has(p.line)) sheet.wrong.set(p.line, p.message);
    const button = document.createElement("button");
    const where = p.line > 0 ? `line ${p.line}${p.column > 0 ? `, column ${p.column}` : ""}: ` : "";
    button.textContent = `${p.in === "program" ? "" : `${p.in}: `}${where}${p.message}`;
    button.addEventListener("click", () => { if (sheet) sheet.show(p.line, p.column); });
    by("problems").append(Object.assign(document.createElement("li"), {}));
    by("problems").lastChild.append(button);
    if (p.in === "launch") by("launch-part").open = true;
  }
  for (const sheet of Object.values(sheets)) sheet.draw();
}

// Runs the program. `asked`: policies, slot and warp; those that are shown unless they are given.
function run(asked) {
  clearTimeout(timer_of_run);
  if (!library) return;
  const {kind, text, launch} = program();
  const view = asked || {names: panes.map((p) => p.select.value), at: slot, warp: Number(by("warp").value) || 0};
  const names = view.names.filter((n) => n !== "");
  const refuse = (message) => showProblems([{in: "program", line: 0, column: 0, message}]);
  if (text.length + launch.length > longestText) return refuse(`the text has more than ${longestText} characters`);
  let answer;
  const began = performance.now();
  try {
    answer = JSON.parse(library.ccall("playground_play", "string", ["number", "string", "string", "string"],
                                      [kind === "ptx" ? 1 : 0, text, launch, names.length > 0 ? names.join(",") : "pdom"]));
  } catch (problem) {  // nothing of it can be used again
    library = null;
    unpack();
    return refuse(`the library stopped: ${problem.message}`);
  }
  const ran = Boolean(answer.data);
  document.body.classList.toggle("stale", !ran);
  if (ran) {
    const focused = panes.findIndex((p) => p.select === document.activeElement);
    lines = answer.lines;
    if (kind === "ptx" && launch === "") by("launch").value = made = answer.launch;
    openRuns(answer.data, view);
    if (focused >= 0) panes[focused].select.focus();
    say(`ran in ${Math.max(1, Math.round(performance.now() - began))} ms`);
  } else {
    say("not run");
  }
  showProblems(answer.problems);
  by("launch-part").hidden = kind !== "ptx";
  if (ran) keepInAddress();
}

function edited() {
  clearTimeout(timer_of_run);
  timer_of_run = setTimeout(run, 400);
  for (const sheet of Object.values(sheets)) sheet.draw();
}

// The lines of the blocks that run now.
host.moved = () => {
  const sheet = sheets.program;
  sheet.runs.clear();
  for (const p of panes) {
    const step = p.policy ? p.steps[p.at] : null;
    const [from, to] = step && lines[step.block] ? lines[step.block] : [0, -1];
    for (let n = from; n <= to; ++n) sheet.runs.set(n, [...(sheet.runs.get(n) || []), data.blocks[step.block].colour]);
  }
  sheet.draw();
};

function take({kind, text, launch}) {
  by("kind").value = kind;
  by("text").value = text;
  made = "";
  by("launch").value = launch;
  by("launch-part").hidden = kind !== "ptx";
}

function takeSample() {
  const sample = samples[Number(by("sample").value)];
  take(sample);
  run({names: sample.policies, at: 0, warp: 0});
}

async function takeAddress() {
  const kept = await programInAddress();
  if (!kept) return takeSample();
  take(kept);
  run(addressed());
}

async function unpack() {
  const wasmBinary = await through(Uint8Array.from(atob(by("library").textContent.trim()), (c) => c.charCodeAt(0)), new DecompressionStream("gzip"));
  library = await makeLibrary({wasmBinary});
}

function showParameters(policies) {
  const seen = new Set();
  const list = document.createElement("dl");
  for (const p of policies) {
    const key = JSON.stringify(p.parameters);
    if (p.parameters.length === 0 || seen.has(key)) continue;
    seen.add(key);
    list.append(Object.assign(document.createElement("dt"), {textContent: policies.filter((q) => JSON.stringify(q.parameters) === key).map((q) => q.name).join(", ")}));
    for (const q of p.parameters)
      list.append(Object.assign(document.createElement("dd"), {textContent: `${q.name}=${q.values}: ${q.meaning}; ${q.normal} unless it is said`}));
  }
  by("parameters").append(list);
}

async function start() {
  for (const [i, sample] of samples.entries()) by("sample").append(new Option(sample.title, i));
  begin();
  await unpack();
  const policies = JSON.parse(library.ccall("playground_policies", "string", [], []));
  host.names = policies.map((p) => p.name);
  host.chosen = () => run();
  showParameters(policies);
  by("sample").addEventListener("change", takeSample);
  by("kind").addEventListener("change", () => { by("launch").value = made = ""; run(); });
  for (const id of ["text", "launch"]) {
    by(id).addEventListener("input", edited);
    by(id).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run();
    });
  }
  by("run").addEventListener("click", () => run());
  by("share").addEventListener("click", async () => {
    await keepInAddress();
    await navigator.clipboard.writeText(location.href).then(() => say("the link is copied"), () => say("the link is in the address"));
  });
  const add = () => {
    const name = by("own").value.trim();
    if (name !== "") run({names: [panes[0].select.value, name], at: slot, warp: Number(by("warp").value) || 0});
  };
  by("add").addEventListener("click", add);
  by("own").addEventListener("keydown", (event) => { if (event.key === "Enter") add(); });
  window.addEventListener("hashchange", takeAddress);
  const header = document.querySelector("header");
  new ResizeObserver(() => document.body.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
  await takeAddress();
}

start().catch((problem) => say(`the page cannot start: ${problem.message}`));
