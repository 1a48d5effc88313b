import { edgeLines, graphOf } from './graphs';

const job = (name: string, spec: string, namespace = 'team-a') => `
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata: { name: ${name}, namespace: ${namespace} }
spec: { framework: pytorch, image: i, command: [train], ${spec} }
`;

describe('what the operator makes of a job is shown', () => {
  test('its pods by role, its services, and what these name', () => {
    const { graph, notes } = graphOf(`${job('bert', 'replicas: 3, env: [{ name: T, valueFrom: { secretKeyRef: { name: hub, key: t } } }]')}
---
apiVersion: v1
kind: Secret
metadata: { name: hub, namespace: team-a }
`, { made: true });
    expect(notes).toEqual([]);
    expect(edgeLines(graph)).toEqual([
      'MLTrainingJob team-a/bert makes (made) Pod team-a/bert-master',
      'MLTrainingJob team-a/bert makes (made) Pod team-a/bert-worker-0 … bert-worker-1',
      'MLTrainingJob team-a/bert makes (made) Service team-a/bert-master',
      '(made) Pod team-a/bert-master reads Secret team-a/hub',
      '(made) Pod team-a/bert-worker-0 … bert-worker-1 reads Secret team-a/hub',
      '(made) Service team-a/bert-master selects (made) Pod team-a/bert-master',
    ]);
    expect(graph.nodes.filter(({ kind }) => kind === 'Pod').map(({ count }) => count)).toEqual([1, 2]);
  });

  test('the Workload of a queued job, and the PodGroup of a gang', () => {
    const { graph } = graphOf(`${job('q', 'replicas: 1, scheduling: { queueName: gpus, queuePriorityClassName: high }')}---${job('g', 'replicas: 2, scheduling: { gang: { scheduler: Volcano, queue: research } }')}`, { made: true });
    const lines = edgeLines(graph);
    expect(lines).toEqual(expect.arrayContaining([
      'MLTrainingJob team-a/q makes (made) Workload team-a/mltj-q-*',
      '(made) Workload team-a/mltj-q-* waits in (outside) LocalQueue team-a/gpus',
      '(made) Workload team-a/mltj-q-* ranked by (outside) WorkloadPriorityClass high',
      'MLTrainingJob team-a/g makes (made) PodGroup team-a/g',
      '(made) Pod team-a/g-master member of (made) PodGroup team-a/g',
      '(made) PodGroup team-a/g waits in (outside) Queue research',
    ]));
  });

  test('the trials of a search instead of pods', () => {
    const { graph } = graphOf(job('s', 'replicas: 1, autoTuning: { objective: loss, maxTrials: 4, parameters: { x: { type: float, min: 0, max: 1 } } }'), { made: true });
    expect(edgeLines(graph)).toEqual(['MLTrainingJob team-a/s makes (made) MLTrainingJob team-a/s-trial-1 … s-trial-4']);
    expect(graph.nodes.map(({ count }) => count)).toEqual([undefined, 4]);
  });

  test('the copies of an array instead of pods', () => {
    const { graph } = graphOf(job('a', 'replicas: 1, array: { count: 3 }, scheduling: { queueName: gpus }, env: [{ name: T, valueFrom: { secretKeyRef: { name: hub, key: t } } }]'), { made: true });
    expect(edgeLines(graph)).toEqual([
      'MLTrainingJob team-a/a makes (made) MLTrainingJob team-a/a-0 … a-2',
      '(made) MLTrainingJob team-a/a-0 … a-2 waits in (outside) LocalQueue team-a/gpus',
      '(made) MLTrainingJob team-a/a-0 … a-2 reads (outside) Secret team-a/hub',
    ]);
  });

  test('nothing of a job that another controller runs', () => {
    expect(graphOf(job('other', 'replicas: 1, managedBy: example.com/other'), { made: true })).toMatchObject({ notes: [], graph: { edges: [], nodes: [{ name: 'other' }] } });
  });

  test('nothing of a job that is wrong, which is told; what it names is still there', () => {
    const { graph, notes } = graphOf(job('wrong', 'replicas: 0, env: [{ name: T, valueFrom: { secretKeyRef: { name: hub, key: t } } }]'), { made: true });
    expect(notes).toEqual(['MLTrainingJob wrong has a mistake, so what the operator creates for it is not shown. Run trainyard validate for details.']);
    expect(edgeLines(graph)).toEqual(['MLTrainingJob team-a/wrong reads (outside) Secret team-a/hub']);
  });

  test('a job without a namespace gives what is made none', () => {
    const { graph } = graphOf(job('n', 'replicas: 1').replace(', namespace: team-a', ''), { made: true });
    expect(graph.nodes.map(({ namespace }) => namespace)).toEqual(graph.nodes.map(() => undefined));
  });
});

test('without what is made, its relations are those of the job', () => {
  const { graph } = graphOf(`${job('bert', 'replicas: 3, env: [{ name: T, valueFrom: { secretKeyRef: { name: hub, key: t } } }], scheduling: { queueName: gpus }')}
---
apiVersion: v1
kind: Service
metadata: { name: own, namespace: team-a }
spec: { selector: { job: bert } }
`);
  expect(edgeLines(graph)).toEqual([
    'Service team-a/own selects MLTrainingJob team-a/bert',
    'MLTrainingJob team-a/bert waits in (outside) LocalQueue team-a/gpus',
    'MLTrainingJob team-a/bert reads (outside) Secret team-a/hub',
  ]);
});
