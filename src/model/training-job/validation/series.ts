/**
 * Jobs of a series, such as the points of a sweep or a loop of a program: they differ in digits of texts whose digits no rule reads. What holds for
 * one of them holds for all, so one is checked. Only that nothing is wrong is remembered; what is wrong is found again in each job, with its values.
 */
import type { TrainingJobSpec } from '../spec';

/** Most series that are remembered at a time: each takes about a kilobyte. */
const MAX_SERIES = 512;

/** See the top of this file. One for each set of rules. */
export class CheckedSeries {
  private readonly clean = new Set<string>();

  /**
   * Asks rules about a job, unless they found nothing in another one of its series.
   * @param rules must depend on nothing but the job
   */
  public check<T>(name: string, spec: TrainingJobSpec, rules: () => T[]): T[] {
    const series = seriesOf(name, spec);
    if (series !== undefined && this.clean.has(series)) {
      return [];
    }
    const found = rules();
    if (series !== undefined && found.length === 0) {
      if (this.clean.size >= MAX_SERIES) {
        this.clean.clear();
      }
      this.clean.add(series);
    }
    return found;
  }
}

/** What was asked last: several sets of rules are asked about a job, one behind the other. */
let last: { readonly name: string; readonly spec: TrainingJobSpec; readonly series: string | undefined } | undefined;

/** @returns undefined for what is no job, such as a value that contains itself */
function seriesOf(name: string, spec: TrainingJobSpec): string | undefined {
  if (last?.spec !== spec || last.name !== name) {
    last = { name, spec, series: trySeries(name, spec) };
  }
  return last.series;
}

function trySeries(name: string, { checkpointPath, checkpoint, hyperparameters, ...others }: TrainingJobSpec): string | undefined {
  try {
    const { subPath, ...kept } = checkpoint ?? {};
    return JSON.stringify([
      withoutDigits(name),
      // A path in a container can be that of a volume, and the scheme says what kind of URL it is.
      checkpointPath?.replace(/^[^:/]*:\/\/.*/s, (url) => `${url.slice(0, url.indexOf(':'))}${withoutDigits(url.slice(url.indexOf(':')))}`),
      checkpoint && kept, subPath && withoutDigits(subPath),
      hyperparameters && Object.keys(hyperparameters), hyperparameters && withoutDigits(JSON.stringify(Object.values(hyperparameters))),
      others,
    ]);
  } catch {
    return undefined;
  }
}

/** With `$`, a text can refer to a variable, whose name counts. */
function withoutDigits(text: string): string {
  return text.includes('$') ? text : text.replace(/[0-9]/g, '0');
}
