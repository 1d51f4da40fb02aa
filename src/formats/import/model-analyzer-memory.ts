import { problem } from '../../errors.js';
import type { ImportSink } from './import-sink.js';
import { requireColumn } from './latency-column.js';
import { createMeasuredCells } from './measured-cells.js';
import { streamCsvRecords } from './stream-csv-records.js';

/** Model Analyzer divides bytes by 1,000,000 for its MB. */
const gibPerMb = 1e6 / 1024 ** 3;

/** What tells measurements of Model Analyzer apart, in both of its tables. */
export function settingKey(model: string, batch: string, load: string, config: string): string {
  return [model, batch, load, config].join('\n');
}

/**
 * Reads the GPU table of Model Analyzer into `memory`, GiB of all instances together by `settingKey`. A measurement that spans
 * several GPUs is refused: a row is about one instance. An empty table, which MIG makes, leaves memory unknown.
 */
export async function readGpuMemory(file: string, memory: Map<string, number>, sink: ImportSink): Promise<void> {
  const cells = createMeasuredCells(file, sink);
  const gpus = new Map<string, string>();
  let names: readonly string[] | undefined;
  let columns = { model: -1, batch: -1, load: -1, config: -1, gpu: -1, memory: -1 };
  for await (const record of streamCsvRecords(file)) {
    if (names === undefined) {
      names = record.fields.map((name) => name.trim());
      // The table of the server alone has no batch: it is about no model.
      if (!names.includes('Batch')) return;
      columns = {
        model: requireColumn(names, 'Model', file, record),
        batch: names.indexOf('Batch'),
        load: names.findIndex((name) => name === 'Concurrency' || name === 'Request Rate'),
        config: names.indexOf('Model Config Path'),
        gpu: names.indexOf('GPU UUID'),
        memory: requireColumn(names, 'Max GPU Memory Usage (MB)', file, record),
      };
      continue;
    }
    if (!cells.hasWidth(record, names.length)) continue;
    const [model = '', batch = '', load = '', config = '', gpu = ''] = [
      columns.model,
      columns.batch,
      columns.load,
      columns.config,
      columns.gpu,
    ].map((index) => (index < 0 ? '' : cells.text(record, index)));
    const key = settingKey(model, batch, load, config);
    const usedMb = cells.number(record, columns.memory, 'Max GPU Memory Usage (MB)');
    const seen = gpus.get(key);
    if (seen !== undefined && seen !== gpu) {
      const message = `${model} was measured on several GPUs at once; a row is of one instance.`;
      sink.refuse(
        problem('RUN_REFUSED', {
          message,
          file,
          ...record.locate(columns.gpu),
          expected: seen,
          received: gpu,
          hint: 'Measure on one GPU.',
        }),
      );
      continue;
    }
    gpus.set(key, gpu);
    if (usedMb !== undefined && usedMb > 0) memory.set(key, Math.max(memory.get(key) ?? 0, usedMb * gibPerMb));
  }
  if (memory.size === 0) {
    const message = `${file} holds no memory measurement, as on GPUs with MIG: memory is unknown, not 0.`;
    sink.note(problem('MEMORY_UNKNOWN', { message, file, line: 1, column: 1 }));
  }
}
