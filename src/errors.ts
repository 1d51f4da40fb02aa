/**
 * The catalogue of coded errors and warnings. Codes are stable: programs compare codes, never texts.
 * docs/reference/errors.md is generated from this file.
 */

/** What a code means, what to do about it, and which exit code a command ends with (0 for a warning). */
export interface CatalogueEntry {
  readonly summary: string;
  readonly hint: string;
  readonly exit: 0 | 1 | 2 | 3;
}

const entry = (exit: CatalogueEntry['exit'], summary: string, hint: string): CatalogueEntry => ({ summary, hint, exit });

/** Every code, by area. */
export const catalogue = {
  // Files
  FILE_NOT_FOUND: entry(2, 'A file that was named does not exist.', 'Check the path; paths inside a file are relative to that file.'),
  FILE_IS_DIRECTORY: entry(2, 'A directory was named where a file was expected.', 'Name the file inside the directory.'),
  FILE_UNREADABLE: entry(2, 'A file exists but could not be read.', 'Check the permissions of the file.'),
  FILE_UNWRITABLE: entry(2, 'A result could not be written.', 'Check that the folder exists and can be written to.'),
  FILE_TOO_LARGE: entry(
    2,
    'A file is larger than the stated limit.',
    'See docs/reference/limits.md; split the input or drop what is not needed.',
  ),
  SYNTAX: entry(2, 'A file is not valid YAML, JSON or CSV.', 'Mend the text at the place named.'),
  TOO_DEEP: entry(
    2,
    'A document is nested deeper, or expands to more nodes, than the stated limit.',
    'Flatten the document; YAML aliases count as often as they are used.',
  ),
  TOO_MANY: entry(2, 'A list is longer than the stated limit.', 'See docs/reference/limits.md; split the input.'),
  // Documents
  WRONG_KIND: entry(
    2,
    'The document is of another kind or version than expected.',
    'Set apiVersion: inlay.dev/v1alpha1 and the kind named.',
  ),
  UNKNOWN_KEY: entry(2, 'A key is not part of the format.', 'Remove the key or mend its spelling.'),
  MISSING_KEY: entry(2, 'A required key is missing.', 'Add the key.'),
  INVALID_VALUE: entry(2, 'A value has the wrong type or is out of range.', 'Use a value as expected.'),
  DUPLICATE_NAME: entry(2, 'Two things of one kind share a name.', 'Give each its own name.'),
  // Performance tables
  MISSING_COLUMN: entry(2, 'A table lacks a required column.', 'Add the column; the message names those that are required.'),
  DUPLICATE_COLUMN: entry(2, 'A table has the same column twice.', 'Remove or rename one of them.'),
  CONFLICTING_ROWS: entry(2, 'Two rows describe the same setting with different numbers.', 'Keep one of the rows.'),
  NO_ROWS: entry(2, 'A table holds no usable row.', 'Add measured rows.'),
  MODEL_WITHOUT_ROWS: entry(2, 'A service names a model that no performance table describes.', 'Add rows for the model or mend its name.'),
  GPU_WITHOUT_ROWS: entry(
    2,
    'No performance row was measured on a GPU model of the pools.',
    'Add rows measured on that GPU model, or remove the pool.',
  ),
  // Measurements to import
  WRONG_FORMAT: entry(
    2,
    'A measurement file is of another format than the command imports.',
    'Use the `inlay import` command for that format.',
  ),
  MISSING_SETTING: entry(
    2,
    'A row needs something that the measurement file does not say.',
    'Pass the option named, or put the key into a side file; see docs/guide/import.md.',
  ),
  CONTRADICTING_SETTING: entry(
    2,
    'An option or a side file says something else than the measurement file.',
    'Leave out the option, or import the files of each setting on their own.',
  ),
  PERCENTILE_NOT_MEASURED: entry(
    2,
    'A measurement file does not hold the latency that was asked for.',
    'Measure it, or choose another one with --percentile.',
  ),
  RUN_REFUSED: entry(
    2,
    'A run must not become a performance row: it is invalid, was cancelled, or measured something else.',
    'Measure again.',
  ),
  // Colocation
  UNKNOWN_WORKLOAD: entry(
    2,
    'A group or job names a workload that the table of workloads does not have.',
    'Add a row for it or mend the name.',
  ),
  NOT_MEASURED: entry(
    2,
    'A workload lacks a number that was to be measured alone.',
    'Measure it; `inlay colocate import-ncu` makes the row.',
  ),
  CONFLICTING_GROUPS: entry(2, 'Two different groups share an id.', 'Give each group its own id.'),
  METRIC_MISSING: entry(
    2,
    'A profiler report lacks a metric that is needed.',
    'Profile with `ncu --set full`, or with the sections SpeedOfLight and LaunchStats.',
  ),
  UNKNOWN_UNIT: entry(
    2,
    'A value of a report has a unit that is not known.',
    'Export the report in base units (`ncu --print-units base`).',
  ),
  // Names of the hardware
  UNKNOWN_GPU: entry(2, 'A GPU model is not known.', 'Run `inlay gpus` for the known names, or add the model with --gpu-models FILE.'),
  AMBIGUOUS_GPU: entry(2, 'A short GPU name fits several models.', 'Use one of the full names.'),
  UNKNOWN_PROFILE: entry(2, 'A MIG profile does not exist on this GPU model.', 'Run `inlay gpus MODEL` for its profiles.'),
  PROFILE_NOT_OFFERED: entry(
    2,
    'A service may only use profiles that no pool offers.',
    'Name a profile that a pool allows and that has rows.',
  ),
  // States
  STATE_IMPOSSIBLE: entry(
    2,
    'A state lists instances that cannot exist together on one GPU.',
    'Take the placements from `nvidia-smi mig -lgi`.',
  ),
  STATE_OF_OTHER_POOL: entry(
    2,
    'A GPU of a state does not belong to a pool of the workload.',
    'Name the pool in the workload, mend pool or type of the GPU, or mark it as reserved.',
  ),
  STATE_OF_OTHER_DEMAND: entry(
    2,
    'What a state runs is not what the workload asks for.',
    'Go there first: `inlay transition STATE WORKLOAD` without --defragment.',
  ),
  // Clusters
  KUBECONFIG_UNUSABLE: entry(
    2,
    'A kubeconfig could not be read, or names no usable cluster and user.',
    'Check --kubeconfig, --context and the environment variable KUBECONFIG.',
  ),
  POOL_UNKNOWN: entry(2, 'A workload of a cluster names a GpuPool that does not exist.', 'Mend the name, or create the GpuPool.'),
  POOL_NOT_ALLOWED: entry(
    2,
    'A workload of a cluster names a GpuPool that its namespace may not use.',
    'Ask the administrator of the pool to add the namespace.',
  ),
  NODE_CLAIMED_TWICE: entry(2, 'Two GpuPools select the same node.', 'Make the node selectors exclude each other.'),
  BACKENDS_DIFFER: entry(
    2,
    'A workload names GpuPools whose backends cannot be used together.',
    'Name pools that are all changed by the operator or all by a person, or split the workload.',
  ),
  BACKEND_UNKNOWN: entry(2, 'A GpuPool names a backend that there is not.', 'Name one of those expected, or run the version that has it.'),
  MIG_STRATEGY: entry(
    2,
    'The device plugin of a node cannot offer slices of several sizes.',
    'Set mig.strategy to mixed in the GPU Operator, or leave the node out of the pool.',
  ),
  PROFILE_SETS_DIFFER: entry(
    2,
    'Nodes of one GpuPool name the same MIG profile differently.',
    'Make a pool of its own for the nodes of each driver or memory size.',
  ),
  NODE_OF_OTHER_MODEL: entry(
    2,
    'A node has GPUs, or pods made for GPUs, of another model than its GpuPool says; plans do without it.',
    'Mend the model of the GpuPool or its node selector; pods made for another model go when others serve in their place.',
  ),
  NODE_DISAGREES: entry(
    2,
    'A node offers other GPU resources than its GPUs are cut into; plans do without it.',
    'Restart the device plugin on the node, or mend its layout.',
  ),
  TEMPLATE_REFUSED: entry(2, 'A pod template says something that the plan decides.', 'Leave it out of the template.'),
  LAYOUT_CHANGE_FAILED: entry(
    3,
    'The GPUs of a node could not be cut anew; the node has its former layout.',
    'Look at the log of nvidia-mig-manager on the node.',
  ),
  CLUSTER_UNREACHABLE: entry(
    1,
    'The API server of the cluster gave no answer.',
    'Check that the cluster runs and can be reached from here.',
  ),
  CLUSTER_FORBIDDEN: entry(
    1,
    'The API server does not know the user, or does not let the user do this.',
    'Log in again, or bind one of the roles in deploy/ to the user.',
  ),
  CLUSTER_REFUSED: entry(
    1,
    'The API server refused a request.',
    'Its message says why; `kubectl` with the same user gets the same answer.',
  ),
  DRIVER_REPORT_UNREADABLE: entry(
    1,
    'nvidia-smi failed, or printed something that cannot be understood.',
    'Run the command named on the node; if it works, the driver may print a new format. “Insufficient Permissions” in the agent: see deploy/privileged-agent.',
  ),
  KUBELET_UNREADABLE: entry(
    1,
    'The kubelet did not tell which pods hold which devices.',
    'Mount the folder of the PodResources socket into the agent and name it with --socket.',
  ),
  // Simulation
  PLAN_MISMATCH: entry(
    2,
    'A plan was made for another workload.',
    'Plan the workload again, or name the workload that the plan was made from.',
  ),
  TRACE_UNKNOWN: entry(2, 'A trace is of no format that is known.', 'Give it a header: t_s for time stamps, second,requests for counts.'),
  TRACE_EMPTY: entry(2, 'A trace holds no request.', 'Use a trace with requests in it.'),
  // Usage
  USAGE: entry(2, 'A command was called with wrong arguments.', 'See `inlay COMMAND --help`.'),
  UNKNOWN_SERVICE: entry(2, 'A service that was named is not in the workload.', 'Use a name from the workload.'),
  // Answers that are not mistakes
  ILLEGAL_LAYOUT: entry(3, 'The instances cannot sit on one GPU together.', 'Remove or shrink an instance, or use another GPU.'),
  SERVICE_CANNOT_RUN: entry(
    3,
    'No measured row of a service can be used.',
    'Relax the rule named, or measure the model with other settings.',
  ),
  POOL_TOO_SMALL: entry(
    3,
    'The pools have too few GPUs: proven, or no plan was found that fits them.',
    'Add GPUs, lower the rates, or plan with --objective max-min.',
  ),
  REPLICAS_TOO_MANY: entry(3, 'A service wants replicas on more GPUs than there are.', 'Lower minReplicas or add GPUs.'),
  STRATEGY_CANNOT_APPLY: entry(3, 'The chosen strategy has no answer for this input.', 'Use --strategy exact.'),
  FLOOR_CANNOT_BE_KEPT: entry(
    3,
    'No order of steps was found that keeps a service at its floor within the extra GPUs.',
    'Allow more extra GPUs (--max-extra-gpus), or lower the rate for the time of the transition.',
  ),
  STOPPED_EARLY: entry(3, 'Planning was stopped before any plan was found.', 'Allow more time.'),
  JOB_CANNOT_RUN: entry(3, 'A job does not fit on a GPU even alone.', 'Use a GPU with more memory.'),
  GPUS_TOO_FEW: entry(
    3,
    'The jobs cannot share so few GPUs within their limits: proven, or no grouping was found that does.',
    'Allow more GPUs, larger groups or slower jobs.',
  ),
  // Checks
  VERIFY_FAILED: entry(1, 'A plan breaks a promise.', 'Plan again, and report it if Inlay made this plan.'),
  // Faults
  SOLVER_FAILED: entry(1, 'The LP/MIP solver ended without an answer.', 'This is a bug: please report it with the input.'),
  INTERNAL: entry(1, 'Something unexpected happened.', 'This is a bug: please report it with the command and the input.'),
  // Warnings
  COLUMN_IGNORED: entry(0, 'A performance table has columns that are not used.', ''),
  ROW_DID_NOT_RUN: entry(0, 'Rows with throughput 0 or empty mean that the setting did not run; they are left out.', ''),
  MEMORY_NOT_CHECKED: entry(
    0,
    'A table has no memory_gib column, so memory is not checked.',
    'Add the column memory_gib (GiB per process).',
  ),
  POINTS_LEFT_OUT: entry(0, 'A load sweep has many points; the one of highest throughput became the row.', ''),
  PART_LEFT_OUT: entry(0, 'A part of a measurement file does not become a row.', ''),
  MEMORY_UNKNOWN: entry(
    0,
    'A measurement does not tell the memory of a process, so plans cannot check it.',
    'Pass --memory-gib N (GiB per process).',
  ),
  NUMBER_READ_AS: entry(0, 'A number with thousands separators was read; another locale may mean another number.', ''),
  VALUE_DERIVED: entry(0, 'A value of a row was not measured as such but computed from what was.', ''),
  THROUGHPUT_ABOVE_LATENCY: entry(
    0,
    'A throughput is above processes × batch ÷ latency: requests overlap or wait, or batch or processes are more than said.',
    'Nothing needs doing if batch and processes are right.',
  ),
  SCALING_SUSPECT: entry(
    0,
    'Throughput falls with more slices, or latency rises with fewer processes.',
    'Check GPU, profile and processes of the two rows.',
  ),
  UNIT_SUSPECT: entry(
    0,
    'A latency does not fit throughput and load by orders of magnitude: its unit may be another one. It was not changed.',
    'Check the unit in the file.',
  ),
  FASTER_IN_GROUP: entry(
    0,
    'A workload ran faster in a group than alone, so one of the two measurements is wrong.',
    'Measure the workload alone again, in the same setting as the groups.',
  ),
  GROUP_REPEATED: entry(0, 'A group was measured several times; all measurements are used.', ''),
  RATE_ZERO: entry(0, 'A service with rate 0 is kept and given nothing.', ''),
  PROFILE_NAME_DRIFT: entry(
    0,
    'A profile name differs from the catalogue and was matched by its slices.',
    'Driver versions print different names for one profile.',
  ),
  ROWS_OF_PLAIN_MODEL: entry(
    0,
    'A variant of a GPU model has no rows of its own; rows of the plain model are used.',
    'Measure on the variant: layouts are equal, speed is not.',
  ),
  AGENT_MISSING: entry(
    0,
    'Nobody reports how the GPUs of a node are cut and which pod holds what.',
    'Run `inlay agent` on the nodes; deploy/ has a DaemonSet of it.',
  ),
  ROWS_UNUSED: entry(0, 'Some rows are for GPU models or profiles that no pool offers.', ''),
} as const satisfies Record<string, CatalogueEntry>;

