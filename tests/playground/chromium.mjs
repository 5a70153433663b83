// SPDX-License-Identifier: BSL-1.0
//
// A headless Chromium, driven over a pipe (Chrome DevTools Protocol): pages are used as a person uses them, with keys
// and the mouse. It collects what must not be there: messages of errors and warnings on the console, exceptions,
// requests to anything but the page itself.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export async function openChromium(program) {
  const profile = mkdtempSync(join(tmpdir(), "simtflow-chromium-"));
  const child = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                                "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--host-resolver-rules=MAP * ~NOTFOUND"],
                      {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  const waiting = new Map(), listeners = [];
  let number = 0, rest = "";
  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", (text) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop();
    for (const message of messages.map((m) => JSON.parse(m))) {
      if (message.id === undefined) { for (const listener of listeners) listener(message); continue; }
      const {resolve, reject} = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
    }
  });
  child.on("exit", () => { for (const {reject} of waiting.values()) reject(new Error("Chromium has ended")); });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++number, {resolve, reject});
    child.stdio[3].write(JSON.stringify({id: number, method, params, sessionId}) + "\0");
  });
  return {
    async page(url, width, height) {
      const {targetId} = await send("Target.createTarget", {url: "about:blank"});
      const {sessionId} = await send("Target.attachToTarget", {targetId, flatten: true});
      const command = (method, params) => send(method, params, sessionId);
      const page = new Page(command, url, () => send("Target.closeTarget", {targetId}));
      listeners.push((m) => { if (m.sessionId === sessionId) page.heard(m); });
      for (const domain of ["Page", "Runtime", "Network", "Log"]) await command(`${domain}.enable`, {});
      await command("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false});
      await command("Page.navigate", {url});
      return page;
    },
    async close() {
      await send("Browser.close").catch(() => {});
      await new Promise((resolve) => { if (child.exitCode !== null) resolve(); else child.on("exit", resolve); });
      rmSync(profile, {recursive: true, force: true, maxRetries: 5});
    },
  };
}

const keys = {ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35, Enter: 13, Tab: 9};

class Page {
  constructor(command, url, close) { Object.assign(this, {command, url, close, problems: []}); }

  heard({method, params}) {
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.problems.push(`console: ${params.args.map((a) => a.value).join(" ")}`);
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.problems.push(`log: ${params.entry.text}`);
    if (method === "Network.requestWillBeSent" && params.request.url.split("#")[0] !== this.url.split("#")[0])
      this.problems.push(`request: ${params.request.url.slice(0, 100)}`);
  }

  // The value of an expression in the page.
  async value(expression) {
    const {result, exceptionDetails} = await this.command("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }
  // Waits until an expression is true.
  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
      if (await this.value(expression).catch(() => false)) return;
    throw new Error(`not so after ${seconds} s: ${expression}`);
  }
  async type(text) { await this.command("Input.insertText", {text}); }
  async key(key, ctrl = false) {
    const code = keys[key] || key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 && !ctrl ? key : key === "Enter" && !ctrl ? "\r" : undefined;
    const one = {key, code: key.length === 1 ? `Key${key.toUpperCase()}` : key, windowsVirtualKeyCode: code, modifiers: ctrl ? 2 : 0};
    await this.command("Input.dispatchKeyEvent", {type: text ? "keyDown" : "rawKeyDown", text, ...one});
    await this.command("Input.dispatchKeyEvent", {type: "keyUp", ...one});
  }
  async click(selector) {
    const [x, y] = await this.value(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: "nearest"});
      const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.command("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
  }
  async size(width, height) { await this.command("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false}); }
  async picture(file) {
    const {data} = await this.command("Page.captureScreenshot", {format: "png"});
    writeFileSync(file, Buffer.from(data, "base64"));
  }
}
