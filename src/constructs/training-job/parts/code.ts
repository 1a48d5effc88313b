/** Files of the program: ConfigMaps that are applied before the job. */
import type { JobContext, JobPart } from './part';

/** See the top of this file. */
export function codePart({ construct, props: { code, metadata } }: JobContext): JobPart | undefined {
  return code && { bind: () => code._bind(construct, metadata?.namespace) };
}
