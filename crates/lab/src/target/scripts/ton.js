// Serves a TON compiler and TON's virtual machine from npm: `node -e SCRIPT FOLDER tolk` or `… func`. A request is
//   {"source": TEXT, "level": N, "calls": [[NAME, NUMBER…]…]}
// and an answer {"answers": [{"value": NUMBER} or {"exit": CODE} or {"unobserved": WHY}…]}, {"rejected": MESSAGE} for
// a compile error, or {"threw": MESSAGE} for a crash.
'use strict';
const path = require('path');
const [, folder, family] = process.argv;
const load = (name) => require(require.resolve(name, { paths: [path.resolve(folder)] }));
const answerLine = process.stdout.write.bind(process.stdout);
// Only answers are printed.
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {};

// Both packages create a new instance of their wasm module for every compilation. The module itself never changes,
// so it is compiled once.
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
    // Before 0.3, `targets` was called `entryPoints`.
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

// `runGetMethod` of the sandbox parses the whole network configuration in every call, which takes ten times as long
// as the call. Only the version of the virtual machine is needed.
const VERSION = 8;
let vm = null;
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
  const { executor, config } = vm;
  const zeros = '0'.repeat(64);
  const setup = JSON.stringify({
    code, data: Cell.EMPTY.toBoc().toString('base64'), verbosity: 0, libs: '', address: `0:${zeros}`,
    unixtime: 1700000000, balance: '1000000000', rand_seed: zeros, gas_limit: '100000000',
    method_id: methodId(name), debug_enabled: false,
  });
  const stack = serializeTuple(numbers.map((number) => ({ type: 'int', value: BigInt(number) })));
  const inputs = [setup, stack.toBoc().toString('base64'), config];
  const { output, fail, message } = JSON.parse(executor.extractString(executor.invoke('_run_get_method', inputs)));
  if (fail || !output || !output.success) return { unobserved: String(message || (output && output.error) || 'no output') };
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
  if (result.status === 'error') return { rejected: String(result.message) };
  const code = result.codeBoc64 || result.codeBoc;
  if (!vm) vm = await start();
  const each = (given) => {
    try { return call(code, given); } catch (error) { return { unobserved: String((error && error.message) || error) }; }
  };
  return { answers: calls.map(each) };
};
let last = Promise.resolve();
require('readline').createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  last = last.then(async () => answerLine(`${JSON.stringify(await answer(JSON.parse(line)))}\n`));
  last.catch((error) => { process.stderr.write(`${error.stack}\n`); process.exit(1); });
});
