// Loads a package and writes the largest WebAssembly module that it compiles to `module.wasm`: `node -e SCRIPT PACKAGE`.
'use strict';
const fs = require('fs');
let most = 0;
const keep = (code) => {
  if (code instanceof WebAssembly.Module) return;
  const bytes = Buffer.from(code.buffer || code, code.byteOffset || 0, code.byteLength);
  if (bytes.length > most) fs.writeFileSync('module.wasm', bytes);
  most = Math.max(most, bytes.length);
};
const { Module, compile, instantiate } = WebAssembly;
WebAssembly.Module = new Proxy(Module, { construct: (made, [code]) => { keep(code); return new made(code); } });
WebAssembly.compile = (code) => { keep(code); return compile(code); };
WebAssembly.instantiate = (code, imports) => { keep(code); return instantiate(code, imports); };
require(process.argv[1]);
