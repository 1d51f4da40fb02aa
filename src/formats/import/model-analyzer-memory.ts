import { problem } from '../../errors.js';
import type { ImportSink } from './import-sink.js';
import { requireColumn } from './latency-column.js';
import { createMeasuredCells } from './measured-cells.js';
import { createMeasurementStore } from './measurement-store.js';
import { streamCsvRecords } from './stream-csv-records.js';
import { createTextCopies } from './text-copies.js';

/** Model Analyzer divides bytes by 1,000,000 for its MB. */
const gibPerMb = 1e6 / 1024 ** 3;

/** Memory of measurements, by what tells them apart in both tables of Model Analyzer. */
export interface MeasuredMemory {
  /** How many measurements have one. */
  readonly size: number;
  /** Of all instances together, GiB; undefined when it was not measured. */
  find(measurement: MeasurementKey): number | undefined;
  /** Keeps the largest of each, 0 as unknown. Answers on which GPU the same was measured before, when that was another one. */
  add(measurement: MeasurementKey, gpu: string, gib: number): string | undefined;
}

/** What tells measurements apart, as written: the configuration, and the load under which it was measured. */
export interface MeasurementKey {
  readonly model: string;
  readonly batch: string;
  readonly config: string;
  readonly load: string;
}

/** An empty memory. A measurement takes little room in it, because a table may have a million. */
export function createMeasuredMemory(): MeasuredMemory {
  const store = createMeasurementStore();
  const texts = createTextCopies();
  const gpus: string[] = [];
  const keyOf = ({ model, batch, config, load }: MeasurementKey) => [model, batch, config, Number(load)].join('\n');
  return {
    get size() {
      return store.size;
    },
    find(measurement) {
      return store.find(keyOf(measurement));
    },
    add(measurement, gpu, gib) {
      if (gib === 0) return undefined;
      let index = gpus.indexOf(gpu);
      if (index < 0) index = gpus.push(texts.copyOf(gpu)) - 1;
      const seen = store.keepLargest(keyOf(measurement), gib, index);
      return seen === index ? undefined : gpus[seen];
    },
  };
}

/**
 * Reads the GPU table of Model Analyzer into `memory`. A measurement that spans
 * several GPUs is refused: a row is about one instance. An empty table, which MIG makes, leaves memory unknown.
 */
export async function readGpuMemory(file: string, memory: MeasuredMemory, sink: ImportSink): Promise<void> {
  const cells = createMeasuredCells(file, sink);
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
    const usedMb = cells.number(record, columns.memory, 'Max GPU Memory Usage (MB)');
    const seen = memory.add({ model, batch, config, load }, gpu, (usedMb || 0) * gibPerMb);
    if (seen === undefined) continue;
    const message = `${model} was measured on several GPUs; a row is of one instance.`;
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
  }
  if (memory.size === 0) {
    const message = `${file} holds no memory measurement, as on GPUs with MIG: memory is unknown, not 0.`;
    sink.note(problem('MEMORY_UNKNOWN', { message, file, line: 1, column: 1 }));
  }
}
