import { driftedProfile, unknownProfile, unresolvedGpu } from '../../demand/name-problems.js';
import { type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuCatalogue, GpuModel, MigProfile } from '../../gpu/gpu-model.js';
import { performanceColumns } from '../performance-columns.js';
import { type GivenSetting, settingParts } from './given-setting.js';
import type { MeasurementFile } from './import-sink.js';
import type { LoadPoint, StatedSetting } from './load-point.js';

/** Everything that tells one row of a table from another. */
export interface Setting {
  readonly model: string;
  readonly gpu: GpuModel;
  readonly profile: MigProfile;
  readonly batch: number;
  readonly processes: number;
  /** Of a language model: the request that the row holds for, tokens. */
  readonly tokens?: { readonly prompt: number; readonly response: number };
}

type Part = keyof GivenSetting;

/** The share by which a stated length may differ from the measured mean, and two means from each other, because lengths are drawn at random. */
export const lengthTolerance = 0.1;

/**
 * Completes what a file says by what was given, and tells each problem of a file once: what nobody said, what the file says
 * otherwise, and names that are not known. The answer is undefined for a point that has such a problem.
 */
export function createSettingResolver(catalogue: GpuCatalogue, refuse: (problem: Problem) => void, note: (note: Problem) => void) {
  const resolved = new Map<string, Setting | undefined>();
  const told = new Set<string>();
  let onlyModel: string | undefined;

  const once = (tell: (problem: Problem) => void, key: string, entry: Problem) => {
    if (told.has(key)) return;
    told.add(key);
    tell(entry);
  };

  const resolve = ({ file, given }: MeasurementFile, { stated, line }: LoadPoint): Setting | undefined => {
    const place = { file, line, column: 1 };
    let isComplete = true;
    const fail = (key: string, entry: Problem) => {
      once(refuse, `${file}\n${key}`, entry);
      isComplete = false;
    };
    const need = <T>(part: Part, value: T | undefined): T | undefined => {
      if (value === undefined) fail(part, missing(part, place));
      return value;
    };
    const agree = (part: 'batch' | 'processes' | 'promptTokens' | 'responseTokens', tolerance: number): number | undefined => {
      const [wanted, says] = [given[part], stated[part]];
      if (wanted !== undefined && says !== undefined && Math.abs(wanted - says) > tolerance * says) {
        fail(part, contradiction(part, String(wanted), String(Number(says.toPrecision(4))), place));
      }
      return need(part, wanted ?? says);
    };

    if (given.model !== undefined && stated.model !== undefined) {
      onlyModel ??= stated.model;
      if (stated.model !== onlyModel) fail('model', contradiction('model', given.model, `${onlyModel} and ${stated.model}`, place));
    }
    const model = need('model', given.model ?? stated.model);
    const batch = inRange('batch', agree('batch', 0), place, fail);
    const processes = inRange('processes', agree('processes', 0), place, fail);
    const hardware = resolveHardware(
      given,
      need,
      (key, entry) => fail(key, { ...entry, ...place }),
      (entry) => once(note, `${file}\n${entry.message}`, { ...entry, ...place }),
    );
    const prompt = stated.isLanguage === true ? agree('promptTokens', lengthTolerance) : undefined;
    const response = stated.isLanguage === true ? agree('responseTokens', lengthTolerance) : undefined;
    if (!isComplete || model === undefined || batch === undefined || processes === undefined || hardware === undefined) return undefined;
    const setting = { model, ...hardware, batch, processes };
    return prompt === undefined || response === undefined ? setting : { ...setting, tokens: { prompt, response } };
  };

  const resolveHardware = (
    given: GivenSetting,
    need: (part: Part, value: string | undefined) => string | undefined,
    fail: (key: string, entry: Problem) => void,
    tell: (entry: Problem) => void,
  ): Pick<Setting, 'gpu' | 'profile'> | undefined => {
    const gpuName = need('gpu', given.gpu);
    const gpu = gpuName === undefined ? undefined : findGpuModel(catalogue, gpuName);
    if (gpuName !== undefined && gpu !== undefined && gpu.kind !== 'found') fail('gpu', unresolvedGpu(gpu, gpuName, {}));
    const withoutMig = gpu?.kind === 'found' && gpu.model.profiles.length === 0;
    const profileName = need('profile', given.profile ?? (withoutMig ? 'full' : undefined));
    if (gpu?.kind !== 'found' || profileName === undefined) return undefined;
    const profile = findProfile(gpu.model, profileName);
    if (profile.kind === 'unknown') {
      fail('profile', unknownProfile(gpu.model, profileName, profile.suggestions, {}));
      return undefined;
    }
    if (profile.drifted === true) tell(driftedProfile(gpu.model, profileName, profile.profile.name, {}));
    return { gpu: gpu.model, profile: profile.profile };
  };

  return (file: MeasurementFile, point: LoadPoint): Setting | undefined => {
    const key = `${file.file}\n${keyOf(point.stated)}`;
    if (!resolved.has(key)) resolved.set(key, resolve(file, point));
    return resolved.get(key);
  };
}

function keyOf({ model, batch, processes, promptTokens, responseTokens, isLanguage }: StatedSetting): string {
  return [model, batch, processes, promptTokens, responseTokens, isLanguage].join('\n');
}

function inRange(
  part: 'batch' | 'processes',
  value: number | undefined,
  place: Pick<Problem, 'file' | 'line' | 'column'>,
  fail: (key: string, entry: Problem) => void,
): number | undefined {
  const { min, max } = performanceColumns[part];
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  const message = `${settingParts[part].words} cannot be ${value}.`;
  fail(
    `range ${part}`,
    problem('INVALID_VALUE', {
      message: sentence(message),
      ...place,
      expected: `a whole number from ${min} to ${max}`,
      received: String(value),
    }),
  );
  return undefined;
}

function missing(part: Part, place: Pick<Problem, 'file' | 'line' | 'column'>): Problem {
  const { words, option, key } = settingParts[part];
  return problem('MISSING_SETTING', {
    message: `${place.file} does not say ${words}.`,
    ...place,
    expected: option,
    received: 'nothing',
    hint: `Pass ${option}, or put ${key} into a side file.`,
  });
}

function contradiction(part: Part, wanted: string, says: string, place: Pick<Problem, 'file' | 'line' | 'column'>): Problem {
  const { words, option } = settingParts[part];
  return problem('CONTRADICTING_SETTING', {
    message: sentence(`${words} was given as ${wanted}, but the file says ${says}.`),
    ...place,
    expected: says,
    received: wanted,
    hint: `Leave out ${option}, or import the files of each setting on their own.`,
  });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