/** A stable code of the catalogue. */
export type ErrorCode = keyof typeof catalogue;

/** Where and what, as data: the shape of `errors[]` in `--json` output. */
export interface Problem {
  readonly code: ErrorCode;
  /** One sentence: what is wrong, in the user's words. */
  readonly message: string;
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** Place inside a document, such as `spec.services[3].rateRps`. */
  readonly path?: string;
  readonly expected?: string;
  readonly received?: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Makes a problem, filling the hint from the catalogue when none is given. */
export function problem(code: ErrorCode, details: Omit<Problem, 'code'>): Problem {
  const hint = details.hint ?? catalogue[code].hint;
  return hint === '' ? { code, ...details } : { code, ...details, hint };
}

/** The one exception of this package: one or more coded problems. Infeasible inputs are values, not exceptions. */
export class InlayError extends Error {
  /** At least one, in the order in which they were found. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const first = problems[0];
    if (first === undefined) throw new RangeError('InlayError needs at least one problem');
    super(problems.length === 1 ? first.message : `${first.message} (and ${problems.length - 1} more)`, options);
    this.name = 'InlayError';
    this.problems = problems;
  }

  /** Code of the first problem. */
  get code(): ErrorCode {
    return (this.problems[0] as Problem).code;
  }
}

/** Shorthand for the common case of one problem. */
export function inlayError(code: ErrorCode, details: Omit<Problem, 'code'>, options?: ErrorOptions): InlayError {
  return new InlayError([problem(code, details)], options);
}
