import type { KernelMetrics } from '../../colocate/kernel-metrics.js';
import type { WorkloadTask } from '../../colocate/measured-workload.js';
import { readNcuReports } from '../../formats/colocate/ncu/read-ncu-report.js';
import { readMemoryQuery } from '../../formats/colocate/read-memory-query.js';
import { readPmon } from '../../formats/colocate/read-pmon.js';
import { findDcgmInstance } from '../../formats/import/find-dcgm-instance.js';
import { writeCsv } from '../../formats/write-csv.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import type { CliIo } from '../io.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { writeResult } from '../write-result.js';

interface ImportOptions {
  readonly name: string;
  readonly batch: number;
  readonly task: WorkloadTask;
  readonly modelName?: string;
  readonly throughput?: number;
  readonly nvtx?: string;
  readonly pmon?: string;
  readonly memory?: string;
  readonly dcgm?: string;
  readonly pod?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs `inlay colocate import-ncu`: a table of workloads with one row. What was not given is left empty. */
export async function runImportNcu(reports: readonly string[], options: ImportOptions, io: CliIo): Promise<void> {
  const { metrics, notes } = await readNcuReports(reports, options.nvtx);
  const dcgm = options.dcgm === undefined ? undefined : await findDcgmInstance(options.dcgm, options.pod, builtInCatalogue);
  reportNotes([...notes, ...(dcgm?.notes ?? [])], io, options);
  const pmon = options.pmon === undefined ? undefined : await readPmon(options.pmon);
  const memory = options.memory === undefined ? undefined : await readMemoryQuery(options.memory);
  const percent = (share: number | undefined) => (share === undefined ? '' : 100 * share);
  const row = toRow(options, metrics, {
    smUtil: pmon?.smUtilPercent ?? percent(dcgm?.instance.smActive),
    memoryUtil: pmon?.memoryUtilPercent ?? percent(dcgm?.instance.dramActive),
    memoryGiB: memory ?? dcgm?.instance.memoryGiB ?? '',
  });
  const text = writeCsv([Object.keys(row), Object.values(row)]);
  if (options.out !== undefined) await writeResult(io, text, options.out);
  if (options.json === true) writeJson(io, { row, launches: metrics.launches, kernelSeconds: metrics.kernelSeconds });
  else if (options.out === undefined) io.stdout.write(text);
  if (options.json !== true && options.quiet !== true)
    io.stderr.write(
      `${metrics.launches} kernel ${metrics.launches === 1 ? 'launch' : 'launches'}, ${(1000 * metrics.kernelSeconds).toPrecision(4)} ms.\n`,
    );
}

function toRow(
  { name, modelName, task, batch, throughput }: ImportOptions,
  metrics: KernelMetrics,
  given: Readonly<Record<'smUtil' | 'memoryUtil' | 'memoryGiB', number | ''>>,
): Readonly<Record<string, string | number>> {
  return {
    workload: name,
    model: modelName ?? '',
    task,
    batch_size: batch,
    exclusive_throughput: throughput ?? '',
    sm_util_pct: given.smUtil,
    mem_util_pct: given.memoryUtil,
    gpu_memory_gib: given.memoryGiB,
    threads: metrics.threads,
    compute_sm_throughput_pct: metrics.computePercent,
    dram_throughput_pct: metrics.dramPercent,
    memory_throughput_pct: metrics.memoryPercent,
    registers: metrics.registers,
    static_shared_memory_bytes: metrics.sharedMemoryBytes,
  };
}
