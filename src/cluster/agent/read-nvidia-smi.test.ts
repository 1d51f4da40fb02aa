import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrintedGpu, printNvidiaSmi } from './nvidia-smi.fixture.js';
import { readNvidiaSmi } from './read-nvidia-smi.js';

const somePrinted: fc.Arbitrary<readonly PrintedGpu[]> = fc
  .array(
    fc.record({
      product: fc.constantFrom('NVIDIA A100-SXM4-80GB', 'NVIDIA H200', 'NVIDIA RTX PRO 6000 Blackwell & more'),
      migEnabled: fc.boolean(),
      starts: fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 7 }),
      profiles: fc.array(fc.constantFrom('1g.10gb', '1g.10gb+me', '1g.20gb', '2g.20gb', '1g.24gb-me', '1c.2g.20gb'), {
        minLength: 7,
        maxLength: 7,
      }),
      computes: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 7, maxLength: 7 }),
    }),
    { maxLength: 9 },
  )
  .map((gpus) =>
    gpus.map(({ product, migEnabled, starts, profiles, computes }, index) => ({
      uuid: `GPU-${index}`,
      product,
      migEnabled,
      instances: migEnabled
        ? starts.map((start, place) => ({
            profile: profiles[place] ?? '',
            start,
            size: 1,
            // Ids are neither in the order of the starts nor dense.
            id: 14 - place,
            uuids: Array.from({ length: computes[place] ?? 0 }, (_, compute) => `MIG-${index}-${place}-${compute}`),
          }))
        : [],
    })),
  );

describe('readNvidiaSmi', () => {
  it('tells from its three texts how each GPU is cut', () => {
    fc.assert(
      fc.property(somePrinted, (gpus) => {
        const { driver, gpus: found } = readNvidiaSmi(printNvidiaSmi(gpus));
        expect(driver).toBe('580.95.05');
        expect(found).toEqual(
          gpus.map(({ uuid, product, migEnabled, instances }, index) => ({
            index,
            uuid,
            product,
            migEnabled,
            instances: instances
              .map(({ profile, start, uuids }) => ({ profile, start, uuids }))
              .sort((one, other) => one.start - other.start),
          })),
        );
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('reads the tables and uuids of older drivers', () => {
    const query = `<?xml version="1.0" ?>
<nvidia_smi_log>
  <driver_version>450.80.02</driver_version>
  <gpu id="00000000:36:00.0">
    <product_name>A100-SXM4-40GB</product_name>
    <mig_mode><current_mig>Enabled</current_mig><pending_mig>Enabled</pending_mig></mig_mode>
    <mig_devices>
      <mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device>
    </mig_devices>
    <uuid>GPU-e91edf3b</uuid>
  </gpu>
</nvidia_smi_log>`;
    const instances = `+----------------------------------------------------+
| GPU instances:                                     |
| GPU   Name          Profile  Instance   Placement  |
|                       ID       ID       Start:Size |
|====================================================|
|   0  MIG 3g.20gb       9        1          4:4     |
+----------------------------------------------------+
`;
    const list = 'GPU 0: A100-SXM4-40GB (UUID: GPU-e91edf3b)\n  MIG 3g.20gb Device 0: (UUID: MIG-GPU-e91edf3b/1/0)\n';
    expect(readNvidiaSmi({ query, instances, list }).gpus).toEqual([
      {
        index: 0,
        uuid: 'GPU-e91edf3b',
        product: 'A100-SXM4-40GB',
        migEnabled: true,
        instances: [{ profile: '3g.20gb', start: 4, uuids: ['MIG-GPU-e91edf3b/1/0'] }],
      },
    ]);
  });

  it('takes GPUs that cannot be cut, and a node without a GPU', () => {
    const query =
      '<nvidia_smi_log><gpu id="x"><uuid>GPU-1</uuid><mig_mode><current_mig>N/A</current_mig></mig_mode></gpu></nvidia_smi_log>';
    const texts = { query, instances: 'No MIG-enabled devices found.\n', list: '' };
    expect(readNvidiaSmi(texts).gpus).toMatchObject([{ uuid: 'GPU-1', migEnabled: false, instances: [] }]);
    expect(readNvidiaSmi({ ...texts, query: '<nvidia_smi_log></nvidia_smi_log>' }).gpus).toEqual([]);
  });

  const whole = printNvidiaSmi([
    { uuid: 'GPU-0', product: 'A', migEnabled: true, instances: [{ profile: '1g.10gb', start: 0, size: 1, id: 9, uuids: ['MIG-0'] }] },
  ]);
  it.each([
    ['the query is cut off', { query: whole.query.slice(0, 400) }],
    ['the query is no XML', { query: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver." }],
    ['the query is another XML', { query: '<html></html>' }],
    ['a row of -lgi is of another shape', { instances: whole.instances.replace('0:1 ', '0-1 ') }],
    ['-lgi is no table', { instances: 'Insufficient Permissions' }],
    ['the GPUs were cut between -lgi and the query', { instances: whole.instances.replace(' 9  ', ' 8  ') }],
    ['the GPUs were cut between the query and -L', { list: 'GPU 0: A (UUID: GPU-0)\n' }],
  ])('refuses to guess when %s', (_, changed) => {
    expect(() => readNvidiaSmi({ ...whole, ...changed })).toThrow(expect.objectContaining({ code: 'DRIVER_REPORT_UNREADABLE' }));
  });
});
