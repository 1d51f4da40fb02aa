import { describe, expect, it } from 'vitest';
import { modelOf } from './hardware.js';
import { cutsOf, readMigConfigs, standardConfigs } from './mig-config.js';
import { cutAll, migModels } from './some-cuts.fixture.js';

describe('the configs of mig-manager', () => {
  it('are, by themselves, legal on every GPU model', () => {
    for (const model of migModels) {
      for (const [name, config] of Object.entries(standardConfigs(model))) {
        const { refused } = cutAll(
          model.name,
          cutsOf(config, 2, model).map((cut) => cut ?? null),
        );
        expect(`${model.name} ${name} ${refused}`).toBe(`${model.name} ${name} false,false`);
      }
    }
  });

  it('name GPUs by index or all of them, only on the devices that they are filtered for', () => {
    const a100 = modelOf({ model: 'A100-80GB' });
    const file = readMigConfigs(`version: v1
mig-configs:
  some:
    - {devices: all, mig-enabled: false}
    - {devices: [1, 9], device-filter: ["0x20B210DE"], mig-enabled: true, mig-devices: {7g.80gb: 1}}
    - {devices: [0], device-filter: "0x233010DE", mig-enabled: true, mig-devices: {1g.10gb: 7}}
`);
    expect(cutsOf(file?.['some'] ?? [], 3, a100)).toEqual([null, { '7g.80gb': 1 }, null]);
  });

  it.each([
    ['another version', 'version: v2\nmig-configs: {}'],
    ['an unknown key', 'version: v1\nmig-configs: {}\nmore: 1'],
    ['no YAML', ': ['],
    ['a count that is none', 'version: v1\nmig-configs: {a: [{devices: all, mig-enabled: true, mig-devices: {x: -1}}]}'],
  ])('are not taken from a file with %s', (_, text) => {
    expect(readMigConfigs(text)).toBeUndefined();
  });
});
