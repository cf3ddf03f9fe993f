// Runs before the script of a host whose coverage is measured. Replaces the compiler's WebAssembly module by the
// instrumented one, and defines `measured`, with which the script answers its requests. A request is
// {"known": [BLOCK…], "request": REQUEST}, an answer {"blocks": [BLOCK…], "answer": ANSWER}: the blocks that this request
// reached and that were not known before or with it.
'use strict';
{
  const fs = require('fs');
  const { module: file, size, blocks, first, pages } = JSON.parse(process.env.MISTRUST_COVERAGE);
  const { Module, Instance, Memory, compile, instantiate } = WebAssembly;
  const replaced = (code) => (code.byteLength === size ? fs.readFileSync(file) : code);
  // The memory of the newest instance: a compiler that crashed is loaded again.
  let memory = null;
  const watched = (instance) => {
    memory = instance.exports.mistrust_memory || memory;
    return instance;
  };
  // The flags of known blocks are always set, so that mostly nothing changes, which is seen fastest.
  const known = Buffer.alloc(blocks);
  const flags = () => Buffer.from(memory.buffer, first, blocks);

  // A module that imports its memory gets one that has room for the flags.
  const roomy = ({ initial, maximum, ...rest }) => ({
    initial: Math.max(initial, pages), ...(maximum && { maximum: Math.max(maximum, pages) }), ...rest,
  });
  WebAssembly.Memory = new Proxy(Memory, { construct: (made, [type]) => new made(roomy(type)) });
  WebAssembly.Module = new Proxy(Module, { construct: (made, [code]) => new made(replaced(code)) });
  WebAssembly.Instance = new Proxy(Instance, { construct: (made, words) => watched(new made(...words)) });
  WebAssembly.compile = (code) => compile(replaced(code));
  WebAssembly.instantiate = async (code, imports) => {
    if (code instanceof Module) return watched(await instantiate(code, imports));
    const result = await instantiate(replaced(code), imports);
    watched(result.instance);
    return result;
  };

  const reached = () => {
    const found = [], now = flags();
    for (let from = 0; from < blocks; from += 4096) {
      const to = Math.min(from + 4096, blocks);
      if (now.compare(known, from, to, from, to) === 0) continue;
      for (let block = from; block < to; block++) if (now[block] !== known[block]) found.push(block);
    }
    return found;
  };
  // A request is mostly passed on as it came, without being parsed.
  const UNCHANGED = '{"known":[],"request":';
  // The memory whose flags are those of the known blocks.
  let clean = null;
  // What loading the compiler reaches belongs to no request: `load` loads it if necessary.
  globalThis.measured = (line, load, answer) => {
    const isParsed = !line.startsWith(UNCHANGED);
    const { known: news, request } = isParsed ? JSON.parse(line) : { known: [] };
    for (const block of news) known[block] = 1;
    load();
    if (isParsed || clean !== memory) flags().set(known);
    const text = answer(isParsed ? JSON.stringify(request) : line.slice(UNCHANGED.length, -1));
    const blocks = reached();
    clean = blocks.length === 0 ? memory : null;
    return `{"blocks":${JSON.stringify(blocks)},"answer":${text}}`;
  };
}
