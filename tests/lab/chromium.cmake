# SPDX-License-Identifier: BSL-1.0
#
# Pages in a headless Chromium, for scripts that include this: CHROMIUM is the program, false if there is none.
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)

# tried(PAGE SCRIPT [WIDTH,HEIGHT [#HASH]]): the page with a script that calls check(what, ok) and step by step passes.
function(tried page script)
  set(size 1024,800)
  if(ARGC GREATER 2)
    set(size ${ARGV2})
  endif()
  set(hash "")
  if(ARGC GREATER 3)
    set(hash ${ARGV3})
  endif()
  file(READ ${WORK_DIR}/${page}.html html)
  string(REPLACE "<style>" "<script>
const problems = [];
window.addEventListener('error', (e) => problems.push(e.message));
window.addEventListener('unhandledrejection', (e) => problems.push(String(e.reason)));
for (const kind of ['error', 'warn']) console[kind] = (...words) => problems.push(words.join(' '));
</script>
<style>" html "${html}")
  string(REPLACE "</body>" "<pre id='result'></pre>
<script>
const check = (what, ok) => { if (!ok) problems.push(what); };
const equal = (what, a, b) => check(`\${what}: \${JSON.stringify(a)} is not \${JSON.stringify(b)}`, JSON.stringify(a) === JSON.stringify(b));
const shown = () => [...document.querySelectorAll('.pane')];
const click = (id) => document.getElementById(id).click();
const choose = (select, value) => { select.value = value; select.dispatchEvent(new Event('change')); };
let last = () => {};
try {
${script}
} catch (e) { problems.push(String(e)); }
setTimeout(() => {
  last();
  equal('requests', performance.getEntriesByType('resource').map((r) => r.name), []);
  document.getElementById('result').textContent = problems.length === 0 ? 'ALL PASSED' : 'PROBLEM ' + problems.join('\\nPROBLEM ');
}, 1500);
</script>
</body>" html "${html}")
  file(WRITE ${WORK_DIR}/${page}.tried.html "${html}")
  execute_process(COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
    --user-data-dir=${WORK_DIR}/profile --host-resolver-rules=MAP\ *\ ~NOTFOUND --virtual-time-budget=5000 --dump-dom
    --window-size=${size} file://${WORK_DIR}/${page}.tried.html${hash} TIMEOUT 120 RESULT_VARIABLE status OUTPUT_VARIABLE dom ERROR_VARIABLE said)
  if(NOT dom MATCHES "ALL PASSED</pre>")
    string(REGEX MATCHALL "PROBLEM [^\n<]*" problems "${dom}")
    message(FATAL_ERROR "${page}: status ${status}\n${problems}\n${dom}")
  endif()
endfunction()
