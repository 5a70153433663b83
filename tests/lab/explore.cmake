# SPDX-License-Identifier: BSL-1.0
#
# The page that `simtflow-lab explore` writes: that it holds everything it needs, and, in a headless Chromium, that a
# person can step, go back, switch policies and compare without an error on the console. Variables: TOOL, KERNELS,
# WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(page ${WORK_DIR}/figure1.html)
execute_process(COMMAND ${TOOL} explore ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json
  --policy pdom,tf,multi-path,tbc,none,tbc:lanes=permuted,likely=loops -o ${page} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${page} html)
foreach(expected IN ITEMS "<!DOCTYPE html>" "default-src 'none'" "<title>figure1, thread block 0 of 1</title>"
    "\"name\":\"tbc:lanes=permuted,likely=loops\"" "data-block=\\\"5\\\"" "function stepsOf" "setp.eq.b32" "</html>")
  string(FIND "${html}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the page holds no ${expected}")
  endif()
endforeach()
string(REPLACE "http://www.w3.org/2000/svg" "" rest "${html}") # the name of the format
if(rest MATCHES "https?://|<link|src=|{{")
  message(FATAL_ERROR "the page needs something from outside, or a part is not filled in: ${CMAKE_MATCH_0}")
endif()
execute_process(COMMAND ${TOOL} explore ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json
  --policy pdom,tf,multi-path,tbc,none,tbc:lanes=permuted,likely=loops OUTPUT_VARIABLE again COMMAND_ERROR_IS_FATAL ANY)
if(NOT again STREQUAL html)
  message(FATAL_ERROR "the same runs make another page")
endif()
# A recording that stops, and several warps with barriers.
execute_process(COMMAND ${TOOL} explore ${KERNELS}/tree_reduction.ptx --launch ${KERNELS}/tree_reduction.launch.json
  --policy pdom,volta,tbc -o ${WORK_DIR}/warps.html COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK_DIR}/warps.html html)
foreach(expected IN ITEMS "\"state\":\"groups and barriers\"" "participants of the barrier here" "waits at the barrier here")
  string(FIND "${html}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the page does not show what volta holds: ${expected}")
  endif()
endforeach()
execute_process(COMMAND ${TOOL} explore ${KERNELS}/mandelbrot.ptx --launch ${KERNELS}/mandelbrot.launch.json --most-events 20
  -o ${WORK_DIR}/short.html ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "pdom: the first 20 events; [0-9]+ more are left out")
  message(FATAL_ERROR "nothing is said of what is left out: ${said}")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/chromium.cmake)
if(NOT CHROMIUM)
  message("skipped: no Chromium to try the page in")
  return()
endif()

