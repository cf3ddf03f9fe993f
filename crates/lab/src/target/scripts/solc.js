// Serves solc from npm: `node -e SCRIPT FOLDER`. A request is a line of solc's standard JSON input; the answer is a
// line of its output, or {"threw": MESSAGE}. After an exception solc is loaded again, because its memory may be
// corrupted. A prelude that measures coverage defines `measured`.
'use strict';
const path = require('path').resolve(process.argv[1], 'node_modules', 'solc');
let solc = null;
const load = () => {
  for (const name of Object.keys(require.cache)) if (name.startsWith(path)) delete require.cache[name];
  solc = require(path);
};
// With this solver, solc encodes and nobody solves. Without an answer it would return all queries: up to 26 MB a contract.
const encode = { smtSolver: () => ({ contents: 'unknown\n' }) };
// Before 0.5, `compile` had another interface.
const compile = (line) => {
  const compile = solc.compileStandardWrapper || solc.compile;
  const answer = line.includes('"smtlib2"') ? compile(line, encode) : compile(line);
  return answer.replace(/[\r\n]+/g, ' ');
};
const answer = (line) => {
  try {
    if (!solc) load();
    return compile(line);
  } catch (error) {
    solc = null;
    return JSON.stringify({ threw: String((error && error.message) || error) });
  }
};
// Tables that solc initialises when they are first needed would be counted for one program only.
const warm = () => {
  if (solc) return;
  load();
  for (const [language, content] of [
    ['Solidity', 'contract C { uint[] a; function f(uint x) public returns (bytes memory) { a.push(x); return abi.encode(a); } }'],
    ['Yul', '{ let x := calldataload(0) if x { mstore(x, add(x, 0)) } sstore(x, 1) }'],
  ]) {
    compile(JSON.stringify({
      language, sources: { a: { content } },
      settings: { optimizer: { enabled: true, details: { yul: true } }, outputSelection: { '*': { '*': ['*'] } } },
    }));
  }
};
process.removeAllListeners('uncaughtException');
require('readline').createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => process.stdout.write((globalThis.measured ? measured(line, warm, answer) : answer(line)) + '\n'));
