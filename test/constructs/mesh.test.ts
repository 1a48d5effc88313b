/** Pods of training jobs in a service mesh, on every engine: without its sidecar, unless the program says otherwise. */
import { Size, Testing } from 'cdk8s';
import { Engine, Framework, TrainingJob, type TrainingJobProps } from '../../src';
import { securityFindings } from '../../src/manifests/hardening/findings';
import { podsOf } from '../../src/manifests/hardening/pods-of';
import type { CheckedObject } from '../../src/model/hardening/checks';

const INJECT = 'sidecar.istio.io/inject';

const ENGINES: readonly (readonly [string, Partial<TrainingJobProps>])[] = [
  ['our operator', {}],
  ['Kubeflow Trainer', { engine: Engine.trainer() }],
  ['the Training Operator v1', { engine: Engine.trainingOperatorV1() }],
  ['a Job', { engine: Engine.job() }],
  ['a JobSet', { engine: Engine.jobSet() }],
  ['Volcano', { engine: Engine.volcano() }],
  ['Ray', { engine: Engine.ray() }],
  ['Spark', { engine: Engine.spark(), framework: Framework.xgboost(), resources: { memory: Size.gibibytes(4) } }],
];

function objectsOf(props: Partial<TrainingJobProps>): CheckedObject[] {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', {
    metadata: { name: 'net', namespace: 'ml' }, framework: Framework.pytorch(), image: 'image', command: ['train'], replicas: 2, ...props,
  });
  return Testing.synth(chart) as CheckedObject[];
}

/** What the pods say, of each template. */
const saidBy = (props: Partial<TrainingJobProps>) => objectsOf(props).flatMap((object) => podsOf(object).map(({ metadata }) => (
  (metadata.labels as { readonly [name: string]: string } | undefined)?.[INJECT])));

describe.each(ENGINES)('on %s', (_title, props) => {
  test('no pod has a sidecar by default', () => {
    const said = saidBy(props);
    expect(said.length).toBeGreaterThan(0);
    expect(new Set(said)).toEqual(new Set(['false']));
    expect(securityFindings(objectsOf(props), ['ml']).flatMap(({ findings }) => findings.filter(({ check }) => check === 'mesh-injection'))).toEqual([]);
  });

  test('all have what the program says', () => {
    expect(new Set(saidBy({ ...props, podTemplate: { metadata: { labels: { [INJECT]: 'true' } } } }))).toEqual(new Set(['true']));
  });
});

test('a role can have its own, by the annotation of old too', () => {
  const roles = [{ name: 'master', replicas: 1, podTemplate: { metadata: { annotations: { [INJECT]: 'true' } } } }, { name: 'worker', replicas: 1 }];
  expect(saidBy({ replicas: undefined, roles, engine: Engine.jobSet() })).toEqual(['true', 'false']);
});