tried(figure1 [==[
  const blocks = [[0, 2, 3, 4, 1, 2, 4, 3, 5], [0, 1, 2, 3, 4, 5]];  // the order of the paper's Figure 1
  equal('panes', shown().map((p) => p.querySelector('.policy').value), ['pdom', 'tf']);
  const walk = (id) => {
    const seen = [[], []], slots = [];
    for (let n = 0; n < 100; ++n) {
      shown().forEach((p, i) => {
        if (slot >= panes[i].end) {  // the other one still runs
          equal('over', [p.querySelectorAll('.block.runs').length, p.querySelector('.strip .cursor'), p.dataset.step], [0, null, '']);
          return;
        }
        const all = seen[i], now = [Number(p.dataset.step), Number(p.dataset.block)];
        if (all.length === 0 || all[all.length - 1][0] !== now[0]) all.push(now);
        const lit = [...p.querySelectorAll('.block.runs')].map((g) => Number(g.dataset.block));
        equal('lit', lit, [now[1]]);
        equal('runs in the list', p.querySelector('.standing tr.runs .chip').textContent, data.blocks[now[1]].name);
        equal('runs in the stack', p.querySelector('.state tr.runs .chip').textContent, data.blocks[now[1]].name);
        check('cursor', p.querySelector('.strip .cursor') !== null);
        const waiting = [...p.querySelectorAll('.badge text')].reduce((sum, t) => sum + Number(t.textContent), 0);
        equal('lanes in the graph', waiting, 4);
      });
      slots.push(slot);
      const before = slot;
      click(id);
      if (slot === before) break;
    }
    return [seen, slots];
  };
  const [on, slots] = walk('forward');
  equal('pdom', on[0].map((s) => s[1]), blocks[0]);
  equal('tf', on[1].map((s) => s[1]), blocks[1]);
  const [back, slots_back] = walk('back');
  equal('pdom back', back[0].map((s) => s[1]).reverse(), blocks[0]);
  equal('tf back', back[1].map((s) => s[1]).reverse(), blocks[1]);
  equal('slots back', slots_back.reverse(), slots);

  click('last');
  equal('last', slot, 50);
  equal('nobody stands anywhere', shown()[0].querySelectorAll('.held tr').length, 0);
  check('says that it has finished', shown()[0].querySelector('.now').textContent.includes('finished'));
  click('first');
  equal('first', slot, 0);
  document.getElementById('slot').value = 21;
  document.getElementById('slot').dispatchEvent(new Event('input'));
  equal('slider', [slot, shown()[0].dataset.block], [21, '2']);
  const rows = (p) => [...p.querySelectorAll('.state tr')].map((r) => `${r.querySelector('.chip').textContent.split(' ')[0]} ${r.lastChild.textContent}`);
  equal('stack', rows(shown()[0]), ['BB2 runs, until BB5 $L__BB0_5', 'BB1 until BB5 $L__BB0_5', 'BB5 ']);
  equal('list', rows(shown()[1]), ['BB1 runs', 'BB2 ']);
  equal('edges', [...shown()[0].querySelectorAll('.edge.taken')].map((e) => e.dataset.to), ['3']);
  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
  equal('right arrow', slot, 25);
  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));
  equal('left arrow', slot, 21);

  const [a, b] = shown().map((p) => p.querySelector('.policy'));
  for (const p of data.policies) {
    choose(a, p.name);
    equal('mechanism', shown()[0].querySelector('.mechanism').textContent, p.what);
    go(panes[0].end - 1);
    equal('last block', shown()[0].dataset.block, '5');
    check('ends', shown()[0].querySelector('.now').textContent.includes('; finished'));
    equal('no list', shown()[0].querySelector('.state-name').textContent.includes('does not show'), p.state === '');
    check('address', decodeURIComponent(location.hash).startsWith(`#${p.name}|`));
  }
  // Figures, code, overview, zoom, large type.
  choose(a, 'pdom');
  click('first');
  const figures = () => [...shown()[0].querySelectorAll('.figures b')].map((b) => b.textContent);
  equal('all lanes run', figures().slice(0, 1).concat(figures()[2]), ['1.000', 'none']);
  go(21);
  equal('idle now', figures()[2], '3 masked');
  const issued = panes[0].steps.slice(0, panes[0].at + 1);
  const used = issued.reduce((n, s) => n + s.weight * s.lanes.length, 0), all4 = issued.reduce((n, s) => n + 4 * s.weight, 0);
  equal('so far', figures()[0], (used / all4).toFixed(3));
  const code = [...shown()[0].querySelectorAll('.code li')].map((e) => e.textContent);
  equal('code', [code.length, code[code.length - 1].includes('bra')], [data.blocks[2].code.trim().split('\n').length, true]);
  equal('legend', document.querySelectorAll('#legend span').length, 7);
  check('masked lanes have their sign', shown()[0].querySelector('.strip [data-sign=masked]') !== null);
  const shownSteps = () => shown()[0].querySelectorAll('.strip [data-step]').length;
  const all = shownSteps();
  click('closer'); click('closer');
  check('zoom', shownSteps() < all);
  document.dispatchEvent(new KeyboardEvent('keydown', {key: '-'}));
  document.dispatchEvent(new KeyboardEvent('keydown', {key: '-'}));
  equal('zoom back', shownSteps(), all);
  const overview = shown()[0].querySelector('.overview'), box = overview.getBoundingClientRect();
  overview.setPointerCapture = () => {};
  overview.dispatchEvent(new PointerEvent('pointerdown', {clientX: box.left + box.width / 2, buttons: 1}));
  equal('overview', slot, Math.round(lastSlot() / 2));
  check('overview is drawn', overview.querySelector('canvas').getContext('2d').getImageData(0, 0, 100, 36).data.some((v) => v > 0));
  for (const large of [false, true]) {
    if (large) document.dispatchEvent(new KeyboardEvent('keydown', {key: 'l'}));
    check(`nothing is wider than the page, large ${large}`, document.documentElement.scrollWidth <= window.innerWidth);
    check('the graph fits', shown()[0].querySelector('.graph').scrollWidth <= shown()[0].querySelector('.graph').clientWidth + 1);
  }
  equal('large', [document.body.classList.contains('large'), document.getElementById('large').getAttribute('aria-pressed')], [true, 'true']);
  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'L'}));

  choose(b, '');
  equal('one pane', shown()[1].querySelector('.graph').offsetParent, null);
  equal('which takes the room', shown()[0].offsetWidth > 0.7 * document.body.offsetWidth, true);
  choose(a, 'none');
  click('first');
  click('forward');
  choose(b, 'tbc');
  const before = slot;
  click('play');
  last = () => { check('plays', slot > before); click('play'); };
]==])

