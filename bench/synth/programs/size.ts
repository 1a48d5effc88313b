/** How much is synthesized. */
export interface SynthSize {
  readonly jobs: number;

  /** Charts that the jobs are spread over evenly. */
  readonly charts: number;
}

/** The numbers of a chart's jobs. */
export function jobsOfChart(chart: number, { jobs, charts }: SynthSize): number[] {
  const first = Math.round((chart * jobs) / charts);
  const next = Math.round(((chart + 1) * jobs) / charts);
  return Array.from({ length: next - first }, (_, index) => first + index);
}

/** A program that synthesizes into a folder. */
export type SynthProgram = (size: SynthSize, outdir: string) => void;
