/** The errors that the pages on serving show are those that synth tells. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Chart } from 'cdk8s';
import { EnvValue } from 'cdk8s-plus-28';
import { Gpu } from '../../src';
import {
  InferenceService, LlmInferenceService, ModelFormat, ModelStorage, Predictor, ServingMode, type LlmInferenceServiceProps, type ModelPredictorOptions,
} from '../../src/constructs/serving';
import { EXAMPLES, synthesizeExample } from '../support/examples';

/** Lines of the code block behind a heading. */
function shown(page: string, heading: string): string[] {
  const text = readFileSync(path.join(__dirname, '..', '..', 'docs', page), 'utf8');
  const [block] = text.slice(text.indexOf(heading)).split('\n\n').slice(1);
  return block.split('\n').map((line) => line.trim());
}

/** Errors of a program at synth. */
function told(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'docs', { namespace: 'models' }));
  try {
    app.synthYaml();
  } catch (error) {
    // cdk8s puts the construct's path in front.
    return (error as Error).message.split('\n').slice(1).map((line) => line.trim().replace(/^\[[^\]]*\] /, ''));
  }
  return [];
}

test('those of a service', () => {
  const iris = (options: Partial<ModelPredictorOptions>, name = 'iris') => told((chart) => {
    new InferenceService(chart, 'Iris', {
      metadata: { name }, mode: ServingMode.STANDARD,
      predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris/1'), ...options }),
    });
  });
  expect(shown('serving/README.md', '## Errors at synth')).toEqual([
    ...iris({ scaling: { minReplicas: 0 } }),
    ...iris({ storage: ModelStorage.uri('gcs://models/iris') }),
    ...iris({ env: { PYTHONPATH: EnvValue.fromValue('/app') } }),
    ...iris({}, 'iris-classification-of-the-second-quarter-of-2026'),
  ]);
});

test('those of a large language model', () => {
  const llama = (props: Partial<LlmInferenceServiceProps>) => told((chart) => {
    new LlmInferenceService(chart, 'Llama', { metadata: { name: 'llama' }, model: ModelStorage.s3('models', 'llama'), ...props });
  });
  expect(shown('serving/large-language-models.md', '## Errors at synth')).toEqual([
    ...llama({ model: ModelStorage.gcs('models', 'llama') }),
    ...llama({ workload: { parallelism: { tensor: 8 }, resources: { gpu: Gpu.nvidia(4) } } }),
    ...llama({ workload: { parallelism: { data: 16 } } }),
    ...llama({ router: { routeNames: ['mine'] } }),
  ]);
});

test.each(['serving', 'serving-graph', 'llm'])('the kinds that the README of %s shows are those that its program writes, in their order', (name) => {
  const file = `${name}.k8s.yaml`;
  const kinds = [...synthesizeExample(`${name}/main.ts`).get(file)!.matchAll(/^kind: .*$/gm)].map(([line]) => `    ${line}`);
  const readme = `${readFileSync(path.join(EXAMPLES, name, 'README.md'), 'utf8')}\n`;
  expect(readme).toContain(`dist/${file}\n${kinds.join('\n')}\n\n`);
});
