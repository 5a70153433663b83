// SPDX-License-Identifier: BSL-1.0
//
// Makes the playground's page of its parts:
//
//   node make_page.mjs OUT.html SOURCE_DIR LIBRARY.js LIBRARY.wasm
//
// The viewer is the page of `simtflow-lab explore` (examples/lab/explore) with an editor in place of its data.
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {gzipSync} from "node:zlib";

const [out, sources, libraryScript, libraryCode] = process.argv.slice(2);
const read = (path) => readFileSync(`${sources}/examples/${path}`, "utf8");
const own = (path) => read(`playground/${path}`);

// Puts text in the place of what must be there exactly once.
function replaced(page, what, text) {
  const parts = page.split(what);
  if (parts.length !== 2) throw new Error(`${out}: ${parts.length - 1} times in the page, not once: ${what}`);
  return parts.join(text);
}

// The first line of a sample names it and two policies: # TITLE | POLICY | POLICY
const samples = readdirSync(`${sources}/examples/playground/samples`).filter((file) => file.endsWith(".flow")).sort().map((file) => {
  const text = own(`samples/${file}`);
  const [title, ...policies] = text.slice(2, text.indexOf("\n")).split(" | ");
  return {file, title, policies, kind: "flow", text, launch: ""};
});
for (const [name, title, ...policies] of [["figure1", "PTX: Figure 1", "pdom", "tf"], ["spin_lock", "PTX: spin lock", "pdom", "volta"],
                                          ["barrier_exception", "PTX: barrier and exception", "pdom", "volta"],
                                          ["mandelbrot", "PTX: Mandelbrot", "pdom", "tbc"]])
  samples.push({file: name, title, policies, kind: "ptx", text: read(`kernels/${name}.ptx`), launch: read(`kernels/${name}.launch.json`)});

// What flow_program.hpp says of the notation.
const said = own("flow_program.hpp").split("\n").filter((line) => line.startsWith("//")).map((line) => line.slice(3));
const notation = said.slice(2).join("\n");

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const inScript = (text) => text.replaceAll("</", "<\\/");
const editor = replaced(own("page.html"), "{{notation}}", escaped(notation));
let page = read("lab/explore/page.html");
page = page.replaceAll("{{title}}", "simtflow playground");
page = replaced(page, "script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'wasm-unsafe-eval'");
page = replaced(page, "{{style}}", `${read("lab/explore/page.css")}${own("page.css")}`);
page = replaced(page, '<main id="panes"></main>', `<div id="bench">\n${editor}<main id="panes"></main>\n</div>`);
page = replaced(page, '<script id="data" type="application/json">{{data}}</script>',
                `<script id="samples" type="application/json">${JSON.stringify(samples).replaceAll("<", "\\u003c")}</script>\n` +
                `<script id="library" type="text/plain">${gzipSync(readFileSync(libraryCode), {level: 9}).toString("base64")}</script>`);
page = replaced(page, "{{script}}", [read("lab/explore/page.js"), readFileSync(libraryScript, "utf8"), own("page.js")]
  .map((script) => script.replaceAll("</script", "<\\/script")).join("</script>\n<script>\n"));
writeFileSync(out, page);
