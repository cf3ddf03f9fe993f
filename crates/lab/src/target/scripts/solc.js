// Holds solc as npm has it: `node -e SCRIPT FOLDER`. A line in is the input of the compiler in its standard
// JSON; a line out is its output, or {"threw": MESSAGE}. After something was thrown it is
// loaded anew: its memory may be corrupted.
'use strict';
const path = require('path').resolve(process.argv[1], 'node_modules', 'solc');
let solc = null;
const load = () => {
  for (const name of Object.keys(require.cache)) if (name.startsWith(path)) delete require.cache[name];
  solc = require(path);
};
const answer = (line) => {
  try {
    if (!solc) load();
    return solc.compile(line).replace(/[\r\n]+/g, ' ');
  } catch (error) {
    solc = null;
    return JSON.stringify({ threw: String((error && error.message) || error) });
  }
};
process.removeAllListeners('uncaughtException');
require('readline').createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => process.stdout.write(answer(line) + '\n'));
