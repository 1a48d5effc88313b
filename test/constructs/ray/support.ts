/** What programs with Ray's constructs write and complain of. */
import { App, Chart, Testing } from 'cdk8s';
import type { RayClusterOptions } from '../../../src/constructs/ray';
import { errorsOf } from '../../support/synth-errors';

/** The smallest cluster. */
export const LEAST: RayClusterOptions = { image: 'rayproject/ray:2.54.0' };

/** The object of a kind that a program writes. */
export function written(kind: string, program: (chart: Chart) => void) {
  return objects(program).find((object) => object.kind === kind);
}

/** All that a program writes. */
export function objects(program: (chart: Chart) => void) {
  const chart = Testing.chart();
  program(chart);
  return Testing.synth(chart);
}

/** What synth complains of, without the construct's path. */
export function complaints(program: (chart: Chart) => void, namespace?: string): string[] {
  const app = new App();
  program(new Chart(app, 'test', { namespace }));
  return errorsOf(app).map((line) => line.replace(/^\[[^\]]*\] /, ''));
}
