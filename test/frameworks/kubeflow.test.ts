/**
 * The clients of Kubeflow Trainer against our endpoint, unchanged: over plain HTTP under `trainyard run`, and over TLS with the operator under
 * `trainyard dev`.
 */
import path from 'node:path';
import { describeFramework } from './support/describe-framework';
import { expectCompleted, runScript, scriptFile } from './support/run-script';
import { DevEnvironment } from '../../src/local/dev/dev-environment';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { TRAINING_JOBS, type TrainingJobObject } from '../../src/operator/training/resources';
import { eventually } from '../cluster/support/cluster';
import { temporaryFolder } from '../local/support/temporary-folder';

function expectBothReports(status: TrainingJobStatus): void {
  expect(status.trainerStatus).toMatchObject({
    progressPercentage: 100, estimatedRemainingSeconds: 0, metrics: [{ name: 'loss', value: '0.125' }, { name: 'train_runtime', value: '12.5' }],
  });
  expect(status.progressHistory![0].metrics).toMatchObject({ loss: expect.stringMatching(/^0\.(25|125)$/) });
}

describeFramework('kubeflow', 'Kubeflow SDK', (python) => {
  const folder = temporaryFolder();

  test('its reports and those of Transformers\' callback arrive under trainyard run', async () => {
    const run = await runScript({ framework: 'plain', replicas: 1, command: [python, scriptFile('kubeflow_progress.py')] });
    expectCompleted(run);
    expect(run.results[0]).toMatchObject({ bySdk: true, byCallback: 200, tls: false });
    expectBothReports(run.status);
  });

  test('its reports and those of Transformers\' callback arrive at the operator, over TLS with a projected token', async () => {
    const lines: string[] = [];
    const environment = await DevEnvironment.start({
      workingDir: folder,
      operatorProgram: path.join(__dirname, '..', '..', 'assets', 'operator.mjs'),
      onLine: (_pod, { text }) => lines.push(text),
      notice: () => undefined,
      warn: (message) => lines.push(message),
    });
    const client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
    try {
      const ref = { namespace: 'default', name: 'sdk' };
      const spec = { framework: 'plain', image: 'image', replicas: 1, command: [python, scriptFile('kubeflow_progress.py')] };
      await client.create(TRAINING_JOBS, { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: ref, spec } as KubeObject);
      const status = await eventually('the end of the job', async () => {
        const found = (await client.get<TrainingJobObject>(TRAINING_JOBS, ref)).status;
        return (found?.phase === 'Completed' || found?.phase === 'Failed') && found;
      });
      expect(lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object)).toEqual([
        { framework: 'kubeflow', bySdk: true, byCallback: 200, tls: true },
      ]);
      expectBothReports(status);
    } finally {
      client.close();
      await environment.stop(0);
    }
  });
});
