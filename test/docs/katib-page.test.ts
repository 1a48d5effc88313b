/** The errors that the page on Katib shows are those that synth tells. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Chart } from 'cdk8s';
import { Engine, Framework, TuningAlgorithm, TuningParameter, type TrainingJobProps } from '../../src';
import { HyperparameterSearch, SearchEngine, type HyperparameterSearchProps } from '../../src/constructs/tuning';
import { errorsOf } from '../support/synth-errors';

function told(props: Partial<HyperparameterSearchProps>, job: Partial<TrainingJobProps> = {}): string[] {
  const app = new App();
  new HyperparameterSearch(new Chart(app, 'docs'), 'Vision', {
    metadata: { name: 'vision' }, searchEngine: SearchEngine.katib(), objective: 'loss', parameters: { lr: TuningParameter.ints(1, 2) },
    job: { framework: Framework.pytorch(), image: 'vision:1', command: ['python', 'train.py'], replicas: 2, ...job },
    ...props,
  });
  // cdk8s puts the construct's path in front.
  return errorsOf(app).map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

test('those of a search', () => {
  const text = readFileSync(path.join(__dirname, '..', '..', 'docs', 'workloads', 'katib.md'), 'utf8');
  const [block] = text.slice(text.indexOf('## Errors at synth')).split('\n\n').slice(1);
  expect(block.split('\n').map((line) => line.trim())).toEqual([
    ...told({ parameters: { lr: TuningParameter.float({ min: 0.001, max: 0.1 }) } }),
    ...told({ keepTrials: 5 }),
    ...told({ algorithm: TuningAlgorithm.hyperband({ max: 27, parameter: 'EPOCHS' }), maxTrials: 40, parallelTrials: 9 }),
    ...told({}, { engine: Engine.jobSet(), security: { networkPolicy: {} } }),
    ...told({}, { command: undefined, args: ['--lr=$(lr)'] }),
  ]);
});
