import { describe, expect, test } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { problemLines, problemsOf } from '../problem-lines.fixture.js';
import { readDcgm } from './dcgm.js';
import { useImports } from './import.fixture.js';

const { write, importTexts } = useImports();

// Synthetic numbers throughout.
const series = (name: string, value: number | string, changes: Readonly<Record<string, string>> = {}) => {
  const labels = {
    gpu: '0',
    UUID: 'GPU-1f2e3d4c-0000-1111-2222-333344445555',
    pci_bus_id: '00000000:3B:00.0',
    device: 'nvidia0',
    modelName: 'NVIDIA H100 NVL',
    GPU_I_PROFILE: '1g.12gb',
    GPU_I_ID: '5',
    hostname: 'n1',
    container: 'srv',
    namespace: 'ml',
    pod: 'bert-6c9-x2x',
    ...changes,
  };
  const written = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
  return `${name}{${written.join(',')}} ${value}`;
};
const read = async (...lines: readonly string[]) => readDcgm(await write({ 'd.txt': lines.join('\n') }), builtInCatalogue);
const faults = async (text: string) => {
  const files = await write({ 'd.txt': text });
  return problemLines(await problemsOf(() => readDcgm(files, builtInCatalogue))).replace(/^\d+-/, '');
};

describe('metrics of the DCGM exporter', () => {
  test('are joined by GPU instance id, the largest value of each', async () => {
    const { instances, notes } = await read(
      '# HELP DCGM_FI_PROF_DRAM_ACTIVE Ratio of cycles',
      series('DCGM_FI_PROF_DRAM_ACTIVE', 0.412),
      series('DCGM_FI_DEV_FB_USED', 4096),
      series('DCGM_FI_DEV_FB_USED', 5120),
      series('DCGM_FI_DEV_FB_USED', 1024, { GPU_I_ID: '6', pod: 'other' }),
      series('DCGM_FI_DEV_GPU_TEMP', 61),
    );
    expect(notes).toEqual([]);
    expect(instances).toMatchObject([
      { gpu: 'H100-94GB', profile: '1g.12gb', instanceId: '5', pod: 'bert-6c9-x2x', memoryGiB: 5, dramActive: 0.412 },
      { instanceId: '6', pod: 'other', memoryGiB: 1 },
    ]);
  });

  test('match profile names of other drivers by slices, with a note', async () => {
    const { instances, notes } = await read(series('DCGM_FI_DEV_FB_USED', 1024, { GPU_I_PROFILE: '1g.11gb' }));
    expect(instances).toMatchObject([{ profile: '1g.12gb' }]);
    expect(notes).toMatchObject([{ code: 'PROFILE_NAME_DRIFT', message: '1g.11gb is taken for 1g.12gb of H100-94GB.', line: 1 }]);
  });

  test('without a pod are listed and told, blanks are unknown, and names that nobody knows stay as written', async () => {
    const { instances, notes } = await read(
      series('DCGM_FI_DEV_FB_USED', 2048, { pod: '' }),
      series('DCGM_FI_PROF_SM_ACTIVE', '9223372036854775794', { pod: '' }),
      series('DCGM_FI_DEV_FB_USED', 2048, { modelName: 'NVIDIA Z9' }),
      series('DCGM_FI_DEV_FB_USED', 2048, { GPU_I_PROFILE: '9g.9gb', GPU_I_ID: '9' }),
    );
    expect(instances).toHaveLength(3);
    expect(instances[0]).not.toHaveProperty('smActive');
    expect(instances[1]).toMatchObject({ gpu: 'NVIDIA Z9', profile: '1g.12gb', memoryGiB: 2 });
    expect(notes.map((note) => note.code)).toEqual(['UNKNOWN_GPU', 'UNKNOWN_PROFILE', 'PART_LEFT_OUT']);
  });

  test('that Prometheus collected name the pod that ran there, not that of the exporter', async () => {
    const exported = { pod: 'dcgm-exporter-x1', exported_pod: 'bert-1', namespace: 'gpu', exported_namespace: 'ml' };
    expect((await read(series('DCGM_FI_DEV_FB_USED', 2048, exported))).instances).toMatchObject([{ pod: 'bert-1', namespace: 'ml' }]);
  });

  test('that are not there are asked for', async () => {
    const expected = /^d.txt:1:1 NO_ROWS expected DCGM_FI_DEV_FB_USED/;
    for (const text of ['', '# HELP x y\n', 'go_threads 5\n']) expect(await faults(text)).toMatch(expected);
  });

  test('in another form are refused with line and column', async () => {
    expect(await faults(`${series('DCGM_FI_DEV_FB_USED', 1)}\nDCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1`)).toMatchInlineSnapshot(
      `"d.txt:2:29 SYNTAX expected a label such as gpu="0" received "UUID=\\"GPU-1""`,
    );
    expect(await faults('DCGM_FI_DEV_FB_USED{gpu="0"} lots')).toMatchInlineSnapshot(
      `"d.txt:1:29 SYNTAX expected a number received " lots""`,
    );
    expect(await faults('{"json": true}')).toMatchInlineSnapshot(
      `"d.txt:1:1 SYNTAX expected the name of a metric received "{\\"json\\": true}""`,
    );
  });

  test('bring GPU model, profile and memory to a measurement', async () => {
    const metrics = [series('DCGM_FI_DEV_FB_USED', 4096), series('DCGM_FI_DEV_FB_USED', 1, { GPU_I_ID: '6', pod: 'other' })];
    const [dcgm] = await write({ 'd.txt': metrics.join('\n') });
    const sweep = { 's.csv': 'Concurrency,Inferences/Second,p99 latency\n4,512,8731\n' };
    const given = { model: 'm', batch: 4, processes: 2 };
    const { rows } = await importTexts({ format: 'perf-analyzer', given, dcgm, pod: 'ml/bert-6c9-x2x' }, sweep);
    expect(rows).toMatchObject([{ gpu: 'H100-94GB', profile: '1g.12gb', memoryGiB: 2 }]);
    const asked = { format: 'perf-analyzer', given: { ...given, gpu: 'A100-80GB', profile: '2g.24gb' }, dcgm, pod: 'other' } as const;
    expect(problemLines(await problemsOf(() => importTexts(asked, sweep)))).toMatchInlineSnapshot(`
      "11-d.txt:2:1 CONTRADICTING_SETTING expected H100-94GB received A100-80GB
      11-d.txt:2:1 CONTRADICTING_SETTING expected 1g.12gb received 2g.24gb"
    `);
    const same = { ...asked, given: { ...given, gpu: 'H100 NVL', profile: '1g.11gb' } };
    expect((await importTexts(same, sweep)).rows).toMatchObject([{ gpu: 'H100-94GB', profile: '1g.12gb' }]);
    const problems = await problemsOf(() => importTexts({ format: 'perf-analyzer', given, dcgm }, sweep));
    expect(problems).toMatchObject([{ code: 'MISSING_SETTING', received: '2; pods: bert-6c9-x2x, other' }]);
  });
});
