/** How the blocks of one service look: a fill and, once the colours are used up, a texture over it. */
export interface ServiceLook {
  readonly colour: string;
  /** 0 is plain; the others are drawn by `texturePatterns`. */
  readonly texture: number;
}

/**
 * Paul Tol's "light" qualitative scheme without its grey: eight fills that stay apart for every common kind of colour
 * blindness and carry black text.
 */
export const serviceColours = ['#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#44bb99', '#99ddff', '#bbcc33', '#aaaa00'] as const;

/** Textures, plain included. Eight colours and six textures tell 48 services apart; labels tell the rest. */
export const textureCount = 6;

/** The look of a service by its place in the plan's list; repeats after 48. */
export function serviceLook(index: number): ServiceLook {
  return {
    colour: serviceColours[index % serviceColours.length] as string,
    texture: Math.floor(index / serviceColours.length) % textureCount,
  };
}
