/** What the page of searches shows. */
import type { Reader } from '../../../src/cli/jobs/reader';
import { readSearches } from '../../../src/cli/ui/searches';
import { encodePoint } from '../../../src/model/tuning/search-space';

const read = async (lists: { readonly [plural: string]: readonly object[] }) => (
  readSearches({ list: async ({ plural }: { readonly plural: string }) => lists[plural], unread: [] } as unknown as Reader, undefined));

test('trials of our search are what it remembers and what their jobs say', async () => {
  const trial = (number: number, status: object) => ({
    metadata: { namespace: 'ml', name: `tunes-trial-${number}`, labels: { 'ml.collabnix.io/auto-tuning': 'tunes', 'ml.collabnix.io/trial': String(number) } },
    spec: { hyperparameters: { SIZE: '16' } }, status,
  });
  const { searches: [search] } = await read({ mltrainingjobs: [{
    metadata: { namespace: 'ml', name: 'tunes', uid: 'u' },
    spec: { autoTuning: { objective: 'accuracy', parameters: { SIZE: { type: 'categorical', values: [16, 32, 64] } }, maxTrials: 9, algorithm: 'bayesian' } },
    status: { phase: 'Running', tuning: {
      trials: 5, running: 1, succeeded: 2, failed: 1, stopped: 1, best: { trial: 2, value: 0.9, parameters: { SIZE: '32' } },
      active: [{ trial: 5, point: encodePoint([0]) }],
      remembered: [
        { trial: 1, point: encodePoint([0]), value: 0.5 }, { trial: 2, point: encodePoint([1]), value: 0.9 },
        { trial: 3, point: encodePoint([2]), value: 0.2 },
        { trial: 4, point: encodePoint([2]) },
      ],
    } },
  }, trial(1, { phase: 'Completed' }), trial(2, { phase: 'Completed' }), trial(4, { phase: 'Failed' }),
  trial(5, { phase: 'Running', trainerStatus: { metrics: [{ name: 'accuracy', value: '0.7' }] } })] });
  expect(search).toMatchObject({ name: 'tunes', objective: 'accuracy', counts: { running: 1, succeeded: 2, failed: 1, stopped: 1 }, best: { number: 2, value: 0.9 } });
  // The job of the third is gone, although the first one's, which is older, is still there.
  expect(search.trials.map(({ number, state, value, values, job }) => [number, state, value, values.SIZE, job])).toEqual([
    [1, 'succeeded', 0.5, '16', 'tunes-trial-1'], [2, 'succeeded', 0.9, '32', 'tunes-trial-2'], [3, 'stopped', 0.2, '64', undefined],
    [4, 'failed', undefined, '64', 'tunes-trial-4'], [5, 'running', 0.7, '16', 'tunes-trial-5'],
  ]);
});

test("trials of Katib's search are its Trials", async () => {
  const trial = (name: string, type: string, loss?: string) => ({
    metadata: { namespace: 'ml', name, creationTimestamp: `2026-01-01T00:00:0${name.slice(-1)}Z`, labels: { 'katib.kubeflow.org/experiment': 'katib' } },
    spec: { parameterAssignments: [{ name: 'lr', value: '0.01' }] },
    status: { conditions: [{ type, status: 'True' }], observation: { metrics: loss === undefined ? [] : [{ name: 'loss', min: loss, max: '9', latest: '5' }] } },
  });
  const { searches: [search] } = await read({ mltrainingjobs: [], experiments: [{
    apiVersion: 'kubeflow.org/v1beta1', kind: 'Experiment', metadata: { namespace: 'ml', name: 'katib' },
    spec: {
      objective: { type: 'minimize', objectiveMetricName: 'loss' }, maxTrialCount: 12,
      parameters: [{ name: 'lr', feasibleSpace: { min: '0.001', max: '0.1', distribution: 'logUniform' } }, { name: 'net', feasibleSpace: { list: ['a', 'b'] } }],
    },
    status: { trialsRunning: 1, trialsSucceeded: 2, trialsEarlyStopped: 1 },
  }], trials: [trial('t-2', 'Succeeded', '0.2'), trial('t-1', 'Succeeded', '0.4'), trial('t-3', 'EarlyStopped', '0.1'), trial('t-4', 'Running')] });
  expect(search).toMatchObject({
    goal: 'minimize', maxTrials: 12, counts: { running: 1, succeeded: 2, stopped: 1, failed: 0 }, best: { number: 2, value: 0.2 },
    parameters: [{ name: 'lr', min: 0.001, max: 0.1, isLog: true }, { name: 'net', values: ['a', 'b'] }],
  });
  expect(search.trials.map(({ state, value }) => [state, value])).toEqual([['succeeded', 0.4], ['succeeded', 0.2], ['stopped', 0.1], ['running', undefined]]);
});