tried(warps [==[
  equal('the link names policies, slot and warp', [panes[0].policy.name, panes[1].policy.name, slot, panes[0].warp], ['volta', 'tbc', 100, 3]);
  check('the link stays', decodeURIComponent(location.hash) === '#volta|tbc@100w3');
  let signs = new Set();
  for (let at = 0; at < lastSlot(); at += 32) {
    go(at);
    for (const e of document.querySelectorAll('.strip [data-sign]')) signs.add(e.dataset.sign);
  }
  equal('three signs', [...signs].sort(), ['masked', 'turn', 'waits']);
  check('nothing is wider than the page', document.documentElement.scrollWidth <= window.innerWidth);
  choose(shown()[0].querySelector('.policy'), 'pdom');
  go(0);
  equal('warps', [...document.getElementById('warp').options].length, 8);
  choose(document.getElementById('warp'), '7');
  choose(shown()[1].querySelector('.policy'), 'tbc');
  let barriers = 0, behind = 0, steps = 0;
  for (let before = -1; slot !== before; ++steps) {
    before = slot;
    click('forward');
    behind += shown()[1].querySelector('.standing').textContent.includes('after the barrier') ? 1 : 0;
    barriers += shown()[0].querySelector('.now').textContent.includes('wait at the barrier') ? 1 : 0;
  }
  check('steps', steps > 300);
  check('lanes that wait', behind > 5);
  check('barriers', barriers > 5);
  equal('rows', [panes[0].rows, panes[1].rows], [32, 256]);
]==] 1920,1080 "#volta|tbc@100w3")

tried(short [==[
  click('last');
  check('says that it stops', shown()[0].querySelector('.now').textContent.includes('the recording stops'));
]==])

# Runs that do not finish: after the last step the page shows where their lanes stand and what the policy holds.
execute_process(COMMAND ${TOOL} explore ${KERNELS}/barrier_exception.ptx --launch ${KERNELS}/barrier_exception.launch.json
  --policy pdom,tf,min-pc,multi-path,none,predicate,tbc -o ${WORK_DIR}/deadlock.html ERROR_VARIABLE said)
tried(deadlock [==[
  check('a policy is left out', document.getElementById('remarks').textContent.includes('pdom: thread block 0: barrier deadlock'));
  const stand = (p) => [...p.querySelectorAll('.standing tr')].map((r) => `${r.querySelector('.chip').textContent.split(' ')[0]} ${r.lastChild.textContent}`);
  let deadlocks = 0;
  for (const policy of data.policies) {
    choose(shown()[0].querySelector('.policy'), policy.name);
    choose(shown()[1].querySelector('.policy'), '');
    click('last');
    equal(`${policy.name} is over`, [slot, shown()[0].dataset.step], [panes[0].end, '']);
    if (policy.verdict === 'finished') {
      equal(`${policy.name} ends with nobody`, shown()[0].querySelectorAll('.held tr').length, 0);
      continue;
    }
    ++deadlocks;
    const rows = stand(shown()[0]);
    check(`${policy.name}: who waits: ${rows}`, rows.some((r) => r.endsWith('wait at the barrier that ends it')));
    check(`${policy.name}: who stands: ${rows}`, rows.length > 1);
    equal(`${policy.name}: what it holds`, shown()[0].querySelectorAll('.state tr').length > 0, policy.state !== '');
    check(`${policy.name}: badges`, shown()[0].querySelectorAll('.badge').length === new Set(rows.map((r) => r.split(' ')[0])).size);
    check(`${policy.name}: the end is marked`, shown()[0].querySelector('.strip .bad-end') !== null && shown()[0].querySelector('.strip').textContent.includes(policy.verdict));
    check(`${policy.name}: words`, shown()[0].querySelector('.now').textContent.includes(policy.verdict));
    click('back');
    check(`${policy.name}: a step before the end`, shown()[0].querySelector('.standing tr.runs') !== null);
  }
  check(`deadlocks: ${deadlocks}`, deadlocks > 0);
]==])
