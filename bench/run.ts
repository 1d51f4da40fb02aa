/** `npm run bench` lists the benchmarks, `npm run bench plan/known plan/random` runs some, `npm run bench all` all of them. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const benches = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `${name}/${file.replace(/\.ts$/, '')}`))
  .sort();

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== 'all' && !benches.includes(name));
if (asked.length === 0 || unknown.length > 0) {
  for (const name of unknown) console.error(`There is no benchmark ${name}.`);
  console.log(`Benchmarks (npm run bench NAME…, or all):\n${benches.map((name) => `  ${name}`).join('\n')}`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
}
if (unknown.length === 0) {
  for (const name of asked.includes('all') ? benches : asked) {
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', join(folder, `${name}.ts`)], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
