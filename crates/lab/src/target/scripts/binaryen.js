// Holds Binaryen as npm has it: `node -e SCRIPT FOLDER`. A line in is
//   {"text": WAT or "binary": HEX, "passes": [NAME…] or null for the default ones, "level": N, "shrink": N}
// and a line out {"binary": HEX}, {"invalid": WHY} or {"threw": MESSAGE, "said": LINES, "in": STAGE}. After
// something was thrown the process ends: the memory of the module may be corrupted.
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

const load = async () => {
  const description = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const main = path.join(folder, description.main || 'index.js');
  const library = description.type === 'module'
    ? (await import(require('url').pathToFileURL(main).href)).default
    : require(main);
  if (library.ready) await library.ready;
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
    const answer = optimised(library, JSON.parse(line));
    answerLine(JSON.stringify(answer) + '\n', () => { if (answer.threw !== undefined) exit(0); });
  });
};
main().catch((error) => {
  process.stderr.write(`${explained({}, error)}\n`, () => exit(1));
});
