// SPDX-License-Identifier: BSL-1.0
//
//   node page.mjs PLAYGROUND.html CHROMIUM [FOLDER FOR PICTURES]
//
// Uses the playground as a person does: every sample runs; type, run, step, share; errors at their line.
import {existsSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {openChromium} from "./chromium.mjs";

const [file, program, pictures] = process.argv.slice(2);
if (!program || program.endsWith("NOTFOUND") || !existsSync(program)) {
  console.log("skipped: no Chromium to try the page in");
  process.exit(0);
}
const problems = [];
const check = (what, ok) => { if (!ok) problems.push(what); };
const equal = (what, have, want) => check(`${what}: ${JSON.stringify(have)} is not ${JSON.stringify(want)}`, JSON.stringify(have) === JSON.stringify(want));

const chromium = await openChromium(program);
const url = pathToFileURL(file).href;
let page;
try {
  page = await chromium.page(url, 1920, 1080);
  const ran = async () => page.until(`by("state").textContent.startsWith("ran in")`);
  const picture = async (name) => { if (pictures) await page.picture(`${pictures}/${name}.png`); };
  // Replaces the program by what is typed.
  const typed = async (text) => {
    await page.value(`say("typing")`);
    await page.value(`by("text").focus(), by("text").select()`);
    await page.type(text);
    await page.until(`by("state").textContent !== "typing"`);
  };
  const steps = (pane) => page.value(`panes[${pane}].steps.map((s) => data.blocks[s.block].name.split(" ")[1])`);
  await ran();

  // The first sample; each policy by the keyboard; what the lines and the panes show.
  equal("policies", await page.value(`panes.map((p) => p.select.value)`), ["pdom", "tf"]);
  equal("pdom", await steps(0), ["B0", "B2", "B3", "B4", "B1", "B2", "B4", "B3", "B5"]);
  equal("tf", await steps(1), ["B0", "B1", "B2", "B3", "B4", "B5"]);
  check("all policies", await page.value(`host.names.length`) > 20);
  await picture("first");
  await page.click("body > header h1");
  await page.key("ArrowRight");
  equal("a step on", await page.value(`panes.map((p) => data.blocks[p.steps[p.at].block].name)`), ["BB2 B2", "BB1 B1"]);
  equal("lines that run", await page.value(`[...document.querySelectorAll("#text-sheet .gutter div[data-runs]")].map((e) => e.textContent)`), ["6", "7"]);
  check("the address has the slot", await page.value(`location.hash.startsWith("#pdom|tf@1&p=")`));
  await page.key("ArrowLeft");
  equal("a step back", await page.value(`slot`), 0);
  check("efficiency so far", await page.value(`document.querySelector(".figures").textContent.includes("SIMD efficiency so far 1.000")`));

  // Every sample runs; what goes wrong is what its title says.
  const count = await page.value(`samples.length`);
  const signs = new Set();
  for (let i = 0; i < count; ++i) {
    await page.value(`say(""), by("sample").value = ${i}, by("sample").dispatchEvent(new Event("change"))`);
    await ran();
    const title = await page.value(`samples[${i}].title`);
    equal(`${title}: problems`, await page.value(`by("problems").childElementCount`), 0);
    equal(`${title}: policies`, await page.value(`panes.map((p) => p.policy && p.policy.name)`), await page.value(`samples[${i}].policies`));
    const verdicts = await page.value(`panes.map((p) => p.policy.verdict)`);
    if (/[Ss]pin lock/.test(title)) equal(`${title}: verdicts`, verdicts, ["livelock", "finished"]);
    else if (/deadlock/.test(title)) equal(`${title}: verdicts`, verdicts, ["barrier deadlock", "barrier deadlock"]);
    else if (!/exception/.test(title)) equal(`${title}: verdicts`, verdicts, ["finished", "finished"]);
    for (let at = 0; at <= 30; at += 2) {
      await page.value(`go(${at})`);
      for (const sign of await page.value(`[...document.querySelectorAll(".strip [data-sign]")].map((e) => e.dataset.sign)`)) signs.add(sign);
    }
    await picture(`sample_${i}`);
  }
  equal("causes of idleness", [...signs].sort(), ["masked", "turn", "waits"]);

  // A sample of PTX, with its launch; the launch is changed; a fault has its line.
  const figure = await page.value(`samples.findIndex((s) => s.file === "figure1")`);
  await page.value(`say(""), by("sample").value = ${figure}, by("sample").dispatchEvent(new Event("change"))`);
  await ran();
  check("code of the block", await page.value(`document.querySelector(".code").textContent.includes("setp")`));
  await page.value(`by("launch-part").open = true, by("launch").focus(), by("launch").select()`);
  await page.type(`{"grid": [1], "block": [4],\n "buffers": [{"name": "a", "type": "u32", "count": 0}],\n "params": []}`);
  await page.until(`by("problems").childElementCount > 0`);
  equal("a mistake in the launch", await page.value(`[...document.querySelectorAll("#launch-sheet .wrong")].map((e) => e.textContent)`), ["2"]);
  await page.value(`by("launch").select()`);
  await page.key("Backspace");
  await page.value(`by("launch").value = "", run()`);
  await ran();
  check("a launch is made", await page.value(`by("launch").value.includes('"params"')`));

  // Errors at their line; the runs that were there stay, dimmed; a click goes to the place.
  await page.value(`by("sample").value = 0, by("sample").dispatchEvent(new Event("change"))`);
  await ran();
  await typed("threads 4\nA: if lane < 2 then B else C\nB: gotoo A\n");
  equal("wrong lines", await page.value(`[...document.querySelectorAll("#text-sheet .wrong")].map((e) => e.textContent)`), ["2", "3"]);
  equal("messages", await page.value(`[...document.querySelectorAll("#problems button")].map((b) => b.textContent)`),
        ["line 2, column 28: there is no block C", "line 3, column 4: expected goto, exit, if, loop, switch, barrier, set or clear, not 'gotoo' (did you mean goto?)"]);
  check("dimmed", await page.value(`document.body.classList.contains("stale")`));
  await picture("errors");
  await page.click("#problems li:nth-child(2) button");
  equal("the cursor", await page.value(`[document.activeElement.id, by("text").selectionStart]`), ["text", 42]);
  await page.value(`by("kind").value = "ptx", by("kind").dispatchEvent(new Event("change"))`);
  equal("not PTX", await page.value(`document.querySelectorAll("#text-sheet .wrong").length > 0`), true);
  await page.value(`by("kind").value = "flow", by("kind").dispatchEvent(new Event("change"))`);

  // A program of one's own, with keys; then its link in another page.
  await typed("threads 8\nwarp 4\nA 2: if lane < 1 then B else C\nB 5: goto D\nC: goto D\nD: barrier; exit\n");
  await ran();
  equal("own program", await page.value(`data.blocks.map((b) => b.name)`), ["BB0 A", "BB1 B", "BB2 C", "BB3 D"]);
  await page.key("Enter", true);
  await ran();
  await page.value(`panes[0].select.value = "tbc", panes[0].select.dispatchEvent(new Event("change"))`);
  await page.until(`panes[0].policy && panes[0].policy.name === "tbc"`);
  await page.value(`by("own").value = "tbc:lanes=permuted"`);
  await page.click("#more summary");
  await page.click("#add");
  await page.until(`panes[1].policy && panes[1].policy.name === "tbc:lanes=permuted"`);
  await page.value(`go(2)`);
  await page.click("#share");
  await page.until(`by("state").textContent.includes("link is")`);
  const link = await page.value(`location.href`);
  const shown = await page.value(`[by("text").value, panes.map((p) => p.policy.name), slot, panes.map((p) => p.steps.length)]`);
  equal("shown", shown.slice(1, 3), [["tbc", "tbc:lanes=permuted"], 2]);
  problems.push(...page.problems.splice(0));
  await page.close();
  page = await chromium.page(link, 1024, 800);
  await ran();
  equal("the link", await page.value(`[by("text").value, panes.map((p) => p.policy.name), slot, panes.map((p) => p.steps.length)]`), shown);
  for (const [width, height] of [[1024, 768], [1920, 1080]]) {
    await page.size(width, height);
    for (const large of [false, true]) {
      await page.value(`document.body.classList.toggle("large", ${large}), go(slot)`);
      check(`${width}: nothing is wider than the page, large ${large}`, await page.value(`document.documentElement.scrollWidth <= innerWidth`));
      await picture(`own_${width}${large ? "_large" : ""}`);
    }
  }
  // A damaged link, and a mistake in a policy.
  await page.value(`location.hash = "#pdom|tf@0&p=AAAA"`);
  await page.until(`panes[0].policy && panes[0].policy.name === "pdom" && data.blocks.length === 6`);
  await page.value(`by("more").open = true, by("own").value = "fastest"`);
  await page.click("#add");
  await page.until(`by("problems").textContent.includes('there is no policy "fastest"')`);
} catch (problem) {
  problems.push(String(problem.stack));
}
problems.push(...(page ? page.problems : []));
await chromium.close();
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? "all passed" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
