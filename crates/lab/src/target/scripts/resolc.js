// Holds resolc as npm has it, with the solc beside it: `node -e SCRIPT FOLDER`. A line in is the input of the
// compiler in its standard JSON; a line out is its output, or {"threw": MESSAGE}. Its own wrapper compiles
// 44 MB of wasm for every call: here that is done once, and each call has an instance of its own.
'use strict';
const fs = require('fs');
const path = require('path');
const modules = path.resolve(process.argv[1], 'node_modules');
const home = path.join(modules, '@parity', 'resolc', 'dist', 'resolc');
const load = (name) => { const it = require(name); return it.default || it; };
// Every call that may throw, and solc is made of them, looks its function up in the table of the module: a fifth
// of the time. Once the module runs, nothing is written into it but by these two.
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
// It must be ready when the call returns, and what emscripten offers for modules that are compiled already
// is asynchronous: so it is the constructor that knows the module.
const instance = () => {
  const constructor = WebAssembly.Module;
  try {
    WebAssembly.Module = function () { return wasm; };
    return factory({ wasmBinary: new Uint8Array(0) });
  } finally {
    WebAssembly.Module = constructor;
  }
};
// It tells all that it has, a hundred times as much as is asked for.
const read = ({ contracts, ...rest }) => {
  const { sources, ...said } = rest;
  for (const file of Object.values(contracts || {})) {
    for (const [name, { evm }] of Object.entries(file)) {
      const { bytecode, methodIdentifiers } = evm || {};
      file[name] = { evm: { bytecode: bytecode && { object: bytecode.object }, methodIdentifiers } };
    }
  }
  return { ...said, contracts };
};
// What solc makes of a source, nearly half of the work, is the same for all levels of LLVM, which come one after
// another. In which order it is asked for its outputs is left to chance, and makes no difference.
const before = { key: null, made: null };
let solc_runs = false;
const solc = (...how) => (input, ...rest) => {
  const { settings: { outputSelection, ...settings }, ...asked } = JSON.parse(input);
  const key = JSON.stringify([asked, settings, rest]);
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
    // Each call has an instance of its own of what comes after solc.
    if (solc_runs) factory = null;
    solc_runs = false;
    return JSON.stringify({ threw: String((error && error.message) || error) });
  }
};
require('readline').createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => process.stdout.write(answer(line) + '\n'));
