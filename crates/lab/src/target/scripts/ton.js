// Holds a compiler of TON and its machine as npm has them: `node -e SCRIPT FOLDER tolk` or `… func`. A line in is
//   {"source": TEXT, "level": N, "calls": [[NAME, NUMBER…]…]}
// and a line out {"answers": [{"value": NUMBER} or {"exit": CODE} or {"lost": WHY}…]}, {"refused": MESSAGE} where
// the compiler complains, or {"threw": MESSAGE} where it fails.
'use strict';
const path = require('path');
const [, folder, family] = process.argv;
const load = (name) => require(require.resolve(name, { paths: [path.resolve(folder)] }));
const answerLine = process.stdout.write.bind(process.stdout);
// Only answers are printed.
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {};

// Both packages make a new instance of their module for every compile. That is as it should be, but the
// machine code is the same each time.
const compiled = [];
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (code, imports) => {
  if (code instanceof WebAssembly.Module) return instantiate(code, imports);
  const bytes = Buffer.from(code.buffer || code, code.byteOffset || 0, code.byteLength);
  let known = compiled.find((it) => it.bytes.equals(bytes));
  if (!known) compiled.push(known = { bytes, module: await WebAssembly.compile(bytes) });
  return { module: known.module, instance: await instantiate(known.module, imports) };
};

const compile = {
  tolk: (source, level) => load('@ton/tolk-js').runTolkCompiler({
    entrypointFileName: 'judged.tolk', fsReadCallback: () => source, optimizationLevel: level,
  }),
  func: (source, level) => load('@ton-community/func-js').compileFunc({
    // What to begin with has another name before 0.3.
    targets: ['judged.fc'], entryPoints: ['judged.fc'], sources: { 'judged.fc': source }, optLevel: level,
  }),
}[family];

// The id of a get method is the CRC-16 of its name.
const methodId = (name) => {
  let crc = 0;
  for (const byte of Buffer.from(name)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc | 0x10000;
};

// `runGetMethod` of the sandbox reads the whole configuration of the network at every call, which takes ten
// times as long as the call. The version of the machine is all of it that is needed here.
const VERSION = 8;
let machine = null;
const start = async () => {
  const { Executor, defaultConfig } = load('@ton/sandbox');
  const { Cell, Dictionary, beginCell } = load('@ton/core');
  const kinds = [Dictionary.Keys.Int(32), Dictionary.Values.Cell()];
  const all = Cell.fromBase64(defaultConfig).beginParse().loadDictDirect(...kinds);
  const few = Dictionary.empty(...kinds).set(VERSION, all.get(VERSION));
  const config = beginCell().storeDictDirect(few).endCell().toBoc().toString('base64');
  return { executor: await Executor.create(), config };
};
const call = (code, [name, ...numbers]) => {
  const { Cell, parseTuple, serializeTuple } = load('@ton/core');
  const { executor, config } = machine;
  const zeros = '0'.repeat(64);
  const setup = JSON.stringify({
    code, data: Cell.EMPTY.toBoc().toString('base64'), verbosity: 0, libs: '', address: `0:${zeros}`,
    unixtime: 1700000000, balance: '1000000000', rand_seed: zeros, gas_limit: '100000000',
    method_id: methodId(name), debug_enabled: false,
  });
  const stack = serializeTuple(numbers.map((number) => ({ type: 'int', value: BigInt(number) })));
  const inputs = [setup, stack.toBoc().toString('base64'), config];
  const { output, fail, message } = JSON.parse(executor.extractString(executor.invoke('_run_get_method', inputs)));
  if (fail || !output || !output.success) return { lost: String(message || (output && output.error) || 'no output') };
  if (output.vm_exit_code !== 0 && output.vm_exit_code !== 1) return { exit: output.vm_exit_code };
  const left = parseTuple(Cell.fromBase64(output.stack));
  if (left.length !== 1) return { exit: `0 with ${left.length} values` };
  if (left[0].type === 'int') return { value: String(left[0].value) };
  return { exit: `0 with ${left[0].type === 'nan' ? 'NaN' : `a ${left[0].type}`}` };
};
const answer = async ({ source, level, calls }) => {
  let result;
  try {
    result = await compile(source, level);
  } catch (error) {
    return { threw: String((error && error.message) || error) };
  }
  if (result.status === 'error') return { refused: String(result.message) };
  const code = result.codeBoc64 || result.codeBoc;
  if (!machine) machine = await start();
  const each = (given) => {
    try { return call(code, given); } catch (error) { return { lost: String((error && error.message) || error) }; }
  };
  return { answers: calls.map(each) };
};
let last = Promise.resolve();
require('readline').createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  last = last.then(async () => answerLine(`${JSON.stringify(await answer(JSON.parse(line)))}\n`));
  last.catch((error) => { process.stderr.write(`${error.stack}\n`); process.exit(1); });
});
