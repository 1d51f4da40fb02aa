import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InlayError } from '../../errors.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { readDcgm } from './dcgm.js';
import { useImports } from './import.fixture.js';
import type { ImportFormat } from './import-measurements.js';

const { importTexts, write } = useImports();

// Synthetic numbers throughout.
const samples: Readonly<Record<ImportFormat | 'dcgm', string>> = {
  'perf-analyzer': `Concurrency,Inferences/Second,Client Send,Server Queue,p50 latency,p99 latency,Max GPU Memory Usage
4,512.4,61,988,7702,8731,GPU-a:4294967296;
1,"1,30.2",61,988,7600,7710,
Name: part\nConcurrency,Inferences/Second,p99 latency\n1,1,1\n`,
  'model-analyzer': `Model,Batch,Concurrency,Model Config Path,Instance Group,Max Batch Size,Throughput (infer/sec),p99 Latency (ms)
resnet50,1,16,resnet50_config_3,2:GPU,8,1184.2,19.6\r\nresnet50,1,8,"a ""b""",1/GPU,8,900,19\n`,
  aiperf: `Metric,avg,p99\nRequest Latency (ms),842.10,"1,402.30"\n\nMetric,Value\nRequest Throughput (per sec),11.80\n`,
  vllm: JSON.stringify({
    ...{ backend: 'vllm', model_id: 'qwen-7b', request_rate: 8.5, duration: 63.9, completed: 500, failed: 0, request_throughput: 7.82 },
    ...{
      output_throughput: 1001.3,
      total_token_throughput: 5010.9,
      latencies: [1.5, null, 2.5],
      itls: [[0.1, 0.2], []],
      errors: ['', 'é'],
    },
  }),
  mlperf: `MLPerf Results Summary\nScenario : Server\nMode : PerformanceOnly\nCompleted samples per second    : 6021.37
Result is : VALID\n99.00 percentile latency (ns)   : 14203551\ntarget_qps : 6000\n`,
  dcgm: `# HELP DCGM_FI_DEV_FB_USED used
DCGM_FI_DEV_FB_USED{UUID="GPU-a",modelName="NVIDIA H100 NVL",GPU_I_PROFILE="1g.12gb",GPU_I_ID="5",pod="a\\"b"} 2048 1700000000\n`,
};

const damages = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('put' as const),
    at: fc.nat(),
    bytes: fc.constantFrom('', '"', ',', '\n', '\r', '{', '}', ']', '-', 'e', '9', '\0', '\ufeff', ' ', ':', 'NaN', '\xff', '"\n"'),
  }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('again' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 80 }) }),
);
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

function damaged(bytes: Buffer<ArrayBuffer>, damage: Damage): Buffer<ArrayBuffer> {
  const at = damage.at % bytes.length;
  if (damage.kind === 'cut') return bytes.subarray(0, at);
  if (damage.kind === 'put') return Buffer.concat([bytes.subarray(0, at), Buffer.from(damage.bytes, 'latin1'), bytes.subarray(at + 1)]);
  const end = at + damage.length;
  return Buffer.concat([bytes.subarray(0, damage.kind === 'drop' ? at : end), bytes.subarray(damage.kind === 'drop' ? end : at)]);
}

test.each(Object.entries(samples) as [ImportFormat | 'dcgm', string][])(
  'a damaged file of %s becomes rows or is refused with its place, never a fault',
  async (format, sample) => {
    const given = { model: 'm', gpu: 'A100-80GB', profile: '2g.20gb', ...(format === 'model-analyzer' ? {} : { batch: 8, processes: 1 }) };
    const work = async (bytes: Buffer) => {
      if (format === 'dcgm') return readDcgm(await write({ 'd.txt': bytes }), builtInCatalogue);
      return importTexts(
        { format, given: format === 'aiperf' ? { ...given, promptTokens: 9, responseTokens: 9 } : given },
        { 'f.txt': bytes },
      );
    };
    await work(Buffer.from(sample.replace('1,30.2', '130.2')));
    await fc.assert(
      fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 3 }), async (all) => {
        try {
          let bytes = Buffer.from(sample);
          for (const damage of all) if (bytes.length > 0) bytes = damaged(bytes, damage);
          await work(bytes);
        } catch (error) {
          if (!(error instanceof InlayError)) throw error;
          for (const { file, line, column } of error.problems) {
            expect({ file, line, column }).toEqual({ file: expect.any(String), line: expect.any(Number), column: expect.any(Number) });
          }
        }
      }),
      { seed: 21, numRuns: 150 },
    );
  },
);
