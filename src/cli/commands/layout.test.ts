import { describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';

const layout = (...args: readonly string[]) => runInProcess(['layout', ...args]);

describe('inlay layout check', () => {
  it('prints where legal instances go', async () => {
    const { stdout, exitCode } = await layout('check', 'H100-80GB', '4g.40gb', '2g.20gb', '1g.10gb');
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Legal on one H100-80GB.

        instance   memory slices  compute slices  usable memory
        4g.40gb@0  0-3                         4       39.5 GiB
        2g.20gb@4  4-5                         2      19.62 GiB
        1g.10gb@6  6                           1       9.75 GiB

      Left free: memory slice 7; 0 compute slices.
      "
    `);
  });

  it('puts a 2g of an A30 beside two occupied slices', async () => {
    const { stdout } = await layout('check', 'A30', '2g.12gb', '--occupied', '1g.6gb@0,1g.6gb@1', '--json');
    expect(JSON.parse(stdout)).toEqual({
      kind: 'legal',
      gpu: 'A30-24GB',
      instances: [{ profile: '2g.12gb', start: 2 }],
      occupied: [
        { profile: '1g.6gb', start: 0 },
        { profile: '1g.6gb', start: 1 },
      ],
    });
  });

  it('ends with 3 and the exhausted memory slices when instances do not fit', async () => {
    const { stderr, stdout, exitCode } = await layout('check', 'A100-40GB', '3g.20gbx2', '1g.5gb');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(stderr).toMatchInlineSnapshot(`
      "Infeasible: this cannot be done.
      conflict: No memory slices are left for 1g.5gb, which needs one of 0-6: 3g.20gb@0 holds 0-3, 3g.20gb@4 holds 4-7. (ILLEGAL_LAYOUT)
        Remove or shrink an instance, or use another GPU.
      "
    `);
  });

  it('prints an illegal layout as data', async () => {
    const { stdout, exitCode } = await layout('check', 'A100-40GB', '4g.20gb', '3g.20gb', '--forbid-4g-with-3g', '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'ILLEGAL_LAYOUT' }] });
  });

  it('notes a name that was matched by its slices', async () => {
    const { stderr, exitCode } = await layout('check', 'H100-80GB', '3g.39gb');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('3g.39gb is taken for 3g.40gb of H100-80GB. (PROFILE_NAME_DRIFT)');
    expect((await layout('check', 'H100-80GB', '3g.39gb', '--quiet')).stderr).toBe('');
  });

  it.each([
    [['check', 'H100-80GB', '1g.35gb', '9g.1gb'], 'UNKNOWN_PROFILE'],
    [['check', 'H100-80GB', '1g.10gbx0'], 'USAGE'],
    [['check', 'H100-80GB', '1g.10gbx99999'], 'TOO_MANY'],
    [['check', 'H100-80GB', '1g.10gb', '--occupied', '1g.10gb'], 'USAGE'],
    [['check', 'H100-80GB', '1g.10gb', '--occupied', '3g.40gb@0,2g.20gb@2'], 'USAGE'],
    [['check', 'H100-80GB'], 'USAGE'],
    [['list', 'H100-80GB', '--maximal', '--undominated'], 'USAGE'],
    [['list', 'H100-80GB', '--profiles', ','], 'USAGE'],
    [['place', 'H100-80GB', '1g.10gb'], 'USAGE'],
    [['place', 'H100-80GB', '1g.10gb', '--gpus', '-1'], 'USAGE'],
  ])('refuses %j', async (args, code) => {
    const { stderr, stdout, exitCode } = await layout(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(`(${code})`);
  });
});

describe('inlay layout list', () => {
  it('counts all, maximal and undominated layouts', async () => {
    const first = async (...args: readonly string[]) => (await layout('list', ...args)).stdout.split('\n')[0];
    expect(await first('H100-80GB')).toBe('297 legal layouts of H100-80GB from 1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb');
    expect(await first('H100-80GB', '--maximal')).toMatch(/^19 maximal layouts /);
    expect(await first('T4')).toBe('1 legal layout of T4-16GB from full');
  });

  it('lists the undominated combinations largest first', async () => {
    expect((await layout('list', 'A100-40GB', '--undominated')).stdout).toMatchInlineSnapshot(`
      "12 undominated combinations of A100-40GB from 1g.5gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb

        7g.40gb@0
        4g.20gb@0 3g.20gb@4
        4g.20gb@0 2g.10gb@4 1g.5gb@6
        4g.20gb@0 1g.5gb@4 1g.5gb@5 1g.5gb@6
        3g.20gb@0 3g.20gb@4
        2g.10gb@0 2g.10gb@2 3g.20gb@4
        2g.10gb@0 1g.5gb@2 1g.5gb@3 3g.20gb@4
        1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 3g.20gb@4
        2g.10gb@0 2g.10gb@2 2g.10gb@4 1g.5gb@6
        2g.10gb@0 2g.10gb@2 1g.5gb@4 1g.5gb@5 1g.5gb@6
        2g.10gb@0 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6
        1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6
      "
    `);
  });

  it('prints data, for chosen profiles', async () => {
    const { stdout } = await layout('list', 'A30', '--undominated', '--profiles', '2g.12gb,4g.24gb', '--json');
    expect(JSON.parse(stdout)).toEqual({
      gpu: 'A30-24GB',
      profiles: ['2g.12gb', '4g.24gb'],
      selection: 'undominated',
      layouts: [
        [{ profile: '4g.24gb', start: 0 }],
        [
          { profile: '2g.12gb', start: 0 },
          { profile: '2g.12gb', start: 2 },
        ],
      ],
    });
  });
});

describe('inlay layout place', () => {
  it('puts seven 1g onto one of four GPUs', async () => {
    const { stdout, exitCode } = await layout('place', 'H100-80GB', '1g.10gbx7', '--gpus', '4');
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "1 of 4 × H100-80GB used; fewer cannot hold these instances.

        GPUs  layout
         1 ×  1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6
      "
    `);
  });

  it('folds equal GPUs', async () => {
    expect((await layout('place', 'A30', '4g.24gbx3', '1g.6gb', '--gpus', '8')).stdout).toMatchInlineSnapshot(`
      "4 of 8 × A30-24GB used; fewer cannot hold these instances.

        GPUs  layout
         3 ×  4g.24gb@0
         1 ×  1g.6gb@0
      "
    `);
  });

  it('ends with 3 when there are too few GPUs or an instance never fits', async () => {
    const { stderr, exitCode } = await layout('place', 'H100-80GB', '4g.40gbx3', '--gpus', '2');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('These instances need 3 × H100-80GB, there are 2. (POOL_TOO_SMALL)');
  });

  it('prints data', async () => {
    const { stdout } = await layout('place', 'A30', '4g.24gb', '1g.6gb', '--gpus', '2', '--json');
    expect(JSON.parse(stdout)).toEqual({
      kind: 'placed',
      gpu: 'A30-24GB',
      available: 2,
      proven: true,
      gpus: [{ instances: [{ profile: '4g.24gb', start: 0 }] }, { instances: [{ profile: '1g.6gb', start: 0 }] }],
    });
  });
});
