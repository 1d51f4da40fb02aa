import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawPlan } from '../src/formats/svg/draw-plan.js';
import { drawTransition } from '../src/formats/svg/draw-transition.js';
import { a100Pool, syntheticPlan, t4Pool } from '../src/formats/synthetic-plan.fixture.js';
import { builtInCatalogue } from '../src/gpu/catalogue.js';
import { makeScenario } from '../src/verify/transition/transition.fixture.js';
import { aGpuModel, aService } from '../src/verify/workload.fixture.js';
import { findBrowser } from '../tools/find-browser.js';

const executablePath = findBrowser();
const isMissing = executablePath === undefined && process.env['CI'] !== 'true';
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const longName = `A very long name, with <markup> & ${'W'.repeat(200)}`;
const busy = syntheticPlan({ services: 30, gpus: 40, pools: [a100Pool, t4Pool] });
const plans = {
  'three GPUs': syntheticPlan({ services: 3, gpus: 3 }),
  'two pools': busy,
  '300 GPUs': syntheticPlan({ services: 60, gpus: 300 }),
  'long names': {
    ...busy,
    metadata: { ...busy.metadata, name: longName },
    services: busy.services.map((service) => ({ ...service, name: `${service.name} ${longName}`, rateRps: 1e9 })),
    gpus: busy.gpus.map((gpu) => ({
      ...gpu,
      id: `${gpu.id} ${longName}`,
      pool: `${gpu.pool} ${longName}`,
      instances: gpu.instances.map((instance) => ({ ...instance, service: `${instance.service} ${longName}` })),
    })),
  },
};

const pictures: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, drawPlan(plan, builtInCatalogue.models)])),
  ...Object.fromEntries(
    (['instance', 'gpu-wipe', 'node'] as const).map((backend) => [`a transition by ${backend}`, drawScenario(backend, 'api')]),
  ),
  'a transition of long names': drawScenario('instance', longName),
};

function drawScenario(backend: 'instance' | 'gpu-wipe' | 'node', name: string): string {
  const before = [0, 1, 2, 3].map((index) => aService({ name: `${name} ${index}`, rateRps: 2000 * (index + 1) }));
  const after = [...before.slice(1), aService({ name: `${name} late`, rateRps: 1e6 })].map((service) => ({
    ...service,
    rateRps: service.rateRps / 2,
  }));
  const { state, transition } = makeScenario({ before, after, backend, keepEvery: 3, detour: true });
  return drawTransition(state, transition, [aGpuModel()]);
}

describe.skipIf(isMissing)(`pictures in a browser${isMissing ? ` (skipped: no Chromium was found)` : ''}`, () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
    page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    await page.addInitScript({ path: fileURLToPath(new URL('./svg-render.page.js', import.meta.url)) });
    await page.goto('about:blank');
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.each(Object.entries(pictures))('draws %s with every part inside the picture and every text inside its box', async (_, svg) => {
    await page.setContent(`<!doctype html><body style="margin:0">${svg}</body>`);
    const outside = await page.evaluate('findPartsOutside()');
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each(Object.entries(pictures))('is well-formed XML for %s, with a title, a description and no doubled id', async (_, svg) => {
    const facts = await page.evaluate(`readFacts(${JSON.stringify(svg)})`);
    expect(facts).toEqual({ error: null, role: 'img', labels: [true, true], doubledIds: [], missing: [] });
  });
});
