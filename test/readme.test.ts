import { access, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the workload in the README is the example that its command plans', async () => {
  const readme = await readFile('README.md', 'utf8');
  const [, ...lines] = (await readFile('examples/media/workload.yaml', 'utf8')).split('\n');
  expect(readme).toContain(`\`\`\`yaml\n${lines.join('\n')}\`\`\``);
});

test('every file that README and docs link to exists', async () => {
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    'docs/architecture.md',
    'docs/guide/plan.md',
    'docs/guide/compare.md',
    'docs/guide/import.md',
    'docs/guide/simulate.md',
    'docs/guide/transition.md',
  ]) {
    const text = await readFile(page, 'utf8');
    const base = new URL(`../${page}`, import.meta.url);
    for (const [, link = ''] of text.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)) {
      const target = new URL(link, base);
      await expect(access(target), `${page} → ${link}`).resolves.toBeUndefined();
    }
  }
});
