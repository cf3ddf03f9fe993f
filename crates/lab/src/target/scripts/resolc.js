// Serves resolc from npm, with the solc beside it: `node -e SCRIPT FOLDER`. A request is a line of standard JSON input;
// the answer is a line of output, or {"threw": MESSAGE}. resolc's own wrapper compiles 44 MB of wasm for every call;
// here that is done once, and each call gets a new instance.
'use strict';
const fs = require('fs');
const path = require('path');
const modules = path.resolve(process.argv[1], 'node_modules');
const home = path.join(modules, '@parity', 'resolc', 'dist', 'resolc');
const load = (name) => { const it = require(name); return it.default || it; };
// Every call in solc that may throw looks up its function in the module's table, which takes a fifth of the time. The
// cache is invalidated by `set` and `grow`, the only functions that change the table of a running module.
const { get, set, grow } = WebAssembly.Table.prototype;
Object.assign(WebAssembly.Table.prototype, {
  get(at) {
    const known = this.known || (this.known = new Array(this.length).fill(null));
    return known[at] || (known[at] = get.call(this, at));
  },
  set(...all) { this.known = null; return set.apply(this, all); },
  grow(...all) { this.known = null; return grow.apply(this, all); },
});
let wasm = null, factory = null, soljson = null;
const start = () => {
  wasm = wasm || new WebAssembly.Module(fs.readFileSync(path.join(home, 'resolc.wasm')));
  for (const name of Object.keys(require.cache)) if (name.startsWith(modules)) delete require.cache[name];
  soljson = require(path.join(modules, 'solc', 'soljson'));
  factory = load(path.join(home, 'resolc'));
};
// The instance must be ready when this returns, but emscripten's interface for compiled modules is asynchronous. So
// the constructor is replaced by one that returns the compiled module.
const instance = () => {
  const constructor = WebAssembly.Module;
  try {
    WebAssembly.Module = function () { return wasm; };
    return factory({ wasmBinary: new Uint8Array(0) });
  } finally {
    WebAssembly.Module = constructor;
  }
};
// resolc ignores the output selection and returns about a hundred times as much as was requested.
const read = ({ contracts, ...rest }) => {
  const { sources, ...kept } = rest;
  for (const file of Object.values(contracts || {})) {
    for (const [name, { evm }] of Object.entries(file)) {
      const { bytecode, methodIdentifiers } = evm || {};
      file[name] = { evm: { bytecode: bytecode && { object: bytecode.object }, methodIdentifiers } };
    }
  }
  return { ...kept, contracts };
};
// solc's output, nearly half of the work, is the same for all levels of LLVM, which are requested one after another. The
// order of the output selection is random and has no effect, so it is not part of the key.
const before = { key: null, made: null };
let solc_runs = false;
const solc = (...how) => (input, ...rest) => {
  const { settings: { outputSelection, ...settings }, ...request } = JSON.parse(input);
  const key = JSON.stringify([request, settings, rest]);
  if (before.key !== key) {
    before.key = null;
    solc_runs = true;
    before.made = soljson.cwrap('solidity_compile', ...how)(input, ...rest);
    solc_runs = false;
    before.key = key;
  }
  return before.made;
};
const answer = (line) => {
  try {
    if (!factory) start();
    const compiler = instance();
    compiler.soljson = { cwrap: (name, ...how) => name === 'solidity_compile' ? solc(...how) : soljson.cwrap(name, ...how) };
    compiler.writeToStdin(line);
    compiler.callMain(['--standard-json']);
    const error = compiler.readFromStderr();
    if (error) return JSON.stringify({ threw: error });
    return JSON.stringify(read(JSON.parse(compiler.readFromStdout())));
  } catch (error) {
    // Only solc's instance is shared between calls, so only a crash in solc requires a new start.
    if (solc_runs) factory = null;
    solc_runs = false;
    return JSON.stringify({ threw: String((error && error.message) || error) });
  }
};
require('readline').createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => process.stdout.write(answer(line) + '\n'));
