import { suggestNames } from '../demand/did-you-mean.js';
import { inlayError } from '../errors.js';

/** Those of `services` whose names were asked for, or all; throws UNKNOWN_SERVICE for a name that is not among `known` of `where`. */
export function chooseServices<T extends { readonly name: string }>(
  where: string,
  known: readonly { readonly name: string }[],
  services: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] {
  if (names === undefined) return services;
  if (names.length === 0)
    throw inlayError('USAGE', { message: '--services names no service.', expected: 'names with commas between them' });
  const knownNames = known.map(({ name }) => name);
  const unknown = names.find((name) => !knownNames.includes(name));
  if (unknown === undefined) return services.filter(({ name }) => names.includes(name));
  const hint = suggestNames(unknown, knownNames);
  const message = `${where} has no service ${unknown}.`;
  throw inlayError('UNKNOWN_SERVICE', { message, received: unknown, ...(hint === undefined ? {} : { hint }) });
}
