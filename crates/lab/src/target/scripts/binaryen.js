// Holds Binaryen as npm has it: `node -e SCRIPT FOLDER`. A line in is
//   {"text": WAT or "binary": HEX, "passes": [NAME…] or null for the default ones, "level": N, "shrink": N}
// and a line out {"binary": HEX}, {"invalid": WHY} or {"threw": MESSAGE, "said": LINES, "in": STAGE},
// each with {"overflow": true} if the module's stack was too small. After something was thrown the process ends: the
// memory of the module may be corrupted.
'use strict';
const path = require('path');
const fs = require('fs');
const folder = path.resolve(process.argv[1], 'node_modules', 'binaryen');
const answerLine = process.stdout.write.bind(process.stdout);
const exit = process.exit.bind(process);
// What it says belongs to the answer, and so does that it wants to end the process.
let said = [];
const listen = (...words) => said.push(words.join(' '));
for (const name of ['log', 'info', 'warn', 'error']) console[name] = listen;
process.exit = (code) => { throw new Error(`it ended the process with ${code}`); };

// A module has no guard page: a stack overflow overwrites the module's globals, with effects that differ from run to
// run. So the module gets a stack of the same size elsewhere, above a guard of known bytes. A changed
// guard means an overflow, and nothing else is overwritten.
const GUARD = 1 << 20, BYTE = 0xa5;
// The sizes that Emscripten gives a stack, and the most that lies between the initialised globals and the stack. Where
// the stack has another size, it stays where it is.
const SIZES = [64 << 10, 5 << 20], ZEROED = 32 << 10;
let guard = null;
const known = Buffer.alloc(GUARD, BYTE);

// The module with its stack pointer, which is its first global, exported as `stack`, and where that begins and the
// initialised globals end.
const patched = (code) => {
  let at = 8, pointer = null, data = 0, place = null;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = code[at++];
      value += (byte & 127) * 2 ** shift;
      if (!(byte > 127)) return value;
    }
  };
  while (at < code.length) {
    const begin = at, id = code[at++], size = number(), end = at + size;
    if (id === 6) {
      number();
      // A mutable i32 that begins as a constant. A pointer is positive, so that its last bit is no sign.
      if (code[at] === 0x7f && code[at + 1] === 1 && code[at + 2] === 0x41) { at += 3; pointer = number(); }
    } else if (id === 7) {
      const count = number();
      place = { begin, end, count, entries: at };
    } else if (id === 11) {
      for (let left = number(); left > 0; left--) {
        const active = number() === 0;
        if (active && code[at++] !== 0x41) return null;
        const from = active ? number() : 0;
        if (active) at++;
        const length = number();
        at += length;
        if (active) data = Math.max(data, from + length);
      }
    }
    at = end;
  }
  if (!pointer || !place) return null;
  const leb = (value) => {
    const bytes = [];
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return Buffer.from([...bytes, value]);
  };
  const entry = Buffer.from([5, ...Buffer.from('stack'), 3, 0]);
  const body = Buffer.concat([leb(place.count + 1), entry, code.subarray(place.entries, place.end)]);
  const parts = [code.subarray(0, place.begin), Buffer.from([7]), leb(body.length), body, code.subarray(place.end)];
  return { code: Buffer.concat(parts), pointer, data };
};
let loaded = null;
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (code, imports) => {
  if (code instanceof WebAssembly.Module) return instantiate(code, imports);
  const made = patched(Buffer.from(code.buffer || code, code.byteOffset || 0, code.byteLength));
  if (!made) return instantiate(code, imports);
  const result = await instantiate(made.code, imports);
  loaded = { ...made, exports: result.instance.exports };
  return result;
};
const moveStack = (library) => {
  const { pointer, data, exports } = loaded || {};
  const size = SIZES.find((size) => pointer - data >= size && pointer - data < size + ZEROED);
  if (!size || !library._malloc || exports.stack.value !== pointer) return;
  const memory = Object.values(exports).find((it) => it instanceof WebAssembly.Memory);
  const from = Math.ceil(library._malloc(GUARD + size + 16) / 16) * 16;
  if (!memory || !from) return;
  exports.stack.value = from + GUARD + size;
  guard = { memory, from };
  watch();
};
const guarded = () => Buffer.from(guard.memory.buffer, guard.from, GUARD);
const watch = () => { if (guard) guarded().fill(BYTE); };
const overflowed = () => guard !== null && !guarded().equals(known);

const load = async () => {
  const description = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const main = path.join(folder, description.main || 'index.js');
  const library = description.type === 'module'
    ? (await import(require('url').pathToFileURL(main).href)).default
    : require(main);
  if (library.ready) await library.ready;
  moveStack(library);
  return library;
};
const explained = (library, error) => {
  let words = error && error.message;
  // An exception of C++ has to be asked for its message.
  if (!words && library.getExceptionMessage) {
    try { words = [].concat(library.getExceptionMessage(error)).join(': '); } catch (_) { /* it has none */ }
  }
  return String(words || error).slice(0, 2000);
};
const optimised = (library, request) => {
  said = [];
  let stage = 'read';
  try {
    const binary = request.binary && new Uint8Array(Buffer.from(request.binary, 'hex'));
    const module = binary ? library.readBinary(binary) : library.parseText(request.text);
    module.setFeatures(library.Features.MVP | library.Features.SignExt);
    stage = 'validate';
    if (!module.validate()) return { invalid: said.join('\n').slice(0, 4000) };
    stage = 'optimise';
    library.setOptimizeLevel(request.level);
    library.setShrinkLevel(request.shrink);
    if (request.passes === null) module.optimize(); else module.runPasses(request.passes);
    stage = 'emit';
    const emitted = module.emitBinary();
    module.dispose();
    return { binary: Buffer.from(emitted).toString('hex') };
  } catch (error) {
    return { threw: explained(library, error), said: said.join('\n').slice(0, 4000), in: stage };
  }
};
const main = async () => {
  const library = await load();
  require('readline').createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
    let answer = optimised(library, JSON.parse(line));
    if (overflowed()) {
      answer = { ...answer, overflow: true };
      watch();
    }
    answerLine(JSON.stringify(answer) + '\n', () => { if (answer.threw !== undefined) exit(0); });
  });
};
main().catch((error) => {
  process.stderr.write(`${explained({}, error)}\n`, () => exit(1));
});
