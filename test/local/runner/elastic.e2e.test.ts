import fs from 'node:fs';
import path from 'node:path';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();

/** Stands in for horovodrun: asks the script until it tells of two workers, kills one, and waits until its replacement is there. */
const LAUNCHER = `
  workers() { "$1"; }
  until [ "$(workers "$1")" = 127.0.0.1:4 ]; do sleep 0.05; done
  kill -9 "$(cat "$(dirname "$1")/job-worker-1.pid")"
  until [ "$(workers "$1")" = 127.0.0.1:2 ]; do sleep 0.01; done
  echo shrunk
  until [ "$(workers "$1")" = 127.0.0.1:4 ]; do sleep 0.05; done
  echo "grown, $2 to $3"`;

test('the launcher of elastic Horovod sees workers go and come, and the job goes on meanwhile', async () => {
  const reporter = new RecordingReporter();
  const folder = path.join(root, 'horovod');
  fs.mkdirSync(folder);
  const spec: TrainingJobSpec = {
    framework: 'horovod', image: 'img', replicas: 2, nprocPerNode: 2, elastic: { minReplicas: 1, maxReplicas: 3 },
    command: ['/bin/sh', '-c', LAUNCHER, 'launcher'],
    args: ['$(HOROVOD_HOST_DISCOVERY_SCRIPT)', '$(HOROVOD_MIN_NP)', '$(HOROVOD_MAX_NP)'],
    runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1 } },
  };
  const status = await runLocally({ name: 'job', spec, workingDir: folder, reporter });
  expect(reporter.textsOf('job-launcher')).toEqual(['shrunk', 'grown, 2 to 6']);
  expect(status).toMatchObject({ phase: 'Completed', attempt: 0, restarts: 1 });
  expect(reporter.phases).not.toContain('Restarting');
});
