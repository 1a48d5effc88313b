/** What the libraries of trackers make of the variables of a run: a job that fails once, as the local runner runs it. */
import path from 'node:path';
import { Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { describeFramework } from './support/describe-framework';
import { expectCompleted, runScript, scriptFile } from './support/run-script';
import { Framework, RestartPolicy, Tracker, TrainingJob } from '../../src';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import { temporaryFolder } from '../local/support/temporary-folder';

function jobOf(python: string, script: string, tracker: Tracker, env: { readonly [name: string]: string } = {}): TrainingJobSpec {
  return new TrainingJob(Testing.chart(), 'Job', {
    metadata: { name: 'job' }, framework: Framework.plain(), image: 'none', replicas: 1, command: [python, scriptFile(script)],
    runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 2 },
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, kplus.EnvValue.fromValue(value)])),
    run: { id: 'digits-3', parent: 'digits-2' },
    tracker,
  })._toSpec();
}

describeFramework('trackers', 'Trackers', (python) => {
  const folder = temporaryFolder();

  test('MLflow names the run, gives it our tags, and finds it again after a restart', async () => {
    const tracker = Tracker.mlflow({ trackingUri: `sqlite:///${path.join(folder, 'mlflow.db')}`, experiment: 'digits', tags: { team: 'vision $(HOME)' } });
    const spec = jobOf(python, 'mlflow_resume.py', tracker);
    const run = await runScript(spec);
    expectCompleted(run);
    const [first, second] = run.results;
    expect(run.results).toHaveLength(2);
    expect([first.resumed, second.resumed]).toEqual([false, true]);
    expect(second.run).toBe(first.run);
    for (const result of run.results) {
      expect(result).toMatchObject({ name: 'digits-3', experiment: 'digits' });
      expect(result.tags).toEqual({
        'team': 'vision $(HOME)', 'trainyard.run_id': 'digits-3', 'trainyard.parent_run': 'digits-2', 'trainyard.job': 'job',
        'trainyard.spec_digest': spec.env!.find(({ name }) => name === 'TRAINYARD_SPEC_DIGEST')!.value,
      });
    }
  });

  test('Weights & Biases begins the run with our id, and a restart goes on with it', async () => {
    const tracker = Tracker.wandb({ project: 'digits', baseUrl: 'https://wandb.example', jobType: 'pretrain', tags: ['a', 'b'], offline: true });
    const run = await runScript(jobOf(python, 'wandb_resume.py', tracker, { WANDB_DIR: folder, WANDB_SILENT: 'true' }));
    expectCompleted(run);
    expect(run.results.map(({ resumed }) => resumed)).toEqual([false, true]);
    for (const result of run.results) {
      expect(result).toMatchObject({
        run: 'digits-3', name: 'digits-3', project: 'digits', group: 'digits-2', jobType: 'pretrain', tags: ['a', 'b'], resume: 'allow', baseUrl: 'https://wandb.example',
      });
    }
  });
});
