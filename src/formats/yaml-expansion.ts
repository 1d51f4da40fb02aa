import { type Document, isAlias, isMap, isPair, isSeq, type Node } from 'yaml';
import { limits } from './limits.js';

/** Why a document with its aliases written out is no plain tree of reasonable size, and where. */
export interface ExpansionFault {
  readonly kind: 'depth' | 'nodes' | 'aliases' | 'anchor' | 'key';
  readonly offset: number;
}

/** Size and height of a node with its aliases written out. */
interface Extent {
  readonly nodes: number;
  readonly depth: number;
}

/**
 * Measures a parsed YAML document without expanding it: each anchored node once, however often it is used. Answers the
 * first fault: too deep, too many nodes or aliases, an alias inside or before its anchor, or a key that is not text.
 */
export function findExpansionFault(document: Document): ExpansionFault | undefined {
  try {
    measure(document.contents, { anchors: new Map(), aliases: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Carries a fault out of the recursion, which the limit on nesting keeps shallow. */
class Fault extends Error implements ExpansionFault {
  readonly kind: ExpansionFault['kind'];
  readonly offset: number;

  constructor(kind: ExpansionFault['kind'], node: Node) {
    super(kind);
    this.kind = kind;
    this.offset = node.range?.[0] ?? 0;
  }
}

interface Measuring {
  /** The last complete node of each anchor; `undefined` while it is being measured. */
  readonly anchors: Map<string, Extent | undefined>;
  aliases: number;
}

const leaf: Extent = { nodes: 1, depth: 0 };

function measure(node: Node | null, state: Measuring): Extent {
  if (node === null) return leaf;
  if (isAlias(node)) {
    state.aliases += 1;
    if (state.aliases > limits.yamlAliases.value) throw new Fault('aliases', node);
    const extent = state.anchors.get(node.source);
    if (extent === undefined) throw new Fault('anchor', node);
    return extent;
  }
  const anchor = 'anchor' in node ? node.anchor : undefined;
  if (anchor !== undefined) state.anchors.set(anchor, undefined);
  const extent = isMap(node) || isSeq(node) ? measureCollection(node, node.items, state) : leaf;
  if (anchor !== undefined) state.anchors.set(anchor, extent);
  return extent;
}

function measureCollection(node: Node, items: readonly unknown[], state: Measuring): Extent {
  let nodes = 1;
  let depth = 0;
  for (const item of items) {
    for (const part of (isPair(item) ? [item.key, item.value] : [item]) as (Node | null)[]) {
      const extent = measure(part, state);
      if (isPair(item) && part === item.key && extent.depth > 0) throw new Fault('key', part ?? node);
      nodes += extent.nodes;
      depth = Math.max(depth, extent.depth);
    }
  }
  if (depth + 1 > limits.depth.value) throw new Fault('depth', node);
  if (nodes > limits.yamlNodes.value) throw new Fault('nodes', node);
  return { nodes, depth: depth + 1 };
}
