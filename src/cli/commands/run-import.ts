import type { DcgmInstance } from '../../formats/import/dcgm.js';
import { readDcgm } from '../../formats/import/dcgm.js';
import { type ImportFormat, importMeasurements } from '../../formats/import/import-measurements.js';
import { writeImportedRows } from '../../formats/import/imported-row.js';
import { writeCsv } from '../../formats/write-csv.js';
import { formatCount } from '../format-number.js';
import type { CliIo } from '../io.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { writeResult } from '../write-result.js';
import type { ImportOptions } from './import.js';

/** Runs `inlay import FORMAT`: the table goes to stdout, or to the file that `-o` names. */
export async function runImport(format: ImportFormat, files: readonly string[], options: ImportOptions, io: CliIo): Promise<void> {
  const { model, gpu, profile, batch, processes, memoryGib, promptTokens, responseTokens, out } = options;
  const { rows, notes } = await importMeasurements({
    format,
    files,
    catalogue: await readCatalogue(options.gpuModels),
    given: { model, gpu, profile, batch, processes, memoryGiB: memoryGib, promptTokens, responseTokens },
    sideFile: options.meta,
    percentile: options.percentile,
    saturation: options.saturation === true,
    batchesOf: options.batches ?? 'server',
    dcgm: options.dcgm,
    pod: options.pod,
  });
  if (options.json === true) {
    if (out !== undefined) await writeResult(io, writeImportedRows(rows), out);
    writeJson(io, { rows, notes });
    return;
  }
  reportNotes(notes, io, options);
  await writeResult(io, writeImportedRows(rows), out);
  if (out !== undefined) io.stdout.write(`${out}: ${formatCount(rows.length, 'row')} from ${formatCount(files.length, 'file')}\n`);
}

const dcgmColumns: readonly (readonly [string, keyof DcgmInstance])[] = [
  ['gpu', 'gpu'],
  ['mig_profile', 'profile'],
  ['uuid', 'uuid'],
  ['instance_id', 'instanceId'],
  ['hostname', 'hostname'],
  ['namespace', 'namespace'],
  ['pod', 'pod'],
  ['container', 'container'],
  ['memory_gib', 'memoryGiB'],
  ['sm_active', 'smActive'],
  ['sm_occupancy', 'smOccupancy'],
  ['dram_active', 'dramActive'],
  ['tensor_active', 'tensorActive'],
];

/** Runs `inlay import dcgm`: one line a GPU instance and pod. */
export async function runImportDcgm(files: readonly string[], options: Omit<ImportOptions, 'percentile'>, io: CliIo): Promise<void> {
  const { instances, notes } = await readDcgm(files, await readCatalogue(options.gpuModels));
  const table = writeCsv([
    dcgmColumns.map(([title]) => title),
    ...instances.map((instance) => dcgmColumns.map(([, key]) => instance[key] ?? '')),
  ]);
  if (options.out !== undefined || options.json !== true) await writeResult(io, table, options.out);
  if (options.json === true) writeJson(io, { instances, notes });
  else reportNotes(notes, io, options);
}
