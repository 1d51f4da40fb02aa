import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultAnnotation, nodeFaults, podFaults, readFaults, useFault } from './faults.js';

describe('faults', () => {
  it('end after as many times as their number says, and never without one', () => {
    const names = fc.constantFrom(...Object.keys({ ...nodeFaults, ...podFaults })) as fc.Arbitrary<keyof typeof nodeFaults>;
    fc.assert(
      fc.property(fc.dictionary(names, fc.option(fc.integer({ min: 1, max: 3 })), { minKeys: 1, noNullPrototype: true }), (wanted) => {
        const [first] = Object.entries(wanted) as [[keyof typeof nodeFaults, number | null]];
        let annotations: Record<string, string> = {
          [faultAnnotation]: Object.entries(wanted)
            .map(([name, count]) => (count === null ? name : `${name}:${count}`))
            .join(','),
        };
        const [fault, times] = first;
        for (let happened = 0; happened < (times ?? 5); happened += 1) {
          expect(readFaults(annotations).has(fault)).toBe(true);
          const left = useFault(annotations, fault);
          annotations = left === null ? {} : { [faultAnnotation]: left };
        }
        expect(readFaults(annotations).has(fault)).toBe(times === null);
        expect(readFaults(annotations).size).toBe(Object.keys(wanted).length - (times === null ? 0 : 1));
      }),
      { seed: 8, numRuns: 300 },
    );
    expect(readFaults({ [faultAnnotation]: 'no-such-fault, mig-fail:x, toString' }).size).toBe(0);
  });
});
