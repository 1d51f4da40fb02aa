import { type Problem, problem } from '../errors.js';
import { findProfile } from '../gpu/find-profile.js';
import { didYouMean, suggestNames } from './did-you-mean.js';
import type { WorkloadDocument } from './documents/workload.js';
import { resolveTraffic, type TraceFinder, type TrafficShape } from './resolve-traffic.js';
import type { LatencyRule, Pool, Service } from './workload.js';

type ServiceDocument = WorkloadDocument['spec']['services'][number];
type RuleDocument = NonNullable<WorkloadDocument['spec']['latency']>;

/** What the services are checked against. */
export interface ServiceContext {
  readonly latency: RuleDocument | undefined;
  /** Empty when the pools are not sound, and profile names cannot be checked. */
  readonly pools: readonly Pool[];
  /** Models with rows that some pool offers. */
  readonly models: ReadonlySet<string>;
  /** GPU models and profiles, as written, that a model of the tables was measured on. */
  readonly measuredOn: (model: string) => readonly string[];
  /** Absent where no file can be read: a rule that names a trace is then a problem. */
  readonly findTrace?: TraceFinder | undefined;
}

/** Fills in every default and checks models and profile names; problems carry their path. */
export function resolveServices(
  documents: readonly ServiceDocument[],
  context: ServiceContext,
): { readonly services: readonly Service[]; readonly problems: readonly Problem[]; readonly notes: readonly Problem[] } {
  const problems: Problem[] = [];
  const defaultRule = resolveLatencyRule(context.latency ?? { percentile: 99 });
  const shapeOf = (rule: RuleDocument, path: string): TrafficShape | undefined => {
    const { shape, problems: found } = 'factor' in rule ? { problems: [] } : resolveTraffic(rule, path, context.findTrace);
    problems.push(...found);
    return shape;
  };
  const defaultShape = context.latency === undefined ? undefined : shapeOf(context.latency, 'spec.latency');
  const checkProfiles = createProfileCheck(context.pools);
  const knownModels = [...context.models];
  const services = documents.map((document, index): Service => {
    const path = `spec.services[${index}]`;
    if (!context.models.has(document.model))
      problems.push(modelWithoutRows(document, path, problems.length < mostSuggestions ? knownModels : [], context));
    if (document.profiles !== undefined) problems.push(...checkProfiles(document.profiles, `${path}.profiles`));
    if (document.pools !== undefined) problems.push(...checkPools(document.pools, context.pools, `${path}.pools`));
    const shape = document.latency === undefined ? defaultShape : shapeOf(document.latency, `${path}.latency`);
    return {
      name: document.name,
      model: document.model,
      rateRps: document.rateRps * (shape?.factor ?? 1),
      ...(shape === undefined ? {} : { traffic: { meanRps: document.rateRps, windowS: shape.windowS, rates: shape.rates } }),
      latencyMs: document.latencyMs,
      minReplicas: document.minReplicas ?? 1,
      maxUtilization: document.maxUtilization ?? 1,
      ...(document.pools === undefined ? {} : { pools: document.pools }),
      ...(document.profiles === undefined ? {} : { profiles: document.profiles }),
      maxBatch: document.maxBatch ?? Number.POSITIVE_INFINITY,
      priority: document.priority ?? 0,
      latency: document.latency === undefined ? defaultRule : resolveLatencyRule(document.latency),
    };
  });
  return { services, problems, notes: noteZeroRates(services) };
}

/** Fills in the defaults of a latency rule: Poisson arrivals, round-robin, the safe form. */
export function resolveLatencyRule(rule: RuleDocument): LatencyRule {
  if ('factor' in rule) return { kind: 'factor', factor: rule.factor };
  return {
    kind: 'percentile',
    percentile: rule.percentile,
    burstiness: rule.burstiness ?? 1,
    router: rule.router ?? 'round-robin',
    rule: rule.rule ?? 'safe',
  };
}

/** Looking for near names costs a comparison with every model, and nobody reads the hints of the thousandth problem. */
const mostSuggestions = 50;

function modelWithoutRows(
  { name, model }: ServiceDocument,
  path: string,
  knownModels: readonly string[],
  context: ServiceContext,
): Problem {
  const elsewhere = context.measuredOn(model);
  const hint =
    elsewhere.length > 0 ? 'Add rows measured on what the pools offer, or a pool of these GPUs.' : suggestNames(model, knownModels);
  return problem('MODEL_WITHOUT_ROWS', {
    message:
      elsewhere.length > 0
        ? `The service ${name} needs rows of the model ${model} for GPUs and profiles that the pools offer.`
        : `The service ${name} names the model ${model}, for which no performance row exists.`,
    path: `${path}.model`,
    expected: 'a model with rows for the pools',
    received: elsewhere.length > 0 ? `rows only for ${elsewhere.slice(0, 5).join(', ')}` : model,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A service may name profiles of any pool, so a name is wrong only if no pool knows it, and a list if nothing in it is offered. */
function createProfileCheck(pools: readonly Pool[]) {
  const known = new Map<string, { readonly exists: boolean; readonly offered: boolean; readonly suggestions: readonly string[] }>();
  const lookUp = (name: string) => {
    const earlier = known.get(name);
    if (earlier !== undefined) return earlier;
    const found = pools.map((pool) => ({ pool, result: findProfile(pool.gpu, name) }));
    const entry = {
      exists: found.some(({ result }) => result.kind === 'found'),
      offered: found.some(({ pool, result }) => result.kind === 'found' && pool.profiles.includes(result.profile)),
      suggestions: [...new Set(found.flatMap(({ result }) => (result.kind === 'unknown' ? result.suggestions : [])))].slice(0, 3),
    };
    known.set(name, entry);
    return entry;
  };
  const offeredNames = [...new Set(pools.flatMap((pool) => pool.profiles.map((profile) => profile.name)))].join(', ');

  return (names: readonly string[], path: string): readonly Problem[] => {
    if (pools.length === 0) return [];
    const unknown = names.flatMap((name, index) => {
      const { exists, suggestions } = lookUp(name);
      if (exists) return [];
      const hint = didYouMean(suggestions);
      return [
        problem('UNKNOWN_PROFILE', {
          message: `No GPU model of the pools has a profile ${name}.`,
          path: `${path}[${index}]`,
          expected: offeredNames,
          received: name,
          ...(hint === undefined ? {} : { hint }),
        }),
      ];
    });
    if (unknown.length > 0 || names.some((name) => lookUp(name).offered)) return unknown;
    return [
      problem('PROFILE_NOT_OFFERED', {
        message: 'No pool offers any of the profiles that the service may use.',
        path,
        expected: `one of ${offeredNames}`,
        received: names.join(', '),
      }),
    ];
  };
}

function checkPools(names: readonly string[], pools: readonly Pool[], path: string): readonly Problem[] {
  if (pools.length === 0) return [];
  const known = pools.map(({ name }) => name);
  return names.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const hint = suggestNames(name, known);
    return [
      problem('INVALID_VALUE', {
        message: `There is no pool ${name}.`,
        path: `${path}[${index}]`,
        expected: known.join(', '),
        received: name,
        ...(hint === undefined ? {} : { hint }),
      }),
    ];
  });
}

function noteZeroRates(services: readonly Service[]): readonly Problem[] {
  const idle = services.filter((service) => service.rateRps === 0).map((service) => service.name);
  if (idle.length === 0) return [];
  const names = `${idle.slice(0, 5).join(', ')}${idle.length > 5 ? ` and ${idle.length - 5} more` : ''}`;
  return [problem('RATE_ZERO', { message: `Services with rate 0 are given nothing: ${names}.` })];
}
