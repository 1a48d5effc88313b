/**
 * Colours of a terminal, and whether to use them: `NO_COLOR` forbids them, `FORCE_COLOR` demands them, else a terminal gets them.
 * @see https://no-color.org
 * @see https://force-color.org
 */

/** Foreground colours by their code. */
export const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, grey: 90 } as const;

/** One of {@link COLOURS}. */
export type Colour = keyof typeof COLOURS;

/** What {@link painter} writes, and nothing else that a terminal obeys. */
// eslint-disable-next-line no-control-regex
export const SGR = /(\x1b\[(?:0|3[1-6]|90)m)/;

/** Colours of replicas. Red is reserved for errors. */
const REPLICA_COLOURS: readonly Colour[] = ['cyan', 'yellow', 'magenta', 'green', 'blue'];

/** Colours a text, or leaves it as it is. */
export type Paint = (text: string, colour: Colour) => string;

/** Whether a stream gets colours. */
export function hasColours(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) {
    return false;
  }
  if (env.FORCE_COLOR !== undefined) {
    return !['', '0', 'false'].includes(env.FORCE_COLOR);
  }
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** A painter for a stream with or without colours. */
export function painter(coloured: boolean): Paint {
  return coloured ? (text, colour) => `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : (text) => text;
}

/** The colour of the n-th replica. */
export function replicaColour(ordinal: number): Colour {
  return REPLICA_COLOURS[ordinal % REPLICA_COLOURS.length];
}
