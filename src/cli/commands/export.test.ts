import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { syntheticPlan } from '../../formats/synthetic-plan.fixture.js';
import { runInProcess } from '../io.fixture.js';

describe('inlay export', () => {
  let folder: string;
  let plan: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-export-'));
    plan = join(folder, 'plan.json');
    await writeFile(plan, JSON.stringify(syntheticPlan({ gpus: 3, services: 2 })));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a mig-parted file for nodes of 8 GPUs to stdout', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['export', plan, '--format', 'mig-parted']);
    expect(stdout).toContain('# Nodes of 8 GPUs: 1.');
    expect(stdout).toContain('version: v1\n');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  });

  it('writes to the file that is named', async () => {
    const out = join(folder, 'plan.yaml');
    const { stdout, exitCode } = await runInProcess(['export', plan, '--format', 'mig-parted', '--gpus-per-node', '2', '-o', out]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(await readFile(out, 'utf8')).toContain('# Nodes of 2 GPUs: 2.');
  });

  it('writes CSV', async () => {
    const { stdout, exitCode } = await runInProcess(['export', plan, '--format', 'csv']);
    expect(stdout.split('\r\n')[0]).toMatch(/^gpu,pool,type,profile,start,service,/);
    expect(exitCode).toBe(0);
  });

  it('writes Kubernetes manifests that ask for the slices of the plan', async () => {
    const planned = syntheticPlan({ gpus: 3, services: 2 });
    const templates = join(folder, 'workload.yaml');
    const services = planned.services.map(({ name }, n) => ({
      name: `s${n}`,
      model: 'm',
      rateRps: 1,
      latencyMs: 1,
      port: 8000,
      template: { spec: { containers: [{ name: 'server', image: 'server:1', resources: { limits: { memory: '8Gi' } } }] } },
      planned: name,
    }));
    const rename = new Map(services.map((service) => [service.planned, service.name]));
    const renamed = JSON.parse(JSON.stringify(planned), (key, value) =>
      key === 'service' || key === 'name' ? (rename.get(value) ?? value) : value,
    );
    await writeFile(plan, JSON.stringify(renamed));
    const spec = {
      mode: 'Plan',
      pools: ['a100'],
      performance: [{ configMap: 'x', key: 'y' }],
      services: services.map(({ planned: _name, ...service }) => service),
    };
    await writeFile(
      templates,
      JSON.stringify({ apiVersion: 'inlay.dev/v1alpha1', kind: 'InferenceWorkload', metadata: { name: 'media', namespace: 'team' }, spec }),
    );
    const { stdout, exitCode, stderr } = await runInProcess(['export', plan, '--format', 'kubernetes', '--templates', templates]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
    const asked = new Map<string, number>();
    for (const { kind, spec: own } of manifests) {
      if (kind !== 'Deployment') continue;
      const { limits } = own.template.spec.containers[0].resources;
      expect(limits.memory).toBe('8Gi');
      expect(own.template.spec.schedulingGates).toBeUndefined();
      for (const [name, count] of Object.entries(limits))
        if (name.startsWith('nvidia.com/')) asked.set(name, (asked.get(name) ?? 0) + own.replicas * Number(count));
    }
    const wanted = new Map<string, number>();
    for (const { instances } of planned.gpus) {
      for (const { profile } of instances) {
        const name = profile === 'full' ? 'nvidia.com/gpu' : `nvidia.com/mig-${profile}`;
        wanted.set(name, (wanted.get(name) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(wanted));
    expect(manifests.filter(({ kind }) => kind === 'Service')).toHaveLength(services.length);
  });

  it('keeps pods of two GPU models on nodes of their own model, and says where it cannot', async () => {
    const ofModels = (...types: readonly string[]) => {
      const whole = syntheticPlan({ gpus: 3, services: 1 });
      const [gpu] = whole.gpus;
      const instances = gpu?.instances.map((instance) => ({ ...instance, service: 'tags' }));
      const gpus = types.map((type, index) => ({ ...gpu, id: `${index}`, pool: type.toLowerCase(), type, instances }));
      return JSON.stringify({ ...whole, gpus, services: whole.services.map((service) => ({ ...service, name: 'tags' })) });
    };
    const templates = join(folder, 'workload.yaml');
    const template = { spec: { containers: [{ name: 'server', image: 'server:1' }] } };
    const service = { name: 'tags', model: 'm', rateRps: 1, latencyMs: 1, port: 8000, template };
    const spec = { mode: 'Plan', pools: ['a100'], performance: [{ configMap: 'x', key: 'y' }], services: [service] };
    const metadata = { name: 'media', namespace: 'team' };
    await writeFile(templates, JSON.stringify({ apiVersion: 'inlay.dev/v1alpha1', kind: 'InferenceWorkload', metadata, spec }));
    const write = async (content: string) => {
      await writeFile(plan, content);
      const { stdout, stderr } = await runInProcess(['export', plan, '--format', 'kubernetes', '--templates', templates]);
      expect(stderr).toBe('');
      const deployments = parseAllDocuments(stdout)
        .map((document) => document.toJS())
        .filter(({ kind }) => kind === 'Deployment');
      const productsOf = (affinity: unknown) => JSON.stringify(affinity)?.match(/NVIDIA-[^"]+/g) ?? undefined;
      return {
        remarks: stdout.split('\n').filter((line) => line.startsWith('#')),
        products: new Map(
          deployments.map((one) => [one.metadata.labels['inlay.dev/gpu-model'], productsOf(one.spec.template.spec.affinity)]),
        ),
      };
    };
    const two = await write(ofModels('A100-80GB', 'H100-80GB'));
    expect(two.remarks).toEqual([]);
    expect(two.products.get('A100-80GB')).toContain('NVIDIA-A100-SXM4-80GB');
    expect(two.products.get('H100-80GB')).toContain('NVIDIA-H100-80GB-HBM3');
    expect(two.products.get('A100-80GB')).not.toContain('NVIDIA-H100-80GB-HBM3');
    const one = await write(ofModels('A100-80GB', 'A100-80GB'));
    expect(one).toEqual({ remarks: [], products: new Map([['A100-80GB', undefined]]) });
    const odd = await write(ofModels('A100-80GB', 'X900'));
    expect(odd.products.get('X900')).toBeUndefined();
    expect(odd.remarks).toEqual([expect.stringMatching(/^# No product of X900 is known: .* --gpu-models FILE\.$/)]);
  });

  it('writes routes with the weights of the plan for a workload with a gateway', async () => {
    const planned = syntheticPlan({ gpus: 3, services: 2 });
    const templates = join(folder, 'workload.yaml');
    const names = new Map(planned.services.map(({ name }, n) => [name, `s${n}`]));
    await writeFile(
      plan,
      JSON.stringify(planned, (key, value) => (key === 'service' || key === 'name' ? (names.get(value) ?? value) : value)),
    );
    const services = [...names.values()].map((name) => {
      const template = { spec: { containers: [{ name: 'server', image: 'server:1' }] } };
      return { name, model: 'm', rateRps: 1, latencyMs: 1, port: 8000, template };
    });
    const spec = { mode: 'Plan', pools: ['a100'], performance: [{ configMap: 'x', key: 'y' }], gateway: { name: 'public' }, services };
    const metadata = { name: 'media', namespace: 'team' };
    await writeFile(templates, JSON.stringify({ apiVersion: 'inlay.dev/v1alpha1', kind: 'InferenceWorkload', metadata, spec }));
    const { stdout, stderr } = await runInProcess(['export', plan, '--format', 'kubernetes', '--templates', templates]);
    expect(stderr).toBe('');
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
    for (const [original, name] of names) {
      const own = planned.gpus.flatMap(({ instances }) => instances).filter(({ service }) => service === original);
      const wanted = new Map<string, number>();
      for (const one of own) {
        const key = `${one.profile.replace('+', '.')} ${one.batch} ${one.processes}`;
        wanted.set(key, (wanted.get(key) ?? 0) + one.plannedCapacityRps);
      }
      const sum = [...wanted.values()].reduce((all, rps) => all + rps, 0);
      const route = manifests.find((one) => one.kind === 'HTTPRoute' && one.metadata.name === `media-${name}`);
      expect(route.spec).toMatchObject({ parentRefs: [{ name: 'public', namespace: 'team' }], hostnames: [`${name}.media.team`] });
      const refs = route.spec.rules[0].backendRefs as { name: string; weight: number; port: number }[];
      expect(refs).toHaveLength(wanted.size);
      expect(refs.reduce((all, { weight }) => all + weight, 0)).toBe(10_000);
      for (const ref of refs) {
        const { selector } = manifests.find((one) => one.kind === 'Service' && one.metadata.name === ref.name).spec;
        const key = `${selector['inlay.dev/profile']} ${selector['inlay.dev/batch']} ${selector['inlay.dev/processes']}`;
        expect(Math.abs(ref.weight - ((wanted.get(key) ?? 0) / sum) * 10_000)).toBeLessThan(1);
      }
    }
  });

  it('wraps what it wrote in one JSON document', async () => {
    const out = join(folder, 'plan.csv');
    const written = await runInProcess(['export', plan, '--format', 'csv', '--json', '-o', out]);
    expect(JSON.parse(written.stdout)).toEqual({ format: 'csv', out });
    const printed = await runInProcess(['export', plan, '--format', 'csv', '--json']);
    expect(JSON.parse(printed.stdout)).toEqual({ format: 'csv', text: await readFile(out, 'utf8') });
  });

  it.each([
    [['--format', 'mig-parted', '--gpus-per-node', '0']],
    [['--format', 'csv', '--gpus-per-node', '8']],
    [['--format', 'helm']],
    [[]],
  ])('calls wrong arguments what they are: %j', async (args) => {
    const { stdout, stderr, exitCode } = await runInProcess(['export', plan, ...args]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('USAGE');
  });

  it('names a plan that does not exist', async () => {
    const { stderr, exitCode } = await runInProcess(['export', join(folder, 'none.json'), '--format', 'csv']);
    expect(stderr).toContain('FILE_NOT_FOUND');
    expect(exitCode).toBe(2);
  });
});
